package monitor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
)

// row is one row of a batch, copied out.
type row struct {
	Key     string
	Command string
	Flags   request.Flags
	Op      request.Op
	Algebra request.Algebra
	Offset  int64
	Size    uint64
	Time    int64
	Client  uint64
}

// rows is a sink that copies.
type rows struct {
	t    testing.TB
	list []row
}

func (r *rows) Add(b *request.Batch) {
	for i := range b.Len() {
		key := b.Key(i)
		if len(key) > request.MaxKey {
			r.t.Errorf("a key of %d bytes", len(key))
		}
		if b.Flags[i]&request.NoKey == 0 && b.Hash[i] != request.Hash(key) {
			r.t.Errorf("key %q: not its hash", key)
		}
		r.list = append(r.list, row{
			Key: string(key), Command: b.Names[b.Command[i]], Flags: b.Flags[i], Op: b.Op[i],
			Algebra: b.Algebra[i], Offset: b.Offset[i], Size: b.Size[i], Time: b.Time[i], Client: b.Client[i],
		})
	}
}

// keys are the keys of all rows that have one.
func (r *rows) keys() []string {
	out := []string{}
	for _, x := range r.list {
		if x.Flags&request.NoKey == 0 {
			out = append(out, x.Key)
		}
	}
	return out
}

// commands is the number of commands that begin.
func (r *rows) commands() (n int) {
	for _, x := range r.list {
		if x.Flags&request.BeginsCommand != 0 {
			n++
		}
	}
	return n
}

// apart returns the rows without their offsets, which depend on the framing.
func (r *rows) apart() []row {
	out := slices.Clone(r.list)
	for i := range out {
		out[i].Offset = 0
	}
	return out
}

func decode(t testing.TB, o Options, b request.Block) (*rows, *request.Tally) {
	t.Helper()
	sink, tally := &rows{t: t}, &request.Tally{}
	New(o).Decode(b, sink, tally)
	accounted(t, tally)
	return sink, tally
}

func decodeString(t testing.TB, text string) (*rows, *request.Tally) {
	t.Helper()
	return decode(t, Options{}, request.Block{Data: []byte(text), Last: true})
}

// accounted checks that every line is a request or skipped for a reason.
func accounted(t testing.TB, tally *request.Tally) {
	t.Helper()
	if all, _ := tally.Skipped(); tally.Lines != tally.Requests+all {
		t.Errorf("%d lines, but %d requests and %d skipped", tally.Lines, tally.Requests, all)
	}
}

// skips is the number of skipped lines by reason.
func skips(tally *request.Tally) map[request.Reason]int64 {
	out := map[request.Reason]int64{}
	for _, s := range tally.Skips {
		out[s.Reason] = s.Lines
	}
	return out
}

func notes(tally *request.Tally) map[string]int64 {
	out := map[string]int64{}
	for _, n := range tally.Notes {
		out[n.Text] = n.Count
	}
	return out
}

func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sample(t testing.TB, name string) []byte {
	return read(t, filepath.Join(golden.Root(), "testdata", "monitor", name))
}

const at = "1796072448.302647 [0 127.0.0.1:47940] "
