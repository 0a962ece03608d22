package skew

import "math"

// asymptotic + a is where the Euler-Maclaurin series of zeta takes over from the sum: with six Bernoulli
// terms, what is left out is below 1e-11 of the result for exponents a up to 20.
const asymptotic = 12

// bernoulli holds B(2j)/(2j)! for j = 1..6.
var bernoulli = [...]float64{1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160, -691. / 1307674368000}

// zeta is the Hurwitz zeta function, the sum of (k+x)^-a for k = 0, 1, ..., a > 1 and x > 0. gonum's
// mathext.Zeta is the same and takes ten times as long for large x; Tail needs millions.
func zeta(a, x float64) float64 {
	var sum float64
	for ; x < asymptotic+a; x++ {
		sum += math.Pow(x, -a)
	}
	power := math.Exp(-a * math.Log(x))
	sum += power*x/(a-1) + power/2
	term := power * a / x
	for j, b := range bernoulli {
		sum += b * term
		k := a + float64(2*j+1)
		term *= k * (k + 1) / (x * x)
	}
	return sum
}
