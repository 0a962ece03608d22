package partition

import (
	"encoding/binary"
	"math/bits"
)

// murmur2 is MurmurHash2 as Kafka has it: seed 0x9747b28c, little-endian blocks of 4 bytes.
func murmur2(key []byte) int32 {
	const (
		seed = 0x9747b28c
		m    = 0x5bd1e995
		r    = 24
	)
	return int32(murmurHash2(key, seed, m, r))
}

// murmurHash2 is Austin Appleby's MurmurHash2 for 32 bits.
func murmurHash2(key []byte, seed, m uint32, r int) uint32 {
	h := seed ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := binary.LittleEndian.Uint32(key) * m
		k ^= k >> r
		h = h*m ^ k*m
	}
	switch len(key) {
	case 3:
		h ^= uint32(key[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(key[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(key[0])) * m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}

// murmur3 is MurmurHash3_x86_32 of Austin Appleby.
func murmur3(key []byte, seed uint32) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	h, length := seed, uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		h ^= bits.RotateLeft32(binary.LittleEndian.Uint32(key)*c1, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	var k uint32
	for i, c := range key {
		k |= uint32(c) << (8 * i)
	}
	h ^= bits.RotateLeft32(k*c1, 15) * c2 // nothing where there is no tail
	h ^= length
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
