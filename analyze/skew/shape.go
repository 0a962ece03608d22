package skew

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Curvature is b of the two-parameter law r^(-s - b ln r), fitted to the ranks 1, 2, ... by maximum
// likelihood. It is 0 for Zipf's law, which it nests, above 0 where the head is flatter than the rest,
// and covers keys that are lognormal in their rank.
func Curvature(counts []float64) float64 {
	logs := logsOf(1, len(counts))
	var n, m1, m2 float64 // observed means of ln r and of its square
	for i, c := range counts {
		n += c
		m1 += c * logs[i]
		m2 += c * logs[i] * logs[i]
	}
	if len(counts) < 3 || n <= 0 {
		return 0
	}
	m1, m2 = m1/n, m2/n
	// The log likelihood per request is concave; Newton, with steps halved until it does not fall.
	likelihood := func(s, b float64) float64 {
		var sum float64
		for _, l := range logs {
			sum += math.Exp(-s*l - b*l*l)
		}
		return -s*m1 - b*m2 - math.Log(sum)
	}
	s, b := Window(counts, 1).S, 0.0
	now := likelihood(s, b)
	for range 100 {
		var w0, w1, w2, w3, w4 float64
		for _, l := range logs {
			w := math.Exp(-s*l - b*l*l)
			w0, w1, w2, w3, w4 = w0+w, w1+w*l, w2+w*l*l, w3+w*l*l*l, w4+w*l*l*l*l
		}
		e1, e2 := w1/w0, w2/w0
		v11, v12, v22 := w2/w0-e1*e1, w3/w0-e1*e2, w4/w0-e2*e2
		det := v11*v22 - v12*v12
		if !(det > 0) {
			break
		}
		g1, g2 := e1-m1, e2-m2
		ds, db := (v22*g1-v12*g2)/det, (v11*g2-v12*g1)/det
		step, next := 1.0, now
		for ; step > 1e-6; step /= 2 {
			if next = likelihood(s+step*ds, b+step*db); next >= now {
				break
			}
		}
		if !(next >= now) {
			break
		}
		s, b, now = s+step*ds, b+step*db, next
		if math.Abs(step*ds)+math.Abs(step*db) < 1e-10 {
			break
		}
	}
	return b
}

// Exponential compares Zipf's law with shares that fall exponentially with the rank, e^(-lambda r), both
// truncated to the fitted ranks: Vuong's z of the log likelihood ratio per request (Vuong 1989,
// Econometrica 57(2), 307-333). Below -1.96 the exponential fits better, above 1.96 Zipf does.
func Exponential(counts []float64, f Fit) float64 {
	if f.N <= 0 {
		return 0
	}
	var mean float64
	for i, c := range counts {
		mean += c * float64(i)
	}
	mean /= f.N
	lambda := exponentialRate(len(counts), mean)
	var sum float64
	for i := range counts {
		sum += math.Exp(-lambda * float64(i))
	}
	var ratio, square float64
	for i, c := range counts {
		zipf := -f.S*math.Log(float64(f.First+i)) - math.Log(f.sum)
		exponential := -lambda*float64(i) - math.Log(sum)
		d := zipf - exponential
		ratio += c * d
		square += c * d * d
	}
	mean = ratio / f.N
	variance := square/f.N - mean*mean
	if variance < 1e-20 { // the two are the same
		return 0
	}
	return mean * math.Sqrt(f.N/variance)
}

// exponentialRate is the lambda at which the weights e^(-lambda i), i from 0 to n-1, have a mean: 0 for
// counts that are all alike. Counts that fall have none below.
func exponentialRate(n int, mean float64) float64 {
	if mean >= float64(n-1)/2*(1-1e-12) {
		return 0
	}
	lo, hi := 0.0, 50.0
	var lambda float64
	for range 100 { // Newton, kept inside what is left of the interval
		var sum, first, second float64
		for i := range n {
			at := float64(i)
			w := math.Exp(-lambda * at)
			sum, first, second = sum+w, first+w*at, second+w*at*at
		}
		e := first / sum
		if e > mean {
			lo = lambda
		} else {
			hi = lambda
		}
		next := lambda + (e-mean)/(second/sum-e*e)
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-lambda) < 1e-12 {
			break
		}
		lambda = next
	}
	return lambda
}

// Uniform tests whether keys that are all alike could have such a largest one. Keys that were never
// requested are not seen, so the number of requests of the seen ones is a Poisson variable that is not 0:
// lambda is its parameter and universe the number of keys, seen and not. p is the probability that the
// largest of them has top requests or more.
func Uniform(requests, distinct, top float64) (lambda, universe, p float64) {
	if distinct <= 0 || requests <= 0 {
		return 0, 0, 1
	}
	mean := requests / distinct
	if mean <= 1+1e-9 {
		return 0, math.Inf(1), 1 // every key once: nothing tells them apart
	}
	// lambda/(1-e^-lambda) rises from 1; the mean lies above it by less than 1.
	lo, hi := 0.0, mean
	for range 60 {
		mid := (lo + hi) / 2
		if mid/-math.Expm1(-mid) > mean {
			hi = mid
		} else {
			lo = mid
		}
	}
	lambda = (lo + hi) / 2
	universe = distinct / -math.Expm1(-lambda)
	if top < 1 {
		return lambda, universe, 1
	}
	one := mathext.GammaIncReg(top, lambda) // P(Poisson >= top)
	if one >= 1 {
		return lambda, universe, 1
	}
	return lambda, universe, -math.Expm1(universe * math.Log1p(-one))
}

// Harmonic is the sum of r^-s for r = 1..n, n at least 1: directly for the first thousand terms, by
// Euler and Maclaurin's formula for the rest.
func Harmonic(n, s float64) float64 {
	const direct = 1000
	var sum float64
	first := min(n, direct)
	for r := first; r >= 1; r-- { // the smallest first
		sum += math.Pow(r, -s)
	}
	if n <= direct {
		return sum
	}
	a, b := math.Pow(direct, -s), math.Pow(n, -s)
	integral := math.Log(n / direct)
	if s != 1 {
		integral = (n*b - direct*a) / (1 - s)
	}
	return sum + integral + (b-a)/2 - s*(b/n-a/direct)/12
}

// HeadMass is the observed share of the fitted ranks over the share that the law would give them among
// all distinct keys: 1 where the law holds for all, about 2.5 for a lognormal with sigma = 2, of which only
// the head looks like Zipf.
func HeadMass(f Fit, requests, distinct float64) float64 {
	if requests <= 0 || f.sum <= 0 || distinct < float64(f.Last) {
		return 1
	}
	return f.N / requests / (f.sum / Harmonic(distinct, f.S))
}
