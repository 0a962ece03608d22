package analyze

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"keyskew/analyze/partition"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// Limits of what is decoded, beside the bytes themselves.
const (
	maxDecodedKeys = 1 << 28
	maxCommands    = math.MaxUint16
)

// DecodeSummary reads a summary from the start of src and returns it with what follows it. It refuses all
// bytes that AppendBinary does not write.
func DecodeSummary(src []byte) (s *Summary, rest []byte, err error) {
	r, rest, err := sketch.OpenFrame(src, tagSummary)
	if err != nil {
		return nil, nil, err
	}
	d := &decoder{r: r}
	d.read()
	if err := r.Done(); err != nil {
		return nil, nil, fmt.Errorf("summary: %w", err)
	}
	// What is left to refuse are other ways to say the same.
	again, err := d.s.AppendBinary(nil)
	if err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(again, src[:len(src)-len(rest)]) {
		return nil, nil, fmt.Errorf("summary: %w: not in its canonical form", sketch.ErrDamaged)
	}
	return d.s, rest, nil
}

type decoder struct {
	r *sketch.Reader
	s *Summary
	// places are the numbers of the kinds of the commands, + 1; 0 for a command that touches no key.
	places []uint32
}

func (d *decoder) read() {
	c := d.config()
	if d.r.Err() != nil {
		return
	}
	s, err := NewSummary(c)
	if err != nil {
		d.r.Fail("%v", err)
		return
	}
	s.settled = true
	d.s = s
	d.totals()
	d.keys()
	d.sketches()
	d.loads(s.slots)
	if s.config.Layout != nil {
		d.loads(s.parts)
		for i := range s.partKeys {
			d.distinct(&s.partKeys[i])
		}
	}
	last := ""
	for i := range d.r.Count(maxDecodedKeys, 1) {
		key := d.bytes()
		if i > 0 && string(key) <= last {
			d.r.Fail("listed keys out of order")
		}
		if d.r.Err() != nil {
			return
		}
		last = string(key)
		s.windows.names.number(key)
	}
	d.series(s.windows)
	d.series(s.blocks)
}

func (d *decoder) config() Config {
	r := d.r
	c := Config{Window: time.Duration(d.int()), KeyBudget: d.int(), KeyMemory: d.int(), Template: d.bool(), Sampled: d.bool()}
	if !d.bool() {
		return c
	}
	id, title := string(d.bytes()), string(d.bytes())
	parts := make([]partition.Partition, r.Count(partition.MaxPartitions, 2))
	for i := range parts {
		parts[i].ID = string(d.bytes())
		n := r.Count(partition.Slots, 2)
		for range n {
			parts[i].Slots = append(parts[i].Slots, partition.Range{First: d.int(), Last: d.int()})
		}
	}
	if r.Err() != nil {
		return c
	}
	l, err := partition.New(id, title, parts)
	if err != nil {
		r.Fail("layout: %v", err)
	}
	c.Layout = l
	return c
}

func (d *decoder) totals() {
	r, s := d.r, d.s
	columns := r.Uvarint()
	if columns > math.MaxUint16 {
		r.Fail("columns")
	}
	s.columns = request.Columns(columns)
	s.total = d.load()
	s.begun, s.keyless, s.bytes = r.Uvarint(), r.Uvarint(), r.Uvarint()
	s.spread = spread(r.Uvarint())
	if s.timed = d.bool(); s.timed {
		s.fine = d.bool()
		s.first = r.Varint()
		s.last = s.first + r.Varint()
	}
	for range r.Count(maxCommands, 4) {
		name := string(d.bytes())
		if _, twice := s.numbers[name]; twice {
			r.Fail("a command twice")
		}
		count := r.Uvarint()
		k := kind{op: request.Op(r.Byte()), algebra: request.Algebra(r.Uvarint())}
		if k.op > request.Poll && (k.op != noOp || k.algebra != 0) {
			r.Fail("op %d", k.op)
		}
		if r.Err() != nil {
			return
		}
		k.command = s.command(name)
		s.commands[k.command] = count
		if k.op == noOp {
			d.places = append(d.places, 0)
			continue
		}
		d.places = append(d.places, s.numbered(k).number+1)
	}
}

// keys reads the table, and then the rows in the order of their keys.
func (d *decoder) keys() {
	d.r.Nested(func(src []byte) (rest []byte, err error) {
		d.s.keys, rest, err = sketch.DecodeHeavyHitters(src, maxDecodedKeys,
			func(src []byte, _ *keyRow) ([]byte, error) { return src, nil })
		return rest, err
	})
	if d.r.Err() != nil {
		return
	}
	for i := range d.s.keys.Len() {
		key, v := d.s.keys.Row(int32(i))
		if d.row(key, v); d.r.Err() != nil {
			return
		}
	}
}

