package skew

import (
	"math"
	"slices"
)

// A viral key must not drag the exponent. Of the spikeRanks largest keys every set of at most maxSpikes is
// left out on trial, if the fit of all is bad; each key left out must have spikeRatio times what the fit
// without it gives its place, and each costs a factor of spikeCost on the KS distance. Found on 440 runs of
// pure Zipf (s 0.8 to 1.5, 10,000 to a million requests) without a false removal.
const (
	spikeRanks = 8
	maxSpikes  = 3
	spikeRatio = 1.2
	spikeCost  = 1.25
	minKS      = 0.01
	// ks95 is the 95% point of KS sqrt(n) where the parameter is known.
	ks95 = 1.36
)

// Spike is a key that stands out of the fit.
type Spike struct {
	Index int // into the counts that were given
	// Ratio is its count over what the fit gives its place.
	Ratio float64
}

// Without fits counts, the largest first, without the keys that stand out of Zipf's law. rest are the
// counts that were fitted.
func Without(counts []float64) (f Fit, spikes []Spike, rest []float64) {
	f, rest = Window(counts, 1), counts
	if f.N <= 0 || f.KS <= max(minKS, ks95/math.Sqrt(f.N)) {
		return f, nil, rest
	}
	best := f.KS
	n := min(spikeRanks, len(counts)-2)
	for size, cost := 1, spikeCost; size <= maxSpikes; size, cost = size+1, cost*spikeCost {
		subsets(n, size, func(set []int) {
			left := remove(counts, set)
			fit := Window(left, 1)
			if fit.N <= 0 || fit.KS*cost >= best {
				return
			}
			found := make([]Spike, len(set))
			for i, at := range set {
				// Its place among those that are left: behind the larger ones.
				found[i] = Spike{at, counts[at] / fit.Count(at-i+1)}
				if found[i].Ratio < spikeRatio {
					return
				}
			}
			best, f, spikes, rest = fit.KS*cost, fit, found, left
		})
	}
	return f, spikes, rest
}

func remove(counts []float64, set []int) []float64 {
	left := make([]float64, 0, len(counts))
	for i, c := range counts {
		if !slices.Contains(set, i) {
			left = append(left, c)
		}
	}
	return left
}

// subsets calls f with every subset of the given size of 0..n-1, in lexical order. f must not keep it.
func subsets(n, size int, f func([]int)) {
	set := make([]int, size)
	var choose func(at, from int)
	choose = func(at, from int) {
		if at == size {
			f(set)
			return
		}
		for i := from; i < n; i++ {
			set[at] = i
			choose(at+1, i+1)
		}
	}
	choose(0, 0)
}
