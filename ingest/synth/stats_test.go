package synth

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// ranked returns the counts of the background keys by rank, which the names do not tell.
func ranked(c Config, keys map[string]*Key) []float64 {
	g := newGenerator(nil, c, monitorFormat())
	out := make([]float64, c.Keys)
	for rank := range out {
		if k := keys[string(g.appendKey(nil, g.id(rank)))]; k != nil {
			out[rank] = float64(k.Count)
		}
	}
	return out
}

func TestZipfShares(t *testing.T) {
	for _, s := range []float64{0, 0.5, 0.9, 1, 1.37, 3} {
		c := Config{Seed: 3, Requests: 200_000, Keys: 1000, Zipf: s, Rate: 1e5, Start: Default().Start, Clients: 1}
		capture, _ := generate(t, c)
		_, keys := recount(t, c, parse(t, capture))
		counts := ranked(c, keys)
		sum := 0.0
		for k := 1; k <= c.Keys; k++ {
			sum += math.Pow(float64(k), -s)
		}
		n := float64(c.Requests)
		chi, classes := 0.0, 0.0
		for _, r := range []int{0, 1, 2, 9, 99, 999} {
			p := math.Pow(float64(r+1), -s) / sum
			if sigma := math.Sqrt(n * p * (1 - p)); math.Abs(counts[r]-n*p) > 4*sigma+1 {
				t.Errorf("s=%v rank %d: %v touches, expected %.1f +- %.1f", s, r+1, counts[r], n*p, sigma)
			}
		}
		for r, got := range counts {
			if want := n * math.Pow(float64(r+1), -s) / sum; want >= 5 {
				chi += (got - want) * (got - want) / want
				classes++
			}
		}
		if limit := classes + 4*math.Sqrt(2*classes); chi > limit {
			t.Errorf("s=%v: chi square %.0f over %.0f ranks, at most %.0f expected", s, chi, classes, limit)
		}
	}
}

func TestAliasTableIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "n")
		s := rapid.Float64Range(0, 10).Draw(t, "s")
		mass := make([]float64, n)
		for i, c := range newZipf(n, s).columns {
			cut := float64(c.cut) / (1 << 32)
			if c.other == uint32(i) {
				cut = 1
			}
			mass[i] += cut
			mass[c.other] += 1 - cut
		}
		sum := 0.0
		for k := 1; k <= n; k++ {
			sum += math.Pow(float64(k), -s)
		}
		for i, got := range mass {
			want := float64(n) * math.Pow(float64(i+1), -s) / sum
			if math.Abs(got-want) > 1e-5 {
				t.Fatalf("n=%d s=%v rank %d: mass %v, want %v", n, s, i+1, got, want)
			}
		}
	})
}

func TestPowerAndExponential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1, 1e9).Draw(t, "x")
		s := rapid.Float64Range(0, 10).Draw(t, "s")
		if got, want := power(x, s), math.Pow(x, s); math.Abs(got/want-1) > 1e-7 {
			t.Fatalf("power(%v, %v) = %v, want %v", x, s, got, want)
		}
		random := rapid.Uint64().Draw(t, "random")
		want := -math.Log((float64(random>>11) + 1) / (1 << 53))
		if got := exponential(random); math.Abs(got-want) > 1e-11 || got < 0 {
			t.Fatalf("exponential(%d) = %v, want %v", random, got, want)
		}
	})
}

// The gaps of a Poisson process have a mean and a standard deviation of 1/rate.
func TestArrivals(t *testing.T) {
	c := Default()
	c.Requests, c.Rate = 100_000, 500
	capture, _ := generate(t, c)
	before := c.Start.UnixMicro()
	var sum, squares float64
	for _, l := range parse(t, capture) {
		gap := float64(l.micros-before) / 1e6 * c.Rate
		before = l.micros
		sum += gap
		squares += gap * gap
	}
	n := float64(c.Requests)
	mean := sum / n
	if math.Abs(mean-1) > 4/math.Sqrt(n) {
		t.Errorf("mean gap %v of the expected one", mean)
	}
	if sd := math.Sqrt(squares/n - mean*mean); math.Abs(sd-1) > 4*math.Sqrt(2/n) {
		t.Errorf("standard deviation of the gaps is %v of the expected one", sd)
	}
}

func TestSharesAndOnset(t *testing.T) {
	c := everything()
	capture, truth := generate(t, c)
	start := c.Start.UnixMicro()
	from, to := start+c.Viral.Onset.Microseconds(), start+(c.Viral.Onset+c.Viral.Length).Microseconds()
	inside, viral, commands := 0.0, 0.0, float64(c.Requests)
	clients := map[string]int{}
	for _, l := range parse(t, capture) {
		clients[l.client]++
		in := l.micros >= from && l.micros < to
		if in && l.args[0] != "BLPOP" {
			inside++
		}
		if l.args[1] == c.Viral.Key {
			viral++
			if !in {
				t.Fatalf("the viral key at %d, outside of %d..%d", l.micros, from, to)
			}
		}
	}
	near := func(what string, got, n, p float64) {
		t.Helper()
		if sigma := math.Sqrt(n * p * (1 - p)); math.Abs(got-n*p) > 4*sigma {
			t.Errorf("%s: %v of %v, expected %v +- %v", what, got, n, n*p, sigma)
		}
	}
	near("viral key", viral, inside, c.Viral.Share)
	near("writes of the viral key", float64(truth.Viral.Writes), viral, c.Viral.Writes)
	near("counter", float64(truth.Counter.Count), commands, c.Counter.Share)
	near("hash tag", float64(truth.HashTag), commands, c.HashTag.Share)
	near("time-ordered", float64(truth.TimeOrdered), commands, c.TimeOrdered)
	if len(clients) != c.Clients+c.Pollers {
		t.Errorf("%d clients and pollers, want %d", len(clients), c.Clients+c.Pollers)
	}
	if seconds := truth.Last.Sub(c.Start).Seconds(); truth.Polls != 1+int64(math.Floor(seconds*float64(c.Pollers))) {
		t.Errorf("%d polls by %d pollers in %v s", truth.Polls, c.Pollers, seconds)
	}
	if share := float64(slices.Max(truth.Tenants)) / float64(truth.Requests); share < 0.1 {
		t.Errorf("the largest of %d tenants has a share of %v only", c.Tenants, share)
	}
}
