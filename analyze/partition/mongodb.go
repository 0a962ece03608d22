package partition

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// The canonical types of BSON that are hashed with a value.
const (
	bsonNumber   = 10
	bsonString   = 15
	bsonBinary   = 30
	bsonObjectID = 35
)

var mongoDB = Partitioner{
	ID:         "mongodb-hashed",
	Title:      "MongoDB, hashed shard key",
	Text:       "The first 8 bytes of MD5(seed 0, BSON type, value), as a signed number, lie in a chunk of one shard. The type counts: name the key encoding where the shard key is no string. A number of shards divides the numbers as sharding an empty collection does; after that, give the chunks.",
	Source:     "MongoDB, hasher.cpp (BSONElementHasher), initial_split_policy.cpp (calculateHashedSplitPoints)",
	Shards:     "shard",
	Topologies: []string{"mongodb-chunks"},
	Encodings: []Encoding{
		encUTF8.as(func(dst, text []byte) ([]byte, bool) {
			dst = binary.LittleEndian.AppendUint32(mongoType(dst, bsonString), uint32(len(text)+1))
			return append(append(dst, text...), 0), true
		}),
		encInt32.as(mongoNumber(encInt32.encode)), encInt64.as(mongoNumber(encInt64.encode)),
		encDecimal.as(mongoNumber(encDecimal.encode)),
		encObjectID.as(func(dst, text []byte) ([]byte, bool) {
			return encObjectID.encode(mongoType(dst, bsonObjectID), text)
		}),
		encUUID.as(mongoBinary(4, encUUID.encode)),
		encHex.as(mongoBinary(0, encHex.encode)), encBase64.as(mongoBinary(0, encBase64.encode)),
	},
	build: func(o Options) (plan, error) {
		given, title := evenChunks(o.Shards), "MongoDB hashed shard key, "+count(o.Shards, "even shard")
		if o.Map != nil {
			given = o.Map.Hashes
			title = fmt.Sprintf("MongoDB hashed shard key, %s", count(len(given), "chunk"))
		}
		r, parts, err := newHashRanges(given, math.Pow(2, 64))
		if err != nil {
			return plan{}, err
		}
		return plan{
			title: title, parts: parts, shape: r.shape,
			place: func(key []byte) int { return r.of(wide{low: place(mongoHash(key))}) },
		}, nil
	},
}

// mongoHash hashes what an encoder above wrote.
func mongoHash(value []byte) int64 {
	sum := md5.Sum(value)
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

// mongoType begins what is hashed: the seed 0 and the type.
func mongoType(dst []byte, canonical uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, 0, 0, 0, 0), canonical)
}

// mongoNumber writes numbers of any type as 8 bytes, the least significant first.
func mongoNumber(encode encoder) encoder {
	return func(dst, text []byte) ([]byte, bool) {
		dst = mongoType(dst, bsonNumber)
		start := len(dst)
		dst, ok := encode(dst, text)
		if !ok {
			return dst, false
		}
		var n int64
		if len(dst) == start+4 {
			n = int64(int32(binary.BigEndian.Uint32(dst[start:])))
		} else {
			n = int64(binary.BigEndian.Uint64(dst[start:]))
		}
		return binary.LittleEndian.AppendUint64(dst[:start], uint64(n)), true
	}
}

// mongoBinary writes the length, the subtype and the bytes of a BSON binary.
func mongoBinary(subtype byte, encode encoder) encoder {
	return func(dst, text []byte) ([]byte, bool) {
		dst = mongoType(dst, bsonBinary)
		start := len(dst)
		dst, ok := encode(append(dst, 0, 0, 0, 0, subtype), text)
		if !ok {
			return dst, false
		}
		binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-5))
		return dst, true
	}
}

// evenChunks divides the signed numbers of 64 bits among n shards, symmetrically about 0.
func evenChunks(n int) []HashRange {
	if n == 0 {
		return nil
	}
	step := math.MaxInt64 / int64(n) * 2
	var points []int64 // where chunks begin, the first apart
	at := step
	if n%2 == 0 {
		points = append(points, 0)
	} else {
		at = step / 2
	}
	for range (n - 1) / 2 {
		points = append([]int64{-at}, append(points, at)...)
		at += step
	}
	ranges := make([]HashRange, n)
	first := wide{}
	for i := range ranges {
		last := wide{low: math.MaxUint64}
		if i < n-1 {
			last.low = place(points[i]) - 1
		}
		ranges[i] = HashRange{first: first, last: last, Partition: strconv.Itoa(i)}
		first = wide{low: last.low + 1}
	}
	return ranges
}
