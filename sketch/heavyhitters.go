package sketch

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
)

// HeavyHitters counts the weight per key, exactly until Compact drops keys and with bounds after that
// (the package comment proves them). V is what the caller keeps per key beside the weight (counts by
// kind, times); it must hold no pointers, and what it says covers the weight Lower of its key.
type HeavyHitters[V any] struct {
	t      table[counter[V]]
	n      uint64
	offset uint64
}

// counter has the payload between its numbers, so that the front of the payload shares a cache line with the
// key and the number that every Add changes.
type counter[V any] struct {
	g     uint64
	value V
	cov   uint64
}

// Entry is one key of the table. Key aliases the table's memory: it must not be changed, and lives until the
// next Compact.
type Entry[V any] struct {
	Key  []byte
	Hash uint64
	// G is the Misra-Gries counter, Cov what Compact deducted from it since the key came in.
	G, Cov uint64
	Value  V
}

// NewHeavyHitters returns an empty table.
func NewHeavyHitters[V any]() *HeavyHitters[V] { return &HeavyHitters[V]{} }

// Add counts weight n for a key and returns its payload for updating: the zero V if the key is new to
// the table. The pointer is valid until the next Add, Compact or Merge. Weight 0 counts nothing but
// brings the key in. Two keys are one if their bytes are equal, whatever their hashes.
func (h *HeavyHitters[V]) Add(key []byte, hash, n uint64) *V {
	r, _, _ := h.t.get(key, hash)
	r.row.g = addSat(r.row.g, n)
	h.n = addSat(h.n, n)
	return &r.row.value
}

// Group is the most keys that are looked up at once.
const Group = 8

// Lookups looks up many keys of a table that is larger than the caches, where Add alone would wait for
// each. It does so in stages for groups of keys, each of which fetches from memory what the next needs, so
// that a group waits while others are worked on.
type Lookups struct {
	room   room
	groups [stages]group
	next   int
}

// stages is how many groups are under way: one that is sought, one located, one whose long keys are
// reached, and one to be added.
const stages = 4

type group struct {
	hashes [Group]uint64
	hints  [Group]int32
	n      int
}

// Next takes the next group, of n keys (at most Group, and 0 behind the last one) whose hashes it asks for,
// moves those under way on by a stage, and returns the hints for the group that came three calls before.
func (h *HeavyHitters[V]) Next(l *Lookups, n int, hash func(i int) uint64) (hints []int32) {
	stage := func(age int) *group { return &l.groups[(l.next+stages-age)%stages] }
	g := stage(0)
	g.n = n
	for i := range n {
		g.hashes[i] = hash(i)
	}
	h.t.seek(g.hashes[:n], &l.room)
	g = stage(1)
	h.t.locate(g.hashes[:g.n], g.hints[:g.n], &l.room)
	g = stage(2)
	h.t.reach(g.hints[:g.n], &l.room)
	g = stage(3)
	l.next = (l.next + 1) % stages
	return g.hints[:g.n]
}

// AddAt is Add with the hint that Next gave for the key's hash; a wrong one costs time alone. It also
// says which row of the table the key has, until the next Compact, and whether the key is new to it.
func (h *HeavyHitters[V]) AddAt(hint int32, key []byte, hash, n uint64) (v *V, row int32, isNew bool) {
	var r *record[counter[V]]
	found := hint >= 0 && int(hint) < h.t.count
	if found {
		r, row = h.t.at(int(hint)), hint
		found = r.hash == hash && SameKey(h.t.key(r), key)
	}
	if !found {
		r, row, found = h.t.get(key, hash)
	}
	r.row.g = addSat(r.row.g, n)
	h.n = addSat(h.n, n)
	return &r.row.value, row, !found
}

// Row returns the key and the payload of a row of the table.
func (h *HeavyHitters[V]) Row(row int32) (key []byte, v *V) {
	r := h.t.at(int(row))
	return h.t.key(r), &r.row.value
}

// Find returns the entry of a key, if the table holds it.
func (h *HeavyHitters[V]) Find(key []byte, hash uint64) (Entry[V], bool) {
	r := h.t.find(key, hash)
	if r == nil {
		return Entry[V]{}, false
	}
	return h.entry(r), true
}

func (h *HeavyHitters[V]) entry(r *record[counter[V]]) Entry[V] {
	return Entry[V]{Key: h.t.key(r), Hash: r.hash, G: r.row.g, Cov: r.row.cov, Value: r.row.value}
}

// Len is the number of keys in the table.
func (h *HeavyHitters[V]) Len() int { return h.t.count }

// N is the total weight added, that of dropped keys included.
func (h *HeavyHitters[V]) N() uint64 { return h.n }

// Offset is the sum of all deductions: the most that a key's upper bound exceeds its counter by. While
// it is 0 every count is exact.
func (h *HeavyHitters[V]) Offset() uint64 { return h.offset }

// Bounds returns the least and the most weight that a key of the table can have. They meet, and the
// count is exact, if Cov equals Offset.
func (h *HeavyHitters[V]) Bounds(e Entry[V]) (lower, upper uint64) {
	return addSat(e.G, e.Cov), addSat(e.G, h.offset)
}

// Absent is the most weight that a key outside the table can have.
func (h *HeavyHitters[V]) Absent() uint64 { return h.offset }

