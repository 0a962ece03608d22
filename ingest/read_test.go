package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"keyskew/ingest/request"
)

// outcome is what one input gave.
type outcome struct {
	rows    []string
	stats   Stats
	stopped bool
	err     error
}

// readFake reads one input in the fake format from a pipe.
func readFake(r io.Reader, o Options) outcome {
	o.Stdin = r
	return readInputs(o, &recorder{}, Input{Name: "pipe", Path: "-"})
}

func readInputs(o Options, f *recorder, in ...Input) outcome {
	stats, stopped, err := read(context.Background(), in, o, f, fake())
	out := outcome{rows: f.rows, stopped: stopped, err: err}
	if len(stats) > 0 {
		out.stats = stats[0]
	}
	return out
}

func writeFile(t *testing.T, name string, data []byte) Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return Input{Name: name, Path: path}
}

// decodeWhole is the reference: the decoder over the whole text at once.
func decodeWhole(text []byte) outcome {
	var out outcome
	if len(text) == 0 {
		return out
	}
	sink := &recorderSink{}
	fakeDecoder{}.Decode(request.Block{Data: text, Last: true}, sink, &out.stats.Tally)
	out.rows = sink.rows
	return out
}

func TestReadDoesNotDependOnBlocksAndWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, 100)
		if rapid.Bool().Draw(t, "long") {
			text = slices.Concat(text, bytes.Repeat([]byte("+"), 3*lookAhead), []byte("\n"), text)
		}
		o := Options{
			Format:    "fake",
			BlockSize: rapid.SampledFrom([]int{1, 2, 3, 7, 50, 1000, 5000, 1 << 20}).Draw(t, "block size"),
			Workers:   rapid.IntRange(1, 8).Draw(t, "workers"),
		}
		want := decodeWhole(text)
		got := readFake(bytes.NewReader(text), o)
		if got.err != nil || got.stats.Err != nil || got.stopped {
			t.Fatalf("failed: %v, %v, %v", got.err, got.stats.Err, got.stopped)
		}
		if !slices.Equal(got.rows, want.rows) {
			t.Fatalf("rows:\n%q\nwant:\n%q", got.rows, want.rows)
		}
		if !sameTally(got.stats.Tally, want.stats.Tally) {
			t.Fatalf("tally %+v, want %+v", got.stats.Tally, want.stats.Tally)
		}
		if got.stats.Tally.Lines != lines(text) || got.stats.Unpacked != int64(len(text)) || got.stats.Bytes != got.stats.Unpacked {
			t.Fatalf("%d lines, %d and %d bytes in %+v", lines(text), len(text), got.stats.Bytes, got.stats)
		}
	})
}

