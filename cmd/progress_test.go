package cmd

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"keyskew/ingest"
)

func TestProgressLine(t *testing.T) {
	file := ingest.Progress{Input: "monitor.log", Read: 500_000_000, Size: 2_000_000_000, Requests: 7_250_000}
	pipe := ingest.Progress{Input: "stdin", Read: 12_345, Size: -1, Requests: 150}
	for _, c := range []struct {
		now     ingest.Progress
		elapsed time.Duration
		width   int
		want    string
	}{
		{file, 10 * time.Second, 79, "reading monitor.log  25%  500 M of 2 GB  7.25 M requests  ETA 30s"},
		{file, 10 * time.Second, 60, "reading monitor.log  25%  500 M of 2 GB  7.25 M requests"},
		{file, 10 * time.Second, 40, "reading monitor.log  25%  500 M of 2 GB"},
		{file, 10 * time.Second, 30, "reading monitor.log  25%"},
		{file, 10 * time.Second, 20, "reading monitor.log"},
		{file, 10 * time.Second, 12, "reading moni"},
		{pipe, time.Second, 79, "reading stdin  12.3 kB  12.3 kB/s  150 requests"},
		{pipe, 0, 79, "reading stdin  12.3 kB  123 kB/s  150 requests"},
		{ingest.Progress{Input: "done.log", Read: 10, Size: 10, Requests: 1}, time.Second, 79, "reading done.log  100%  10 of 10B  1 requests"},
		{ingest.Progress{Input: "grown.log", Read: 20, Size: 10}, time.Second, 79, "reading grown.log  100%  20 of 10B  0 requests"},
		{ingest.Progress{Input: "empty.log", Size: 0}, time.Second, 79, "reading empty.log  0B  0B/s  0 requests"},
		{ingest.Progress{Input: "a\x1b[31m\nü.log", Size: -1}, time.Second, 79, "reading a?[31m??.log  0B  0B/s  0 requests"},
	} {
		same(t, c.now.Input, progressLine(c.now, c.elapsed, c.width), c.want)
	}
}

// Whatever happens, the line fits, cannot be obeyed by a terminal, and loses its fields from the right.
func TestProgressLineFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := ingest.Progress{
			Input:    rapid.String().Draw(t, "input"),
			Read:     rapid.Int64Range(0, 1<<62).Draw(t, "read"),
			Size:     rapid.Int64Range(-1, 1<<62).Draw(t, "size"),
			Requests: rapid.Int64Range(0, 1<<62).Draw(t, "requests"),
		}
		elapsed := time.Duration(rapid.Int64Range(0, 1<<60).Draw(t, "elapsed"))
		width := rapid.IntRange(1, 79).Draw(t, "width")
		line := progressLine(now, elapsed, width)
		if len(line) > width {
			t.Fatalf("%d cells of %d: %q", len(line), width, line)
		}
		for _, b := range []byte(line) {
			if b < ' ' || b > '~' {
				t.Fatalf("%q holds %q", line, b)
			}
		}
		if whole := progressLine(now, elapsed, 1<<20); !strings.HasPrefix(whole, line) {
			t.Fatalf("%q is no beginning of %q", line, whole)
		}
	})
}

func TestShort1000(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 999: "999", 1000: "1 k", 1234: "1.23 k", 12_345: "12.3 k", 123_456: "123 k", 999_400: "999 k",
		1e6: "1 M", 2.5e9: "2.5 G", 1e12: "1 T", 123e12: "123 T",
	} {
		same(t, want, short1000(v), want)
	}
	// Rounding goes up to the next unit, and never to an exponent.
	for _, v := range []float64{999.7, 999_700, 999_999, 999_999_999} {
		if got := short1000(v); strings.Contains(got, "e+") || strings.HasPrefix(got, "1000") {
			t.Errorf("%v is printed as %s", v, got)
		}
	}
}
