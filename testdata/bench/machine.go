//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// describe says on what machine, and of what, the figures are. It names neither the host nor a person.
func describe(ctx context.Context, t *tools) string {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-10s %s\n", name, value) }
	line("date", time.Now().UTC().Format(time.RFC3339))
	line("cpu", field("/proc/cpuinfo", "model name"))
	line("cores", fmt.Sprint(runtime.NumCPU()))
	line("memory", field("/proc/meminfo", "MemTotal"))
	line("load", firstLine("/proc/loadavg")+" (before; over 1, 5 and 15 minutes)")
	line("system", strings.Trim(field("/etc/os-release", "PRETTY_NAME"), `"`)+", Linux "+kernel()+", "+runtime.GOARCH)
	line("go", runtime.Version())
	line("keyskew", version(ctx, t.keyskew, "version"))
	line("commit", commit(ctx))
	line("wc, sort", version(ctx, "wc", "--version"))
	if t.mawk {
		line("mawk", version(ctx, "sh", "-c", "mawk -W version 2>&1"))
	}
	if t.duckdb != "" {
		line("node", version(ctx, "node", "--version"))
		line("duckdb", "@duckdb/node-api "+duckdbVersion)
	}
	return b.String()
}

// kernel is the version of Linux without its build.
func kernel() string {
	major, rest, _ := strings.Cut(firstLine("/proc/sys/kernel/osrelease"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return major + "." + minor
}

// commit is what of the repository was built.
func commit(ctx context.Context) string {
	id := version(ctx, "git", "log", "-1", "--format=%H %cs")
	changed, err := (&program{argv: []string{"git", "status", "--porcelain", "--untracked-files=no"}}).output(ctx)
	if err == nil && len(changed) > 0 {
		id += fmt.Sprintf(", with uncommitted changes in %d files", strings.Count(string(changed), "\n"))
	}
	return id
}

func firstLine(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}

// field returns the value behind a name in a file of names and values, one pair a line.
func field(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(strings.TrimLeft(rest, " \t:="))
		}
	}
	return "unknown"
}
