package jsonlines

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

// row is one row of a batch, copied out.
type row struct {
	Key, Command      string
	Flags             request.Flags
	Op                request.Op
	Algebra           request.Algebra
	Offset            int64
	Size, Weight      uint64
	Time              int64
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
			Algebra: b.Algebra[i], Offset: b.Offset[i], Size: b.Size[i], Weight: b.WeightOf(i),
			Time: at(b.Time, i), Client: at(b.Client, i), Status: at(b.Status, i), Latency: at(b.Latency, i),
			Cache: at(b.Cache, i), TTL: at(b.TTL, i),
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

// top counts the keys by weight: "key n", most frequent first, then by key.
func (r *rows) top(n int) []string {
	counts := map[string]uint64{}
	for _, x := range r.list {
		if x.Flags&request.NoKey == 0 {
			counts[x.Key] += x.Weight
		}
	}
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if counts[a] != counts[b] {
			return int(counts[b]) - int(counts[a])
		}
		return strings.Compare(a, b)
	})
	out := []string{}
	for _, k := range keys[:min(n, len(keys))] {
		out = append(out, fmt.Sprint(k, " ", counts[k]))
	}
	return out
}

func (r *rows) distinct() int {
	k := r.keys()
	slices.Sort(k)
	return len(slices.Compact(k))
}

// choose detects the format as the reader does: the largest share wins, the first of equals.
func choose(head []byte, sel request.Select) (request.Format, request.Detection) {
	var best request.Detection
	var format request.Format
	for i, f := range Formats() {
		if d := f.Detect(head, sel); i == 0 || d.Share() > best.Share() {
			format, best = f, d
		}
	}
	return format, best
}

// read detects and decodes a text in one block.
func read(t testing.TB, data []byte, sel request.Select) (string, request.Detection, *rows, *request.Tally) {
	t.Helper()
	format, d := choose(data, sel)
	if d.New == nil {
		t.Fatalf("%s: %d of %d lines: %s", format.ID, d.Matched, d.Lines, d.Reason)
	}
	if format.Rewrite != nil {
		data = rewritten(t, data)
	}
	sink, tally := decode(t, d, request.Block{Data: data, Last: true})
	return format.ID, d, sink, tally
}

func decode(t testing.TB, d request.Detection, b request.Block) (*rows, *request.Tally) {
	t.Helper()
	sink, tally := &rows{t: t}, &request.Tally{}
	d.New().Decode(b, sink, tally)
	accounted(t, tally)
	return sink, tally
}

func rewritten(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := out.ReadFrom(Lines(bytes.NewReader(data))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// accounted checks that every line is a request or skipped for a reason.
func accounted(t testing.TB, tally *request.Tally) {
	t.Helper()
	if all, _ := tally.Skipped(); tally.Lines != tally.Requests+all {
		t.Errorf("%d lines, but %d requests and %d skipped", tally.Lines, tally.Requests, all)
	}
}

// skips is "reason: lines", benign ones in brackets, sorted.
func skips(tally *request.Tally) []string {
	out := []string{}
	for _, s := range tally.Skips {
		text := fmt.Sprintf("%s: %d", s.Reason, s.Lines)
		if s.Benign {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

func mapping(d request.Detection) string {
	var out []string
	for _, m := range d.Mapping {
		out = append(out, m.Field+"="+m.From)
	}
	return strings.Join(out, "; ")
}

func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}
