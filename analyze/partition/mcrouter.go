package partition

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

var mcrouter = Partitioner{
	ID:         "mcrouter",
	Title:      "mcrouter pool",
	Text:       "A pool of an mcrouter configuration: server = furc_hash(key) (the hash Ch3, its default), CRC-32 without its highest bit mod servers (Crc32), or the number between the first two colons of the key (ConstShard). The routing prefix /region/cluster/ and what follows |#| are not hashed. WeightedCh3 and the other weighted hashes are not computed here.",
	Source:     "facebook/mcrouter, lib/fbi/hash.c (furc_hash), lib/Crc32HashFunc.h, routes/ShardHashFunc.cpp",
	Encodings:  []Encoding{encUTF8},
	Params:     []Param{poolParam, {"hash", "Ch3, Crc32 or ConstShard, where the file leaves it open"}},
	Shards:     "server",
	Topologies: []string{"mcrouter"},
	build: func(o Options) (plan, error) {
		n, parts, hash, of := o.Shards, numbered(o.Shards), "Ch3", ""
		if o.Map != nil {
			chosen, err := o.Map.pool(o.Params["pool"])
			if err != nil {
				return plan{}, err
			}
			if chosen.Hash != "" {
				hash = chosen.Hash
			}
			if parts, err = serverPartitions(chosen.Servers, nil); err != nil {
				return plan{}, err
			}
			n, of = len(parts), " of the pool "+chosen.Name
		} else if o.Params["pool"] != "" {
			return plan{}, fmt.Errorf("pool=%s: there is no topology file to look it up in", o.Params["pool"])
		}
		if name := o.Params["hash"]; name != "" {
			hash = name
		}
		place := func(key []byte) int { return furcHash(routed(key), n) }
		switch hash {
		case "Ch3":
		case "Crc32":
			place = func(key []byte) int { return crcServer(routed(key), n) }
		case "ConstShard":
			place = func(key []byte) int { return constShard(routed(key), n) }
		default:
			return plan{}, fmt.Errorf("the hash %s of mcrouter is not computed here: Ch3, Crc32 and ConstShard are", hash)
		}
		return plan{
			title: fmt.Sprintf("mcrouter %s, %s%s", hash, count(n, "server"), of),
			parts: parts,
			place: place,
			shape: func(w io.Writer) { io.WriteString(w, hash) },
		}, nil
	},
}

// routed is the part of a key that mcrouter hashes: without the routing prefix and the part behind |#|.
func routed(key []byte) []byte {
	if len(key) > 0 && key[0] == '/' {
		if region := bytes.IndexByte(key[1:], '/'); region >= 0 {
			if cluster := bytes.IndexByte(key[region+2:], '/'); cluster >= 0 {
				key = key[region+2+cluster+1:]
			}
		}
	}
	key, _, _ = bytes.Cut(key, []byte("|#|"))
	return key
}

func crcServer(key []byte, n int) int {
	return int(crc32.ChecksumIEEE(key)&0x7fffffff) % n
}

// constShard takes the number between the first two colons of the key for the server; keys without a number
// in range go the way of Ch3.
func constShard(key []byte, n int) int {
	if _, rest, ok := bytes.Cut(key, []byte{':'}); ok {
		if digits, _, ok := bytes.Cut(rest, []byte{':'}); ok && len(digits) > 0 && digits[0] != '+' && digits[0] != '-' {
			if shard, ok := parseInt(digits); ok && shard < int64(n) {
				return int(shard)
			}
		}
	}
	return furcHash(key, n)
}

// furcHash walks a binary tree by bits that are drawn from the key's hash: bit i is bit i mod 64 of the
// hash, hashed again i/64 times.
func furcHash(key []byte, n int) int {
	const (
		shift = 23 // bits between the tries of one level
		tries = 32
	)
	if n <= 1 {
		return 0
	}
	depth := 0
	for n > 1<<depth {
		depth++
	}
	first := murmur64A(key)
	hash, at := first, 0 // the word that bits are taken from, and its number
	bit := func(i int) int {
		if i>>6 < at {
			hash, at = first, 0
		}
		for ; at < i>>6; at++ {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], hash)
			hash = murmur64A(word[:])
		}
		return int(hash >> (i & 63) & 1)
	}
	i := depth
	for range tries {
		for bit(i) == 0 {
			depth--
			if depth == 0 {
				return 0
			}
			i = depth
		}
		i += shift
		server := 1
		for range depth - 1 {
			server = server<<1 | bit(i)
			i += shift
		}
		if server < n {
			return server
		}
	}
	return 0
}

// murmur64A is MurmurHash64A with the seed of furc_hash.
func murmur64A(key []byte) uint64 {
	const (
		seed = 4193360111
		m    = 0xc6a4a7935bd1e995
	)
	h := uint64(seed) ^ uint64(len(key))*m
	for ; len(key) >= 8; key = key[8:] {
		k := binary.LittleEndian.Uint64(key) * m
		h = (h ^ (k^k>>47)*m) * m
	}
	if len(key) > 0 {
		var tail uint64
		for i, c := range key {
			tail |= uint64(c) << (8 * i)
		}
		h = (h ^ tail) * m
	}
	h = (h ^ h>>47) * m
	return h ^ h>>47
}
