package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"keyskew/golden"
)

var _ = golden.UpdateFlag()

// The test binary, started under the name keyskew, is keyskew: the scripts run real processes.
func TestMain(m *testing.M) {
	testscript.Main(tidyM{m}, map[string]func(){
		"keyskew": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// tidyM removes what the tests share when they are done.
type tidyM struct{ *testing.M }

func (m tidyM) Run() int {
	defer func() {
		if built.dir != "" {
			os.RemoveAll(built.dir)
		}
	}()
	return m.M.Run()
}

func TestScripts(t *testing.T) {
	path := os.Getenv("PATH")
	if testing.Short() {
		// The race detector's run: its test binary takes a second to start. The program as built does not.
		path = filepath.Dir(program(t)) + string(filepath.ListSeparator) + path
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(golden.Root(), "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", path)
			env.Setenv("SAMPLES", filepath.Join(golden.Root(), "testdata"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": scriptCode, "json": scriptJSON, "mode": scriptMode, "pack": scriptPack, "truncate": scriptTruncate,
			"printf": scriptPrintf, "repeat": scriptRepeat,
		},
	})
}

// scriptCode is "code N program [args...]": exec, but the exit code must be N.
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program [args...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// scriptJSON is "json FILE PATH [WANT]": the value at the path (keys and indexes, parted by dots) is
// WANT, as compact JSON; without WANT any value but null will do.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [WANT]")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	var v any
	ts.Check(dec.Decode(&v))
	for step := range strings.SplitSeq(args[1], ".") {
		switch in := v.(type) {
		case map[string]any:
			found := false
			if v, found = in[step]; !found {
				ts.Fatalf("nothing at %s of %s", step, args[1])
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				ts.Fatalf("%s has %d elements, none is %s", args[1], len(in), step)
			}
			v = in[i]
		default:
			ts.Fatalf("%v has no %s", v, step)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	ts.Check(enc.Encode(v))
	got := strings.TrimSuffix(b.String(), "\n")
	ok := got != "null"
	if len(args) == 3 {
		ok = got == args[2]
	}
	if ok == neg {
		ts.Fatalf("%s is %s", args[1], got)
	}
}

// scriptMode is "mode 0600 FILE".
func scriptMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode OCTAL FILE")
	}
	info, err := os.Lstat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] || !info.Mode().IsRegular() {
		ts.Fatalf("%s has mode %s, %v", args[1], got, info.Mode())
	}
}

// scriptPack is "pack gzip|zstd FROM TO".
func scriptPack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: pack gzip|zstd FROM TO")
	}
	packed, err := packed(args[0], []byte(ts.ReadFile(args[1])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), packed, 0o644))
}

func packed(how string, data []byte) ([]byte, error) {
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if how == "zstd" {
		z, err := zstd.NewWriter(&b)
		if err != nil {
			return nil, err
		}
		w = z
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// scriptTruncate is "truncate FILE PERCENT": only the first part of the file stays.
func scriptTruncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE PERCENT")
	}
	percent, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), info.Size()*percent/100))
}

// scriptPrintf is "printf FILE TEXT": the text, with the escapes of a Go string, becomes the file.
func scriptPrintf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: printf FILE TEXT")
	}
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// scriptRepeat is "repeat FROM N TO": N times the one file becomes the other.
func scriptRepeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat FROM N TO")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Repeat(ts.ReadFile(args[0]), n)), 0o644))
}
