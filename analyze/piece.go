package analyze

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"keyskew/ingest/request"
	"keyskew/sketch"
)

// commandSlots is how many different commands the summary tells apart per key. Touches by further
// commands are counted, but under no name.
const commandSlots = 6

// commandCounts counts touches by command in a fixed array: the count in the upper 48 bits, the
// command's number in the lower 16. A zero element is free.
type commandCounts [commandSlots]uint64

const commandCountMax = 1<<48 - 1

func (c *commandCounts) add(command uint16, n uint64) bool { return addCommand(c[:], command, n) }

// addCommand counts n touches by a command; false when all places are taken by others.
func addCommand(c []uint64, command uint16, n uint64) bool {
	for i, v := range c {
		if v == 0 || uint16(v) == command {
			count := min(saturate(v>>16, n), commandCountMax)
			c[i] = count<<16 | uint64(command)
			return true
		}
	}
	return false
}

// renumber replaces the command numbers.
func renumber(c []uint64, translate []uint16) {
	for i, v := range c {
		if v != 0 {
			c[i] = v&^0xffff | uint64(translate[uint16(v)])
		}
	}
}

// pieceCommands is how many commands an entry of a piece counts in place; the rest go to piece.more.
const pieceCommands = 3

// pieceEntry is one key in a piece. Its size is what bounds the memory of open seconds.
type pieceEntry struct {
	hash          uint64
	number        uint32 // of the entry in its piece
	keyAt, keyLen uint32
	written       bool
	at            sketch.Sighting // the first touch
	wroteAt       sketch.Sighting // the first write, if written
	last          int64           // time of the last touch
	reads, writes uint64
	polls, other  uint64
	began         uint64 // commands that begin with this key
	bytes         uint64
	algebra       request.Algebra
	commands      [pieceCommands]uint64 // as in commandCounts
}

func (e *pieceEntry) requests() uint64 { return e.reads + e.writes + e.polls + e.other }

// served is the touches without polls.
func (e *pieceEntry) served() uint64 { return e.reads + e.writes + e.other }

// piece counts exactly the requests of one stretch of the input within one second: what a chunk's sink
// makes, and, joined, an open second. Keys are compared by their bytes.
type piece struct {
	input  int
	region int64
	// second is floor(time / base); meaningless when untimed.
	second int64
	timed  bool

	index   []uint32 // entry number + 1, open addressing
	entries []pieceEntry
	keys    []byte

	first, last int64 // times covered
	rows        uint64
	commands    uint64 // server commands, also those without a key
	keyless     uint64
	touched     bool // by the region at hand (open seconds)
	// more counts touches by commands that found no place in their entry's commands, so that a piece
	// is exact whatever the order: the entry's number in the upper 48 bits, the command in the lower 16.
	more map[uint64]uint64
	// order holds the keys of more, sorted, once the piece is complete.
	order []uint64
}

func (p *piece) reset(input int, region, second int64, timed bool) {
	clear(p.index)
	p.entries, p.keys = p.entries[:0], p.keys[:0]
	clear(p.more)
	*p = piece{
		input: input, region: region, second: second, timed: timed,
		index: p.index, entries: p.entries, keys: p.keys, more: p.more, order: p.order[:0],
	}
	if p.index == nil {
		p.index = make([]uint32, 16)
	}
}

func (p *piece) key(e *pieceEntry) []byte {
	return p.keys[e.keyAt : e.keyAt+e.keyLen : e.keyAt+e.keyLen]
}

// countCommand counts n touches of an entry by a command.
func (p *piece) countCommand(e *pieceEntry, command uint16, n uint64) {
	if addCommand(e.commands[:], command, n) {
		return
	}
	if p.more == nil {
		p.more = map[uint64]uint64{}
	}
	at := uint64(e.number)<<16 | uint64(command)
	p.more[at] = saturate(p.more[at], n)
}

// commandsOf returns the commonest commands of an entry; of equally common ones those with the smaller
// name, so that the choice does not depend on the order in which they came.
func (p *piece) commandsOf(e *pieceEntry, names []string) commandCounts {
	if len(p.more) == 0 || e.commands[pieceCommands-1] == 0 {
		var few commandCounts
		copy(few[:], e.commands[:])
		return few
	}
	if len(p.order) != len(p.more) {
		p.order = slices.AppendSeq(p.order[:0], maps.Keys(p.more))
		slices.Sort(p.order)
	}
	all := slices.Clone(e.commands[:])
	i, _ := slices.BinarySearch(p.order, uint64(e.number)<<16)
	for ; i < len(p.order) && p.order[i]>>16 == uint64(e.number); i++ {
		all = append(all, min(p.more[p.order[i]], commandCountMax)<<16|p.order[i]&0xffff)
	}
	slices.SortFunc(all, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(b>>16, a>>16), cmp.Compare(names[uint16(a)], names[uint16(b)]))
	})
	var most commandCounts
	copy(most[:], all)
	return most
}

