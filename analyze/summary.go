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

// take takes o, which is a part of it, off.
func (l *load) take(o *load) {
	l.Requests -= min(l.Requests, o.Requests)
	l.Reads -= min(l.Reads, o.Reads)
	l.Writes -= min(l.Writes, o.Writes)
	l.Polls -= min(l.Polls, o.Polls)
	l.Work -= min(l.Work, o.Work)
}

// part is a share of it.
func (l load) part(share float64) load {
	of := func(n uint64) uint64 { return uint64(float64(n) * share) }
	return load{of(l.Requests), of(l.Reads), of(l.Writes), of(l.Polls), of(l.Work)}
}

// served is the requests without polls.
func (l load) served() uint64 { return l.Requests - l.Polls }

// Summary is the mergeable state of everything that was read: counts, sketches, windows and blocks, in
// a few megabytes. Merge only adds and commutes; Compact alone truncates.
type Summary struct {
	config Config

	keys     *sketch.HeavyHitters[keyRow]
	extras   extras
	countMin *sketch.CountMin
	distinct *sketch.Distinct
	clients  *sketch.Distinct
	sample   *sketch.KeySample

	columns     request.Columns // optional columns that the input has
	total       load
	spread      spread // of all weights
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
	kinds    []kind
	// kindNumbers finds a kind, whose number is then still 0.
	kindNumbers map[kind]uint32
	// settled says that the keys of the table are counted in countMin, slots and parts. Those that
	// Compact drops always are: a key is counted there when it goes, or at the end, which costs nothing
	// while it is read.
	settled bool

	// groups counts the keys by template; nil when nobody asked.
	groups   *sketch.HeavyHitters[groupStats]
	template []byte

	slots []load // by Redis Cluster slot
	// parts and partKeys count per partition of config.Layout; nil without one, or after a merge of
	// unlike layouts.
	parts    []load
	partKeys []*sketch.Distinct

	windows, blocks *series
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
		keys:     sketch.NewHeavyHitters[keyRow](),
		countMin: countMin,
		distinct: newDistinct(distinctPrecision),
		clients:  newDistinct(distinctPrecision),
		sample:   sketch.NewKeySample(min(sampleKeys, c.KeyBudget/4)),
		numbers:  map[string]uint16{},

		kindNumbers: map[kind]uint32{},
		slots:       make([]load, partition.Slots),
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
func (s *Summary) pins() func(sketch.Entry[keyRow]) bool {
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
	// Most keys that are asked about are not pinned: the filter, by a part of the hash, says so of nearly all
	// without a look into the map.
	const filterBits = 18
	filter := make([]bool, 1<<filterBits)
	for key := range share {
		filter[request.HashString(key)>>(64-filterBits)] = true
	}
	return func(e sketch.Entry[keyRow]) bool {
		if !filter[e.Hash>>(64-filterBits)] {
			return false
		}
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
	translate := s.translate(o)
	if s.groups != nil {
		s.mergeGroupsOf(o)
	}
	s.keys.Merge(o.keys, func(dst, src *keyRow, touches uint64) {
		s.mergeRow(dst, src, o, touches, translate)
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
	s.columns |= o.columns
	s.total.add(&o.total)
	s.spread.add(o.spread)
	s.begun = saturate(s.begun, o.begun)
	s.keyless = saturate(s.keyless, o.keyless)
	s.bytes = saturate(s.bytes, o.bytes)
	for i, n := range o.commands {
		at := s.command(o.names[i])
		s.commands[at] = saturate(s.commands[at], n)
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
	s.compactKeys()
	s.windows.compact()
	s.blocks.compact()
}

// compactKeys halves the table of keys if it exceeds its budget.
func (s *Summary) compactKeys() {
	most := min(s.keys.Len(), s.config.KeyBudget)
	if full := s.config.KeyMemory; s.keys.Len() <= most && (full == 0 || s.keys.Used()+s.extras.bytes() <= full) {
		return
	}
	f := newSettler(s)
	s.keys.Compact(max(MinKeyBudget, most/2), s.pins(), func(e *sketch.Entry[keyRow]) {
		if !s.settled {
			f.add(e)
		}
		s.extras.release(&e.Value)
	})
	f.flush()
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
	case c.KeyBudget != o.KeyBudget || c.KeyMemory != o.KeyMemory:
		return fmt.Errorf("summaries of unlike key budgets: %d keys in %d bytes and %d in %d", c.KeyBudget, c.KeyMemory, o.KeyBudget, o.KeyMemory)
	case c.Sampled != o.Sampled:
		return fmt.Errorf("summaries of a sample and of a whole input")
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
