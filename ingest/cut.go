package ingest

import (
	"bytes"
	"io"

	"keyskew/ingest/request"
)

// lookAhead is how many bytes of a line are shown to Format.Continues at most. A fixed number, so that
// its answer is the same however much of a long line has been read.
const lookAhead = 4096

// tooLong is cut's answer when the first line is longer than may be.
const tooLong = -1

// buffers hands out buffers for blocks and takes the filled ones.
type buffers interface {
	// get returns an empty buffer. False: nothing more is wanted.
	get() ([]byte, bool)
	// put passes a block on and takes over its Data, with all its capacity. There was a get for each put.
	put(request.Block) bool
}

// cutter cuts one input into blocks of whole records. A record is a line that Continues denies, with
// the lines after it that Continues affirms, up to max bytes in all: of a longer run each such stretch
// is a record of its own. (That parts a script from some of the commands it ran, which costs them their
// caller and nothing else.) A line of more than max bytes is always a block of its own. All these rules
// look at the bytes alone, so records are the same for every block size.
type cutter struct {
	r         io.Reader
	max       int // request.MaxLine, but in tests
	limit     int // bytes to read before a cut is looked for; 1 to max
	continues func(line []byte) bool
	// header says that a line is one that each later block has to know; nil when there are none.
	header func(line []byte) bool
	// size is the length of a record in bytes where records are no lines; blocks are then multiples of
	// it, but for the last one, and all rules about lines are void.
	size int
	// stopped says that an error of r means that reading was stopped: the rest of a line is then still
	// on its way, and is left out.
	stopped func() bool

	latest []byte // the latest header line in front of the bytes at hand
	off    int64  // where the bytes at hand begin in the unpacked input
	err    error  // the first error of r
}

// longest is how many bytes must be at hand to say how long a line is: max, a line end of two bytes, and
// one more to know whether anything follows. No buffer grows beyond it.
func (c *cutter) longest() int { return c.max + 3 }

// run cuts until r ends, or nothing more is wanted; err and off then say what ended it and how many bytes
// the input had.
func (c *cutter) run(out buffers) {
	buf, ok := out.get()
	for ok {
		n := c.more(&buf)
		if n == 0 {
			break
		}
		if n == tooLong {
			buf, ok = c.long(buf, out)
			continue
		}
		rest := buf[n:]
		before := c.latest
		c.findHeader(buf[:n])
		if !out.put(request.Block{Data: buf[:n], Offset: c.off, Header: before, Last: c.err != nil && len(rest) == 0}) {
			break
		}
		c.off += int64(n)
		if c.err != nil && len(rest) == 0 {
			break
		}
		// The buffer that comes may be the one that went; append copes with the overlap.
		if buf, ok = out.get(); ok {
			buf = append(buf, rest...)
		}
	}
}

// more reads until there is a place to cut, and returns it: 0 when nothing is left.
func (c *cutter) more(buf *[]byte) int {
	for want := c.limit; ; want = min(2*len(*buf), c.longest()) {
		*buf = c.fill(*buf, want)
		if n := c.cut(*buf); n != 0 || c.err != nil {
			return n
		}
	}
}

// fill reads until buf holds want bytes or the input ends.
func (c *cutter) fill(buf []byte, want int) []byte {
	if cap(buf) < want {
		buf = append(make([]byte, 0, want), buf...)
	}
	for len(buf) < want && c.err == nil {
		var n int
		n, c.err = c.r.Read(buf[len(buf):want])
		buf = buf[:len(buf)+n]
	}
	if c.err != nil && c.stopped() {
		whole := bytes.LastIndexByte(buf, '\n') + 1
		if c.size > 0 {
			whole = len(buf) - len(buf)%c.size
		}
		buf = buf[:whole]
	}
	return buf
}

