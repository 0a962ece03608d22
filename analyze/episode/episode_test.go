package episode

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

const sec = int64(1e9)

// timeline has a window a second of the given totals; a negative one is a second without requests.
func timeline(r Rule, totals ...float64) *Timeline {
	var list []Window
	for i, total := range totals {
		if total >= 0 {
			list = append(list, Window{Start: int64(i) * sec, End: int64(i+1) * sec, Seconds: 1, Total: total})
		}
	}
	return NewTimeline(r, list)
}

// exact are counts without error, of rates in hundreds.
func exact(rates ...float64) (counts []Count, totals []float64) {
	for _, r := range rates {
		counts, totals = append(counts, Count{100 * r, 100 * r}), append(totals, 1e6)
	}
	return counts, totals
}

// Thresholds 10 and 5, and three windows below: first and last window of each episode, and the one in which
// a live detector lets go, from a second program.
func TestHysteresis(t *testing.T) {
	for _, tt := range []struct {
		rates             []float64
		first, last, ramp int64
		dips, episodes    int
		ended             bool
	}{
		{[]float64{2, 9, 11, 12, 8, 6, 4, 4, 12, 3, 3, 3, 2}, 2, 8, 1, 1, 1, true},
		{[]float64{11, 4, 11, 4, 11, 4, 11}, 0, 6, 0, 3, 1, false},
		{[]float64{9, 9, 9, 9}, 0, 0, 0, 0, 0, false},
		{[]float64{1, 10, 5, 4, 4, 5, 4, 4, 4}, 1, 5, 1, 1, 1, true},
		{[]float64{1, 10, 5, 4, 4, 5, 4, 4}, 1, 5, 1, 1, 1, false},
		{[]float64{20, 20, 20}, 0, 2, 0, 0, 1, false},
		{[]float64{}, 0, 0, 0, 0, 0, false},
	} {
		counts, totals := exact(tt.rates...)
		got, undecided := timeline(Rule{Rate: 1000}, totals...).Episodes(counts)
		if len(got) != tt.episodes || undecided != 0 {
			t.Errorf("%v: %+v, %d undecided", tt.rates, got, undecided)
			continue
		}
		if tt.episodes == 0 {
			continue
		}
		e := got[0]
		if e.Start != tt.first*sec || e.End != (tt.last+1)*sec || e.RampStart != tt.ramp*sec || e.Dips != tt.dips || e.Ended != tt.ended {
			t.Errorf("%v: %+v", tt.rates, e)
		}
	}
}

