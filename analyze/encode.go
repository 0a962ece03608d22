package analyze

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"keyskew/ingest/request"
	"keyskew/sketch"
)

// tagSummary is the kind of the frame of a summary. It is part of the format.
const tagSummary byte = 'S'

// errUnsettled: a summary that is still being counted has parts of its counts in its table alone.
var errUnsettled = errors.New("a summary that is not finished cannot be saved")

// AppendBinary appends a finished summary to dst. Equal content gives equal bytes, in whatever order it
// was counted and merged. docs/summary.md describes the bytes.
func (s *Summary) AppendBinary(dst []byte) ([]byte, error) {
	if !s.settled {
		return nil, errUnsettled
	}
	e := newEncoder(s)
	return sketch.AppendFrame(dst, tagSummary, e.append), nil
}

// encoder numbers the commands and the listed keys of a summary canonically.
type encoder struct {
	s        *Summary
	commands []string // sorted
	kinds    []kind   // what stands for each of them
	byName   map[string]int
	listed   []string // sorted
	numbers  []uint32 // of a listed key here, by its number in the summary
}

func newEncoder(s *Summary) *encoder {
	e := &encoder{s: s, byName: map[string]int{}}
	e.commands = slices.Sorted(slices.Values(s.names))
	e.kinds = make([]kind, len(e.commands))
	for i, name := range e.commands {
		e.byName[name] = i
		e.kinds[i] = kind{op: noOp}
	}
	for _, k := range s.kinds {
		i := e.byName[s.names[k.command]]
		e.kinds[i] = common(e.kinds[i], k)
	}
	live := make([]bool, len(s.windows.names.keys))
	for _, w := range []*series{s.windows, s.blocks} {
		w.lists(func(list []item) {
			for _, it := range list {
				live[it.key] = true
			}
		})
	}
	for number, is := range live {
		if is {
			e.listed = append(e.listed, s.windows.names.text(uint32(number)))
		}
	}
	slices.Sort(e.listed)
	e.numbers = make([]uint32, len(live))
	for i, text := range e.listed {
		e.numbers[s.windows.names.numbers[text]] = uint32(i)
	}
	return e
}

// noOp stands for a command that no key was touched with.
const noOp request.Op = 255

// common is what two kinds of one command have in common: it stands for both in a saved summary, and what
// the touches of a key have beside it is kept with the key.
func common(a, b kind) kind {
	if a.op == noOp {
		return kind{op: b.op, algebra: b.algebra}
	}
	out := kind{op: b.op, algebra: a.algebra & b.algebra}
	// A write comes last: only commands that always write say it of a key without its own count of writes.
	if b.op == request.Write || a.op != request.Write && a.op < b.op {
		out.op = a.op
	}
	return out
}

func (e *encoder) append(b []byte) []byte {
	s := e.s
	b = e.appendConfig(b)
	b = e.appendTotals(b)
	b = s.keys.AppendBinary(b, func(b []byte, _ *keyRow) []byte { return b })
	b = e.appendRows(b)
	b = s.countMin.AppendBinary(b)
	b = s.distinct.AppendBinary(b)
	b = s.clients.AppendBinary(b)
	b = s.sample.AppendBinary(b)
	if s.groups != nil {
		b = s.groups.AppendBinary(b, appendGroup)
	}
	b = appendLoads(b, s.slots)
	if s.config.Layout != nil {
		b = appendLoads(b, s.parts)
		for _, d := range s.partKeys {
			b = d.AppendBinary(b)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(e.listed)))
	for _, text := range e.listed {
		b = appendText(b, text)
	}
	b = e.appendSeries(b, s.windows)
	return e.appendSeries(b, s.blocks)
}

