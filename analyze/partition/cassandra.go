package partition

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

var cassandraEncodings = []Encoding{encUTF8, encInt32, encInt64, encUUID, encHex, encBase64}

var cassandra = Partitioner{
	ID:         "cassandra",
	Title:      "Cassandra, Murmur3Partitioner",
	Text:       "token = Murmur3Partitioner of the partition key; the first token of the ring at or after it owns it (the primary replica). Name the key encoding where the partition key is no text, with : between the columns of a composite one (int32:utf8 for keys written as 7:name). A number of shards stands for nodes with one token each, evenly spaced.",
	Source:     "Apache Cassandra, Murmur3Partitioner.java, MurmurHash.java, CompositeType.java",
	Encodings:  cassandraEncodings,
	Composite:  true,
	Shards:     "node",
	Topologies: tokenKinds,
	build: func(o Options) (plan, error) {
		r, parts, err := tokenRing(o)
		if err != nil {
			return plan{}, err
		}
		return plan{
			title: "Cassandra, " + ringTitle(r, parts),
			parts: parts,
			place: func(key []byte) int { return r.of(place(token(key))) },
			shape: r.shape,
		}, nil
	},
}

var tokenKinds = []string{"nodetool-ring", "nodetool-describering", "token-map"}

// tokenRing makes the ring of a topology file, or an even one of single tokens.
func tokenRing(o Options) (ring, []Partition, error) {
	if o.Map == nil {
		parts, points := numbered(o.Shards), make([]point, o.Shards)
		for i := range points {
			points[i] = point{math.MaxUint64 / uint64(o.Shards) * uint64(i), int16(i)}
		}
		return newRing(points, 64), parts, nil
	}
	var parts []Partition
	index, points := map[string]int16{}, make([]point, len(o.Map.Tokens))
	for i, t := range o.Map.Tokens {
		owner, known := index[t.Node]
		switch {
		case t.Node == "":
			owner = -1
		case !known && len(parts) == MaxPartitions:
			return ring{}, nil, fmt.Errorf("more than %d nodes: no more can be told apart", MaxPartitions)
		case !known:
			owner = int16(len(parts))
			index[t.Node] = owner
			parts = append(parts, Partition{ID: t.Node})
		}
		points[i] = point{place(t.Token), owner}
	}
	if len(parts) == 0 {
		return ring{}, nil, errors.New("no node owns a token")
	}
	r := newRing(points, 64)
	r.share(parts)
	return r, parts, nil
}

func ringTitle(r ring, parts []Partition) string {
	title, unknown := fmt.Sprintf("%s, %s", count(len(parts), "node"), count(len(r.points), "token")), 0
	for _, p := range r.points {
		if p.owner < 0 {
			unknown++
		}
	}
	if unknown > 0 {
		title += " (" + strconv.Itoa(unknown) + " without a node: keys there are not placed)"
	}
	return title
}

// place is where a token lies on a ring of unsigned numbers.
func place(token int64) uint64 { return uint64(token) ^ 1<<63 }

// token is the token of Murmur3Partitioner for the bytes of a partition key: the first half of
// MurmurHash3_x64_128 with seed 0, but for the bytes of the last, partial block, which Java reads as signed
// numbers.
func token(key []byte) int64 {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	if len(key) == 0 {
		return math.MinInt64
	}
	var h1, h2 uint64
	length := uint64(len(key))
	for ; len(key) >= 16; key = key[16:] {
		h1 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(key)*c1, 31) * c2
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(key[8:])*c2, 33) * c1
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var k1, k2 uint64
	for i, c := range key {
		if i < 8 {
			k1 ^= uint64(int64(int8(c))) << (8 * i)
		} else {
			k2 ^= uint64(int64(int8(c))) << (8 * (i - 8))
		}
	}
	h2 ^= bits.RotateLeft64(k2*c2, 33) * c1
	h1 ^= bits.RotateLeft64(k1*c1, 31) * c2
	h1 ^= length
	h2 ^= length
	h1 += h2
	h2 += h1
	h1, h2 = fmix64(h1), fmix64(h2)
	h1 += h2
	if t := int64(h1); t != math.MinInt64 {
		return t
	}
	return math.MaxInt64
}

func fmix64(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
