package sketch

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func newCountMin(t fataler, depth, width int) *CountMin {
	t.Helper()
	c, err := NewCountMin(depth, width)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return c
}

// Expected sizes were computed independently from the formulas of Cormode and Muthukrishnan (2005).
func TestCountMinSizeVectors(t *testing.T) {
	f := func(epsilon, delta float64, wantWidth, wantDepth int) {
		t.Helper()
		width, depth := CountMinSize(epsilon, delta)
		equal(t, "width", width, wantWidth)
		equal(t, "depth", depth, wantDepth)
	}
	f(0.001, 0.01, 2719, 5)
	f(0.0001, 0.001, 27183, 7)
	f(0.00001, 0.001, 271829, 7)
	f(0, 1, math.MaxInt32, 1)
}

func TestCountMinRefusesSizes(t *testing.T) {
	for _, size := range [][2]int{{0, 8}, {-1, 8}, {65, 8}, {4, 0}, {4, -8}, {4, 12}, {4, 1 << 31}, {1, math.MinInt}} {
		if _, err := NewCountMin(size[0], size[1]); err == nil {
			t.Errorf("%d rows of %d accepted", size[0], size[1])
		}
	}
}

// TestCountMinLaws: never under the truth, a merge is what one sketch would have been, and the empty
// sketch is the identity in bytes.
func TestCountMinLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth, width := rapid.IntRange(1, 5).Draw(t, "depth"), 1<<rapid.IntRange(0, 6).Draw(t, "width")
		whole := newCountMin(t, depth, width)
		parts := []*CountMin{newCountMin(t, depth, width), newCountMin(t, depth, width)}
		truth := make(map[uint64]uint64)
		for range rapid.IntRange(0, 60).Draw(t, "adds") {
			hash := hashOf(name(rapid.IntRange(0, 30).Draw(t, "key")))
			n := rapid.OneOf(rapid.Uint64Range(0, 9), rapid.Just(uint64(math.MaxUint64))).Draw(t, "n")
			whole.Add(hash, n)
			parts[rapid.IntRange(0, 1).Draw(t, "part")].Add(hash, n)
			truth[hash] = addSat(truth[hash], n)
		}
		for hash, f := range truth {
			if got := whole.Estimate(hash); got < f || got > whole.N() {
				t.Fatalf("estimate %d of %d, N %d", got, f, whole.N())
			}
		}
		want := string(whole.AppendBinary(nil))
		for i := range parts {
			m := parts[i].Clone()
			if err := m.Merge(parts[1-i]); err != nil {
				t.Fatalf("%v", err)
			}
			if err := m.Merge(newCountMin(t, depth, width)); err != nil {
				t.Fatalf("%v", err)
			}
			if string(m.AppendBinary(nil)) != want {
				t.Fatalf("a merge differs from the whole")
			}
		}
		empty := newCountMin(t, depth, width)
		if err := empty.Merge(whole); err != nil || string(empty.AppendBinary(nil)) != want {
			t.Fatalf("empty is not the identity: %v", err)
		}
		empty.Add(1, 1)
		if string(whole.AppendBinary(nil)) != want {
			t.Fatalf("Merge shares cells with its argument")
		}
		got, rest, err := DecodeCountMin(append([]byte(want), 'x'), depth*width)
		if err != nil || string(rest) != "x" || string(got.AppendBinary(nil)) != want {
			t.Fatalf("decoded differently: %v", err)
		}
	})
}

// TestCountMinErrorBound counts how many keys of a fixed stream are over by more than epsilon N.
func TestCountMinErrorBound(t *testing.T) {
	stream := zipf(11, 200_000, 50_000)
	c := newCountMin(t, 3, 1<<11)
	for _, key := range stream {
		c.Add(hashOf(string(key)), 1)
	}
	epsilon, delta := c.ErrorBound()
	near(t, "epsilon", epsilon, math.E/2048, 1e-12)
	near(t, "delta", delta, math.Exp(-3), 1e-12)
	truth := exactCounts(stream)
	over := 0
	for key, f := range truth {
		if float64(c.Estimate(hashOf(key))-f) > epsilon*float64(c.N()) {
			over++
		}
	}
	if share := float64(over) / float64(len(truth)); share > delta {
		t.Errorf("%.4f of the keys are over by epsilon N, delta %.4f", share, delta)
	}
}

// TestCountMinRowsAreIndependent: two keys that share a cell in one row rarely share one in another.
func TestCountMinRowsAreIndependent(t *testing.T) {
	c := newCountMin(t, 2, 1<<8)
	both, pairs := 0, 0
	for i := range 400 {
		for j := range i {
			a, b := hashOf(name(i)), hashOf(name(j))
			if c.row(0, a) == c.row(0, b) {
				pairs++
				if c.row(1, a) == c.row(1, b) {
					both++
				}
			}
		}
	}
	// 79,800 pairs: 312 share a cell, of which 1.2 would share the second too.
	near(t, "pairs of one cell", float64(pairs), 312, 90)
	near(t, "pairs of two", float64(both), 1.2, 5)
}

func TestCountMinIsSparse(t *testing.T) {
	c := newCountMin(t, 4, 1<<16)
	if n := len(c.AppendBinary(nil)); n > 20 {
		t.Errorf("an empty sketch takes %d bytes", n)
	}
	c.Add(1, 1)
	if n := len(c.AppendBinary(nil)); n > 50 {
		t.Errorf("a sketch of one key takes %d bytes", n)
	}
	if err := c.Merge(newCountMin(t, 4, 1<<15)); !errors.Is(err, ErrUnlike) {
		t.Errorf("unlike widths: %v", err)
	}
	if err := c.Merge(newCountMin(t, 3, 1<<16)); !errors.Is(err, ErrUnlike) {
		t.Errorf("unlike depths: %v", err)
	}
	if _, _, err := DecodeCountMin(c.AppendBinary(nil), 4<<16-1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too many cells: %v", err)
	}
}
