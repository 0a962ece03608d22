package skew

import (
	"cmp"
	"math"
	"slices"
)

// normal95 is the two-sided 95% point of the normal distribution.
const normal95 = 1.96

// minWindow is the fewest ranks that a refit is made on: fewer say nothing of the whole.
const minWindow = 10

// minBlocks is the fewest blocks of time that a jackknife is made on.
const minBlocks = 20

// Interval is a 95% interval of the exponent. Its noise is 1.96 standard errors, or of a jackknife over
// blocks of time where that is more (requests come in bursts, so they are not independent). Its other part
// is how far fits on parts of the ranks lie from the whole: real traffic is not Zipf exactly, and the
// exponent then depends on where one looks. The two are added as independent errors are. Keys that were left
// out of the fit were chosen by looking at it, so each widens the noise as it cost the fit.
//
// counts are those that were fitted, without the keys left out; blocks hold the counts of the same keys per
// block of time.
func Interval(f Fit, counts []float64, blocks [][]float64, leftOut int) (lower, upper float64) {
	below, above := 0.0, 0.0
	for _, a := range []int{1, 2, 4} {
		for _, part := range []int{1, 2, 4} {
			b := len(counts) / part
			if b-a+1 < minWindow || a == 1 && part == 1 {
				continue
			}
			d := Window(counts[a-1:b], a).S - f.S
			below, above = min(below, d), max(above, d)
		}
	}
	noise := normal95 * max(f.SE, Jackknife(counts, blocks)) * math.Pow(spikeCost, float64(leftOut))
	return f.S - math.Hypot(noise, below), f.S + math.Hypot(noise, above)
}

// Jackknife is the standard error of the exponent when requests come in bursts: each block of time is left
// out once, and the keys ranked anew (Quenouille 1956, Biometrika 43, 353-360; Tukey 1958). 0 with fewer
// than 20 blocks.
func Jackknife(counts []float64, blocks [][]float64) float64 {
	if len(blocks) < minBlocks {
		return 0
	}
	s := make([]float64, len(blocks))
	var mean float64
	for i, block := range blocks {
		left := make([]float64, len(counts))
		for r := range counts {
			left[r] = max(0, counts[r]-block[r])
		}
		slices.SortFunc(left, func(a, b float64) int { return cmp.Compare(b, a) })
		s[i] = Window(left, 1).S
		mean += s[i] / float64(len(blocks))
	}
	var sum float64
	for _, v := range s {
		sum += (v - mean) * (v - mean)
	}
	n := float64(len(blocks))
	return math.Sqrt((n - 1) / n * sum)
}