func TestTwoEpisodes(t *testing.T) {
	counts, totals := exact(6, 6, 12, 30, 12, 1, 1, 1, 4, 7, 10, 2, 6)
	got, _ := timeline(Rule{Rate: 1000}, totals...).Episodes(counts)
	want := []Episode{
		{Start: 2 * sec, End: 5 * sec, RampStart: 0, PeakAt: 3 * sec, Within: sec, PeakRate: 3000, FromStart: true, Ended: true},
		{Start: 10 * sec, End: 13 * sec, RampStart: 9 * sec, PeakAt: 10 * sec, Within: sec, PeakRate: 1000, Dips: 1, ToEnd: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Where nothing at all was requested the key was neither hot nor below: the episode goes on.
func TestGap(t *testing.T) {
	// Hot, two windows below, five seconds of nothing, hot again.
	totals := []float64{1e6, 1e6, 1e6, -1, -1, -1, -1, -1, 1e6}
	counts, _ := exact(20, 1, 1, 20)
	got, _ := timeline(Rule{Rate: 1000}, totals...).Episodes(counts)
	want := []Episode{{End: 9 * sec, Within: sec, PeakRate: 2000, Dips: 1, Gap: 5 * sec, FromStart: true, ToEnd: true}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// The ramp does not reach over it.
	counts, _ = exact(6, 6, 6, 20)
	if got, _ = timeline(Rule{Rate: 1000}, totals...).Episodes(counts); len(got) != 1 || got[0].RampStart != 8*sec || got[0].FromStart {
		t.Errorf("%+v", got)
	}
}

// A window that may hold the key below what it lists neither begins nor ends an episode.
func TestUndecided(t *testing.T) {
	up, down, maybe := Count{2000, 2000}, Count{0, 100}, Count{0, 800}
	for _, tt := range []struct {
		counts    []Count
		episodes  int
		end       int64
		ended     bool
		undecided int
	}{
		{[]Count{maybe, {0, 5000}, maybe}, 0, 0, false, 3},
		{[]Count{up, maybe, maybe, maybe, maybe}, 1, 1, false, 4},
		{[]Count{up, down, down, maybe, down, down}, 1, 1, false, 1},
		{[]Count{up, down, down, maybe, up}, 1, 5, false, 1},
		{[]Count{up, maybe, down, down, down, up}, 2, 1, true, 1},
		{[]Count{up, {0, 499}, {0, 499}, {0, 499}}, 1, 1, true, 0},
		{[]Count{up, {0, 500}, {0, 500}, {0, 500}}, 1, 1, false, 3},
	} {
		totals := make([]float64, len(tt.counts))
		got, undecided := timeline(Rule{Rate: 1000}, totals...).Episodes(tt.counts)
		if len(got) != tt.episodes || undecided != tt.undecided {
			t.Errorf("%v: %+v, %d undecided", tt.counts, got, undecided)
		} else if len(got) > 0 && (got[0].End != tt.end*sec || got[0].Ended != tt.ended) {
			t.Errorf("%v: %+v", tt.counts, got[0])
		}
	}
}

// Windows with too few requests are taken together until they tell, and leave busy ones alone.
func TestWidened(t *testing.T) {
	r := Rule{Share: 0.01}
	tl := timeline(r, 1000, 1000, 1000, 500, 500, 10_000, 2000, -1, 2000, 2000)
	var steps [][2]int
	for _, s := range tl.steps {
		steps = append(steps, [2]int{s.first, s.last})
	}
	if want := [][2]int{{0, 2}, {3, 4}, {5, 5}, {6, 7}, {8, 8}}; !reflect.DeepEqual(steps, want) {
		t.Fatalf("steps %v, want %v", steps, want)
	}
	// Three seconds of 1,000 requests tell together: 30 lie at the threshold, 39.01 make it hot. What does
	// not tell (3 to 4, 8) begins nothing, whatever the key has there.
	ten := Count{10, 10}
	counts := []Count{{20, 20}, ten, ten, {400, 400}, {400, 400}, {20, 20}, {5, 5}, {5, 5}, {400, 400}}
	got, undecided := tl.Episodes(counts)
	want := []Episode{{Start: 0, End: 3 * sec, PeakAt: 0, Within: 3 * sec, PeakRate: 20, FromStart: true}}
	if !reflect.DeepEqual(got, want) || undecided != 0 {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// What comes after windows that cannot tell may have begun in them, and end in such.
	counts = make([]Count, 9)
	counts[5] = Count{400, 400}
	want = []Episode{{Start: 5 * sec, RampStart: 5 * sec, PeakAt: 5 * sec, End: 6 * sec, Within: sec, PeakRate: 400, FromStart: true, ToEnd: true}}
	if got, _ := timeline(r, 1000, 500, 500, 100, 100, 10_000, 200, 100, 100).Episodes(counts); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	counts = []Count{{19, 19}, ten, ten, {400, 400}, {400, 400}, {20, 20}, {5, 5}, {5, 5}, {400, 400}}
	if got, _ := tl.Episodes(counts); len(got) != 0 {
		t.Errorf("39 of 3,000 requests: %+v", got)
	}
}

// Laws, on random rates: episodes are in order and apart, begin with a window at the upper threshold, end at
// the lower one, and nothing hot lies outside. Wider bounds find no more.
func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		n := 1 + rng.IntN(40)
		totals, counts, wide := make([]float64, n), make([]Count, n), []Count{}
		rate := 1000.0
		for i := range counts {
			rate *= []float64{0.4, 0.7, 1, 1.3, 2.2}[rng.IntN(5)]
			rate = min(max(rate, 50), 20_000)
			counts[i] = Count{rate, rate}
			wide = append(wide, Count{rate * rng.Float64(), rate * (1 + rng.Float64())})
		}
		tl := timeline(Rule{Rate: 1000}, totals...)
		list, undecided := tl.Episodes(counts)
		if undecided != 0 {
			t.Fatalf("exact counts, %d undecided", undecided)
		}
		inside := make([]bool, n)
		end := int64(-1)
		for _, e := range list {
			if e.RampStart <= end-1 || e.RampStart > e.Start || e.Start > e.PeakAt || e.PeakAt >= e.End {
				t.Fatalf("%v: %+v", counts, list)
			}
			end = e.End
			first, last := counts[e.Start/sec].Lower, counts[e.End/sec-1].Lower
			if first < 1000 || last < 500 || e.PeakRate != counts[e.PeakAt/sec].Lower {
				t.Fatalf("%v: %+v", counts, e)
			}
			for i := e.Start / sec; i < e.End/sec; i++ {
				inside[i] = true
				if counts[i].Lower > e.PeakRate {
					t.Fatalf("%v: %+v is no peak", counts, e)
				}
			}
		}
		for i, c := range counts {
			if c.Lower >= 1000 && !inside[i] {
				t.Fatalf("%v: window %d is hot outside of %+v", counts, i, list)
			}
		}
		found, _ := tl.Episodes(wide)
		for _, e := range found {
			if !inside[e.Start/sec] {
				t.Fatalf("%v within %v: %+v, of %+v", counts, wide, e, list)
			}
		}
	}
}

func BenchmarkEpisodes(b *testing.B) {
	const n = 4096
	totals, counts := make([]float64, n), make([]Count, n)
	for i := range totals {
		totals[i], counts[i] = 1e6, Count{float64(i % 700), float64(i % 700)}
	}
	tl := timeline(Rule{Rate: 500}, totals...)
	b.ResetTimer()
	for range b.N {
		tl.Episodes(counts)
	}
}
