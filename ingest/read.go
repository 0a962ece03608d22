package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"keyskew/ingest/request"
)

const (
	defaultBlockSize = 256 << 10
	progressEvery    = 100 * time.Millisecond
)

// job is a block on its way: filled by the reader, decoded by a worker, folded by the caller.
type job struct {
	input  int
	format *Format
	buf    []byte
	block  request.Block
	sink   request.Sink
	tally  request.Tally
	done   chan struct{}
}

// run is one call of Read. Three kinds of goroutines share it: the reader, the workers, and the caller
// that folds.
type run struct {
	ctx     context.Context // ends reading, when the caller of Read or the run itself says so
	inputs  []Input
	options Options
	folder  request.Folder
	formats []Format

	// A fixed number of jobs goes round: free, reader, todo and order, free. The caller takes them from
	// order, so in block order, whenever their worker was done.
	free, todo, order chan *job
	abort             chan struct{} // closed when what is still under way is of no use

	current atomic.Pointer[source] // what the reader has open

	// Written by the reader, read after it has closed order.
	stats   []Stats
	failed  []error // per input
	stopped bool
	held    []*job // taken from free, not yet sent
	input   int
	format  *Format

	// Written by the caller.
	tallies  []request.Tally
	cutOff   []bool
	requests int64
}

func read(ctx context.Context, inputs []Input, o Options, f request.Folder, formats []Format) ([]Stats, bool, error) {
	if o.BlockSize <= 0 {
		o.BlockSize = defaultBlockSize
	}
	o.BlockSize = min(o.BlockSize, request.MaxLine)
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Format != "" && byID(formats, o.Format) == nil {
		var ids []string
		for _, f := range formats {
			ids = append(ids, f.ID)
		}
		return nil, false, fmt.Errorf("unknown input format %q; there is %s", o.Format, strings.Join(ids, ", "))
	}
	jobs := o.Workers + 2 // one is filled and one folded while the workers have theirs
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // lets go of pumps that no one listens to any more
	r := &run{
		ctx: ctx, inputs: inputs, options: o, folder: f, formats: formats,
		free:    make(chan *job, jobs),
		todo:    make(chan *job, jobs),
		order:   make(chan *job, jobs),
		abort:   make(chan struct{}),
		stats:   make([]Stats, len(inputs)),
		failed:  make([]error, len(inputs)),
		tallies: make([]request.Tally, len(inputs)),
		cutOff:  make([]bool, len(inputs)),
	}
	for range jobs {
		r.free <- &job{done: make(chan struct{}, 1)}
	}
	var crew sync.WaitGroup
	crew.Go(r.read)
	for range o.Workers {
		crew.Go(r.decode)
	}
	strict, err := r.fold()
	if strict != nil || err != nil {
		close(r.abort)
		cancel()
	}
	crew.Wait()
	r.report()
	for i := range r.stats {
		s := &r.stats[i]
		s.Tally = r.tallies[i]
		s.Truncated = s.Truncated || r.cutOff[i]
	}
	if strict != nil {
		// How far ahead the reader was is chance: say nothing of the later inputs.
		r.stats[strict.input].Err = strict.err
		for i := strict.input + 1; i < len(inputs); i++ {
			r.stats[i], r.failed[i] = Stats{Name: inputs[i].name()}, nil
		}
	}
	return r.stats, r.stopped && strict == nil && err == nil, errors.Join(append(r.failed, err)...)
}

func byID(formats []Format, id string) *Format {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// badLine is the line that ended a strict run.
type badLine struct {
	input int
	err   *ParseError
}

// fold takes the jobs in block order.
func (r *run) fold() (*badLine, error) {
	var tick <-chan time.Time
	if r.options.Progress != nil {
		t := time.NewTicker(progressEvery)
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case <-tick:
			r.report()
		case j, ok := <-r.order:
			if !ok {
				return nil, nil
			}
			<-j.done
			if err := r.folder.Fold(j.sink); err != nil {
				return nil, fmt.Errorf("%s: %w", r.inputs[j.input].name(), err)
			}
			t := &r.tallies[j.input]
			before := t.Lines
			t.Append(&j.tally)
			r.requests += j.tally.Requests
			if j.block.Last && slices.ContainsFunc(j.tally.Skips, func(s request.Skip) bool {
				return s.Reason == j.format.CutOff
			}) {
				r.cutOff[j.input] = true
			}
			if r.options.Strict {
				if bad := firstBad(&j.tally); bad != nil {
					return &badLine{j.input, &ParseError{
						Input:  r.inputs[j.input].name(),
						Line:   before + bad.At[0],
						Offset: j.block.Offset,
						Format: j.format.ID,
						Reason: string(bad.Reason),
					}}, nil
				}
			}
			r.free <- j // never waits: it has room for all jobs
		}
	}
}

