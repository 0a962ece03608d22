package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"keyskew/ingest/request"
)

// fake is a format for tests: a line is a request, one that begins with "+" continues the record in
// front of it, and shows in its key whether it still stood behind that; "bad" lines are skipped.
func fake() []request.Format {
	return []request.Format{{
		ID: "fake", Title: "fake log", Text: "lines", Source: "this test",
		Detect:    fakeDetect,
		Continues: func(line []byte) bool { return bytes.HasPrefix(line, []byte("+")) },
		CutOff:    "cut off",
	}}
}

func fakeDetect(head []byte, _ request.Select) request.Detection {
	d := request.Detection{Framing: "plain", New: func() request.Decoder { return fakeDecoder{} }}
	n := 0
	for line := range bytes.Lines(head) {
		n++
		line = trimEnd(line)
		switch {
		case len(line) == 0 || string(line) == "OK":
		case bytes.HasPrefix(line, []byte("bad")) || bytes.IndexByte(line, 0) >= 0:
			d.Lines++
			if d.FirstBad == 0 {
				d.FirstBad, d.FirstBadText, d.Reason = n, string(line[:min(9, len(line))]), "it is bad"
			}
		default:
			d.Lines++
			d.Matched++
		}
	}
	return d
}

type fakeDecoder struct{}

func (fakeDecoder) Decode(b request.Block, s request.Sink, t *request.Tally) {
	batch := request.NewBatch(16, 0)
	at, head := b.Offset, "orphan"
	for line := range bytes.Lines(b.Data) {
		t.Lines++
		offset := at
		at += int64(len(line))
		whole := line[len(line)-1] == '\n'
		line = trimEnd(line)
		switch {
		case len(line) == 0:
			t.Skip("blank", true)
			head = "orphan"
			continue
		case bytes.HasPrefix(line, []byte("bad")):
			t.Skip("bad", false)
			head = "orphan"
			continue
		case bytes.HasPrefix(line, []byte("cut")) && b.Last && !whole:
			t.Skip("cut off", false)
			continue
		}
		t.Requests++
		key := short(line)
		if line[0] == '+' {
			key = head + key
		} else {
			head = key
		}
		if b.Last && !whole {
			key += " (not ended)"
		}
		batch.Append(&request.Row{Key: []byte(key), Offset: offset, Size: uint64(b.Dropped)})
	}
	s.Add(batch)
}

// short stands for a line of any length.
func short(line []byte) string {
	if len(line) <= 40 {
		return string(line)
	}
	return fmt.Sprintf("%s…%d:%x", line[:8], len(line), request.Hash(line))
}

// recorder is a folder that keeps all rows in the order of folding.
type recorder struct {
	rows []string
	// fold and begin are called, if set, in Fold and NewSink.
	fold  func() error
	begin func()
}

type recorderSink struct {
	input int
	rows  []string
}

func (s *recorderSink) Add(b *request.Batch) {
	for i := range b.Len() {
		s.rows = append(s.rows, fmt.Sprintf("%d@%d %s +%d", s.input, b.Offset[i], b.Key(i), b.Size[i]))
	}
}

func (r *recorder) NewSink(input int) request.Sink {
	if r.begin != nil {
		r.begin()
	}
	return &recorderSink{input: input}
}

func (r *recorder) Fold(s request.Sink) error {
	r.rows = append(r.rows, s.(*recorderSink).rows...)
	if r.fold != nil {
		return r.fold()
	}
	return nil
}

// once makes a function that runs f at its first call.
func once(f func()) func() {
	var o sync.Once
	return func() { o.Do(f) }
}

// lines is the count that every tally has to reach.
func lines(text []byte) int64 {
	n := int64(bytes.Count(text, []byte("\n")))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

func sameTally(a, b request.Tally) bool {
	return a.Lines == b.Lines && a.Requests == b.Requests && a.LongKeys == b.LongKeys &&
		a.Timed == b.Timed && a.First == b.First && a.Last == b.Last &&
		a.FirstSeen == b.FirstSeen && a.LastSeen == b.LastSeen && a.OutOfOrder == b.OutOfOrder &&
		slices.Equal(a.Notes, b.Notes) &&
		slices.EqualFunc(a.Skips, b.Skips, func(a, b request.Skip) bool {
			return a.Reason == b.Reason && a.Lines == b.Lines && a.Benign == b.Benign && slices.Equal(a.At, b.At)
		})
}
