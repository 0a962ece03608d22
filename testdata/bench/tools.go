//go:build linux

package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// duckdbVersion is the version of the npm package @duckdb/node-api.
const duckdbVersion = "1.5.6-r.1"

//go:embed duckdb.mjs
var duckdbScript []byte

// The names of programs that targets speak of.
const (
	oneCore, twoCores = "keyskew, 1 core", "keyskew, 2 cores"
	wc                = "wc -l"
	pipeline          = "cut | sort | uniq -c | sort -rn"
	duckdb            = "DuckDB, 2 threads"
	inflate, unzstd   = "klauspost inflate alone", "klauspost zstd alone"
)

// tools are the programs that were found.
type tools struct {
	self, keyskew string
	mawk          bool
	duckdb        string // the script; empty without DuckDB
	left          []string
}

// leave notes what is left out and why.
func (t *tools) leave(format string, args ...any) {
	t.left = append(t.left, fmt.Sprintf(format, args...))
	say("left out: "+format, args...)
}

// newTools builds keyskew from the current folder and looks for the others.
func newTools(ctx context.Context, dir string) (*tools, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := &tools{self: self, keyskew: filepath.Join(dir, "keyskew")}
	say("building keyskew")
	if _, err := (&program{argv: []string{"go", "build", "-o", t.keyskew, "."}}).output(ctx); err != nil {
		return nil, fmt.Errorf("building keyskew (run this in the root of the repository): %w", err)
	}
	if _, err := exec.LookPath("mawk"); err != nil {
		t.leave("mawk: it is not installed")
	} else {
		t.mawk = true
	}
	if err := t.installDuckDB(ctx, filepath.Join(dir, "duckdb")); err != nil {
		t.leave("DuckDB: %v", err)
	}
	return t, ctx.Err()
}

// installDuckDB puts DuckDB into a folder by its npm package, without running any script of a package.
func (t *tools) installDuckDB(ctx context.Context, dir string) error {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is not installed", name)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	script := filepath.Join(dir, "duckdb.mjs")
	if err := os.WriteFile(script, duckdbScript, 0o666); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@duckdb", "node-api")); err != nil {
		say("installing DuckDB with npm")
		install := &program{argv: []string{"npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent",
			"--prefix", dir, "@duckdb/node-api@" + duckdbVersion}}
		if _, err := install.output(ctx); err != nil {
			return fmt.Errorf("npm install @duckdb/node-api: %w", err)
		}
	}
	t.duckdb = script
	return nil
}

// assign says which programs run on an input. keyskew runs with all it has: shards, a capacity, windows,
// clients, sizes, advice.
func (t *tools) assign(in *input) {
	keyskew := func(name, cores string) *program {
		return &program{name: name, env: []string{"GOMAXPROCS=" + cores},
			argv: []string{t.keyskew, "-q", "--workers", cores, "--shards", "8", "--capacity", "100k", in.path}}
	}
	in.programs = []*program{keyskew(oneCore, "1"), keyskew(twoCores, "2")}
	add := func(p *program) { in.programs = append(in.programs, p) }
	switch in.name {
	case gzipped:
		in.base = inflate
		add(&program{name: inflate, env: []string{"GOMAXPROCS=2"}, argv: []string{t.self, "-inflate", in.path}})
		return
	case zstandard:
		in.base = unzstd
		add(&program{name: unzstd, env: []string{"GOMAXPROCS=2"}, argv: []string{t.self, "-unzstd", in.path}})
		return
	}
	in.base = wc
	add(&program{name: wc, argv: []string{"wc", "-l", in.path}})
	if in.name != many {
		return
	}
	shell := func(name, script string) *program {
		// pipefail is not in every sh; check looks at what comes out instead.
		return &program{name: name, top: true, argv: []string{"sh", "-c", script, "sh", in.path}}
	}
	add(&program{name: "cat", argv: []string{"cat", in.path}})
	add(shell(pipeline, `cut -s -d'"' -f4 "$1" | sort --parallel=2 | uniq -c | sort -rn | head -20`))
	if t.mawk {
		add(shell("mawk, an array | sort -rn", `mawk -F'"' 'NF>3{n[$4]++} END{for(k in n) print n[k], k}' "$1" | sort -rn | head -20`))
	}
	if t.duckdb != "" {
		add(&program{name: duckdb, top: true, argv: []string{"node", t.duckdb, in.path, "2"}})
	}
}

// version returns the first line that a program prints about itself.
func version(ctx context.Context, argv ...string) string {
	out, err := (&program{argv: argv}).output(ctx)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
