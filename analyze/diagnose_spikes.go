package analyze

import (
	"cmp"
	"slices"

	"keyskew/analyze/spike"
)

const (
	// mostSpikes are kept, those with the most extra load.
	mostSpikes = 20
	// mostExplaining keys are looked at for each; those with explains of the extra load are named until
	// explained of it is.
	mostExplaining      = 32
	explains, explained = 0.02, 0.80
)

// Spike is a stretch in which the total load stood clearly above that of before. Rates are in requests per
// second.
type Spike struct {
	Start, End, PeakAt int64 // ns
	Baseline, Peak     float64
	// Extra is the requests beyond the baseline, all together.
	Extra float64
	// Ended says that the load came back: else it is a new level.
	Ended bool
	// Keys that make the extra load, the largest part first.
	Keys []Explanation
	// Reads and Writes are their parts of the extra load.
	Reads, Writes float64
}

// Explanation is a key's part of the extra load of a spike, of its certain requests.
type Explanation struct {
	Key  []byte
	Part float64
	// Before and During are its rates: at most, and at least.
	Before, During float64
}

// spikes says when the total load jumped, and which keys made it.
func (d *diagnoser) spikes() {
	s := d.s.windows
	if !d.s.timed {
		return
	}
	d.out.Spikes = []Spike{}
	at := s.at()
	windows := make([]spike.Window, len(at))
	for w, i := range at {
		windows[w] = spike.Window{Seconds: d.coveredOf(i*s.width(), s.width()), Total: float64(s.cells[i].total.served())}
	}
	found := spike.Find(windows)
	if len(found) > mostSpikes {
		slices.SortStableFunc(found, func(a, b spike.Spike) int { return cmp.Compare(b.Extra(windows), a.Extra(windows)) })
		found = found[:mostSpikes]
		slices.SortFunc(found, func(a, b spike.Spike) int { return cmp.Compare(a.First, b.First) })
	}
	for i := range found {
		f := &found[i]
		first, last, peak := at[f.First]*s.width(), at[f.Last]*s.width(), at[f.PeakAt]*s.width()
		out := Spike{
			Start: d.window(first, s.width(), 0).Start, End: d.window(last, s.width(), 0).End, PeakAt: d.window(peak, s.width(), 0).Start,
			Baseline: f.Baseline, Peak: f.Peak, Extra: f.Extra(windows) * d.every(), Ended: f.Ended,
		}
		d.explain(&out, f, at, windows)
		d.out.Spikes = append(d.out.Spikes, out)
	}
}

// explain divides the extra load of a spike among keys, and among reads and writes: each is compared with its
// own median before. A key counts what the windows certainly have of it against what those before may have.
func (d *diagnoser) explain(out *Spike, f *spike.Spike, at []int64, windows []spike.Window) {
	s := d.s.windows
	extra := f.Extra(windows)
	seconds := 0.0
	during := map[uint32]float64{}
	var reads, writes float64
	for w := range f.Above(windows) {
		c := s.cells[at[w]]
		seconds += windows[w].Seconds
		reads, writes = reads+float64(c.total.Reads), writes+float64(c.total.Writes)
		for _, it := range c.list {
			during[it.key] += float64(it.Requests)
		}
	}
	median := func(count func(c *cell) float64) float64 {
		rates := make([]float64, len(f.Before))
		for i, w := range f.Before {
			rates[i] = count(s.cells[at[w]]) / windows[w].Seconds
		}
		return spike.Median(rates)
	}
	part := func(n, before float64) float64 { return max(0, (n-before*seconds)/extra) }
	out.Reads = part(reads, median(func(c *cell) float64 { return float64(c.total.Reads) }))
	out.Writes = part(writes, median(func(c *cell) float64 { return float64(c.total.Writes) }))

	largest := newTop(mostExplaining, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(during[b], during[a]), cmp.Compare(s.names.text(a), s.names.text(b)))
	})
	for key := range during {
		largest.add(key)
	}
	var all []Explanation
	for _, key := range largest.sorted() {
		before := median(func(c *cell) float64 {
			for _, it := range c.list {
				if it.key == key {
					return float64(c.upper(it))
				}
			}
			return float64(c.cut)
		})
		e := Explanation{Key: []byte(s.names.text(key)), Part: part(during[key], before), Before: before, During: during[key] / seconds}
		if e.Part >= explains {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b Explanation) int { return cmp.Compare(b.Part, a.Part) })
	sum := 0.0
	for _, e := range all {
		if sum >= explained {
			break
		}
		sum += e.Part
		out.Keys = append(out.Keys, e)
	}
}
