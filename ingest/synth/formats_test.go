package synth

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// text is everything with names that can stand in every format.
func text() Config {
	c := everything()
	c.Viral.Key = `post:48, "é"/1 ?%`
	c.HashTag.Tag = `cart "eu"`
	return c
}

// parsers read what the formats write, without regard to speed or to how it is written. Keys are
// decoded; paths, where they have some, by key.
var parsers = map[string]func(t failer, written string) (lines []line, paths map[string]string){
	"combined": parseCombined,
	"json":     parseJSON,
	"csv":      parseCSV,
	"twitter":  parseTwitter,
}

func args(t failer, op, key string) []string {
	t.Helper()
	switch op {
	case "get", "GET":
		return []string{"GET", key}
	case "set", "PUT":
		return []string{"SET", key, ""}
	case "incr":
		return []string{"INCR", key}
	}
	t.Fatalf("unknown operation %q", op)
	return nil
}

func number(t failer, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func micros(t failer, layout, s string) int64 {
	t.Helper()
	at, err := time.Parse(layout, s)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMicro()
}

var combinedLine = regexp.MustCompile(`^(10\.0\.\d+\.\d+) - - \[([^]]+)] "(GET|PUT) (/[!-~]*) HTTP/1\.1" 200 [1-9]\d* "(https://[^" ]+|-)" "[^"]+"\n$`)

func parseCombined(t failer, written string) ([]line, map[string]string) {
	t.Helper()
	var out []line
	paths := map[string]string{}
	for s := range strings.Lines(written) {
		m := combinedLine.FindStringSubmatch(s)
		if m == nil {
			t.Fatalf("malformed line %q", s)
		}
		u, err := url.ParseRequestURI(m[4])
		if err != nil || u.RawQuery != "" {
			t.Fatalf("target %q: query %q, %v", m[4], u, err)
		}
		key := u.Path[1:]
		if known, ok := paths[key]; ok && known != m[4] {
			t.Fatalf("two paths for %q: %s and %s", key, known, m[4])
		}
		paths[key] = m[4]
		out = append(out, line{micros(t, "02/Jan/2006:15:04:05 -0700", m[2]), m[1], args(t, m[3], key)})
	}
	return out, paths
}

func parseJSON(t failer, written string) ([]line, map[string]string) {
	t.Helper()
	var out []line
	for s := range strings.Lines(written) {
		var o struct {
			TS, Key, Op string
			Size        int64
			ClientIP    string `json:"client_ip"`
		}
		d := json.NewDecoder(strings.NewReader(s))
		d.DisallowUnknownFields()
		if err := d.Decode(&o); err != nil || d.More() || o.Size < 1 {
			t.Fatalf("malformed line %q: %v", s, err)
		}
		out = append(out, line{micros(t, "2006-01-02T15:04:05.000000Z", o.TS), o.ClientIP, args(t, o.Op, o.Key)})
	}
	return out, nil
}

func parseCSV(t failer, written string) ([]line, map[string]string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(written)).ReadAll() // all rows as long as the first one
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], []string{"time", "key", "op", "size", "client_ip"}) {
		t.Fatalf("no header: %.60q", written)
	}
	var out []line
	for _, r := range rows[1:] {
		if number(t, r[3]) < 1 {
			t.Fatalf("size in %q", r)
		}
		out = append(out, line{number(t, r[0]), r[4], args(t, r[2], r[1])})
	}
	return out, nil
}

var twitterLine = regexp.MustCompile(`^(\d+),(.*),(\d+),([1-9]\d*),(\d+),(get|set|incr),0\n$`)

func parseTwitter(t failer, written string) ([]line, map[string]string) {
	t.Helper()
	var out []line
	for s := range strings.Lines(written) {
		m := twitterLine.FindStringSubmatch(s)
		if m == nil || number(t, m[3]) != int64(len(m[2])) {
			t.Fatalf("malformed line %q", s)
		}
		client := int(number(t, m[5])) - 1
		from := "10.0." + strconv.Itoa(client/256) + "." + strconv.Itoa(client%256)
		out = append(out, line{number(t, m[1]) * 1_000_000, from, args(t, m[6], m[2])})
	}
	return out, nil
}

// checkFormat holds what a format writes against the MONITOR capture of the same load, and the truth
// against a recount.
func checkFormat(t failer, f Format, c Config) {
	t.Helper()
	var capture, written bytes.Buffer
	if _, err := Write(&capture, c); err != nil {
		t.Fatal(err)
	}
	truth, err := f.Write(&written, c)
	if err != nil {
		t.Fatal(err)
	}
	if truth.Bytes != int64(written.Len()) {
		t.Fatalf("truth says %d bytes, wrote %d", truth.Bytes, written.Len())
	}
	lines, paths := parsers[f.ID](t, written.String())

	want := asTold(parse(t, capture.Bytes()), f.step, paths != nil)
	for i := range min(len(lines), len(want)) {
		got := line{lines[i].micros, lines[i].client, lines[i].args[:2]}
		if got.micros != want[i].micros || got.client != want[i].client || !slices.Equal(got.args, want[i].args) {
			t.Fatalf("%s, command %d: %v, in the capture %v", f.ID, i, got, want[i])
		}
	}
	if len(lines) != len(want) {
		t.Fatalf("%s: %d commands, in the capture %d", f.ID, len(lines), len(want))
	}

	counted, keys := recount(t, c, lines)
	if paths != nil {
		counted = renamed(counted, keys, func(key string) string {
			if path, ok := paths[key]; ok {
				return path
			}
			return f.name(key) // never touched
		})
	}
	checkTruth(t, truth, counted)
}

