package sketch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
)

// sealed makes a frame of any body, so that tests and fuzzers get past the checksum.
func sealed(tag byte, body []byte) []byte {
	return appendFrame(nil, tag, func(b []byte) []byte { return append(b, body...) })
}

// limit is what the tests allow the decoders to hold.
const limit = 1 << 12

// codec is one encoding under test: decode returns the bytes of what it decoded.
type codec struct {
	name   string
	tag    byte
	decode func(src []byte) (again, rest []byte, err error)
	valid  [][]byte
}

func heavyHittersCodec(t fataler) codec {
	h := NewHeavyHitters[tally]()
	empty := h.AppendBinary(nil, appendTally)
	for i := range 40 {
		addTally(h, []byte(name(i)), hashOf(name(i)), uint64(i), int64(-i))
	}
	exact := h.AppendBinary(nil, appendTally)
	h.Compact(20, func(e Entry[tally]) bool { return string(e.Key) == "k1" }, nil)
	addTally(h, nil, hashOf(""), 3, 1)
	return codec{"heavy hitters", tagHeavyHitters, func(src []byte) ([]byte, []byte, error) {
		h, rest, err := DecodeHeavyHitters(src, limit, decodeTally)
		if err != nil {
			return nil, nil, err
		}
		return h.AppendBinary(nil, appendTally), rest, nil
	}, [][]byte{empty, exact, h.AppendBinary(nil, appendTally)}}
}

func countMinCodec(t fataler) codec {
	c := newCountMin(t, 4, 64)
	empty := c.AppendBinary(nil)
	for i := range 50 {
		c.Add(hashOf(name(i)), uint64(i*i))
	}
	return codec{"Count-Min", tagCountMin, func(src []byte) ([]byte, []byte, error) {
		c, rest, err := DecodeCountMin(src, limit)
		if err != nil {
			return nil, nil, err
		}
		return c.AppendBinary(nil), rest, nil
	}, [][]byte{empty, c.AppendBinary(nil)}}
}

func distinctCodec(t fataler) codec {
	return codec{"distinct", tagDistinct, func(src []byte) ([]byte, []byte, error) {
		d, rest, err := DecodeDistinct(src)
		if err != nil {
			return nil, nil, err
		}
		d.Estimate()
		return d.AppendBinary(nil), rest, nil
	}, [][]byte{newDistinct(t, 14).AppendBinary(nil),
		distinctOf(t, 4, 0, 9).AppendBinary(nil), distinctOf(t, 6, 0, 500).AppendBinary(nil)}}
}

func keySampleCodec(fataler) codec {
	s := NewKeySample(30)
	empty := s.AppendBinary(nil)
	for i := range 100 {
		s.Add([]byte(name(i)), hashOf(name(i)), Sighting{Time: int64(i) - 50, Input: uint32(i), Offset: int64(i)}, i%3 == 0)
	}
	return codec{"key sample", tagKeySample, func(src []byte) ([]byte, []byte, error) {
		s, rest, err := DecodeKeySample(src, limit)
		if err != nil {
			return nil, nil, err
		}
		return s.AppendBinary(nil), rest, nil
	}, [][]byte{empty, s.AppendBinary(nil)}}
}

func codecs(t fataler) []codec {
	return []codec{heavyHittersCodec(t), countMinCodec(t), distinctCodec(t), keySampleCodec(t)}
}

func known(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrVersion)
}

func body(frame []byte, tag byte) []byte {
	r, _, err := openFrame(frame, tag)
	if err != nil {
		panic(err)
	}
	return bytes.Clone(r.b)
}

