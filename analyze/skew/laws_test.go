package skew

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"keyskew/sketch"
)

// A thousand requests each on a thousand keys: no skew, whatever the fit and the regression say.
func TestUniformTraffic(t *testing.T) {
	s := sizes(t, 1, "..", "vectors", "uniform_counts.txt")
	var counts []float64
	for i := len(s.Count) - 1; i >= 0; i-- {
		for range s.Keys[i] {
			counts = append(counts, float64(s.Count[i]))
		}
	}
	in := input(counts)
	r := Analyze(in)
	if r.Verdict != NoSkew || in.Requests != 1e6 || in.Distinct.Value != 1e4 {
		t.Errorf("%s of %v requests on %v keys", r.Verdict, in.Requests, in.Distinct.Value)
	}
	near(t, "s", r.Fit.S, 0.031503, 1e-4)
	near(t, "p", r.UniformP, 0.4728, 1e-4)
	near(t, "regression", Regression(counts), 0.0899, 1e-4)
}

// Requests that come in bursts make the jackknife's error larger; spread evenly it is about the likelihood's.
func TestJackknife(t *testing.T) {
	counts := shape(1e6, 1e5, power(1))[:MaxRanks]
	f := Window(counts, 1)
	blocks := func(share func(rank, block int) float64) [][]float64 {
		out := make([][]float64, 32)
		for b := range out {
			out[b] = make([]float64, len(counts))
			for r := range counts {
				out[b][r] = counts[r] * share(r, b)
			}
		}
		return out
	}
	even := blocks(func(int, int) float64 { return 1. / 32 })
	if se := Jackknife(counts, even); se > f.SE {
		t.Errorf("the same mix in every block: %v, more than %v", se, f.SE)
	}
	bursts := blocks(func(rank, block int) float64 { // the largest key comes in one block
		switch {
		case rank > 0:
			return 1. / 32
		case block == 5:
			return 1
		}
		return 0
	})
	if se := Jackknife(counts, bursts); se < 10*f.SE {
		t.Errorf("a key in one block only: %v, want far more than %v", se, f.SE)
	}
	if se := Jackknife(counts, bursts[:19]); se != 0 {
		t.Errorf("19 blocks: %v", se)
	}
	lower, upper := Interval(f, counts, bursts, 0)
	if upper-lower < 20*f.SE {
		t.Errorf("the interval %v to %v knows nothing of the burst", lower, upper)
	}
}

// Of keys that are all alike nothing fits better than anything.
func TestAlike(t *testing.T) {
	counts := make([]float64, 1011)
	for i := range counts {
		counts[i] = 500
	}
	r := Analyze(input(counts))
	near(t, "s", r.Fit.S, 0, 1e-12)
	near(t, "z", r.ExponentialZ, 0, 1e-9)
}

// Whatever was counted: the figures are finite, and the answer does not depend on the unit of the counts
// where there are enough of them.
func TestAnalyzeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "keys")
		in := Input{}
		for range n {
			v := rapid.OneOf(rapid.Float64Range(0, 1e4), rapid.SampledFrom([]float64{0, 1, 30, 31, 1e9, 1e19})).Draw(t, "count")
			v = math.Floor(v)
			in.Top = append(in.Top, sketch.Estimate{Value: v, Lower: v - math.Floor(v/rapid.Float64Range(10, 1000).Draw(t, "error")), Upper: v})
			in.Requests += v
		}
		slices.SortFunc(in.Top, func(a, b sketch.Estimate) int { return int(math.Copysign(1, b.Value-a.Value)) })
		in.Distinct = sketch.Exact(float64(n + rapid.IntRange(0, 1000).Draw(t, "more")))
		for range rapid.IntRange(0, 25).Draw(t, "blocks") {
			block := make([]float64, n)
			for i := range block {
				block[i] = math.Floor(in.Top[i].Value * rapid.Float64Range(0, 0.1).Draw(t, "part"))
			}
			in.Blocks = append(in.Blocks, block)
		}
		r := Analyze(in)
		for _, v := range []float64{r.Fit.S, r.Fit.SE, r.Fit.KS, r.Lower, r.Upper, r.UniformP, r.Curvature, r.ExponentialZ, r.HeadMass} {
			if math.IsNaN(v) {
				t.Fatalf("%+v", r)
			}
		}
		if r.Verdict != Insufficient && !(r.Lower <= r.Fit.S && r.Fit.S <= r.Upper) {
			t.Fatalf("%v lies outside of %v to %v", r.Fit.S, r.Lower, r.Upper)
		}
		if (r.Usable < minRanks) != (r.Verdict == Insufficient) {
			t.Fatalf("%d usable ranks: %s", r.Usable, r.Verdict)
		}
	})
}

func FuzzTail(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 0, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		counts := make([]uint64, len(b))
		for i, c := range b {
			counts[i] = uint64(c)
			if i > 0 && c == 255 {
				counts[i] = math.MaxUint64 - uint64(b[i-1])
			}
		}
		p, ok := Tail(SizesOf(counts))
		if ok && (p.Keys < minTail || p.XMin == 0 || !(p.Alpha > 1 && p.KS >= 0 && p.KS <= 1)) {
			t.Fatalf("%+v", p)
		}
	})
}

// The cost of a full table's diagnosis.
func BenchmarkAnalyze(b *testing.B) {
	in := input(shape(8e5, 1e5, power(1), 200_000))
	for range 32 {
		block := make([]float64, len(in.Top))
		for i, e := range in.Top {
			block[i] = e.Value / 32
		}
		in.Blocks = append(in.Blocks, block)
	}
	for b.Loop() {
		Analyze(in)
	}
}

func BenchmarkTail(b *testing.B) {
	counts := make([]uint64, 590_000)
	for i := range counts {
		counts[i] = uint64(3e7 / float64(i+1))
	}
	for b.Loop() {
		if _, ok := Tail(SizesOf(slices.Clone(counts))); !ok {
			b.Fatal("no tail")
		}
	}
}
