package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// errStopped is what reads return after the context was cancelled.
var errStopped = errors.New("stopped")

// source reads the bytes of one input as they are stored, counts them, and stops when the context is
// cancelled. Its first error is its last: it comes back from every later Read.
type source struct {
	name string
	size int64 // -1: not known
	read atomic.Int64
	err  error // io.EOF and errStopped included

	ctx   context.Context
	r     io.Reader
	close func()
}

// open opens an input. Regular files are read directly; anything that can be silent for long is read
// by a pump.
func open(ctx context.Context, in Input, stdin io.Reader) (*source, error) {
	s := &source{name: in.name(), size: -1, ctx: ctx, close: func() {}}
	if in.Path == "-" {
		if stdin == nil {
			return nil, fmt.Errorf("%s: there is no standard input", s.name)
		}
		if f, ok := stdin.(*os.File); ok {
			if info, err := f.Stat(); err == nil {
				if err := s.regular(info); err != nil {
					return nil, err
				}
				if info.Mode().IsRegular() {
					// The shell may have left the file anywhere ("{ head -1; keyskew -; } <f").
					if at, err := f.Seek(0, io.SeekCurrent); err == nil {
						s.size = max(0, s.size-at)
					}
					s.r = f
					return s, nil
				}
			}
		}
		s.r = newPump(ctx, func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil })
		return s, nil
	}
	info, err := os.Stat(in.Path)
	if err != nil {
		return nil, s.failed(err)
	}
	if err := s.regular(info); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		// Opening a named pipe waits for its writer, so the pump does that as well.
		s.r = newPump(ctx, func() (io.ReadCloser, error) { return os.Open(in.Path) })
		return s, nil
	}
	f, err := os.Open(in.Path)
	if err != nil {
		return nil, s.failed(err)
	}
	s.r = f
	s.close = func() { f.Close() }
	return s, nil
}

// regular takes the size of a regular file and refuses directories.
func (s *source) regular(info fs.FileInfo) error {
	if info.IsDir() {
		return fmt.Errorf("%s: is a directory; name the files in it", s.name)
	}
	if info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return nil
}

// failed names the input in front of what the system says; the path in a PathError may be another.
func (s *source) failed(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// Read implements io.Reader.
func (s *source) Read(b []byte) (int, error) {
	if s.err == nil && s.ctx.Err() != nil {
		s.err = errStopped
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(b)
	s.read.Add(int64(n))
	s.err = err
	return n, err
}

// stopped says that reading ended because the context was cancelled. Unpackers wrap errors as they
// like, so the source is asked, not the error that arrived.
func (s *source) stopped() bool { return s.err == errStopped }

// failure is the error of the input itself, as against one that an unpacker found in its bytes.
func (s *source) failure() error {
	if s.err == io.EOF || s.err == errStopped {
		return nil
	}
	return s.err
}

// shrank says that a file ended before the size that it had when it was opened.
func (s *source) shrank() bool { return s.err == io.EOF && s.read.Load() < s.size }

// pump reads in a goroutine of its own, so that a silent writer does not hold up a stop. After a stop
// that goroutine stays in its Read until the writer says something or goes away.
type pump struct {
	ctx  context.Context
	full chan chunk
	free chan []byte
	now  chunk
	rest []byte
}

type chunk struct {
	buf []byte
	n   int
	err error
}

// pumpSize is the size in bytes of one read from a pipe, and what a Linux pipe holds.
const pumpSize = 64 << 10

func newPump(ctx context.Context, open func() (io.ReadCloser, error)) *pump {
	p := &pump{ctx: ctx, full: make(chan chunk), free: make(chan []byte, 2)}
	for range cap(p.free) {
		p.free <- make([]byte, pumpSize)
	}
	go p.run(open)
	return p
}

func (p *pump) run(open func() (io.ReadCloser, error)) {
	r, err := open()
	if err == nil {
		defer r.Close()
	}
	for p.ctx.Err() == nil {
		var c chunk
		select {
		case c.buf = <-p.free:
		case <-p.ctx.Done():
			return
		}
		if err == nil {
			c.n, err = r.Read(c.buf)
		}
		c.err = err
		select {
		case p.full <- c:
		case <-p.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader; it gives up when the context is cancelled.
func (p *pump) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.now.err != nil {
			return 0, p.now.err
		}
		if p.now.buf != nil {
			p.free <- p.now.buf // never waits: it has room for all buffers
			p.now.buf = nil
		}
		select {
		case p.now = <-p.full:
			p.rest = p.now.buf[:p.now.n]
		case <-p.ctx.Done():
			return 0, errStopped
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
