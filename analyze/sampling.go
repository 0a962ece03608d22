package analyze

import (
	"math"
	"math/bits"

	"keyskew/analyze/episode"
	"keyskew/sketch"
)

// scaled is a count of the input as a count of the traffic that it was sampled from, 1 request in q, with
// the interval of the sampling. one is how many requests were drawn together, by the weights of the input
// (spread.of).
func scaled(e sketch.Estimate, q, one float64) sketch.Estimate {
	if q <= 1 {
		return e
	}
	lower, _ := episode.Garwood(e.Lower / one)
	_, upper := episode.Garwood(e.Upper / one)
	return sketch.Estimate{Value: e.Value * q, Lower: lower * one * q, Upper: upper * one * q}
}

// scaleUp makes the counts of the answer those of the traffic that the input was sampled from, as its rates
// and estimates are already. Numbers of keys and of clients stay those of the sample: how many it missed is
// not known.
func (d *diagnoser) scaleUp() {
	q := uint64(max(1, d.o.SampleEvery))
	if q == 1 {
		return
	}
	up := func(counts ...*uint64) {
		for _, c := range counts {
			*c = times(*c, q)
		}
	}
	byName := func(list []CommandCount) {
		for i := range list {
			up(&list[i].Count)
		}
	}
	t := &d.out.Totals
	up(&t.Requests, &t.Commands, &t.Reads, &t.Writes, &t.Polls, &t.Other, &t.Keyless, &t.Bytes, &t.Guarantee)
	byName(t.ByCommand)
	for i := range d.out.Keys {
		k := &d.out.Keys[i]
		up(&k.Reads, &k.Writes, &k.Polls, &k.Other, &k.Bytes)
		byName(k.Commands)
		if k.Errors != nil {
			up(k.Errors)
		}
		k.Retries = nil // most requests that were repeated lack one of the two
	}
	for i := range d.out.Groups {
		g := &d.out.Groups[i]
		up(&g.Reads, &g.Writes, &g.Polls, &g.Other)
	}
	if p := d.out.Partitions; p != nil {
		for i := range p.List {
			up(&p.List[i].Requests, &p.List[i].Reads, &p.List[i].Writes)
		}
	}
	d.out.SampleEvery = d.o.SampleEvery
}

// times multiplies and stays at the largest number rather than going over it.
func times(n, q uint64) uint64 {
	if over, low := bits.Mul64(n, q); over == 0 {
		return low
	}
	return math.MaxUint64
}