// Merge adds other, which it leaves as it is. merge adds the payload of each key of other, which covers
// the weight n there, to that of this table: to the zero V where the key is new. Merge
// drops nothing: it is commutative and associative if merge is, and the empty table is its identity.
func (h *HeavyHitters[V]) Merge(other *HeavyHitters[V], merge func(dst, src *V, n uint64)) {
	for i := range other.t.count {
		src := other.t.at(i)
		dst, _, _ := h.t.get(other.t.key(src), src.hash)
		dst.row.g = addSat(dst.row.g, src.row.g)
		dst.row.cov = addSat(dst.row.cov, src.row.cov)
		merge(&dst.row.value, &src.row.value, addSat(src.row.g, src.row.cov))
	}
	h.n = addSat(h.n, other.n)
	h.offset = addSat(h.offset, other.offset)
}

// Compact cuts the table down to at most keep entries and those that pinned (which may be nil) names.
// The (keep+1)-th largest counter is deducted from every counter; an entry with nothing left is
// dropped, so that all entries tied at it go, unless it is pinned: pinned is asked about those only,
// and sees them before the deduction. A table of at most keep entries stays as it is. dropped (which may
// be nil) sees each entry that goes, as it was before the deduction.
func (h *HeavyHitters[V]) Compact(keep int, pinned func(Entry[V]) bool, dropped func(*Entry[V])) {
	keep = max(keep, 0)
	if h.t.count <= keep {
		return
	}
	d := h.largest(keep + 1)
	var e Entry[V] // one for all: it is handed on by address
	h.t.retain(func(key []byte, r *record[counter[V]]) bool {
		row := &r.row
		if row.g <= d {
			e = Entry[V]{Key: key, Hash: r.hash, G: row.g, Cov: row.cov, Value: row.value}
			if pinned == nil || !pinned(e) {
				if dropped != nil {
					dropped(&e)
				}
				return false
			}
		}
		lost := min(row.g, d)
		row.g -= lost
		row.cov = addSat(row.cov, lost)
		return true
	})
	h.offset = addSat(h.offset, d)
}

// largest returns the k-th largest counter, 1 <= k <= Len: in one pass if it is small, as it is where most
// keys are new, else digit by digit from the highest byte. That is linear for any input, and needs no copy
// of the counters.
func (h *HeavyHitters[V]) largest(k int) uint64 {
	var all uint64
	var small [256]int
	larger := h.t.count
	for i := range h.t.count {
		g := h.t.at(i).row.g
		all |= g
		if g < uint64(len(small)) {
			small[g]++
			larger--
		}
	}
	if k > larger {
		g := len(small) - 1
		for k -= larger; k > small[g]; g-- {
			k -= small[g]
		}
		return uint64(g)
	}
	var prefix, known uint64
	for shift := 56; shift >= 0; shift -= 8 {
		if all>>shift == 0 {
			known |= 0xff << shift
			continue
		}
		var n [256]int
		for i := range h.t.count {
			if g := h.t.at(i).row.g; g&known == prefix {
				n[byte(g>>shift)]++
			}
		}
		digit := 255
		for ; k > n[digit]; digit-- {
			k -= n[digit]
		}
		prefix |= uint64(digit) << shift
		known |= 0xff << shift
	}
	return prefix
}

// All yields the entries in the order of the table, which depends on the order of the Adds. The table must not
// be changed meanwhile.
func (h *HeavyHitters[V]) All() iter.Seq[Entry[V]] {
	return func(yield func(Entry[V]) bool) {
		for i := range h.t.count {
			if !yield(h.entry(h.t.at(i))) {
				return
			}
		}
	}
}

// Top returns the n largest entries, sorted by upper bound, then lower bound (both falling), then key
// bytes.
func (h *HeavyHitters[V]) Top(n int) []Entry[V] {
	n = max(0, min(n, h.t.count))
	order := func(a, b *record[counter[V]]) int {
		return cmp.Or(
			cmp.Compare(addSat(b.row.g, h.offset), addSat(a.row.g, h.offset)),
			cmp.Compare(addSat(b.row.g, b.row.cov), addSat(a.row.g, a.row.cov)),
			bytes.Compare(h.t.key(a), h.t.key(b)))
	}
	// Of every 2n candidates the better half goes on: O(N log n) without a heap.
	best := make([]*record[counter[V]], 0, 2*n)
	for i := 0; i < h.t.count && n > 0; i++ {
		if len(best) == 2*n {
			slices.SortFunc(best, order)
			best = best[:n]
		}
		best = append(best, h.t.at(i))
	}
	slices.SortFunc(best, order)
	top := make([]Entry[V], n)
	for i := range top {
		top[i] = h.entry(best[i])
	}
	return top
}

// Clone returns a copy that shares nothing that changes.
func (h *HeavyHitters[V]) Clone() *HeavyHitters[V] {
	return &HeavyHitters[V]{t: h.t.clone(), n: h.n, offset: h.offset}
}

// Used is the memory that the keys in the table take: a function of the keys alone, unlike Bytes.
func (h *HeavyHitters[V]) Used() int { return h.t.used() }

// Bytes is the memory that the table holds, roughly.
func (h *HeavyHitters[V]) Bytes() int { return h.t.bytes() }
