package cmd

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"keyskew/ingest"
)

// progress draws one line on a terminal while the input is read: at most 79 cells, fields dropped from
// the right where it is narrow, erased at the end.
type progress struct {
	tty     *os.File // nil: draw nothing
	started time.Time
	last    time.Time
	drawn   bool
}

const redraw = 200 * time.Millisecond

func (a *app) newProgress(quiet bool) *progress {
	p := &progress{started: time.Now()}
	if !quiet {
		p.tty = terminalOf(a.err)
	}
	return p
}

func (p *progress) show(now ingest.Progress) {
	if p.tty == nil || time.Since(p.last) < redraw {
		return
	}
	width, _, err := term.GetSize(int(p.tty.Fd()))
	if err != nil || width < 20 {
		return // a line that wraps cannot be erased
	}
	p.last = time.Now()
	fmt.Fprintf(p.tty, "\r\x1b[K%s", progressLine(now, time.Since(p.started), min(width-1, 79)))
	p.drawn = true
}

func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.tty, "\r\x1b[K")
		p.drawn = false
	}
}

func progressLine(now ingest.Progress, elapsed time.Duration, width int) string {
	fields := []string{"reading " + plainName(now.Input)}
	rate := float64(now.Read) / max(elapsed.Seconds(), 0.1)
	if now.Size > 0 {
		fields = append(fields,
			fmt.Sprintf("%d%%", min(100, 100*now.Read/now.Size)),
			fmt.Sprintf("%s of %s", short1000(float64(now.Read)), short1000(float64(now.Size))+"B"))
	} else {
		fields = append(fields, short1000(float64(now.Read))+"B", short1000(rate)+"B/s")
	}
	fields = append(fields, short1000(float64(now.Requests))+" requests")
	if now.Size > now.Read && rate > 0 {
		left := time.Duration(float64(now.Size-now.Read) / rate * float64(time.Second))
		fields = append(fields, "ETA "+left.Round(time.Second).String())
	}
	for len(fields) > 1 && len(strings.Join(fields, "  ")) > width {
		fields = fields[:len(fields)-1]
	}
	line := strings.Join(fields, "  ")
	return line[:min(len(line), width)]
}

// plainName keeps what a file name may do to a terminal out of it.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// short1000 prints a number with three significant figures and a letter for thousands.
func short1000(v float64) string {
	if v < 999.5 {
		return fmt.Sprintf("%.0f", v)
	}
	unit := 0
	for v /= 1000; v >= 999.5 && unit < len(thousands)-1; v /= 1000 {
		unit++
	}
	return fmt.Sprintf("%.3g %c", v, thousands[unit])
}

const thousands = "kMGT"

// printStats says how fast it went. It goes to stderr: no report holds a clock or a host.
func (a *app) printStats(stats []ingest.Stats, took time.Duration) {
	var bytes, lines int64
	for _, s := range stats {
		bytes += s.Unpacked
		lines += s.Tally.Lines
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(a.err, "keyskew: %d lines, %d bytes in %.3f s: %.0f lines/s, %.0f MB/s; heap from the system %d MiB, %d collections\n",
		lines, bytes, took.Seconds(), float64(lines)/took.Seconds(), float64(bytes)/took.Seconds()/1e6, m.Sys>>20, m.NumGC)
}
