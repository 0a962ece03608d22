package partition

import (
	"encoding/binary"
	"math/bits"
)

// lookup3 is the state of Bob Jenkins' lookup3 (2006), on which the hashes of PostgreSQL and the hash
// "jenkins" of libhashkit are built.
type lookup3 struct{ a, b, c uint32 }

func (s *lookup3) mix() {
	rot := bits.RotateLeft32
	s.a = s.a - s.c ^ rot(s.c, 4)
	s.c += s.b
	s.b = s.b - s.a ^ rot(s.a, 6)
	s.a += s.c
	s.c = s.c - s.b ^ rot(s.b, 8)
	s.b += s.a
	s.a = s.a - s.c ^ rot(s.c, 16)
	s.c += s.b
	s.b = s.b - s.a ^ rot(s.a, 19)
	s.a += s.c
	s.c = s.c - s.b ^ rot(s.b, 4)
	s.b += s.a
}

func (s *lookup3) final() {
	rot := bits.RotateLeft32
	s.c = (s.c ^ s.b) - rot(s.b, 14)
	s.a = (s.a ^ s.c) - rot(s.c, 11)
	s.b = (s.b ^ s.a) - rot(s.a, 25)
	s.c = (s.c ^ s.b) - rot(s.b, 16)
	s.a = (s.a ^ s.c) - rot(s.c, 4)
	s.b = (s.b ^ s.a) - rot(s.a, 14)
	s.c = (s.c ^ s.b) - rot(s.b, 24)
}

// block adds 12 bytes.
func (s *lookup3) block(b []byte) {
	s.a += binary.LittleEndian.Uint32(b)
	s.b += binary.LittleEndian.Uint32(b[4:])
	s.c += binary.LittleEndian.Uint32(b[8:])
}

// jenkinsHash is hashlittle of lookup3 with the initial value of libhashkit, 13.
func jenkinsHash(key []byte) uint32 {
	start := 0xdeadbeef + uint32(len(key)) + 13
	s := lookup3{start, start, start}
	for ; len(key) > 12; key = key[12:] {
		s.block(key)
		s.mix()
	}
	if len(key) == 0 {
		return s.c
	}
	var last [12]byte
	copy(last[:], key)
	s.block(last[:])
	s.final()
	return s.c
}

// pgHash is hash_bytes of PostgreSQL, in the words b and c that its two forms return: hash_bytes is c,
// hash_bytes_extended b and c. Seed 0 is none.
func pgHash(key []byte, seed uint64) (b, c uint32) {
	s := pgStart(len(key), seed)
	for ; len(key) >= 12; key = key[12:] {
		s.block(key)
		s.mix()
	}
	// The lowest byte of c is kept for the length, so the ninth byte of the rest goes to the second.
	var last [12]byte
	copy(last[:8], key)
	if len(key) > 8 {
		copy(last[9:], key[8:])
	}
	s.block(last[:])
	s.final()
	return s.b, s.c
}

// pgHashInt is hash_uint32 of PostgreSQL for what hashint8 makes of a number, so that a number has one hash
// in every integer type.
func pgHashInt(n int64, seed uint64) (b, c uint32) {
	low, high := uint32(n), uint32(n>>32)
	if n < 0 {
		high = ^high
	}
	s := pgStart(4, seed)
	s.a += low ^ high
	s.final()
	return s.b, s.c
}

func pgStart(length int, seed uint64) lookup3 {
	start := 0x9e3779b9 + uint32(length) + 3923095
	s := lookup3{start, start, start}
	if seed != 0 {
		s.a += uint32(seed >> 32)
		s.b += uint32(seed)
		s.mix()
	}
	return s
}
