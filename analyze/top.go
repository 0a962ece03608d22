package analyze

import (
	"bytes"
	"cmp"
	"slices"
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

// ranking finds the largest entries of a piece. It counts how many entries have each size, so that only
// those that can be among the first are looked at twice: sorting all would cost more than counting.
type ranking struct {
	p       *piece
	sizes   [sizeLevels]int32
	found   []int    // entry numbers, the largest first
	numbers []uint32 // of their keys in names, + 1; 0 where it was not asked for yet
}

// sizeLevels is how many sizes are told apart; larger ones share the last level.
const sizeLevels = 1024

// largest finds the n largest entries with requests other than polls, ties by key.
func (r *ranking) largest(p *piece, n int) {
	r.p = p
	r.found = r.found[:0]
	order := func(a, b int) int {
		return cmp.Or(cmp.Compare(p.served(b), p.served(a)), bytes.Compare(p.key(a), p.key(b)))
	}
	if p.len() <= n { // all of them
		for i := range p.len() {
			if p.served(i) > 0 {
				r.found = append(r.found, i)
			}
		}
		r.finish(n, order)
		return
	}
	clear(r.sizes[:])
	for i := range p.len() {
		r.sizes[min(p.served(i), sizeLevels-1)]++
	}
	level, above := sizeLevels-1, 0
	for ; level > 1 && above+int(r.sizes[level]) < n; level-- {
		above += int(r.sizes[level])
	}
	// Every entry above the level is wanted; of those at it the first by order.
	ties := newTop(max(n-above, 1), order)
	for i := range p.len() {
		switch size := min(p.served(i), sizeLevels-1); {
		case size > uint64(level):
			r.found = append(r.found, i)
		case size == uint64(level):
			ties.add(i)
		}
	}
	r.found = append(r.found, ties.sorted()...)
	r.finish(n, order)
}

func (r *ranking) finish(n int, order func(a, b int) int) {
	slices.SortFunc(r.found, order)
	r.found = r.found[:min(len(r.found), n)]
	r.numbers = slices.Grow(r.numbers[:0], len(r.found))[:len(r.found)]
	clear(r.numbers)
}

// number returns the number of the key at a rank.
func (r *ranking) number(rank int, n *names) uint32 {
	if r.numbers[rank] == 0 {
		r.numbers[rank] = n.number(r.p.key(r.found[rank])) + 1
	}
	return r.numbers[rank] - 1
}
