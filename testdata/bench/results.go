//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// spread is the smallest, median and largest of some figures.
type spread struct{ min, med, max float64 }

func spreadOf(values []float64) spread {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return spread{v[0], (v[(n-1)/2] + v[n/2]) / 2, v[n-1]}
}

// String prints the median (min–max).
func (s spread) String() string {
	return fmt.Sprintf("%s (%s–%s)", digits(s.med), digits(s.min), digits(s.max))
}

func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

func figures(samples []sample, f func(sample) float64) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = f(s)
	}
	return out
}

// ratios are those of the figures of two programs, round by round.
func ratios(upper, lower []sample, f func(sample) float64) []float64 {
	out := make([]float64, len(upper))
	for i := range upper {
		out[i] = f(upper[i]) / f(lower[i])
	}
	return out
}

// results is what a run of all rounds gave.
type results struct {
	config
	machine string
	inputs  []*input
	left    []string // what was left out, and why
	took    time.Duration
}

// write prints the table and puts it, with the machine, into the folder.
func (r *results) write() error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d lines an input, %d interleaved rounds, %v. ", r.lines, r.rounds, r.took.Round(time.Second))
	text.WriteString("Median (min–max). CPU is user and system time.\n" +
		"x is the ratio to the program marked *, taken round by round.\n")
	if r.lines < 20_000_000 {
		text.WriteString("Fewer lines than the 20 million that the targets speak of: start-up weighs too much.\n")
	}
	if r.rounds < 9 {
		text.WriteString("Fewer rounds than 9: the spread says little.\n")
	}
	r.tables(&text)
	if targets := judgeAll(r.inputs); targets != "" {
		fmt.Fprintf(&text, "\nTargets, for 20 million lines and 9 rounds\n%s", targets)
	}
	text.WriteByte('\n')
	r.notes(&text)
	fmt.Print(text.String())
	r.runs(&text)

	var machine strings.Builder
	machine.WriteString(r.machine)
	machine.WriteString("\ninputs (name, bytes, front of the SHA-256)\n")
	for _, in := range r.inputs {
		fmt.Fprintf(&machine, "%-18s %11d  %s\n", in.name, in.size, in.sum)
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	for name, content := range map[string]string{"results.txt": text.String(), "machine.txt": machine.String()} {
		if err := os.WriteFile(filepath.Join(r.out, name), []byte(content), 0o666); err != nil {
			return err
		}
	}
	say("written to %s", r.out)
	return nil
}

// tables prints one table per input.
func (r *results) tables(b *strings.Builder) {
	for _, in := range r.inputs {
		fmt.Fprintf(b, "\n%s: %s; %d requests, %.1f MB, %.1f bytes each\n", in.name, in.about, in.lines,
			float64(in.size)/1e6, float64(in.size)/float64(in.lines))
		fmt.Fprintf(b, "  %-33s %-19s %7s  %-19s %5s  %-19s %s\n", "", "CPU s", "ns/line", "wall s", "MiB", "CPU x", "wall x")
		base := in.program(in.base)
		for _, p := range in.programs {
			name := p.name
			if p == base {
				name += " *"
			}
			cpu := spreadOf(figures(p.samples, cpuOf))
			fmt.Fprintf(b, "  %-33s %-19s %7.1f  %-19s %5.0f  %-19s %s\n", name, cpu, cpu.med*1e9/float64(in.lines),
				spreadOf(figures(p.samples, wallOf)), spreadOf(figures(p.samples, rssOf)).max,
				spreadOf(ratios(p.samples, base.samples, cpuOf)), spreadOf(ratios(p.samples, base.samples, wallOf)))
		}
	}
}

// notes says how far to trust the figures.
func (r *results) notes(b *strings.Builder) {
	var foreign, wall time.Duration
	var size int64
	for _, in := range r.inputs {
		size += in.size
		for _, p := range in.programs {
			for _, s := range p.samples {
				foreign, wall = foreign+s.foreign, wall+s.wall
			}
		}
	}
	cores := max(0, foreign.Seconds()/wall.Seconds())
	fmt.Fprintf(b, "Other processes used %.2f cores meanwhile.", cores)
	if cores > 0.1 {
		b.WriteString(" That is not a quiet machine: wall times are too high, and CPU times as well.")
	}
	fmt.Fprintf(b, "\nMemory is that of the largest process; below %s it may be that of this program, from which all were started.",
		field("/proc/self/status", "VmHWM"))
	var memory syscall.Sysinfo_t
	if err := syscall.Sysinfo(&memory); err == nil && uint64(size) > memory.Totalram*uint64(memory.Unit)*3/4 {
		b.WriteString("\nThe inputs are too large for the page cache of this machine: disk reads are in the times.")
	}
	b.WriteByte('\n')
	for _, left := range r.left {
		fmt.Fprintf(b, "Left out: %s\n", left)
	}
}

// runs lists every run.
func (r *results) runs(b *strings.Builder) {
	b.WriteString("\nEvery run\ninput\tprogram\tround\tcpu_s\twall_s\trss_bytes\tother_s\n")
	for _, in := range r.inputs {
		for _, p := range in.programs {
			for i, s := range p.samples {
				fmt.Fprintf(b, "%s\t%s\t%d\t%.4f\t%.4f\t%d\t%.2f\n", in.name, p.name, i+1, s.cpu.Seconds(), s.wall.Seconds(), s.rss, s.foreign.Seconds())
			}
		}
	}
}
