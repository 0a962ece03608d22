package whatif

import "math"

// SaturatedAt is the utilisation from which a partition is called saturated: 0.98 and 1.005 lie
// inside the model's error.
const SaturatedAt = 0.95

var ln100 = math.Log(100)

// P99 is the 99th percentile of the response time at utilisation rho, when it is l0 at low load:
// l0/(1-rho). Exact for M/M/1, whose sojourn time is exponential, so that all its quantiles scale so.
// There is none (false) from rho = 1 on.
func P99(l0, rho float64) (float64, bool) {
	if !(rho < 1) {
		return 0, false
	}
	return l0 / (1 - rho), true
}

// MixtureP99 is the 99th percentile over all requests of partitions at the given utilisations, of which
// partition i serves weight[i]: the t at which sum w_i exp(-t ln100 (1-rho_i)/l0) is 1%. There is none
// (false) when 1% of the weight or more is on partitions at rho >= 1: those requests time out.
func MixtureP99(l0 float64, util, weight []float64) (float64, bool) {
	total, out := 0.0, 0.0
	for i, w := range weight {
		total += w
		if util[i] >= 1 {
			out += w
		}
	}
	if !(total > 0) || out >= 0.01*total {
		return 0, false
	}
	slower := func(t float64) float64 {
		s := out
		for i, w := range weight {
			if util[i] < 1 {
				s += w * math.Exp(-t*ln100*(1-util[i])/l0)
			}
		}
		return s / total
	}
	lo, hi := 0.0, l0
	for slower(hi) > 0.01 && !math.IsInf(hi, 1) {
		lo, hi = hi, 2*hi
	}
	for range 100 {
		mid := lo + (hi-lo)/2
		if slower(mid) > 0.01 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, true
}

// SlowFanOut is the probability that a read of n parts meets at least one part slower than a quantile
// that each part alone exceeds with probability p: 1-(1-p)^n (Dean and Barroso, "The Tail at Scale",
// CACM 56(2), 2013).
func SlowFanOut(p float64, n int) float64 { return -math.Expm1(float64(n) * math.Log1p(-p)) }

// Fullest95 is a number of pieces that the fullest of m partitions does not exceed, with probability 95%,
// when n pieces are hashed: the least k with m P(Bin(n, 1/m) > k) <= 5% (union bound, so a little high).
func Fullest95(n, m int) int {
	if m <= 1 || n <= 0 {
		return n
	}
	p := 1 / float64(m)
	// Log-space terms: (1-p)^n is 0 in floating point for large n.
	term := float64(n) * math.Log1p(-p)
	tail := -math.Expm1(term)
	k := 0
	for k < n && tail*float64(m) > 0.05 {
		term += math.Log(float64(n-k)/float64(k+1)) + math.Log(p) - math.Log1p(-p)
		k++
		tail -= math.Exp(term)
	}
	return k
}
