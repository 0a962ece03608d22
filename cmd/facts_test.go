package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keyskew/golden"
)

// Traces and access logs are read without flags but for the choice of another key: as many requests and
// distinct keys as an independent count says, and the same five hottest.
func TestFacts(t *testing.T) {
	text, err := os.ReadFile(golden.Corpus(t, "FACTS.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Traces map[string]struct {
			Requests uint64
			Distinct float64
			Top5     [][2]any
		} `json:"traces_and_http"`
	}
	if err := json.Unmarshal(text, &facts); err != nil {
		t.Fatal(err)
	}
	if len(facts.Traces) < 25 {
		t.Fatalf("only %d facts", len(facts.Traces))
	}
	for name, want := range facts.Traces {
		file, what, _ := strings.Cut(name, " | ")
		t.Run(strings.ReplaceAll(name, "/", ":"), func(t *testing.T) {
			args := []string{"--format", "json", golden.Corpus(t, filepath.FromSlash(file))}
			switch what {
			case "request target as logged", "RequestPath":
				args = append(args, "--key", "path+query")
			case "usecase, weighted":
				args = append(args, "--key", "usecase")
			case "rs_shard_id (partition)", "user_namespace (tenant)", "host_name":
				args = append(args, "--key", strings.Fields(what)[0])
			}
			r := parsed(t, mustRun(t, nil, args...))
			if what == "key, rows" { // counted by weight all the same
				same(t, "rows", r.Inputs[0].Requests, int64(want.Requests))
				return
			}
			same(t, "requests", r.Totals.Requests, want.Requests)
			same(t, "distinct keys", r.Totals.DistinctKeys.Value, want.Distinct)
			all, bad := r.Inputs[0].Skipped.Total, r.Inputs[0].Skipped.Bad
			same(t, "bad lines", bad, 0)
			same(t, "requests + skipped", r.Inputs[0].Requests+all, r.Inputs[0].Lines)
			for i, top := range want.Top5 {
				if i >= len(r.Keys) {
					t.Fatalf("only %d keys", len(r.Keys))
				}
				same(t, "key", string(r.Keys[i].Key.Raw()), top[0].(string))
				same(t, "its count", r.Keys[i].Count.Value, top[1].(float64))
			}
		})
	}
}

// What holds no requests is refused, with what it is nearest to.
func TestOthersAreRefused(t *testing.T) {
	for _, path := range captures(t, golden.Corpus(t, "hotlists"), func(string) bool { return true }) {
		r := run(t, nil, path)
		if r.code != exitError || r.out != "" || !strings.Contains(r.err, " lines match)") ||
			!strings.Contains(r.err, "first line that failed, line ") {
			t.Errorf("%s: exit %d, %q\n%s", path, r.code, r.out, r.err)
		}
		r = run(t, nil, "detect", path)
		if r.code != exitError || r.err != "" || !strings.Contains(r.out, ": refused; the nearest are\n") {
			t.Errorf("%s: exit %d, %q\n%s", path, r.code, r.err, r.out)
		}
	}
}
