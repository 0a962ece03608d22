package accesslog

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// The logs that real servers wrote hold exactly what they were asked.
func TestRecorded(t *testing.T) {
	dir := filepath.Join(golden.Root(), "testdata", "accesslog")
	asked := map[string]int{}
	text, err := os.ReadFile(filepath.Join(dir, "asked.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		n, quoted, _ := strings.Cut(strings.TrimSpace(line), "\t")
		key, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		if asked[key], err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
	}
	broken := asked[""]
	delete(asked, "")
	for _, c := range []struct{ file, format string }{
		{"nginx-combined.log.gz", "combined"},
		{"nginx-plus.log.gz", "combined+"},
		{"apache-common.log.gz", "clf"},
		{"apache-combined.log.gz", "combined"},
		{"apache-vhost.log.gz", "vhost_combined"},
	} {
		data := requesttest.File(t, filepath.Join(dir, c.file))
		f, d := best(head(data), request.Select{})
		if f.ID != c.format {
			t.Errorf("%s: detected as %q", c.file, f.ID)
			continue
		}
		got, tally := readAll(t, d, data)
		if _, bad := tally.Skipped(); int(bad) != broken {
			t.Errorf("%s: %d bad lines, want %d", c.file, bad, broken)
		}
		counts := got.Count(requesttest.ByKey)
		if len(counts) != len(asked) {
			t.Errorf("%s: %d keys, want %d", c.file, len(counts), len(asked))
		}
		for key, n := range counts {
			if asked[key] != int(n) {
				t.Errorf("%s: %q %d times, want %d", c.file, key, n, asked[key])
			}
		}
		if c.format == "combined+" {
			upstreams := map[string]int{}
			for _, r := range got.List {
				upstreams[r.Partition]++
			}
			// The backend that never answers is always followed by one that does.
			if len(upstreams) != 3 || len(tally.Notes) != 1 || tally.Notes[0].Text != noteRetries || tally.Notes[0].Count < 100 {
				t.Errorf("%s: %v, %v", c.file, upstreams, tally.Notes)
			}
		}
	}
}
