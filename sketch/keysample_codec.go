package sketch

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"
)

func errUnlikeCapacity(a, b int) error {
	return fmt.Errorf("%w: key samples of %d and %d keys", ErrUnlike, a, b)
}

// AppendBinary appends the sample to dst, sorted by key bytes.
func (s *KeySample) AppendBinary(dst []byte) []byte {
	return appendFrame(dst, tagKeySample, func(b []byte) []byte {
		b = binary.AppendUvarint(b, uint64(s.capacity))
		b = append(b, byte(s.halvings))
		b = binary.AppendUvarint(b, uint64(s.t.count))
		for _, r := range s.t.byKey() {
			b = binary.AppendUvarint(b, uint64(r.length()))
			b = append(b, s.t.key(r)...)
			b = r.row.first.appendBinary(b)
			if !r.row.written {
				b = append(b, 0)
				continue
			}
			b = append(b, 1)
			b = r.row.firstWrite.appendBinary(b)
		}
		return b
	})
}

func (s Sighting) appendBinary(b []byte) []byte {
	b = binary.AppendVarint(b, s.Time)
	b = binary.AppendUvarint(b, uint64(s.Input))
	return binary.AppendVarint(b, s.Offset)
}

func (r *reader) sighting() Sighting {
	s := Sighting{Time: r.varint()}
	input := r.uvarint()
	s.Input = uint32(input)
	if uint64(s.Input) != input {
		r.fail("input %d", input)
	}
	s.Offset = r.varint()
	return s
}

// DecodeKeySample reads a sample with a capacity of at most maxKeys from the start of src and returns
// it with what follows it. Hashes are computed with xxh3.
func DecodeKeySample(src []byte, maxKeys int) (s *KeySample, rest []byte, err error) {
	r, rest, err := openFrame(src, tagKeySample)
	if err != nil {
		return nil, nil, err
	}
	capacity := r.uvarint()
	if capacity > uint64(max(maxKeys, 0)) {
		r.tooLarge(capacity, maxKeys)
	}
	s = NewKeySample(int(capacity))
	s.halvings = int(r.byte())
	if s.halvings > 65 {
		r.fail("%d halvings", s.halvings)
	}
	count := r.entries(s.capacity, 5)
	var last []byte
	for i := range count {
		key := r.bytes(r.uvarint())
		row := sighted{first: r.sighting()}
		switch r.byte() {
		case 0:
		case 1:
			row.written, row.firstWrite = true, r.sighting()
			if row.firstWrite.Compare(row.first) < 0 {
				r.fail("written before it was seen")
			}
		default:
			r.fail("write flag")
		}
		hash := xxh3.Hash(key)
		if !s.Wants(hash) {
			r.fail("a key above the threshold")
		}
		if i > 0 && bytes.Compare(last, key) >= 0 {
			r.fail("keys out of order")
		}
		if r.err != nil {
			break
		}
		last = key
		e, _, _ := s.t.get(key, hash)
		e.row = row
	}
	if err := r.done(); err != nil {
		return nil, nil, err
	}
	return s, rest, nil
}
