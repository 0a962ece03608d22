//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// input is one file and what runs on it.
type input struct {
	name, about string
	path        string
	lines       int // requests in it
	size        int64
	sum         string // the front of its SHA-256
	// base is the name of the program that ratios are taken to.
	base     string
	programs []*program
}

func (in *input) program(name string) *program {
	for _, p := range in.programs {
		if p.name == name {
			return p
		}
	}
	return nil
}

// The names of inputs that targets speak of.
const (
	few, many, fresh, tenth = "monitor-10k", "monitor-1M", "monitor-20M", "monitor-1M-tenth"
	gzipped, zstandard      = "monitor-1M.gz", "monitor-1M.zst"
)

// prepare makes the inputs that are wanted. What lies in the folder already is used again.
func prepare(ctx context.Context, t *tools, c config) ([]*input, error) {
	type recipe struct {
		name, about string
		lines       int
		flags       []string // of keyskew generate
		job         string   // of work, on the capture with a million keys
	}
	zipf := []string{"--zipf", "1", "--keys"}
	recipes := []recipe{
		{few, "MONITOR, 10 thousand keys, Zipf 1", c.lines, append(zipf, "10k"), ""},
		{many, "MONITOR, 1 million keys, Zipf 1", c.lines, append(zipf, "1M"), ""},
		{fresh, "MONITOR, drawn evenly from 20 million keys", c.lines, []string{"--zipf", "0", "--keys", "20M"}, ""},
		{tenth, "as monitor-1M, a tenth of the lines", c.lines / 10, append(zipf, "1M"), ""},
		{"access-log", "combined access log, the keys of monitor-1M as paths", c.lines, nil, "-accesslog"},
		{"csv", "CSV, the requests of monitor-1M", c.lines, nil, "-csv"},
		{gzipped, "monitor-1M packed with gzip", c.lines, nil, "-gzip"},
		{zstandard, "monitor-1M packed with zstd", c.lines, nil, "-zstd"},
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(c.dir, &disk); err == nil {
		// Some 450 bytes a line in all.
		if need, free := int64(c.lines)*450, int64(disk.Bavail)*disk.Bsize; free < need {
			return nil, fmt.Errorf("%s has %d MB left; the inputs need about %d MB", c.dir, free>>20, need>>20)
		}
	}
	path := func(name string, lines int) string {
		return filepath.Join(c.dir, fmt.Sprintf("%d-%s", lines, name))
	}
	var inputs []*input
	for _, r := range recipes {
		derived := slices.ContainsFunc(recipes, func(o recipe) bool { return o.job != "" && c.only.MatchString(o.name) })
		if !c.only.MatchString(r.name) && !(r.name == many && derived) {
			continue
		}
		in := &input{name: r.name, about: r.about, path: path(r.name, r.lines), lines: r.lines}
		if _, err := os.Stat(in.path); errors.Is(err, fs.ErrNotExist) {
			say("making %s", in.name)
			argv := []string{t.self, r.job, path(many, c.lines), in.path}
			if r.job == "" {
				argv = append([]string{t.keyskew, "generate", "--tenants", "50", "--writes", "0.8", "--rate", "100k",
					"--requests", strconv.Itoa(r.lines), "-o", in.path}, r.flags...)
			}
			if _, err := (&program{argv: argv}).output(ctx); err != nil {
				return nil, fmt.Errorf("making %s: %w", in.name, err)
			}
		}
		if err := in.read(); err != nil {
			return nil, err
		}
		if !c.only.MatchString(r.name) {
			continue
		}
		t.assign(in)
		inputs = append(inputs, in)
	}
	if len(inputs) == 0 {
		return nil, fmt.Errorf("-only %s fits no input", c.only)
	}
	return inputs, nil
}

// read notes size and sum of the file; it leaves the file in the page cache.
func (in *input) read() error {
	f, err := os.Open(in.path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if in.size, err = io.Copy(h, f); err != nil {
		return err
	}
	in.sum = hex.EncodeToString(h.Sum(nil)[:8])
	return nil
}

// report is what is read of keyskew's report.
type report struct {
	Totals struct{ Requests int }
	Keys   []struct {
		Key   struct{ Text string }
		Count struct{ Lower, Upper int }
	}
}

// check runs everything once, unmeasured: keyskew has to account for every request, and who counts keys
// must find the same key in front, with the same count. Peers that do not run are left out.
func check(ctx context.Context, t *tools, inputs []*input) ([]*input, error) {
	for _, in := range inputs {
		say("checking %s", in.name)
		out, err := (&program{argv: []string{t.keyskew, "-q", "--format", "json", in.path}}).output(ctx)
		if err != nil {
			return nil, fmt.Errorf("keyskew on %s: %w", in.name, err)
		}
		var r report
		if err := json.Unmarshal(out, &r); err != nil {
			return nil, fmt.Errorf("keyskew on %s: %w", in.name, err)
		}
		if r.Totals.Requests != in.lines {
			return nil, fmt.Errorf("keyskew counts %d requests in %s, which has %d", r.Totals.Requests, in.name, in.lines)
		}
		var kept []*program
		for _, p := range in.programs {
			err := p.try(ctx, &r)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && (p.name == in.base || strings.HasPrefix(p.name, "keyskew")):
				return nil, fmt.Errorf("%s on %s: %w", p.name, in.name, err)
			case err != nil:
				t.leave("%s on %s: %v", p.name, in.name, err)
			default:
				kept = append(kept, p)
			}
		}
		in.programs = kept
	}
	return inputs, nil
}

// try runs a program once and compares what it counts with the report. What others print, which may be
// the whole input, is not kept.
func (p *program) try(ctx context.Context, r *report) error {
	if !p.top {
		_, err := p.measure(ctx)
		return err
	}
	out, err := p.output(ctx)
	if err != nil {
		return err
	}
	return r.agrees(out)
}

// agrees says how what another counter printed, a count and a key a line, differs from the report in the
// key in front.
func (r *report) agrees(out []byte) error {
	line, _, _ := bytes.Cut(out, []byte{'\n'})
	number, key, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("it printed %q", line)
	}
	for _, k := range r.Keys {
		if k.Key.Text == key && k.Count.Lower <= n && n <= k.Count.Upper {
			return nil
		}
	}
	return fmt.Errorf("its first key, %q with %d requests, is not in keyskew's report with that count", key, n)
}
