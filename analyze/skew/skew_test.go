package skew

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"keyskew/sketch"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.8g, want %.8g within %.2g", what, got, want, tolerance)
	}
}

// scipy's brentq and a Newton of its own agree on these to eight digits.
func TestWindow(t *testing.T) {
	for _, c := range []struct {
		counts    []float64
		s, se, ks float64
	}{
		{[]float64{100, 50, 33, 25, 20}, 1.00204632, 0.11152168, 0.00064306},
		{[]float64{10, 10, 10, 10, 10}, 0, 0.24879864, 0},
		{[]float64{1000, 1, 1, 1, 1}, 7.30794079, 0.53528185, 0.00265607},
	} {
		f := Window(c.counts, 1)
		near(t, "s", f.S, c.s, 1e-6)
		near(t, "se", f.SE, c.se, 1e-6)
		near(t, "ks", f.KS, c.ks, 1e-6)
	}
}

func TestWindowOfAnything(t *testing.T) {
	for _, counts := range [][]float64{nil, {5}, {0, 0}, {7, 0}, {0, 7}, {1e18, 1e18, 1}, {1, 2, 3}} {
		for _, first := range []int{1, 200} {
			f := Window(counts, first)
			if math.IsNaN(f.S) || f.S < minS || f.S > maxS || f.KS < 0 || f.KS > 1+1e-9 {
				t.Errorf("%v: %+v", counts, f)
			}
		}
	}
}

