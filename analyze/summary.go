package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"keyskew/analyze/partition"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

const (
	// countMinDepth and countMinWidth give 2^18 counters, 2 MiB: an upper bound for any key.
	countMinDepth, countMinWidth = 4, 1 << 16
	// distinctPrecision gives a standard error of 0.8%.
	distinctPrecision = 14
	// sampleKeys is the size of the sample of distinct keys.
	sampleKeys = 65_536
	// Partitions up to finePartitions count their keys with precision 14, up to coarsePartitions with
	// precision 10, and above that not at all. Windows keep loads for up to coarsePartitions.
	finePartitions, coarsePartitions = 64, 256
	coarsePrecision                  = 10
)

// KeyStats is what the table keeps per key beside its count. Reads is the count less the others.
type KeyStats struct {
	Writes, Polls, Other uint64
	Bytes                uint64
	First, Last          int64
	// Peak is the largest number of touches without polls in one second, PeakAt the start of that
	// second, PeakWrites the writes in it. Where a second was merged in several parts it is a lower
	// bound.
	Peak, PeakWrites uint64
	PeakAt           int64
	Algebra          request.Algebra
	Commands         commandCounts
	outcomes
	// Slot is the key's Redis Cluster slot.
	Slot uint16
}

// load counts the requests of a partition or slot.
type load struct {
	Requests, Reads, Writes, Polls uint64
	// Work is the commands behind the requests without polls, in workUnits: a command with several keys
	// is divided among them, a call of a script is none of its own.
	Work uint64
}

func (l *load) add(o *load) {
	l.Requests = saturate(l.Requests, o.Requests)
	l.Reads = saturate(l.Reads, o.Reads)
	l.Writes = saturate(l.Writes, o.Writes)
	l.Polls = saturate(l.Polls, o.Polls)
	l.Work = saturate(l.Work, o.Work)
}

// served is the requests without polls.
func (l load) served() uint64 { return l.Requests - l.Polls }

// Summary is the mergeable state of everything that was read: counts, sketches, windows and blocks, in
// a few megabytes. Merge only adds and commutes; Compact alone truncates.
type Summary struct {
	config Config

	keys     *sketch.HeavyHitters[KeyStats]
	countMin *sketch.CountMin
	distinct *sketch.Distinct
	clients  *sketch.Distinct
	sample   *sketch.KeySample

	columns     request.Columns // optional columns that the input has
	total       load
	begun       uint64 // server commands
	keyless     uint64
	bytes       uint64
	timed       bool
	first, last int64
	// fine is set when some time has a part of a second: else each stands for the second that it begins.
	fine     bool
	names    []string
	numbers  map[string]uint16
	commands []uint64 // touches and keyless commands by number

	// groups counts the keys by template; nil when nobody asked.
	groups   *sketch.HeavyHitters[groupStats]
	template []byte

	slots []load // by Redis Cluster slot
	// parts and partKeys count per partition of config.Layout; nil without one, or after a merge of
	// unlike layouts.
	parts    []load
	partKeys []*sketch.Distinct

	windows, blocks *series
	rank            ranking
	room            lookups
}

// lookups is room for the keys of a group that are looked up at once; clearing it for every group would
// cost more than looking up a few.
type lookups struct {
	keys   [group][]byte
	hashes [group]uint64
	hints  [group]int32
	slots  [group]uint16
}

// NewSummary returns an empty summary.
func NewSummary(c Config) (*Summary, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	countMin, err := sketch.NewCountMin(countMinDepth, countMinWidth)
	if err != nil {
		return nil, err
	}
	s := &Summary{
		config:   c,
		keys:     sketch.NewHeavyHitters[KeyStats](),
		countMin: countMin,
		distinct: newDistinct(distinctPrecision),
		clients:  newDistinct(distinctPrecision),
		sample:   sketch.NewKeySample(min(sampleKeys, c.KeyBudget/4)),
		numbers:  map[string]uint16{},
		slots:    make([]load, partition.Slots),
	}
	if c.Template {
		s.groups = sketch.NewHeavyHitters[groupStats]()
	}
	listed := newNames()
	s.windows = newSeries(windowSpec, c.base(), listed)
	s.blocks = newSeries(blockSpec, c.base(), listed)
	if c.Layout != nil {
		s.parts = make([]load, len(c.Layout.Partitions))
		s.partKeys = newPartKeys(len(s.parts))
	}
	return s, nil
}

func newPartKeys(n int) []*sketch.Distinct {
	if n > coarsePartitions {
		return nil
	}
	precision := uint8(distinctPrecision)
	if n > finePartitions {
		precision = coarsePrecision
	}
	out := make([]*sketch.Distinct, n)
	for i := range out {
		out[i] = newDistinct(precision)
	}
	return out
}