// TestCodecs: a valid encoding survives; every other cut, change and extension of it is refused.
func TestCodecs(t *testing.T) {
	for _, c := range codecs(t) {
		for _, src := range c.valid {
			again, rest, err := c.decode(append(bytes.Clone(src), "rest"...))
			if err != nil || !bytes.Equal(again, src) || string(rest) != "rest" {
				t.Errorf("%s: decode and encode: %v", c.name, err)
			}
			for n := range src {
				if _, _, err := c.decode(src[:n]); !known(err) {
					t.Errorf("%s cut to %d of %d bytes: %v", c.name, n, len(src), err)
				}
				bad := bytes.Clone(src)
				bad[n] ^= 0x10
				if _, _, err := c.decode(bad); !known(err) {
					t.Errorf("%s with byte %d of %d changed: %v", c.name, n, len(src), err)
				}
			}
			b := body(src, c.tag)
			if _, _, err := c.decode(sealed(c.tag, append(b[:len(b):len(b)], 0))); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s with a byte more in its body: %v", c.name, err)
			}
			for n := range b {
				cut := sealed(c.tag, b[:n])
				again, _, err := c.decode(cut)
				if err == nil && !bytes.Equal(again, cut) || err != nil && !known(err) {
					t.Errorf("%s with %d of %d bytes of its body: %v", c.name, n, len(b), err)
				}
			}
			future := bytes.Clone(src)
			future[1]++
			if _, _, err := c.decode(future); !errors.Is(err, ErrVersion) {
				t.Errorf("%s of a later version: %v", c.name, err)
			}
		}
		for _, other := range codecs(t) {
			if _, _, err := c.decode(other.valid[0]); other.tag != c.tag && !errors.Is(err, ErrVersion) {
				t.Errorf("%s decoded as %s: %v", other.name, c.name, err)
			}
		}
	}
}

// TestDecodersRefuse lists bodies that no sketch writes.
func TestDecodersRefuse(t *testing.T) {
	all := codecs(t)
	u := func(parts ...any) []byte {
		var b []byte
		for _, p := range parts {
			switch p := p.(type) {
			case int:
				b = binary.AppendUvarint(b, uint64(p))
			case uint64:
				b = binary.AppendUvarint(b, p)
			case string:
				b = append(b, p...)
			}
		}
		return b
	}
	f := func(c codec, want error, why string, body []byte) {
		t.Helper()
		if _, _, err := c.decode(sealed(c.tag, body)); !errors.Is(err, want) {
			t.Errorf("%s, %s: %v", c.name, why, err)
		}
	}
	const huge = uint64(math.MaxUint64)
	hh, cm, hll, ks := all[0], all[1], all[2], all[3]

	// N, offset, count, then length and bytes of the key, G, Offset-Cov, payload of two numbers.
	f(hh, ErrDamaged, "more keys than bytes", u(5, 0, huge))
	f(hh, ErrTooLarge, "more keys than allowed", u(5, 0, limit+1, strings.Repeat("\x00", 3*limit+3)))
	f(hh, ErrDamaged, "a key longer than the body", u(5, 0, 1, huge, "a", 5, 0, 0, 0))
	f(hh, ErrDamaged, "keys out of order", u(5, 0, 2, 1, "b", 1, 0, 0, 0, 1, "a", 1, 0, 0, 0))
	f(hh, ErrDamaged, "a key twice", u(5, 0, 2, 1, "a", 1, 0, 0, 0, 1, "a", 1, 0, 0, 0))
	f(hh, ErrDamaged, "counts above the total", u(5, 0, 1, 1, "a", 6, 0, 0, 0))
	f(hh, ErrDamaged, "lower bounds above the total", u(5, 3, 1, 1, "a", 4, 0, 0, 0))
	f(hh, ErrDamaged, "error above the offset", u(5, 1, 1, 1, "a", 1, 2, 0, 0))
	f(hh, ErrDamaged, "offset above the total", u(5, 6, 0))
	f(hh, ErrDamaged, "a varint too long", u("\x85\x00", 0, 0))
	f(hh, ErrDamaged, "a varint beyond 64 bits", u(strings.Repeat("\xff", 10), 0, 0))
	f(hh, ErrDamaged, "no payload", u(5, 0, 1, 1, "a", 5, 0))

	// Depth, log2 width, N, then cells; 0 and a length for empty ones.
	f(cm, ErrDamaged, "no rows", u(0, 2, 0))
	f(cm, ErrDamaged, "rows too wide", u(4, 33, 0))
	f(cm, ErrDamaged, "a width that overflows", u(4, 200, 0))
	f(cm, ErrTooLarge, "more cells than allowed", u(4, 20, 1, 0, 1<<22))
	f(cm, ErrDamaged, "rows of unlike weight", u(2, 1, 3, 3, 0, 2, 2))
	f(cm, ErrDamaged, "two runs in a row", u(1, 2, 3, 3, 0, 1, 0, 2))
	f(cm, ErrDamaged, "a run of none", u(1, 1, 3, 3, 0, 0))
	f(cm, ErrDamaged, "a run beyond the cells", u(1, 1, 3, 3, 0, 2))
	f(cm, ErrDamaged, "a run that overflows", u(1, 1, 3, 3, 0, huge))
	f(cm, ErrDamaged, "cells in an empty sketch", u(1, 1, 0, 0, 2))

	// Precision, then registers; 0 and a length for empty ones.
	f(hll, ErrDamaged, "precision 3", u(3))
	f(hll, ErrDamaged, "precision 19", u(19))
	f(hll, ErrDamaged, "an empty counter spelt out", u(4, 0, 16))
	f(hll, ErrDamaged, "two runs in a row", u(4, 1, 0, 7, 0, 8))
	f(hll, ErrDamaged, "a run beyond the registers", u(4, 1, 0, 16))
	f(hll, ErrDamaged, "a run that overflows", u(4, 1, 0, huge))
	f(hll, ErrDamaged, "a register beyond the hash", u(4, 62, 0, 15))

	// Capacity, j, count, then length and bytes of the key, time, input, offset, write flag.
	f(ks, ErrTooLarge, "capacity", u(limit+1, 0, 0))
	f(ks, ErrDamaged, "66 halvings", u(9, 66, 0))
	f(ks, ErrTooLarge, "more keys than its capacity", u(1, 0, 2, 1, "a", 0, 0, 0, 0, 1, "b", 0, 0, 0, 0))
	f(ks, ErrDamaged, "keys out of order", u(9, 0, 2, 1, "b", 0, 0, 0, 0, 1, "a", 0, 0, 0, 0))
	f(ks, ErrDamaged, "a key above the threshold", u(9, 60, 1, 1, "a", 0, 0, 0, 0))
	f(ks, ErrDamaged, "an input beyond 32 bits", u(9, 0, 1, 1, "a", 0, 1<<32, 0, 0))
	f(ks, ErrDamaged, "a write flag of 2", u(9, 0, 1, 1, "a", 0, 0, 0, 2))
	f(ks, ErrDamaged, "written before it was seen", u(9, 0, 1, 1, "a", 4, 0, 0, 1, 2, 0, 0))
}

