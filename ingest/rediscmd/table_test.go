package rediscmd

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"keyskew/ingest/request"

	"pgregory.net/rapid"
)

// row is one line of commands.tsv.
type row struct {
	name, rw, keys, algebra string
}

func rows(t testing.TB) []row {
	t.Helper()
	tsv, err := os.ReadFile("commands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for line := range strings.Lines(string(tsv)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || c[0] == "command" {
			continue
		}
		out = append(out, row{name: c[0], rw: c[5], keys: c[7], algebra: c[8]})
	}
	if len(out) < 700 {
		t.Fatalf("%d rows", len(out))
	}
	return out
}

// line returns a vector for the row: its words, then n arguments; where the specification counts keys,
// the count is 2.
func (r row) line(n int) [][]byte {
	argv := words(r.name)
	for range n {
		argv = append(argv, []byte("arg"+strconv.Itoa(len(argv))))
	}
	for s := range strings.SplitSeq(r.keys, ";") {
		if begin, _, ok := strings.Cut(s, "#"); ok {
			i, _ := strconv.Atoi(begin[1:])
			argv[i] = []byte("2")
		}
	}
	return argv
}

func words(s string) [][]byte {
	var out [][]byte
	for w := range strings.SplitSeq(s, " ") {
		if w == `""` {
			w = ""
		}
		out = append(out, []byte(w))
	}
	return out
}

func TestTableIsWhole(t *testing.T) {
	rs := rows(t)
	if len(names) != len(rs)+1 || len(table) != len(names) {
		t.Fatalf("%d rows, %d names, %d entries", len(rs), len(names), len(table))
	}
	if Names()[UnknownID] != "?" {
		t.Errorf("the first name is %q", Names()[UnknownID])
	}
	if 2*len(names) > indexSize {
		t.Errorf("%d names crowd an index of %d", len(names), indexSize)
	}
	for i, r := range rs {
		id, c := i+1, table[i+1]
		if names[id] == "" || names[id] != r.name {
			t.Errorf("entry %d is named %q, want %q", id, names[id], r.name)
		}
		if len(names[id]) > maxName {
			t.Errorf("%s is longer than %d bytes", names[id], maxName)
		}
		keyless := r.keys == "-" || r.keys == "ix1" || strings.Contains(r.keys, "notkey")
		if handled := len(c.keys) > 0 || strings.HasPrefix(r.keys, "fn:") && c.rule != ruleNone; handled == keyless {
			t.Errorf("%s: keys %q, but entry %+v", r.name, r.keys, c)
		}
	}
}

func TestEveryRowResolves(t *testing.T) {
	ops := map[string][]request.Op{
		"R":   {request.Read, request.Poll},
		"Sr":  {request.Read},
		"W":   {request.Read, request.Write, request.Poll},
		"S":   {request.Write},
		"RW?": {request.Read},
		"A":   {request.Write},
		"-":   {request.Other},
	}
	for i, r := range rows(t) {
		for _, argv := range [][][]byte{r.line(8), lowerCased(r.line(8))} {
			call, touches := Resolve(argv, true, nil)
			if int(call.ID) != i+1 || !call.Known {
				t.Errorf("%s: resolved to %+v", r.name, call)
			}
			if (len(touches) == 0) != (len(table[i+1].keys) == 0 && table[i+1].rule < ruleMigrate) &&
				!slices.Contains([]string{"JSON.DEBUG", "XREAD", "XREADGROUP"}, r.name) {
				t.Errorf("%s: %d keys in %q", r.name, len(touches), argv)
			}
			bit, _ := request.ParseAlgebra(r.algebra)
			switch r.name {
			case "WATCH":
				bit = request.Cond
			case "MIGRATE":
				bit = request.Delete
			}
			writes := false
			for _, touch := range touches {
				if !slices.Contains(ops[r.rw], touch.Op) {
					t.Errorf("%s is %s, but does %v to argument %d", r.name, r.rw, touch.Op, touch.Arg)
				}
				own := touch.Algebra &^ request.TogetherKeys
				changes := touch.Op == request.Write || touch.Op == request.Poll || r.name == "WATCH"
				if changes && own != bit || !changes && own != 0 || changes && own == 0 {
					t.Errorf("%s: argument %d: %v with algebra %v, want %v", r.name, touch.Arg, touch.Op, own.Tags(), bit.Tags())
				}
				writes = writes || changes
			}
			if r.rw == "W" && len(touches) > 0 && !writes {
				t.Errorf("%s writes, but none of its keys is changed", r.name)
			}
		}
	}
}

func lowerCased(argv [][]byte) [][]byte {
	out := make([][]byte, len(argv))
	for i, a := range argv {
		out[i] = bytes.ToLower(a)
	}
	return out
}

// reference interprets the key specifications of commands.tsv as they are written, without the
// generated table.
func reference(keys string, argv [][]byte) []int {
	var out []int
	if keys == "-" || keys == "ix1" {
		return nil
	}
	for s := range strings.SplitSeq(keys, ";") {
		where, does, _ := strings.Cut(s, ":")
		if strings.Contains(does, "notkey") {
			continue
		}
		at := strings.IndexAny(where, "+#")
		begin, how := where[:at], where[at+1:]
		first := 0
		if word, from, ok := strings.Cut(begin, "@"); ok {
			first, _ = strconv.Atoi(from)
			for ; first < len(argv); first++ {
				if strings.EqualFold(string(argv[first]), word[1:]) {
					break
				}
			}
			first++
		} else {
			first, _ = strconv.Atoi(begin[1:])
		}
		until, by, _ := strings.Cut(how, "/")
		step, _ := strconv.Atoi(by)
		last := 0
		if where[at] == '#' {
			if first >= len(argv) {
				continue
			}
			n, err := strconv.Atoi(string(argv[first]))
			if err != nil {
				continue
			}
			first++
			last = first + (min(n, 1000)-1)*step
		} else if last, _ = strconv.Atoi(until); last < 0 {
			last += len(argv)
		} else {
			last += first
		}
		for i := first; i <= last && i < len(argv); i += step {
			out = append(out, i)
		}
	}
	return out
}

func TestTableAgreesWithItsSource(t *testing.T) {
	var rs []row
	for _, r := range rows(t) {
		if !strings.HasPrefix(r.keys, "fn:") {
			rs = append(rs, r)
		}
	}
	argument := rapid.SampledFrom([]string{"", "a", "key", "-1", "0", "1", "2", "3", "9", "1000000", "x2", "MEMORY", "memory", "GET", "NX"})
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(rs).Draw(t, "row")
		argv := words(r.name)
		for _, a := range rapid.SliceOfN(argument, 0, 8).Draw(t, "arguments") {
			argv = append(argv, []byte(a))
		}
		call, touches := Resolve(argv, true, nil)
		if names[call.ID] != r.name && !strings.HasPrefix(names[call.ID], r.name+" ") {
			t.Fatalf("%q resolved to %s", argv, names[call.ID])
		}
		if got, want := positionsOf(touches), reference(r.keys, argv); !slices.Equal(got, want) {
			t.Fatalf("%q: keys at %v, want %v", argv, got, want)
		}
	})
}

func positionsOf(touches []Touch) []int {
	var out []int
	for _, touch := range touches {
		out = append(out, touch.Arg)
	}
	return out
}
