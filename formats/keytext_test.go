package formats

import (
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestKeyText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"user:1", "user:1"},
		{"", ""},
		{"日本語:キー:9", "日本語:キー:9"},
		{"a\x00b\x1b[31m\n", `a\x00b\x1b[31m\n`},
		{"a\u202eb\u200dc\ufeff", `a\u202eb\u200dc\ufeff`},
		{"\xff\xfe", `\xff\xfe`},
		{`a\b`, `a\\b`},
		{`say "x"`, `say "x"`},
		{"\u0085\u009b", `\u0085\u009b`},
		{"\u00a0", `\u00a0`},
		{"\u0301a", `\u0301a`},
		{"a\u0301", "a\u0301"},
		{"\x00\u0301", `\x00\u0301`},
		{" a b ", `\x20a b\x20`},
		{" ", `\x20`},
		{"\ufffd", "\ufffd"},
		{"☃\ufe0f", `☃\ufe0f`},
		{"\u3164", `\u3164`},
		{"`|</script>", "`|</script>"},
		{"\U000e0001", `\U000e0001`},
	} {
		if got := KeyText([]byte(c.in)); got != c.want {
			t.Errorf("KeyText(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := escape("日:\x00é", true, true); got != `\u65e5:\x00\u00e9` {
		t.Errorf("in ASCII: %q", got)
	}
}

// checkKeyText holds what every escaped key obeys: it is safe, it can be turned back (so no two keys
// read alike), and its width adds up with what stands around it.
func checkKeyText(t interface{ Fatalf(string, ...any) }, key []byte) {
	s := KeyText(key)
	checkSafe(t, "KeyText", s)
	if strings.Contains(s, "\n") {
		t.Fatalf("a line break in %q", s)
	}
	back, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	if err != nil || back != string(key) {
		t.Fatalf("%q became %q, and that %q (%v)", key, s, back, err)
	}
	if got, want := ansi.StringWidth("a "+s+" b"), 4+ansi.StringWidth(s); got != want {
		t.Fatalf("%q is %d cells wide in a line, %d alone", s, got-4, want-4)
	}
}

func checkElide(t interface{ Fatalf(string, ...any) }, key []byte, width int) {
	s := KeyText(key)
	got := Elide(s, width)
	if w := ansi.StringWidth(got); w > width {
		t.Fatalf("Elide(%q, %d) is %d cells wide", s, width, w)
	}
	if ansi.StringWidth(s) <= width {
		if got != s {
			t.Fatalf("Elide(%q, %d) = %q, though it fits", s, width, got)
		}
		return
	}
	head, tail, found := strings.Cut(got, "…")
	if !found || strings.Contains(s, "…") {
		return
	}
	if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) {
		t.Fatalf("Elide(%q, %d) = %q is not made of its ends", s, width, got)
	}
	for _, part := range []string{head, tail} {
		if _, err := strconv.Unquote(`"` + strings.ReplaceAll(part, `"`, `\"`) + `"`); err != nil {
			t.Fatalf("Elide(%q, %d) = %q cuts an escape", s, width, got)
		}
	}
	if width >= 24 && ansi.StringWidth(tail) < 8 {
		t.Fatalf("Elide(%q, %d) = %q keeps %d cells at the end", s, width, got, ansi.StringWidth(tail))
	}
}

func TestKeyTextLaws(t *testing.T) {
	for _, k := range nastyKeys {
		checkKeyText(t, k)
		for width := range 60 {
			checkElide(t, k, width)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		key := []byte(rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.Rune(), 20, 80, -1)).Draw(t, "key"))
		if rapid.Bool().Draw(t, "raw") {
			key = rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		}
		checkKeyText(t, key)
		checkElide(t, key, rapid.IntRange(0, 60).Draw(t, "width"))
	})
}

func FuzzKeyText(f *testing.F) {
	for _, k := range nastyKeys {
		f.Add(k, 20)
	}
	f.Fuzz(func(t *testing.T, key []byte, width int) {
		checkKeyText(t, key)
		checkElide(t, key, max(width%1000, 0))
	})
}

func TestElide(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"session:1234567890abcdef", 24, "session:1234567890abcdef"},
		{"session:1234567890abcdef", 20, "session:123…90abcdef"},
		{"session:1234567890abcdef", 9, "…90abcdef"},
		{"session:1234567890abcdef", 1, "…"},
		{"session:1234567890abcdef", 0, ""},
		{"日本語日本語日本語日本語", 13, "日本…語日本語"},
		{`aaaaaaaaaaaa\x00bbb\x00cc`, 16, `aaaaaaa…bb\x00cc`},
	} {
		if got := Elide(c.in, c.width); got != c.want {
			t.Errorf("Elide(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestBytesRaw(t *testing.T) {
	for _, k := range nastyKeys {
		b := NewBytes(k)
		if string(b.Raw()) != string(k) || (b.Text == nil) == (b.Bytes == nil) {
			t.Errorf("%q came back as %q", k, b.Raw())
		}
	}
	bad := "no base64!"
	if got := string(Bytes{Bytes: &bad}.Raw()); got != bad {
		t.Errorf("damaged base64 came back as %q", got)
	}
	if got := NewBytes(nil).String(); got != "(empty key)" {
		t.Errorf("the empty key reads %q", got)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{group(uint64(0)), "0"}, {group(uint64(1234567)), "1,234,567"}, {group(^uint64(0)), "18,446,744,073,709,551,615"},
		{group(-1), "0"}, {whole(999.6), "1,000"}, {whole(0.2), "<1"}, {whole(0), "0"},
		{about(0), "0"}, {about(0.04567), "0.0457"}, {about(9.994), "9.99"}, {about(12.34), "12.3"}, {about(12_345), "12,300"},
		{about(999.6), "1,000"}, {about(200_134), "200,000"}, {about(1), "1"},
		{percent(0), "0.0%"}, {percent(0.0001), "<0.1%"}, {percent(0.334), "33.4%"}, {percent(0.9999), ">99.9%"},
		{percent(1), "100%"}, {percent(1.834), "183%"}, {share(0.33), "33%"}, {share(0.3), "30%"}, {share(0.101), "10.1%"},
		{utilisation(0.001), "<1%"}, {utilisation(0.29), "29%"}, {utilisation(0.996), "99.6%"}, {utilisation(1.83), "183%"},
		{size(0), "0 bytes"}, {size(1), "1 byte"}, {size(999), "999 bytes"}, {size(41_300_000_000), "41.3 GB"},
		{span(0.33), "0.33 s"}, {span(449), "7 min 29 s"}, {span(7200), "2 h"}, {span(7500), "2 h 5 min"}, {span(864_000), "10 days"},
		{times(1.019), "1.02×"}, {plural(1, "key"), "1 key"}, {plural(2000, "key"), "2,000 keys"},
		{new(Report).clock("2026-03-01T12:02:30.5Z"), "12:02:30"}, {new(Report).clock("x"), "x"},
		{stretch(stamp(noon), stamp(noon+5e8)), "2026-03-01 12:00:00 UTC"},
		{stretch(stamp(noon), stamp(second(60))), "2026-03-01 12:00:00–12:01:00 UTC"},
		{stretch(stamp(noon), stamp(second(86_400))), "2026-03-01 12:00:00 – 2026-03-02 12:00:00 UTC"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
