package accesslog

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
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
		data := load(t, filepath.Join(dir, c.file))
		f, d := best(head(data), request.Select{})
		if f.ID != c.format {
			t.Errorf("%s: detected as %q", c.file, f.ID)
			continue
		}
		got, tally := readAll(t, d, data)
		if _, bad := tally.Skipped(); int(bad) != broken {
			t.Errorf("%s: %d bad lines, want %d", c.file, bad, broken)
		}
		distinct, top := topOf(got.list, len(asked))
		if distinct != len(asked) {
			t.Errorf("%s: %d keys, want %d", c.file, distinct, len(asked))
		}
		for _, k := range top {
			if asked[k.key] != k.n {
				t.Errorf("%s: %q %d times, want %d", c.file, k.key, k.n, asked[k.key])
			}
		}
		if c.format == "combined+" {
			upstreams := map[string]int{}
			for _, r := range got.list {
				upstreams[r.Partition]++
			}
			// The backend that never answers is always followed by one that does.
			if len(upstreams) != 3 || len(tally.Notes) != 1 || tally.Notes[0].Text != noteRetries || tally.Notes[0].Count < 100 {
				t.Errorf("%s: %v, %v", c.file, upstreams, tally.Notes)
			}
		}
	}
}