func (e *encoder) appendConfig(b []byte) []byte {
	c := &e.s.config
	b = binary.AppendUvarint(b, uint64(c.Window))
	b = binary.AppendUvarint(b, uint64(c.KeyBudget))
	b = binary.AppendUvarint(b, uint64(c.KeyMemory))
	b = appendBool(b, c.Template)
	b = appendBool(b, c.Sampled)
	b = appendBool(b, c.Layout != nil)
	if c.Layout == nil {
		return b
	}
	b = appendText(b, c.Layout.Partitioner)
	b = appendText(b, c.Layout.Title)
	b = binary.AppendUvarint(b, uint64(len(c.Layout.Partitions)))
	for _, p := range c.Layout.Partitions {
		b = appendText(b, p.ID)
		b = binary.AppendUvarint(b, uint64(len(p.Slots)))
		for _, r := range p.Slots {
			b = binary.AppendUvarint(b, uint64(r.First))
			b = binary.AppendUvarint(b, uint64(r.Last))
		}
	}
	return b
}

func (e *encoder) appendTotals(b []byte) []byte {
	s := e.s
	b = binary.AppendUvarint(b, uint64(s.columns))
	b = appendLoad(b, &s.total)
	for _, n := range []uint64{s.begun, s.keyless, s.bytes, uint64(s.spread)} {
		b = binary.AppendUvarint(b, n)
	}
	b = appendBool(b, s.timed)
	if s.timed {
		b = appendBool(b, s.fine)
		b = binary.AppendVarint(b, s.first)
		b = binary.AppendVarint(b, s.last-s.first)
	}
	b = binary.AppendUvarint(b, uint64(len(e.commands)))
	for i, name := range e.commands {
		b = appendText(b, name)
		b = binary.AppendUvarint(b, s.commands[s.numbers[name]])
		b = append(b, byte(e.kinds[i].op))
		b = binary.AppendUvarint(b, uint64(e.kinds[i].algebra))
	}
	return b
}

// appendRows appends what is known of the keys beside their counts, in the order of the table.
func (e *encoder) appendRows(b []byte) []byte {
	keys := e.s.keys
	order := make([]int32, keys.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		a, _ := keys.Row(x)
		b, _ := keys.Row(y)
		return bytes.Compare(a, b)
	})
	for _, i := range order {
		key, _ := keys.Row(i)
		entry, _ := keys.Find(key, request.Hash(key))
		b = e.appendRow(b, &entry)
	}
	return b
}

// Flags of a row, which say what follows.
const (
	rowMixed byte = 1 << iota // ops beside what the commands say
	rowAlgebra
	rowLess
	rowUnnamed
	rowOutcomes
	rowPeak
	rowBytes
	rowSpread
)

func (e *encoder) appendRow(b []byte, entry *sketch.Entry[keyRow]) []byte {
	s, v := e.s, &entry.Value
	stats := s.statsOf(entry)
	slices.SortFunc(stats.Commands, func(x, y CommandCount) int { return cmp.Compare(x.Name, y.Name) })
	var x extra
	if v.extra != 0 {
		x = *s.extras.at(v.extra)
	}
	mixed := extra{writes: stats.Writes, polls: stats.Polls, other: stats.Other}
	algebra := stats.Algebra
	for _, c := range stats.Commands {
		k := &e.kinds[e.byName[c.Name]]
		mixed.shift(k.op, -c.Count)
		algebra &^= k.algebra
	}
	var flags byte
	set := func(flag byte, is bool) {
		if is {
			flags |= flag
		}
	}
	set(rowMixed, mixed.writes|mixed.polls|mixed.other != 0)
	set(rowAlgebra, algebra != 0)
	set(rowLess, x.less > 0)
	set(rowUnnamed, x.unnamed > 0)
	set(rowOutcomes, x.outcomes != outcomes{})
	set(rowPeak, v.peak > 0)
	set(rowBytes, v.bytes > 0)
	set(rowSpread, x.spread > 0)
	b = append(b, flags, byte(len(stats.Commands)))
	for i, c := range stats.Commands {
		b = binary.AppendUvarint(b, uint64(e.byName[c.Name]))
		if i > 0 { // the first one has the rest
			b = binary.AppendUvarint(b, c.Count)
		}
	}
	b = binary.AppendVarint(b, v.first-s.first)
	b = binary.AppendVarint(b, v.last-v.first)
	if flags&rowPeak != 0 {
		b = binary.AppendUvarint(b, v.peak)
		b = binary.AppendUvarint(b, v.peakWrites)
		b = binary.AppendVarint(b, v.peakAt-v.first)
	}
	if flags&rowBytes != 0 {
		b = binary.AppendUvarint(b, v.bytes)
	}
	if flags&rowMixed != 0 {
		for _, n := range []uint64{mixed.writes, mixed.polls, mixed.other} {
			b = binary.AppendVarint(b, int64(n))
		}
	}
	if flags&rowAlgebra != 0 {
		b = binary.AppendUvarint(b, uint64(algebra))
	}
	if flags&rowLess != 0 {
		b = binary.AppendUvarint(b, x.less)
	}
	if flags&rowUnnamed != 0 {
		b = binary.AppendUvarint(b, x.unnamed)
	}
	if flags&rowOutcomes != 0 {
		for _, n := range []uint64{x.Errors, x.Retries, x.Hits, x.Misses} {
			b = binary.AppendUvarint(b, n)
		}
	}
	if flags&rowSpread != 0 {
		b = binary.AppendUvarint(b, uint64(x.spread))
	}
	return b
}

