//go:build linux

package main

import (
	"fmt"
	"strings"
)

// target is a goal for the median of a ratio between two programs, taken round by round.
type target struct {
	what string
	// ratio is that of the figures of upper and lower, each a program on an input.
	upper, lower place
	figure       func(sample) float64
	// limit must be met; aim is what is hoped for, 0 for none. least: they are lower bounds.
	limit, aim float64
	least      bool
}

type place struct{ input, program string }

func cpuOf(s sample) float64  { return s.cpu.Seconds() }
func wallOf(s sample) float64 { return s.wall.Seconds() }
func rssOf(s sample) float64  { return float64(s.rss) / (1 << 20) }

func targets() []target {
	return []target{
		{"CPU on one core, in `wc -l`", place{many, oneCore}, place{many, wc}, cpuOf, 16, 12, false},
		{"wall on two cores, in `wc -l`", place{many, twoCores}, place{many, wc}, wallOf, 9, 5, false},
		{"faster than DuckDB with two threads, wall", place{many, duckdb}, place{many, twoCores}, wallOf, 3, 4, true},
		{"faster than cut | sort | uniq | sort, wall", place{many, pipeline}, place{many, twoCores}, wallOf, 8, 0, true},
		{"CPU of 20 million keys, in that of 10 thousand", place{fresh, oneCore}, place{few, oneCore}, cpuOf, 2, 0, false},
		{"CPU of ten times the lines", place{many, oneCore}, place{tenth, oneCore}, cpuOf, 11, 10, false},
		{"gzip: wall on two cores, in inflate alone", place{gzipped, twoCores}, place{gzipped, inflate}, wallOf, 1.1, 0, false},
		{"zstd: wall on two cores, in its decoder alone", place{zstandard, twoCores}, place{zstandard, unzstd}, wallOf, 1.2, 0, false},
		{"MiB of memory, 10 thousand keys", place{few, twoCores}, place{}, rssOf, 64, 0, false},
		{"MiB of memory, 1 million keys", place{many, twoCores}, place{}, rssOf, 256, 0, false},
		{"MiB of memory, 20 million keys", place{fresh, twoCores}, place{}, rssOf, 256, 0, false},
	}
}

// judge returns a line that says whether the target is met; empty when its programs did not run.
func (t target) judge(inputs []*input) string {
	upper := find(inputs, t.upper)
	if upper == nil {
		return ""
	}
	values := figures(upper.samples, t.figure)
	if t.lower != (place{}) {
		lower := find(inputs, t.lower)
		if lower == nil {
			return ""
		}
		values = ratios(upper.samples, lower.samples, t.figure)
	}
	s := spreadOf(values)
	meets := func(bound float64) bool { return s.med <= bound && !t.least || s.med >= bound && t.least }
	verdict, word := "MISSED", "at most"
	if t.least {
		word = "at least"
	}
	if meets(t.limit) {
		verdict = "met"
	}
	aim := ""
	if t.aim > 0 {
		aim = fmt.Sprintf(", aim %g", t.aim)
		if meets(t.aim) {
			verdict = "met, aim too"
		}
	}
	return fmt.Sprintf("%-48s %-20s %-24s %s\n", t.what, s, fmt.Sprintf("%s %g%s", word, t.limit, aim), verdict)
}

func find(inputs []*input, at place) *program {
	for _, in := range inputs {
		if in.name == at.input {
			return in.program(at.program)
		}
	}
	return nil
}

// judgeAll returns the table of the targets.
func judgeAll(inputs []*input) string {
	var b strings.Builder
	for _, t := range targets() {
		b.WriteString(t.judge(inputs))
	}
	return b.String()
}