// firstBad returns the skip whose first line is the first bad one.
func firstBad(t *request.Tally) *request.Skip {
	var first *request.Skip
	for i := range t.Skips {
		s := &t.Skips[i]
		if !s.Benign && len(s.At) > 0 && (first == nil || s.At[0] < first.At[0]) {
			first = s
		}
	}
	return first
}

func (r *run) report() {
	s := r.current.Load()
	if r.options.Progress == nil || s == nil {
		return
	}
	r.options.Progress(Progress{Input: s.name, Read: s.read.Load(), Size: s.size, Requests: r.requests})
}

// decode is a worker.
func (r *run) decode() {
	decoders := map[string]request.Decoder{}
	for j := range r.todo {
		d := decoders[j.format.ID]
		if d == nil {
			d = j.format.NewDecoder(r.options)
			decoders[j.format.ID] = d
		}
		j.sink = r.folder.NewSink(j.input)
		j.tally = request.Tally{}
		d.Decode(j.block, j.sink, &j.tally)
		j.done <- struct{}{}
	}
}

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
		r.input = i
		s, err := open(r.ctx, in, r.options.Stdin)
		if err == nil {
			r.current.Store(s)
			err = r.one(s, &r.stats[i])
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
	in := unpack(s)
	defer in.close()
	st.Packing = in.packing()
	data, ended := in.Peek(headSize)
	if s.stopped() {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	defer func() { st.Bytes = s.read.Load() }()

	off := 0
	if bytes.HasPrefix(data, []byte(bomUTF8)) {
		off = len(bomUTF8)
	}
	st.Unpacked = int64(off)
	var opening *fs.PathError
	if errors.As(s.failure(), &opening) && opening.Op == "open" {
		return s.failed(opening)
	}
	if err := r.recognise(head{data[off:], ended == io.EOF}, ended, in, s, st); err != nil {
		return err
	}
	if r.format != nil {
		if _, err := in.Discard(off); err != nil {
			return s.failed(err)
		}
		c := &cutter{
			r:         in,
			max:       request.MaxLine,
			limit:     r.options.BlockSize,
			continues: r.format.Continues,
			stopped:   s.stopped,
			off:       int64(off),
		}
		c.run(r)
		r.release()
		st.Unpacked = c.off
	} else if !s.stopped() {
		st.Unpacked = int64(len(data))
	}
	r.finish(in, s, st)
	return nil
}

// recognise sets the format, or returns why the input is refused. ended is what ended the head early.
// Without an error and without a format there is nothing to decode.
func (r *run) recognise(h head, ended error, in *stream, s *source, st *Stats) error {
	r.format = byID(r.formats, r.options.Format)
	st.Format = r.options.Format
	refuse := func(why string) error { return fmt.Errorf("%s: %s", s.name, why) }
	if why := utf16(h.data); why != "" {
		return refuse(why)
	}
	if len(h.data) == 0 {
		r.format = nil
		return nil
	}
	if r.format != nil {
		d := h.judge(*r.format)
		st.Confidence, st.Framing = d.share(), d.Framing
		return nil
	}
	if in.deeper != "" {
		return refuse(fmt.Sprintf("there is %s data inside %s; unpack it first", in.deeper, in.packing()))
	}
	format, d, why := h.detect(r.formats)
	switch {
	case format != nil && (d.Lines > 0 || !s.stopped()):
		r.format = format
		st.Format, st.Confidence, st.Framing = format.ID, d.share(), d.Framing
	case format == nil && (ended == nil || ended == io.EOF || s.stopped()):
		return refuse(why)
	}
	// What is left is an input that ended too early to tell: it was stopped, or broke off (finish says so).
	return nil
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
	j.input, j.format = r.input, r.format
	j.buf = b.Data[:0]
	b.Data = slices.Clip(b.Data)
	j.block = b
	select {
	case <-r.abort:
		return false
	default: // neither send waits: both have room for all jobs
		r.order <- j
		r.todo <- j
		return true
	}
}

// release gives back what the last input took and did not use.
func (r *run) release() {
	for _, j := range r.held {
		r.free <- j
	}
	r.held = r.held[:0]
}
