package skew

import (
	"math"
	"slices"

	"keyskew/sketch"
)

// Head is the share of all requests that the largest keys take together.
type Head struct {
	TopKey, Top100 sketch.Estimate
	// Top1Pct is the share of the largest 1% of the keys, rounded up; nil where they are more than were
	// counted.
	Top1Pct *sketch.Estimate
}

// Heads sums up the largest keys. lower and upper are bounds on the requests of every key that was counted,
// in any order; a key that was not counted has at most what the smallest upper bound says. It sorts both.
func Heads(lower, upper []uint64, requests uint64, distinct sketch.Estimate) Head {
	slices.Sort(lower)
	slices.Sort(upper)
	share := func(n int) sketch.Estimate {
		return shareOf(largest(lower, n), largest(upper, n), requests)
	}
	h := Head{TopKey: share(1), Top100: share(100)}
	fewest, most := onePercent(distinct.Lower), onePercent(distinct.Upper)
	if most <= len(upper) && len(upper) > 0 {
		e := shareOf(largest(lower, fewest), largest(upper, most), requests)
		h.Top1Pct = &e
	}
	return h
}

func onePercent(keys float64) int { return int(math.Ceil(min(max(keys, 0), 1<<40) / 100)) }

// largest sums the n largest of an ascending list.
func largest(sorted []uint64, n int) float64 {
	var sum float64
	for _, c := range sorted[max(0, len(sorted)-n):] {
		sum += float64(c)
	}
	return sum
}

func shareOf(lower, upper float64, of uint64) sketch.Estimate {
	if of == 0 {
		return sketch.Exact(0)
	}
	lower, upper = min(lower/float64(of), 1), min(upper/float64(of), 1)
	return sketch.Estimate{Value: upper, Lower: lower, Upper: upper}
}
