package ingest

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/therootcompany/xz"
)

// packing is one way of compressing that is undone, told by the first bytes.
type packing struct {
	name string
	is   func(head []byte) bool
	open func(*bufio.Reader) (io.ReadCloser, error)
}

// maxLayers is how many packings one input may be wrapped in (a .zst that a server sent as gzip).
const maxLayers = 2

// maxZstdWindow bounds the memory of the zstd decoder, in bytes. It is the window of level 20; higher
// levels and --long ask for more.
const maxZstdWindow = 32 << 20

// maxXzDictionary bounds the memory of the xz decoder, in bytes: the dictionary of xz -9.
const maxXzDictionary = 64 << 20

// packings is the table. Gzip: RFC 1952, section 2.3.1 (deflate is its only method); zstd: RFC 8878,
// section 3.1.1, and 3.1.2 for the skippable frames that pzstd begins with; xz: The .xz File Format 1.2,
// section 2.1.1.1; bzip2 has no document but its program; lz4: LZ4 Frame Format 1.6.4; snappy: framing
// format of the snappy repository, section 4.1, and the one of S2, which extends it; zip: APPNOTE 6.3.10,
// section 4.3.7.
var packings = []packing{
	{"gzip", startsWith("\x1f\x8b\x08"), func(r *bufio.Reader) (io.ReadCloser, error) {
		return gzip.NewReader(r)
	}},
	{"zstd", isZstd, func(r *bufio.Reader) (io.ReadCloser, error) {
		return openZstd(r)
	}},
	{"xz", startsWith("\xfd7zXZ\x00"), func(r *bufio.Reader) (io.ReadCloser, error) {
		d, err := xz.NewReader(r, maxXzDictionary)
		return io.NopCloser(d), err
	}},
	{"bzip2", isBzip2, func(r *bufio.Reader) (io.ReadCloser, error) {
		return io.NopCloser(bzip2.NewReader(r)), nil
	}},
	{"lz4", isLz4, func(r *bufio.Reader) (io.ReadCloser, error) {
		return io.NopCloser(lz4.NewReader(r)), nil
	}},
	{"snappy", isSnappy, func(r *bufio.Reader) (io.ReadCloser, error) {
		return io.NopCloser(newSnappy(r)), nil
	}},
	{"zip", startsWith(zipLocal), func(r *bufio.Reader) (io.ReadCloser, error) {
		return openZip(r)
	}},
}

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// snappyReader tells a stream that ends in the middle from a damaged one, which the library does not. One
// that ends between two of its chunks looks whole: the format has no end.
type snappyReader struct {
	d     *s2.Reader
	ended bool // there was nothing more to read
	r     io.Reader
}

func newSnappy(r io.Reader) io.Reader {
	z := &snappyReader{r: r}
	z.d = s2.NewReader(readerFunc(func(b []byte) (int, error) {
		n, err := z.r.Read(b)
		z.ended = err == io.EOF
		return n, err
	}))
	return z
}

// Read implements io.Reader.
func (z *snappyReader) Read(b []byte) (int, error) {
	n, err := z.d.Read(b)
	if errors.Is(err, s2.ErrCorrupt) && z.ended {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func startsWith(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

func isZstd(head []byte) bool {
	return startsWith("\x28\xb5\x2f\xfd")(head) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18"
}

// isBzip2 wants the block size, and behind it the beginning of a block or of the end.
func isBzip2(head []byte) bool {
	if len(head) < 10 || string(head[:3]) != "BZh" || head[3] < '1' || head[3] > '9' {
		return false
	}
	return string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90"
}

// isLz4 knows frames and the older format of the program, which the Linux kernel still uses.
func isLz4(head []byte) bool {
	return startsWith("\x04\x22\x4d\x18")(head) || startsWith("\x02\x21\x4c\x18")(head)
}

func isSnappy(head []byte) bool {
	return startsWith("\xff\x06\x00\x00sNaPpY")(head) || startsWith("\xff\x06\x00\x00S2sTwO")(head)
}

// stream is an input after unpacking. Its reader can be peeked for headSize bytes.
type stream struct {
	*bufio.Reader
	layers []*layer // the outermost first
	close  func()
	deeper string // the packing that is one too many, or ""
}

// layer is one packing at work. It keeps the error that ended it: a packing inside it may take that for
// its own proper end.
type layer struct {
	name string
	r    io.Reader
	err  error
}

func (l *layer) Read(b []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(b)
	l.err = err
	return n, err
}

// headSize is how much of an input is looked at to tell its format, in bytes.
const headSize = 64 << 10

// magicSize is how many bytes tell a packing.
const magicSize = 10

// unpack undoes the packings of r. An error in the packed bytes comes out of the stream's reads.
func unpack(r io.Reader) *stream {
	s := &stream{Reader: bufio.NewReaderSize(r, headSize), close: func() {}}
	for {
		head, _ := s.Peek(magicSize)
		p := packingOf(head)
		if p == nil {
			return s
		}
		if len(s.layers) == maxLayers {
			s.deeper = p.name
			return s
		}
		l := &layer{name: p.name}
		s.layers = append(s.layers, l)
		opened, err := p.open(s.Reader)
		if err != nil {
			l.err = err
		} else {
			l.r = opened
			closeOuter := s.close
			s.close = func() { opened.Close(); closeOuter() }
		}
		s.Reader = bufio.NewReaderSize(l, headSize)
	}
}

func packingOf(head []byte) *packing {
	for i := range packings {
		if packings[i].is(head) {
			return &packings[i]
		}
	}
	return nil
}

// packing names the layers, the innermost first: "zstd in gzip".
func (s *stream) packing() string {
	names := make([]string, 0, maxLayers)
	for _, l := range s.layers {
		names = append([]string{l.name}, names...)
	}
	return strings.Join(names, " in ")
}

// broken says in words why unpacking ended after some bytes, and whether bytes are missing at the end.
// Without an error all layers came to their proper end.
func (s *stream) broken(unpacked int64) (reason string, truncated bool, err error) {
	for _, l := range s.layers {
		if l.err != nil && l.err != io.EOF {
			reason, truncated = l.broken(unpacked)
			return reason, truncated, l.err
		}
	}
	return "", false, nil
}

func (l *layer) broken(unpacked int64) (reason string, truncated bool) {
	switch err := l.err; {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, xz.ErrBuf):
		return "the " + l.name + " data ends in the middle; what was readable is counted", true
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return "the zstd window is larger than 32 MiB; unpack it first (zstd -dc --long=31 FILE | keyskew -)", false
	case errors.Is(err, xz.ErrMemlimit):
		return "the xz dictionary is larger than 64 MiB; unpack it first (xz -dc FILE | keyskew -)", false
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch), errors.Is(err, s2.ErrCRC),
		errors.Is(err, lz4.ErrInvalidFrameChecksum), errors.Is(err, lz4.ErrInvalidBlockChecksum),
		errors.Is(err, bzip2.StructuralError("block checksum mismatch")):
		return "the checksum of the " + l.name + " data does not match", false
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch), errors.Is(err, xz.ErrFormat),
		errors.Is(err, lz4.ErrInvalidFrame), errors.Is(err, bzip2.StructuralError("bad magic value in continuation file")):
		if unpacked == 0 {
			return "the " + l.name + " header is damaged", false
		}
		return "something other than " + l.name + " data follows", false
	case errors.As(err, new(*zipError)):
		return err.Error(), false
	default:
		return "the " + l.name + " data is damaged: " + err.Error(), false
	}
}
