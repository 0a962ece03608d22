package rediscmd

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// exceptions are lines on which we knowingly differ from COMMAND GETKEYS of Redis 7.0.
var exceptions = []struct {
	why     string
	applies func(name string, argv [][]byte) bool
}{
	{
		"it lists the channels too, because they have slots",
		func(name string, _ [][]byte) bool {
			return slices.Contains([]string{"SSUBSCRIBE", "SUNSUBSCRIBE", "SPUBLISH"}, name)
		},
	},
	{
		"it lists every destination, or the first one; the command keeps the last option that it reads",
		func(name string, argv [][]byte) bool {
			stores := 0
			for _, a := range argv {
				if isAny(a, "STORE", "STOREDIST") {
					stores++
				}
			}
			return stores > 1 && slices.Contains([]string{"GEORADIUS", "GEORADIUSBYMEMBER", "SORT"}, name)
		},
	},
	{
		"it seeks the word STREAMS wherever it is; the command refuses what is no option, and an uneven rest",
		func(name string, argv [][]byte) bool {
			_, touches := Resolve(argv, false, nil)
			return strings.HasPrefix(name, "XREAD") && len(touches) == 0
		},
	},
	{
		"it takes KEYS at the end for no option; the command answers NOKEY or refuses the key beside it",
		func(name string, argv [][]byte) bool {
			return name == "MIGRATE" && is(argv[len(argv)-1], "KEYS")
		},
	},
	{
		"it reads +2 as a number of keys; the command refuses it",
		func(_ string, argv [][]byte) bool { return len(argv) > 1 && bytes.HasPrefix(argv[1], []byte("+")) },
	},
	{
		"it finds no keys where their number is larger than the line; to us the line may be cut short",
		func(name string, argv [][]byte) bool {
			return table[lookup(argv)].flags&script != 0 && keyCount(argv, 2) > len(argv)-3
		},
	},
}

// excepted says why a line may differ, or "".
func excepted(argv [][]byte) string {
	for _, e := range exceptions {
		if e.applies(names[lookup(argv)], argv) {
			return e.why
		}
	}
	return ""
}

// newer are commands of which an older server knows nothing; where it does, it is asked.
var newer = []string{"hgetex", "hsetex", "hgetdel", "hexpire", "hpexpireat", "httl"}

func TestAgainstServerLines(t *testing.T) {
	text, err := os.ReadFile("testdata/key_tests.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	file := len(lines)
	for _, c := range cases {
		if strings.Contains(c.line, " ") { // COMMAND GETKEYS wants two words
			lines = append(lines, c.line)
		}
	}
	vectors := make([][][]byte, len(lines))
	for i, l := range lines {
		vectors[i] = words(l)
	}
	agreed, used := 0, make(map[string]bool)
	for i, a := range getKeys(t, startServer(t), vectors) {
		ours := keysOf(vectors[i])
		if slices.Equal(ours, sorted(a.keys)) {
			agreed++
			continue
		}
		if why := excepted(vectors[i]); why != "" {
			used[why] = true
			continue
		}
		switch {
		case a.err == nil, strings.Contains(a.err.Error(), "has no key arguments"):
			t.Errorf("%s: keys %q, the server says %q %v", lines[i], ours, a.keys, a.err)
		case i < file && !slices.Contains(newer, string(vectors[i][0])):
			t.Errorf("%s: the server refuses it: %v", lines[i], a.err)
		}
	}
	if agreed < len(lines)/2 {
		t.Errorf("only %d of %d lines were compared", agreed, len(lines))
	}
	for _, e := range exceptions[1:5] {
		if !used[e.why] {
			t.Errorf("no line needs the exception %q", e.why)
		}
	}
}

// keysOf returns our keys of a vector, sorted.
func keysOf(argv [][]byte) []string {
	_, touches := Resolve(argv, false, nil)
	var out []string
	for _, touch := range touches {
		out = append(out, string(argv[touch.Arg]))
	}
	return sorted(out)
}

func sorted(keys []string) []string {
	out := slices.Clone(keys)
	slices.Sort(out)
	return out
}

// TestAgainstServerCommands builds lines for every command that the server has, and compares wherever it
// finds keys or says that there are none.
func TestAgainstServerCommands(t *testing.T) {
	client := startServer(t)
	var vectors [][][]byte
	commands := serverCommands(t, client)
	for _, c := range commands {
		vectors = append(vectors, c.lines()...)
	}
	if len(commands) < 300 {
		t.Fatalf("the server lists %d commands", len(commands))
	}
	compared := make(map[uint16]bool)
	for i, a := range getKeys(t, client, vectors) {
		if a.err != nil && !strings.Contains(a.err.Error(), "has no key arguments") {
			continue // not a line that it would run
		}
		compared[lookup(vectors[i])] = true
		if ours := keysOf(vectors[i]); !slices.Equal(ours, sorted(a.keys)) && excepted(vectors[i]) == "" {
			t.Errorf("%s: keys %q, the server says %q", bytes.Join(vectors[i], []byte(" ")), ours, a.keys)
		}
	}
	for _, c := range commands {
		id := lookup(c.line(len(c.words)))
		hasKeys := len(table[id].keys) > 0 || table[id].rule != ruleNone && table[id].rule != ruleHello
		if id == UnknownID || hasKeys && !compared[id] {
			t.Errorf("%v: unknown, or no line of it was compared", c.words)
		}
	}
}

// serverCommand is a command or sub-command that a server lists.
type serverCommand struct {
	words []string
	arity int
}

// serverCommands reads the answer of COMMAND: per command its name, its arity and, tenth, its
// sub-commands in the same form.
func serverCommands(t *testing.T, client *redis.Client) []serverCommand {
	t.Helper()
	list, err := client.Do(t.Context(), "COMMAND").Slice()
	if err != nil {
		t.Fatal(err)
	}
	var out []serverCommand
	var walk func([]any)
	walk = func(list []any) {
		for _, item := range list {
			info := item.([]any)
			out = append(out, serverCommand{strings.Split(info[0].(string), "|"), int(info[1].(int64))})
			if len(info) > 9 {
				walk(info[9].([]any))
			}
		}
	}
	walk(list)
	slices.SortFunc(out, func(a, b serverCommand) int { return slices.Compare(a.words, b.words) })
	return out
}

// lines returns vectors of the smallest number of arguments and of a few more, of plain words, of words
// with a number of keys at each of the first places, and of words with one of the keywords that
// servers look for.
func (c serverCommand) lines() [][][]byte {
	var out [][][]byte
	least := max(c.arity, -c.arity)
	most := least
	if c.arity < 0 {
		most += 6
	}
	for n := least; n <= most; n++ {
		plain := c.line(n)
		out = append(out, plain)
		for _, word := range []string{"0", "1", "2", "STORE", "STREAMS", "KEYS", "BY", "AUTH2", "BLOCK"} {
			for at := len(c.words); at < n; at++ {
				argv := slices.Clone(plain)
				argv[at] = []byte(word)
				out = append(out, argv)
				if word == "KEYS" && at > 3 {
					argv = slices.Clone(argv)
					argv[3] = nil // MIGRATE takes KEYS only so
					out = append(out, argv)
				}
			}
		}
	}
	return out
}

func (c serverCommand) line(n int) [][]byte {
	var argv [][]byte
	for _, w := range c.words {
		argv = append(argv, []byte(w))
	}
	for len(argv) < n {
		argv = append(argv, []byte("arg"+strconv.Itoa(len(argv))))
	}
	return argv
}
