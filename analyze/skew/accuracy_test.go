package skew

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"keyskew/sketch"
)

// load is traffic whose keys follow Zipf's law with exponent s, but for spikes with these shares.
type load struct {
	spikes, means []float64 // of those that may come among the largest
	requests      float64
	distinct      float64 // expected
}

func planted(s, requests float64, keys int, spikes ...float64) load {
	l := load{requests: requests, distinct: float64(len(spikes))}
	left := requests
	for _, share := range spikes {
		l.spikes = append(l.spikes, share*requests)
		left -= share * requests
	}
	h := Harmonic(float64(keys), s)
	const drawn = 1500
	for r := 1; r <= keys; r++ {
		mean := left * math.Pow(float64(r), -s) / h
		if r <= drawn {
			l.means = append(l.means, mean)
		}
		l.distinct += -math.Expm1(-mean)
	}
	return l
}

// draw draws the largest counts; the rest is what is expected of it.
func (l load) draw(seed uint64) Input {
	rng := rand.New(rand.NewPCG(seed, 7))
	var counts []float64
	for _, mean := range slices.Concat(l.spikes, l.means) {
		counts = append(counts, distuv.Poisson{Lambda: mean, Src: rng}.Rand())
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	in := Input{Requests: l.requests, Distinct: sketch.Exact(math.Round(l.distinct))}
	for _, c := range counts[:MaxRanks] {
		in.Top = append(in.Top, sketch.Exact(c))
	}
	return in
}

// outcome sums up many runs.
type outcome struct{ bias, rmse, se, covered, width float64 }

func (l load) runs(t *testing.T, n int, truth float64) (o outcome, results []Result) {
	t.Helper()
	for seed := range uint64(n) {
		r := Analyze(l.draw(seed))
		if r.Verdict == Insufficient {
			t.Fatalf("seed %d: %d usable ranks", seed, r.Usable)
		}
		d := r.Fit.S - truth
		o.bias += d / float64(n)
		o.rmse += d * d / float64(n)
		o.se += r.Fit.SE / float64(n)
		o.width += (r.Upper - r.Lower) / float64(n)
		if r.Lower <= truth && truth <= r.Upper {
			o.covered += 1 / float64(n)
		}
		results = append(results, r)
	}
	o.rmse = math.Sqrt(o.rmse)
	return o, results
}

// On pure Zipf traffic: bias below 1%, the error no more than 1.2 times the reported one, the interval
// covers in 90% of the runs, and nothing is taken for a spike.
func TestAccuracy(t *testing.T) {
	for _, s := range []float64{0.6, 0.8, 1, 1.2, 1.5} {
		o, results := planted(s, 1e6, 1e5).runs(t, 200, s)
		t.Logf("s = %v: %+v", s, o)
		if math.Abs(o.bias) > 0.01*s || o.rmse > 1.2*o.se {
			t.Errorf("s = %v: bias %.5f, root mean square error %.5f, reported %.5f", s, o.bias, o.rmse, o.se)
		}
		if o.covered < 0.9 {
			t.Errorf("s = %v: the interval covers in %.1f%% of the runs", s, 100*o.covered)
		}
		for seed, r := range results {
			if len(r.Spikes) > 0 {
				t.Errorf("s = %v, seed %d: spikes %v", s, seed, r.Spikes)
			}
			if r.Verdict != Zipf {
				t.Errorf("s = %v, seed %d: %s", s, seed, r.Verdict)
			}
		}
	}
}

// With few requests the interval still covers.
func TestAccuracyOfLittle(t *testing.T) {
	for _, c := range []struct {
		s, requests float64
	}{{0.8, 100_000}, {1, 10_000}, {1, 100_000}, {1.5, 10_000}} {
		o, _ := planted(c.s, c.requests, 1e5).runs(t, 400, c.s)
		t.Logf("s = %v, %v requests: %+v", c.s, c.requests, o)
		if math.Abs(o.bias) > 0.01*c.s || o.covered < 0.9 {
			t.Errorf("s = %v, %v requests: bias %.5f, covered in %.1f%%", c.s, c.requests, o.bias, 100*o.covered)
		}
	}
}

// A viral key, or three, is left out, and the exponent is that of the rest.
func TestAccuracyWithSpikes(t *testing.T) {
	for _, c := range []struct {
		requests float64
		spikes   []float64
		within   float64
	}{
		{1e6, []float64{0.3}, 0.025}, {1e5, []float64{0.2}, 0.025}, {1e5, []float64{0.5}, 0.025}, {1e6, []float64{0.2, 0.1, 0.05}, 0.025},
		{2e4, []float64{0.2}, 0.06},
	} {
		o, results := planted(1, c.requests, 1e5, c.spikes...).runs(t, 100, 1)
		t.Logf("%v: %+v", c, o)
		if o.covered < 0.9 {
			t.Errorf("%v: the interval covers in %.1f%%", c, 100*o.covered)
		}
		for seed, r := range results {
			if math.Abs(r.Fit.S-1) > c.within {
				t.Errorf("%v, seed %d: s = %v", c, seed, r.Fit.S)
			}
			if len(r.Spikes) != len(c.spikes) {
				t.Errorf("%v, seed %d: spikes %v", c, seed, r.Spikes)
			}
		}
	}
}

// What the package comment and the documentation say of a regression over all ranks.
func TestRegressionIsBiased(t *testing.T) {
	for _, c := range []struct{ s, said float64 }{{1, 0.75}, {0, 0.4}} {
		const n, keys = 100_000, 100_000
		rng := rand.New(rand.NewPCG(1, 1))
		h := Harmonic(keys, c.s)
		var counts []float64
		for r := 1; r <= keys; r++ {
			counts = append(counts, distuv.Poisson{Lambda: n * math.Pow(float64(r), -c.s) / h, Src: rng}.Rand())
		}
		slices.Sort(counts)
		slices.Reverse(counts)
		near(t, "regression", Regression(counts), c.said, 0.05)
	}
}
