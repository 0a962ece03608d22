package accesslog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"keyskew/ingest/names"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// stockholm is an hour or two ahead of UTC.
var stockholm = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Stockholm")
	if err != nil {
		return time.FixedZone("CEST", 2*3600)
	}
	return zone
}()

func TestSamples(t *testing.T) {
	for i, c := range samples {
		t.Run(fmt.Sprintf("%s %d", c.id, i), func(t *testing.T) {
			data := []byte(c.text)
			f, _ := best(data, c.sel)
			if f.ID != c.id {
				t.Errorf("detected as %q", f.ID)
			}
			d := detection(t, c.id, data, c.sel)
			got, tally := readAll(t, d, data)
			for i := range max(len(got.List), len(c.want)) {
				var g, w row
				if i < len(got.List) {
					g = stated(got.List[i])
				}
				if i < len(c.want) {
					w = c.want[i]
				}
				if g != w {
					t.Errorf("row %d\n got %+v\nwant %+v", i, g, w)
				}
			}
			var bad []request.Reason
			for line := int64(1); line <= tally.Lines; line++ {
				for _, s := range tally.Skips {
					if slices.Contains(s.At, line) {
						bad = append(bad, s.Reason)
					}
				}
			}
			// Positions are kept for the first three lines of a reason.
			seen := map[request.Reason]int{}
			want := slices.DeleteFunc(slices.Clone(c.bad), func(r request.Reason) bool {
				seen[r]++
				return seen[r] > request.MaxPositions
			})
			if !slices.Equal(bad, want) {
				t.Errorf("skipped for %q, want %q", bad, want)
			}
			if n := int(tally.Lines - tally.Requests); n != len(c.bad) {
				t.Errorf("%d lines skipped, want %d", n, len(c.bad))
			}
		})
	}
}

// Every format has a sample, and documents itself.
func TestFormats(t *testing.T) {
	ids := map[string]bool{}
	for _, f := range Formats() {
		if ids[f.ID] || f.ID == "" || f.Title == "" || f.Text == "" || f.Source == "" {
			t.Errorf("%q: %+v", f.ID, f)
		}
		ids[f.ID] = true
		if !slices.ContainsFunc(samples, func(c sampleLog) bool { return c.id == f.ID }) {
			t.Errorf("%s has no sample", f.ID)
		}
		if d := f.Detect(nil, request.Select{}); d.Matched != 0 {
			t.Errorf("%s: found in nothing", f.ID)
		}
	}
}

// Detect must not take these for access logs.
func TestForeign(t *testing.T) {
	for _, text := range []string{
		"1365177870.147208 [0 127.0.0.1:50798] \"get\" \"k\"\n",
		"1365177870.147208 [0 lua] \"get\" \"GET / HTTP/1.1\"\n",
		"2001:db8::1\n2001:db8::2\n",
		"user:1\na:b:c\n",
		"0,q:q:1:8WTfjZU14ee,17,213,4,get,0\n",
		"op_time,key,key_size,op\n604038471,82131353,48,GET\n",
		`{"log":"hello","stream":"stdout"}` + "\n",
		`{"level":"info","msg":"1.2.3.4 - - [30/Nov/2026:21:08:08 +0000] \"GET / HTTP/1.1\" 200 3"}` + "\n",
		"Nov  3 01:01:03 mac syslogd[634]: ASL Sender Statistics\n",
		"2012-07-02 10:22:40,672:DEBUG:foo bar baz\n",
		"2022/01/24 16:33:06 [error] 334#334: *338 x, request: \"GET / HTTP/1.1\"\n",
		"10.0.1.2:33317 [06/Feb/2009:12:14:14.655] main app/srv 1/0/1 212 -- 1/1/0/0/0 0/0\n",
		"2015-05-13T23:39:43.9Z lb 1.1.1.1:1 2.2.2.2:2 0.1 0.1 0.1 - - 82 305 \"- - - \" \"-\" - -\n",
		"#Fields: time c-ip cs-method cs-uri-stem sc-status\n16:44:49 1.1.1.1 [2]USER anonymous 331\n",
		"#Fields: date time c-ip\n2014-01-01 02:01:09 1.1.1.1\n",
		"#fields\tts\tquery\n1.0\tx\n",
		"time:x\tlevel:info\n",
		"127.0.0.1 - - [30/Nov/2026:21:08:08 +0000] \"\\x16\\x03\" 400 0 \"-\" \"-\"\n",
		"\n\n",
	} {
		if f, d := best([]byte(text), request.Select{}); d.New != nil {
			t.Errorf("%q taken for %s", text, f.ID)
		}
		for _, f := range Formats() {
			d := f.Detect([]byte(text), request.Select{})
			if d.Lines > 0 && d.Matched == 0 && d.Reason == "" {
				t.Errorf("%q: %s does not say why not", text, f.ID)
			}
		}
	}
}

