package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"keyskew/ingest/request"
)

// read is the reader.
func (r *run) read() {
	defer close(r.order)
	defer close(r.todo)
	for i, in := range r.inputs {
		r.stats[i].Name = in.name()
	}
	for i, in := range r.inputs {
		if r.ctx.Err() != nil {
			r.stopped = true
			return
		}
		r.input, r.records = i, 0
		s, err := open(r.ctx, in, r.options.Stdin)
		if err == nil {
			if err = r.twice(s); err == nil {
				r.current.Store(s)
				err = r.one(s, &r.stats[i])
			}
			s.close()
		}
		if err != nil {
			r.stats[i].Err = err
			r.failed[i] = err
		}
	}
}

// one reads one open input. It returns an error when nothing can be read from it; one that broke off
// inside has it in st.Err.
func (r *run) one(s *source, st *Stats) error {
	in, err := unpackSource(s)
	if err != nil {
		return err
	}
	defer in.close()
	defer func() {
		st.Bytes = s.read.Load()
		if st.Cut && st.Packing == "" {
			st.Bytes = st.Unpacked // how far ahead the reader was is chance
		}
	}()
	h, found, err := r.begin(in, s, st)
	switch {
	case err != nil:
		return err
	case found:
		if err := r.bound(h, s); err != nil {
			return err
		}
		off := len(h.raw) - len(h.data)
		if r.format.Format.RecordSize > 0 {
			off = 0
		}
		if _, err := in.Discard(off); err != nil {
			return s.failed(err)
		}
		if err := r.cut(in, s, int64(off), st); err != nil {
			st.Err = err
			return nil
		}
	case !s.stopped():
		st.Unpacked = int64(len(h.raw))
	}
	if !st.Cut {
		r.finish(in, s, st)
	}
	return nil
}

// unpackSource undoes the packings of an input, unless it is an archive that cannot be read as one.
func unpackSource(s *source) (*stream, error) {
	if f, ok := s.r.(*os.File); ok && s.size > 0 {
		if why, several := severalFiles(f, s.size); several {
			return nil, &RefusedError{Input: s.name, Why: why}
		}
	}
	return unpack(s), nil
}

