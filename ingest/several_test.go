package ingest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

func TestTheSameFileTwiceIsRefused(t *testing.T) {
	text := bytesOf(sample(3000))
	other := append([]byte("zz"), text[2:]...)
	in := []Input{
		writeFile(t, "a.log", text), writeFile(t, "copy.log", text), writeFile(t, "b.log", other),
		writeFile(t, "longer.log", append(bytesOf(text), "x\n"...)),
		writeFile(t, "tiny", []byte("OK\na\n")), writeFile(t, "tiny too", []byte("OK\na\n")),
	}
	stats, _, err := read(context.Background(), in, Options{}, &recorder{}, fake())
	if want := "copy.log: it holds the same bytes as a.log: its requests would count twice"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	for i, s := range stats {
		if (s.Tally.Requests == 0) != (i == 1) {
			t.Errorf("%+v", s)
		}
	}
}

func bytesOf(b []byte) []byte { return append([]byte{}, b...) }

func TestInputsSideBySide(t *testing.T) {
	tally := func(first, last, n int64) Stats {
		t := request.Tally{Requests: n}
		t.Saw(first * 1e9)
		t.Saw(last * 1e9)
		return Stats{Name: fmt.Sprintf("n%d", first), Tally: t}
	}
	node := Input{Node: true}
	for _, c := range []struct {
		name   string
		inputs []Input
		stats  []Stats
		notes  string // of the last input
	}{
		{"overlapping nodes", []Input{node, node}, []Stats{tally(0, 10, 5), tally(9, 20, 5)}, "[]"},
		{"nodes apart", []Input{node, node, node}, []Stats{tally(0, 10, 5), tally(5, 11, 5), tally(70, 80, 5)},
			"[{seconds between this node and n0, which share no time: their clocks differ, or they were captured one after the other 60}]"},
		{"an earlier node", []Input{node, node}, []Stats{tally(70, 80, 5), tally(0, 10, 5)},
			"[{seconds between this node and n70, which share no time: their clocks differ, or they were captured one after the other 60}]"},
		{"files apart", []Input{{}, node}, []Stats{tally(0, 10, 5), tally(70, 80, 5)}, "[]"},
		{"without times", []Input{node, node}, []Stats{{}, tally(70, 80, 5)}, "[]"},
		{"the same requests", []Input{{}, {}}, []Stats{tally(3, 10, 5), tally(3, 10, 5)},
			"[{as many requests, and the same first and last time, as n3: if they are the same, each counts twice 5}]"},
		{"one request each", []Input{{}, {}}, []Stats{tally(3, 3, 1), tally(3, 3, 1)}, "[]"},
	} {
		compare(c.inputs, c.stats, make([]writtenKeys, len(c.stats)))
		if got := fmt.Sprint(c.stats[len(c.stats)-1].Tally.Notes); got != c.notes {
			t.Errorf("%s: got %s\nwant %s", c.name, got, c.notes)
		}
	}
}

// A capture of a replica beside that of its primary is noticed; one of another node is not.
func TestReplicaBesideItsPrimary(t *testing.T) {
	node := func(keys string, client int) []byte {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, "1700000000.%06d [0 10.0.0.%d:5000] \"SET\" \"%s%d\" \"1\"\n", 10*i+client, client, keys, i)
		}
		return []byte(b.String())
	}
	in := []Input{writeFile(t, "primary", node("k", 1)), writeFile(t, "other", node("q", 2)), writeFile(t, "replica", node("k", 3))}
	for _, size := range []int{100, 1 << 20} {
		stats, _, err := Read(context.Background(), in, Options{BlockSize: size}, &recorder{})
		if err != nil {
			t.Fatal(err)
		}
		want := "[{% of the written keys are written in primary as well, at the same time: if one is a replica of the other, each write counts twice; read one of them 100}]"
		if got := fmt.Sprint(stats[2].Tally.Notes); got != want {
			t.Errorf("got %s", got)
		}
		if len(stats[0].Tally.Notes)+len(stats[1].Tally.Notes) > 0 {
			t.Errorf("%+v", stats[:2])
		}
	}
}

