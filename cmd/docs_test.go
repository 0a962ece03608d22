package cmd

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keyskew/golden"
)

// manuals are the files that users read, by their names in the repository.
func manuals(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	found, err := filepath.Glob(filepath.Join(golden.Root(), "docs", "*.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no manuals in docs: %v", err)
	}
	for _, path := range found {
		names = append(names, "docs/"+filepath.Base(path))
	}
	return names
}

func manual(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(golden.Root(), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// elided stands, alone on a line, for any number of lines that are not shown.
const elided = "…"

// example is one command of a console block and what the manual says it prints.
type example struct {
	command     string
	want        []string
	first, last int // lines of the manual that hold want: [first, last)
}

// examples finds the commands of all console blocks: a line that begins with "$ " is a command, those
// behind it are its output.
func examples(lines []string) (found []example, err error) {
	in := false
	for i, line := range lines {
		switch {
		case !in && line == "```console":
			in = true
			if i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "$ ") {
				return nil, fmt.Errorf("line %d: a console block begins with a command", i+1)
			}
		case in && line == "```":
			in = false
		case in && strings.HasPrefix(line, "$ "):
			found = append(found, example{command: line[2:], first: i + 1, last: i + 1})
		case in:
			e := &found[len(found)-1]
			e.want, e.last = append(e.want, line), i+1
		}
	}
	if in {
		err = fmt.Errorf("a console block is not closed")
	}
	return found, err
}

// TestDocsExamples runs every command of the manuals, in order, and compares what it prints with what
// the manual shows; with -update it writes the manual anew. The working directory holds testdata and
// nothing else, and is kept from one command of a manual to the next.
func TestDocsExamples(t *testing.T) {
	ran := map[string]int{}
	for _, name := range manuals(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Symlink(filepath.Join(golden.Root(), "testdata"), filepath.Join(dir, "testdata")); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			lines := strings.Split(manual(t, name), "\n")
			found, err := examples(lines)
			if err != nil {
				t.Fatal(err)
			}
			var sh console
			fresh := make([][]string, len(found))
			for i, e := range found {
				got, err := sh.run(e.command)
				if err != nil {
					t.Fatalf("%s:%d: %s: %v", name, e.first, e.command, err)
				}
				ran[name]++
				if err := shown(e.want, got); err != nil {
					if !docsUpdate() {
						t.Errorf("%s:%d: %s: %v", name, e.first, e.command, err)
						continue
					}
					if fresh[i], err = again(e.want, got); err != nil {
						t.Errorf("%s:%d: change it by hand: %v", name, e.first, err)
					}
				}
			}
			if docsUpdate() && !t.Failed() {
				for i, e := range slices.Backward(found) {
					if fresh[i] != nil {
						lines = slices.Replace(lines, e.first, e.last, fresh[i]...)
					}
				}
				path := filepath.Join(golden.Root(), filepath.FromSlash(name))
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	for _, name := range []string{"README.md", "docs/monitor.md", "docs/method.md"} {
		if ran[name] == 0 && !t.Failed() {
			t.Errorf("%s shows no command", name)
		}
	}
}

func docsUpdate() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// parts cuts what a manual shows at the elisions.
func parts(want []string) [][]string {
	out := [][]string{nil}
	for _, line := range want {
		if line == elided {
			out = append(out, nil)
		} else {
			out[len(out)-1] = append(out[len(out)-1], line)
		}
	}
	return out
}

// shown reports how got differs from what the manual shows of it.
func shown(want, got []string) error {
	at := 0
	for i, part := range parts(want) {
		if i > 0 && len(part) > 0 {
			skip := slices.Index(got[at:], part[0])
			if skip < 0 {
				return fmt.Errorf("no line %q", part[0])
			}
			at += skip
		}
		for _, line := range part {
			if at == len(got) {
				return fmt.Errorf("the output ends before %q", line)
			}
			if got[at] != line {
				return fmt.Errorf("\n got %q\nwant %q", got[at], line)
			}
			at++
		}
	}
	if at < len(got) && (len(want) == 0 || want[len(want)-1] != elided) {
		return fmt.Errorf("more than is shown: %q", got[at])
	}
	return nil
}

// again is what a manual is to show of new output: as many lines of each part, from the line that the
// part begins with.
func again(want, got []string) ([]string, error) {
	shape := parts(want)
	if len(shape) == 1 {
		return got, nil
	}
	var out []string
	at := 0
	for i, part := range shape {
		if i > 0 {
			out = append(out, elided)
			if len(part) > 0 {
				skip := slices.Index(got[at:], part[0])
				if skip < 0 {
					return nil, fmt.Errorf("no line %q", part[0])
				}
				at += skip
			}
		}
		n := min(len(part), len(got)-at)
		out, at = append(out, got[at:at+n]...), at+n
	}
	return out, nil
}

// console is the little of a shell that the examples need: keyskew commands joined by pipes, "; echo $?"
// and "echo $?".
type console struct{ code int }

func (c *console) run(line string) (output []string, err error) {
	var screen bytes.Buffer // stdout of the last command, and stderr of all
	for part := range strings.SplitSeq(line, ";") {
		if strings.TrimSpace(part) == "echo $?" {
			fmt.Fprintln(&screen, c.code)
			continue
		}
		var in io.Reader
		stages := strings.Split(part, " | ")
		for i, stage := range stages {
			args, err := words(stage)
			if err != nil {
				return nil, err
			}
			if len(args) == 0 || args[0] != "keyskew" {
				return nil, fmt.Errorf("only keyskew is run here, not %q", stage)
			}
			if i == len(stages)-1 {
				c.code = Main(args[1:], in, &screen, &screen)
				continue
			}
			var pipe bytes.Buffer
			c.code = Main(args[1:], in, &pipe, &screen)
			in = &pipe
		}
		debug.SetMemoryLimit(math.MaxInt64) // Main bounds the memory of its process, which here is the tests'
	}
	text := strings.TrimSuffix(screen.String(), "\n")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

// words splits a command as a shell does that knows spaces and single quotes.
func words(s string) ([]string, error) {
	var out []string
	for i, part := range strings.Split(s, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	if strings.Count(s, "'")%2 != 0 || strings.ContainsAny(s, "\"`$\\&<>*") {
		return nil, fmt.Errorf("too much of a shell: %s", s)
	}
	return out, nil
}

// foreignFlags are flags of other programs that the manuals name in running text.
var foreignFlags = []string{"--csv", "--json"}

// TestDocsFlags: a flag that a manual names in running text exists.
func TestDocsFlags(t *testing.T) {
	known := slices.Clone(foreignFlags)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	root := newRoot(&app{out: io.Discard, err: io.Discard})
	root.InitDefaultHelpFlag()
	walk(root)
	known = append(known, "--help")

	block := regexp.MustCompile("(?ms)^```.*?^```$")
	code := regexp.MustCompile("`[^`\n]+`")
	word := regexp.MustCompile(`(^|[\s` + "`" + `])(--[a-z][a-z0-9-]*)`)
	seen := 0
	for _, name := range manuals(t) {
		for _, span := range code.FindAllString(block.ReplaceAllString(manual(t, name), ""), -1) {
			if strings.Contains(span, "redis-cli") || strings.Contains(span, "go test") {
				continue
			}
			for _, m := range word.FindAllStringSubmatch(span, -1) {
				seen++
				if !slices.Contains(known, m[2]) {
					t.Errorf("%s: there is no flag %s", name, m[2])
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d flags found in the manuals", seen)
	}
}

// TestDocsLinks: what a manual links to in the repository is there.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	seen := 0
	for _, name := range manuals(t) {
		for _, m := range link.FindAllStringSubmatch(manual(t, name), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || target == "" {
				continue
			}
			seen++
			path := filepath.Join(golden.Root(), filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(target))
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d links found in the manuals", seen)
	}
}

// The comparison itself must be able to fail.
func TestDocsComparison(t *testing.T) {
	got := []string{"a", "b", "c", "d"}
	for _, v := range []struct {
		want string
		ok   bool
	}{
		{"a b c d", true}, {"a b …", true}, {"… c d", true}, {"a … d", true}, {"…", true}, {"a … c …", true},
		{"", false}, {"a b c", false}, {"b …", false}, {"a … c", false}, {"a b x d", false}, {"a b c d e", false},
		{"a … x …", false}, {"c … a …", false},
	} {
		err := shown(strings.Fields(v.want), got)
		if (err == nil) != v.ok {
			t.Errorf("%q: %v", v.want, err)
		}
	}
	fresh, err := again(strings.Fields("x y … c y …"), got)
	if err != nil || strings.Join(fresh, " ") != "a b … c d …" {
		t.Errorf("%q, %v", fresh, err)
	}
	if _, err := again(strings.Fields("x … z …"), got); err == nil {
		t.Error("a part that is gone was found")
	}
	var c console
	for _, line := range []string{"rm -rf x", "keyskew $(x)", "keyskew a > b", "keyskew 'a"} {
		if _, err := c.run(line); err == nil {
			t.Errorf("%s was run", line)
		}
	}
	if out, err := c.run("keyskew no-such-file; echo $?"); err != nil || out[len(out)-1] != "2" {
		t.Errorf("%q, %v", out, err)
	}
}