// Wrapped logs are found as what they are, with the wrapper named.
func TestWrapped(t *testing.T) {
	const inner = `1.2.3.4 - - [30/Nov/2026:21:08:08 +0000] "GET /x HTTP/1.1" 200 3`
	for _, c := range []struct{ line, framing string }{
		{`{"log":"1.2.3.4 - - [30/Nov/2026:21:08:08 +0000] \"GET /x HTTP/1.1\" 200 3\n","stream":"stdout"}`, "docker json-file"},
		{"2016-10-06T00:17:09.669794202Z stdout F " + inner, "cri"},
		{"Nov 30 12:00:00 host nginx: " + inner, "syslog"},
		{"web_1  | " + inner, "docker compose"},
		{`{"message":"1.2.3.4 - - [30/Nov/2026:21:08:08 +0000] \"GET /x HTTP/1.1\" 200 3"}`, "json message"},
	} {
		data := []byte(c.line + "\n" + c.line + "\n")
		f, d := best(data, request.Select{})
		if f.ID != "clf" {
			t.Errorf("%s: %q", c.line, f.ID)
			continue
		}
		got, _ := readAll(t, d, data)
		if len(got.List) != 2 || got.List[1].Key != "/x" || got.List[1].Offset != int64(len(c.line)+1) ||
			got.List[0].Client != request.HashString("1.2.3.4") || d.Framing != c.framing {
			t.Errorf("%s: %+v (%s)", c.line, got.List, d.Framing)
		}
	}
}

func TestKeys(t *testing.T) {
	const text = `a.example:80 1.2.3.4 - bob [30/Nov/2026:21:08:08 +0000] "GET http://b.example:80/p%20q/?id=%41&b&id=2 HTTP/1.1" 200 3 "-" "-"` + "\n"
	for _, c := range []struct {
		key    string
		decode bool
		want   string
	}{
		{"", false, "/p%20q/"},
		{"", true, "/p q/"},
		{"path", false, "/p%20q/"},
		{"path+query", false, "/p%20q/?id=%41&b&id=2"},
		{"path+query", true, "/p q/?id=A&b&id=2"},
		{"query:id", false, "%41"},
		{"query:id", true, "A"},
		{"query:b", false, ""},
		{"host+path", false, "a.example/p%20q/"},
		{"host", false, "a.example"},
		{"client", false, "1.2.3.4"},
		{"ip", false, "1.2.3.4"},
		{"user", false, "bob"},
		{"method", false, "GET"},
		{"client,host,query:id", true, "1.2.3.4\x1fa.example\x1fA"},
		{"query:no,path", false, "\x1f/p%20q/"},
		{"path+query,path", true, "/p q/?id=A&b&id=2\x1f/p q/"},
	} {
		d := detection(t, "vhost_combined", []byte(text), request.Select{Key: c.key, Decode: c.decode})
		got, _ := readAll(t, d, []byte(text))
		if len(got.List) != 1 || got.List[0].Key != c.want || !got.List[0].HasKey() {
			t.Errorf("%q: %+v", c.key, got.List)
		}
	}
	d := detection(t, "vhost_combined", []byte(text), request.Select{Key: "query:no"})
	if got, _ := readAll(t, d, []byte(text)); len(got.List) != 1 || got.List[0].HasKey() {
		t.Errorf("a parameter that is not there: %+v", got.List)
	}
	for _, s := range []request.Select{{Key: "pth"}, {Key: "path,"}, {Tenant: "acme"}, {Partition: "extra1"}, {Client: "x"}, {Op: "y"}, {Time: "z"}} {
		_, d := best([]byte(text), s)
		if d.New != nil {
			t.Errorf("%+v was taken", s)
		}
		d = combinedFormat().Detect([]byte(text), s)
		if d.Reason == "" || s.Key == "pth" && !strings.Contains(d.Reason, "path+query") {
			t.Errorf("%+v: %q", s, d.Reason)
		}
	}
}

// The other columns can be taken from parts and columns, too.
func TestSelected(t *testing.T) {
	const text = `1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET /a?t=x HTTP/1.1" 200 1 "-" "-" pool=p1 fwd=2.2.2.2` + "\n"
	d := detection(t, "combined+", []byte(text), request.Select{Partition: "pool", Tenant: "query:t", Client: "fwd"})
	got, _ := readAll(t, d, []byte(text))
	if r := got.List[0]; r.Partition != "p1" || r.Tenant != "x" || r.Client != request.HashString("2.2.2.2") {
		t.Errorf("%+v", r)
	}
}

