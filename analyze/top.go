package analyze

import "slices"

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
