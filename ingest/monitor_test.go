package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keyskew/golden"
)

// Every format is in the table with its documentation, in a place of its own.
func TestFormatsDocumentThemselves(t *testing.T) {
	var ids []string
	for _, f := range Formats() {
		if f.ID == "" || f.Title == "" || f.Text == "" || f.Source == "" || f.Detect == nil || f.CutOff == "" {
			t.Errorf("%+v lacks something", f)
		}
		ids = append(ids, f.ID)
	}
	if !slices.Equal(ids, order) {
		t.Errorf("the formats are\n%q\nbut the order names\n%q", ids, order)
	}
}

const capture = `OK
1700000000.000001 [0 127.0.0.1:50000] "EVAL" "return redis.call('get', KEYS[1])" "1" "a"
1700000000.000002 [0 lua] "get" "a"
1700000000.000003 [0 127.0.0.1:50001] "SET" "b" "1"
`

func readCapture(t *testing.T, in Input, o Options) ([]string, Stats, error) {
	t.Helper()
	f := &recorder{}
	stats, stopped, err := Read(context.Background(), []Input{in}, o, f)
	if stopped {
		t.Errorf("%s: stopped", in.name())
	}
	return f.rows, stats[0], err
}

func TestMonitorCapture(t *testing.T) {
	for _, size := range []int{1, 100, 1 << 20} {
		rows, s, err := readCapture(t, writeFile(t, "x", []byte(capture)), Options{BlockSize: size})
		if err != nil || s.Err != nil || s.Format != "monitor" || s.Confidence != 1 || s.Framing == "" || s.Truncated {
			t.Fatalf("%v, %+v", err, s)
		}
		if all, bad := s.Tally.Skipped(); all+s.Tally.Requests != 4 || bad != 0 || len(rows) == 0 {
			t.Errorf("block size %d: %q, %+v", size, rows, s.Tally)
		}
	}
}

func TestMonitorCaptureCutInItsLastLine(t *testing.T) {
	_, s, err := readCapture(t, writeFile(t, "x", []byte(capture[:len(capture)-6])), Options{})
	if _, bad := s.Tally.Skipped(); err != nil || s.Err != nil || !s.Truncated || bad != 1 {
		t.Errorf("%v, %+v", err, s)
	}
}

