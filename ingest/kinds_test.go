package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"keyskew/ingest/request"
)

// headedDecoder says of each line which header it stood under.
type headedDecoder struct{}

func (headedDecoder) Decode(b request.Block, s request.Sink, t *request.Tally) {
	batch := request.NewBatch(16, 0)
	header := string(b.Header)
	at := b.Offset
	for line := range bytes.Lines(b.Data) {
		t.Lines++
		offset := at
		at += int64(len(line))
		if line = trimEnd(line); isHeaded(line) {
			header = string(line)
			t.Skip("header", true)
			continue
		}
		t.Requests++
		batch.Append(&request.Row{Key: []byte(header + "/" + short(line)), Offset: offset, Size: uint64(b.Dropped)})
	}
	s.Add(batch)
}

func isHeaded(line []byte) bool { return bytes.HasPrefix(line, []byte("#")) }

// likeFake is the fake format, changed.
func likeFake(decoder request.Decoder, change func(*request.Format)) []request.Format {
	formats := fake()
	f := &formats[0]
	f.Continues = nil
	f.Detect = func([]byte, request.Select) request.Detection {
		return request.Detection{Matched: 1, Lines: 1, New: func() request.Decoder { return decoder }}
	}
	change(f)
	return formats
}

func readAs(t interface{ Fatal(...any) }, r io.Reader, o Options, formats []request.Format) outcome {
	o.Stdin = r
	f := &recorder{}
	stats, stopped, err := read(context.Background(), []Input{{Name: "pipe", Path: "-"}}, o, f, formats)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{rows: f.rows, stats: stats[0], stopped: stopped}
}

// Each line is read under the header in front of it, wherever the blocks are cut.
func TestHeaderLinesReachLaterBlocks(t *testing.T) {
	formats := likeFake(headedDecoder{}, func(f *request.Format) { f.Header = isHeaded })
	rapid.Check(t, func(t *rapid.T) {
		var text bytes.Buffer
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			text.WriteString(rapid.SampledFrom([]string{"a\n", "bb\n", "\n", "#x\n", "#yy\r\n"}).Draw(t, "line"))
		}
		want := &recorderSink{}
		headedDecoder{}.Decode(request.Block{Data: text.Bytes(), Last: true}, want, new(request.Tally))
		got := readAs(t, bytes.NewReader(text.Bytes()), Options{BlockSize: rapid.IntRange(1, 40).Draw(t, "block size")}, formats)
		if !slices.Equal(got.rows, want.rows) {
			t.Fatalf("got %q\nwant %q", got.rows, want.rows)
		}
	})
	text := "#x\na\n" + strings.Repeat("b", request.MaxLine+9) + "\nc\n"
	got := readAs(t, strings.NewReader(text), Options{BlockSize: 10}, formats)
	if len(got.rows) != 3 || !strings.Contains(got.rows[1], "#x/bbbbbbbb…") || !strings.Contains(got.rows[2], "#x/c") {
		t.Errorf("a long line: %q", got.rows)
	}
}

// recordDecoder reads records of three bytes.
type recordDecoder struct{}

const threeBytes = 3

func (recordDecoder) Decode(b request.Block, s request.Sink, t *request.Tally) {
	batch := request.NewBatch(16, 0)
	for at := 0; at < len(b.Data); at += threeBytes {
		t.Lines++
		r := b.Data[at:min(at+threeBytes, len(b.Data))]
		if len(r) < threeBytes {
			t.Skip("cut off", false)
			continue
		}
		t.Requests++
		batch.Append(&request.Row{Key: fmt.Appendf(nil, "%x", r), Offset: b.Offset + int64(at)})
	}
	s.Add(batch)
}

