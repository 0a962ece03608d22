package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"keyskew/ingest/request"
)

const (
	defaultBlockSize = 1 << 19
	progressEvery    = 100 * time.Millisecond
)

// job is a block on its way: filled by the reader, decoded by a worker, folded by the caller.
type job struct {
	input  int
	cutOff request.Reason
	id     string // of the format
	decode func() request.Decoder
	buf    []byte
	block  request.Block
	// since and until bound the times that are wanted, where there is a filter.
	since, until int64
	sink         request.Sink
	tally        request.Tally
	left         []leftOut
	written      writtenKeys
	done         chan struct{}
}

// run is one call of Read. Three kinds of goroutines share it: the reader, the workers, and the caller
// that folds.
type run struct {
	ctx     context.Context // ends reading, when the caller of Read or the run itself says so
	inputs  []Input
	options Options
	folder  request.Folder
	formats []request.Format
	filter  *filter // nil: all are wanted

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
	format  Candidate              // of that input
	seen    map[fingerprint]string // the names of the files read so far
	first   int64                  // the first record's time, of the first input that has one
	timed   bool                   // first is known
	head    *worker                // decodes for the reader itself, when only so many records are wanted
	records int64                  // of this input that it decoded
	since   int64
	until   int64

	// Written by the caller.
	tallies  []request.Tally
	left     [][]leftOut
	written  []writtenKeys // of captures, where there are several inputs
	cutOff   []bool
	requests int64
}

func read(ctx context.Context, inputs []Input, o Options, f request.Folder, formats []request.Format) ([]Stats, bool, error) {
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
	filter, err := newFilter(o.Filter)
	if err != nil {
		return nil, false, err
	}
	// One is filled and one folded while the workers have theirs; the others let them go on while a second
	// is closed, which takes as long as decoding a few blocks.
	jobs := min(3*o.Workers, o.Workers+6)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // lets go of pumps that no one listens to any more
	r := &run{
		ctx: ctx, inputs: inputs, options: o, folder: f, formats: formats, filter: filter,
		free:    make(chan *job, jobs),
		todo:    make(chan *job, jobs),
		order:   make(chan *job, jobs),
		abort:   make(chan struct{}),
		stats:   make([]Stats, len(inputs)),
		failed:  make([]error, len(inputs)),
		tallies: make([]request.Tally, len(inputs)),
		left:    make([][]leftOut, len(inputs)),
		written: make([]writtenKeys, len(inputs)),
		seen:    map[fingerprint]string{},
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
		if filter != nil {
			s.Filtered = filter.filtered(r.left[i])
		}
		s.remark(o.Filter.Head)
		s.Truncated = s.Truncated || r.cutOff[i]
	}
	compare(inputs, r.stats, r.written)
	if strict != nil {
		// How far ahead the reader was is chance: say nothing of the later inputs.
		r.stats[strict.input].Err = strict.err
		for i := strict.input + 1; i < len(inputs); i++ {
			r.stats[i], r.failed[i] = Stats{Name: inputs[i].name()}, nil
		}
	}
	return r.stats, r.stopped && strict == nil && err == nil, errors.Join(append(r.failed, err)...)
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
			r.left[j.input] = addLeftOut(r.left[j.input], j.left)
			for _, hash := range j.written {
				r.written[j.input].add(hash)
			}
			r.requests += j.tally.Requests
			if j.block.Last && slices.ContainsFunc(j.tally.Skips, func(s request.Skip) bool {
				return s.Reason == j.cutOff
			}) {
				r.cutOff[j.input] = true
			}
			if r.options.Strict {
				if bad := firstBad(&j.tally); bad != nil {
					return &badLine{j.input, &ParseError{
						Input:  r.inputs[j.input].name(),
						Line:   before + bad.At[0],
						Offset: j.block.Offset,
						Format: j.id,
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

// worker decodes blocks.
type worker struct {
	run     *run
	decoder request.Decoder
	input   int // that the decoder is for, from 1; 0 for none yet
	sink    filterSink
}

// decode is a worker's goroutine.
func (r *run) decode() {
	w := &worker{run: r}
	for j := range r.todo {
		w.decode(j)
		j.done <- struct{}{}
	}
}

func (w *worker) decode(j *job) {
	if w.input != j.input+1 {
		w.decoder, w.input = j.decode(), j.input+1
		if w.run.filter != nil {
			w.sink.filter = w.run.filter
			w.sink.forget()
		}
	}
	j.sink = w.run.folder.NewSink(j.input)
	j.tally, j.written = request.Tally{}, nil
	to := j.sink
	if len(w.run.inputs) > 1 && j.id == monitorID {
		keys := &watch{to: to}
		to = keys
		defer func() { j.written = keys.keys }()
	}
	if w.run.filter == nil {
		w.decoder.Decode(j.block, to, &j.tally)
		return
	}
	w.sink.begin(to, j.since, j.until)
	w.decoder.Decode(j.block, &w.sink, &j.tally)
	j.left = w.sink.left
}
