package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"
)

// Errors of the decoders and of Merge; match them with errors.Is.
var (
	// ErrVersion: the bytes are of another kind of sketch, or of a version that is not known here.
	ErrVersion = errors.New("sketch: not an encoding of this kind and version")
	// ErrDamaged: the bytes are cut off or changed, or describe a state that no sketch can have.
	ErrDamaged = errors.New("sketch: damaged encoding")
	// ErrTooLarge: the bytes hold more than the caller allows.
	ErrTooLarge = errors.New("sketch: encoding holds more than is allowed")
	// ErrUnlike: the two sketches differ in their parameters and cannot be merged.
	ErrUnlike = errors.New("sketch: sketches of unlike parameters")
)

// Kinds of encodings, the first byte of a frame. They are part of the format.
const (
	tagHeavyHitters byte = 'H'
	tagCountMin     byte = 'C'
	tagDistinct     byte = 'D'
	tagKeySample    byte = 'K'

	version byte = 1
)

// appendFrame writes kind, version, the length of the body as a varint, the body, and the xxh3 of the body in 8
// bytes, little endian.
func appendFrame(dst []byte, tag byte, body func([]byte) []byte) []byte {
	dst = append(dst, tag, version)
	at := len(dst)
	dst = body(dst)
	sum := xxh3.Hash(dst[at:])
	var size [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(size[:], uint64(len(dst)-at))
	dst = slices.Insert(dst, at, size[:n]...)
	return binary.LittleEndian.AppendUint64(dst, sum)
}

// openFrame checks a frame at the start of src and returns its body and what follows it.
func openFrame(src []byte, tag byte) (body *reader, rest []byte, err error) {
	if len(src) < 2 {
		return nil, nil, fmt.Errorf("%w: %d bytes", ErrDamaged, len(src))
	}
	if src[0] != tag || src[1] != version {
		return nil, nil, fmt.Errorf("%w: kind %q version %d, want %q version %d", ErrVersion, src[0], src[1], tag, version)
	}
	r := &reader{b: src[2:]}
	n := r.uvarint()
	b := r.bytes(n)
	sum := r.bytes(8)
	if r.err != nil {
		return nil, nil, r.err
	}
	if binary.LittleEndian.Uint64(sum) != xxh3.Hash(b) {
		return nil, nil, fmt.Errorf("%w: checksum", ErrDamaged)
	}
	return &reader{b: b}, r.b, nil
}

// reader reads a body. The first fault sticks, and every read after it returns zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
	}
	r.b = nil
}

// uvarint reads a varint and refuses one that is longer than it has to be.
func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || n > 1 && r.b[n-1] == 0 {
		r.fail("varint")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// varint reads a signed number in zigzag form.
func (r *reader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (r *reader) byte() byte {
	b := r.bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

// bytes returns the next n bytes without a copy.
func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail("cut off: %d bytes wanted, %d left", n, len(r.b))
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

// entries reads a count of entries that take at least size bytes each. A larger count than what is
// left could hold is refused here, before anything is made for it.
func (r *reader) entries(limit, size int) int {
	n := r.uvarint()
	if n > uint64(len(r.b)/size) {
		r.fail("%d entries in %d bytes", n, len(r.b))
		return 0
	}
	if n > uint64(max(limit, 0)) {
		r.tooLarge(n, limit)
		return 0
	}
	return int(n)
}

func (r *reader) tooLarge(n uint64, limit int) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %d, limit %d", ErrTooLarge, n, limit)
	}
	r.b = nil
}

// done returns the first fault; bytes that are left over are one.
func (r *reader) done() error {
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	return r.err
}