// Records that are no lines are never parted, whatever bytes they hold: line ends, or what looks like
// another encoding.
func TestRecordsOfFixedSize(t *testing.T) {
	formats := likeFake(recordDecoder{}, func(f *request.Format) { f.RecordSize = threeBytes })
	rapid.Check(t, func(t *rapid.T) {
		data := slices.Concat(
			[]byte(rapid.SampledFrom([]string{"", bomUTF8, bomUTF16LE + "\n", "\n\n\n"}).Draw(t, "begin")),
			rapid.SliceOfN(rapid.SampledFrom([]byte("ab\n\x00\xff")), 1, 60).Draw(t, "data"))
		head := rapid.Int64Range(0, 10).Draw(t, "head")
		var want request.Tally
		rows := &recorderSink{}
		recordDecoder{}.Decode(request.Block{Data: data, Last: true}, rows, &want)
		var r io.Reader = bytes.NewReader(data)
		if rapid.Bool().Draw(t, "slowly") {
			r = iotest.OneByteReader(r)
		}
		o := Options{Format: "fake", BlockSize: rapid.IntRange(1, 40).Draw(t, "block size"), Filter: Filter{Head: head}}
		got := readAs(t, r, o, formats)
		if head > 0 && want.Requests >= head {
			if len(got.rows) != int(head) || !slices.Equal(got.rows, rows.rows[:head]) || got.stats.Unpacked != head*threeBytes {
				t.Fatalf("the first %d of %q: %q, %+v", head, data, got.rows, got.stats)
			}
			return
		}
		if !slices.Equal(got.rows, rows.rows) || !sameTally(got.stats.Tally, want) || got.stats.Unpacked != int64(len(data)) ||
			got.stats.Truncated != (len(data)%threeBytes > 0) {
			t.Fatalf("%q: got %q, %+v\nwant %q, %+v", data, got.rows, got.stats, rows.rows, want)
		}
	})
}

func TestRecordsAfterAStop(t *testing.T) {
	formats := likeFake(recordDecoder{}, func(f *request.Format) { f.RecordSize = threeBytes })
	ctx, cancel := context.WithCancel(context.Background())
	pr, pw := io.Pipe()
	go func() {
		pw.Write(bytes.Repeat([]byte("abc"), headSize))
		pw.Write([]byte("de"))
		pw.Write(nil)
		cancel()
	}()
	f := &recorder{}
	stats, stopped, err := read(ctx, []Input{{Name: "pipe", Path: "-"}}, Options{Format: "fake", Stdin: pr}, f, formats)
	if err != nil || !stopped || stats[0].Tally.Requests != headSize || stats[0].Tally.Lines != headSize || stats[0].Truncated {
		t.Errorf("%v, %v, %+v", err, stopped, stats[0])
	}
	pr.Close()
}

// upper is a format whose input is rewritten: to upper case, with a line end after each word; a "!" is
// an error.
func upper(r io.Reader) io.Reader {
	pr, pw := io.Pipe()
	go func() {
		text, err := io.ReadAll(r)
		text = bytes.ReplaceAll(bytes.ToUpper(text), []byte(" "), []byte("\n"))
		if i := bytes.IndexByte(text, '!'); i >= 0 {
			text, err = text[:i], errors.New("an exclamation mark")
		} else if err == nil && bytes.HasSuffix(text, []byte("-")) {
			err = io.ErrUnexpectedEOF
		}
		pw.Write(text)
		pw.CloseWithError(err)
	}()
	return pr
}

func TestRewrittenInputs(t *testing.T) {
	formats := likeFake(fakeDecoder{}, func(f *request.Format) { f.Rewrite = upper })
	for _, c := range []struct {
		text, rows, err string
		truncated       bool
	}{
		{"a b\n", "[0@0 A +0 0@2 B +0]", "<nil>", false},
		{"a b! c\n", "[0@0 A +0 0@2 B (not ended) +0]", "pipe: at byte 7: an exclamation mark", false},
		{"a b\n-", "[0@0 A +0 0@2 B +0 0@4 - (not ended) +0]", "pipe: at byte 5: unexpected EOF", true},
	} {
		for _, size := range []int{1, 100} {
			got := readAs(t, strings.NewReader(c.text), Options{BlockSize: size}, formats)
			if fmt.Sprint(got.rows) != c.rows || fmt.Sprint(got.stats.Err) != c.err || got.stats.Truncated != c.truncated || got.stats.Unpacked != int64(len(c.text)) {
				t.Errorf("%q: got %v, %+v", c.text, got.rows, got.stats)
			}
		}
	}
	broken := readAs(t, io.MultiReader(strings.NewReader("a b"), iotest.ErrReader(errors.New("the disk is on fire"))), Options{Format: "fake"}, formats)
	if want := "pipe: at byte 3: it cannot be read any further: the disk is on fire"; fmt.Sprint(broken.stats.Err) != want {
		t.Errorf("got %v", broken.stats.Err)
	}
}

