package sketch

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"
)

// AppendBinary appends the table to dst, its entries sorted by key bytes; value appends a payload. The
// bytes depend on the content alone if those of value do.
func (h *HeavyHitters[V]) AppendBinary(dst []byte, value func(dst []byte, v *V) []byte) []byte {
	return appendFrame(dst, tagHeavyHitters, func(b []byte) []byte {
		b = binary.AppendUvarint(b, h.n)
		b = binary.AppendUvarint(b, h.offset)
		b = binary.AppendUvarint(b, uint64(h.t.count))
		for _, r := range h.t.byKey() {
			b = binary.AppendUvarint(b, uint64(r.length()))
			b = append(b, h.t.key(r)...)
			b = binary.AppendUvarint(b, r.row.g)
			// 0, one byte, for an exact count.
			b = binary.AppendUvarint(b, h.offset-r.row.cov)
			b = value(b, &r.row.value)
		}
		return b
	})
}

// DecodeHeavyHitters reads a table of at most maxKeys keys from the start of src and returns it with
// what follows it. value reads one payload and returns what follows that; it has to refuse all
// bytes that its counterpart would not write. Hashes are computed with xxh3.
func DecodeHeavyHitters[V any](src []byte, maxKeys int, value func(src []byte, v *V) (rest []byte, err error)) (h *HeavyHitters[V], rest []byte, err error) {
	r, rest, err := openFrame(src, tagHeavyHitters)
	if err != nil {
		return nil, nil, err
	}
	h = NewHeavyHitters[V]()
	h.n = r.uvarint()
	h.offset = r.uvarint()
	if h.offset > h.n {
		r.fail("offset above the total")
	}
	count := r.entries(maxKeys, 3)
	var sum uint64
	var last []byte
	for i := range count {
		key := r.bytes(r.uvarint())
		g := r.uvarint()
		missed := r.uvarint()
		if missed > h.offset {
			r.fail("error above the offset")
		}
		if i > 0 && bytes.Compare(last, key) >= 0 {
			r.fail("keys out of order")
		}
		if r.err != nil {
			break
		}
		last = key
		e, _, _ := h.t.get(key, xxh3.Hash(key))
		e.row.g, e.row.cov = g, h.offset-missed
		sum = addSat(sum, addSat(g, e.row.cov))
		after, err := value(r.b, &e.row.value)
		if err != nil {
			return nil, nil, fmt.Errorf("payload of key %d: %w", i, err)
		}
		if len(after) > len(r.b) {
			r.fail("payload of key %d", i)
			break
		}
		r.b = after
	}
	// The lower bounds are parts of the total.
	if sum > h.n {
		r.fail("counts above the total")
	}
	if err := r.done(); err != nil {
		return nil, nil, err
	}
	return h, rest, nil
}
