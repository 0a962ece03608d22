package skew

import (
	"math"
	"slices"
)

// minTail is the fewest keys that a power law is fitted to.
const minTail = 50

// Up to maxCandidates distinct counts every one is tried as the smallest of the tail; of more, the
// smallest denseCandidates, and the others thinned evenly in their order.
const maxCandidates, denseCandidates = 400, 200

// Power is a power law of the counts, P(count = x) ~ x^-Alpha from XMin up.
type Power struct {
	Alpha, SE float64
	XMin      uint64
	// Keys is how many have XMin requests or more; KS the largest difference of the distributions.
	Keys int
	KS   float64
	// LogLikelihood of the counts from XMin up.
	LogLikelihood float64
}

// Sizes is how many keys have each count: the distinct counts, ascending, and their numbers of keys.
type Sizes struct {
	Count []uint64
	Keys  []int
}

// SizesOf counts counts; zeros are left out. It sorts its argument.
func SizesOf(counts []uint64) Sizes {
	slices.Sort(counts)
	var s Sizes
	for _, c := range counts {
		if n := len(s.Count); n > 0 && s.Count[n-1] == c {
			s.Keys[n-1]++
		} else if c > 0 {
			s.Count, s.Keys = append(s.Count, c), append(s.Keys, 1)
		}
	}
	return s
}

// from is where the counts of at least x begin.
func (s Sizes) from(x uint64) int {
	i, _ := slices.BinarySearch(s.Count, x)
	return i
}

// Tail fits a discrete power law to the counts of all keys (Clauset, Shalizi and Newman 2009, SIAM Review
// 51(4), 661-703, section 3): Alpha by maximum likelihood for each XMin, and the XMin with the smallest KS
// distance. The counts must be exact. ok is false with fewer than 50 keys in every tail.
func Tail(s Sizes) (best Power, ok bool) {
	above := suffixes(s)
	last := len(s.Count) // candidates end where the tail gets too small
	for last > 0 && above.keys[last-1] < minTail {
		last--
	}
	if last > 0 && last == len(s.Count) {
		last-- // a tail of one count has no exponent
	}
	best.KS = math.Inf(1)
	for i := 0; i < last; i++ {
		if last > maxCandidates && i >= denseCandidates {
			thin := (last - denseCandidates + maxCandidates - denseCandidates - 1) / (maxCandidates - denseCandidates)
			if (i-denseCandidates)%thin != 0 {
				continue
			}
		}
		p := tailFrom(s, above, i)
		if p.KS = distance(s, p, i, best.KS); p.KS < best.KS {
			best, ok = p, true
		}
	}
	if !ok {
		return Power{}, false
	}
	return best, true
}

// sums are over the counts from each index on: of their keys, and of ln count over these.
type sums struct {
	keys []int
	logs []float64
}

func suffixes(s Sizes) sums {
	out := sums{make([]int, len(s.Count)), make([]float64, len(s.Count))}
	keys, logs := 0, 0.0
	for i := len(s.Count) - 1; i >= 0; i-- {
		keys += s.Keys[i]
		logs += float64(s.Keys[i]) * math.Log(float64(s.Count[i]))
		out.keys[i], out.logs[i] = keys, logs
	}
	return out
}

func tailFrom(s Sizes, above sums, i int) Power {
	p := Power{XMin: s.Count[i], Keys: above.keys[i]}
	p.fit(above.logs[i] / float64(p.Keys))
	return p
}

// fit finds Alpha from the mean of ln count: the root of (ln zeta)'(alpha) = -mean, and the error from
// its second derivative (eq. 3.5 and 3.6 of the paper, exactly).
func (p *Power) fit(meanLog float64) {
	x := float64(p.XMin)
	const h = 1e-5
	slope := func(a float64) float64 { return (math.Log(zeta(a+h, x)) - math.Log(zeta(a-h, x))) / (2 * h) }
	lo, hi := 1+2*h, 20.0
	for range 60 {
		mid := (lo + hi) / 2
		if slope(mid) < -meanLog { // too small an exponent makes ln x too large
			lo = mid
		} else {
			hi = mid
		}
	}
	p.Alpha = (lo + hi) / 2
	const wide = 1e-3
	second := (slope(p.Alpha+wide) - slope(p.Alpha-wide)) / (2 * wide)
	p.SE = 1 / math.Sqrt(float64(p.Keys)*second)
	p.LogLikelihood = -float64(p.Keys) * (math.Log(zeta(p.Alpha, x)) + p.Alpha*meanLog)
}

// distance is the KS distance of the counts from index i on; it stops as soon as it exceeds most.
func distance(s Sizes, p Power, i int, most float64) float64 {
	whole := zeta(p.Alpha, float64(p.XMin))
	var d float64
	seen := 0
	for ; i < len(s.Count); i++ {
		seen += s.Keys[i]
		fitted := 1 - zeta(p.Alpha, float64(s.Count[i])+1)/whole
		if d = max(d, math.Abs(float64(seen)/float64(p.Keys)-fitted)); d > most {
			return d
		}
	}
	return d
}

// Above is the share of keys that the law gives more than x requests, of those with XMin or more.
func (p Power) Above(x uint64) float64 {
	return zeta(p.Alpha, float64(x)+1) / zeta(p.Alpha, float64(p.XMin))
}
