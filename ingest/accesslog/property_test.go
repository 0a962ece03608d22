package accesslog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"

	"pgregory.net/rapid"
)

// However a log is cut at its line ends, by however many decoders it is read: the same rows and the same
// tally.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom(samples).Draw(rt, "sample")
		d := detection(t, c.id, []byte(c.text), c.sel)
		lines := slices.Collect(strings.Lines(c.text))
		of := slices.IndexFunc(Formats(), func(f request.Format) bool { return f.ID == c.id })
		// Keep the first lines in place, for headers, then mix and damage.
		first := min(len(lines), 3)
		more := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			line := strings.TrimSuffix(rapid.SampledFrom(lines).Draw(t, "line"), "\n")
			if rapid.IntRange(0, 5).Draw(t, "damage") == 0 {
				line = line[:rapid.IntRange(0, len(line)).Draw(t, "cut")]
			}
			return line + rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		}), 0, 12).Draw(rt, "more")
		lines = append(lines[:first:first], more...)
		text := strings.Join(lines, "")
		if rapid.Bool().Draw(rt, "no final newline") {
			text = strings.TrimSuffix(text, "\n")
		}
		err := requesttest.InBlocks(t, Formats()[of], d.New, []byte(text), func() bool { return rapid.Bool().Draw(rt, "go on") })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// What a server escapes comes out again.
func TestEscapes(t *testing.T) {
	nginx := func(c byte) string {
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return fmt.Sprintf(`\x%02X`, c)
		}
		return string(c)
	}
	apache := func(c byte) string {
		if i := strings.IndexByte("\n\r\t\b\v\"\\", c); i >= 0 {
			return `\` + string(`nrtbv"\`[i])
		}
		if c < ' ' || c >= 0x7f {
			return fmt.Sprintf(`\x%02x`, c)
		}
		return string(c)
	}
	rapid.Check(t, func(rt *rapid.T) {
		escape := rapid.SampledFrom([]func(byte) string{nginx, apache}).Draw(rt, "server")
		path := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte(`"\] [x0`))), 0, 20).Draw(rt, "path")
		path = append([]byte{'/'}, bytes.ReplaceAll(path, []byte{'?'}, nil)...)
		var text strings.Builder
		text.WriteString(`1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "POST `)
		for _, c := range path {
			text.WriteString(escape(c))
		}
		text.WriteString(" HTTP/1.1\" 200 12 \"-\" \"-\"\n")
		d := detection(t, "combined", []byte(text.String()), request.Select{})
		got, _ := readAll(t, d, []byte(text.String()))
		if len(got.List) != 1 || got.List[0].Key != string(path) {
			rt.Fatalf("%s: %+v, want %q", text.String(), got.List, path)
		}
	})
}

// The short ways say the same as the long ones.
func TestShortcuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		client := rapid.SampledFrom([]string{"1.2.3.4", "1.2.3", "host", "::1", "1.2.3.4:80", "1..2."}).Draw(t, "client")
		names := rapid.SampledFrom([]string{" - - ", " - bob ", " "}).Draw(t, "names")
		request := rapid.SampledFrom([]string{
			"GET / HTTP/1.1", "GET /a b HTTP/1.0", "GET /x HTTP/2.0", "GET / ", "GET  / HTTP/1.1", "GET", "GET /", "", "\x1b[1mGET / HTTP/1.1\x1b[0m",
		}).Draw(t, "request")
		line := []byte(client + names + `[30/Nov/2026:21:08:08 +0000] "` + request + `" 200 12`)
		var short, long record
		reason := newCLF(nil).parse(line, &short)
		p := newCLF(nil)
		at := bytes.IndexByte(line, '[')
		var n int
		long.time, n = p.clock.bracket(line[at+1:])
		origin(line[:at], &long)
		if again := p.behindTime(line[at+n+2:], &long); again != reason {
			t.Fatalf("%q and %q", reason, again)
		}
		if string(short.client) != string(long.client) || string(short.target) != string(long.target) || short.time != long.time ||
			string(short.user) != string(long.user) || string(short.method) != string(long.method) {
			t.Fatalf("%s: %+v and %+v", line, short, long)
		}
	})
}

// A clock that has seen other times says the same as a new one.
func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClock(stockholm)
		for range rapid.IntRange(1, 8).Draw(t, "times") {
			text := fmt.Sprintf("%02d/%s/2015%s%02d:%02d:%02d%s]",
				rapid.IntRange(28, 32).Draw(t, "day"), rapid.SampledFrom([]string{"Mar", "Oct", "May", "Xyz"}).Draw(t, "month"),
				rapid.SampledFrom([]string{":", " "}).Draw(t, "between"), rapid.IntRange(0, 24).Draw(t, "hour"),
				rapid.IntRange(0, 60).Draw(t, "minute"), rapid.IntRange(0, 61).Draw(t, "second"),
				rapid.SampledFrom([]string{" +0000", " -0330", "", ".123", ".25678"}).Draw(t, "rest"))
			ns, n := c.bracket([]byte(text))
			if fresh, m := newClock(stockholm).bracket([]byte(text)); ns != fresh || n != m {
				t.Fatalf("%s: %d (%d) and %d (%d)", text, ns, n, fresh, m)
			}
			want, err := time.Parse("02/Jan/2006:15:04:05 -0700]", text)
			if err == nil && ns != want.UnixNano() {
				t.Fatalf("%s: %d, want %d", text, ns, want.UnixNano())
			}
		}
	})
}

// fuzz gives every format whatever comes.
func fuzz(f *testing.F, ids ...string) {
	for i, c := range samples {
		if slices.Contains(ids, c.id) {
			f.Add([]byte(c.text), uint8(i))
		}
	}
	for _, text := range golden.CorpusHeads("http", 2048) {
		f.Add(text, uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		c := samples[int(which)%len(samples)]
		for _, format := range Formats() {
			if !slices.Contains(ids, format.ID) {
				continue
			}
			sel := c.sel
			if c.id != format.ID {
				sel = request.Select{}
				if format.ID == customID {
					sel.LogFormat = "COMBINED"
				}
			}
			d := format.Detect(head(data), sel)
			if d.Matched > d.Lines || len(d.FirstBadText) > request.MaxShown {
				t.Errorf("%s: %+v", format.ID, d)
			}
			if d.New == nil {
				if d = format.Detect([]byte(c.text), sel); d.New == nil {
					continue
				}
			}
			readAll(t, d, data)
		}
	})
}

func FuzzDecodeCommon(f *testing.F) {
	fuzz(f, "clf", "combined", "vhost_combined", "combined+", "traefik", "werkzeug", "clf_untimed", "npm", "ssl_request", "uvicorn")
}

func FuzzDecodeProxies(f *testing.F) { fuzz(f, "haproxy", "envoy", "squid", "uwsgi", "ltsv") }

func FuzzDecodeCloud(f *testing.F) { fuzz(f, "alb", "elb", "s3", "gcs", "cloudfront", "w3c", "zeek") }

func FuzzDecodeCustom(f *testing.F) { fuzz(f, customID) }

// FuzzLogFormat describes formats in all ways, and reads a line with each.
func FuzzLogFormat(f *testing.F) {
	for _, c := range samples {
		if c.sel.LogFormat != "" {
			f.Add(c.sel.LogFormat, c.text)
		}
	}
	f.Fuzz(func(t *testing.T, format, text string) {
		d := customFormat().Detect([]byte(text), request.Select{LogFormat: format, Key: "path"})
		if d.New == nil {
			return
		}
		readAll(t, d, []byte(text))
	})
}