// TestDecodersDoNotTrustSizes: a few bytes that claim much are refused without memory being made for it.
func TestDecodersDoNotTrustSizes(t *testing.T) {
	frame := binary.AppendUvarint([]byte{tagHeavyHitters, version}, math.MaxUint64)
	cells := sealed(tagCountMin, binary.AppendUvarint([]byte{64, 26, 1, 0}, 64<<26))
	keys := sealed(tagHeavyHitters, binary.AppendUvarint([]byte{5, 0}, 1<<40))
	sample := sealed(tagKeySample, binary.AppendUvarint(binary.AppendUvarint(nil, 1<<40), 1<<40))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, src := range [][]byte{frame, cells, keys, sample} {
		_, _, err1 := DecodeHeavyHitters(src, math.MaxInt, decodeTally)
		_, _, err2 := DecodeCountMin(src, limit)
		_, _, err3 := DecodeKeySample(src, math.MaxInt)
		if !known(err1) || !known(err2) || !known(err3) {
			t.Errorf("accepted: %v, %v, %v", err1, err2, err3)
		}
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 1<<20 {
		t.Errorf("%d bytes were made for %d", made, len(frame)+len(cells)+len(keys)+len(sample))
	}
}

// fuzz decodes any body: what is accepted must encode to the same bytes, what is refused must say why.
func fuzz(f *testing.F, make func(fataler) codec) {
	c := make(f)
	for _, src := range c.valid {
		f.Add(body(src, c.tag))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		src := sealed(c.tag, body)
		again, rest, err := c.decode(src)
		if err != nil {
			if !known(err) {
				t.Fatalf("unknown error %v", err)
			}
		} else if len(rest) > 0 || !bytes.Equal(again, src) {
			t.Fatalf("accepted % x, encoded % x", src, again)
		}
		if _, _, err := c.decode(body); err != nil && !known(err) {
			t.Fatalf("unknown error %v for a bare body", err)
		}
	})
}

func FuzzDecodeHeavyHitters(f *testing.F) { fuzz(f, heavyHittersCodec) }
func FuzzDecodeCountMin(f *testing.F)     { fuzz(f, countMinCodec) }
func FuzzDecodeDistinct(f *testing.F)     { fuzz(f, distinctCodec) }
func FuzzDecodeKeySample(f *testing.F)    { fuzz(f, keySampleCodec) }
