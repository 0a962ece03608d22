package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keyskew/formats"
	"keyskew/golden"
)

// Every capture of the corpus is read whole: as many requests as an independent count says, and every
// line accounted for. None shows a password.
func TestCorpus(t *testing.T) {
	text, err := os.ReadFile(golden.Corpus(t, "FACTS.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Monitor map[string]struct {
			Commands int64 `json:"lines_shaped_like_commands"`
		}
	}
	if err := json.Unmarshal(text, &facts); err != nil {
		t.Fatal(err)
	}
	files := captures(t, golden.Corpus(t, "monitor"), func(name string) bool { return !strings.HasSuffix(name, ".tsv") })
	if len(files) < 28 {
		t.Fatalf("%d captures", len(files))
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want, ok := facts.Monitor["monitor/"+filepath.Base(path)]
			if !ok {
				t.Fatal("no count to hold it against")
			}
			r := accounted(t, path)
			same(t, "requests", r.Inputs[0].Requests, want.Commands)
		})
	}
}

// The same for the captures of scenario runs on three servers; their lines are all shaped alike.
func TestScenarioCaptures(t *testing.T) {
	files := captures(t, golden.Corpus(t, "..", "formats_samples"), func(name string) bool {
		return strings.HasPrefix(name, "monitor_")
	})
	if len(files) < 7 {
		t.Fatalf("%d captures", len(files))
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			r := accounted(t, path)
			same(t, "bad lines", r.Inputs[0].Skipped.Bad, 0)
			if r.Inputs[0].Requests < 10 {
				t.Errorf("only %d requests", r.Inputs[0].Requests)
			}
		})
	}
}

// And the bundled captures in every framing.
func TestBundledCaptures(t *testing.T) {
	files := captures(t, filepath.Join(golden.Root(), "testdata", "monitor"), func(name string) bool {
		return strings.HasSuffix(name, ".log")
	})
	if len(files) < 10 {
		t.Fatalf("%d captures", len(files))
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { accounted(t, path) })
	}
}

func captures(t *testing.T, dir string, take func(name string) bool) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if take(e.Name()) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// accounted reads a capture in every way of output, and holds the report against its own sums.
func accounted(t *testing.T, path string) *formats.Report {
	t.Helper()
	report := mustRun(t, nil, "--format", "json", "--shards", "4", "--capacity", "1k", path)
	outputs := report
	for _, flags := range [][]string{{}, {"--plain"}, {"--ascii", "--width", "40"}, {"--brief", "--color", "always"}, {"--format", "json"}} {
		outputs += mustRun(t, nil, append(flags, path)...)
	}
	if strings.Contains(outputs, "sekret") {
		t.Error("a password is printed")
	}
	validateText(t, report)
	r := parsed(t, report)
	in := r.Inputs[0]
	same(t, "format", in.Format, "monitor")
	same(t, "requests + skipped", in.Requests+in.Skipped.Total, in.Lines)
	sum := int64(0)
	for reason, n := range in.Skipped.ByReason {
		sum += n
		if at := in.Skipped.At[reason]; int64(len(at)) != min(n, 3) {
			t.Errorf("%d lines skipped (%s), the first at %v", n, reason, at)
		}
	}
	same(t, "skipped, by reason", sum, in.Skipped.Total)
	same(t, "truncated", in.Truncated, false)
	tot := r.Totals
	same(t, "reads + writes + polls + other", tot.Reads+tot.Writes+tot.Polls+tot.Other, tot.Requests)
	placed := uint64(0)
	for _, p := range r.Partitions.List {
		if p.Requests != nil {
			placed += *p.Requests
		}
	}
	same(t, "requests on shards", placed, tot.Requests-tot.Polls)
	return r
}

// A benchmark hammers single keys: that is never "nothing is wrong".
func TestBenchmarkIsHot(t *testing.T) {
	path := golden.Corpus(t, "monitor", "redis7015_benchmark.log")
	r := analyzed(t, nil, path)
	if r.Verdict.Severity == "ok" || r.Verdict.Severity == "insufficient" {
		t.Errorf("the verdict is %+v", r.Verdict)
	}
	k := keyOf(r, "mylist")
	if k == nil || !k.Hot {
		t.Errorf("mylist is not hot: %+v", k)
	}
}