// shape is a list of rounded expected counts, the largest first.
func shape(n, keys int, weight func(r float64) float64, more ...float64) []float64 {
	var sum float64
	w := make([]float64, keys)
	for i := range w {
		w[i] = weight(float64(i + 1))
		sum += w[i]
	}
	counts := slices.Clone(more)
	for _, x := range w {
		if c := math.Floor(float64(n)*x/sum + 0.5); c > 0 {
			counts = append(counts, c)
		}
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	return counts
}

func power(s float64) func(float64) float64 {
	return func(r float64) float64 { return math.Pow(r, -s) }
}

func input(counts []float64) Input {
	in := Input{Distinct: sketch.Exact(float64(len(counts)))}
	for i, c := range counts {
		in.Requests += c
		if i < MaxRanks {
			in.Top = append(in.Top, sketch.Exact(c))
		}
	}
	return in
}

// The expected values are scipy's; those of the plain fits were repeated by a second program.
func TestAnalyze(t *testing.T) {
	lognormal := func(r float64) float64 { return math.Exp(2 * distuv.UnitNormal.Quantile(1-(r-0.5)/1e5)) }
	for _, c := range []struct {
		name                                   string
		counts                                 []float64
		s, se, ks, curve, z, headMass, regress float64
		spikes                                 []float64 // ratios of the first keys
		verdict                                Verdict
		shape                                  string
		extrapolates                           bool
	}{
		{name: "0.6", counts: shape(1e6, 1e5, power(0.6)), s: 0.600023, se: 0.002234, ks: 4.1e-05, curve: 3e-05, z: 58.678,
			headMass: 1.0016, regress: 0.6048, verdict: Zipf, extrapolates: true},
		{name: "1.0", counts: shape(1e6, 1e5, power(1)), s: 0.999996, se: 0.000806, ks: 8e-06, curve: -1e-05, z: 290.164,
			headMass: 1.0015, regress: 1.0062, verdict: Zipf, extrapolates: true},
		{name: "1.5", counts: shape(1e6, 1e5, power(1.5)), s: 1.49999, se: 0.000738, ks: 5e-06, curve: -1e-05, z: 432.016,
			headMass: 0.9992, regress: 1.3888, verdict: Zipf, extrapolates: true},
		{name: "a viral key with 20%", counts: shape(8e5, 1e5, power(1), 200_000), s: 0.999997, se: 0.000902, ks: 1.4e-05,
			curve: -1e-05, z: 259.252, headMass: 0.9949, regress: 0.9467, spikes: []float64{3.023}, verdict: Zipf, extrapolates: true},
		{name: "three viral keys", counts: shape(65e4, 1e5, power(0.9), 2e5, 1e5, 5e4), s: 0.900015, se: 0.001197, ks: 1e-05,
			curve: 0, z: 171.032, headMass: 1.0051, regress: 0.9291, spikes: []float64{6.828, 3.414, 1.707}, verdict: Zipf, extrapolates: true},
		{name: "exponential", counts: shape(1e6, 1e5, func(r float64) float64 { return math.Exp(-0.02 * r) }), s: 0.700059,
			se: 0.000617, ks: 0.160826, curve: 0.2815, z: -355.783, headMass: 1.2815, regress: 2.7314, verdict: NotZipf, shape: ExponentialShape},
		{name: "Mandelbrot", counts: shape(1e6, 1e5, func(r float64) float64 { return 1 / (r + 3) }), s: 0.785722, se: 0.000917,
			ks: 0.037092, curve: 0.06898, z: 124.849, headMass: 1.9108, regress: 1.0313, verdict: ZipfLike},
		{name: "lognormal", counts: shape(1e6, 1e5, lognormal), s: 0.567739, se: 0.001449, ks: 0.004256, curve: 0.00205, z: 80.956,
			headMass: 2.5288, regress: 1.3011, verdict: ZipfLike},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Analyze(input(c.counts))
			near(t, "s", r.Fit.S, c.s, 1e-4)
			near(t, "se", r.Fit.SE, c.se, 1e-5)
			near(t, "ks", r.Fit.KS, c.ks, 1e-5)
			near(t, "curvature", r.Curvature, c.curve, max(0.01*math.Abs(c.curve), 2e-5))
			near(t, "z", r.ExponentialZ, c.z, 0.01*math.Abs(c.z))
			near(t, "head mass", r.HeadMass, c.headMass, 0.01*c.headMass)
			near(t, "regression", Regression(c.counts), c.regress, 0.01*c.regress)
			if r.Usable != 256 || len(r.Spikes) != len(c.spikes) || r.Fit.Last != 256-len(c.spikes) {
				t.Fatalf("%d usable ranks, spikes %v, fitted to rank %d", r.Usable, r.Spikes, r.Fit.Last)
			}
			for i, ratio := range c.spikes {
				if r.Spikes[i].Index != i {
					t.Errorf("spike %d is the key at %d", i, r.Spikes[i].Index)
				}
				near(t, "ratio", r.Spikes[i].Ratio, ratio, 0.001*ratio)
			}
			if r.Verdict != c.verdict || r.Shape != c.shape || r.Extrapolates != c.extrapolates {
				t.Errorf("%s (%q), extrapolates %v; want %s (%q), %v", r.Verdict, r.Shape, r.Extrapolates, c.verdict, c.shape, c.extrapolates)
			}
			if !(r.Lower <= r.Fit.S-normal95*r.Fit.SE && r.Upper >= r.Fit.S+normal95*r.Fit.SE) {
				t.Errorf("the interval %v to %v is less than 1.96 standard errors", r.Lower, r.Upper)
			}
		})
	}
	// Without removal a viral key drags the exponent.
	plain := Window(shape(8e5, 1e5, power(1), 200_000)[:256], 1)
	near(t, "s of all", plain.S, 1.237585, 1e-4)
	near(t, "ks of all", plain.KS, 0.058590, 1e-5)
}

func TestVerdicts(t *testing.T) {
	two := make([]float64, 1000) // 50 hot keys alike, the rest cold
	for i := range two {
		two[i] = 100
		if i < 300 {
			two[i] = 3000
		}
	}
	equal := make([]float64, 1011)
	for i := range equal {
		equal[i] = 500
	}
	few := shape(1e5, 19, power(1))
	small := shape(2000, 1e4, power(0.8))
	for _, c := range []struct {
		name   string
		counts []float64
		want   Verdict
	}{
		{"two tiers", two, FlatHead}, {"a loop", equal, NoSkew}, {"19 keys", few, Insufficient},
		{"2,000 requests", small, Insufficient}, {"nothing", nil, Insufficient},
	} {
		if r := Analyze(input(c.counts)); r.Verdict != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, r.Verdict, c.want, r)
		}
	}
	// A count that is not known well ends the usable ranks.
	in := input(shape(1e6, 1e5, power(1)))
	in.Top[40].Lower = 0.94 * in.Top[40].Value
	if r := Analyze(in); r.Usable != 40 {
		t.Errorf("%d usable ranks, want 40", r.Usable)
	}
}

