package order

import (
	"cmp"
	"math"
	"slices"
)

// ranges is how many parts the key range of the first half is divided into.
const ranges = 10

// Thresholds of the verdict: at random rho strays from 0 by 1/sqrt(h-1), h = n/2, and a share of the largest
// range near 1/10.
const (
	orderedRho, orderedShare = 0.6, 0.8
	partlyRho, partlyShare   = 0.4, 0.4
)

// Measurement says how far keys arrive in their order.
type Measurement struct {
	// Rho is Spearman's rank correlation of arrival and key in the second half of the arrivals, RhoAll in
	// all of them.
	Rho, RhoAll float64
	// Counts are the keys of the second half in the ranges between the deciles of the first half; Range is
	// the one with most of them, MaxShare its share.
	Counts   [ranges]int
	Range    int
	MaxShare float64
	// Effective is the number of equally filled ranges that would be as uneven, 1/(sum of squared shares).
	Effective float64
	// Records is how many keys were larger than all before; ln n is expected of a random order.
	Records int
}

// Measure takes the place of each key among all keys, 0 to n-1 each once, in the order of arrival.
func Measure(place []int) Measurement {
	h := len(place) / 2
	first, second := slices.Sorted(slices.Values(place[:h])), place[h:]
	m := Measurement{Rho: spearman(second), RhoAll: spearman(place)}
	if h == 0 {
		return m
	}
	var cuts [ranges - 1]int
	for i := range cuts {
		cuts[i] = first[h*(i+1)/ranges]
	}
	for _, p := range second {
		at := 0
		for at < len(cuts) && cuts[at] <= p {
			at++
		}
		m.Counts[at]++
	}
	var squares float64
	for i, c := range m.Counts {
		share := float64(c) / float64(len(second))
		squares += share * share
		if c > m.Counts[m.Range] {
			m.Range = i
		}
	}
	m.MaxShare = float64(m.Counts[m.Range]) / float64(len(second))
	m.Effective = 1 / squares
	highest := -1
	for _, p := range place {
		if p > highest {
			highest = p
			m.Records++
		}
	}
	return m
}

// Ordered and Partly are the verdicts on a measurement alone.
func (m Measurement) Ordered() bool {
	return math.Abs(m.Rho) >= orderedRho && m.MaxShare >= orderedShare
}

// Partly is the weaker form of Ordered.
func (m Measurement) Partly() bool { return math.Abs(m.Rho) >= partlyRho && m.MaxShare >= partlyShare }

// spearman is the rank correlation of values with their positions; equal values share their mean rank. 0
// where the values are all equal, or fewer than two.
func spearman[T cmp.Ordered](values []T) float64 {
	n := len(values)
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	var xy, yy float64
	mean := float64(n-1) / 2
	for i := 0; i < n; {
		j := i + 1
		for j < n && values[at[j]] == values[at[i]] {
			j++
		}
		rank := float64(i+j-1)/2 - mean
		for _, position := range at[i:j] {
			xy += rank * (float64(position) - mean)
		}
		yy += float64(j-i) * rank * rank
		i = j
	}
	if yy == 0 {
		return 0
	}
	xx := mean * (float64(n) + 1) * float64(n) / 6 // sum of (i - mean)^2
	return xy / math.Sqrt(xx*yy)
}

// A frontier moves where keys that arrive together lie together, but not always in the same place:
// of movingChunks, pieces of chunk arrivals, nearly all must keep their middle 80% within a fifth of the keys.
const (
	chunk        = 25
	movingNear   = 0.2
	movingChunks = 0.9
	minMoving    = 4 * chunk
)

// moves reports whether keys that arrive together lie together in the order of keys.
func moves(place []int) bool {
	if len(place) < minMoving {
		return false
	}
	near, all := 0, 0
	for c := range slices.Chunk(place, chunk) {
		if len(c) < chunk {
			break
		}
		all++
		sorted := slices.Sorted(slices.Values(c))
		if float64(sorted[chunk-1-chunk/10]-sorted[chunk/10]) <= movingNear*float64(len(place)) {
			near++
		}
	}
	return float64(near) >= movingChunks*float64(all)
}
