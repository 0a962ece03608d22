package delimited

import "keyskew/ingest/request"

// memo remembers what the latest texts meant, in front of a map: few different ones make up most of a
// column, and a look into a map costs more than all else that is done to such a cell.
type memo[T any] struct{ slots [256]remembered[T] }

type remembered[T any] struct {
	text  []byte
	value T
	known bool
}

// slot is where a text is, if it is there.
func (m *memo[T]) slot(text []byte) *remembered[T] {
	n := len(text)
	if n < 2 {
		if n == 0 {
			return &m.slots[0]
		}
		return &m.slots[text[0]]
	}
	return &m.slots[(uint8(n)*31+text[0]*7+text[n-2]*13+text[n-1])&255]
}

func (r *remembered[T]) set(text []byte, value T) {
	r.text, r.value, r.known = append(r.text[:0], text...), value, true
}

// maxLabels bounds the labels of an input that are told apart. It is far above what partitions and
// tenants come to; the rows of further ones count without a label, with a remark.
const maxLabels = 1 << 18

// labels numbers the labels of a column; 0 is none.
type labels struct {
	names []string
	ids   map[string]uint32
	memo  memo[uint32]
}

func newLabels() *labels {
	return &labels{names: []string{""}, ids: map[string]uint32{"": 0, "-": 0}}
}

// of numbers a label. A long one is cut to the length of keys that are kept.
func (l *labels) of(cell []byte, t *request.Tally, what string) uint32 {
	cell = cell[:min(len(cell), request.MaxKey)]
	recent := l.memo.slot(cell)
	if recent.known && string(recent.text) == string(cell) {
		return recent.value
	}
	id, ok := l.ids[string(cell)]
	if !ok {
		if len(l.names) >= maxLabels {
			t.Note("more different labels than are told apart: column of the "+what, 1)
			return 0
		}
		id = uint32(len(l.names))
		name := string(cell)
		l.names = append(l.names, name)
		l.ids[name] = id
	}
	recent.set(cell, id)
	return id
}