func TestLongLinesAreTheSameForEveryBlockSize(t *testing.T) {
	line := func(n int) string { return strings.Repeat("x", n) + "\n" }
	text := "a\n+b\n" + line(request.MaxLine) + "+c\n" + line(request.MaxLine+1) + "+d\ne\n+" + line(2*request.MaxLine) + "bad\n"
	var want outcome
	for i, o := range []Options{{BlockSize: 3000, Workers: 1}, {BlockSize: 1 << 20, Workers: 3}, {BlockSize: 1 << 30, Workers: 2}} {
		got := readFake(strings.NewReader(text), o)
		if i == 0 {
			want = got
		}
		if !slices.Equal(got.rows, want.rows) || !sameTally(got.stats.Tally, want.stats.Tally) || got.err != nil {
			t.Errorf("%+v: got %q, want %q (%v)", o, got.rows, want.rows, got.err)
		}
	}
	if n := len(want.rows); n != 8 || want.stats.Tally.Lines != 9 {
		t.Errorf("got %d rows of %d lines: %q", n, want.stats.Tally.Lines, want.rows)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     string
		rows       int
		skipped    int64
		truncated  bool
	}{
		{"empty", "", "", 0, 0, false},
		{"one line", "a\n", "fake", 1, 0, false},
		{"no final newline", "a\nb", "fake", 2, 0, false},
		{"cut in the last record", "a\ncut", "fake", 1, 1, true},
		{"CRLF", "a\r\n+b\r\n\r\nc\r\n", "fake", 3, 1, false},
		{"only a newline", "\n", "fake", 0, 1, false},
		{"BOM", "\xef\xbb\xbfa\nb\n", "fake", 2, 0, false},
		{"BOM only", "\xef\xbb\xbf", "", 0, 0, false},
		{"half bad", "bad\na\n", "fake", 1, 1, false},
		{"continued from the start", "+a\nb\n", "fake", 2, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			pipe := readFake(iotest.OneByteReader(strings.NewReader(c.text)), Options{})
			file := readInputs(Options{}, &recorder{}, writeFile(t, "pipe", []byte(c.text)))
			for _, got := range []outcome{pipe, file} {
				skipped, _ := got.stats.Tally.Skipped()
				if got.err != nil || got.stats.Err != nil || got.stopped {
					t.Fatalf("failed: %v, %v, %v", got.err, got.stats.Err, got.stopped)
				}
				if got.stats.Format != c.format || len(got.rows) != c.rows || skipped != c.skipped || got.stats.Truncated != c.truncated {
					t.Errorf("got %+v, rows %q", got.stats, got.rows)
				}
				if got.stats.Unpacked != int64(len(c.text)) || got.stats.Bytes != int64(len(c.text)) {
					t.Errorf("%d bytes: %+v", len(c.text), got.stats)
				}
			}
			if !slices.Equal(pipe.rows, file.rows) || fmt.Sprint(pipe.stats) != fmt.Sprint(file.stats) {
				t.Errorf("pipe and file differ:\n%q %+v\n%q %+v", pipe.rows, pipe.stats, file.rows, file.stats)
			}
		})
	}
}

func TestBOMCountsInOffsets(t *testing.T) {
	got := readFake(strings.NewReader("\xef\xbb\xbfa\nb\n"), Options{})
	if want := []string{"0@3 a +0", "0@5 b +0"}; !slices.Equal(got.rows, want) {
		t.Errorf("got %q, want %q", got.rows, want)
	}
}

func TestRefusals(t *testing.T) {
	tar := append(make([]byte, 257), "ustar\x0000"...)
	for _, c := range []struct{ text, want string }{
		{"bad 1\nbad 2\na\n", `x: not a fake log (1 of the first 3 lines match); first line that failed, line 1: "bad 1": it is bad`},
		{"\n\nOK\nbad thing too long\n", `x: not a fake log (0 of the first 1 lines match); first line that failed, line 4: "bad thing too long": it is bad`},
		{"\xff\xfea\x00\n\x00", "x: UTF-16 text (PowerShell's > writes it)"},
		{"\xfe\xff\x00a", "x: UTF-16 text"},
		{"bad\x00\x01\n", "x: this is a binary file; not a format that is read here"},
		{"PAR1....", "x: this is a Parquet file; not a format that is read here"},
		{"ARROW1\x00\x00", "an Arrow file"},
		{"PK\x05\x06", "an empty zip archive"},
		{"\x1f\x9d\x90", "a compress (.Z) archive"},
		{"REDIS0011", "a Redis RDB snapshot"},
		{string(tar), "a tar archive"},
	} {
		got := readInputs(Options{}, &recorder{}, writeFile(t, "x", []byte(c.text)))
		if got.err == nil || !strings.Contains(got.err.Error(), c.want) {
			t.Errorf("%q: got error %v, want %q", c.text, got.err, c.want)
		}
		if len(got.rows) > 0 || got.stats.Format != "" || got.stats.Err == nil {
			t.Errorf("%q: refused, yet %q and %+v", c.text, got.rows, got.stats)
		}
	}
}

