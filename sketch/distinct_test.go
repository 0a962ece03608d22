package sketch

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func newDistinct(t fataler, precision uint8) *Distinct {
	t.Helper()
	d, err := NewDistinct(precision)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return d
}

func distinctOf(t fataler, precision uint8, from, to int) *Distinct {
	d := newDistinct(t, precision)
	for i := from; i < to; i++ {
		d.Add(hashOf(name(i)))
	}
	return d
}

// Expected values were computed independently from 1.04/sqrt(m) (Flajolet et al. 2007).
func TestDistinctErrorVectors(t *testing.T) {
	for precision, want := range map[uint8]float64{10: 0.0325, 12: 0.01625, 14: 0.008125, 16: 0.0040625} {
		near(t, "standard error", DistinctError(precision), want, 1e-15)
	}
}

func TestDistinctRefusesPrecision(t *testing.T) {
	for _, p := range []uint8{0, 3, 19, 255} {
		if _, err := NewDistinct(p); err == nil {
			t.Errorf("precision %d accepted", p)
		}
	}
}

func TestDistinctEstimates(t *testing.T) {
	for _, p := range []uint8{10, 14} {
		equal(t, "empty", newDistinct(t, p).Estimate(), Exact(0))
		for _, n := range []int{1, 20, 1000, 30_000, 400_000} {
			d := distinctOf(t, p, 0, n)
			before := d.AppendBinary(nil)
			e := d.Estimate()
			se := DistinctError(p)
			// Small counts round to whole keys.
			near(t, "distinct keys", e.Value, float64(n), 3*se*float64(n)+0.5)
			near(t, "lower", e.Lower, e.Value*(1-2*se), 1e-6*e.Value)
			near(t, "upper", e.Upper, e.Value*(1+2*se), 1e-6*e.Value)
			if !bytes.Equal(before, d.AppendBinary(nil)) {
				t.Error("Estimate changed the counter")
			}
		}
	}
	if e := distinctOf(t, 4, 0, 1000).Estimate(); e.Lower < 0 || e.Lower > e.Value || e.Upper < e.Value {
		t.Errorf("estimate %v", e)
	}
}

func TestDistinctMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		precision := rapid.SampledFrom([]uint8{4, 10}).Draw(t, "precision")
		draw := func() *Distinct {
			from := rapid.IntRange(0, 300).Draw(t, "from")
			return distinctOf(t, precision, from, from+rapid.IntRange(0, 300).Draw(t, "n"))
		}
		merged := func(ds ...*Distinct) *Distinct {
			m := newDistinct(t, precision)
			for _, d := range ds {
				if err := m.Merge(d); err != nil {
					t.Fatalf("%v", err)
				}
			}
			return m
		}
		encode := func(d *Distinct) string { return string(d.AppendBinary(nil)) }
		a, b, c := draw(), draw(), draw()
		was := encode(b)
		want := encode(merged(a, b, c))
		if want != encode(merged(c, merged(b, a))) || want != encode(merged(b, c, a, a)) {
			t.Fatalf("bytes depend on the order")
		}
		if encode(merged(a, newDistinct(t, precision))) != encode(a) {
			t.Fatalf("empty is not the identity")
		}
		m := merged(b)
		m.Add(12345)
		k := b.Clone()
		k.Add(54321)
		if encode(b) != was {
			t.Fatalf("a copy shares registers")
		}
		got, rest, err := DecodeDistinct([]byte(want + "x"))
		if err != nil || string(rest) != "x" || encode(got) != want || got.Estimate() != merged(a, b, c).Estimate() {
			t.Fatalf("decoded differently: %v", err)
		}
	})
}

func TestDistinctUnlike(t *testing.T) {
	if err := newDistinct(t, 10).Merge(newDistinct(t, 14)); !errors.Is(err, ErrUnlike) {
		t.Errorf("unlike precisions: %v", err)
	}
	if n := len(newDistinct(t, 14).AppendBinary(nil)); n > 16 {
		t.Errorf("an empty counter takes %d bytes", n)
	}
}

// TestLibraryLayout pins what AppendBinary takes from the library: an 8-byte header, then registers.
func TestLibraryLayout(t *testing.T) {
	d := distinctOf(t, 10, 0, 5000)
	raw, err := d.registers.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "length", len(raw), 8+1<<10)
	if !bytes.Equal(raw[:8], libraryHeader(10)) {
		t.Errorf("header % x, want % x", raw[:8], libraryHeader(10))
	}
}

// TestHostileRegisters: registers at their largest give a finite estimate.
func TestHostileRegisters(t *testing.T) {
	body := append([]byte{14}, bytes.Repeat([]byte{51}, 1<<14)...)
	d, _, err := DecodeDistinct(sealed(tagDistinct, body))
	if err != nil {
		t.Fatal(err)
	}
	if e := d.Estimate(); math.IsInf(e.Upper, 0) || math.IsNaN(e.Upper) || e.Value > 1<<63 {
		t.Errorf("estimate %v", e)
	}
	body[1] = 52
	if _, _, err := DecodeDistinct(sealed(tagDistinct, body)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a register beyond the hash: %v", err)
	}
}
