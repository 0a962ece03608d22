package sketch

// Reader reads the body of a frame: that of a sketch, or of what holds sketches. The first fault sticks, and
// every read after it returns zero.
type Reader struct{ r reader }

// AppendFrame appends a frame: kind, version, the length of the body as a varint, the body, and the xxh3 of
// the body in 8 bytes, little endian.
func AppendFrame(dst []byte, kind byte, body func([]byte) []byte) []byte {
	return appendFrame(dst, kind, body)
}

// OpenFrame checks a frame at the start of src and returns its body and what follows it.
func OpenFrame(src []byte, kind byte) (body *Reader, rest []byte, err error) {
	r, rest, err := openFrame(src, kind)
	if err != nil {
		return nil, nil, err
	}
	return &Reader{*r}, rest, nil
}

// NewReader reads bytes that are part of a body.
func NewReader(src []byte) *Reader { return &Reader{reader{b: src}} }

// Uvarint reads a number and refuses one that is longer than it has to be.
func (r *Reader) Uvarint() uint64 { return r.r.uvarint() }

// Varint reads a signed number in zigzag form.
func (r *Reader) Varint() int64 { return r.r.varint() }

// Byte reads one byte.
func (r *Reader) Byte() byte { return r.r.byte() }

// Bytes returns the next n bytes without a copy.
func (r *Reader) Bytes(n uint64) []byte { return r.r.bytes(n) }

// Count reads how many entries of at least size bytes each follow. More than limit, or than what is left could
// hold, are refused.
func (r *Reader) Count(limit, size int) int { return r.r.entries(limit, size) }

// Fail notes a fault, which is ErrDamaged.
func (r *Reader) Fail(format string, args ...any) { r.r.fail(format, args...) }

// Left is what was not read yet.
func (r *Reader) Left() []byte { return r.r.b }

// Nested reads with a decoder that takes the start of what is left and returns what follows.
func (r *Reader) Nested(decode func(src []byte) (rest []byte, err error)) {
	if r.r.err != nil {
		return
	}
	rest, err := decode(r.r.b)
	if err != nil {
		r.r.err, r.r.b = err, nil
		return
	}
	r.r.b = rest
}

// Err returns the first fault.
func (r *Reader) Err() error { return r.r.err }

// Done returns the first fault; bytes that are left over are one.
func (r *Reader) Done() error { return r.r.done() }
