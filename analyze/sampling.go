package analyze

import (
	"gonum.org/v1/gonum/stat/distuv"

	"keyskew/sketch"
)

// Garwood returns the exact two-sided 95% interval of the mean of a Poisson count (Garwood 1936): half
// quantiles of chi-square distributions with 2x and 2x+2 degrees of freedom.
func Garwood(x float64) (lower, upper float64) {
	const tail = 0.025
	if x > 0 {
		lower = distuv.ChiSquared{K: 2 * x}.Quantile(tail) / 2
	}
	return lower, distuv.ChiSquared{K: 2*x + 2}.Quantile(1-tail) / 2
}

// GarwoodLower returns the one-sided 95% lower bound of the mean of a Poisson count.
func GarwoodLower(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return distuv.ChiSquared{K: 2 * x}.Quantile(0.05) / 2
}

// scaled is a count of the input as a count of the traffic that it was sampled from, 1 request in q, with
// the interval of the sampling.
func scaled(e sketch.Estimate, q float64) sketch.Estimate {
	if q <= 1 {
		return e
	}
	lower, _ := Garwood(e.Lower)
	_, upper := Garwood(e.Upper)
	return sketch.Estimate{Value: e.Value * q, Lower: lower * q, Upper: upper * q}
}
