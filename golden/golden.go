// Package golden is what tests share: comparing with a stored answer (and rewriting it with -update),
// and asking for what a machine may lack. It is imported by tests only.
package golden

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Dir is the absolute path of this folder, where the stored answers are.
func Dir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// Root is the absolute path of the module.
func Root() string { return filepath.Dir(Dir()) }

// Compare fails the test when got differs from the stored answer golden/name; with -update it writes
// the answer instead.
func Compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join(Dir(), filepath.FromSlash(name))
	if update() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no stored answer (run the test with -update and read what it wrote): %v", err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		var gl, wl string
		if i < len(g) {
			gl = g[i]
		}
		if i < len(w) {
			wl = w[i]
		}
		if gl != wl {
			t.Fatalf("%s differs first in line %d:\n got %q\nwant %q", name, i+1, gl, wl)
		}
	}
}

func update() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// UpdateFlag registers -update; call it once in a package-level var of the test package.
func UpdateFlag() *bool {
	return flag.Bool("update", false, "rewrite the stored answers in golden/")
}

// Program returns the path of a program that a test needs. Where it is missing the test is skipped with
// the reason, unless KEYSKEW_REQUIRE (a comma-separated list, or "all") names it: then it fails.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lack(t, name, "the program "+name+" is not installed")
	}
	return path
}

// Corpus returns the path of a file below the folder that KEYSKEW_CORPUS names: real inputs that are
// not part of this repository. Without the folder the test is skipped, unless KEYSKEW_REQUIRE names
// "corpus".
func Corpus(t testing.TB, elem ...string) string {
	t.Helper()
	dir := os.Getenv("KEYSKEW_CORPUS")
	if dir == "" {
		lack(t, "corpus", "KEYSKEW_CORPUS does not name a folder")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		lack(t, "corpus", err.Error())
	}
	return path
}

// CorpusHeads returns the first bytes of each file in a folder of the corpus, to seed fuzzers with; nothing
// where there is no corpus.
func CorpusHeads(folder string, n int) [][]byte {
	dir := os.Getenv("KEYSKEW_CORPUS")
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		return nil
	}
	var heads [][]byte
	for _, e := range entries {
		if text, err := os.ReadFile(filepath.Join(dir, folder, e.Name())); err == nil {
			heads = append(heads, text[:min(len(text), n)])
		}
	}
	return heads
}

func lack(t testing.TB, name, reason string) {
	t.Helper()
	required := strings.Split(os.Getenv("KEYSKEW_REQUIRE"), ",")
	if slices.Contains(required, name) || slices.Contains(required, "all") {
		t.Fatalf("required, but %s", reason)
	}
	t.Skip(reason)
}
