package delimited

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"testing"

	"keyskew/ingest/request"
)

// row is one row of a batch, copied out. Columns that the batch lacks have their zero.
type row struct {
	Key, Command      string
	Flags             request.Flags
	Op                request.Op
	Algebra           request.Algebra
	Offset            int64
	Size              uint64
	Time              int64
	Weight            uint64
	Client            uint64
	Status            uint16
	Latency           int64
	Cache             request.CacheResult
	TTL               int64
	Partition, Tenant string
}

// rows is a sink that copies.
type rows struct {
	t    testing.TB
	list []row
}

func at[T any](column []T, i int) (v T) {
	if column != nil {
		v = column[i]
	}
	return v
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
		x := row{
			Key: string(key), Command: b.Names[b.Command[i]], Flags: b.Flags[i], Op: b.Op[i],
			Algebra: b.Algebra[i], Offset: b.Offset[i], Size: b.Size[i], Time: at(b.Time, i),
			Weight: b.WeightOf(i), Client: at(b.Client, i), Status: at(b.Status, i),
			Latency: at(b.Latency, i), Cache: at(b.Cache, i), TTL: at(b.TTL, i),
		}
		if b.Partition != nil {
			x.Partition = b.PartitionNames[b.Partition[i]]
		}
		if b.Tenant != nil {
			x.Tenant = b.TenantNames[b.Tenant[i]]
		}
		r.list = append(r.list, x)
	}
}

func (r *rows) keys() []string {
	out := []string{}
	for _, x := range r.list {
		if x.Flags&request.NoKey == 0 {
			out = append(out, x.Key)
		}
	}
	return out
}

// counted is a key and how many requests it has.
type counted struct {
	Key string
	N   uint64
}

// top counts by, with the weight or without, and returns the total, how many there are, and the first
// five.
func (r *rows) top(by func(row) string, weighted bool) (total uint64, distinct int, five []counted) {
	counts := map[string]uint64{}
	for _, x := range r.list {
		n := uint64(1)
		if weighted {
			n = x.Weight
		}
		counts[by(x)] += n
		total += n
	}
	for k, n := range counts {
		five = append(five, counted{k, n})
	}
	slices.SortFunc(five, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Key, b.Key))
	})
	return total, len(counts), five[:min(5, len(five))]
}

func byKey(x row) string { return x.Key }

// choose takes the format that fits the first 64 KiB best, the first of several, as package ingest does.
func choose(text []byte, s request.Select) (request.Format, request.Detection) {
	var best request.Format
	var found request.Detection
	for _, f := range Formats() {
		head := text[:min(len(text), 64<<10)]
		if f.RecordSize == 0 && len(head) < len(text) {
			head = head[:bytes.LastIndexByte(head, '\n')+1]
		}
		if d := f.Detect(head, s); d.Share() > found.Share() {
			best, found = f, d
		}
	}
	return best, found
}

func named(t testing.TB, id string) request.Format {
	t.Helper()
	i := slices.IndexFunc(Formats(), func(f request.Format) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("no format %q", id)
	}
	return Formats()[i]
}

// decodeAs decodes a whole input in one block.
func decodeAs(t testing.TB, f request.Format, d request.Detection, text []byte) (*rows, *request.Tally) {
	t.Helper()
	if d.New == nil {
		t.Fatalf("%s cannot read it: %s", f.ID, d.Reason)
	}
	if f.Rewrite != nil {
		var err error
		if text, err = io.ReadAll(f.Rewrite(bytes.NewReader(text))); err != nil {
			t.Fatal(err)
		}
	}
	sink, tally := &rows{t: t}, &request.Tally{}
	d.New().Decode(request.Block{Data: text, Last: true}, sink, tally)
	accounted(t, tally)
	return sink, tally
}

// detected decodes an input as what it is detected to be.
func detected(t testing.TB, text string, s request.Select, id string) (*rows, *request.Tally, request.Detection) {
	t.Helper()
	f, d := choose([]byte(text), s)
	if f.ID != id {
		t.Fatalf("detected %q (%+v), want %q", f.ID, d, id)
	}
	r, tally := decodeAs(t, f, d, []byte(text))
	return r, tally, d
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

func mapped(d request.Detection) map[string]string {
	out := map[string]string{}
	for _, m := range d.Mapping {
		out[m.Field] = m.From
	}
	return out
}

func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}