func TestAskedFormatIsNotRefused(t *testing.T) {
	got := readFake(strings.NewReader("PAR1\nbad\nbad\nbad\n"), Options{Format: "fake"})
	_, bad := got.stats.Tally.Skipped()
	if got.err != nil || bad != 3 || got.stats.Confidence != 0.25 || got.stats.Framing != "plain" {
		t.Errorf("%v, %+v", got.err, got.stats)
	}
	if got := readFake(strings.NewReader(""), Options{Format: "fake"}); got.stats.Format != "fake" || got.err != nil {
		t.Errorf("empty: %v, %+v", got.err, got.stats)
	}
	if got := readFake(strings.NewReader(""), Options{Format: "jpeg"}); got.err == nil || !strings.Contains(got.err.Error(), `"jpeg"; there is fake`) {
		t.Errorf("unknown format: %v", got.err)
	}
}

// A first line longer than the head still tells the format, also behind a banner.
func TestDetectionByPartOfALongLine(t *testing.T) {
	long := strings.Repeat("x", 3*headSize) + "\n"
	for _, text := range []string{long, "OK\n" + long} {
		if got := readFake(strings.NewReader(text), Options{}); got.err != nil || got.stats.Format != "fake" || got.stats.Confidence != 1 {
			t.Errorf("%v, %+v", got.err, got.stats)
		}
	}
	if got := readFake(strings.NewReader("OK\nbad"+long), Options{}); got.err == nil {
		t.Errorf("accepted: %+v", got.stats)
	}
}

func TestSeveralInputsAreReadInOrderAndFailuresNamed(t *testing.T) {
	dir := t.TempDir()
	good := func(name, text string) Input { return writeFile(t, name, []byte(text)) }
	in := []Input{
		good("one", "a\nb\n"),
		{Name: "gone", Path: filepath.Join(dir, "nothing")},
		good("two", "c\n"),
		{Path: dir},
		good("foreign", "bad\n"),
		good("three", "d\n+e\n"),
	}
	f := &recorder{}
	stats, stopped, err := read(context.Background(), in, Options{BlockSize: 1}, f, fake())
	if want := []string{"0@0 a +0", "0@2 b +0", "2@0 c +0", "5@0 d +0", "5@2 d+e +0"}; !slices.Equal(f.rows, want) {
		t.Errorf("got %q, want %q", f.rows, want)
	}
	if stopped || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stopped %v, %v", stopped, err)
	}
	wantErr := "gone: no such file or directory\n" + dir + ": is a directory; name the files in it\n" +
		"foreign: not a fake log (0 of the first 1 lines match); first line that failed, line 1: \"bad\": it is bad"
	if err.Error() != wantErr {
		t.Errorf("got %q\nwant %q", err, wantErr)
	}
	for i, s := range stats {
		if failed := i == 1 || i == 3 || i == 4; s.Name != in[i].name() || (s.Err != nil) != failed {
			t.Errorf("stats %d: %+v", i, s)
		}
	}
}

func TestFileWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	in := writeFile(t, "secret", []byte("a\n"))
	if err := os.Chmod(in.Path, 0); err != nil {
		t.Fatal(err)
	}
	if got := readInputs(Options{}, &recorder{}, in); got.err == nil || got.err.Error() != "secret: permission denied" {
		t.Errorf("got %v", got.err)
	}
}

func TestStrictNamesTheFirstBadLine(t *testing.T) {
	text := strings.Repeat("a\n", 50) + "\nb\nbad 1\nc\nbad 2\n"
	for _, size := range []int{1, 20, 1 << 20} {
		f := &recorder{}
		in := []Input{writeFile(t, "x.log", []byte(text)), writeFile(t, "later", []byte("bad\n"))}
		stats, stopped, err := read(context.Background(), in, Options{Strict: true, BlockSize: size}, f, fake())
		var at *ParseError
		if err != nil || stopped || !errors.As(stats[0].Err, &at) {
			t.Fatalf("%v, %v, %v", err, stopped, stats[0].Err)
		}
		if at.Line != 53 || at.Format != "fake" || at.Error() != "x.log:53: bad" {
			t.Errorf("block size %d: got %q, %+v", size, at, at)
		}
		if fmt.Sprint(stats[1]) != fmt.Sprint(Stats{Name: "later"}) {
			t.Errorf("the later input: %+v", stats[1])
		}
	}
}

func TestFoldErrorStopsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	full := errors.New("full")
	f := &recorder{fold: func() error { return full }}
	out := readInputs(Options{BlockSize: 1, Workers: 4, Stdin: iotest.ErrReader(io.EOF)}, f,
		writeFile(t, "many", bytes.Repeat([]byte("a\n"), 100_000)), Input{Path: "-"})
	if !errors.Is(out.err, full) || out.stopped || len(f.rows) != 1 {
		t.Errorf("%v, %v, %d rows", out.err, out.stopped, len(f.rows))
	}
	goroutinesAre(t, before)
}

// goroutinesAre waits until no more goroutines run than before; if they leak, the test's own time limit
// ends it.
func goroutinesAre(t *testing.T, before int) {
	t.Helper()
	for t.Context().Err() == nil && runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

func TestBrokenRead(t *testing.T) {
	disk := errors.New("the disk is on fire")
	for _, size := range []int{1, 1000, 1 << 20} {
		got := readFake(io.MultiReader(strings.NewReader("a\nb\ncut"), iotest.ErrReader(disk)), Options{BlockSize: size})
		var at *ParseError
		if got.err != nil || !errors.As(got.stats.Err, &at) || !errors.Is(at, disk) {
			t.Fatalf("%v, %v", got.err, got.stats.Err)
		}
		if want := "pipe: at byte 7: it cannot be read any further: the disk is on fire"; at.Error() != want {
			t.Errorf("got %q, want %q", at, want)
		}
		if got.stats.Tally.Lines != 3 || len(got.rows) != 2 || got.stats.Format != "fake" {
			t.Errorf("%+v, %q", got.stats, got.rows)
		}
	}
}

func TestFileThatShrinks(t *testing.T) {
	in := writeFile(t, "log", bytes.Repeat([]byte("0123456\n"), 1<<18))
	const left = 1 << 20
	f := &recorder{begin: once(func() {
		// The reader is a few blocks and one head ahead at most.
		if err := os.Truncate(in.Path, left); err != nil {
			t.Error(err)
		}
	})}
	got := readInputs(Options{BlockSize: 4 << 10, Workers: 1}, f, in)
	var at *ParseError
	if got.err != nil || !errors.As(got.stats.Err, &at) || at.Offset != left || !got.stats.Truncated {
		t.Fatalf("%v, %+v", got.err, got.stats)
	}
	if want := "log: at byte 1048576: the file shrank while it was read, from 2097152 to 1048576 bytes"; at.Error() != want {
		t.Errorf("got %q, want %q", at, want)
	}
	if got.stats.Tally.Requests != left/8 {
		t.Errorf("%+v", got.stats)
	}
}

// A silent pipe must not hold up a stop, and what it gave before counts.
func TestStopWhileThePipeIsSilent(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          Options
		rows       int
		format     string
		refused    bool
	}{
		{"nothing yet", "", Options{}, 0, "", false},
		{"a banner", "OK\n", Options{}, 0, "", false},
		{"a banner, format given", "OK\n", Options{Format: "fake"}, 1, "fake", false},
		{"within the head", "a\nb\n+c\nhalf a li", Options{}, 3, "fake", false},
		{"no capture", "bad\nbad\n", Options{}, 0, "", true},
		{"past the head", strings.Repeat("0123456\n", 40<<10) + "half", Options{BlockSize: 1 << 12}, 40 << 10, "fake", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithCancel(context.Background())
			pr, pw := io.Pipe()
			go func() {
				// Each Write returns when the bytes are taken; the pump takes the next bytes only after
				// it has passed these on, so an empty second Write means that they arrived.
				pw.Write([]byte(c.text))
				pw.Write([]byte("half"))
				pw.Write([]byte{})
				cancel()
			}()
			c.o.Stdin = pr
			f := &recorder{}
			stats, stopped, err := read(ctx, []Input{{Name: "pipe", Path: "-"}, {Name: "never", Path: "never"}}, c.o, f, fake())
			if !stopped || (err != nil) != c.refused {
				t.Errorf("stopped %v, %v", stopped, err)
			}
			if len(f.rows) != c.rows || stats[0].Format != c.format {
				t.Errorf("%d rows, %+v", len(f.rows), stats[0])
			}
			whole := int64(strings.LastIndexByte(c.text, '\n') + 1)
			if c.format != "" && (stats[0].Unpacked != whole || stats[0].Tally.Lines != int64(c.rows)) {
				t.Errorf("%d bytes in whole lines: %+v", whole, stats[0])
			}
			if fmt.Sprint(stats[1]) != fmt.Sprint(Stats{Name: "never"}) {
				t.Errorf("read on: %+v", stats[1])
			}
			pr.Close() // lets the pump go
			goroutinesAre(t, before)
		})
	}
}

