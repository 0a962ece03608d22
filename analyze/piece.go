package analyze

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math/bits"
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

// pieceCommands is how many commands an entry of a piece counts in place; the rest go to piece.more.
const pieceCommands = 3

// hotEntry is what nearly every request changes of a key's counts in a piece: one cache line.
type hotEntry struct {
	hash          uint64
	keyAt, keyLen uint32
	reads, writes uint64
	bytes         uint64
	last          int64 // time of the last touch
	algebra       request.Algebra
	command       uint64 // the first of its commands, as in commandCounts
}

// coldEntry is the rest.
type coldEntry struct {
	at       sketch.Sighting // the first touch
	wroteAt  sketch.Sighting // the first write, if there was one
	polls    uint64
	other    uint64
	less     uint64                    // what its served touches lack of whole commands, in workUnits
	commands [pieceCommands - 1]uint64 // further commands, as in commandCounts
}

// piece counts exactly the requests of one second, or of a part of it. Keys are compared by their bytes.
//
// Rows are counted in groups, in three passes: the first loads all index cells, the second compares
// the entries that they name, the third changes them. The loads of one pass do not depend on each
// other, so the processor has many under way at once instead of waiting for each. The plain form is
// entry and count, row by row.
type piece struct {
	// second is floor(time / base); meaningless when untimed.
	second int64
	timed  bool
	input  int // of the rows at hand

	index []uint32 // entry number + 1, open addressing
	hot   []hotEntry
	cold  []coldEntry
	keys  []byte

	first, last int64 // times covered
	rows        uint64
	commands    uint64 // server commands, also those without a key
	keyless     uint64
	touched     bool // by the region at hand (open seconds)
	// odd is set when some entry has polls, other touches or touches that are less than a command.
	odd bool
	// more counts touches by commands that found no place in their entry, so that a piece is exact
	// whatever the order: the entry's number in the upper 48 bits, the command in the lower 16.
	more map[uint64]uint64
	// order holds the keys of more, sorted, once the piece is complete.
	order []uint64
	// outcomes belong to the entries of the same number; it may be shorter. failed holds the hashes of
	// client and key of the requests that were refused.
	outcomes []outcomes
	failed   map[uint64]struct{}
}

// outcomes counts how the requests of an entry went, where the input says so.
type outcomes struct {
	// Errors are responses with a status of 5xx or 429, Retries requests of a client for a key that it
	// had just been refused so, in the same second.
	Errors, Retries uint64
	Hits, Misses    uint64 // of a cache in front
}

func (o *outcomes) add(n *outcomes) {
	o.Errors = saturate(o.Errors, n.Errors)
	o.Retries = saturate(o.Retries, n.Retries)
	o.Hits = saturate(o.Hits, n.Hits)
	o.Misses = saturate(o.Misses, n.Misses)
}

// refused reports whether a status is one after which clients try again.
func refused(status uint16) bool { return status >= 500 || status == 429 }

// group is how many rows, or entries, are looked up at once.
const group = 256

func (p *piece) reset(second int64, timed bool) {
	clear(p.index)
	clear(p.more)
	clear(p.failed)
	*p = piece{
		second: second, timed: timed,
		index: p.index, hot: p.hot[:0], cold: p.cold[:0], keys: p.keys[:0], more: p.more, order: p.order[:0],
		outcomes: p.outcomes[:0], failed: p.failed,
	}
	if p.index == nil {
		p.index = make([]uint32, 16)
	}
}

func (p *piece) len() int { return len(p.hot) }

func (p *piece) key(i int) []byte {
	e := &p.hot[i]
	return p.keys[e.keyAt : e.keyAt+e.keyLen : e.keyAt+e.keyLen]
}

// served is the touches of entry i without polls.
func (p *piece) served(i int) uint64 {
	e := &p.hot[i]
	n := saturate(e.reads, e.writes)
	if p.odd {
		n = saturate(n, p.cold[i].other)
	}
	return n
}

// requests is all touches of entry i.
func (p *piece) requests(i int) uint64 {
	n := p.served(i)
	if p.odd {
		n = saturate(n, p.cold[i].polls)
	}
	return n
}

// load is the requests of entry i.
func (p *piece) load(i int) load {
	l := load{Requests: p.served(i), Reads: p.hot[i].reads, Writes: p.hot[i].writes}
	l.Work = work(l.Requests)
	if p.odd {
		l.Polls = p.cold[i].polls
		l.Requests = saturate(l.Requests, l.Polls)
		l.Work -= min(l.Work, p.cold[i].less)
	}
	return l
}

// workUnits is how finely a command's work is divided among its keys.
const workUnits = 1 << 20

