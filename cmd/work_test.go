package cmd

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mgets is a capture of 10 seconds with 100 commands a second on the same three keys, which lie on three
// different thirds of the slots.
func mgets(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "17000000%02d.%06d [0 10.0.0.1:5000] \"MGET\" \"a\" \"b\" \"c\"\n", i/100, i%100*10_000)
	}
	path := filepath.Join(t.TempDir(), "mget.log")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A server is asked in commands: one of three keys is a third of the work on each of them, while it is a
// request on each.
func TestWorkOfCommandsWithSeveralKeys(t *testing.T) {
	path := mgets(t)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.02*want {
			t.Errorf("%s is %g, not %g", what, got, want)
		}
	}
	r := analyzed(t, nil, "--capacity", "1000", "--shards", "3", path)
	near("requests/s", *r.Totals.PeakRate, 300)
	near("commands/s", *r.Totals.CommandPeakRate, 100)
	same(t, "shards", len(r.Partitions.List), 3)
	for _, p := range r.Partitions.List {
		near("requests/s of shard "+p.ID, *p.PeakRate, 100)
		near("utilisation of shard "+p.ID, *p.Utilisation, 100.0/3/1000)
	}
	// 100 commands/s are four fifths of 125: the node is busy, and none of its shards would be.
	same(t, "severity of the node", analyzed(t, nil, "--capacity", "125", path).Verdict.Severity, "warning")
	r = analyzed(t, nil, "--capacity", "125", "--shards", "3", path)
	for _, p := range r.Partitions.List {
		near("utilisation of shard "+p.ID, *p.Utilisation, 100.0/3/125)
	}
}

// With a filter the load of the servers is not known: a capacity is not applied, and shares of what was
// chosen do not warn.
func TestFilterDropsCapacity(t *testing.T) {
	path := mgets(t)
	for _, filter := range [][]string{{"--match", "a"}, {"--where", "op=read"}} {
		r := analyzed(t, nil, append(filter, "--capacity", "100", "--shards", "3", path)...)
		same(t, "filtered", r.Filtered, true)
		same(t, "capacity known", r.Capacity.Value != nil, false)
		same(t, "severity", r.Verdict.Severity, "info")
		for _, p := range r.Partitions.List {
			same(t, "utilisation of shard "+p.ID+" known", p.Utilisation != nil, false)
		}
	}
	// a filter by time leaves whole seconds, in which all of the load is there
	r := analyzed(t, nil, "--since", "2023-11-14T22:13:25Z", "--capacity", "100", path)
	same(t, "filtered by time", r.Filtered, false)
	same(t, "severity", r.Verdict.Severity, "critical")
}
