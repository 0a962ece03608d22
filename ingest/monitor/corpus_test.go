package monitor

import (
	hexenc "encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request/requesttest"
)

// The lines that a real server printed for 31 invocations, each with the keys that COMMAND GETKEYS of
// that server named. A line of a script repeats a key of its own line, which counts once.
func TestTorture(t *testing.T) {
	var cases []struct {
		Tag         string
		Keys, Lines []string
	}
	if err := json.Unmarshal(requesttest.File(t, golden.Corpus(t, "vectors", "monitor_torture.json")), &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 31 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		got, tally := decodeString(t, strings.Join(append(c.Lines, ""), "\n"))
		want := []string{}
		for _, key := range c.Keys {
			var b []byte
			for _, r := range key {
				b = append(b, byte(r)) // bytes as code points
			}
			want = append(want, string(b))
		}
		if fmt.Sprintf("%q", got.Keys()) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: got %q, want %q", c.Tag, got.Keys(), want)
		}
		if got.Commands() != min(1, int64(len(c.Lines))) || int(tally.Requests) != len(c.Lines) {
			t.Errorf("%s: %d commands, %d requests", c.Tag, got.Commands(), tally.Requests)
		}
	}
}

// The vectors of a C# parser for MONITOR: every argument of every line, and what must be refused.
func TestParserVectors(t *testing.T) {
	lines := strings.Split(string(requesttest.File(t, golden.Corpus(t, "monitor", "monitor_parser_csharp_vectors.log"))), "\n")
	table := strings.Split(strings.Trim(string(requesttest.File(t, golden.Corpus(t, "monitor", "monitor_parser_csharp_vectors.expected.tsv"))), "\n"), "\n")[1:]
	if len(table) != 15 {
		t.Fatalf("%d vectors", len(table))
	}
	for i, want := range table {
		l, err := ParseLine([]byte(lines[i]))
		got := fmt.Sprintf("%d\treject\t", i+1)
		if err == nil {
			var args []string
			for _, a := range l.Argv[1:] {
				args = append(args, hexenc.EncodeToString(a))
			}
			got = fmt.Sprintf("%d\t%s\t%s", i+1, l.Argv[0], strings.Join(args, ","))
		}
		requesttest.Same(t, lines[i], got, want)
	}
}

// Every capture holds exactly as many requests as an independent count says, and nothing else is lost
// but what the table names.
func TestCaptures(t *testing.T) {
	var facts struct {
		Monitor map[string]struct {
			Nonblank int64 `json:"nonblank_lines"`
			Commands int64 `json:"lines_shaped_like_commands"`
			Lua      int
		}
	}
	if err := json.Unmarshal(requesttest.File(t, golden.Corpus(t, "FACTS.json")), &facts); err != nil {
		t.Fatal(err)
	}
	if len(facts.Monitor) < 28 {
		t.Fatalf("%d captures", len(facts.Monitor))
	}
	// Lines that are no requests and no text of a session, and why.
	bad := map[string]int64{
		"monitor/monitor_parser_csharp_vectors.log": 3, // made to be refused
		"monitor/redis24_telnet_docker2013.log":     2, // the reply of a GET typed into the same telnet
		"monitor/rspamd_unix_socket.log":            1, // "..."
	}
	for name, want := range facts.Monitor {
		t.Run(path.Base(name), func(t *testing.T) {
			text := requesttest.File(t, golden.Corpus(t, name))
			got, tally := decodeString(t, string(text))
			requesttest.Same(t, "requests", tally.Requests, want.Commands)
			_, lost := tally.Skipped()
			requesttest.Same(t, "lost lines", lost, bad[name])
			requesttest.Same(t, "nonblank lines", tally.Lines-requesttest.Skips(tally)[reasonBlank], want.Nonblank)
			requesttest.Same(t, "commands", got.Commands(), want.Commands-int64(want.Lua))
			if s := Detect(text); s.Matched != int(want.Commands) || s.Lines-s.Matched != int(lost) {
				t.Errorf("detected %+v", s)
			}
		})
	}
}

// The captures of our own scenario runs on three servers, against a count by a regular expression.
func TestScenarios(t *testing.T) {
	shaped := regexp.MustCompile(`(?m)^["+]?\d{10}\.\d{6} \[\d+ ([^"]*)\] \\?"`)
	for _, name := range []string{
		"6.0.20", "7.0.15_csv", "7.0.15_primary", "7.0.15_rawsocket", "7.0.15_replica",
		"7.0.15_replica_rewrites", "valkey_unstable_2024-10",
	} {
		t.Run(name, func(t *testing.T) {
			text := requesttest.File(t, golden.Corpus(t, "..", "formats_samples", "monitor_"+name+".txt"))
			requests, lua := int64(0), int64(0)
			for _, m := range shaped.FindAllSubmatch(text, -1) {
				switch string(m[1]) {
				case "", "?:0":
					continue // a module's own call
				case "lua":
					lua++
				}
				requests++
			}
			got, tally := decodeString(t, string(text))
			requesttest.Same(t, "requests", tally.Requests, requests)
			requesttest.Same(t, "commands", got.Commands(), requests-lua)
			if _, bad := tally.Skipped(); bad != 0 {
				t.Errorf("skipped: %+v", tally.Skips)
			}
		})
	}
}

func TestSameInEveryFraming(t *testing.T) {
	load := func(name string) *requesttest.Rows {
		r, _ := decodeString(t, string(requesttest.File(t, golden.Corpus(t, "..", "formats_samples", "monitor_7.0.15_"+name+".txt"))))
		return r
	}
	primary := load("primary")
	requesttest.Same(t, "csv", apart(load("csv")), apart(primary))
	requesttest.Same(t, "raw socket", apart(load("rawsocket")), apart(primary))
}

// Old servers print passwords; new ones print "(redacted)". Neither is kept.
func TestNoSecretsInCaptures(t *testing.T) {
	for _, name := range []string{"6.0.20", "7.0.15_primary", "valkey_unstable_2024-10"} {
		text := requesttest.File(t, golden.Corpus(t, "..", "formats_samples", "monitor_"+name+".txt"))
		noSecret(t, string(text), "sekret", "(redacted)")
	}
}
