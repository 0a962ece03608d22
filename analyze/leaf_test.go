package analyze

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

var _ = golden.UpdateFlag()

// leafOf saves rows as the input of that name.
func leafOf(t testing.TB, name string, rows []row) *Leaf {
	t.Helper()
	p := Part{Name: name, To: int64(len(rows)) * 50, Format: "monitor", Confidence: 0.5, Mapping: []request.Mapped{{Field: "key", From: "path"}}}
	p.Tally.Lines, p.Tally.Requests = int64(len(rows))+1, int64(len(rows))
	p.Tally.Skips = []request.Skip{{Reason: "a banner", Lines: 1, Benign: true, At: []int64{1}}}
	p.Tally.Note("unknown command FOO", 2)
	l, err := NewLeaf(collect(t, config(), rows, true), []Part{p})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func leafBytes(t testing.TB, l *Leaf) []byte {
	t.Helper()
	b, err := l.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decodeLeaf(t testing.TB, b []byte) *Leaf {
	t.Helper()
	l, err := DecodeLeaf(b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLeafIsTheSame(t *testing.T) {
	l := leafOf(t, "a.log", []row{{key: "a", at: start, op: 1, command: 1}})
	l.Settings, l.SampleEvery, l.Stopped = []string{"--key=path"}, 10, true
	b := leafBytes(t, l)
	again := decodeLeaf(t, b)
	if got, want := fmt.Sprintf("%+v", again.Parts), fmt.Sprintf("%+v", l.Parts); got != want {
		t.Errorf("parts %s, want %s", got, want)
	}
	if !slices.Equal(again.Settings, l.Settings) || again.SampleEvery != 10 || !again.Stopped || again.Filtered {
		t.Errorf("loaded %+v", again)
	}
	if !bytes.Equal(leafBytes(t, again), b) {
		t.Error("written again, the bytes differ")
	}
	for i := range b {
		damaged := slices.Clone(b)
		damaged[i] ^= 0x20
		if _, err := DecodeLeaf(damaged); !errors.Is(err, sketch.ErrDamaged) && !errors.Is(err, sketch.ErrVersion) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := DecodeLeaf(b[:i]); err == nil {
			t.Fatalf("cut at %d: accepted", i)
		}
	}
}

// The sample says in which input a key was first seen, whatever came first when the leaves were merged.
func TestMergedLeavesNumberTheirInputsByName(t *testing.T) {
	at := func(key string, n int64) []row { return []row{{key: key, at: start + n, op: 1, command: 1}} }
	names := []string{"a.log", "b.log", "c.log"}
	var want []byte
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		var all *Leaf
		for _, i := range order {
			l := decodeLeaf(t, leafBytes(t, leafOf(t, names[i], at("key:"+names[i], int64(3-i)))))
			if all == nil {
				all = l
			} else if err := all.Merge(l); err != nil {
				t.Fatal(err)
			}
		}
		for _, k := range all.Summary.sample.All() {
			if got := "key:" + all.Parts[k.First.Input].Name; got != string(k.Key) {
				t.Errorf("order %v: %s was first seen in the input of %s", order, k.Key, got)
			}
		}
		b := leafBytes(t, all)
		if want == nil {
			want = b
		}
		if !bytes.Equal(b, want) {
			t.Errorf("order %v gives other bytes", order)
		}
	}
}

// Many long keys are made to fit, and what is dropped is bounded.
func TestLeafFits(t *testing.T) {
	rows := make([]row, 60_000)
	for i := range rows {
		key := i
		if i%10 == 0 {
			key = 0
		}
		rows[i] = row{key: fmt.Sprintf("%0150d", key), at: start + int64(i)*1e6, op: 1, command: 1}
	}
	c := config()
	c.KeyBudget = LeafKeys
	s := collect(t, c, rows, true)
	if b := encode(t, s); len(b) <= LeafBytes {
		t.Fatalf("%d bytes need no shrinking: the test shows nothing", len(b))
	}
	l, err := NewLeaf(s, []Part{{Name: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if b := encode(t, l.Summary); len(b) > LeafBytes {
		t.Errorf("%d bytes, above %d", len(b), LeafBytes)
	}
	if got := l.Summary.Count([]byte(rows[0].key)); got.Lower > 6000 || got.Upper < 6000 || got.Lower < 5000 {
		t.Errorf("the largest key: %v, want 6000 within", got)
	}
	if got := l.Summary.Count([]byte(rows[1].key)); got.Lower > 1 || got.Upper < 1 {
		t.Errorf("a small key: %v, want 1 within", got)
	}
}

func FuzzDecodeLeafHeader(f *testing.F) {
	l := leafOf(f, "a.log", []row{{key: "a", at: start, op: 1, command: 1}})
	l.Settings = []string{"--key=path"}
	r, _, err := sketch.OpenFrame(l.appendHeader(nil), tagLeaf)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(r.Left())
	f.Fuzz(func(t *testing.T, body []byte) {
		b := sketch.AppendFrame([]byte(Magic), tagLeaf, func(b []byte) []byte { return append(b, body...) })
		l, err := DecodeCoverage(b)
		if err == nil && !bytes.Equal(l.appendHeader([]byte(Magic)), b) {
			t.Fatal("written again, the bytes differ")
		}
	})
}

// The bytes of the format: a change of them needs a new version.
func TestLeafGolden(t *testing.T) {
	c := config()
	c.Layout = layoutOf(t, 2)
	c.Template = true
	s := collect(t, c, []row{
		{key: "user:1", at: start, op: request.Read, command: 1, size: 7, client: 3},
		{key: "user:1", at: start + 3e8, op: request.Write, command: 2, client: 4},
		{key: "q", at: start + 5e9, op: request.Poll, command: 4, inner: true},
		{at: start + 6e9, noKey: true, command: 5},
	}, true)
	p := Part{Name: "a.log", To: 200, Format: "monitor", Confidence: 1}
	p.Tally.Lines, p.Tally.Requests = 4, 4
	l, err := NewLeaf(s, []Part{p})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "summary/version1.hex", fmt.Appendf(nil, "%x\n", leafBytes(t, l)))
}

// BenchmarkMergeLeaves loads and merges leaves of 20,000 keys; one iteration is one leaf.
func BenchmarkMergeLeaves(b *testing.B) {
	const leaves = 8
	var files [leaves][]byte
	for i := range files {
		rows := make([]row, 40_000)
		for j := range rows {
			rows[j] = row{key: fmt.Sprintf("user:%07d", (j*j+i*1000)%20_000), at: start + int64(i*40+j/1000)*1e9, op: 1, command: 1}
		}
		files[i] = leafBytes(b, leafOf(b, fmt.Sprintf("%d.log", i), rows))
	}
	b.ReportAllocs()
	var all *Leaf
	for i := 0; b.Loop(); i++ {
		l := decodeLeaf(b, files[i%leaves])
		if i%leaves == 0 {
			all = l
			continue
		}
		if err := all.Merge(l); err != nil {
			b.Fatal(err)
		}
	}
}
