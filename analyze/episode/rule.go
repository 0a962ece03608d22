package episode

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// MinExpected is how many requests must lie at the upper threshold for a window to tell.
	MinExpected = 30
	// lowerPart is the lower threshold over the upper one.
	lowerPart = 0.5
	// windowsBelow in a row end an episode.
	windowsBelow = 3
	// chance is the error that a one-sided test admits, normalQuantile what a standard normal exceeds with it.
	chance, normalQuantile = 0.05, 1.645
)

// Rule is the upper threshold.
type Rule struct {
	// Rate in requests per second; 0 when the share decides.
	Rate float64
	// Share of the requests of a window, above 0.
	Share float64
	// Sampled says that counts are those of a sample of the traffic.
	Sampled bool
	// Together is how many requests of a sample were drawn together, on average by weight; up to 1: each by
	// itself.
	Together float64
}

// Levels are the thresholds of one window, in requests as counted.
type Levels struct {
	// Expected lie at the upper threshold, Lower at the lower one.
	Expected, Lower float64
	// Promote is the count from which a key is hot; below Demote it is certainly under the lower threshold.
	Promote, Demote float64

	least float64 // Expected that a window needs to tell
}

// Levels returns the thresholds of a window with so many requests in so many seconds; of a sample, 1 request
// in q, the seconds are divided by q.
//
// A share in a window is a sample of the key's share: popular keys stray above the threshold by chance, so
// the upper one is raised by a one-sided 95% interval. Of a sampled rate both bounds are those of its count.
func (r Rule) Levels(total, seconds float64) Levels {
	one := max(1, r.Together)
	l := Levels{Expected: r.Share * total, least: MinExpected * one}
	if r.Rate > 0 {
		l.Expected = r.Rate * seconds
	}
	l.Lower = lowerPart * l.Expected
	l.Promote, l.Demote = l.Expected, l.Lower
	switch {
	case !l.Decides():
	case r.Sampled:
		l.Promote, l.Demote = one*significantlyMore(l.Expected/one), one*significantlyLess(l.Lower/one)
	case r.Rate == 0:
		l.Promote += normalQuantile * math.Sqrt(l.Expected)
	}
	l.Promote = max(l.Promote, l.least)
	return l
}

// Decides reports whether the window has enough requests to tell.
func (l Levels) Decides() bool { return l.Expected >= l.least }

// significantlyMore returns the smallest count of which the one-sided 95% lower bound (Garwood) reaches the
// mean: the smallest x with P(X >= x) <= 5%, X Poisson with that mean.
func significantlyMore(mean float64) float64 {
	p := distuv.Poisson{Lambda: mean}
	more := func(x float64) bool { return 1-p.CDF(x-1) <= chance }
	x := max(1, math.Floor(mean+normalQuantile*math.Sqrt(mean)))
	for more(x - 1) {
		x--
	}
	for !more(x) {
		x++
	}
	return x
}

// significantlyLess returns the smallest count of which the one-sided 95% upper bound (Garwood) reaches the
// mean: the smallest x with P(X <= x) >= 5%, X Poisson with that mean.
func significantlyLess(mean float64) float64 {
	p := distuv.Poisson{Lambda: mean}
	less := func(x float64) bool { return x < 0 || p.CDF(x) < chance }
	x := max(0, math.Floor(mean-normalQuantile*math.Sqrt(mean)))
	for !less(x - 1) {
		x--
	}
	for less(x) {
		x++
	}
	return x
}

// Garwood returns the exact two-sided 95% interval of the mean of a Poisson count (Garwood 1936): half
// quantiles of chi-square distributions with 2x and 2x+2 degrees of freedom.
func Garwood(x float64) (lower, upper float64) {
	return garwoodLower(x, chance/2), garwoodUpper(x, chance/2)
}

func garwoodLower(x, tail float64) float64 {
	if x <= 0 {
		return 0
	}
	return distuv.ChiSquared{K: 2 * x}.Quantile(tail) / 2
}

func garwoodUpper(x, tail float64) float64 {
	return distuv.ChiSquared{K: 2*x + 2}.Quantile(1-tail) / 2
}

// GarwoodLower returns the one-sided 95% lower bound of the mean of a Poisson count.
func GarwoodLower(x float64) float64 { return garwoodLower(x, chance) }

// GarwoodUpper returns the one-sided 95% upper bound of the mean of a Poisson count.
func GarwoodUpper(x float64) float64 { return garwoodUpper(x, chance) }
