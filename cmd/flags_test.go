package cmd

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"keyskew/golden"
)

func TestAmount(t *testing.T) {
	for text, want := range map[string]amount{
		"0": 0, "1": 1, "100": 100, "100k": 100_000, "100K": 100_000, "2.5k": 2_500, "3M": 3e6, "3m": 3e6, "1G": 1e9,
		"1g": 1e9, "0.5": 0.5, "1e3": 1000, "+7": 7,
	} {
		var a amount
		if err := a.Set(text); err != nil || a != want {
			t.Errorf("%s: %v, %v, want %v", text, float64(a), err, float64(want))
		}
	}
	for _, text := range []string{"", "k", "-1", "-1k", "1x", "1kk", "1 k", "1,000", "NaN", "Inf", "-inf", "1e999", "0x", "one", "1MiB", "\x00", "1\n"} {
		a := amount(7)
		if err := a.Set(text); err == nil {
			t.Errorf("%q is taken for %v", text, float64(a))
		} else if a != 7 {
			t.Errorf("%q changed the value to %v", text, float64(a))
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]size{
		"0": 0, "1000": 1000, "64KiB": 64 << 10, "256MiB": 256 << 20, "1GiB": 1 << 30, "64K": 64 << 10, "256M": 256 << 20,
		"2G": 2 << 30, "64kB": 64_000, "1MB": 1_000_000, "1GB": 1e9, "1.5MiB": 3 << 19,
	} {
		var s size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%s: %d, %v, want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1XB", "1MiBs", "1 MiB", "NaN", "Inf", "1e30", "2000000GiB", "1TiB!"} {
		s := size(7)
		if err := s.Set(text); err == nil {
			t.Errorf("%q is taken for %d", text, s)
		} else if s != 7 {
			t.Errorf("%q changed the value to %d", text, s)
		}
	}
}

// What a flag prints, in the help and in the line to run again, it reads as the same value.
func TestFlagsReadWhatTheyPrint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := amount(rapid.Float64Range(0, 1e12).Draw(t, "amount"))
		var a2 amount
		if text := a.String(); text != "" {
			if err := a2.Set(text); err != nil || a2 != a {
				t.Fatalf("%v, printed as %s, is read as %v, %v", float64(a), text, float64(a2), err)
			}
		}
		s := size(rapid.Int64Range(0, 1<<50).Draw(t, "size"))
		var s2 size
		if text := s.String(); text != "" {
			if err := s2.Set(text); err != nil || s2 != s {
				t.Fatalf("%d, printed as %s, is read as %d, %v", s, text, s2, err)
			}
		}
	})
}

// No flag's value brings the parsers down.
func FuzzParseSuffixed(f *testing.F) {
	for _, s := range []string{"", "k", "100k", "1.5MiB", "-1", "1e999", "NaN", "0x1p4", "1_000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var a amount
		if err := a.Set(s); err == nil && !(a >= 0) {
			t.Errorf("%q is taken for %v", s, float64(a))
		}
		var b size
		if err := b.Set(s); err == nil && b < 0 {
			t.Errorf("%q is taken for %d", s, b)
		}
	})
}

func TestChoice(t *testing.T) {
	var value string
	c := newChoice(&value, "b", "a", "b")
	same(t, "the default", value, "b")
	if err := c.Set("a"); err != nil {
		t.Error(err)
	}
	err := c.Set("c")
	if err == nil || err.Error() != "want one of a, b" {
		t.Errorf("c: %v", err)
	}
	same(t, "after an error", value, "a")
	same(t, "as printed", c.String(), "a")
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a.log": "a.log", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "a\nb": "'a\nb'", "*": "'*'", "~": "'~'",
		"/x/y-z_1.log": "/x/y-z_1.log", "ü": "'ü'", "#": "'#'", `\`: `'\'`, "\xff": "'\xff'", "a=b,c@d%e+f": "a=b,c@d%e+f",
	} {
		same(t, in, quote(in), want)
	}
}

// A shell takes a quoted argument for the argument.
func TestQuoteAgainstAShell(t *testing.T) {
	sh := golden.Program(t, "sh")
	var want []string
	var line strings.Builder
	add := func(s string) {
		want = append(want, s)
		line.WriteString(" " + quote(s))
	}
	for b := 1; b < 256; b++ {
		add(string([]byte{byte(b)}))
		add("a" + string([]byte{byte(b)}) + "b")
	}
	for _, s := range []string{"", "it's", "''", "'", `"'"`, "$(id)", "`id`", "a\n\nb", "!!", "-n", "--", "{a,b}", "~root", "a\\"} {
		add(s)
	}
	out, err := exec.Command(sh, "-c", `for a in`+line.String()+`; do printf '%s\0' "$a"; done`).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	same(t, "words", len(got), len(want))
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%q becomes %q", want[i], got[i])
		}
	}
}

// The line to run again holds what shapes the report and nothing else.
func TestReproduce(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"a.log"}, "keyskew a.log"},
		{[]string{"b c.log", "a.log"}, "keyskew 'b c.log' a.log"},
		{[]string{"-"}, "keyskew -"},
		{[]string{"--shards", "8", "a.log"}, "keyskew --shards=8 a.log"},
		{[]string{"--topology", "my nodes", "a.log"}, "keyskew --topology='my nodes' a.log"},
		{[]string{"--capacity", "100k", "a.log"}, "keyskew --capacity=100000 a.log"},
		{[]string{"--memory", "1GiB", "--window", "2s", "a.log"}, "keyskew --memory=1024MiB --window=2s a.log"},
		{[]string{"--top=5", "--strict", "a.log"}, "keyskew --strict=true --top=5 a.log"},
		{[]string{
			"-o", "r.json", "--color", "always", "--width", "80", "-q", "--stats", "--workers", "3", "--block-size", "1MiB",
			"--ascii", "--plain", "--brief", "--format", "json", "--fail-on", "info", "a.log",
		}, "keyskew a.log"},
	} {
		cmd := newAnalyze(&app{})
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.AddFlagSet(cmd.Flags())
		if err := fs.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		same(t, strings.Join(c.args, " "), reproduce(fs.Args(), fs), c.want)
	}
}

// Every flag is either in the line to run again or known not to shape the report, and stands in a group
// of the help.
func TestEveryFlagIsInAGroup(t *testing.T) {
	newAnalyze(&app{}).Flags().VisitAll(func(f *pflag.Flag) {
		if len(f.Annotations[groupKey]) != 1 {
			t.Errorf("--%s is in the groups %v", f.Name, f.Annotations[groupKey])
		}
		if f.Usage == "" {
			t.Errorf("--%s has no text", f.Name)
		}
	})
}
