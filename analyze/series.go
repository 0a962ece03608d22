package analyze

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"
)

// seriesSpec says how fine and how rich a series of windows is.
type seriesSpec struct {
	// rungs are the widths, the finest first; every width divides the next.
	rungs []time.Duration
	// most is how many windows with requests a series holds; a wider rung is taken above it.
	most int
	// Listed are the `largest` keys and every key with 1/`share` of the window (0: no such rule), at
	// most `listed` in all.
	largest, share, listed int
	// busiest keeps the two busiest seconds of a coarse window whole.
	busiest bool
}

// windowSpec is the series that shows the load over time; blockSpec the coarse one with longer lists, for
// comparing stretches of the input.
var (
	windowSpec = seriesSpec{
		rungs: []time.Duration{
			time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour,
			24 * time.Hour, 30 * 24 * time.Hour,
		},
		most: 4096, largest: 32, share: 256, listed: 256, busiest: true,
	}
	blockSpec = seriesSpec{rungs: doublings(time.Second, 34), most: 64, largest: 1024, listed: 1024}
)

func doublings(first time.Duration, n int) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = first
		first *= 2
	}
	return out
}

// item is a key listed in a window.
type item struct {
	key                     uint32 // number in series.names
	Requests, Reads, Writes uint64 // without polls
	Work                    uint64 // as in load
	// own is the sum of the cut-offs of the parts that listed the key: of these it is counted whole.
	own uint64
}

// cell is one window: its totals and its largest keys.
type cell struct {
	first, last int64 // times covered
	total       load
	parts       []load
	list        []item // any order
	// cut is the sum of the cut-offs of all parts: a key that no part listed has at most cut requests,
	// a listed one at most Requests + cut - own.
	cut uint64
	// busyTotal and busyKey are seconds of a coarse window, kept whole: the one with the most requests
	// and the one with the largest single key. Nil while the cell is a second itself.
	busyTotal, busyKey *second
}

// second is a window of the finest width.
type second struct {
	at int64 // floor(time / base)
	cell
}

func (c *cell) upper(it item) uint64 { return saturate(it.Requests, c.cut-it.own) }

// series is a sequence of windows at absolute times. Its width depends on the windows alone, never on
// the order in which they came: the finest rung at which those with requests fit.
type series struct {
	spec  seriesSpec
	base  int64
	rung  int
	names *names
	cells map[int64]*cell
}

func newSeries(spec seriesSpec, base int64, n *names) *series {
	spec.rungs = slices.DeleteFunc(slices.Clone(spec.rungs), func(w time.Duration) bool {
		return int64(w) <= base || int64(w)%base != 0
	})
	spec.rungs = slices.Insert(spec.rungs, 0, time.Duration(base))
	return &series{spec: spec, base: base, names: n, cells: map[int64]*cell{}}
}

// width of the windows in nanoseconds.
func (s *series) width() int64 { return int64(s.spec.rungs[s.rung]) }

// at returns the windows in order of time.
func (s *series) at() []int64 { return slices.Sorted(maps.Keys(s.cells)) }

// add merges a second, whose totals are in c, with its largest keys.
func (s *series) add(at int64, c cell, r *ranking) {
	c.list, c.cut = s.largest(r, c.total.served())
	s.put(at, &second{at: at, cell: c})
	for len(s.cells) > s.spec.most && s.rung < len(s.spec.rungs)-1 {
		s.widen()
		for _, c := range s.cells {
			s.trim(c)
		}
	}
}

// put adds a second to the window that holds it.
func (s *series) put(at int64, sec *second) {
	index := floorDiv(at*s.base, s.width())
	have := s.cells[index]
	if have == nil {
		have = &cell{first: sec.first, last: sec.last}
		s.cells[index] = have
	}
	have.merge(&sec.cell, s.names)
	if s.rung > 0 && s.spec.busiest {
		have.busyTotal = busier(have.busyTotal, sec, byTotal)
		have.busyKey = busier(have.busyKey, sec, byKey)
	}
	s.trim(have)
}

// largest lists the keys of a second that the rule names, and the largest count that it leaves out.
func (s *series) largest(r *ranking, total uint64) (list []item, cut uint64) {
	n := s.spec.keep(len(r.found), total, func(i int) uint64 { return r.sums[r.found[i]].requests })
	if n < len(r.found) {
		cut = r.sums[r.found[n]].requests
	}
	list = make([]item, n)
	for j, i := range r.found[:n] {
		l := r.closing.load(&r.sums[i])
		list[j] = item{key: r.number(j, s.names), Requests: l.Requests, Reads: l.Reads, Writes: l.Writes, Work: l.Work, own: cut}
	}
	return list, cut
}

// keep returns how many of the n largest, whose sizes fall, the rule lists.
func (s seriesSpec) keep(n int, total uint64, size func(i int) uint64) int {
	n = min(n, s.listed)
	for n > s.largest && (s.share == 0 || size(n-1) < (total+uint64(s.share)-1)/uint64(s.share)) {
		n--
	}
	return n
}