func (e *encoder) appendSeries(b []byte, w *series) []byte {
	b = append(b, byte(w.rung))
	at := w.at()
	b = binary.AppendUvarint(b, uint64(len(at)))
	for _, i := range at {
		c := w.cells[i]
		b = binary.AppendVarint(b, i)
		b = e.appendCell(b, c)
		if w.rung == 0 || !w.spec.busiest {
			continue
		}
		total := e.appendSecond(nil, c.busyTotal)
		key := e.appendSecond(nil, c.busyKey)
		same := bytes.Equal(total, key)
		b = append(b, total...)
		b = appendBool(b, same)
		if !same {
			b = append(b, key...)
		}
	}
	return b
}

func (e *encoder) appendSecond(b []byte, sec *second) []byte {
	return e.appendCell(binary.AppendVarint(b, sec.at), &sec.cell)
}

func (e *encoder) appendCell(b []byte, c *cell) []byte {
	b = binary.AppendVarint(b, c.first)
	b = binary.AppendVarint(b, c.last-c.first)
	b = appendLoad(b, &c.total)
	b = appendBool(b, c.parts != nil)
	if c.parts != nil {
		b = appendLoads(b, c.parts)
	}
	b = binary.AppendUvarint(b, c.cut)
	list := slices.Clone(c.list)
	for i := range list {
		list[i].key = e.numbers[list[i].key]
	}
	byKey := func(x, y item) int { return cmp.Compare(x.key, y.key) }
	if !slices.IsSortedFunc(list, byKey) { // they are in a summary that was loaded
		slices.SortFunc(list, byKey)
	}
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, it := range list {
		for _, n := range []uint64{uint64(it.key), it.Requests, it.Reads, it.Writes, it.Work, it.own} {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendLoad(b []byte, l *load) []byte {
	for _, n := range []uint64{l.Requests, l.Reads, l.Writes, l.Polls, l.Work} {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// appendLoads appends those loads that are not empty, each with how many empty ones are before it.
func appendLoads(b []byte, all []load) []byte {
	n := 0
	for i := range all {
		if all[i] != (load{}) {
			n++
		}
	}
	b = binary.AppendUvarint(b, uint64(n))
	last := -1
	for i := range all {
		if all[i] == (load{}) {
			continue
		}
		b = binary.AppendUvarint(b, uint64(i-last-1))
		b = appendLoad(b, &all[i])
		last = i
	}
	return b
}

func appendGroup(b []byte, g *groupStats) []byte {
	for _, n := range []uint64{g.Keys, g.Writes, g.Polls, g.Other, uint64(g.spread)} {
		b = binary.AppendUvarint(b, n)
	}
	return b
}
