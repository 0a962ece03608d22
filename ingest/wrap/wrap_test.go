package wrap

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct{ in, name, inner string }{
		{`{"log":"1.2.3.4 \"GET / HTTP/1.1\"\n","stream":"stdout","time":"2026-11-30T21:08:08Z"}`, Docker, `1.2.3.4 "GET / HTTP/1.1"`},
		{`{"stream":"stdout","a":{"log":"no"},"log":"\u003ca\\b\t\ud83d\ude00\/\n"}`, Docker, "<a\\b\t\U0001F600/"},
		{`{"__CURSOR":"s=1","MESSAGE":"hello \"x\""}`, Journald, `hello "x"`},
		{`{"@timestamp":"x","message":"1.2.3.4 - - [x] \"GET / HTTP/1.1\" 200 3"}`, Message, `1.2.3.4 - - [x] "GET / HTTP/1.1" 200 3`},
		{`{"level":"info","message":"started","path":"/x"}`, "", `{"level":"info","message":"started","path":"/x"}`},
		{`2016-10-06T00:17:09.669794202Z stdout F hello world`, CRI, "hello world"},
		{`2025-12-31T17:37:40.493035218+01:00 stderr P {"a":1}`, CRI, `{"a":1}`},
		{`2016-10-06T00:17:09.669794202Z hello`, Timestamp, "hello"},
		{`2016-10-06T00:17:09+0200 hello`, Timestamp, "hello"},
		{`Nov 30 12:00:00 host nginx: 1.2.3.4 - -`, Syslog, "1.2.3.4 - -"},
		{`Nov  3 12:00:00 10.0.0.1 haproxy[7]: 1.2.3.4:5 [x]`, Syslog, "1.2.3.4:5 [x]"},
		{`<134>Nov  3 12:00:00 h haproxy[7]: m`, Syslog, "m"},
		{`2015-08-26T02:09:48+02:00 localhost haproxy[14389]: 5.196.2.38:39527 [x]`, Syslog, "5.196.2.38:39527 [x]"},
		{`<190>Nov 30 12:00:00 nginx: 1.2.3.4 - -`, Syslog, "1.2.3.4 - -"},
		{`Nov 30 12:00:00.123456 host nginx[7]: 1.2.3.4 - -`, Syslog, "1.2.3.4 - -"},
		{`2016-10-06T00:17:09.669794+00:00 app[web.1]: 1.2.3.4 - -`, Syslog, "1.2.3.4 - -"},
		{"2016-10-06T00:17:09.669Z\t1.2.3.4 - -", Timestamp, "1.2.3.4 - -"},
		{`Nov 30 12:00:00 1.2.3.4 - -`, Timestamp, "1.2.3.4 - -"},
		{`2016-10-06 00:17:09.5 1.2.3.4 - -`, Timestamp, "1.2.3.4 - -"},
		{`Nov 30 12:00:00`, "", `Nov 30 12:00:00`},
		{`<165>1 2003-10-11T22:14:15.003Z host app 12 ID47 [a@1 b="c\]d"][e] the message`, Syslog, "the message"},
		{`<165>1 2003-10-11T22:14:15.003Z host app - - - ` + "\xef\xbb\xbf" + `m`, Syslog, "m"},
		{`web_1  | GET /`, Compose, "GET /"},
		{"\x1b[36mweb-1 |\x1b[0m GET /", Compose, "GET /"},
		{`[pod/web-0/nginx] GET /`, Kubectl, "GET /"},
		{`[pod/web-0/nginx] 2016-10-06T00:17:09.6Z GET /`, Kubectl + " around " + Timestamp, "GET /"},
		{`web_1  | {"log":"x\n"}`, Compose + " around " + Docker, "x"},
		{`plain line`, "", "plain line"},
		{`2009:db8::1`, "", "2009:db8::1"},
		{`Foo 30 12:00:00 host nginx: x`, "", "Foo 30 12:00:00 host nginx: x"},
		{`{"log":"open`, "", `{"log":"open`},
		{`<999999>1 a`, "", `<999999>1 a`},
		{`<>Nov  3 12:00:00 h p: m`, "", `<>Nov  3 12:00:00 h p: m`},
		{``, "", ``},
	} {
		name, p := Detect([]byte(c.in + "\r\n\n" + c.in))
		if name != c.name {
			t.Errorf("%s: %q, want %q", c.in, name, c.name)
		}
		for range 2 {
			if got := string(p.Peel([]byte(c.in))); got != c.inner {
				t.Errorf("%s: got %q, want %q", c.in, got, c.inner)
			}
		}
		if got := string(p.Peel([]byte("other"))); got != "other" {
			t.Errorf("%s: a bare line came out as %q", c.in, got)
		}
	}
}

func TestMajority(t *testing.T) {
	line := "web_1  | x\n"
	if name, _ := Detect([]byte(line + "y\n")); name != "" {
		t.Errorf("half of the lines were enough for %q", name)
	}
	if name, _ := Detect([]byte(line + "y\n" + line)); name != Compose {
		t.Errorf("two of three: %q", name)
	}
}

// What is wrapped comes out again.
func TestRoundTrip(t *testing.T) {
	escape := strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\t", `\t`)
	wrap := map[string]func(string) string{
		Docker:  func(s string) string { return `{"log":"` + escape.Replace(s) + `\n","stream":"stdout"}` },
		CRI:     func(s string) string { return "2016-10-06T00:17:09.669794202Z stdout F " + s },
		Syslog:  func(s string) string { return "Nov 30 12:00:00 host nginx[3]: " + s },
		Compose: func(s string) string { return "web_1  | " + s },
		Kubectl: func(s string) string { return "[pod/a/b] " + s },
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{Docker, CRI, Syslog, Compose, Kubectl}).Draw(t, "wrapper")
		inner := rapid.StringMatching(`[a-zA-Z0-9 "\\\t:|\[\]{}<>]*[a-z]`).Draw(t, "inner")
		if got := string(New(name).Peel([]byte(wrap[name](inner)))); got != inner {
			t.Fatalf("%s: got %q, want %q", name, got, inner)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	for _, line := range []string{
		`{"log":"1.2.3.4 \"GET / HTTP/1.1\"\n","stream":"stdout","time":"2026-11-30T21:08:08Z"}`,
		`2016-10-06T00:17:09.669794202Z stdout F hello world`,
		`Nov 30 12:00:00 host nginx: 1.2.3.4 - -`,
	} {
		b := []byte(line)
		_, p := Detect(b)
		if n := testing.AllocsPerRun(100, func() { p.Peel(b) }); n != 0 {
			t.Errorf("%s: %v allocations", line, n)
		}
	}
}

func FuzzPeel(f *testing.F) {
	f.Add([]byte(`{"log":"1.2.3.4 \"GET / HTTP/1.1\"\n","stream":"stdout"}`))
	f.Add([]byte(`{"message":"\ud800\u00x HTTP/"}`))
	f.Add([]byte(`<165>1 2003-10-11T22:14:15.003Z host app 12 ID47 [a@1 b="c\`))
	f.Add([]byte("\x1b[36mweb-1 |\x1b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		name, p := Detect(data)
		for line := range bytes.Lines(data) {
			first := bytes.Clone(p.Peel(line))
			if again := New(name).Peel(line); !bytes.Equal(first, again) {
				t.Errorf("%q then %q", first, again)
			}
			for _, w := range wrappers {
				if inner, _, ok := w.peel(line, nil); !ok && !bytes.Equal(inner, line) {
					t.Errorf("%s changed a line that it refused", w.name)
				}
			}
		}
	})
}