// merge adds another cell of the same window; keys are numbers of the same names.
func (c *cell) merge(o *cell, n *names) {
	c.first, c.last = min(c.first, o.first), max(c.last, o.last)
	c.total.add(&o.total)
	if c.parts == nil {
		c.parts = slices.Clone(o.parts)
	} else {
		for i := range o.parts {
			c.parts[i].add(&o.parts[i])
		}
	}
	c.cut = saturate(c.cut, o.cut)
	if len(c.list) == 0 {
		c.list = slices.Clone(o.list)
		return
	}
	places := n.places()
	mine := c.list
	for i, it := range mine {
		places[it.key] = int32(i + 1)
	}
	for _, it := range o.list {
		i := places[it.key]
		if i == 0 {
			c.list = append(c.list, it)
			continue
		}
		have := &c.list[i-1]
		have.Requests = saturate(have.Requests, it.Requests)
		have.Reads = saturate(have.Reads, it.Reads)
		have.Writes = saturate(have.Writes, it.Writes)
		have.Work = saturate(have.Work, it.Work)
		have.own = saturate(have.own, it.own)
	}
	for _, it := range mine {
		places[it.key] = 0
	}
}

// trim drops what exceeds the rule, once a list has grown to twice its longest. The cut-off rises to
// the largest upper bound dropped, so every bound stays true.
func (s *series) trim(c *cell) {
	if len(c.list) > 2*s.spec.listed {
		s.compactCell(c)
	}
}

func (s *series) compactCell(c *cell) {
	slices.SortFunc(c.list, func(a, b item) int {
		return cmp.Or(cmp.Compare(c.upper(b), c.upper(a)), cmp.Compare(b.Requests, a.Requests),
			cmp.Compare(s.names.text(a.key), s.names.text(b.key)))
	})
	n := s.spec.keep(len(c.list), c.total.served(), func(i int) uint64 { return c.upper(c.list[i]) })
	if n == len(c.list) {
		return
	}
	cut := max(c.cut, c.upper(c.list[n]))
	c.list = slices.Clip(c.list[:n])
	for i := range c.list {
		c.list[i].own = saturate(c.list[i].own, cut-c.cut)
	}
	c.cut = cut
}

// compact applies the rule to every list.
func (s *series) compact() {
	for _, c := range s.cells {
		s.compactCell(c)
	}
}

// widen takes the next rung. It drops nothing from a list.
func (s *series) widen() {
	old, width := s.cells, s.width()
	seconds := s.rung == 0
	s.rung++
	s.cells = make(map[int64]*cell, len(old)/2)
	for _, at := range slices.Sorted(maps.Keys(old)) {
		c := old[at]
		index := floorDiv(at*width, s.width())
		have := s.cells[index]
		if have == nil {
			have = &cell{first: c.first, last: c.last}
			s.cells[index] = have
		}
		have.merge(c, s.names)
		if s.spec.busiest {
			total, key := c.busyTotal, c.busyKey
			if seconds {
				sec := &second{at: at, cell: *c}
				total, key = sec, sec
			}
			have.busyTotal = busier(have.busyTotal, total, byTotal)
			have.busyKey = busier(have.busyKey, key, byKey)
		}
	}
}

func byTotal(c *second) uint64 { return c.total.served() }

func byKey(c *second) uint64 {
	var most uint64
	for _, it := range c.list {
		most = max(most, it.Requests)
	}
	return most
}

// busier returns the second with the larger size; of equal ones the earlier, then the fuller.
func busier(a, b *second, size func(*second) uint64) *second {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	order := cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(b.at, a.at),
		cmp.Compare(a.total.Requests, b.total.Requests), cmp.Compare(len(a.list), len(b.list)))
	if order >= 0 {
		return a
	}
	return b
}

// merge adds another series with the same rungs.
func (s *series) merge(o *series) {
	for s.rung < o.rung {
		s.widen()
	}
	translate := make([]uint32, len(o.names.keys))
	for i, key := range o.names.keys {
		translate[i] = s.names.number([]byte(key))
	}
	for _, at := range o.at() {
		c := o.cells[at].renumber(translate)
		index := floorDiv(at*o.width(), s.width())
		have := s.cells[index]
		if have == nil {
			have = &cell{first: c.first, last: c.last}
			s.cells[index] = have
		}
		have.merge(&c, s.names)
		if s.rung == 0 || !s.spec.busiest {
			continue
		}
		total, key := c.busyTotal, c.busyKey
		if o.rung == 0 {
			sec := &second{at: at, cell: c}
			total, key = sec, sec
		}
		have.busyTotal = busier(have.busyTotal, total, byTotal)
		have.busyKey = busier(have.busyKey, key, byKey)
	}
	for len(s.cells) > s.spec.most && s.rung < len(s.spec.rungs)-1 {
		s.widen()
	}
}

func (c *cell) renumber(translate []uint32) cell {
	out := *c
	out.list = slices.Clone(c.list)
	for i := range out.list {
		out.list[i].key = translate[out.list[i].key]
	}
	out.parts = slices.Clone(c.parts)
	for _, sec := range []**second{&out.busyTotal, &out.busyKey} {
		if *sec != nil {
			*sec = &second{at: (*sec).at, cell: (*sec).cell.renumber(translate)}
		}
	}
	return out
}

// dropParts forgets the loads by partition.
func (s *series) dropParts() {
	for _, c := range s.cells {
		c.parts = nil
		for _, sec := range []*second{c.busyTotal, c.busyKey} {
			if sec != nil {
				sec.parts = nil
			}
		}
	}
}

// seconds yields the windows of the finest width that are kept whole: all of them, or the two busiest
// of each coarse window. In order of time.
func (s *series) seconds() iter.Seq[*second] {
	return func(yield func(*second) bool) {
		for _, at := range s.at() {
			c := s.cells[at]
			if s.rung == 0 {
				if !yield(&second{at: at, cell: *c}) {
					return
				}
				continue
			}
			for _, sec := range []*second{c.busyTotal, c.busyKey} {
				if sec != nil && !yield(sec) {
					return
				}
			}
		}
	}
}