func corpusFiles(t *testing.T, folder ...string) []string {
	t.Helper()
	dir := golden.Corpus(t, folder...)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// Real captures are recognised, and read alike for every way of cutting.
func TestCorpusCapturesAreAccepted(t *testing.T) {
	files := corpusFiles(t, "monitor")
	for _, f := range corpusFiles(t, "..", "formats_samples") {
		if strings.HasPrefix(filepath.Base(f), "monitor_") {
			files = append(files, f)
		}
	}
	n := 0
	for _, path := range files {
		if strings.HasSuffix(path, ".tsv") {
			continue
		}
		n++
		in := Input{Name: filepath.Base(path), Path: path}
		rows, s, err := readCapture(t, in, Options{})
		if err != nil || s.Err != nil || s.Format != "monitor" {
			t.Errorf("%s: %v, %v", in.Name, err, s.Err)
			continue
		}
		all, _ := s.Tally.Skipped()
		if s.Tally.Lines != s.Tally.Requests+all || s.Tally.Requests == 0 {
			t.Errorf("%s: %+v", in.Name, s.Tally)
		}
		for _, o := range []Options{{BlockSize: 1, Workers: 2}, {BlockSize: 777, Workers: 3}, {BlockSize: 1 << 16, Workers: 1}} {
			again, s2, err := readCapture(t, in, o)
			if err != nil || !slices.Equal(rows, again) || !sameTally(s.Tally, s2.Tally) {
				t.Errorf("%s: block size %d changes the result (%v)\n%+v\n%+v", in.Name, o.BlockSize, err, s.Tally, s2.Tally)
			}
		}
	}
	if n == 0 {
		t.Error("no captures in the corpus")
	}
}

// Access logs and traces are told apart without a word from the user, and read alike for every way of
// cutting; what holds no requests is refused with what it is nearest to.
func TestCorpusIsToldApart(t *testing.T) {
	none := []string{
		"lnav_logfile_crlf.0",                      // the log of a program
		"lnav_logfile_docker_compose_with_noise.0", // logs of services, none of HTTP
		"lnav_logfile_dst.0",                       // a log of no requests
		"lnav_logfile_w3c.2",                       // of an FTP server
	}
	unmarked := "caffeine_cache2k_orm-busy.trace.xz" // numbers, which nothing marks as such
	formats := map[string]int{}
	files := slices.Concat(corpusFiles(t, "http"), corpusFiles(t, "trace"), corpusFiles(t, "hotlists"))
	for _, path := range files {
		in := Input{Name: filepath.Base(path), Path: path}
		rows, s, err := readCapture(t, in, Options{})
		if in.Name == unmarked {
			if err == nil || !strings.Contains(err.Error(), "--input-format oraclegeneral or cache2k") {
				t.Errorf("%s: %v", in.Name, err)
			}
			continue
		}
		if slices.Contains(none, in.Name) || filepath.Base(filepath.Dir(path)) == "hotlists" {
			var refused *RefusedError
			if !errors.As(err, &refused) || len(rows) > 0 || s.Format != "" || len(refused.Candidates) == 0 {
				t.Errorf("%s: %v, %+v", in.Name, err, s)
			}
			continue
		}
		if err != nil || s.Err != nil || s.Truncated {
			t.Errorf("%s: %v, %v", in.Name, err, s.Err)
			continue
		}
		formats[s.Format]++
		all, _ := s.Tally.Skipped()
		if s.Tally.Lines != s.Tally.Requests+all || s.Tally.Requests == 0 || len(s.Mapping) == 0 {
			t.Errorf("%s: %+v", in.Name, s)
		}
		for _, o := range []Options{{BlockSize: 777, Workers: 3}, {BlockSize: 1 << 20, Workers: 1}} {
			if len(rows) > 150_000 {
				break // the small ones have shown it
			}
			again, s2, err := readCapture(t, in, o)
			if err != nil || !slices.Equal(rows, again) || !sameTally(s.Tally, s2.Tally) {
				t.Errorf("%s: block size %d changes the result (%v)\n%+v\n%+v", in.Name, o.BlockSize, err, s.Tally, s2.Tally)
			}
		}
	}
	if len(formats) < 20 {
		t.Errorf("only %d formats: %v", len(formats), formats)
	}
}

// Whatever the bytes: no panic, every line accounted for, and nothing depends on the blocks.
func FuzzRead(f *testing.F) {
	f.Add([]byte(capture), uint16(1))
	f.Add(gzipped([]byte(capture)), uint16(50))
	f.Add(zstandard([]byte(capture))[:60], uint16(7))
	f.Add([]byte("\xef\xbb\xbf+OK\r\n+1700000000.000003 [0 127.0.0.1:50001] \"GET\" \"k\"\r\n"), uint16(3))
	f.Add([]byte("bad\nPAR1"), uint16(3))
	f.Add(lz4ed([]byte(capture)), uint16(9))
	f.Add(snappied([]byte(capture)), uint16(9))
	f.Add(zipped(member{"a", []byte(capture), zipDeflate, false}), uint16(9))
	f.Add(zipped(member{"a", []byte(capture), zipZstd, true}, member{"b/", nil, zipStored, true}), uint16(9))
	f.Fuzz(func(t *testing.T, data []byte, block uint16) {
		var first string
		for i, o := range []Options{{Workers: 1}, {BlockSize: int(block), Workers: 2}} {
			o.Format = "monitor"
			o.Stdin = bytes.NewReader(data)
			rec := &recorder{}
			stats, stopped, err := Read(context.Background(), []Input{{Path: "-"}}, o, rec)
			s := stats[0]
			if all, _ := s.Tally.Skipped(); stopped || s.Tally.Lines != s.Tally.Requests+all {
				t.Fatalf("%v, %+v", stopped, s)
			}
			if err == nil && s.Packing == "" {
				text := bytes.TrimPrefix(data, []byte(bomUTF8))
				if s.Tally.Lines != lines(text) || s.Unpacked != int64(len(data)) || s.Err != nil {
					t.Fatalf("%d lines, %d bytes, %+v", lines(text), len(data), s)
				}
			}
			var at *ParseError
			if s.Err != nil && err == nil && (!errors.As(s.Err, &at) || at.Offset != s.Unpacked) {
				t.Fatalf("%+v", s)
			}
			got := fmt.Sprintf("%q %+v %v", rec.rows, s, err)
			if i == 0 {
				first = got
			} else if got != first && len(s.Tally.Notes) < 64 {
				t.Fatalf("block size %d:\n%s\nbut in one block:\n%s", block, got, first)
			}
		}
		// Detection must cope as well.
		if _, _, err := Read(context.Background(), []Input{{Path: "-"}}, Options{Stdin: io.LimitReader(bytes.NewReader(data), 1<<16)}, &recorder{}); err != nil && err.Error() == "" {
			t.Fatal("refused without a reason")
		}
	})
}
