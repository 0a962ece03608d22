package order

import (
	"math"
	"slices"
	"strconv"
)

// A pass over keys that exist is no arrival of new ones. It touches them all as often, twice or more, or it
// takes less than half of the input's time, after which no new key comes.
const (
	passTouches = 2
	passSpread  = 1.25
	passTime    = 0.5
)

// pass reports whether keys that nobody was seen to write were read in order rather than made in order.
func (in Input) pass(keys []*member) bool {
	const tail = 20 // of the ends one in 20 is left out
	n := len(keys)
	if in.Timed {
		from, to := keys[n/tail].at.Time, keys[n-1-n/tail].at.Time
		if float64(to-from) < passTime*float64(in.Last-in.First) {
			return true
		}
	}
	touches := make([]uint64, n)
	for i, m := range keys {
		touches[i] = in.Touches(m.key, m.Hash)
	}
	slices.Sort(touches)
	low, high := touches[n/tail], touches[n-1-n/tail]
	return low >= passTouches && float64(high) <= passSpread*float64(low)
}

// renumbered reports whether keys are numbers that were given out as the keys first appeared, as makers of
// published traces do to hide the names: from 0 or 1 on, without gaps, and never out of order.
func (in Input) renumbered(keys []*member, m Measurement) bool {
	first, last := keys[0], keys[len(keys)-1]
	if m.Records != len(keys) || len(first.parts) != 1 || first.parts[0].kind != number || len(first.key) != len(first.part(0)) {
		return false
	}
	from, err1 := strconv.ParseUint(string(first.key), 10, 64)
	to, err2 := strconv.ParseUint(string(last.key), 10, 64)
	// The sample leaves gaps; the keys it stands for fill them.
	gap := 1 / in.Share * float64(len(in.Samples)) / float64(len(keys))
	const gaps = 20 // of a geometric length: one of e^20 is longer
	return err1 == nil && err2 == nil && float64(from) <= 1+gaps*(gap-1) && float64(to-from) <= gap*(float64(len(keys))+gaps*math.Sqrt(float64(len(keys))))
}
