package sketch

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type seen struct {
	key   string
	at    Sighting
	write bool
}

func drawSightings(t *rapid.T) []seen {
	all := make([]seen, rapid.IntRange(0, 120).Draw(t, "sightings"))
	for i := range all {
		all[i] = seen{
			key: name(rapid.IntRange(0, 60).Draw(t, "key")),
			at: Sighting{
				Time:   rapid.Int64Range(-2, 3).Draw(t, "time"),
				Input:  rapid.Uint32Range(0, 2).Draw(t, "input"),
				Offset: rapid.Int64Range(0, 50).Draw(t, "offset"),
			},
			write: rapid.Bool().Draw(t, "write"),
		}
	}
	return all
}

func (s *KeySample) see(x seen) { s.Add([]byte(x.key), hashOf(x.key), x.at, x.write) }

// model is the sample by its definition: from the whole set at once.
func model(capacity int, all []seen) (samples []Sample, threshold float64) {
	byKey := make(map[string]Sample)
	for _, x := range all {
		s, ok := byKey[x.key]
		if !ok {
			s = Sample{Key: []byte(x.key), Hash: hashOf(x.key), First: x.at}
		}
		if x.at.Compare(s.First) < 0 {
			s.First = x.at
		}
		if x.write && (!s.Written || x.at.Compare(s.FirstWrite) < 0) {
			s.Written, s.FirstWrite = true, x.at
		}
		byKey[x.key] = s
	}
	for j := 0; ; j++ {
		samples = samples[:0]
		for _, s := range byKey {
			if float64(murmurmix(s.Hash)) < math.Ldexp(1, 64-j) {
				samples = append(samples, s)
			}
		}
		if len(samples) <= capacity {
			slices.SortFunc(samples, func(a, b Sample) int {
				return cmp.Or(a.First.Compare(b.First), cmp.Compare(string(a.Key), string(b.Key)))
			})
			return samples, math.Ldexp(1, -j)
		}
	}
}

func same(a, b Sample) bool {
	return string(a.Key) == string(b.Key) && a.Hash == b.Hash && a.First == b.First && a.Written == b.Written && a.FirstWrite == b.FirstWrite
}

// TestKeySampleIsAFunctionOfTheSet splits sightings over parts, in another order, merges these in a
// random tree and compares with the definition and with one sample that saw all in order.
func TestKeySampleIsAFunctionOfTheSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(0, 40).Draw(t, "capacity")
		all := drawSightings(t)
		whole := NewKeySample(capacity)
		for _, x := range all {
			whole.see(x)
		}
		want, threshold := model(capacity, all)
		if got := whole.All(); !slices.EqualFunc(got, want, same) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if whole.Threshold() != threshold || whole.Len() != len(want) {
			t.Fatalf("threshold %v, want %v; %d keys", whole.Threshold(), threshold, whole.Len())
		}
		bytes := string(whole.AppendBinary(nil))

		parts := make([]*KeySample, rapid.IntRange(1, 5).Draw(t, "parts"))
		for i := range parts {
			parts[i] = NewKeySample(capacity)
		}
		for _, x := range rapid.Permutation(all).Draw(t, "order") {
			parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")].see(x)
		}
		for len(parts) > 1 {
			i := rapid.IntRange(1, len(parts)-1).Draw(t, "merge")
			was := string(parts[i].AppendBinary(nil))
			if err := parts[i-1].Merge(parts[i]); err != nil {
				t.Fatalf("%v", err)
			}
			if string(parts[i].AppendBinary(nil)) != was {
				t.Fatalf("Merge changed its argument")
			}
			parts = slices.Delete(parts, i, i+1)
		}
		if string(parts[0].AppendBinary(nil)) != bytes {
			t.Fatalf("bytes depend on the split or the order")
		}
		if err := parts[0].Merge(NewKeySample(capacity)); err != nil || string(parts[0].AppendBinary(nil)) != bytes {
			t.Fatalf("empty is not the identity: %v", err)
		}
		clone := parts[0].Clone()
		for _, x := range all {
			x.at.Time -= 10
			parts[0].see(x)
		}
		if string(clone.AppendBinary(nil)) != bytes {
			t.Fatalf("a clone changed with its original")
		}
		got, rest, err := DecodeKeySample([]byte(bytes+"x"), capacity)
		if err != nil || string(rest) != "x" || string(got.AppendBinary(nil)) != bytes {
			t.Fatalf("decoded differently: %v", err)
		}
	})
}

// TestKeySampleIsUniform: the share of the keys that is sampled is the threshold.
func TestKeySampleIsUniform(t *testing.T) {
	const n = 100_000
	s := NewKeySample(4096)
	for i := range n {
		if key := name(i); s.Wants(hashOf(key)) {
			s.Add([]byte(key), hashOf(key), Sighting{Time: int64(i)}, false)
		}
	}
	p := s.Threshold()
	equal(t, "threshold", p, 1.0/32)
	near(t, "keys", float64(s.Len()), n*p, 4*math.Sqrt(n*p))
	late := 0
	for _, x := range s.All() {
		if x.First.Time >= n/2 {
			late++
		}
	}
	near(t, "keys of the second half", float64(late), n*p/2, 4*math.Sqrt(n*p/4))
}

// TestKeySampleOfOneHash: more keys of one hash than fit leave no threshold but 0.
func TestKeySampleOfOneHash(t *testing.T) {
	s := NewKeySample(3)
	for i := range 4 {
		s.Add([]byte(name(i)), 0, Sighting{}, true) // 0 mixes to 0, the last hash to go
	}
	equal(t, "keys", s.Len(), 0)
	equal(t, "threshold", s.Threshold(), 0)
	equal(t, "wants", s.Wants(0), false)
	if err := s.Merge(NewKeySample(4)); !errors.Is(err, ErrUnlike) {
		t.Errorf("unlike capacities: %v", err)
	}
}

// Some gives what a sample of that capacity would hold.
func TestSomeIsASmallerSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, most := rapid.IntRange(0, 300).Draw(t, "keys"), rapid.IntRange(1, 300).Draw(t, "most")
		large, small := NewKeySample(200), NewKeySample(min(most, 200))
		for i := range n {
			for _, s := range []*KeySample{large, small} {
				s.Add([]byte(name(i)), hashOf(name(i)), Sighting{Time: int64(i % 7)}, i%3 == 0)
			}
		}
		got, share := large.Some(most)
		if share != small.Threshold() || !reflect.DeepEqual(got, slices.Clip(small.All())) && len(got)+small.Len() > 0 {
			t.Fatalf("%d keys, %v of all; want %d, %v", len(got), share, small.Len(), small.Threshold())
		}
	})
}
