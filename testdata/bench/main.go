//go:build linux

// Program bench compares keyskew with reading a file, with the tools that count keys and with the
// decoders of packed files. Made-up captures enter, the same on every machine; a table of CPU time, wall
// time and memory leaves, with the ratios to `wc -l` taken in the same round.
//
//	go run ./testdata/bench                        # or make bench: 20 million lines, 9 rounds
//	go run ./testdata/bench -lines 2M -rounds 3    # a quick look
//
// It needs Linux, and about 9 GB of disk and as much free memory for 20 million lines, so that all inputs
// stay in the page cache. Inputs go to a temporary folder, or to the folder BENCH_DIR, which is kept.
// What is not installed (mawk, node) is left out, with the reason.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// config is what the flags say.
type config struct {
	lines  int
	rounds int
	out    string
	dir    string // of the inputs
	only   *regexp.Regexp
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 {
		// The program starts itself for what needs memory or is measured: see work.
		if done, err := work(os.Args[1], os.Args[2:]); done {
			exit(err)
		}
	}
	c := config{dir: os.Getenv("BENCH_DIR")}
	lines := flag.String("lines", "20M", "lines of each input (k and M are understood)")
	only := flag.String("only", "", "only the inputs whose names fit this regular expression")
	flag.IntVar(&c.rounds, "rounds", 9, "rounds; in each, every program runs once on every input")
	flag.StringVar(&c.out, "out", filepath.Join("docs", "bench", time.Now().UTC().Format(time.DateOnly)), "folder of the results")
	flag.Parse()
	err := run(ctx, c, *lines, *only)
	if ctx.Err() != nil {
		err = fmt.Errorf("interrupted")
	}
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context, c config, lines, only string) (err error) {
	if c.lines, err = count(lines); err != nil {
		return err
	}
	if c.only, err = regexp.Compile(only); err != nil {
		return err
	}
	if c.rounds < 1 || flag.NArg() > 0 {
		return fmt.Errorf("at least one round, and no arguments; -h shows the flags")
	}
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "bench"); err != nil {
			return err
		}
		defer os.RemoveAll(c.dir)
	} else if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	t, err := newTools(ctx, c.dir)
	if err != nil {
		return err
	}
	m := describe(ctx, t)
	inputs, err := prepare(ctx, t, c)
	if err != nil {
		return err
	}
	if inputs, err = check(ctx, t, inputs); err != nil {
		return err
	}
	begun := time.Now()
	if err := measureAll(ctx, c.rounds, inputs); err != nil {
		return err
	}
	r := results{config: c, machine: m, inputs: inputs, left: t.left, took: time.Since(begun)}
	return r.write()
}

// measureAll runs all programs on all inputs, round by round, so that a change of the machine's mood
// reaches all of them. In each round another program of an input is the first.
func measureAll(ctx context.Context, rounds int, inputs []*input) error {
	for round := range rounds {
		for _, in := range inputs {
			say("round %d of %d: %s", round+1, rounds, in.name)
			for i := range in.programs {
				p := in.programs[(round+i)%len(in.programs)]
				s, err := p.measure(ctx)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", p.name, in.name, err)
				}
				p.samples = append(p.samples, s)
			}
		}
	}
	return nil
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// count reads a number such as 200k or 20M.
func count(s string) (int, error) {
	digits, unit := strings.TrimRight(s, "kM"), 1
	switch s[len(digits):] {
	case "":
	case "k":
		unit = 1_000
	case "M":
		unit = 1_000_000
	default:
		digits = ""
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 10_000_000_000/unit || n*unit < 1_000 {
		return 0, fmt.Errorf("-lines %s: want a number from 1000 on, such as 200k or 20M", s)
	}
	return n * unit, nil
}
