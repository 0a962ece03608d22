package ingest

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, key string
		want         bool
	}{
		{"post:48", "post:48", true},
		{"post:48", "post:481", false},
		{"post:*", "post:", true},
		{"post:*", "post:4/8\n", true},
		{"*", "", true},
		{"?", "", false},
		{"?", "é", false}, // two bytes
		{"??", "é", true},
		{"*:likes", "post:48:likes", true},
		{"*:likes", "post:48:likes:x", false},
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "acb", false},
		{"[ab]x", "bx", true},
		{"[ab]x", "cx", false},
		{"[^ab]x", "cx", true},
		{"[!ab]x", "ax", false},
		{"[a-c]", "b", true},
		{"[c-a]", "b", true},
		{"[a-]", "-", true},
		{"[]]", "]", true},
		{`[\]-a]`, "^", true},
		{`\*`, "*", true},
		{`\*`, "x", false},
		{"\x00*", "\x00\xff", true},
		{"[\x80-\xff]", "\xfe", true},
	} {
		g, err := parseGlob(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
		} else if got := g.match([]byte(c.key)); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.key, got)
		}
	}
	for _, bad := range []string{"", "[a", "[", `x\`, "[]"} {
		if _, err := parseGlob(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// On keys without a slash and in ASCII, package path has the same patterns.
func TestGlobIsThatOfPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*", "?", "[ab]", "[^a]", `\*`}), 1, 8).Draw(t, "pattern"), "")
		key := rapid.StringMatching(`[abc*]{0,10}`).Draw(t, "key")
		g, err := parseGlob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want, err := path.Match(pattern, key)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.match([]byte(key)); got != want {
			t.Fatalf("%q on %q: %v, path.Match says %v", pattern, key, got, want)
		}
	})
}

func BenchmarkGlob(b *testing.B) {
	g, err := parseGlob("*:likes")
	if err != nil {
		b.Fatal(err)
	}
	key := []byte("post:4811938:comments")
	for b.Loop() {
		g.match(key)
	}
}
