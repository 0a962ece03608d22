package skew

import (
	"bufio"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"keyskew/golden"
)

// sizes reads a file of one number a line.
func sizes(t *testing.T, scale float64, elem ...string) Sizes {
	t.Helper()
	f, err := os.Open(golden.Corpus(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var counts []uint64
	for in := bufio.NewScanner(f); in.Scan(); {
		v, err := strconv.ParseFloat(strings.TrimSpace(in.Text()), 64)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, uint64(v*scale))
	}
	return SizesOf(counts)
}

// The words of Moby Dick: alpha 1.95, xmin 7 and 2,958 words in the tail in table 6.1 of the paper; the
// further digits are those of a program in Python.
func TestTailOfWords(t *testing.T) {
	s := sizes(t, 1, "stats", "powerlaw_words.txt")
	p, ok := Tail(s)
	if !ok || p.XMin != 7 || p.Keys != 2958 {
		t.Fatalf("%+v", p)
	}
	near(t, "alpha", p.Alpha, 1.952728, 1e-4)
	near(t, "D", p.KS, 0.008253, 1e-5)
	near(t, "se", p.SE, 0.01753, 1e-5)
	near(t, "log likelihood", p.LogLikelihood, -11753.8176, 1e-3)

	above := suffixes(s)
	for i, xmin := range []uint64{1, 2, 5, 10, 20} {
		at := s.from(xmin)
		p := tailFrom(s, above, at)
		near(t, "alpha", p.Alpha, []float64{1.77481, 1.853789, 1.925882, 1.955038, 1.929319}[i], 1e-4)
		near(t, "D", distance(s, p, at, math.Inf(1)), []float64{0.034632, 0.024619, 0.016882, 0.011867, 0.018959}[i], 1e-4)
		if want := []int{18855, 9694, 4054, 2065, 1019}[i]; p.Keys != want || p.XMin != xmin {
			t.Errorf("from %d: %d words, want %d", xmin, p.Keys, want)
		}
	}
}

// The head of the same words is flatter than their tail, and none stands out enough to be told.
func TestWordsByRank(t *testing.T) {
	s := sizes(t, 1, "stats", "powerlaw_words.txt")
	var counts []float64
	for i := len(s.Count) - 1; i >= 0; i-- {
		for range s.Keys[i] {
			counts = append(counts, float64(s.Count[i]))
		}
	}
	r := Analyze(input(counts))
	if r.Verdict != Zipf && r.Verdict != ZipfLike {
		t.Errorf("%+v", r)
	}
	for _, sp := range r.Spikes {
		if sp.Stands() {
			t.Errorf("a word stands out: %+v", sp)
		}
	}
}

// Table 6.1 of the paper: blackouts 2.3 (give or take 0.3) from 230,000 customers up (90,000), surnames 2.5 from
// 111,920 up. Both are data that need not be whole; for large xmin the discrete law is the same.
func TestTailOfPublishedSets(t *testing.T) {
	p, ok := Tail(sizes(t, 1, "stats", "powerlaw_blackouts.txt"))
	if !ok {
		t.Fatal("no tail of the blackouts")
	}
	near(t, "alpha of the blackouts", p.Alpha, 2.3, 0.3)
	near(t, "xmin of the blackouts", float64(p.XMin), 230_000, 90_000)
	p, ok = Tail(sizes(t, 10, "stats", "powerlaw_surnames.txt"))
	if !ok {
		t.Fatal("no tail of the surnames")
	}
	near(t, "alpha of the surnames", p.Alpha, 2.5, 0.05)
	near(t, "xmin of the surnames", float64(p.XMin)/10, 111_920, 10)
}

// draws makes synthetic counts.
func draws(p Power, n int, seed uint64) Sizes {
	rng := rand.New(rand.NewPCG(seed, 1))
	counts := make([]uint64, n)
	for i := range counts {
		counts[i] = p.draw(rng.Float64())
	}
	return SizesOf(counts)
}

func TestDraw(t *testing.T) {
	for _, p := range []Power{{Alpha: 1.5, XMin: 1}, {Alpha: 2.5, XMin: 7}, {Alpha: 4, XMin: 100}} {
		if got := p.draw(0.999999999); got != p.XMin {
			t.Errorf("%+v: the smallest draw is %d", p, got)
		}
		for _, u := range []float64{0.9, 0.5, 0.01} {
			x := p.draw(u)
			if p.Above(x) > u || x > p.XMin && p.Above(x-1) <= u {
				t.Errorf("%+v: draw(%v) = %d: %v above it, %v above the one before", p, u, x, p.Above(x), p.Above(x-1))
			}
		}
		if got := p.draw(0); got < 1e6 {
			t.Errorf("%+v: the largest draw is %d", p, got)
		}
	}
}

// What was planted is found again.
func TestTailRecovers(t *testing.T) {
	for _, alpha := range []float64{1.5, 2, 2.5, 3.5} {
		for _, xmin := range []uint64{1, 6, 37} {
			var sum, se float64
			const runs = 10
			for seed := range uint64(runs) {
				p, ok := Tail(draws(Power{Alpha: alpha, XMin: xmin}, 3000, seed))
				if !ok || p.XMin < xmin {
					t.Fatalf("alpha %v from %d: %+v", alpha, xmin, p)
				}
				sum += p.Alpha / runs
				se = max(se, p.SE)
			}
			near(t, "mean alpha", sum, alpha, 3*se/math.Sqrt(runs)+0.01)
		}
	}
}

func TestTailOfTooLittle(t *testing.T) {
	for _, s := range []Sizes{{}, SizesOf([]uint64{0, 0}), SizesOf(make([]uint64, 500)), {[]uint64{3}, []int{1000}}, {[]uint64{3, 4}, []int{20, 20}}} {
		if p, ok := Tail(s); ok {
			t.Errorf("%v: %+v", s, p)
		}
	}
}

// A power law is not refused, counts that fall exponentially are.
func TestPlausible(t *testing.T) {
	s := draws(Power{Alpha: 2.2, XMin: 5}, 1000, 3)
	p, _ := Tail(s)
	if got := Plausible(s, p, 50, 1); got < 0.1 {
		t.Errorf("a power law has p = %v", got)
	} else if again := Plausible(s, p, 50, 1); again != got {
		t.Errorf("the same seed gives %v, then %v", got, again)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	counts := make([]uint64, 3000)
	for i := range counts {
		counts[i] = 1 + uint64(rng.ExpFloat64()*100)
	}
	s = SizesOf(counts)
	p = tailFrom(s, suffixes(s), 0)
	p.KS = distance(s, p, 0, math.Inf(1))
	if got := Plausible(s, p, 20, 1); got != 0 {
		t.Errorf("exponential counts have p = %v", got)
	}
}