// entry returns the entry of a key, new or not.
func (p *piece) entry(key []byte, hash uint64) (e *pieceEntry, isNew bool) {
	mask := uint64(len(p.index) - 1)
	i := hash & mask
	for ; p.index[i] != 0; i = (i + 1) & mask {
		e := &p.entries[p.index[i]-1]
		if e.hash == hash && bytes.Equal(p.key(e), key) {
			return e, false
		}
	}
	p.entries = append(p.entries, pieceEntry{
		hash: hash, number: uint32(len(p.entries)), keyAt: uint32(len(p.keys)), keyLen: uint32(len(key)),
	})
	p.keys = append(p.keys, key...)
	p.index[i] = uint32(len(p.entries))
	if 4*len(p.entries) > 3*len(p.index) {
		p.grow()
	}
	return &p.entries[len(p.entries)-1], true
}

func (p *piece) grow() {
	p.index = make([]uint32, 2*len(p.index))
	mask := uint64(len(p.index) - 1)
	for n := range p.entries {
		i := p.entries[n].hash & mask
		for p.index[i] != 0 {
			i = (i + 1) & mask
		}
		p.index[i] = uint32(n + 1)
	}
}

// cover widens the time covered.
func (p *piece) cover(ns int64) {
	if p.rows == 0 {
		p.first, p.last = ns, ns
		return
	}
	p.first, p.last = min(p.first, ns), max(p.last, ns)
}

// add counts row i of a batch.
func (p *piece) add(b *request.Batch, i int) {
	var ns int64
	if b.Time != nil {
		ns = b.Time[i]
	}
	p.cover(ns)
	p.rows++
	weight := b.WeightOf(i)
	flags := b.Flags[i]
	if flags&request.BeginsCommand != 0 {
		p.commands = saturate(p.commands, weight)
	}
	if flags&request.NoKey != 0 {
		if flags&request.BeginsCommand != 0 {
			p.keyless = saturate(p.keyless, weight)
		}
		return
	}
	e, isNew := p.entry(b.Key(i), b.Hash[i])
	at := sketch.Sighting{Time: ns, Input: uint32(p.input), Offset: b.Offset[i]}
	if isNew {
		e.last, e.at = ns, at
	} else {
		e.last, e.at = max(e.last, ns), earlier(e.at, at)
	}
	switch b.Op[i] {
	case request.Read:
		e.reads = saturate(e.reads, weight)
	case request.Write:
		e.writes = saturate(e.writes, weight)
		if !e.written {
			e.written, e.wroteAt = true, at
		} else {
			e.wroteAt = earlier(e.wroteAt, at)
		}
	case request.Poll:
		e.polls = saturate(e.polls, weight)
	default:
		e.other = saturate(e.other, weight)
	}
	if flags&request.BeginsCommand != 0 {
		e.began = saturate(e.began, weight)
	}
	e.bytes = saturate(e.bytes, b.Size[i])
	e.algebra |= b.Algebra[i]
	p.countCommand(e, b.Command[i], weight)
}

// join adds another piece of the same second. translate maps its command numbers to those in use here.
func (p *piece) join(other *piece, translate []uint16) {
	if other.rows == 0 {
		return
	}
	if p.rows == 0 {
		p.first, p.last = other.first, other.last
	} else {
		p.first, p.last = min(p.first, other.first), max(p.last, other.last)
	}
	p.rows += other.rows
	p.commands = saturate(p.commands, other.commands)
	p.keyless = saturate(p.keyless, other.keyless)
	for i := range other.entries {
		o := &other.entries[i]
		e, isNew := p.entry(other.key(o), o.hash)
		if isNew {
			number, at, n := e.number, e.keyAt, e.keyLen
			*e = *o
			e.number, e.keyAt, e.keyLen = number, at, n
			renumber(e.commands[:], translate)
			continue
		}
		e.last, e.at = max(e.last, o.last), earlier(e.at, o.at)
		if o.written {
			if e.written {
				e.wroteAt = earlier(e.wroteAt, o.wroteAt)
			} else {
				e.written, e.wroteAt = true, o.wroteAt
			}
		}
		e.reads = saturate(e.reads, o.reads)
		e.writes = saturate(e.writes, o.writes)
		e.polls = saturate(e.polls, o.polls)
		e.other = saturate(e.other, o.other)
		e.began = saturate(e.began, o.began)
		e.bytes = saturate(e.bytes, o.bytes)
		e.algebra |= o.algebra
		for _, v := range o.commands {
			if v != 0 {
				p.countCommand(e, translate[uint16(v)], v>>16)
			}
		}
	}
	for at, n := range other.more {
		o := &other.entries[at>>16]
		e, _ := p.entry(other.key(o), o.hash)
		p.countCommand(e, translate[uint16(at)], n)
	}
}

func earlier(a, b sketch.Sighting) sketch.Sighting {
	if b.Compare(a) < 0 {
		return b
	}
	return a
}

// saturate adds without wrapping.
func saturate(a, b uint64) uint64 {
	if s := a + b; s >= a {
		return s
	}
	return 1<<64 - 1
}