// newDistinct returns an empty HyperLogLog; the precisions in use are constants, so it cannot fail.
func newDistinct(precision uint8) *sketch.Distinct {
	d, err := sketch.NewDistinct(precision)
	if err != nil {
		panic(err)
	}
	return d
}

// command returns the number of a command name.
func (s *Summary) command(name string) uint16 {
	n, ok := s.numbers[name]
	if !ok {
		n = uint16(len(s.names))
		s.names = append(s.names, name)
		s.numbers[name] = n
		s.commands = append(s.commands, 0)
	}
	return n
}

// translate maps another numbering of commands to this one.
func (s *Summary) translate(names []string) []uint16 {
	out := make([]uint16, len(names))
	for i, name := range names {
		out[i] = s.command(name)
	}
	return out
}

// add merges a finished second (or a piece of one): once per distinct key into every sketch.
func (s *Summary) add(p *piece) {
	var w cell
	layout := s.config.Layout
	if layout != nil && len(layout.Partitions) <= coarsePartitions {
		w.parts = make([]load, len(layout.Partitions))
	}
	for from := 0; from < p.len(); from += group {
		s.addKeys(p, from, min(from+group, p.len()), &w)
	}
	s.total.add(&w.total)
	s.begun = saturate(s.begun, p.commands)
	s.keyless = saturate(s.keyless, p.keyless)
	if p.timed {
		s.cover(p.first, p.last)
		s.fine = s.fine || p.first%int64(time.Second) != 0 || p.last%int64(time.Second) != 0
		w.first, w.last = p.first, p.last
		s.rank.largest(p, blockSpec.listed+1)
		s.windows.add(p.second, w, &s.rank)
		s.blocks.add(p.second, w, &s.rank)
		s.windows.names.sweep(s.windows, s.blocks)
	}
	if s.keys.Len() > s.config.KeyBudget {
		s.keys.Compact(max(MinKeyBudget, s.config.KeyBudget/2), s.pins())
	}
}

// addKeys merges some entries of a piece into what is kept per key. Each table is far larger than the
// nearest caches, so each has a loop of its own, in which the look-ups do not wait for each other.
func (s *Summary) addKeys(p *piece, from, to int, w *cell) {
	keys, hashes, hints, slots := &s.room.keys, &s.room.hashes, &s.room.hints, &s.room.slots
	n := to - from
	for j := range n {
		keys[j], hashes[j] = p.key(from+j), p.hot[from+j].hash
	}
	s.keys.Locate(keys[:n], hashes[:n], hints[:n])
	for j := range n {
		s.countMin.Add(hashes[j], p.requests(from+j))
	}
	for j := range n {
		i := from + j
		v, isNew := s.keys.AddAt(hints[j], keys[j], hashes[j], p.requests(i))
		s.addStats(v, p, i, isNew)
		if isNew {
			v.Slot = uint16(partition.Slot(keys[j]))
			s.newKey(v.Slot, hashes[j])
		}
		slots[j] = v.Slot
		if s.groups != nil {
			s.addGroup(p, i, isNew)
		}
		// A key that is known and was seen in order has been sighted before.
		writes := p.hot[i].writes
		if isNew || p.cold[i].at.Time <= v.First || writes > 0 && v.Writes <= writes || p.first < s.last {
			s.sight(p, i)
		}
	}
	for j := range n {
		l := p.load(from + j)
		s.addLoad(w, int(slots[j]), &l)
	}
}

// newKey counts a key that the table does not have; it may have been dropped from it before.
func (s *Summary) newKey(slot uint16, hash uint64) {
	s.distinct.Add(hash)
	if s.partKeys != nil {
		if at := s.config.Layout.OfSlot(int(slot)); at >= 0 {
			s.partKeys[at].Add(hash)
		}
	}
}

// addLoad counts the requests of a key in its second, by slot and by partition.
func (s *Summary) addLoad(w *cell, slot int, l *load) {
	w.total.Requests = saturate(w.total.Requests, l.Requests)
	w.total.Reads = saturate(w.total.Reads, l.Reads)
	w.total.Writes = saturate(w.total.Writes, l.Writes)
	w.total.Polls = saturate(w.total.Polls, l.Polls)
	w.total.Work = saturate(w.total.Work, l.Work)
	s.slots[slot].add(l)
	if s.config.Layout == nil {
		return
	}
	if at := s.config.Layout.OfSlot(slot); at >= 0 {
		s.parts[at].add(l)
		if w.parts != nil {
			w.parts[at].add(l)
		}
	}
}

