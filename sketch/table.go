package sketch

import (
	"bytes"
	"slices"
	"unsafe"
)

const (
	slabBits  = 11 // records in a slab: 2,048
	slabSize  = 1 << slabBits
	chunkSize = 256 << 10 // bytes of a full arena chunk
	minChunk  = 256
	minIndex  = 4 // log2 of the smallest index
)

// record is a key's place in a table. R holds no pointers, so the collector has nothing to scan.
type record[R any] struct {
	hash uint64
	at   uint64 // arena position
	size int    // of the key, in bytes
	row  R
}

// table is a hash table from key bytes to R. Records lie in slabs in the order in which they came in, key bytes
// in arena chunks in the same order: growing copies neither, only the index of 4 bytes a slot is made
// anew (from the stored hashes). A slot holds a record number + 1 in its low bits and, in the bits that
// leaves free, a piece of the hash, which spares most look-ups of unlike keys the walk to the record.
type table[R any] struct {
	slabs [][]record[R]
	index []uint32 // open addressing, linear probing; 0 is free
	bits  uint     // log2(len(index))
	count int
	keys  arena
}

func (t *table[R]) at(i int) *record[R] { return &t.slabs[i>>slabBits][i&(slabSize-1)] }

func (t *table[R]) key(r *record[R]) []byte { return t.keys.get(r.at, r.size) }

// probe returns the record of a key, or the free slot where it belongs. The index is not empty.
func (t *table[R]) probe(key []byte, hash uint64) (*record[R], uint64) {
	mask := uint64(len(t.index) - 1)
	tag := uint32(hash) << t.bits
	low := uint32(mask)
	for slot := hash >> (64 - t.bits); ; slot = (slot + 1) & mask {
		s := t.index[slot]
		if s == 0 {
			return nil, slot
		}
		if s&^low != tag {
			continue
		}
		r := t.at(int(s&low) - 1)
		if r.hash == hash && bytes.Equal(t.key(r), key) {
			return r, slot
		}
	}
}

// find returns the record of a key, or nil.
func (t *table[R]) find(key []byte, hash uint64) *record[R] {
	if t.count == 0 {
		return nil
	}
	r, _ := t.probe(key, hash)
	return r
}

// get returns the record of a key and whether it was there; a new one has the zero row.
func (t *table[R]) get(key []byte, hash uint64) (*record[R], bool) {
	if 4*(t.count+1) > 3*len(t.index) {
		t.reindex(max(minIndex, t.bits+1))
	}
	r, slot := t.probe(key, hash)
	if r != nil {
		return r, true
	}
	s := t.count >> slabBits
	if s == len(t.slabs) {
		size := slabSize
		if s == 0 {
			size = 8 // most tables of a window stay small: the first slab grows
		}
		t.slabs = append(t.slabs, make([]record[R], 0, size))
	}
	t.slabs[s] = append(t.slabs[s], record[R]{hash: hash, at: t.keys.add(key), size: len(key)})
	t.place(slot, t.count, hash)
	t.count++
	return t.at(t.count - 1), false
}

// locate writes, for each key, the number of its record, or -1 if that is not the first one that its hash
// leads to: passes of loads that do not depend on each other.
func (t *table[R]) locate(keys [][]byte, hashes []uint64, hints []int32) {
	hints, keys = hints[:len(hashes)], keys[:len(hashes)]
	if t.count == 0 {
		for j := range hints {
			hints[j] = -1
		}
		return
	}
	mask := uint32(len(t.index) - 1)
	for j, hash := range hashes {
		hints[j] = int32(t.index[hash>>(64-t.bits)]&mask) - 1
	}
	for j, hash := range hashes {
		if i := hints[j]; i >= 0 && t.at(int(i)).hash != hash {
			hints[j] = -1
		}
	}
	for j, i := range hints {
		if i >= 0 && !bytes.Equal(t.key(t.at(int(i))), keys[j]) {
			hints[j] = -1
		}
	}
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
		key := old.get(r.at, r.size)
		for ; released < r.at>>32; released++ {
			old.chunks[released] = nil
		}
		if !keep(key, r) {
			continue
		}
		to := t.at(kept)
		*to = *r
		to.at = t.keys.add(key)
		kept++
	}
	t.count = kept
	full := (kept + slabSize - 1) >> slabBits
	t.slabs = slices.Delete(t.slabs, full, len(t.slabs))
	if full > 0 {
		t.slabs[full-1] = t.slabs[full-1][:kept-(full-1)<<slabBits]
	}
	// The index keeps its size while the table is likely to fill up to it again.
	bits := uint(minIndex)
	for 4*(kept+1) > 3<<bits {
		bits++
	}
	if bits+2 >= t.bits {
		bits = t.bits
	}
	t.reindex(bits)
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
	c.index = slices.Clone(t.index)
	c.keys = t.keys.clone()
	return c
}

// bytes is the memory held, without the slice headers of slabs and chunks.
func (t *table[R]) bytes() int {
	n := 4*cap(t.index) + t.keys.held
	for _, s := range t.slabs {
		n += cap(s) * int(unsafe.Sizeof(record[R]{}))
	}
	return n
}

// arena holds key bytes in chunks, so that many keys are few objects. Bytes once written never change.
type arena struct {
	chunks [][]byte
	held   int // bytes of all chunks
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
	return uint64(last)<<32 | uint64(off)
}

func (a *arena) get(at uint64, size int) []byte {
	off := int(uint32(at))
	return a.chunks[at>>32][off : off+size : off+size]
}

// clone shares the bytes, which never change; both sides go on writing to chunks of their own.
func (a *arena) clone() arena {
	c := arena{chunks: slices.Clone(a.chunks), held: a.held}
	for i := range c.chunks {
		c.chunks[i] = slices.Clip(c.chunks[i])
	}
	return c
}
