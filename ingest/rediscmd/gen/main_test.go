package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestTableIsUpToDate(t *testing.T) {
	tsv, err := os.ReadFile("../commands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(tsv)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../table_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("table_gen.go is not what commands.tsv gives: run go generate ./ingest/rediscmd")
	}
}

// TestRefuses changes one cell of the real table at a time into something that must not pass unseen.
func TestRefuses(t *testing.T) {
	tsv, err := os.ReadFile("../commands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	const get = "GET\t1.0.0\t1.0.0\tstring\t2\tR\tshown\ti1+0/1:RO.access\t-\tfast\tA\n"
	row := func(name, rw, keys, algebra string) string {
		return name + "\t-\t-\tstring\t2\t" + rw + "\tshown\t" + keys + "\t" + algebra + "\t-\tA\n"
	}
	for _, c := range []struct{ name, with, want string }{
		{"a row lost", "", ""},
		{"too few columns", "GET\tR\n", "columns"},
		{"no name", row("", "R", "-", "-"), "bad name"},
		{"lower case", row("get", "R", "-", "-"), "bad name"},
		{"twice", get + get, "appears twice"},
		{"sub-command without its container", row("NOPE SUB", "R", "-", "-"), "lacks NOPE"},
		{"write without an algebra", row("GET", "W", "i1+0/1:RW", "-"), "algebra"},
		{"unknown algebra", row("GET", "W", "i1+0/1:RW", "nope"), "algebra"},
		{"unknown kind with keys", row("GET", "Z", "i1+0/1:RW", "-"), "not understood"},
		{"unknown access", row("GET", "R", "i1+0/1:XX", "-"), "access"},
		{"no flags", row("GET", "R", "i1+0/1", "-"), "no flags"},
		{"unknown begin", row("GET", "R", "z1+0/1:RO", "-"), "not understood"},
		{"begin at the command", row("GET", "R", "i0+0/1:RO", "-"), "not understood"},
		{"keyword sought from the end", row("GET", "R", "kKEYS@-2+-1/1:RO", "-"), "not understood"},
		{"keyword without a start", row("GET", "R", "kKEYS+-1/1:RO", "-"), "not understood"},
		{"step of 0", row("GET", "R", "i1+-1/0:RO", "-"), "not understood"},
		{"limit", row("GET", "R", "i1+-1/1/2:RO", "-"), "not understood"},
		{"count elsewhere", row("GET", "R", "i1#1,2/1:RO", "-"), "not understood"},
		{"no find", row("GET", "R", "i1:RO", "-"), "not understood"},
		{"rule that is not written", row("GET", "R", "fn:nope", "-"), "no rule"},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := strings.Replace(string(tsv), get, c.with, 1)
			if changed == string(tsv) {
				t.Fatal("the row to change is not in the table")
			}
			_, err := generate([]byte(changed))
			if c.want == "" {
				if err != nil {
					t.Fatalf("GET is in no list, so the table may lack it: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	if _, err := generate([]byte(strings.Replace(string(tsv), "\nAUTH\t", "\nAUTHX\t", 1))); err == nil ||
		!strings.Contains(err.Error(), "lacks AUTH") {
		t.Errorf("without AUTH: %v", err)
	}
}