// work is that of n whole commands.
func work(n uint64) uint64 {
	if n >= 1<<44 {
		return 1<<64 - 1
	}
	return n * workUnits
}

// countCommand counts n touches of entry i by a command.
func (p *piece) countCommand(i int, command uint16, n uint64) {
	if e := &p.hot[i]; e.command == 0 || uint16(e.command) == command {
		e.command = min(saturate(e.command>>16, n), commandCountMax)<<16 | uint64(command)
		return
	}
	if addCommand(p.cold[i].commands[:], command, n) {
		return
	}
	if p.more == nil {
		p.more = map[uint64]uint64{}
	}
	at := uint64(i)<<16 | uint64(command)
	p.more[at] = saturate(p.more[at], n)
}

// commandsOf returns the commonest commands of entry i; of equally common ones those with the smaller
// name, so that the choice does not depend on the order in which they came.
func (p *piece) commandsOf(i int, names []string) commandCounts {
	counts := commandCounts{p.hot[i].command}
	copy(counts[1:], p.cold[i].commands[:])
	if len(p.more) == 0 || counts[pieceCommands-1] == 0 {
		return counts
	}
	if len(p.order) != len(p.more) {
		p.order = slices.AppendSeq(p.order[:0], maps.Keys(p.more))
		slices.Sort(p.order)
	}
	all := slices.Clone(counts[:pieceCommands])
	j, _ := slices.BinarySearch(p.order, uint64(i)<<16)
	for ; j < len(p.order) && p.order[j]>>16 == uint64(i); j++ {
		all = append(all, min(p.more[p.order[j]], commandCountMax)<<16|p.order[j]&0xffff)
	}
	slices.SortFunc(all, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(b>>16, a>>16), cmp.Compare(names[uint16(a)], names[uint16(b)]))
	})
	clear(counts[:])
	copy(counts[:], all)
	return counts
}

// entry returns the number of a key's entry, new or not.
func (p *piece) entry(key []byte, hash uint64) (i int, isNew bool) {
	mask := uint64(len(p.index) - 1)
	slot := hash & mask
	for ; p.index[slot] != 0; slot = (slot + 1) & mask {
		i := int(p.index[slot] - 1)
		if p.hot[i].hash == hash && bytes.Equal(p.key(i), key) {
			return i, false
		}
	}
	p.hot = append(p.hot, hotEntry{hash: hash, keyAt: uint32(len(p.keys)), keyLen: uint32(len(key))})
	p.cold = append(p.cold, coldEntry{})
	p.keys = append(p.keys, key...)
	p.index[slot] = uint32(len(p.hot))
	return len(p.hot) - 1, true
}

// room makes room for n more entries, so that the index stays at most half full.
func (p *piece) room(n int) {
	size := len(p.index)
	for 2*(len(p.hot)+n) > size {
		size *= 2
	}
	if size == len(p.index) {
		return
	}
	p.index = make([]uint32, size)
	mask := uint64(size - 1)
	for i := range p.hot {
		slot := p.hot[i].hash & mask
		for p.index[slot] != 0 {
			slot = (slot + 1) & mask
		}
		p.index[slot] = uint32(i + 1)
	}
}

// add counts the rows from to to-1 of a batch of an input, all of this second. at is room for what the
// index says of them.
func (p *piece) add(b *request.Batch, input, from, to int, at *[group]uint32) {
	p.input = input
	for ; from < to; from += group {
		p.addGroup(b, from, min(from+group, to), at)
	}
}

func (p *piece) addGroup(b *request.Batch, from, to int, at *[group]uint32) {
	n := to - from
	p.room(n)
	mask := uint64(len(p.index) - 1)
	for j, hash := range b.Hash[from:to] {
		at[j&(group-1)] = p.index[hash&mask]
	}
	for j := range n {
		i := int(at[j])
		if i == 0 {
			continue
		}
		if e := &p.hot[i-1]; e.hash != b.Hash[from+j] || !sameKey(p.key(i-1), b.Key(from+j)) {
			at[j] = 0
		}
	}
	for j := range n {
		p.count(b, from+j, int(at[j])-1)
	}
}