func TestSharedKeysAreEstimated(t *testing.T) {
	for _, c := range []struct{ common, own int }{{0, 5000}, {5000, 0}, {4000, 1000}, {1000, 1000}, {10, 5}} {
		var a, b writtenKeys
		for i := range c.common {
			h := request.HashString(fmt.Sprint("both", i))
			a.add(h)
			b.add(h)
		}
		for i := range c.own {
			a.add(request.HashString(fmt.Sprint("a", i)))
			b.add(request.HashString(fmt.Sprint("b", i)))
		}
		want := float64(c.common) / float64(c.common+2*c.own)
		if c.common+c.own < 32 {
			want = 0
		}
		if got := a.shared(b); got < want-0.1 || got > want+0.1 {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
	}
}

func TestExamine(t *testing.T) {
	o := Options{Stdin: strings.NewReader(capture)}
	f := Examine(context.Background(), Input{Name: "stdin", Path: "-"}, o, 2)
	if f.Err != nil || f.Format.ID != "monitor" || f.Detection.Matched != 3 || f.Packing != "" {
		t.Errorf("%+v", f)
	}
	if got := fmt.Sprint(f.Samples); got != fmt.Sprint([]Sample{
		{Key: []byte("a"), Op: request.Read, Command: "GET", Time: 1700000000000002000, Timed: true, Weight: 1},
		{Key: []byte("b"), Op: request.Write, Command: "SET", Time: 1700000000000003000, Timed: true, Weight: 1},
	}) {
		t.Errorf("samples %s", got)
	}
	ping := Examine(context.Background(), writeFile(t, "x", gzipped([]byte("1700000000.000001 [0 127.0.0.1:50000] \"PING\"\n"))), Options{}, 2)
	if len(ping.Samples) != 1 || ping.Samples[0].Key != nil || ping.Packing != "gzip" {
		t.Errorf("%+v", ping)
	}
	for _, c := range []struct{ text, err string }{
		{"", "<nil>"},
		{"PAR1....", "x: this is a Parquet file; not a format that is read here"},
		{"\x1f\x8b\x08\xe0\x00\x00\x00\x00\x00\x00\x00\x00", "x: at byte 0: the gzip header is damaged"},
	} {
		f := Examine(context.Background(), writeFile(t, "x", []byte(c.text)), Options{}, 2)
		if fmt.Sprint(f.Err) != c.err || f.Format.ID != "" || len(f.Samples) > 0 {
			t.Errorf("%q: %+v", c.text, f)
		}
	}
	gone := Examine(context.Background(), Input{Name: "gone", Path: "/nonexistent"}, Options{}, 2)
	if !os.IsNotExist(unwrapped(gone.Err)) {
		t.Errorf("%+v", gone)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if f := Examine(ctx, writeFile(t, "x", []byte(capture)), Options{}, 2); f.Err == nil {
		t.Errorf("stopped: %+v", f)
	}
}

func unwrapped(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return err
}

// A head of any format gives samples, also where the input is rewritten or its records are no lines.
func TestExamineOtherKinds(t *testing.T) {
	array := Examine(context.Background(), writeFile(t, "x", []byte(`[{"ts":1700000000,"key":"a","op":"get"},`+"\n"+`{"ts":1700000001,"key":"b","op":"set"}]`+"\n")), Options{}, 2)
	if array.Err != nil || array.Format.Rewrite == nil || len(array.Samples) != 2 || string(array.Samples[1].Key) != "b" {
		t.Errorf("%+v", array)
	}
	record := []byte{1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}
	binary := Examine(context.Background(), writeFile(t, "x", record), Options{Format: "oraclegeneral"}, 2)
	if binary.Err != nil || len(binary.Samples) != 1 || string(binary.Samples[0].Key) != "7" {
		t.Errorf("%+v", binary)
	}
}

// What a format cannot use of what the user chose is said, not ignored.
func TestColumnsThatAreNotThere(t *testing.T) {
	csv := "time,key\n1700000000,a\n1700000001,b\n1700000002,a\n"
	for _, c := range []struct {
		text string
		sel  request.Select
		want string
	}{
		{capture, request.Select{Weight: "n"}, "x: read as MONITOR capture: it has no columns"},
		{csv, request.Select{Weight: "keys"}, `no column "keys" for the weight`},
	} {
		f := Examine(context.Background(), writeFile(t, "x", []byte(c.text)), Options{Select: c.sel}, 2)
		if f.Err == nil || !strings.Contains(f.Err.Error(), c.want) {
			t.Errorf("%+v: got %v", c.sel, f.Err)
		}
	}
}

// A log format says what the input is.
func TestLogFormatChoosesTheFormat(t *testing.T) {
	f := Examine(context.Background(), writeFile(t, "x", []byte("GET /a 200\nGET /b 404\n")), Options{Select: request.Select{LogFormat: "%m %U %s"}}, 2)
	if f.Err != nil || f.Format.ID != custom || len(f.Samples) != 2 || string(f.Samples[0].Key) != "/a" {
		t.Errorf("%+v", f)
	}
}
