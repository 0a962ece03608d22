package sketch

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unsafe"

	"keyskew/sketch/prefetch"
)

const (
	slabBits  = 11 // records in a slab: 2,048
	slabSize  = 1 << slabBits
	chunkSize = 256 << 10 // bytes of a full arena chunk
	minChunk  = 256
	minIndex  = 4 // log2 of the smallest index
)

// inlineKey is how many bytes of a key fit its record.
const inlineKey = 14

// record is a key's place in a table. R holds no pointers, so the collector has nothing to scan. A short
// key lies in the record, which spares the look-up of most keys a cache miss; of a long one, the arena
// position and the length do.
type record[R any] struct {
	hash uint64
	text [inlineKey]byte
	size uint16 // of a short key, in bytes; isLong
	row  R
}

const isLong = inlineKey + 1

// at is the arena position of a long key.
func (r *record[R]) at() uint64 { return binary.LittleEndian.Uint64(r.text[:8]) }

// length is that of the key, in bytes.
func (r *record[R]) length() int {
	if r.size <= inlineKey {
		return int(r.size)
	}
	return int(binary.LittleEndian.Uint64(r.text[6:]) >> 16)
}

// table is a hash table from key bytes to R. Records lie in slabs in the order in which they came in, long
// keys in arena chunks in the same order: growing copies neither, only the index of 4 bytes a slot is made
// anew (from the stored hashes). A slot holds a record number + 1 in its low bits and, in the bits that
// leaves free, a piece of the hash, which spares most look-ups of unlike keys the walk to the record.
type table[R any] struct {
	slabs [][]record[R]
	spare [][]record[R] // slabs that were emptied, to be filled again
	index []uint32      // open addressing, linear probing; 0 is free
	bits  uint          // log2(len(index))
	count int
	keys  arena
}

func (t *table[R]) at(i int) *record[R] { return &t.slabs[i>>slabBits][i&(slabSize-1)] }

func (t *table[R]) key(r *record[R]) []byte {
	if n := int(r.size); n <= inlineKey {
		return r.text[:n:n]
	}
	return t.keys.get(r.at(), r.length())
}

// setKey gives a record its key.
func (t *table[R]) setKey(r *record[R], key []byte) {
	if len(key) <= inlineKey {
		r.size = uint16(copy(r.text[:], key))
		return
	}
	r.size = isLong
	binary.LittleEndian.PutUint64(r.text[6:], uint64(len(key))<<16)
	binary.LittleEndian.PutUint64(r.text[:8], t.keys.add(key))
}

