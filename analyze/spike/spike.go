// Package spike finds where the total load jumps: windows whose rate stands clearly above that of the windows
// before. What the jump is made of is for the caller to add up, over the same windows.
//
// The level before is a median, and its noise the median deviation from it (P. Rousseeuw, C. Croux:
// Alternatives to the median absolute deviation. Journal of the American Statistical Association 88, 1993,
// 1273-1283), so that neither a burst nor a lull among the windows before moves them.
package spike

import (
	"iter"
	"math"
	"slices"
)

// Thresholds. They are judgement, named in the documentation.
const (
	// rise over the level before begins a spike; three windows in a row under half of the rise end it.
	rise         = 1.5
	windowsBelow = 3
	// deviations, of the noise and of a Poisson count, that a spike must stand above the level before.
	deviations = 5
	// enough requests in a window to look at it.
	enough = 100
	// The level before is that of up to mostBefore windows, of at least fewestBefore.
	fewestBefore, mostBefore = 10, 60
	// madScale makes the median deviation that of a normal distribution.
	madScale = 1.4826
)

// Window is a stretch of the input with requests. Of a sample, 1 request in q, Seconds are divided by q.
type Window struct{ Seconds, Total float64 }

func (w Window) rate() float64 { return w.Total / w.Seconds }

// Spike is a stretch of windows with more load than before.
type Spike struct {
	First, Last int // windows
	// Before are the windows that it is compared with, in order of time.
	Before []int
	// Baseline is their median rate, Peak the highest rate of the spike, both in requests per second, in the
	// window PeakAt.
	Baseline, Peak float64
	PeakAt         int
	// Ended says that three windows in a row at the level before came after: else it is a new level.
	Ended bool
}

// Above yields the windows of a spike with more load than before: all but lulls of one or two in between.
func (s *Spike) Above(windows []Window) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := s.First; i <= s.Last; i++ {
			if windows[i].rate() > s.Baseline && !yield(i) {
				return
			}
		}
	}
}

// Extra is the requests of a spike, as counted, beyond its baseline; above 0.
func (s *Spike) Extra(windows []Window) (n float64) {
	for i := range s.Above(windows) {
		n += windows[i].Total - s.Baseline*windows[i].Seconds
	}
	return n
}

// Find returns the spikes among windows in order of time.
func Find(windows []Window) []Spike {
	var out []Spike
	var before []int // the last windows outside of spikes
	in, low := false, 0
	var level float64
	for i, w := range windows {
		if in {
			s := &out[len(out)-1]
			if w.rate() >= level*(1+(rise-1)/2) {
				low, s.Last = 0, i
				if w.rate() > s.Peak {
					s.Peak, s.PeakAt = w.rate(), i
				}
				continue
			}
			if low++; low < windowsBelow {
				continue
			}
			s.Ended, in = true, false
			before = append(before, i-2, i-1, i)
		} else if base, noise := levelOf(windows, before); len(before) >= fewestBefore && jumps(w, base, noise) {
			in, low, level = true, 0, base
			out = append(out, Spike{First: i, Last: i, Before: slices.Clone(before), Baseline: base, Peak: w.rate(), PeakAt: i})
		} else {
			before = append(before, i)
		}
		before = before[max(0, len(before)-mostBefore):]
	}
	return out
}

// jumps reports whether a window stands above the level before by more than noise and chance.
func jumps(w Window, base, noise float64) bool {
	expected := base * w.Seconds
	return w.Total >= enough && w.rate() >= rise*base && w.rate()-base >= deviations*noise &&
		w.Total-expected >= deviations*math.Sqrt(expected)
}

// levelOf returns the median rate of windows and their noise.
func levelOf(windows []Window, at []int) (base, noise float64) {
	rates := make([]float64, len(at))
	for i, w := range at {
		rates[i] = windows[w].rate()
	}
	base = Median(rates)
	for i := range rates {
		rates[i] = math.Abs(rates[i] - base)
	}
	return base, madScale * Median(rates)
}

// Median returns the middle of some numbers, which it sorts; 0 of none.
func Median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return 0
	}
	slices.Sort(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
