package delimited

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"

	"pgregory.net/rapid"
)

// drawBytes draws often what has a meaning somewhere.
func drawBytes(t *rapid.T, label, special string) []byte {
	return rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]byte(special)), rapid.Byte()), 0, 12).Draw(t, label)
}

// quote writes a cell as RFC 4180 has it.
func quote(cell []byte, delimiter byte, always bool) string {
	if always || bytes.ContainsAny(cell, "\"\r\n") || bytes.IndexByte(cell, delimiter) >= 0 {
		return `"` + strings.ReplaceAll(string(cell), `"`, `""`) + `"`
	}
	return string(cell)
}

// Whatever stands in the cells of a table comes back, newlines in them as well.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delimiter := rapid.SampledFrom([]byte(",\t;|")).Draw(t, "delimiter")
		d := string(delimiter)
		var text strings.Builder
		text.WriteString("key" + d + "note\n")
		always := rapid.Bool().Draw(t, "always quoted")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		var want []string
		for range rapid.IntRange(1, 6).Draw(t, "rows") {
			key := drawBytes(t, "key", "\",;\t|\n\r\x00n0 ")
			note := drawBytes(t, "note", "\",;\t|\n\r\x00n0 ")
			want = append(want, string(key))
			// A quote opens the last cell at least, so that nothing is taken for a line end or a header.
			text.WriteString(quote(key, delimiter, always) + d + quote(append(note, 'x'), delimiter, always) + end)
		}
		layout := layout{dialect: dialect{delimiter: delimiter, joined: true}, columns: newColumns(2, []string{"key", "note"})}
		layout.header, layout.keys = []byte("key"+d+"note"), []int{0}
		j := joiner{r: iotest.OneByteReader(strings.NewReader(text.String())), delimiter: delimiter, in: make([]byte, 64)}
		joined, err := io.ReadAll(&j)
		if err != nil {
			t.Fatal(err)
		}
		sink, tally := &requesttest.Rows{}, &request.Tally{}
		newDecoder(layout).Decode(request.Block{Data: joined, Last: true}, sink, tally)
		if got := sink.Keys(); !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q %+v\nwant %q", text.String(), got, tally.Skips, want)
		}
	})
}

// Against the decoder of the standard library, for tables that it can read.
func TestAgainstEncodingCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		for range rapid.IntRange(1, 8).Draw(t, "rows") {
			cell := rapid.StringMatching(`[a-c", ;]{0,6}`)
			if err := w.Write([]string{cell.Draw(t, "a"), cell.Draw(t, "b"), cell.Draw(t, "c")}); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		want, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		s := splitter{dialect: dialect{delimiter: ','}}
		i := 0
		for line := range bytes.Lines(b.Bytes()) {
			if reason := s.cut(request.TrimEnd(line), true); reason != "" {
				t.Fatalf("%q: %s", line, reason)
			}
			if got := fmt.Sprintf("%q", s.cells); got != fmt.Sprintf("%q", want[i]) {
				t.Fatalf("%q: got %s, want %q", line, got, want[i])
			}
			i++
		}
	})
}

// The fast cut against the plain one.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(rapid.SampledFrom([]byte(",,,a\x2c\xac\x00\x2d\x2b \t")), 0, 60).Draw(t, "line")
		s := splitter{dialect: dialect{delimiter: ','}}
		_ = s.cut(line, false)
		if got, want := fmt.Sprintf("%q", s.cells), fmt.Sprintf("%q", bytes.Split(line, []byte(","))); got != want {
			t.Fatalf("%q: got %s, want %s", line, got, want)
		}
		s = splitter{dialect: dialect{delimiter: ' '}}
		for _, quotes := range []bool{false, true} {
			_ = s.cut(line, quotes)
			want := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
			if got, want := fmt.Sprintf("%q", s.cells), fmt.Sprintf("%q", want); got != want {
				t.Fatalf("%q: got %s, want %s", line, got, want)
			}
		}
	})
}

// A Twitter trace's keys may hold any number of commas.
func TestTwitterKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-z0-9,"]{0,20}`).Draw(t, "key")
		s := splitter{dialect: dialect{delimiter: ',', twitter: true}}
		if reason := s.cut([]byte("12,"+key+",5,60,3,get,0"), true); reason != "" {
			t.Fatal(reason)
		}
		want := []string{"12", key, "5", "60", "3", "get", "0"}
		if got := fmt.Sprintf("%q", s.cells); got != fmt.Sprintf("%q", want) {
			t.Fatalf("got %s, want %q", got, want)
		}
	})
}

