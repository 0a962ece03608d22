package partition

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/cespare/xxhash/v2"
)

var (
	modCRC32 = mod("mod-crc32", "CRC-32 mod N", "CRC-32 (IEEE), unsigned: crc32() of PHP, CRC32() of MySQL", "ITU-T V.42; zlib, crc32",
		func(key []byte) uint64 { return uint64(crc32.ChecksumIEEE(key)) })
	modFNV1a32 = mod("mod-fnv1a-32", "FNV-1a-32 mod N", "FNV-1a of 32 bits, unsigned", "Fowler, Noll, Vo: RFC 9923",
		func(key []byte) uint64 { return uint64(fnv1a32(key)) })
	modFNV1a64 = mod("mod-fnv1a-64", "FNV-1a-64 mod N", "FNV-1a of 64 bits, unsigned", "Fowler, Noll, Vo: RFC 9923", fnv1a64)
	modXXH64   = mod("mod-xxh64", "xxHash64 mod N", "xxHash of 64 bits with seed 0", "Collet, xxHash fast digest algorithm, section \"XXH64\"", xxhash.Sum64)
	modMD5     = mod("mod-md5", "MD5 mod N", "the first 8 bytes of MD5, the most significant first", "RFC 1321",
		func(key []byte) uint64 {
			sum := md5.Sum(key)
			return binary.BigEndian.Uint64(sum[:])
		})
	modSHA1 = mod("mod-sha1", "SHA-1 mod N", "the first 4 bytes of SHA-1, the most significant first", "FIPS 180-4",
		func(key []byte) uint64 {
			sum := sha1.Sum(key)
			return uint64(binary.BigEndian.Uint32(sum[:]))
		})
)

// extractParam says which part of a key is hashed.
var extractParam = Param{"extract", "the part of the key that is hashed: tag for what stands between { and }, or a regular expression whose first match it is; the whole key where there is no such part"}

// mod is the partitioner hash(key) mod N.
func mod(id, title, hash, source string, sum func(key []byte) uint64) Partitioner {
	return Partitioner{
		ID: id, Title: title, Source: source,
		Text:      "shard = hash(key) mod N, written by applications themselves. The hash is " + hash + ".",
		Encodings: []Encoding{encUTF8, encInt32, encInt64, encUUID, encHex, encBase64},
		Params:    []Param{extractParam},
		Shards:    "shard",
		build: func(o Options) (plan, error) {
			part, err := o.extractor()
			if err != nil {
				return plan{}, err
			}
			n := uint64(o.Shards)
			return plan{
				title: fmt.Sprintf("%s, %s", title, count(o.Shards, "shard")),
				parts: numbered(o.Shards),
				place: func(key []byte) int { return int(sum(part(key)) % n) },
			}, nil
		},
	}
}

var modInt = Partitioner{
	ID:        "mod-int",
	Title:     "number in the key mod N",
	Text:      "shard = (the last number in the key) mod N: user:1001:cart goes to 1001 mod N. Keys without a number are not placed; neither are numbers above 64 bits.",
	Source:    "the usual sharding by user ID; PARTITION BY HASH(int) of MySQL",
	Encodings: []Encoding{encUTF8},
	Params:    []Param{extractParam},
	Shards:    "shard",
	build: func(o Options) (plan, error) {
		part, err := o.extractor()
		if err != nil {
			return plan{}, err
		}
		n := uint64(o.Shards)
		return plan{
			title: fmt.Sprintf("number in the key mod N, %s", count(o.Shards, "shard")),
			parts: numbered(o.Shards),
			place: func(key []byte) int {
				v, ok := lastNumber(part(key))
				if !ok {
					return -1
				}
				return int(v % n)
			},
		}, nil
	},
}

// lastNumber reads the last run of decimal digits.
func lastNumber(key []byte) (v uint64, ok bool) {
	const digits = "0123456789"
	end := bytes.LastIndexAny(key, digits) + 1
	start := end
	for start > 0 && key[start-1] >= '0' && key[start-1] <= '9' {
		start--
	}
	for _, c := range key[start:end] {
		d := uint64(c - '0')
		if v > (1<<64-1-d)/10 {
			return 0, false
		}
		v = v*10 + d
	}
	return v, start < end
}

func fnv1a32(key []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range key {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

func fnv1a64(key []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range key {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return h
}
