package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"keyskew/advise"
	"keyskew/analyze"
	"keyskew/formats"
	"keyskew/golden"
	"keyskew/ingest"
)

// plain unpacks a capture into a file of the test.
func plain(t testing.TB, path string) string {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "plain.log")
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, z); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return to
}

// samples are the captures that the tests of this file read, with the flags they are read with.
func samples(t *testing.T) map[string][]string {
	everything, _ := planted(t, loads()["everything"])
	if testing.Short() {
		return map[string][]string{"planted": {"--capacity", "10k", "--window", "500ms", "--shards", "8", everything}}
	}
	many := viralLoad()
	many.Keys, many.Zipf = 200_000, 0.5
	bounded, _ := planted(t, many)
	return map[string][]string{
		"incident": {"--shards", "8", plain(t, filepath.Join(golden.Root(), filepath.FromSlash(incident)))},
		"planted":  {"--capacity", "10k", "--window", "500ms", everything},
		"bounded":  {"--shards", "3", "--key-budget", "16384", bounded},
	}
}

// The report is the same bytes however the work is cut up and shared out.
func TestReportsDoNotDependOnTheMachine(t *testing.T) {
	for name, args := range samples(t) {
		t.Run(name, func(t *testing.T) {
			text, report := mustRun(t, nil, args...), mustRun(t, nil, append([]string{"--format", "json"}, args...)...)
			for _, change := range []struct {
				procs          int
				workers, block string
			}{
				{1, "1", "64KiB"}, {1, "0", "4MiB"}, {2, "2", "100001"}, {2, "3", "1MiB"}, {2, "4", "256KiB"}, {2, "8", "8MiB"},
			} {
				what := fmt.Sprintf("with %+v", change)
				args := append([]string{"--workers", change.workers, "--block-size", change.block}, args...)
				before := runtime.GOMAXPROCS(change.procs)
				sameText(t, "JSON "+what, mustRun(t, nil, append([]string{"--format", "json"}, args...)...), report)
				if change.procs != before {
					sameText(t, "text "+what, mustRun(t, nil, args...), text)
				}
				runtime.GOMAXPROCS(before)
			}
		})
	}
}

// Nor on how the bytes arrive, but for what says so.
func TestReportsDoNotDependOnThePacking(t *testing.T) {
	for name, args := range samples(t) {
		t.Run(name, func(t *testing.T) {
			flags, path := append([]string{"--format", "json"}, args[:len(args)-1]...), args[len(args)-1]
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := neutral(t, mustRun(t, nil, append(flags, path)...))
			sameText(t, "from a pipe", neutral(t, mustRun(t, bytes.NewReader(data), append(flags, "-")...)), want)
			sameText(t, "from a slow pipe", neutral(t, mustRun(t, &slowReader{data, 1}, flags...)), want)
			for _, how := range []string{"gzip", "zstd"} {
				packed, err := packed(how, data)
				if err != nil {
					t.Fatal(err)
				}
				to := filepath.Join(t.TempDir(), "capture")
				if err := os.WriteFile(to, packed, 0o600); err != nil {
					t.Fatal(err)
				}
				sameText(t, how, neutral(t, mustRun(t, nil, append(flags, to)...)), want)
				sameText(t, how+" from a pipe", neutral(t, mustRun(t, bytes.NewReader(packed), flags...)), want)
			}
		})
	}
}

// slowReader gives few bytes at a time, of ever another number.
type slowReader struct {
	rest []byte
	n    int
}

func (r *slowReader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	r.n = r.n*7%10_007 + 1
	n := copy(b[:min(len(b), r.n)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// A capture cut into two files in the order of time is the same requests; only the inputs differ.
func TestTwoFilesAreOneCapture(t *testing.T) {
	path, truth := planted(t, loads()["everything"])
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.IndexByte(data[len(data)/2:], '\n') + len(data)/2 + 1
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.log"), filepath.Join(dir, "b.log")
	if os.WriteFile(a, data[:at], 0o600) != nil || os.WriteFile(b, data[at:], 0o600) != nil {
		t.Fatal("cannot write")
	}
	whole := analyzed(t, nil, "--shards", "8", path)
	for _, order := range [][]string{{a, b}, {b, a}} {
		r := analyzed(t, nil, append([]string{"--shards", "8"}, order...)...)
		same(t, "lines", r.Inputs[0].Lines+r.Inputs[1].Lines, truth.Commands+1)
		r.Inputs, r.Command = whole.Inputs, whole.Command
		sameText(t, strings.Join(order, " "), neutral(t, asJSON(t, r)), neutral(t, asJSON(t, whole)))
	}
}

// Any bytes at all give the same report, however they are cut and shared out.
func FuzzCutsDoNotMatter(f *testing.F) {
	data, err := os.ReadFile(plain(f, filepath.Join(golden.Root(), filepath.FromSlash(incident))))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:6000], uint16(100), uint8(2))
	f.Add([]byte("1700000000.000001 [0 lua] \"GET\" \"a\"\n1700000000.5 [0 127.0.0.1:1] \"MGET\" \"a\" \"b\\x00\"\r\n\x00\n"), uint16(1), uint8(3))
	f.Add([]byte("1.2.3.4 - - [18/May/2015:12:00:00 +0000] \"GET /a?b HTTP/1.1\" 503 9\n"), uint16(30), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, block uint16, workers uint8) {
		report := func(block, workers int) string {
			collector, err := analyze.NewCollector(analyze.Config{Window: time.Second, KeyBudget: analyze.MinKeyBudget})
			if err != nil {
				t.Fatal(err)
			}
			c := &config{inputs: []ingest.Input{{Path: "-"}}}
			stats, stopped, readErr := ingest.Read(t.Context(), c.inputs, ingest.Options{
				Stdin: bytes.NewReader(data), BlockSize: block, Workers: workers,
			}, collector)
			d := analyze.Diagnose(collector.Finish(), analyze.Options{Top: 5, Capacity: analyze.Capacity{Kind: analyze.Unknown}})
			return fmt.Sprint(asJSON(t, formats.Build(reportConfig(c, stats, stopped), d, advise.Advise(d, advise.Options{}))), readErr)
		}
		sameText(t, fmt.Sprintf("blocks of %d, %d workers", block, workers%8+1),
			report(1+int(block), int(workers%8)+1), report(1<<20, 1))
	})
}