// Joining leaves text without quotes as it is, leaves the lines outside quotes alone, and does not let one
// stray quote swallow an input.
func TestJoiner(t *testing.T) {
	join := func(text string) string {
		j := joiner{delimiter: ','}
		return string(j.join(nil, []byte(text)))
	}
	for text, want := range map[string]string{
		"a,b\nc\x00,d\n":      "a,b\nc\x00,d\n",
		"a,\"b\nc\"\n":        "a,\"b\x00nc\"\n",
		"a,\"b\x00\"\"\n\"\n": "a,\"b\x000\"\"\x00n\"\n",
		"5\" disk,b\n6,c\n":   "5\" disk,b\n6,c\n",
		"a,\"b\"c\nd\",e\n":   "a,\"b\"c\nd\",e\n",
		"\"\"\n\"\"\"\n\"\n":  "\"\"\n\"\"\"\x00n\"\n",
	} {
		requesttest.Same(t, text, fmt.Sprintf("%q", join(text)), fmt.Sprintf("%q", want))
	}
	stray := join("a,\"b\n" + strings.Repeat("c,d\n", maxJoined))
	if n := strings.Count(stray, "\n"); n < maxJoined*3/4-1 {
		t.Errorf("%d lines left of %d", n, maxJoined)
	}
}

// oracleRecords writes a trace of the format.
func oracleRecords(ids []uint64) []byte {
	var b []byte
	for i, id := range ids {
		next := int64(-1)
		if j := slices.Index(ids[i+1:], id); j >= 0 {
			next = int64(i + 1 + j + 1)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(i/3))
		b = binary.LittleEndian.AppendUint64(b, id)
		b = binary.LittleEndian.AppendUint32(b, 512)
		b = binary.LittleEndian.AppendUint64(b, uint64(next))
	}
	return b
}

func TestOracleGeneral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Uint64Range(0, 1<<40), 1, 50).Draw(t, "ids")
		text := oracleRecords(ids)
		f, d := choose(text, request.Select{})
		if f.ID != "oraclegeneral" || d.Share() != 1 {
			t.Fatalf("detected %q: %+v", f.ID, d)
		}
		tail := rapid.IntRange(0, oracleSize-1).Draw(t, "cut off")
		sink, tally := &requesttest.Rows{}, &request.Tally{}
		d.New().Decode(request.Block{Data: append(text, make([]byte, tail)...), Offset: 48, Last: true}, sink, tally)
		for i, id := range ids {
			x := sink.List[i]
			if x.Key != fmt.Sprint(id) || x.Size != 512 || x.Time != int64(i/3)*1e9 || x.Offset != int64(48+24*i) {
				t.Fatalf("record %d: %+v", i, x)
			}
		}
		if len(sink.List) != len(ids) || requesttest.Skips(tally)[cutOff] != int64(min(1, tail)) {
			t.Fatalf("%d records, %+v", len(sink.List), tally)
		}
	})
}

// Every block of a request is a key; the request is one command.
func TestARC(t *testing.T) {
	f := named(t, "arc")
	text := []byte("10 3 0 0\n\n7 0 0 1\n8 5000 0 2\nx 1 0 3\n18446744073709551615 2 0 4\n1 1 0")
	r, tally := decodeAs(t, f, f.Detect(text, request.Select{}), text)
	requesttest.Same(t, "keys", r.Keys(), []string{"10", "11", "12"})
	commands := 0
	for _, x := range r.List {
		if x.Flags&request.BeginsCommand != 0 {
			commands++
		}
	}
	requesttest.Same(t, "commands", commands, 2)
	requesttest.Same(t, "skips", requesttest.Skips(tally), map[request.Reason]int64{reasonBlank: 1, reasonBlocks: 1, reasonArc: 2, cutOff: 1})
}

// A description in libCacheSim's own words.
func TestDescribedTable(t *testing.T) {
	f := named(t, "libcachesim-csv")
	text := []byte("5,x,20,4,k1\n6,x,30,4,k2\n")
	for _, format := range []string{"time-col=1,obj-id-col=5,obj-size-col=3,delimiter=,,has-header=false", "time_col=1, obj_id_col=5, obj_size_col=3"} {
		d := f.Detect(text, request.Select{LogFormat: format})
		r, _ := decodeAs(t, f, d, text)
		requesttest.Same(t, format, r.Keys(), []string{"k1", "k2"})
		if x := r.List[1]; x.Size != 30 || x.Time != 6e9 {
			t.Errorf("%+v", x)
		}
	}
	d := f.Detect([]byte("a;b\n1;2\n"), request.Select{LogFormat: "obj-id-col=2,delimiter=;,has-header=true"})
	r, _ := decodeAs(t, f, d, []byte("a;b\n1;2\n"))
	requesttest.Same(t, "keys", r.Keys(), []string{"2"})
	for _, format := range []string{"time-col=1", "obj-id-col=0", "obj-id-col=9", "obj-id-col=1,what=2"} {
		if d := f.Detect(text, request.Select{LogFormat: format}); d.New != nil || d.Reason == "" {
			t.Errorf("%s: %+v", format, d)
		}
	}
}
