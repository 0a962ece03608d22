package skew

import (
	"math/rand/v2"
	"sort"
)

// Plausible is the share of synthetic sets that lie as far from their own fit as the counts do from p, the
// p-value of the law: below 0.1 it is refused (Clauset, Shalizi and Newman 2009, section 4.1). A set has as
// many keys as there are; each is drawn from the law with the share of the tail, else from the counts below
// XMin. The sets follow from the seed. The standard error is at most 1/(2 sqrt(sets)).
func Plausible(s Sizes, p Power, sets int, seed uint64) float64 {
	below := s.from(p.XMin)
	var cumulative []int
	body := 0
	for _, n := range s.Keys[:below] {
		body += n
		cumulative = append(cumulative, body)
	}
	worse := 0
	counts := make([]uint64, body+p.Keys)
	for i := range sets {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		for j := range counts {
			if at := rng.IntN(len(counts)); at < body {
				counts[j] = s.Count[sort.SearchInts(cumulative, at+1)]
			} else {
				counts[j] = p.draw(rng.Float64())
			}
		}
		if q, ok := Tail(SizesOf(counts)); ok && q.KS >= p.KS {
			worse++
		}
	}
	return float64(worse) / float64(sets)
}

// largestDraw ends the doubling of draw where a law hardly falls.
const largestDraw = 1 << 62

// draw is the count that a share u of the tail lies above, u in [0, 1) (section D of the paper: the
// bounds are doubled, then halved).
func (p Power) draw(u float64) uint64 {
	lo, hi := p.XMin, p.XMin // the answer is in [lo, hi]
	for p.Above(hi) > u && hi < largestDraw {
		lo, hi = hi+1, 2*hi
	}
	for lo < hi {
		if mid := lo + (hi-lo)/2; p.Above(mid) > u {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