// begin looks at the head and chooses the format. Without an error and without a format there is nothing
// to decode.
func (r *run) begin(in *stream, s *source, st *Stats) (h head, found bool, err error) {
	st.Packing = in.packing()
	data, ended := in.Peek(headSize)
	if s.stopped() {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	h = head{raw: data, data: bytes.TrimPrefix(data, []byte(bomUTF8)), whole: ended == io.EOF}
	st.Unpacked = int64(len(h.raw) - len(h.data))
	var opening *fs.PathError
	if errors.As(s.failure(), &opening) && opening.Op == "open" {
		return h, false, s.failed(opening)
	}
	found, err = r.recognise(h, ended, in, s, st)
	return h, found, err
}

// bound makes the times of the filter absolute.
func (r *run) bound(h head, s *source) error {
	if r.filter == nil {
		return nil
	}
	if !r.timed && r.filter.relative() {
		var t request.Tally
		h.decode(r.format, discard{}, &t)
		if r.first, r.timed = t.FirstSeen, t.Timed; !t.Timed {
			return &RefusedError{Input: s.name, Why: timeFlags(r.filter.Filter) + " needs the time of the first record, " +
				"but there is none in the first 64 KiB; give a date and time"}
		}
	}
	r.since, r.until = r.filter.bounds(r.first)
	return nil
}

// discard is a sink for those who want the tally alone.
type discard struct{}

func (discard) Add(*request.Batch) {}

// cut reads the input in the format found. Its error is one of the format's own: the layers below know
// theirs.
func (r *run) cut(in *stream, s *source, off int64, st *Stats) error {
	f := &r.format.Format
	unpacked := &counter{r: in, n: off}
	c := &cutter{
		r:         unpacked,
		max:       request.MaxLine,
		limit:     r.options.BlockSize,
		continues: f.Continues,
		header:    f.Header,
		size:      f.RecordSize,
		stopped:   s.stopped,
		off:       off,
	}
	if f.Rewrite != nil {
		c.r = f.Rewrite(unpacked)
	}
	c.run(r)
	r.release()
	if st.Cut {
		return nil
	}
	st.Unpacked = c.off
	if f.Rewrite == nil {
		return nil
	}
	st.Unpacked = unpacked.n
	if c.err == nil || c.err == io.EOF || unpacked.err != nil && unpacked.err != io.EOF {
		return nil
	}
	st.Truncated = errors.Is(c.err, io.ErrUnexpectedEOF)
	return &ParseError{Input: s.name, Offset: st.Unpacked, Format: st.Format, Reason: c.err.Error(), Err: c.err}
}

// counter counts what is read through it and keeps the error that ended it.
type counter struct {
	r   io.Reader
	n   int64
	err error
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	c.err = err
	return n, err
}

// recognise sets the format, or returns why the input is refused. ended is what ended the head early.
func (r *run) recognise(h head, ended error, in *stream, s *source, st *Stats) (found bool, err error) {
	st.Format = r.options.Format
	refuse := func(why string) (bool, error) { return false, &RefusedError{Input: s.name, Why: why} }
	asked := byID(r.formats, r.options.Format)
	if asked == nil && r.options.Select.LogFormat != "" {
		asked = byID(r.formats, custom)
	}
	if why := utf16(h.data); why != "" && (asked == nil || asked.RecordSize == 0) {
		return refuse(why)
	}
	if len(h.data) == 0 {
		return false, nil
	}
	if asked != nil {
		r.format = Candidate{*asked, h.judge(*asked, r.options.Select)}
		if r.format.Detection.New == nil {
			refused := r.format.refused()
			refused.Input = s.name
			return false, refused
		}
		st.detected(r.format)
		return true, nil
	}
	if in.deeper != "" {
		return refuse(fmt.Sprintf("there is %s data inside %s; unpack it first", in.deeper, in.packing()))
	}
	c, refused := h.detect(r.formats, r.options.Select)
	switch {
	case refused == nil && (c.Detection.Lines > 0 || !s.stopped()):
		r.format = c
		st.detected(c)
		return true, nil
	case refused != nil && (ended == nil || ended == io.EOF || s.stopped()):
		refused.Input = s.name
		return false, refused
	}
	// What is left is an input that ended too early to tell: it was stopped, or broke off (finish says so).
	return false, nil
}

func (st *Stats) detected(c Candidate) {
	st.Format, st.Framing, st.Mapping = c.Format.ID, c.Detection.Framing, c.Detection.Mapping
	st.Confidence = c.Detection.Share()
}

// finish says how the input ended. The layers that it went through know: an error may look like a proper
// end to the one behind.
func (r *run) finish(in *stream, s *source, st *Stats) {
	if s.stopped() {
		r.stopped = true
		return
	}
	broke := &ParseError{Input: s.name, Offset: st.Unpacked, Format: st.Format}
	if cause := s.failure(); cause != nil {
		broke.Reason, broke.Err = "it cannot be read any further: "+cause.Error(), cause
	} else if reason, truncated, err := in.broken(st.Unpacked); err != nil {
		broke.Reason, broke.Err, st.Truncated = reason, err, truncated
	} else if s.shrank() {
		st.Truncated = true
		broke.Reason = fmt.Sprintf("the file shrank while it was read, from %d to %d bytes", s.size, s.read.Load())
	} else {
		return
	}
	st.Err = broke
}

// get implements buffers.
func (r *run) get() ([]byte, bool) {
	select {
	case j := <-r.free:
		r.held = append(r.held, j)
		// One long line should not leave every buffer at its size for good.
		if cap(j.buf) < r.options.BlockSize || cap(j.buf) > 2*r.options.BlockSize {
			j.buf = make([]byte, 0, r.options.BlockSize)
		}
		return j.buf[:0], true
	case <-r.abort:
		return nil, false
	}
}

// put implements buffers.
func (r *run) put(b request.Block) bool {
	j := r.held[0]
	r.held = slices.Delete(r.held, 0, 1)
	j.input, j.id, j.cutOff, j.decode = r.input, r.format.Format.ID, r.format.Format.CutOff, r.format.Detection.New
	j.buf = b.Data[:0]
	b.Data = slices.Clip(b.Data)
	j.block, j.since, j.until = b, r.since, r.until
	select {
	case <-r.abort:
		return false
	default: // neither send waits: both have room for all jobs
	}
	if most := r.options.Filter.Head; most > 0 {
		more := r.decodeHead(j, most)
		r.order <- j
		return more
	}
	r.order <- j
	r.todo <- j
	return true
}

// release gives back what the last input took and did not use.
func (r *run) release() {
	for _, j := range r.held {
		r.free <- j
	}
	r.held = r.held[:0]
}

// remark says among the notes of the tally what the filters left out.
func (st *Stats) remark(head int64) {
	if st.Cut {
		st.Tally.Note("only the first requests were read (--head)", head)
	}
	for _, f := range st.Filtered {
		st.Tally.Note("left out by "+f.Filter, int64(min(f.Requests, math.MaxInt64)))
	}
}