func TestStopWithinAFile(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := &recorder{begin: once(cancel)}
	in := writeFile(t, "log", bytes.Repeat([]byte("0123456\n"), 1<<18))
	stats, stopped, err := read(ctx, []Input{in}, Options{BlockSize: 4 << 10, Workers: 2}, f, fake())
	if !stopped || err != nil || stats[0].Err != nil {
		t.Fatalf("%v, %v, %+v", stopped, err, stats[0])
	}
	if n := stats[0].Tally.Lines; n != int64(len(f.rows)) || n == 0 || n >= 1<<18 || stats[0].Unpacked != 8*n {
		t.Errorf("%d rows, %+v", len(f.rows), stats[0])
	}
}

func TestProgress(t *testing.T) {
	var last Progress
	text := bytes.Repeat([]byte("0123456\n"), 1000)
	readInputs(Options{Progress: func(p Progress) { last = p }}, &recorder{}, writeFile(t, "log", text))
	if want := (Progress{Input: "log", Read: 8000, Size: 8000, Requests: 1000}); last != want {
		t.Errorf("got %+v, want %+v", last, want)
	}
	readFake(bytes.NewReader(text), Options{Progress: func(p Progress) { last = p }})
	if want := (Progress{Input: "pipe", Read: 8000, Size: -1, Requests: 1000}); last != want {
		t.Errorf("got %+v, want %+v", last, want)
	}
}

func TestStandardInputThatIsAFile(t *testing.T) {
	in := writeFile(t, "log", []byte("a\nb\nc\n"))
	f, err := os.Open(in.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(2, io.SeekStart); err != nil { // as a shell leaves it after "read line"
		t.Fatal(err)
	}
	got := readFake(f, Options{})
	if got.stats.Err != nil || got.stats.Bytes != 4 || len(got.rows) != 2 {
		t.Errorf("%+v, %q", got.stats, got.rows)
	}
	if got := readFake(nil, Options{}); got.err == nil {
		t.Error("no standard input, no error")
	}
}

func BenchmarkRead(b *testing.B) {
	text := bytes.Repeat([]byte("0123456789012345678901234567890123456789012345678901234567890123456789\n"), 1<<18)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	formats := fake()
	formats[0].Detect = func(head []byte, s request.Select) request.Detection {
		d := fakeDetect(head, s)
		d.New = func() request.Decoder { return countOnly{} }
		return d
	}
	for b.Loop() {
		_, _, err := read(context.Background(), []Input{{Path: "-"}}, Options{Stdin: bytes.NewReader(text)}, &recorder{}, formats)
		if err != nil {
			b.Fatal(err)
		}
	}
}

// countOnly leaves the reading itself to be measured.
type countOnly struct{}

func (countOnly) Decode(b request.Block, _ request.Sink, t *request.Tally) {
	t.Lines += int64(bytes.Count(b.Data, []byte("\n")))
	t.Requests = t.Lines
}