func TestUniform(t *testing.T) {
	for _, c := range []struct{ n, d, top, lambda, universe, p float64 }{
		{1e6, 1e4, 140, 100, 10000, 0.600087},
		{1e6, 1e4, 160, 100, 10000, 0.000205049},
		{1e4, 9516, 5, 0.100055, 99944.85, 0.00765494},
		{1e4, 9516, 9, 0.100055, 99944.85, 2.52967e-10},
	} {
		lambda, universe, p := Uniform(c.n, c.d, c.top)
		near(t, "lambda", lambda, c.lambda, 1e-3*c.lambda)
		near(t, "universe", universe, c.universe, 1e-3*c.universe)
		near(t, "p", p, c.p, 1e-3*c.p)
	}
	for _, c := range [][3]float64{{0, 0, 0}, {5, 5, 1}, {1, 2, 1}, {10, 2, 0}, {1e18, 1, 1e18}} {
		if _, _, p := Uniform(c[0], c[1], c[2]); !(p >= 0 && p <= 1) {
			t.Errorf("%v: p = %v", c, p)
		}
	}
}

// Harmonic against the direct sum, on both sides of where the formula takes over.
func TestHarmonic(t *testing.T) {
	for _, s := range []float64{0, 0.5, 1, 1.0000001, 2, -1} {
		var sum float64
		for r := 1.0; r <= 20000; r++ {
			sum += math.Pow(r, -s)
			if r == 1 || r == 999 || r == 1000 || r == 1001 || r == 20000 {
				near(t, "sum", Harmonic(r, s), sum, 1e-9*sum)
			}
		}
	}
	near(t, "H(1e6)", Harmonic(1e6, 1), 14.3927267229, 1e-9)
}

func TestZeta(t *testing.T) {
	for _, a := range []float64{1.01, 1.5, 2, 3.7, 8, 19.9} {
		for _, x := range []float64{1, 2, 7, 13, 14, 20, 31, 32, 100, 5e4} {
			want := mathext.Zeta(a, x)
			near(t, "zeta", zeta(a, x)/want, 1, 1e-11)
		}
	}
}

// The figures that a textbook Zipf of a million keys gives.
func TestHeads(t *testing.T) {
	const keys, requests = 1_000_000, 1 << 52
	counts := make([]uint64, keys)
	h := Harmonic(keys, 1)
	for i := range counts {
		counts[i] = uint64(requests / h / float64(i+1))
	}
	got := Heads(counts, slices.Clone(counts), requests, sketch.Exact(keys))
	near(t, "top key", got.TopKey.Value, 0.06947954, 1e-8)
	near(t, "top 100", got.Top100.Value, 0.36041659, 1e-8)
	near(t, "top 1%", got.Top1Pct.Value, 0.68003834, 1e-8)

	got = Heads([]uint64{1, 5}, []uint64{6, 6}, 20, sketch.Estimate{Value: 300, Lower: 290, Upper: 310})
	if got.Top1Pct != nil {
		t.Errorf("4 of 310 keys, with 2 counted: %+v", got.Top1Pct)
	}
	if want := (sketch.Estimate{Value: 0.6, Lower: 0.3, Upper: 0.6}); got.Top100 != want {
		t.Errorf("top 100 is %+v, want %+v", got.Top100, want)
	}
	if got := Heads(nil, nil, 0, sketch.Exact(0)); got.TopKey.Upper != 0 || got.Top1Pct != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestGrowths(t *testing.T) {
	for _, c := range []struct {
		shards  int
		ceiling float64
	}{{8, 807343}, {32, 1521942}, {128, 1954417}} {
		near(t, "ceiling", Growths(0.06947953777298631, c.shards, 150_000)[0].Ceiling, c.ceiling, 1)
	}
	g := Growths(0.07, 8, 0)
	for i, want := range []Growth{{1, 8, 0.125, 0.56, 1, 0}, {2, 16, 0.0625, 1.12, 0, 0}, {4, 32, 0.03125, 2.24, 0, 0}, {16, 128, 0.0078125, 8.96, 0, 0}} {
		if g[i].Times != want.Times || g[i].Shards != want.Shards || g[i].Fair != want.Fair {
			t.Errorf("%+v, want %+v", g[i], want)
		}
		near(t, "ratio", g[i].Ratio, want.Ratio, 1e-9)
	}
	near(t, "gain of 16 times", g[3].Gain, (0.07+0.93/8)/(0.07+0.93/128), 1e-12)
}
