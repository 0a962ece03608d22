package spike

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func seconds(rates ...float64) []Window {
	var out []Window
	for _, r := range rates {
		out = append(out, Window{Seconds: 1, Total: r})
	}
	return out
}

func repeat(n int, rates ...float64) []float64 { return slices.Repeat(rates, n) }

func TestFind(t *testing.T) {
	calm := repeat(6, 1000, 1010) // 12 windows, noise of 7.4
	type span struct {
		first, last, peak int
		base              float64
		ended             bool
	}
	for _, tt := range []struct {
		name  string
		rates []float64
		want  []span
	}{
		{"calm", calm, nil},
		{"a burst", slices.Concat(calm, []float64{1510, 3000, 1400}, calm), []span{{12, 14, 13, 1005, true}}},
		{"under half of the rise it is over", slices.Concat(calm, []float64{3000, 1250, 1260, 1250}, calm), []span{{12, 14, 12, 1005, true}}},
		{"a new level", slices.Concat(calm, repeat(30, 2000)), []span{{12, 41, 12, 1005, false}}},
		{"two windows do not end it", slices.Concat(calm, []float64{3000, 1000, 1000, 3100}, calm), []span{{12, 15, 15, 1005, true}}},
		{"two bursts", slices.Concat(calm, []float64{3000}, calm, []float64{4000}, calm), []span{{12, 12, 12, 1005, true}, {25, 25, 25, 1005, true}}},
		{"less than half more", slices.Concat(calm, []float64{1500, 1507}, calm), nil},
		{"noise", slices.Concat(repeat(6, 1000, 1400), []float64{2100}), nil},
		{"chance", slices.Concat(repeat(12, 70), []float64{110}), nil},
		{"few requests", slices.Concat(repeat(12, 2), []float64{99}), nil},
		{"from nothing", slices.Concat(repeat(12, 0), []float64{100}), []span{{12, 12, 12, 0, false}}},
		{"too soon", slices.Concat(repeat(9, 1000), []float64{9000, 1000}), nil},
		{"a lull", slices.Concat(calm, []float64{10, 10}, calm), nil},
		{"none", nil, nil},
	} {
		var got []span
		for _, s := range Find(seconds(tt.rates...)) {
			got = append(got, span{s.First, s.Last, s.PeakAt, s.Baseline, s.Ended})
			if s.Peak != tt.rates[s.PeakAt] {
				t.Errorf("%s: a peak of %v in window %d", tt.name, s.Peak, s.PeakAt)
			}
			for _, w := range s.Before {
				if w >= s.First || tt.rates[w] > 1100 {
					t.Errorf("%s: compared with %v", tt.name, s.Before)
				}
			}
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Lulls inside a spike take nothing from its extra load.
func TestExtra(t *testing.T) {
	list := seconds(slices.Concat(repeat(12, 1000), []float64{3000, 10, 10, 1600}, repeat(3, 1000))...)
	found := Find(list)
	if len(found) != 1 || found[0].Extra(list) != 2600 || !slices.Equal(slices.Collect(found[0].Above(list)), []int{12, 15}) {
		t.Errorf("%+v", found)
	}
}

// Of a sample the rates are those of the traffic, and chance that of the sample.
func TestFindSampled(t *testing.T) {
	var list []Window
	for range 12 {
		list = append(list, Window{Seconds: 0.01, Total: 100})
	}
	found := Find(append(slices.Clone(list), Window{Seconds: 0.01, Total: 200}))
	if len(found) != 1 || found[0].Baseline != 10_000 || found[0].Peak != 20_000 {
		t.Errorf("%+v", found)
	}
	if found := Find(append(list, Window{Seconds: 0.01, Total: 149})); found != nil {
		t.Errorf("%+v", found)
	}
}

// On a level load no spike is found by chance.
func TestNoFalseSpikes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, level := range []float64{20, 70, 100, 300, 5000} {
		rates := make([]float64, 50_000)
		for i := range rates {
			// A Poisson count, by the times between its events.
			for at := rng.ExpFloat64(); at < level && level < 1000; at += rng.ExpFloat64() {
				rates[i]++
			}
			if level >= 1000 {
				rates[i] = level + 70*rng.NormFloat64()
			}
		}
		if found := Find(seconds(rates...)); len(found) > 0 {
			t.Errorf("level %v: %d spikes of 50,000 windows, the first %+v", level, len(found), found[0])
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		x    []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}} {
		if got := Median(tt.x); got != tt.want {
			t.Errorf("median of %v: %v", tt.x, got)
		}
	}
}
