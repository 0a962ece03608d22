package partition

import (
	"crypto/md5"
	"encoding/binary"
	"hash/crc32"
)

// keyHash is a hash function of the memcached clients by the name that they give it.
type keyHash struct {
	name string
	sum  func(key []byte) uint32
}

// keyHashes are the functions of libhashkit (libmemcached) and of twemproxy. Where they read bytes through
// char, bytes of 0x80 and more are negative, as on x86.
func keyHashes() []keyHash {
	return []keyHash{
		{"one_at_a_time", oneAtATime},
		{"md5", md5First},
		{"crc", crcHigh}, {"crc32", crcHigh},
		{"crc32a", crc32.ChecksumIEEE},
		{"crc16", func(key []byte) uint32 { return uint32(crc16(key)) }},
		{"fnv1_64", fnv1w64}, {"fnv1a_64", fnv1aTruncated},
		{"fnv1_32", fnv1w32}, {"fnv1a_32", fnv1aSigned},
		{"hsieh", hsieh},
		{"murmur", func(key []byte) uint32 {
			return murmurHash2(key, 0xdeadbeef*uint32(len(key)), 0x5bd1e995, 24)
		}},
		{"murmur3", func(key []byte) uint32 { return murmur3(key, 0xdeadbeef*uint32(len(key))) }},
		{"jenkins", jenkinsHash},
	}
}

// signed is a byte read through a signed char.
func signed(c byte) uint32 { return uint32(int32(int8(c))) }

// oneAtATime is Bob Jenkins' one-at-a-time, the default of libmemcached.
func oneAtATime(key []byte) uint32 {
	var h uint32
	for _, c := range key {
		h += signed(c)
		h += h << 10
		h ^= h >> 6
	}
	h += h << 3
	h ^= h >> 11
	return h + h<<15
}

// md5First is the first 4 bytes of MD5, the least significant first.
func md5First(key []byte) uint32 {
	sum := md5.Sum(key)
	return binary.LittleEndian.Uint32(sum[:])
}

// crcHigh is 15 of the upper bits of CRC-32.
func crcHigh(key []byte) uint32 { return crc32.ChecksumIEEE(key) >> 16 & 0x7fff }

// fnv1w64 is FNV-1 of 64 bits, cut to 32.
func fnv1w64(key []byte) uint32 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range key {
		h = h*0x100000001b3 ^ uint64(int64(int8(c)))
	}
	return uint32(h)
}

// fnv1aTruncated is what is called fnv1a_64 but runs in 32 bits, with both constants cut to size.
func fnv1aTruncated(key []byte) uint32 {
	h := uint32(0x84222325)
	for _, c := range key {
		h = (h ^ signed(c)) * 0x1b3
	}
	return h
}

func fnv1w32(key []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range key {
		h = h*16777619 ^ signed(c)
	}
	return h
}

func fnv1aSigned(key []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range key {
		h = (h ^ signed(c)) * 16777619
	}
	return h
}

// hsieh is Paul Hsieh's SuperFastHash, started at 0.
func hsieh(key []byte) uint32 {
	var h uint32
	word := func(b []byte) uint32 { return uint32(binary.LittleEndian.Uint16(b)) }
	if len(key) == 0 {
		return 0
	}
	for ; len(key) >= 4; key = key[4:] {
		h += word(key)
		h = h<<16 ^ word(key[2:])<<11 ^ h
		h += h >> 11
	}
	switch len(key) {
	case 3:
		h += word(key)
		h ^= h << 16
		h ^= signed(key[2]) << 18
		h += h >> 11
	case 2:
		h += word(key)
		h ^= h << 11
		h += h >> 17
	case 1:
		h += uint32(key[0])
		h ^= h << 10
		h += h >> 1
	}
	h ^= h << 3
	h += h >> 5
	h ^= h << 4
	h += h >> 17
	h ^= h << 25
	return h + h>>6
}
