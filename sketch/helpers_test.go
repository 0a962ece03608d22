package sketch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strconv"
	"testing"

	"github.com/zeebo/xxh3"
)

// tally is the payload of the tests: its count is what was added, so it must equal the lower bound.
type tally struct {
	count uint64
	first int64
}

func mergeTally(dst, src *tally, _ uint64) {
	// A payload without a count has no time: the zero one of a new key, or one of weight 0.
	switch {
	case src.count == 0:
		return
	case dst.count == 0:
		*dst = *src
		return
	}
	dst.count = addSat(dst.count, src.count)
	dst.first = min(dst.first, src.first)
}

func appendTally(b []byte, v *tally) []byte {
	b = binary.AppendUvarint(b, v.count)
	return binary.AppendVarint(b, v.first)
}

func decodeTally(src []byte, v *tally) ([]byte, error) {
	r := &reader{b: src}
	v.count, v.first = r.uvarint(), r.varint()
	return r.b, r.err
}

func addTally(h *HeavyHitters[tally], key []byte, hash, n uint64, at int64) {
	v := h.Add(key, hash, n)
	if v.count == 0 || at < v.first {
		v.first = at
	}
	v.count = addSat(v.count, n)
}

func encodeHH(h *HeavyHitters[tally]) string { return string(h.AppendBinary(nil, appendTally)) }

func hashOf(key string) uint64 { return xxh3.HashString(key) }

// zipf draws n keys "key:rank" with p proportional to rank^-1 over d ranks, from a fixed seed.
func zipf(seed uint64, n, d int) [][]byte {
	cdf := make([]float64, d)
	sum := 0.0
	for i := range cdf {
		sum += 1 / float64(i+1)
		cdf[i] = sum
	}
	keys := make([][]byte, d)
	for i := range keys {
		keys[i] = []byte("key:" + strconv.Itoa(i+1))
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([][]byte, n)
	for i := range out {
		out[i] = keys[sort.SearchFloat64s(cdf, rng.Float64()*sum)]
	}
	return out
}

func exactCounts(stream [][]byte) map[string]uint64 {
	m := make(map[string]uint64)
	for _, k := range stream {
		m[string(k)]++
	}
	return m
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance || math.IsNaN(got) {
		t.Errorf("%s = %v, want %v +- %v", what, got, want, tolerance)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// checkBounds holds every key's bounds against the true weights.
func checkBounds(t fataler, h *HeavyHitters[tally], truth map[string]uint64, hash func(string) uint64) {
	t.Helper()
	found := 0
	var n uint64
	for key, f := range truth {
		n += f
		e, ok := h.Find([]byte(key), hash(key))
		if !ok {
			if f > h.Absent() {
				t.Fatalf("%q of weight %d is not in the table, offset %d", key, f, h.Absent())
			}
			continue
		}
		found++
		lower, upper := h.Bounds(e)
		if f < lower || f > upper {
			t.Fatalf("%q: weight %d outside [%d, %d]", key, f, lower, upper)
		}
		if e.Cov == h.Offset() && lower != f {
			t.Fatalf("%q: said to be exact, %d, is %d", key, lower, f)
		}
		if e.Value.count != lower {
			t.Fatalf("%q: payload covers %d, lower bound %d", key, e.Value.count, lower)
		}
		if string(e.Key) != key || e.Hash != hash(key) {
			t.Fatalf("%q found as %q", key, e.Key)
		}
	}
	if found != h.Len() {
		t.Fatalf("%d keys in the table, %d of them known", h.Len(), found)
	}
	if n != h.N() {
		t.Fatalf("N = %d, want %d", h.N(), n)
	}
}

func name(i int) string { return fmt.Sprintf("k%d", i) }
