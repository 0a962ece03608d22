package sketch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func ssOf(k int, stream string) *SpaceSaving {
	s := NewSpaceSaving(k)
	for _, c := range stream {
		s.Add([]byte(string(c)), 1)
	}
	return s
}

// Expected values were computed independently by a plain dictionary implementation in Python whose ties evict the
// smallest (count, key).
func TestSpaceSavingVectors(t *testing.T) {
	f := func(s *SpaceSaving, want ...Counter) {
		t.Helper()
		if got := s.Counters(); !slices.Equal(got, want) {
			t.Errorf("counters %v, want %v", got, want)
		}
	}
	f(ssOf(3, "abacdabe"), Counter{"a", 3, 0}, Counter{"e", 3, 2}, Counter{"d", 2, 1})
	f(ssOf(2, "xyxzxyz"), Counter{"z", 4, 3}, Counter{"y", 3, 2})
	merged := ssOf(2, "aaabbc")
	merged.Merge(ssOf(2, "bbbcd"))
	f(merged, Counter{"b", 6, 3}, Counter{"a", 5, 2})
	equal(t, "N", merged.N(), 11)
	// By hand: c takes over b, d takes over c, and of the four keys of both, two are cut.
	equal(t, "evictions", merged.Evictions(), 4)
	f(NewSpaceSaving(5))
}

// reference is Space-Saving in its plainest form.
func reference(k int, keys []string, ws []uint64) []Counter {
	var cs []Counter
	for i, key := range keys {
		at := slices.IndexFunc(cs, func(c Counter) bool { return c.Key == key })
		switch {
		case at >= 0:
			cs[at].Count += ws[i]
		case len(cs) < k:
			cs = append(cs, Counter{Key: key, Count: ws[i]})
		default:
			slices.SortFunc(cs, byCount)
			// The last has the smallest count, but among ties the largest key: look for the smallest.
			low := slices.IndexFunc(cs, func(c Counter) bool { return c.Count == cs[k-1].Count })
			cs[low] = Counter{Key: key, Count: cs[low].Count + ws[i], Err: cs[low].Count}
		}
	}
	slices.SortFunc(cs, byCount)
	return cs
}

func TestSpaceSavingEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 10).Draw(t, "k")
		// Few hash values force collisions.
		mask := rapid.SampledFrom([]uint64{math.MaxUint64, 3, 0}).Draw(t, "mask")
		s := NewSpaceSaving(k)
		var keys []string
		var ws []uint64
		for range rapid.IntRange(0, 200).Draw(t, "n") {
			keys = append(keys, name(rapid.IntRange(0, 30).Draw(t, "key")))
			ws = append(ws, rapid.Uint64Range(1, 4).Draw(t, "w"))
			key := keys[len(keys)-1]
			s.add([]byte(key), hashOf(key)&mask, ws[len(ws)-1])
		}
		if got, want := s.Counters(), reference(k, keys, ws); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for _, c := range s.Counters() {
			if s.find([]byte(c.Key), hashOf(c.Key)&mask) == nil {
				t.Fatalf("%q has a counter and is not found", c.Key)
			}
		}
	})
}

// TestSpaceSavingBounds merges parts, also of unlike sizes, and goes on adding after it.
func TestSpaceSavingBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := make(map[string]uint64)
		fill := func(s *SpaceSaving) {
			for range rapid.IntRange(0, 80).Draw(t, "n") {
				key, w := name(rapid.IntRange(0, 20).Draw(t, "key")), rapid.Uint64Range(0, 4).Draw(t, "w")
				s.Add([]byte(key), w)
				truth[key] += w
			}
		}
		ks := rapid.SliceOfN(rapid.IntRange(1, 12), 1, 4).Draw(t, "k")
		all := NewSpaceSaving(ks[0])
		fill(all)
		for _, k := range ks[1:] {
			s := NewSpaceSaving(k)
			fill(s)
			was := fmt.Sprint(s.Counters(), s.N())
			all.Merge(s)
			if got := fmt.Sprint(s.Counters(), s.N()); got != was {
				t.Fatalf("Merge changed its argument: %s, was %s", got, was)
			}
			fill(all)
		}
		var n uint64
		for key, f := range truth {
			n += f
			c, ok := all.Get([]byte(key))
			if !ok && f > all.Min() {
				t.Fatalf("%s of %d missing, smallest count %d", key, f, all.Min())
			}
			if ok && (c.Count < f || c.Count-c.Err > f) {
				t.Fatalf("%s: %d outside [%d, %d]", key, f, c.Count-c.Err, c.Count)
			}
		}
		if all.N() != n || all.Min() > n/uint64(slices.Min(ks)) {
			t.Fatalf("N %d want %d; smallest count %d at k %v", all.N(), n, all.Min(), ks)
		}
	})
}

func TestSpaceSavingSaturates(t *testing.T) {
	s := NewSpaceSaving(0)
	s.Add([]byte("a"), math.MaxUint64)
	s.Add([]byte("a"), 2)
	s.Add([]byte(""), 2)
	if got := s.Counters(); !slices.Equal(got, []Counter{{Count: math.MaxUint64, Err: math.MaxUint64}}) {
		t.Errorf("counters %v", got)
	}
	equal(t, "N", s.N(), uint64(math.MaxUint64))
	equal(t, "evictions", s.Evictions(), 1)
}