// asTold is a MONITOR capture as a format with less to say has it.
func asTold(lines []line, step time.Duration, http bool) []line {
	var out []line
	for _, l := range lines {
		l.micros -= l.micros % step.Microseconds()
		l.client, _, _ = strings.Cut(l.client, ":")
		switch op := l.args[0]; {
		case op == "BLPOP":
		case op == "MGET":
			for _, key := range l.args[1:] {
				out = append(out, line{l.micros, l.client, []string{"GET", key}})
			}
		case op == "INCR" && http:
			out = append(out, line{l.micros, l.client, []string{"SET", l.args[1]}})
		default:
			out = append(out, line{l.micros, l.client, l.args[:2]})
		}
	}
	return out
}

// renamed gives the keys of a recount other names, which break ties in another order.
func renamed(t Truth, keys map[string]*Key, name func(string) string) Truth {
	t.Viral.Key, t.Counter.Key, t.Queue.Key = name(t.Viral.Key), name(t.Counter.Key), name(t.Queue.Key)
	t.Keys = nil
	for key, k := range keys {
		if !strings.HasPrefix(key, "order:") {
			k.Key = name(key)
			t.Keys = append(t.Keys, *k)
		}
	}
	t.Keys = largest(t.Keys)
	return t
}

func TestFormats(t *testing.T) {
	for _, f := range Formats()[1:] {
		checkFormat(t, f, text())
	}
	combined, _ := FormatByID("combined")
	checkFormat(t, combined, everything()) // a path can hold any bytes
}

func TestFormatsOfAnyConfig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(Formats()[1:]).Draw(t, "format")
		c := anyConfig(t)
		switch f.ID {
		case "json":
			c.Viral.Key = "v" + rapid.String().Draw(t, "name")
			c.HashTag.Tag = rapid.StringMatching(`[^}]+`).Draw(t, "tag")
		case "csv", "twitter":
			c.Viral.Key = "v" + rapid.StringMatching(`[ -~é世]*`).Draw(t, "name")
			c.HashTag.Tag = rapid.StringMatching(`[ -|~é世]+`).Draw(t, "tag")
		}
		if f.Validate(c) != nil {
			t.Skip("control characters")
		}
		checkFormat(t, f, c)
	})
}

// The hashes pin the bytes, as that of TestSameBytesEverywhere does.
func TestFormatsSameBytes(t *testing.T) {
	for id, want := range map[string]string{
		"combined": "b74d185acbb5b0ca408bea0bf9c08e64cc70336be9c4729628ee50e189984e6a",
		"json":     "b84fbd67e153e5cf3e97436c785d643a7321b55dced8a19bb511daecd6251833",
		"csv":      "3054aef795b8d4a97282343e92605b3d6740c93672fd34adc02015f926ab4be8",
		"twitter":  "86ea0978f557e0ee1ad765e5f65e2f402006b83209dd42b8b1e6855be8ca9037",
	} {
		f, ok := FormatByID(id)
		if !ok {
			t.Fatalf("no format %s", id)
		}
		sum := sha256.New()
		if _, err := f.Write(sum, text()); err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != want {
			t.Errorf("%s: sha256 %s, want %s", id, got, want)
		}
	}
}

// Each format is described and has a parser above, and no other ID is known.
func TestFormatTable(t *testing.T) {
	seen := map[string]bool{}
	for i, f := range Formats() {
		if seen[f.ID] || f.Title == "" || f.Text == "" || (parsers[f.ID] == nil) != (i == 0) {
			t.Errorf("format %+v", f)
		}
		seen[f.ID] = true
	}
	if _, ok := FormatByID("binary"); ok {
		t.Error("there is a format binary")
	}
}

func TestFormatValidate(t *testing.T) {
	for _, c := range []struct {
		format, key, want string
	}{
		{"monitor", "a\xff\n", ""},
		{"combined", "a\xff\n", ""},
		{"json", "a\n\x00", ""},
		{"json", "a\xff", "bytes that are no UTF-8"},
		{"csv", `a,"b"`, ""},
		{"csv", "a\nb", "a control character"},
		{"csv", "a\xff", "bytes that are no UTF-8"},
		{"twitter", "a,b", ""},
		{"twitter", "a\rb", "a control character"},
	} {
		f, _ := FormatByID(c.format)
		for what, plant := range map[string]func(*Config){
			"viral key": func(to *Config) { to.Viral.Key = c.key },
			"counter":   func(to *Config) { to.Counter.Key = c.key },
			"hash tag":  func(to *Config) { to.HashTag.Tag = c.key },
		} {
			load := text()
			plant(&load)
			err := f.Validate(load)
			if c.want == "" && err != nil || c.want != "" && (err == nil ||
				!strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %s %q: error %v, want one with %q", c.format, what, c.key, err, c.want)
			}
			if _, written := f.Write(&discard{}, load); (written == nil) != (err == nil) {
				t.Errorf("%s, %s %q: Write says %v", c.format, what, c.key, written)
			}
		}
		load := text()
		load.Viral = ViralKey{Key: "\n"} // not planted
		if err := f.Validate(load); err != nil {
			t.Errorf("%s: %v", c.format, err)
		}
	}
}

func BenchmarkFormats(b *testing.B) {
	for _, f := range Formats() {
		b.Run(f.ID, func(b *testing.B) {
			c := Default()
			c.Requests = 1_000_000
			b.ReportAllocs()
			var lines int64
			for b.Loop() {
				truth, err := f.Write(&discard{}, c)
				if err != nil {
					b.Fatal(err)
				}
				lines += truth.Commands
				b.SetBytes(truth.Bytes)
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