// sight offers the first touch and the first write of an entry to the key sample.
func (s *Summary) sight(p *piece, i int) {
	e := &p.hot[i]
	if !s.sample.Wants(e.hash) {
		return
	}
	s.sample.Add(p.key(i), e.hash, p.cold[i].at, false)
	if e.writes > 0 {
		s.sample.Add(p.key(i), e.hash, p.cold[i].wroteAt, true)
	}
}

// addStats adds entry i of a piece to what is kept of its key.
func (s *Summary) addStats(v *KeyStats, p *piece, i int, isNew bool) {
	e, c := &p.hot[i], &p.cold[i]
	if isNew {
		v.First, v.Last = c.at.Time, e.last
	} else {
		v.First, v.Last = min(v.First, c.at.Time), max(v.Last, e.last)
	}
	s.bytes = saturate(s.bytes, e.bytes)
	v.Writes = saturate(v.Writes, e.writes)
	v.Bytes = saturate(v.Bytes, e.bytes)
	v.Algebra |= e.algebra
	if i < len(p.outcomes) {
		v.outcomes.add(&p.outcomes[i])
	}
	if p.odd {
		v.Polls = saturate(v.Polls, c.polls)
		v.Other = saturate(v.Other, c.other)
	}
	if served := p.served(i); p.timed && served > 0 {
		v.peak(served, e.writes, p.second*s.config.base())
	}
	if len(p.more) == 0 {
		v.Commands.add(uint16(e.command), e.command>>16)
		for _, n := range c.commands {
			if n != 0 {
				v.Commands.add(uint16(n), n>>16)
			}
		}
		return
	}
	for _, n := range p.commandsOf(i, s.names) {
		if n != 0 {
			v.Commands.add(uint16(n), n>>16)
		}
	}
}

// peak keeps the second with the most requests; of equal ones the earlier.
func (v *KeyStats) peak(requests, writes uint64, at int64) {
	if cmp.Or(cmp.Compare(requests, v.Peak), cmp.Compare(v.PeakAt, at), cmp.Compare(writes, v.PeakWrites)) > 0 {
		v.Peak, v.PeakWrites, v.PeakAt = requests, writes, at
	}
}

// renumber replaces the command numbers.
func renumber(c []uint64, translate []uint16) {
	for i, v := range c {
		if v != 0 {
			c[i] = v&^0xffff | uint64(translate[uint16(v)])
		}
	}
}

// mergeStats adds src to dst, both of one key. A dst to which nothing was added yet is all zero; one to
// which something was has a command count.
func mergeStats(dst, src *KeyStats) {
	if *dst == (KeyStats{}) {
		*dst = *src
		return
	}
	dst.Writes = saturate(dst.Writes, src.Writes)
	dst.Polls = saturate(dst.Polls, src.Polls)
	dst.Other = saturate(dst.Other, src.Other)
	dst.Bytes = saturate(dst.Bytes, src.Bytes)
	dst.First = min(dst.First, src.First)
	dst.Last = max(dst.Last, src.Last)
	if src.Peak > 0 {
		dst.peak(src.Peak, src.PeakWrites, src.PeakAt)
	}
	dst.Algebra |= src.Algebra
	dst.outcomes.add(&src.outcomes)
	for _, c := range src.Commands {
		if c != 0 {
			dst.Commands.add(uint16(c), c>>16)
		}
	}
}

func (s *Summary) cover(first, last int64) {
	if !s.timed {
		s.timed, s.first, s.last = true, first, last
		return
	}
	s.first, s.last = min(s.first, first), max(s.last, last)
}

// end is the time up to which the input covers.
func (s *Summary) end() int64 {
	if s.fine {
		return s.last
	}
	return s.last + int64(time.Second)
}

// maxPins bounds the keys that a window protects from Compact.
const maxPins = 16_384

// pins protects the keys that hold 1/256 of a kept window, so that a burst of one second in a long day
// keeps what is known of it. When there are too many the smallest shares go.
func (s *Summary) pins() func(sketch.Entry[KeyStats]) bool {
	share := map[string]float64{}
	for _, c := range s.windows.cells {
		for _, it := range c.list {
			if part := float64(it.Requests) / float64(max(1, c.total.Requests)); part >= 1.0/256 {
				key := s.windows.names.text(it.key)
				share[key] = max(share[key], part)
			}
		}
	}
	if len(share) > maxPins {
		type pin struct {
			key  string
			part float64
		}
		all := make([]pin, 0, len(share))
		for key, part := range share {
			all = append(all, pin{key, part})
		}
		slices.SortFunc(all, func(a, b pin) int {
			return cmp.Or(cmp.Compare(b.part, a.part), cmp.Compare(a.key, b.key))
		})
		for _, p := range all[maxPins:] {
			delete(share, p.key)
		}
	}
	return func(e sketch.Entry[KeyStats]) bool {
		_, ok := share[string(e.Key)]
		return ok
	}
}

