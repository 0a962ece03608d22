package analyze

import (
	"bytes"
	"cmp"

	"keyskew/sketch"
)

// This file reads from a summary what skew and order look at. It changes nothing.

// observedKey is a key with bounds on its touches without polls.
type observedKey struct {
	key          []byte
	lower, upper uint64
}

// byCount orders the keys with the largest upper bounds first.
func byCount(a, b observedKey) int {
	if a.upper != b.upper {
		return cmp.Compare(b.upper, a.upper)
	}
	return cmp.Or(cmp.Compare(b.lower, a.lower), bytes.Compare(a.key, b.key))
}

// observedCounts returns bounds on the touches of every key in the table, in any order, and the n keys with
// the largest upper bounds, the largest first. Keys that were only polled are left out.
func (d *diagnoser) observedCounts(n int) (lower, upper []uint64, top []observedKey) {
	lower, upper = make([]uint64, 0, d.s.keys.Len()), make([]uint64, 0, d.s.keys.Len())
	best := newTop(n, byCount)
	for e := range d.s.keys.All() {
		lo, up := d.bounds(e)
		if up == 0 {
			continue
		}
		lower, upper = append(lower, lo), append(upper, up)
		best.add(observedKey{e.Key, lo, up})
	}
	return lower, upper, best.sorted()
}

// observedBlocks returns the touches of keys in each block of time that had requests, in order of time; 0
// where the block does not list the key. Nil without times.
func (d *diagnoser) observedBlocks(keys []observedKey) [][]float64 {
	if !d.s.timed {
		return nil
	}
	at := make(map[string]int, len(keys))
	for i, k := range keys {
		at[string(k.key)] = i
	}
	var out [][]float64
	for _, i := range d.s.blocks.at() {
		counts := make([]float64, len(keys))
		for _, it := range d.s.blocks.cells[i].list {
			if k, ok := at[d.s.blocks.names.text(it.key)]; ok {
				counts[k] = float64(it.Requests)
			}
		}
		out = append(out, counts)
	}
	return out
}

// orderKeys is how many keys the order of keys is looked for in: more would tell little more, and take as
// much memory as all that was counted.
const orderKeys = 24_576

// observedSample returns a sample of distinct keys, and the part of all keys that it is.
func (d *diagnoser) observedSample() (keys []sketch.Sample, share float64) {
	return d.s.sample.Some(orderKeys)
}
