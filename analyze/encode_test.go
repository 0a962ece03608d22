package analyze

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"keyskew/sketch"
)

// encode fails the test if a summary cannot be saved.
func encode(t testing.TB, s *Summary) []byte {
	t.Helper()
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// reload saves and loads a summary.
func reload(t testing.TB, s *Summary) *Summary {
	t.Helper()
	out, rest, err := DecodeSummary(encode(t, s))
	if err != nil || len(rest) > 0 {
		t.Fatalf("%v, %d bytes left", err, len(rest))
	}
	return out
}

// A saved summary holds the same and answers the same.
func TestSavedSummaryIsTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		// Also more commands than a key tells apart.
		rows := drawRowsOf(rt, 300, rapid.SampledFrom([]int{1, kindSlots, len(testNames)}).Draw(rt, "commands"))
		c := config()
		c.Layout = layoutOf(t, rapid.IntRange(0, 5).Draw(rt, "shards"))
		c.Template = rapid.Bool().Draw(rt, "template")
		s := collect(t, c, rows, rapid.Bool().Draw(rt, "timed"))
		want := dump(s)
		again := reload(t, s)
		if got := dump(again); got != want {
			rt.Fatalf("loaded:\n%s\nwant:\n%s", got, want)
		}
		for e := range s.keys.All() {
			have, _ := again.keys.Find(e.Key, e.Hash)
			if got, want := again.writes(&have.Value), s.writes(&e.Value); got != want {
				rt.Fatalf("%q writes: %v, want %v", e.Key, got, want)
			}
		}
		if !bytes.Equal(encode(t, again), encode(t, s)) {
			rt.Fatal("the bytes of the loaded summary differ")
		}
	})
}

// However an input is cut, and in whatever order and grouping its parts are merged, saved in between or not,
// the bytes are those of one reading.
func TestBytesOfMerges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawRows(rt, 300)
		c := config()
		c.Layout = layoutOf(t, rapid.IntRange(0, 5).Draw(rt, "shards"))
		c.Template = rapid.Bool().Draw(rt, "template")
		parts := make([][]row, rapid.IntRange(1, 5).Draw(rt, "parts"))
		for i, r := range rows {
			// Whole seconds stay together: the peak second of a key is a lower bound where they do not.
			p := int(r.at/1e9) % len(parts)
			parts[p] = append(parts[p], rows[i])
		}
		var sums []*Summary
		for _, part := range parts {
			s := collect(t, c, part, true)
			if rapid.Bool().Draw(rt, "saved") {
				s = reload(t, s)
			}
			sums = append(sums, s)
		}
		for len(sums) > 1 {
			i := rapid.IntRange(0, len(sums)-1).Draw(rt, "into")
			j := rapid.IntRange(0, len(sums)-2).Draw(rt, "from")
			if j >= i {
				j++
			}
			if err := sums[i].Merge(sums[j]); err != nil {
				rt.Fatal(err)
			}
			if rapid.Bool().Draw(rt, "saved") {
				sums[i] = reload(t, sums[i])
			}
			sums = slices.Delete(sums, j, j+1)
		}
		whole := collect(t, c, rows, true)
		if !bytes.Equal(encode(t, sums[0]), encode(t, whole)) {
			rt.Fatal("the bytes of the merge differ from those of one reading")
		}
	})
}

// Merge commutes in bytes, also where lists had to be cut.
func TestBytesOfMergeCommute(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := collect(t, config(), drawRows(rt, 200), true)
		b := collect(t, config(), drawRows(rt, 200), true)
		ab, ba := reload(t, a), reload(t, b)
		if err := errors.Join(ab.Merge(b), ba.Merge(a)); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(encode(t, ab), encode(t, ba)) {
			rt.Fatalf("a+b:\n%s\nb+a:\n%s", dump(ab), dump(ba))
		}
	})
}

func TestUnfinishedSummaryIsNotSaved(t *testing.T) {
	s, err := NewSummary(config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendBinary(nil); !errors.Is(err, errUnsettled) {
		t.Fatalf("got %v", err)
	}
}

// Any byte changed, and any cut, is refused.
func TestDamagedSummaryIsRefused(t *testing.T) {
	whole := encode(t, collect(t, config(), []row{
		{key: "a", at: start, op: 1, command: 1}, {key: "b", at: start + 5e9, op: 2, command: 2, size: 3},
	}, true))
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0x10
		if _, _, err := DecodeSummary(damaged); !errors.Is(err, sketch.ErrDamaged) && !errors.Is(err, sketch.ErrVersion) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, _, err := DecodeSummary(whole[:i]); !errors.Is(err, sketch.ErrDamaged) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

// Bytes that decode are those that are written again, whatever the checksum was made to say.
func FuzzDecodeSummary(f *testing.F) {
	c := config()
	c.Layout = layoutOf(f, 3)
	c.Template = true
	rows := []row{
		{key: "a", at: start, op: 1, command: 1}, {key: "a", at: start, op: 2, command: 1},
		{key: "b:1", at: start + 5e9, op: 2, command: 2, size: 3}, {key: "b:1", at: start + 5e9, op: 3, command: 4},
	}
	for _, s := range []*Summary{collect(f, c, rows, true), collect(f, config(), rows[:1], false), collect(f, config(), nil, true)} {
		b := encode(f, s)
		r, _, err := sketch.OpenFrame(b, tagSummary)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(r.Left())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b := sketch.AppendFrame(nil, tagSummary, func(b []byte) []byte { return append(b, body...) })
		s, rest, err := DecodeSummary(b)
		if err != nil {
			return
		}
		if len(rest) > 0 || !bytes.Equal(encode(t, s), b) {
			t.Fatal("written again, the bytes differ")
		}
		Diagnose(s, Options{Top: 20})
	})
}