// Merge adds another summary, which it leaves as it is. It only adds: where nothing had to be dropped
// from a table or a list, any order and grouping of merges gives the same bytes. Unlike configurations
// are refused. A different layout is no obstacle: partition loads are then dropped, and estimated when
// asked for.
func (s *Summary) Merge(o *Summary) error {
	if err := s.config.compatible(o.config); err != nil {
		return err
	}
	unlike, err := s.mergeParts(o)
	if err != nil {
		return err
	}
	translate := s.translate(o.names)
	s.keys.Merge(o.keys, func(dst, src *KeyStats) {
		renumbered := *src
		renumber(renumbered.Commands[:], translate)
		mergeStats(dst, &renumbered)
	})
	if err := s.countMin.Merge(o.countMin); err != nil {
		return err
	}
	if err := s.distinct.Merge(o.distinct); err != nil {
		return err
	}
	if err := s.clients.Merge(o.clients); err != nil {
		return err
	}
	if err := s.sample.Merge(o.sample); err != nil {
		return err
	}
	if s.groups != nil {
		s.groups.Merge(o.groups, mergeGroups)
	}
	s.columns |= o.columns
	s.total.add(&o.total)
	s.begun = saturate(s.begun, o.begun)
	s.keyless = saturate(s.keyless, o.keyless)
	s.bytes = saturate(s.bytes, o.bytes)
	for i, n := range o.commands {
		s.commands[translate[i]] = saturate(s.commands[translate[i]], n)
	}
	for i := range s.slots {
		s.slots[i].add(&o.slots[i])
	}
	if o.timed {
		s.cover(o.first, o.last)
		s.fine = s.fine || o.fine
	}
	for _, w := range []struct{ to, from *series }{{s.windows, o.windows}, {s.blocks, o.blocks}} {
		if unlike {
			w.to.dropParts()
		}
		w.to.merge(w.from)
		if unlike {
			w.to.dropParts()
		}
	}
	s.windows.names.sweep(s.windows, s.blocks)
	return nil
}

// Compact drops what exceeds the key budget. Merge never does it.
func (s *Summary) Compact() {
	if s.keys.Len() > s.config.KeyBudget {
		s.keys.Compact(max(MinKeyBudget, s.config.KeyBudget/2), s.pins())
	}
	s.windows.compact()
	s.blocks.compact()
}

// mergeParts adds the loads by partition; unlike says that the layouts differ and the loads were dropped.
func (s *Summary) mergeParts(o *Summary) (unlike bool, err error) {
	mine, theirs := s.config.Layout, o.config.Layout
	switch {
	case theirs == nil && o.begun == 0 && o.total.Requests == 0:
		return false, nil // nothing to add
	case mine == nil && s.begun == 0 && s.total.Requests == 0:
		s.config.Layout = theirs
		s.parts = make([]load, len(o.parts))
		if theirs != nil {
			s.partKeys = newPartKeys(len(o.parts))
		}
	case mine == nil && theirs == nil:
		return false, nil
	case mine == nil || theirs == nil || mine.ID() != theirs.ID():
		s.config.Layout, s.parts, s.partKeys = nil, nil, nil
		return true, nil
	}
	for i := range s.parts {
		s.parts[i].add(&o.parts[i])
	}
	for i := range s.partKeys {
		if err := s.partKeys[i].Merge(o.partKeys[i]); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (c Config) compatible(o Config) error {
	switch {
	case c.Window != o.Window:
		return fmt.Errorf("summaries of unlike windows: %v and %v", c.Window, o.Window)
	case c.KeyBudget != o.KeyBudget:
		return fmt.Errorf("summaries of unlike key budgets: %d and %d", c.KeyBudget, o.KeyBudget)
	case c.Template != o.Template:
		return fmt.Errorf("summaries with and without templates")
	}
	return nil
}

// Count returns bounds for the number of touches of any key, listed or not.
func (s *Summary) Count(key []byte) sketch.Estimate {
	hash := request.Hash(key)
	bound := s.countMin.Estimate(hash)
	if e, ok := s.keys.Find(key, hash); ok {
		lower, upper := s.keys.Bounds(e)
		return estimate(lower, max(lower, min(upper, bound)))
	}
	return estimate(0, min(bound, s.keys.Absent()))
}

func estimate(lower, upper uint64) sketch.Estimate {
	return sketch.Estimate{Value: float64(upper), Lower: float64(lower), Upper: float64(upper)}
}