// SameKey compares two keys; those of 8 to 16 bytes, most of all, as two words that may overlap, which
// spares the call that bytes.Equal makes.
func SameKey(a, b []byte) bool {
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

// probe returns the number of the record of a key, or -1 and the free slot where it belongs. The index is
// not empty.
func (t *table[R]) probe(key []byte, hash uint64) (int32, uint64) {
	mask := uint64(len(t.index) - 1)
	tag := uint32(hash) << t.bits
	low := uint32(mask)
	for slot := hash >> (64 - t.bits); ; slot = (slot + 1) & mask {
		s := t.index[slot]
		if s == 0 {
			return -1, slot
		}
		if s&^low != tag {
			continue
		}
		i := int32(s&low) - 1
		if r := t.at(int(i)); r.hash == hash && SameKey(t.key(r), key) {
			return i, slot
		}
	}
}

// find returns the record of a key, or nil.
func (t *table[R]) find(key []byte, hash uint64) *record[R] {
	if t.count == 0 {
		return nil
	}
	i, _ := t.probe(key, hash)
	if i < 0 {
		return nil
	}
	return t.at(int(i))
}

// get returns the record of a key, its number, and whether it was there; a new one has the zero row.
func (t *table[R]) get(key []byte, hash uint64) (r *record[R], i int32, found bool) {
	if 4*(t.count+1) > 3*len(t.index) {
		t.reindex(max(minIndex, t.bits+1))
	}
	i, slot := t.probe(key, hash)
	if i >= 0 {
		return t.at(int(i)), i, true
	}
	s := t.count >> slabBits
	if s == len(t.slabs) {
		t.slabs = append(t.slabs, t.slab())
	}
	t.slabs[s] = append(t.slabs[s], record[R]{hash: hash})
	r = &t.slabs[s][len(t.slabs[s])-1]
	t.setKey(r, key)
	t.place(slot, t.count, hash)
	t.count++
	return r, int32(t.count - 1), false
}

// slab returns an empty slab.
func (t *table[R]) slab() []record[R] {
	if n := len(t.spare); n > 0 {
		s := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return s
	}
	if len(t.slabs) == 0 {
		return make([]record[R], 0, 8) // most tables stay small: the first slab grows
	}
	return make([]record[R], 0, slabSize)
}

// room is room for the addresses of a group of look-ups.
type room [2 * Group]uintptr

// seek begins to look up the keys of some hashes, at most Group: it has the cells of the index fetched where
// they begin.
func (t *table[R]) seek(hashes []uint64, r *room) {
	if t.count == 0 {
		return
	}
	for j, hash := range hashes {
		r[j] = prefetch.At(&t.index[hash>>(64-t.bits)])
	}
	prefetch.Lines(r[:len(hashes)])
}

// locate finds, for each hash, the number of the record that is likely to be its, or -1 if there is none,
// and has the records fetched.
func (t *table[R]) locate(hashes []uint64, hints []int32, r *room) {
	hints = hints[:len(hashes)]
	if t.count == 0 {
		for j := range hints {
			hints[j] = -1
		}
		return
	}
	mask := uint64(len(t.index) - 1)
	low := uint32(mask)
	n := 0
	for j, hash := range hashes {
		slot, tag := hash>>(64-t.bits), uint32(hash)<<t.bits
		s := t.index[slot]
		for s != 0 && s&^low != tag {
			slot = (slot + 1) & mask
			s = t.index[slot]
		}
		i := int32(s&low) - 1
		hints[j] = i
		if i >= 0 {
			at := prefetch.At(t.at(int(i)))
			r[n], r[n+1] = at, at+prefetch.LineSize
			n += 2
		}
	}
	prefetch.Lines(r[:n])
}

// reach has the keys of the records fetched that do not lie in them.
func (t *table[R]) reach(hints []int32, r *room) {
	n := 0
	for _, i := range hints {
		if i < 0 {
			continue
		}
		if k := t.at(int(i)); k.size == isLong {
			r[n] = prefetch.At(&t.key(k)[0])
			n++
		}
	}
	prefetch.Lines(r[:n])
}

func (t *table[R]) place(slot uint64, i int, hash uint64) {
	t.index[slot] = uint32(hash)<<t.bits | uint32(i+1)
}

// reindex makes the index anew with 2^bits slots.
func (t *table[R]) reindex(bits uint) {
	if bits == t.bits {
		clear(t.index)
	} else {
		t.index, t.bits = make([]uint32, 1<<bits), bits
	}
	mask := uint64(len(t.index) - 1)
	for i := range t.count {
		hash := t.at(i).hash
		slot := hash >> (64 - bits)
		for t.index[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.place(slot, i, hash)
	}
}

// retain drops the records that keep refuses and packs the others densely, in their order. Slabs are
// packed in place; key bytes move to a new arena while the old chunks are let go one by one, so that
// two full copies never exist at once. keep may change the row.
func (t *table[R]) retain(keep func(key []byte, r *record[R]) bool) {
	old, released, kept := t.keys, uint64(0), 0
	t.keys = arena{}
	for i := range t.count {
		r := t.at(i)
		long := r.size == isLong
		var key []byte
		if long {
			key = old.get(r.at(), r.length())
			for ; released < r.at()>>32; released++ {
				old.chunks[released] = nil
			}
		} else {
			key = t.key(r)
		}
		if !keep(key, r) {
			continue
		}
		to := t.at(kept)
		*to = *r
		if long {
			binary.LittleEndian.PutUint64(to.text[:8], t.keys.add(key))
		}
		kept++
	}
	t.count = kept
	full := (kept + slabSize - 1) >> slabBits
	for _, s := range t.slabs[full:] {
		t.spare = append(t.spare, s[:0])
	}
	t.slabs = slices.Delete(t.slabs, full, len(t.slabs))
	if full > 0 {
		t.slabs[full-1] = t.slabs[full-1][:kept-(full-1)<<slabBits]
	}
	t.reindex(t.bits) // the table is likely to fill up again
}

// byKey returns the records in the order of their key bytes.
func (t *table[R]) byKey() []*record[R] {
	rs := make([]*record[R], t.count)
	for i := range rs {
		rs[i] = t.at(i)
	}
	slices.SortFunc(rs, func(a, b *record[R]) int { return bytes.Compare(t.key(a), t.key(b)) })
	return rs
}

func (t *table[R]) clone() table[R] {
	c := *t
	c.slabs = make([][]record[R], len(t.slabs))
	for i, s := range t.slabs {
		c.slabs[i] = slices.Clone(s)
	}
	c.spare = nil
	c.index = slices.Clone(t.index)
	c.keys = t.keys.clone()
	return c
}

// used is the memory that the keys take, with two slots of the index for each.
func (t *table[R]) used() int { return t.count*(int(unsafe.Sizeof(record[R]{}))+2*4) + t.keys.length }

// bytes is the memory held, without the slice headers of slabs and chunks.
func (t *table[R]) bytes() int {
	n := 4*cap(t.index) + t.keys.held
	for _, s := range slices.Concat(t.slabs, t.spare) {
		n += cap(s) * int(unsafe.Sizeof(record[R]{}))
	}
	return n
}

// arena holds key bytes in chunks, so that many keys are few objects. Bytes once written never change.
type arena struct {
	chunks [][]byte
	held   int // bytes of all chunks
	length int // bytes of the keys in them
}

// add copies the key and returns its position: chunk number, then 32 bits of offset. Chunks double up
// to chunkSize; a longer key gets one of its own.
func (a *arena) add(key []byte) uint64 {
	last := len(a.chunks) - 1
	if last < 0 || len(key) > cap(a.chunks[last])-len(a.chunks[last]) {
		size := max(len(key), min(chunkSize, max(minChunk, a.held)))
		a.chunks = append(a.chunks, make([]byte, 0, size))
		a.held += size
		last++
	}
	off := len(a.chunks[last])
	a.chunks[last] = append(a.chunks[last], key...)
	a.length += len(key)
	return uint64(last)<<32 | uint64(off)
}

func (a *arena) get(at uint64, size int) []byte {
	off := int(uint32(at))
	return a.chunks[at>>32][off : off+size : off+size]
}

// clone shares the bytes, which never change; both sides go on writing to chunks of their own.
func (a *arena) clone() arena {
	c := arena{chunks: slices.Clone(a.chunks), held: a.held, length: a.length}
	for i := range c.chunks {
		c.chunks[i] = slices.Clip(c.chunks[i])
	}
	return c
}
