package target

import (
	"fmt"
	"net/url"
	"testing"

	"pgregory.net/rapid"
)

func TestParameter(t *testing.T) {
	for _, c := range []struct{ query, name, want string }{
		{"a=1&b=2", "b", `"2" true`}, {"a=1&a=2", "a", `"1" true`}, {"ab=1&a=%41", "a", `"%41" true`},
		{"a", "a", `"" true`}, {"a=", "a", `"" true`}, {"&&a=1=2", "a", `"1=2" true`}, {"b=a", "a", `"" false`}, {"", "a", `"" false`},
	} {
		value, ok := Parameter([]byte(c.query), []byte(c.name))
		if got := fmt.Sprintf("%q %v", value, ok); got != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.name, c.query, got, c.want)
		}
	}
}

func TestPercentDecode(t *testing.T) {
	for text, want := range map[string]string{"%": "%", "%4": "%4", "a%zz%41": "a%zzA", "%%41": "%A", "%aF": "\xaf", "+": "+"} {
		if got := PercentDecode(nil, []byte(text)); string(got) != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		if got := PercentDecode([]byte("x"), []byte(url.PathEscape(text))); string(got) != "x"+text {
			t.Fatalf("%q: got %q", text, got)
		}
	})
}

func TestHost(t *testing.T) {
	for address, want := range map[string]string{
		"10.0.0.1:80": "10.0.0.1", "10.0.0.1": "10.0.0.1", "[::1]:80": "::1", "[::1]": "::1", "::1": "::1",
		"host:80": "host", "[": "[", "": "",
	} {
		if got := Host([]byte(address)); string(got) != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}
