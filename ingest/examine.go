package ingest

import (
	"context"
	"errors"

	"keyskew/ingest/request"
)

// Finding is what the beginning of an input looks like.
type Finding struct {
	Name string
	// Format is the zero value when the input is empty or refused, and Detection with it.
	Candidate
	// Packing is as in Stats.
	Packing string
	// Samples are the first rows with a key; without any, the first rows.
	Samples []Sample
	// Err is a *RefusedError when the input is no format that is read here, another error when it cannot
	// be read at all.
	Err error
}

// Sample is one row as it was decoded.
type Sample struct {
	// Key is nil for a request without one.
	Key     []byte
	Op      request.Op
	Command string
	// Time is in nanoseconds since 1970 UTC, valid when Timed.
	Time   int64
	Timed  bool
	Weight uint64
}

// Examine says what one input is, from its first 64 KiB, and decodes up to n rows of them. Of the options
// it uses Format, Select and Stdin.
func Examine(ctx context.Context, in Input, o Options, n int) Finding {
	f := Finding{Name: in.name()}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := open(ctx, in, o.Stdin)
	if err != nil {
		f.Err = err
		return f
	}
	defer s.close()
	packed, err := unpackSource(s)
	if err != nil {
		f.Err = err
		return f
	}
	defer packed.close()
	r := &run{options: o, formats: Formats()}
	var st Stats
	h, found, err := r.begin(packed, s, &st)
	f.Packing = st.Packing
	switch {
	case err != nil:
		f.Err = err
	case found:
		f.Candidate = r.format
		take := &sampler{most: n}
		h.decode(r.format, take, new(request.Tally))
		f.Samples = take.rows()
	default:
		// Empty, or broken before anything could be told.
		r.finish(packed, s, &st)
		f.Err = st.Err
		if s.stopped() {
			f.Err = errors.New(s.name + ": stopped before anything was read")
		}
	}
	return f
}

// sampler keeps the first rows, those with a key and those without apart.
type sampler struct {
	most           int
	keyed, keyless []Sample
}

// Add implements request.Sink.
func (s *sampler) Add(b *request.Batch) {
	for i := 0; i < b.Len() && len(s.keyed) < s.most; i++ {
		c := b.ClassOf(i)
		row := Sample{Op: c.Op, Command: nameOf(b.Names, int(c.Command)), Weight: b.WeightOf(i),
			Time: get(b.Time, i), Timed: b.Time != nil}
		switch {
		case c.Flags&request.NoKey == 0:
			row.Key = append([]byte{}, b.Key(i)...)
			s.keyed = append(s.keyed, row)
		case c.Flags&request.BeginsCommand != 0 && len(s.keyless) < s.most:
			s.keyless = append(s.keyless, row)
		}
	}
}

func (s *sampler) rows() []Sample {
	if len(s.keyed) > 0 {
		return s.keyed
	}
	return s.keyless
}
