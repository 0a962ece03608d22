package cmd

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"keyskew/golden"
)

// allowed says, per package of ours, which of ours it may import. A package below it in the list of
// prefixes is covered by the longest prefix. Imports go one way: what is not named here is refused.
var allowed = []struct {
	pkg     string
	imports []string
}{
	{"keyskew/ingest/request/requesttest", []string{"keyskew/ingest/request"}},
	{"keyskew/ingest/request", nil},
	{"keyskew/ingest/names", []string{"keyskew/ingest/request"}},
	{"keyskew/ingest/target", nil},
	{"keyskew/ingest/timestamp", nil},
	{"keyskew/sketch/prefetch", nil},
	{"keyskew/sketch", []string{"keyskew/sketch/prefetch"}},
	{"keyskew/ingest/rediscmd/gen", []string{"keyskew/ingest/request"}},
	{"keyskew/ingest/rediscmd", []string{"keyskew/ingest/request"}},
	{"keyskew/ingest/synth", nil},
	{"keyskew/ingest/monitor", []string{"keyskew/ingest/request", "keyskew/ingest/rediscmd"}},
	{"keyskew/ingest/wrap", nil},
	{"keyskew/ingest/accesslog", []string{"keyskew/ingest/request", "keyskew/ingest/names", "keyskew/ingest/timestamp", "keyskew/ingest/target", "keyskew/ingest/wrap"}},
	{"keyskew/ingest/delimited", []string{"keyskew/ingest/request", "keyskew/ingest/names", "keyskew/ingest/timestamp"}},
	{"keyskew/ingest/jsonlines", []string{"keyskew/ingest/request", "keyskew/ingest/names", "keyskew/ingest/timestamp", "keyskew/ingest/target", "keyskew/ingest/wrap"}},
	{"keyskew/ingest", []string{"keyskew/ingest/"}},
	{"keyskew/analyze/partition", nil},
	{"keyskew/analyze/spike", nil},
	{"keyskew/analyze/replay", []string{"keyskew/ingest/request", "keyskew/sketch", "keyskew/analyze/episode"}},
	{"keyskew/analyze/skew", []string{"keyskew/sketch"}},
	{"keyskew/analyze/episode", nil},
	{"keyskew/analyze/order", []string{"keyskew/sketch"}},
	{"keyskew/analyze", []string{"keyskew/ingest/request", "keyskew/sketch", "keyskew/analyze/"}},
	{"keyskew/advise", []string{"keyskew/ingest/request", "keyskew/sketch", "keyskew/analyze", "keyskew/advise/"}},
	{"keyskew/formats", []string{"keyskew/ingest/request", "keyskew/sketch", "keyskew/analyze", "keyskew/advise"}},
	{"keyskew/golden", nil},
	{"keyskew/cmd", []string{"keyskew/ingest", "keyskew/analyze", "keyskew/advise", "keyskew/formats", "keyskew/sketch"}},
	{"keyskew/testdata", []string{"keyskew/ingest/"}},
	{"keyskew", []string{"keyskew/cmd"}},
}

// only says which packages may import a third-party module.
var only = map[string][]string{
	"github.com/spf13/cobra":             {"keyskew/cmd"},
	"github.com/axiomhq/hyperloglog":     {"keyskew/sketch"},
	"github.com/klauspost/compress":      {"keyskew/ingest"},
	"github.com/pierrec/lz4":             {"keyskew/ingest"},
	"github.com/tailscale/hujson":        {"keyskew/analyze/partition"},
	"github.com/therootcompany/xz":       {"keyskew/ingest"},
	"github.com/apache/arrow-go":         {"keyskew/ingest/columnar"},
	"github.com/parquet-go/parquet-go":   {"keyskew/ingest/columnar"},
	"github.com/charmbracelet/bubbletea": {"keyskew/tui"},
}

func TestImportDirection(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports", "./...")
	cmd.Dir = golden.Root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		seen++
		rule := slices.IndexFunc(allowed, func(a struct {
			pkg     string
			imports []string
		}) bool {
			return p.ImportPath == a.pkg || strings.HasPrefix(p.ImportPath, a.pkg+"/")
		})
		if rule < 0 {
			t.Errorf("%s has no place in the import direction", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if strings.HasSuffix(imp, "test") && strings.HasPrefix(imp, "keyskew") {
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, imp)
				continue
			}
			if strings.HasPrefix(imp, "keyskew") {
				if !slices.ContainsFunc(allowed[rule].imports, func(a string) bool {
					return imp == a || strings.HasPrefix(imp, strings.TrimSuffix(a, "/")+"/")
				}) {
					t.Errorf("%s imports %s, against the direction", p.ImportPath, imp)
				}
				continue
			}
			if imp == "C" || imp == "log" || imp == "net/http" {
				t.Errorf("%s imports %s: no cgo, no network, and libraries return errors", p.ImportPath, imp)
			}
			for module, users := range only {
				if strings.HasPrefix(imp, module) && !slices.Contains(users, p.ImportPath) {
					t.Errorf("%s imports %s, which only %v may", p.ImportPath, imp, users)
				}
			}
		}
	}
	if seen < 10 {
		t.Fatalf("go list named only %d packages", seen)
	}
}
