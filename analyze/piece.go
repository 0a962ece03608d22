package analyze

import (
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// entry counts the rows of one key and one class in a piece, in one cache line.
type entry struct {
	hash        uint64
	count       uint64 // the weight of the rows
	bytes       uint64
	first, last int64 // times of the first and the last touch
	offset      int64 // of the first touch, in its input
	keyAt       uint32
	class       uint32
	input       uint32
	keyLen      uint16
}

// sighting is the first touch.
func (e *entry) sighting() sketch.Sighting {
	return sketch.Sighting{Time: e.first, Input: e.input, Offset: e.offset}
}

// piece counts exactly, by key and class, the rows of one second that lie in one region of one chunk.
// Keys are compared by their bytes. What a row says beside its key is in its class, so counting it is one
// look-up and a handful of additions in one cache line; reads, writes, commands and algebras are told
// apart once per entry, when the second is closed.
type piece struct {
	// second is floor(time / base); meaningless when untimed.
	second int64
	timed  bool

	// index is an open-addressing table. A cell holds the number of an entry, + 1, in its low bits and, in
	// those that this leaves free, a piece of the mixed hash, which spares most looks at other keys.
	index   []uint32
	bits    uint // log2 of its size
	entries []entry
	keys    []byte
	classes []request.Class // by the numbers in the entries
	names   []string        // of their commands
	kinds   []kind          // the classes as the summary sees them; set when the chunk is folded

	rows        uint64
	first, last int64 // times covered
	// unordered says that some row is earlier than one before it.
	unordered bool
	// keyless is the weight of the rows without a key, by class.
	keyless []uint64
	// outcomes belong to the entries of the same number; it may be shorter.
	outcomes []outcomes
	answers  []answer
	refused  bool // some of the answers
	// spreads belong to the entries of the same number, where the piece is sampled and has weights; it may
	// be shorter.
	spreads []spread
	sampled bool
}

// group is how many rows are counted, and entries made room for, at once.
const group = 64

func (p *piece) reset(second int64, timed bool) {
	clear(p.index)
	*p = piece{
		second: second, timed: timed, index: p.index, bits: p.bits, entries: p.entries[:0], keys: p.keys[:0],
		keyless: p.keyless[:0], outcomes: p.outcomes[:0], answers: p.answers[:0],
		spreads: p.spreads[:0],
	}
	if p.index == nil {
		p.index, p.bits = make([]uint32, 16), 4
	}
}

func (p *piece) key(e *entry) []byte {
	end := e.keyAt + uint32(e.keyLen)
	return p.keys[e.keyAt:end:end]
}

// mix makes one hash of a key's and its class.
func mix(hash uint64, class uint32) uint64 { return hash ^ uint64(class+1)*0x9e3779b97f4a7c15 }

// tag is the piece of a mixed hash that a cell of the index holds.
func (p *piece) tag(mixed uint64) uint32 { return uint32(mixed) << p.bits }

// find returns the number of an entry, -1 if there is none, and the slot where its number is or belongs.
func (p *piece) find(key []byte, hash uint64, class uint32) (i int, at uint64) {
	mixed := mix(hash, class)
	tag, low := p.tag(mixed), uint32(len(p.index)-1)
	for at = mixed >> (64 - p.bits); ; at = (at + 1) & uint64(low) {
		cell := p.index[at]
		if cell == 0 {
			return -1, at
		}
		if cell&^low != tag {
			continue
		}
		i := int(cell&low) - 1
		if e := &p.entries[i]; e.hash == hash && e.class == class && sketch.SameKey(p.key(e), key) {
			return i, at
		}
	}
}

// room makes room for n more entries, so that the index stays at most half full.
func (p *piece) room(n int) {
	bits := p.bits
	for 2*(len(p.entries)+n) > 1<<bits {
		bits++
	}
	if bits == p.bits {
		return
	}
	p.index, p.bits = make([]uint32, 1<<bits), bits
	mask := uint64(len(p.index) - 1)
	for i := range p.entries {
		e := &p.entries[i]
		mixed := mix(e.hash, e.class)
		at := mixed >> (64 - bits)
		for p.index[at] != 0 {
			at = (at + 1) & mask
		}
		p.index[at] = p.tag(mixed) | uint32(i+1)
	}
}

// add counts the rows from to to-1 of a batch of an input, all of this second. found is room for the
// numbers of their entries. (Looking a group of rows up in passes, as the rows of the summary are, costs a
// quarter more here: a piece fits the nearer caches.)
func (p *piece) add(b *request.Batch, input uint32, from, to int, found *[group]uint32) {
	p.classes, p.names = b.Classes().List(), b.Names
	p.cover(b, from, to)
	for ; from < to; from += group {
		p.addGroup(b, input, from, min(from+group, to), found)
	}
}

// cover notes the times of rows.
func (p *piece) cover(b *request.Batch, from, to int) {
	if b.Time != nil {
		first, last, unordered := p.first, p.last, p.unordered
		if p.rows == 0 {
			first, last = b.Time[from], b.Time[from]
		}
		for _, ns := range b.Time[from:to] {
			if ns < last {
				unordered = true
				first = min(first, ns)
			}
			last = max(last, ns)
		}
		p.first, p.last, p.unordered = first, last, unordered
	}
	p.rows += uint64(to - from)
}

func (p *piece) addGroup(b *request.Batch, input uint32, from, to int, found *[group]uint32) {
	p.room(to - from)
	for r := from; r < to; r++ {
		found[r-from] = uint32(p.count(b, input, r) + 1)
	}
	if b.Status != nil || b.Cache != nil {
		p.outcome(b, from, to, found)
	}
	if p.sampled && b.Weight != nil {
		p.spread(b, from, to, found)
	}
}

// count counts row r of a batch. It returns the number of its entry, -1 for a row without a key.
func (p *piece) count(b *request.Batch, input uint32, r int) int {
	var ns int64
	if b.Time != nil {
		ns = b.Time[r]
	}
	weight, class := b.WeightOf(r), b.Class[r]
	if b.ClassOf(r).Flags&request.NoKey != 0 {
		p.countKeyless(class, weight)
		return -1
	}
	key := b.Key(r)
	i, at := p.find(key, b.Hash[r], class)
	if i < 0 {
		p.insert(at, key, entry{
			hash: b.Hash[r], class: class, count: weight, bytes: b.Size[r], first: ns, last: ns,
			offset: b.Offset[r], input: input,
		})
		return len(p.entries) - 1
	}
	e := &p.entries[i]
	e.count = saturate(e.count, weight)
	e.bytes = saturate(e.bytes, b.Size[r])
	e.last = max(e.last, ns)
	if ns < e.first {
		e.first, e.offset = ns, b.Offset[r]
	}
	return i
}

// insert adds an entry with its key; at is its place in the index.
func (p *piece) insert(at uint64, key []byte, e entry) {
	e.keyAt, e.keyLen = uint32(len(p.keys)), uint16(len(key))
	p.keys = append(p.keys, key...)
	p.entries = append(p.entries, e)
	p.index[at] = p.tag(mix(e.hash, e.class)) | uint32(len(p.entries))
}

// join adds another piece of the same second that comes behind. The classes of the entries become the numbers
// of their kinds; all are the kinds of the summary.
func (p *piece) join(o *piece, all []kind) {
	if p.rows == 0 {
		p.first, p.last = o.first, o.last
	}
	p.kinds = all
	p.unordered = p.unordered || o.unordered || o.first < p.last
	p.first, p.last = min(p.first, o.first), max(p.last, o.last)
	p.rows += o.rows
	for class, n := range o.keyless {
		if n > 0 {
			p.countKeyless(o.kinds[class].number, n)
		}
	}
	for n := range o.entries {
		if n%group == 0 {
			p.room(min(group, len(o.entries)-n))
		}
		e := o.entries[n]
		e.class = o.kinds[e.class].number
		key := o.key(&o.entries[n])
		i, at := p.find(key, e.hash, e.class)
		if i < 0 {
			i = len(p.entries)
			p.insert(at, key, e)
		} else {
			p.entries[i].add(&e)
		}
		if n < len(o.outcomes) {
			p.outcomesOf(i).add(&o.outcomes[n])
		}
		if n < len(o.spreads) {
			p.spreadOf(i).add(o.spreads[n])
		}
	}
}

// add adds another entry of the same key and class that comes behind.
func (e *entry) add(o *entry) {
	e.count = saturate(e.count, o.count)
	e.bytes = saturate(e.bytes, o.bytes)
	e.last = max(e.last, o.last)
	if o.sighting().Compare(e.sighting()) < 0 {
		e.first, e.offset, e.input = o.first, o.offset, o.input
	}
}

func (p *piece) countKeyless(class uint32, weight uint64) {
	for len(p.keyless) <= int(class) {
		p.keyless = append(p.keyless, 0)
	}
	p.keyless[class] = saturate(p.keyless[class], weight)
}

// saturate adds without wrapping.
func saturate(a, b uint64) uint64 {
	if s := a + b; s >= a {
		return s
	}
	return 1<<64 - 1
}
