package rediscmd

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"keyskew/golden"
)

// TestKeyVectors runs the corpus's table of lines and their keys.
func TestKeyVectors(t *testing.T) {
	text, err := os.ReadFile(golden.Corpus(t, "vectors", "redis_command_keys.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		c := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if c[0] == "command" || c[0] == "" {
			continue
		}
		n++
		for len(c) < 3 {
			c = append(c, "")
		}
		argv := words(strings.TrimSpace(c[0] + " " + c[1]))
		if got, want := keysInOrder(argv), strings.Fields(c[2]); !slices.Equal(got, want) {
			t.Errorf("%s %s: keys %q, want %q", c[0], c[1], got, want)
		}
	}
	if n < 20 {
		t.Errorf("only %d rows", n)
	}
}

// TestTorture resolves the lines of a capture made to break decoders; the script's inner call is the
// touch there, so the EVAL beside it is left out.
func TestTorture(t *testing.T) {
	text, err := os.ReadFile(golden.Corpus(t, "vectors", "monitor_torture.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Tag   string
		Keys  []string
		Lines []string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var got []string
		for _, line := range c.Lines {
			argv := monitorArguments(t, line)
			if call, _ := Resolve(argv, false, nil); !call.Script {
				got = append(got, keysInOrder(argv)...)
			}
		}
		for i, k := range c.Keys {
			c.Keys[i] = latin1(k)
		}
		if !slices.Equal(got, c.Keys) {
			t.Errorf("%s: keys %q, want %q", c.Tag, got, c.Keys)
		}
	}
}

func keysInOrder(argv [][]byte) []string {
	_, touches := Resolve(argv, false, nil)
	var out []string
	for _, touch := range touches {
		out = append(out, string(argv[touch.Arg]))
	}
	return out
}

// monitorArguments takes the quoted arguments of a MONITOR line apart. What is escaped there is escaped
// the same way in Go.
func monitorArguments(t *testing.T, line string) [][]byte {
	t.Helper()
	_, rest, ok := strings.Cut(line, "] ")
	if !ok {
		t.Fatalf("no MONITOR line: %s", line)
	}
	var argv [][]byte
	for rest != "" {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			t.Fatalf("%s: %v", rest, err)
		}
		arg, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", quoted, err)
		}
		argv = append(argv, []byte(arg))
		rest = strings.TrimPrefix(rest[len(quoted):], " ")
	}
	return argv
}

// latin1 turns the code points of a JSON string, one a byte, into those bytes.
func latin1(s string) string {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r))
	}
	return string(out)
}
