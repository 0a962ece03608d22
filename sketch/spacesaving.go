package sketch

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/zeebo/xxh3"
)

// Counter is one key of a SpaceSaving: Count-Err <= truth <= Count.
type Counter struct {
	Key        string
	Count, Err uint64
}

// SpaceSaving is the textbook algorithm of Metwally, Agrawal and El Abbadi (2005, "Efficient
// computation of frequent and top-k elements in data streams", ICDT): k counters, and a new key takes
// over the smallest one. Ties evict the smallest (count, key), so that runs repeat. Every key above
// N/k is held and no count is more than N/k too high. It costs a heap step per Add; HeavyHitters
// counts faster and merges without loss.
type SpaceSaving struct {
	k         int
	counters  []ssCounter
	heap      []int32          // counters by (count, key), the smallest first
	chains    map[uint64]int32 // hash to the first counter, as index+1
	n         uint64
	evictions uint64
	// floor is the most that a key not held can have while counters are free: 0 until a merge with a
	// full summary of fewer counters.
	floor uint64
}

type ssCounter struct {
	key        []byte
	hash       uint64
	count, err uint64
	next       int32 // next counter of the same hash, as index+1
	place      int32 // in heap
}

// NewSpaceSaving returns an empty summary of k counters, at least one.
func NewSpaceSaving(k int) *SpaceSaving {
	return &SpaceSaving{k: max(k, 1), chains: make(map[uint64]int32)}
}

// Add counts weight w for a key. Weight 0 changes nothing.
func (s *SpaceSaving) Add(key []byte, w uint64) { s.add(key, xxh3.Hash(key), w) }

func (s *SpaceSaving) add(key []byte, hash, w uint64) {
	if w == 0 {
		return
	}
	s.n = addSat(s.n, w)
	if c := s.find(key, hash); c != nil {
		c.count = addSat(c.count, w)
		s.down(int(c.place))
		return
	}
	if len(s.counters) < s.k {
		s.insert(key, hash, addSat(s.floor, w), s.floor)
		return
	}
	s.evictions++
	i := s.heap[0]
	c := &s.counters[i]
	s.unlink(i)
	c.key = append(c.key[:0], key...)
	c.hash = hash
	c.err = c.count
	c.count = addSat(c.count, w)
	c.next = s.chains[hash]
	s.chains[hash] = i + 1
	s.down(0)
}

// Get returns the counter of a key, if there is one.
func (s *SpaceSaving) Get(key []byte) (Counter, bool) {
	c := s.find(key, xxh3.Hash(key))
	if c == nil {
		return Counter{}, false
	}
	return Counter{Key: string(c.key), Count: c.count, Err: c.err}, true
}

// Counters returns all counters, the largest first, ties by key.
func (s *SpaceSaving) Counters() []Counter {
	out := make([]Counter, len(s.counters))
	for i, c := range s.counters {
		out[i] = Counter{Key: string(c.key), Count: c.count, Err: c.err}
	}
	slices.SortFunc(out, byCount)
	return out
}

func byCount(a, b Counter) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
}

// N is the total weight added.
func (s *SpaceSaving) N() uint64 { return s.n }

// Min is the most weight that a key without a counter can have: the smallest count once all counters
// are taken, 0 before that.
func (s *SpaceSaving) Min() uint64 {
	if len(s.counters) < s.k {
		return s.floor
	}
	return s.counters[s.heap[0]].count
}

// Evictions is how often a key lost its counter, in Add or in Merge.
func (s *SpaceSaving) Evictions() uint64 { return s.evictions }

// Merge adds other, which it leaves as it is, after Agarwal et al. (2012, "Mergeable summaries",
// PODS): counts and errors of a key that both hold are added; a key that one holds gets the other's Min
// added to both; the k largest stay, ties by key.
func (s *SpaceSaving) Merge(other *SpaceSaving) {
	mine, theirs := s.Min(), other.Min()
	all := make([]Counter, 0, len(s.counters)+len(other.counters))
	for _, c := range s.counters {
		add := Counter{Count: theirs, Err: theirs}
		if o := other.find(c.key, c.hash); o != nil {
			add = Counter{Count: o.count, Err: o.err}
		}
		all = append(all, Counter{Key: string(c.key), Count: addSat(c.count, add.Count), Err: addSat(c.err, add.Err)})
	}
	for _, c := range other.counters {
		if s.find(c.key, c.hash) == nil {
			all = append(all, Counter{Key: string(c.key), Count: addSat(c.count, mine), Err: addSat(c.err, mine)})
		}
	}
	slices.SortFunc(all, byCount)
	cut := max(0, len(all)-s.k)
	m := NewSpaceSaving(s.k)
	m.n = addSat(s.n, other.n)
	m.evictions = addSat(addSat(s.evictions, other.evictions), uint64(cut))
	m.floor = addSat(mine, theirs)
	for _, c := range all[:len(all)-cut] {
		key := []byte(c.Key)
		m.insert(key, xxh3.Hash(key), c.Count, c.Err)
	}
	*s = *m
}

func (s *SpaceSaving) find(key []byte, hash uint64) *ssCounter {
	for i := s.chains[hash]; i != 0; {
		c := &s.counters[i-1]
		if bytes.Equal(c.key, key) {
			return c
		}
		i = c.next
	}
	return nil
}

func (s *SpaceSaving) insert(key []byte, hash, count, err uint64) {
	i := int32(len(s.counters))
	s.counters = append(s.counters, ssCounter{
		key: bytes.Clone(key), hash: hash, count: count, err: err, next: s.chains[hash], place: i,
	})
	s.chains[hash] = i + 1
	s.heap = append(s.heap, i)
	s.up(int(i))
}

// unlink takes counter i out of the chain of its hash.
func (s *SpaceSaving) unlink(i int32) {
	c := &s.counters[i]
	first := s.chains[c.hash]
	if first == i+1 {
		if c.next == 0 {
			delete(s.chains, c.hash)
		} else {
			s.chains[c.hash] = c.next
		}
		return
	}
	prev := &s.counters[first-1]
	for prev.next != i+1 {
		prev = &s.counters[prev.next-1]
	}
	prev.next = c.next
}

func (s *SpaceSaving) less(a, b int) bool {
	x, y := &s.counters[s.heap[a]], &s.counters[s.heap[b]]
	return x.count < y.count || x.count == y.count && bytes.Compare(x.key, y.key) < 0
}

func (s *SpaceSaving) swap(a, b int) {
	s.heap[a], s.heap[b] = s.heap[b], s.heap[a]
	s.counters[s.heap[a]].place = int32(a)
	s.counters[s.heap[b]].place = int32(b)
}

func (s *SpaceSaving) up(i int) {
	for i > 0 && s.less(i, (i-1)/2) {
		s.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (s *SpaceSaving) down(i int) {
	for {
		child := 2*i + 1
		if child+1 < len(s.heap) && s.less(child+1, child) {
			child++
		}
		if child >= len(s.heap) || !s.less(child, i) {
			return
		}
		s.swap(i, child)
		i = child
	}
}
