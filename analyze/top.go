package analyze

import (
	"bytes"
	"cmp"
	"slices"

	"keyskew/sketch"
)

// top keeps the first n of many values by a rank function, in O(1) amortised per value: values are
// collected in a buffer that is sorted and cut when it is full.
type top[T any] struct {
	n    int
	rank func(a, b T) int
	buf  []T
	full bool // buf[:n] is sorted and holds the first n so far
}

func newTop[T any](n int, rank func(a, b T) int) *top[T] { return &top[T]{n: n, rank: rank} }

func (t *top[T]) add(v T) {
	if t.full && t.rank(v, t.buf[t.n-1]) > 0 {
		return
	}
	t.buf = append(t.buf, v)
	if len(t.buf) >= 4*t.n {
		t.cut()
	}
}

func (t *top[T]) cut() {
	slices.SortFunc(t.buf, t.rank)
	if len(t.buf) >= t.n {
		t.buf = t.buf[:t.n]
		t.full = true
	}
}

// sorted returns the first n, in order.
func (t *top[T]) sorted() []T {
	t.cut()
	return t.buf
}

// ranking finds the largest keys of a second. It counts how many have each size, so that only those that can
// be among the first are looked at twice: sorting all would cost more than counting.
type ranking struct {
	keys    *sketch.HeavyHitters[keyRow]
	closing *closing
	sums    []keySum
	sizes   [sizeLevels]int32
	found   []int    // places in sums, the largest first
	numbers []uint32 // of their keys in names, + 1; 0 where it was not asked for yet
}

// sizeLevels is how many sizes are told apart; larger ones share the last level.
const sizeLevels = 1024

// largest finds the n largest of the sums. Of equal ones those with the smaller hash come first: looking
// the keys themselves up would cost more than all else, where most have the same size.
func (r *ranking) largest(keys *sketch.HeavyHitters[keyRow], c *closing, n int) {
	sums := c.sums
	r.keys, r.closing, r.sums, r.found = keys, c, sums, r.found[:0]
	if len(sums) <= n { // all of them
		for i := range sums {
			if sums[i].requests > 0 {
				r.found = append(r.found, i)
			}
		}
		r.finish(n)
		return
	}
	clear(r.sizes[:])
	for i := range sums {
		r.sizes[min(sums[i].requests, sizeLevels-1)]++
	}
	level, above := sizeLevels-1, 0
	for ; level > 1 && above+int(r.sizes[level]) < n; level-- {
		above += int(r.sizes[level])
	}
	// Every key above the level is wanted; of those at it the first by order.
	ties := newTop(max(n-above, 1), r.order)
	for i := range sums {
		switch size := min(sums[i].requests, sizeLevels-1); {
		case size > uint64(level):
			r.found = append(r.found, i)
		case size == uint64(level):
			ties.add(i)
		}
	}
	r.found = append(r.found, ties.sorted()...)
	r.finish(n)
}

func (r *ranking) order(a, b int) int {
	x, y := &r.sums[a], &r.sums[b]
	if x.requests != y.requests {
		return cmp.Compare(y.requests, x.requests)
	}
	if x.hash != y.hash {
		return cmp.Compare(x.hash, y.hash)
	}
	return bytes.Compare(r.key(a), r.key(b))
}

func (r *ranking) key(i int) []byte {
	key, _ := r.keys.Row(r.sums[i].row)
	return key
}

func (r *ranking) finish(n int) {
	slices.SortFunc(r.found, r.order)
	r.found = r.found[:min(len(r.found), n)]
	r.numbers = slices.Grow(r.numbers[:0], len(r.found))[:len(r.found)]
	clear(r.numbers)
}

// number returns the number of the key at a rank.
func (r *ranking) number(rank int, n *names) uint32 {
	if r.numbers[rank] == 0 {
		r.numbers[rank] = n.number(r.key(r.found[rank])) + 1
	}
	return r.numbers[rank] - 1
}