func TestLogFormatErrors(t *testing.T) {
	for _, format := range []string{
		"%Z", "%", "%h%r", "$a$b", "$", "${a", "%>s %{x", "plain", "CADDY", "%h %s", "$status",
		"%ST%r", "%ci %{+Q", "%[path", "%ci %(x", "%ci %1", "%ci:%cp %ST",
	} {
		d := customFormat().Detect([]byte("a b\n"), request.Select{LogFormat: format})
		if d.New != nil || d.Reason == "" {
			t.Errorf("%q: %+v", format, d)
		}
	}
	for _, f := range Formats() {
		text := samples[0].text
		if d := f.Detect([]byte(text), request.Select{LogFormat: "COMBINED"}); (d.New != nil) != (f.ID == customID) {
			t.Errorf("%s: with a log format: %+v", f.ID, d)
		}
	}
}

// A last line without its end that cannot be read was cut off.
func TestCut(t *testing.T) {
	const line = `1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 12 "-" "x"`
	d := detection(t, "combined", []byte(line+"\n"), request.Select{})
	for _, c := range []struct {
		text     string
		requests int64
		reason   request.Reason
	}{
		{line, 1, ""},
		{line + "\r\n", 1, ""},
		{line[:40], 0, reasonCut},
		{line[:40] + "\n", 0, reasonForeign},
		{line + "\n\n", 1, reasonBlank},
		{strings.Repeat("[", 1<<20), 0, reasonCut},
	} {
		_, tally := readAll(t, d, []byte(c.text))
		if tally.Requests != c.requests || c.reason != "" && (len(tally.Skips) != 1 || tally.Skips[0].Reason != c.reason) {
			t.Errorf("%.60q: %+v", c.text, tally)
		}
	}
}

// Long keys stay apart, and a line that was too long to be read whole is counted with its beginning.
func TestLong(t *testing.T) {
	target := "/" + strings.Repeat("a", 5000)
	line := func(s string) string {
		return `1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET ` + target + s + ` HTTP/1.1" 200 12 "-" "x"` + "\n"
	}
	data := []byte(line("1") + line("2"))
	d := detection(t, "combined", data, request.Select{})
	got, tally := readAll(t, d, data)
	if len(got.List) != 2 || got.List[0].Key == got.List[1].Key || len(got.List[0].Key) != request.MaxKey || tally.LongKeys != 2 {
		t.Errorf("%d rows, %d long keys", len(got.List), tally.LongKeys)
	}
	var long request.Tally
	d.New().Decode(request.Block{Data: data[:len(line("1"))], Dropped: 100}, &requesttest.Rows{T: t}, &long)
	if long.Requests != 1 || len(long.Notes) != 1 || long.Notes[0].Text != noteLong {
		t.Errorf("%+v", long)
	}
}

// Lines made of what parsers look for, unclosed and in great number, are lines all the same, in front of
// a good one as well as in and behind it.
func TestHostile(t *testing.T) {
	for i, c := range samples {
		first, _, _ := strings.Cut(c.text[strings.LastIndex(c.text[:len(c.text)-1], "#")+1:], "\n")
		d := detection(t, c.id, []byte(c.text), c.sel)
		for _, s := range []string{"[ ", `" `, `\`, `="`, ", ", ": ", "%", "&", "\t", `\"`, "[00/", "?x "} {
			for _, at := range []int{len(first), len(first) / 2, 0} {
				var tally request.Tally
				line := first[:at] + strings.Repeat(s, 1<<16) + first[at:]
				d.New().Decode(request.Block{Data: []byte(line)}, &requesttest.Rows{T: t}, &tally)
				if tally.Lines != 1 {
					t.Errorf("%s %d: %d lines", c.id, i, tally.Lines)
				}
			}
		}
	}
}

func TestMethodsAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range 2 * maxNames {
		fmt.Fprintf(&text, `1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "get%d /a HTTP/1.1" 200 12`+"\n", i)
	}
	d := detection(t, "clf", []byte(text.String()), request.Select{})
	got, _ := readAll(t, d, []byte(text.String()))
	if got.List[0].Command != "GET0" || got.List[2*maxNames-1].Command != names.Others {
		t.Errorf("%+v", got.List[2*maxNames-1])
	}
}

func TestAlgebra(t *testing.T) {
	for name, want := range map[string]request.Algebra{"PUT": request.Overwrite, "DELETE": request.Delete, "POST": 0, "PATCH": 0, "GET": 0} {
		text := `1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "` + name + ` /a HTTP/1.1" 200 12` + "\n"
		d := detection(t, "clf", []byte(text), request.Select{})
		if got, _ := readAll(t, d, []byte(text)); got.List[0].Algebra != want {
			t.Errorf("%s: %v", name, got.List[0].Algebra)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for i, c := range samples {
		data := []byte(c.text)
		d := detection(t, c.id, data, c.sel)
		decoder := d.New()
		var tally request.Tally
		decode := func() { decoder.Decode(request.Block{Data: data}, nothing{}, &tally) }
		decode()
		if n := testing.AllocsPerRun(20, decode); n != 0 {
			t.Errorf("%s %d: %v allocations in %d lines", c.id, i, n, strings.Count(c.text, "\n"))
		}
	}
}