// count counts row r of a batch; i is the number of its key's entry, -1 when that is not known.
func (p *piece) count(b *request.Batch, r, i int) {
	ns := int64(0)
	if b.Time != nil {
		ns = b.Time[r]
	}
	late := p.rows > 0 && ns < p.last
	if p.rows == 0 {
		p.first, p.last = ns, ns
	} else {
		p.first, p.last = min(p.first, ns), max(p.last, ns)
	}
	p.rows++
	weight := b.WeightOf(r)
	flags := b.Flags[r]
	if flags&request.BeginsCommand != 0 {
		p.commands = saturate(p.commands, weight)
	}
	if flags&request.NoKey != 0 {
		if flags&request.BeginsCommand != 0 {
			p.keyless = saturate(p.keyless, weight)
		}
		return
	}
	isNew := false
	if i < 0 {
		i, isNew = p.entry(b.Key(r), b.Hash[r])
	}
	e := &p.hot[i]
	if isNew || late {
		p.sight(i, ns, b.Offset[r], isNew)
	}
	e.last = max(e.last, ns)
	switch b.Op[r] {
	case request.Read:
		e.reads = saturate(e.reads, weight)
	case request.Write:
		if e.writes == 0 || late {
			p.sightWrite(i, ns, b.Offset[r])
		}
		e.writes = saturate(e.writes, weight)
	case request.Poll:
		p.odd = true
		p.cold[i].polls = saturate(p.cold[i].polls, weight)
	default:
		p.odd = true
		p.cold[i].other = saturate(p.cold[i].other, weight)
	}
	if b.Op[r] != request.Poll && (flags&request.BeginsCommand == 0 || b.Keys != nil && b.Keys[r] > 1) {
		p.odd = true
		p.cold[i].less = saturate(p.cold[i].less, work(weight)-work(weight)/workUnits*share(b, r))
	}
	if b.Status != nil || b.Cache != nil {
		p.outcome(b, r, i, weight)
	}
	e.bytes = saturate(e.bytes, b.Size[r])
	e.algebra |= b.Algebra[r]
	if command := b.Command[r]; uint16(e.command) == command && e.command != 0 && e.command>>48 == 0 && weight < 1<<16 {
		e.command += weight << 16
	} else {
		p.countCommand(i, command, weight)
	}
}

// share is the part of its command's work that row r stands for, in workUnits.
func share(b *request.Batch, r int) uint64 {
	if b.Keys != nil && b.Keys[r] > 1 {
		return workUnits / uint64(b.Keys[r])
	}
	if b.Flags[r]&request.BeginsCommand != 0 {
		return workUnits
	}
	return 0
}

// outcome counts how row r, a request for the key of entry i, went.
func (p *piece) outcome(b *request.Batch, r, i int, weight uint64) {
	for len(p.outcomes) <= i {
		p.outcomes = append(p.outcomes, outcomes{})
	}
	o := &p.outcomes[i]
	if b.Cache != nil {
		switch b.Cache[r] {
		case request.CacheHit:
			o.Hits = saturate(o.Hits, weight)
		case request.CacheMiss:
			o.Misses = saturate(o.Misses, weight)
		}
	}
	if b.Status == nil {
		return
	}
	if b.Client != nil && b.Client[r] != 0 {
		pair := b.Hash[r] ^ bits.RotateLeft64(b.Client[r], 32)
		if _, again := p.failed[pair]; again {
			o.Retries = saturate(o.Retries, weight)
		}
		if refused(b.Status[r]) {
			if p.failed == nil {
				p.failed = map[uint64]struct{}{}
			}
			p.failed[pair] = struct{}{}
		}
	}
	if refused(b.Status[r]) {
		o.Errors = saturate(o.Errors, weight)
	}
}

// sight records a touch of entry i that may be its first: rows that are not late cannot be.
func (p *piece) sight(i int, ns, offset int64, isNew bool) {
	at := sketch.Sighting{Time: ns, Input: uint32(p.input), Offset: offset}
	if isNew {
		p.hot[i].last = ns
		p.cold[i].at = at
		return
	}
	p.cold[i].at = earlier(p.cold[i].at, at)
}

// sightWrite records a write to entry i that may be its first.
func (p *piece) sightWrite(i int, ns, offset int64) {
	at := sketch.Sighting{Time: ns, Input: uint32(p.input), Offset: offset}
	if p.hot[i].writes == 0 {
		p.cold[i].wroteAt = at
		return
	}
	p.cold[i].wroteAt = earlier(p.cold[i].wroteAt, at)
}

// sameKey compares two keys; those of 8 to 16 bytes, most of all, as two words that may overlap, which
// spares the call that bytes.Equal makes.
func sameKey(a, b []byte) bool {
	n := len(a)
	if n != len(b) {
		return false
	}
	if n < 8 || n > 16 {
		return bytes.Equal(a, b)
	}
	return binary.LittleEndian.Uint64(a) == binary.LittleEndian.Uint64(b) &&
		binary.LittleEndian.Uint64(a[n-8:]) == binary.LittleEndian.Uint64(b[n-8:])
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