// choice is a table of formats for which the share that fits, and whether they can be read, is given.
func choice(of ...request.Detection) []request.Format {
	var out []request.Format
	for i, d := range of {
		f := fake()[0]
		f.ID, f.Title = fmt.Sprintf("f%d", i), fmt.Sprintf("format %d", i)
		f.Detect = func([]byte, request.Select) request.Detection { return d }
		out = append(out, f)
	}
	return out
}

func fits(matched int, readable bool) request.Detection {
	d := request.Detection{Matched: matched, Lines: 100}
	if matched < 100 {
		d.FirstBad, d.FirstBadText, d.Reason = 7, "xyz", "odd"
	}
	if readable {
		d.New = func() request.Decoder { return fakeDecoder{} }
	} else {
		d.Reason = "no key"
	}
	return d
}

func TestChoiceOfFormat(t *testing.T) {
	silent := request.Detection{New: func() request.Decoder { return fakeDecoder{} }}
	for _, c := range []struct {
		name    string
		formats []request.Format
		sel     request.Select
		want    string
	}{
		{"the first that is sure", choice(fits(60, true), fits(95, true), fits(100, true)), request.Select{}, "f1"},
		{"the best of the rest", choice(fits(60, true), fits(94, true), fits(61, true)), request.Select{}, "f1"},
		{"the earlier of equals", choice(fits(40, true), fits(60, true), fits(60, true)), request.Select{}, "f1"},
		{"one that cannot be read", choice(fits(40, true), fits(50, true), fits(60, false)), request.Select{},
			"x: in no format that is read here; the nearest are\n" +
				"  format 2 (60 of the first 100 lines match); first line that failed, line 7: \"xyz\": no key\n" +
				"  format 1 (50 of the first 100 lines match); first line that failed, line 7: \"xyz\": odd\n" +
				"  format 0 (40 of the first 100 lines match); first line that failed, line 7: \"xyz\": odd"},
		{"a sure one that cannot be read", choice(fits(0, true), fits(100, false), fits(10, true), fits(20, true)), request.Select{},
			"x: in no format that is read here; the nearest are\n" +
				"  format 1 (100 of the first 100 lines match): no key\n" +
				"  format 3 (20 of the first 100 lines match); first line that failed, line 7: \"xyz\": odd\n" +
				"  format 2 (10 of the first 100 lines match); first line that failed, line 7: \"xyz\": odd"},
		{"a sure one behind one that cannot be read", choice(fits(95, false), fits(100, true)), request.Select{},
			"x: in no format that is read here; the nearest are\n" +
				"  format 0 (95 of the first 100 lines match); first line that failed, line 7: \"xyz\": no key\n" +
				"  format 1 (100 of the first 100 lines match)"},
		{"a column that is not there", choice(fits(100, false), fits(60, true)), request.Select{Key: "k"}, "x: read as format 0: no key"},
		{"none", choice(fits(49, true)), request.Select{}, "x: not a format 0 (49 of the first 100 lines match); first line that failed, line 7: \"xyz\": odd"},
		{"nothing said yet", choice(silent, fits(100, true)), request.Select{}, "f0"},
		{"nothing said to a later one", choice(fits(70, true), silent), request.Select{}, "f0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, refused := (head{data: []byte("a\n"), whole: true}).detect(c.formats, c.sel)
			text := got.Format.ID
			if refused != nil {
				refused.Input = "x"
				text = refused.Error()
			}
			if text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}
