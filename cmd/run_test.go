package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"

	"keyskew/formats"
	"keyskew/golden"
	"keyskew/ingest/synth"
)

// result is what one run of the program left.
type result struct {
	code     int
	out, err string
}

// run runs the program in this process.
func run(t testing.TB, stdin io.Reader, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(args, stdin, &out, &errs)
	debug.SetMemoryLimit(math.MaxInt64) // Main bounds the memory of its process, which here is the tests'
	return result{code, out.String(), errs.String()}
}

// mustRun is run where nothing may go wrong.
func mustRun(t testing.TB, stdin io.Reader, args ...string) string {
	t.Helper()
	r := run(t, stdin, args...)
	if r.code != 0 || r.err != "" {
		t.Fatalf("keyskew %q: exit code %d, stderr: %s", args, r.code, r.err)
	}
	return r.out
}

// analyzed is the JSON report of a run, parsed.
func analyzed(t testing.TB, stdin io.Reader, args ...string) *formats.Report {
	t.Helper()
	return parsed(t, mustRun(t, stdin, append([]string{"--format", "json"}, args...)...))
}

func parsed(t testing.TB, text string) *formats.Report {
	t.Helper()
	r, err := formats.ReadJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// neutral is a JSON report without what tells how its one input arrived.
func neutral(t testing.TB, text string) string {
	t.Helper()
	r := parsed(t, text)
	r.Command = ""
	in := &r.Inputs[0]
	in.Name, in.Bytes, in.Packing = "", 0, ""
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// same fails the test when two values differ.
func same[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// sameText says where two texts differ first.
func sameText(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	around := func(s string) string { return s[max(0, at-80):min(len(s), at+80)] }
	t.Errorf("%s differs at byte %d:\n got %q\nwant %q", what, at, around(got), around(want))
}

// incident is the path of the bundled capture, from the root of the module.
const incident = "testdata/redis-incident.monitor.log.gz"

// atRoot makes the root of the module the working directory, so that names in reports are the same
// everywhere.
func atRoot(t *testing.T) { t.Chdir(golden.Root()) }

// planted writes a capture with known truth to a file.
func planted(t testing.TB, c synth.Config) (string, synth.Truth) {
	t.Helper()
	return plantedAs(t, "monitor", c)
}

// plantedAs writes a load with known truth to a file, in a format of generate.
func plantedAs(t testing.TB, format string, c synth.Config) (string, synth.Truth) {
	t.Helper()
	as, ok := synth.FormatByID(format)
	if !ok {
		t.Fatalf("there is no format %s", format)
	}
	path := filepath.Join(t.TempDir(), "planted.log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := as.Write(f, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path, truth
}

// asJSON writes a report as the program would.
func asJSON(t testing.TB, r *formats.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := formats.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// built is where the program was built, if a test asked for it; TestMain removes the folder.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// program builds keyskew as users do, once.
func program(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "keyskew-test"); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", built.dir, ".")
		cmd.Dir = golden.Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "keyskew")
}
