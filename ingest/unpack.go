package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packing is one way of compressing that is undone, told by the first bytes.
type packing struct {
	name string
	is   func(head []byte) bool
	open func(io.Reader) (io.ReadCloser, error)
}

// maxLayers is how many packings one input may be wrapped in (a .zst that a server sent as gzip).
const maxLayers = 2

// maxZstdWindow bounds the memory of the zstd decoder, in bytes. It is the window of level 20; higher
// levels and --long ask for more.
const maxZstdWindow = 32 << 20

// packings is the table. Gzip: RFC 1952, section 2.3.1 (deflate is its only method); zstd: RFC 8878,
// section 3.1.1, and 3.1.2 for the skippable frames that pzstd begins with.
var packings = []packing{
	{"gzip", startsWith("\x1f\x8b\x08"), func(r io.Reader) (io.ReadCloser, error) {
		return gzip.NewReader(r)
	}},
	{"zstd", isZstd, func(r io.Reader) (io.ReadCloser, error) {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
}

func startsWith(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

func isZstd(head []byte) bool {
	return startsWith("\x28\xb5\x2f\xfd")(head) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18"
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

// unpack undoes the packings of r. An error in the packed bytes comes out of the stream's reads.
func unpack(r io.Reader) *stream {
	s := &stream{Reader: bufio.NewReaderSize(r, headSize), close: func() {}}
	for {
		head, _ := s.Peek(4)
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
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the " + l.name + " data ends in the middle; what was readable is counted", true
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return "the zstd window is larger than 32 MiB; unpack it first (zstd -dc --long=31 FILE | keyskew -)", false
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return "the checksum of the " + l.name + " data does not match", false
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		if unpacked == 0 {
			return "the " + l.name + " header is damaged", false
		}
		return "something other than " + l.name + " data follows", false
	default:
		return "the " + l.name + " data is damaged: " + err.Error(), false
	}
}