func (d *decoder) row(key []byte, v *keyRow) {
	r, s := d.r, d.s
	flags, n := r.Byte(), int(r.Byte())
	if flags >= rowBytes<<1 || n < 1 || n > kindSlots {
		r.Fail("a key with %d commands", n)
		return
	}
	v.slot, v.part = uint16(partition.Slot(key)), noPart
	if l := s.config.Layout; l != nil {
		if at := l.OfSlot(int(v.slot)); at >= 0 {
			v.part = uint16(at)
		}
	}
	for i := range n {
		number := r.Uvarint()
		if number >= uint64(len(d.places)) || d.places[number] == 0 {
			r.Fail("command %d", number)
			return
		}
		switch place := d.places[number]; i {
		case 0:
			v.kind = place
		case 1:
			v.second = kindCount{r.Uvarint(), place}
		default:
			s.extras.of(v).more[i-2] = kindCount{r.Uvarint(), place}
		}
	}
	v.first = s.first + r.Varint()
	v.last = v.first + r.Varint()
	if flags&rowPeak != 0 {
		v.peak, v.peakWrites, v.peakAt = r.Uvarint(), r.Uvarint(), v.first+r.Varint()
	}
	if flags&rowBytes != 0 {
		v.bytes = r.Uvarint()
	}
	if flags&^(rowPeak|rowBytes) == 0 {
		return
	}
	x := s.extras.of(v)
	if flags&rowMixed != 0 {
		x.writes, x.polls, x.other = uint64(r.Varint()), uint64(r.Varint()), uint64(r.Varint())
	}
	if flags&rowAlgebra != 0 {
		x.algebra = request.Algebra(r.Uvarint())
	}
	if flags&rowLess != 0 {
		x.less = r.Uvarint()
	}
	if flags&rowUnnamed != 0 {
		x.unnamed = r.Uvarint()
	}
	if flags&rowOutcomes != 0 {
		x.outcomes = outcomes{Errors: r.Uvarint(), Retries: r.Uvarint(), Hits: r.Uvarint(), Misses: r.Uvarint()}
	}
	if flags&rowSpread != 0 {
		x.spread = spread(r.Uvarint())
	}
}

func (d *decoder) sketches() {
	s := d.s
	d.r.Nested(func(src []byte) (rest []byte, err error) {
		s.countMin, rest, err = sketch.DecodeCountMin(src, countMinDepth*countMinWidth)
		return rest, err
	})
	d.distinct(&s.distinct)
	d.distinct(&s.clients)
	d.r.Nested(func(src []byte) (rest []byte, err error) {
		s.sample, rest, err = sketch.DecodeKeySample(src, sampleKeys)
		return rest, err
	})
	if s.groups == nil {
		return
	}
	d.r.Nested(func(src []byte) (rest []byte, err error) {
		s.groups, rest, err = sketch.DecodeHeavyHitters(src, maxDecodedKeys, decodeGroup)
		return rest, err
	})
}

func (d *decoder) distinct(to **sketch.Distinct) {
	d.r.Nested(func(src []byte) (rest []byte, err error) {
		*to, rest, err = sketch.DecodeDistinct(src)
		return rest, err
	})
}

func decodeGroup(src []byte, g *groupStats) ([]byte, error) {
	r := sketch.NewReader(src)
	g.Keys, g.Writes, g.Polls, g.Other = r.Uvarint(), r.Uvarint(), r.Uvarint(), r.Uvarint()
	g.spread = spread(r.Uvarint())
	return r.Left(), r.Err()
}

func (d *decoder) series(w *series) {
	r := d.r
	w.rung = int(r.Byte())
	if w.rung >= len(w.spec.rungs) {
		r.Fail("rung %d", w.rung)
		w.rung = 0
	}
	last := int64(math.MinInt64)
	for i := range r.Count(w.spec.most, 11) {
		at := r.Varint()
		if i > 0 && at <= last {
			r.Fail("windows out of order")
		}
		last = at
		c := d.cell(w)
		if w.rung > 0 && w.spec.busiest {
			c.busyTotal = d.second(w)
			c.busyKey = c.busyTotal
			if !d.bool() {
				c.busyKey = d.second(w)
			}
		}
		if r.Err() != nil {
			return
		}
		w.cells[at] = &c
	}
}

func (d *decoder) second(w *series) *second { return &second{at: d.r.Varint(), cell: d.cell(w)} }

func (d *decoder) cell(w *series) cell {
	r := d.r
	c := cell{first: r.Varint()}
	c.last = c.first + r.Varint()
	c.total = d.load()
	if d.bool() {
		if d.s.config.Layout == nil || len(d.s.parts) > coarsePartitions {
			r.Fail("loads of no partitions")
			return c
		}
		c.parts = make([]load, len(d.s.parts))
		d.loads(c.parts)
	}
	c.cut = r.Uvarint()
	listed := uint64(len(w.names.keys))
	n := r.Count(len(w.names.keys), 6)
	c.list = slices.Grow(c.list, n)
	for range n {
		number := r.Uvarint()
		it := item{
			key: uint32(number), Requests: r.Uvarint(), Reads: r.Uvarint(), Writes: r.Uvarint(), Work: r.Uvarint(),
			own: r.Uvarint(),
		}
		switch {
		case r.Err() != nil:
			return c
		case number >= listed || len(c.list) > 0 && c.list[len(c.list)-1].key >= it.key:
			r.Fail("list out of order")
			return c
		case it.own > c.cut:
			r.Fail("a cut-off above that of the window")
			return c
		}
		c.list = append(c.list, it)
	}
	return c
}

func (d *decoder) load() load {
	r := d.r
	return load{Requests: r.Uvarint(), Reads: r.Uvarint(), Writes: r.Uvarint(), Polls: r.Uvarint(), Work: r.Uvarint()}
}

func (d *decoder) loads(all []load) {
	at := -1
	for range d.r.Count(len(all), 6) {
		gap := d.r.Uvarint()
		if gap >= uint64(len(all)-at-1) {
			d.r.Fail("load of no partition")
			return
		}
		at += int(gap) + 1
		all[at] = d.load()
	}
}

func (d *decoder) bytes() []byte { return d.r.Bytes(d.r.Uvarint()) }

// int reads a number of the configuration; the longest window is the largest of them.
func (d *decoder) int() int {
	n := d.r.Uvarint()
	if n > uint64(30*24*time.Hour) {
		d.r.Fail("number %d", n)
		return 0
	}
	return int(n)
}

func (d *decoder) bool() bool {
	b := d.r.Byte()
	if b > 1 {
		d.r.Fail("flag %d", b)
	}
	return b == 1
}