// findHeader notes the last header line of a block, for the blocks behind it.
func (c *cutter) findHeader(block []byte) {
	if c.header == nil {
		return
	}
	for end := len(block); end > 0; {
		start := bytes.LastIndexByte(block[:end-1], '\n') + 1
		if line := trimEnd(block[start:end]); c.header(line) {
			c.latest = bytes.Clone(line)
			return
		}
		end = start
	}
}

// cut returns where the block at the beginning of buf ends; 0 asks for more bytes.
func (c *cutter) cut(buf []byte) int {
	ended := c.err != nil
	if c.size > 0 {
		if ended {
			return len(buf)
		}
		return len(buf) - len(buf)%c.size
	}
	if len(buf) <= c.max {
		// Nothing in here can be over the limits.
		if ended {
			return len(buf)
		}
		return c.lastRecord(buf)
	}
	if len(buf) < c.longest() && !ended {
		return 0
	}
	end := bytes.IndexByte(buf[:min(len(buf), c.max+2)], '\n') + 1
	if end == 0 || len(trimEnd(buf[:end])) > c.max {
		return tooLong
	}
	for end < c.max {
		n := bytes.IndexByte(buf[end:c.max], '\n') + 1
		if n == 0 || c.starts(buf[end:end+n]) {
			break
		}
		end += n
	}
	return end
}

// lastRecord returns where the last record begins that is known to begin in buf; 0 when only the first
// one is.
func (c *cutter) lastRecord(buf []byte) int {
	end := len(buf)
	for {
		start := bytes.LastIndexByte(buf[:max(0, end-1)], '\n') + 1
		if start == 0 {
			return 0
		}
		line := buf[start:end]
		if (line[len(line)-1] == '\n' || len(line) >= lookAhead) && c.starts(line) {
			return start
		}
		end = start
	}
}

// starts says that the line, or what is there of a long one, begins a record.
func (c *cutter) starts(line []byte) bool {
	if c.continues == nil {
		return true
	}
	if body := bytes.TrimSuffix(line, []byte("\n")); len(body) >= lookAhead {
		return !c.continues(body[:lookAhead])
	}
	return !c.continues(trimEnd(line))
}

// trimEnd takes the line end off.
func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
		if n > 1 && line[n-2] == '\r' {
			line = line[:n-2]
		}
	}
	return line
}

// long passes on the head of the line that buf begins with and skips the rest of that line, however
// long. It returns the buffer with what follows.
func (c *cutter) long(buf []byte, out buffers) ([]byte, bool) {
	next, ok := out.get()
	if !ok {
		return nil, false
	}
	next = append(next, buf[c.max:]...)
	var dropped int64
	var before byte // the byte in front of next[0]
	end := -1
	for {
		if end = bytes.IndexByte(next, '\n'); end >= 0 || c.err != nil && len(next) == 0 {
			break
		}
		if len(next) > 0 {
			before = next[len(next)-1]
			dropped += int64(len(next))
		}
		next = c.skip(next[:0])
	}
	if end < 0 && c.stopped() {
		return nil, false
	}
	data, size := buf[:c.max], int64(c.max)+dropped
	if end >= 0 {
		if end > 0 {
			before = next[end-1]
		}
		dropped += int64(end)
		size += int64(end) + 1
		if before == '\r' {
			dropped--
			data = append(data, '\r')
		}
		data = append(data, '\n')
		next = append(next[:0], next[end+1:]...)
		if len(next) == 0 {
			next = c.fill(next, 1)
		}
	}
	last := c.err != nil && len(next) == 0
	ok = out.put(request.Block{Data: data, Offset: c.off, Dropped: dropped, Header: c.latest, Last: last})
	c.off += size
	return next, ok && !last
}

// skip reads once, as much as a block holds, for bytes that are only looked through: unlike fill it
// keeps the rest of a line after a stop.
func (c *cutter) skip(buf []byte) []byte {
	if cap(buf) < c.limit {
		buf = make([]byte, 0, c.limit)
	}
	if c.err != nil {
		return buf[:0]
	}
	var n int
	n, c.err = c.r.Read(buf[:c.limit])
	return buf[:n]
}
