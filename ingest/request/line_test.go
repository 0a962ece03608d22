package request

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\n": `"a" 2 true`, "a\r\n": `"a" 3 true`, "a\r\r\n": `"a\r" 4 true`, "\n": `"" 1 true`,
		"a": `"a" 1 false`, "a\r": `"a" 2 false`, "\r": `"" 1 false`,
	} {
		line := []byte(text)[:LineLen([]byte(text))]
		if got := fmt.Sprintf("%q %d %v", TrimEnd(line), len(line), Ended(line)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"a\x1b[1m\xff\\", 80, `a\x1b[1m\xff\`},
		{"0123456789", 10, "0123456789"},
		{"0123456789a", 10, "0123456..."},
		{"01234\x00789a", 10, "01234..."},
		{"", 10, ""},
	} {
		if got := Show([]byte(c.text), c.most); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestKeep(t *testing.T) {
	var tally Tally
	var buf []byte
	key := []byte(strings.Repeat("k", MaxKey+1))
	if got := tally.Keep(key[:MaxKey], &buf); !bytes.Equal(got, key[:MaxKey]) || tally.LongKeys != 0 {
		t.Errorf("a key that fits: %d bytes, %d long keys", len(got), tally.LongKeys)
	}
	want := strings.Repeat("k", MaxKey-16) + fmt.Sprintf("%016x", Hash(key))
	if got := tally.Keep(key, &buf); string(got) != want || tally.LongKeys != 1 {
		t.Errorf("got %q, %d long keys", got[MaxKey-20:], tally.LongKeys)
	}
	// The key may lie in the storage for it.
	if got := tally.Keep(key, &key); string(got) != want {
		t.Errorf("in place: got %q", got[MaxKey-20:])
	}
}
