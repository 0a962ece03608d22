package formats

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"keyskew/golden"
)

var _ = golden.UpdateFlag()

func render(t testing.TB, r *Report, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextGolden(t *testing.T) {
	layouts := []struct {
		name string
		o    TextOptions
	}{
		{"file", TextOptions{}},
		{"100", TextOptions{Width: 100}},
		{"80", TextOptions{Width: 80}},
		{"60", TextOptions{Width: 60}},
		{"50", TextOptions{Width: 50}},
		{"ascii", TextOptions{Width: 80, ASCII: true}},
		{"plain", TextOptions{Plain: true}},
		{"color", TextOptions{Width: 100, Color: true}},
		{"brief", TextOptions{Width: 80, Brief: true, Top: 1}},
	}
	for _, c := range cases {
		r := Build(c.make())
		for _, l := range layouts {
			t.Run(c.name+"/"+l.name, func(t *testing.T) {
				golden.Compare(t, "report/"+c.name+"-"+l.name+".txt", []byte(render(t, r, l.o)))
			})
		}
		t.Run(c.name+"/json", func(t *testing.T) {
			var b bytes.Buffer
			if err := JSON(&b, r); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, "report/"+c.name+".json", b.Bytes())
		})
	}
}

// checkSafe fails on anything that a terminal might obey or that hides.
func checkSafe(t interface{ Fatalf(string, ...any) }, what, s string) {
	if !utf8.ValidString(s) {
		t.Fatalf("%s: invalid UTF-8", what)
	}
	for _, r := range s {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%s: %U reached the output", what, r)
		}
	}
}

func checkWidth(t interface{ Fatalf(string, ...any) }, s string, width int) {
	for _, l := range strings.Split(s, "\n") {
		if w := ansi.StringWidth(l); w > width {
			t.Fatalf("a line of %d cells at width %d: %q", w, width, l)
		}
	}
}

func TestNastyKeysStayHarmless(t *testing.T) {
	r := Build(nasty())
	for _, out := range Outputs() {
		for _, o := range []TextOptions{{}, {Width: 40, Top: 99}, {Plain: true, Top: 99}, {Width: 120, Top: 99}, {Whole: true, Width: 60, Top: 99}} {
			var b bytes.Buffer
			if err := out.Render(&b, r, o); err != nil {
				t.Fatal(err)
			}
			checkSafe(t, out.ID, b.String())
		}
	}
	ascii := render(t, r, TextOptions{Width: 80, ASCII: true, Top: 99})
	if i := strings.IndexFunc(ascii, func(r rune) bool { return r > '~' }); i >= 0 {
		t.Errorf("not ASCII: %q", ascii[i:min(i+20, len(ascii))])
	}
	file := render(t, r, TextOptions{Top: 99})
	for _, k := range nastyKeys {
		if !strings.Contains(file, NewBytes(k).String()) {
			t.Errorf("%.40q is not whole in a file", k)
		}
	}
	if colored := ansi.Strip(render(t, r, TextOptions{Width: 80, Color: true})); colored != render(t, r, TextOptions{Width: 80}) {
		t.Error("colour changes the text")
	}
}

// anyReport fills every field of a report with anything.
func anyReport(t *rapid.T) *Report {
	word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"critical", "ok", "nothing", "cache", "given",
		"assumed", "3", "monitor", "KS101", "KS201", "partitions", "verdict", "2026-03-01T12:00:00Z", "poll", "exact",
		"a b c d e f g", strings.Repeat("x", 90), "日本語日本語日本語日本語日本語日本語", "e\u0301\u0301"}))
	float := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 1e7), rapid.Float64())
	var fill func(v reflect.Value, depth int)
	fill = func(v reflect.Value, depth int) {
		switch v.Kind() {
		case reflect.String:
			v.SetString(word.Draw(t, "s"))
		case reflect.Bool:
			v.SetBool(rapid.Bool().Draw(t, "b"))
		case reflect.Int, reflect.Int64:
			v.SetInt(rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64()).Draw(t, "i"))
		case reflect.Uint64:
			v.SetUint(rapid.OneOf(rapid.Uint64Range(0, 1000), rapid.Uint64()).Draw(t, "u"))
		case reflect.Float64:
			v.SetFloat(float.Draw(t, "f"))
		case reflect.Pointer:
			if rapid.Bool().Draw(t, "set") {
				v.Set(reflect.New(v.Type().Elem()))
				fill(v.Elem(), depth)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i), depth+1)
			}
		case reflect.Slice:
			n := rapid.IntRange(0, 2).Draw(t, "n")
			if depth == 1 && v.Type().Elem() == reflect.TypeFor[Key]() {
				n = rapid.IntRange(0, 4).Draw(t, "keys")
			}
			if v.Type().Elem() == reflect.TypeFor[Partition]() && rapid.IntRange(0, 9).Draw(t, "many") == 0 {
				n = 18
			}
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(v.Index(i), depth+1)
			}
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
			for range rapid.IntRange(0, 2).Draw(t, "n") {
				k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(k, depth)
				fill(e, depth)
				v.SetMapIndex(k, e)
			}
		}
	}
	r := new(Report)
	fill(reflect.ValueOf(r).Elem(), 0)
	r.Schema = Schema
	return r
}

// A saved report may hold anything: no output of it may leave its width, obey or hide something, or
// fail.
func TestAnyReportFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		r.Verdict = judge(r, r.Verdict.Severity)
		o := TextOptions{
			Width: rapid.IntRange(40, 200).Draw(t, "width"), ASCII: rapid.Bool().Draw(t, "ascii"),
			Brief: rapid.Bool().Draw(t, "brief"), Top: rapid.IntRange(0, 9).Draw(t, "top"),
		}
		var b strings.Builder
		if err := Text(&b, r, o); err != nil {
			t.Fatal(err)
		}
		checkWidth(t, b.String(), o.Width)
		checkSafe(t, "text", b.String())
		o.Color = true
		var colored strings.Builder
		if err := Text(&colored, r, o); err != nil {
			t.Fatal(err)
		}
		if ansi.Strip(colored.String()) != b.String() {
			t.Fatal("colour changes the text")
		}
		b.Reset()
		if err := Text(&b, r, TextOptions{Plain: true}); err != nil {
			t.Fatal(err)
		}
		checkSafe(t, "plain", b.String())
	})
}

func TestJSONRoundTrip(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, r *Report) {
		var first, second bytes.Buffer
		if err := JSON(&first, r); err != nil {
			t.Fatalf("%v", err)
		}
		checkSafe(t, "json", first.String())
		back, err := ReadJSON(&first)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if err := JSON(&first, r); err != nil {
			t.Fatalf("%v", err)
		}
		if err := JSON(&second, back); err != nil {
			t.Fatalf("%v", err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("reading and writing again changed the report")
		}
	}
	for _, c := range cases {
		r := Build(c.make())
		check(t, r)
		var b bytes.Buffer
		_ = JSON(&b, r)
		back, err := ReadJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := render(t, back, TextOptions{}), render(t, r, TextOptions{}); got != want {
			t.Errorf("%s: the text of the saved report differs", c.name)
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, anyReport(t)) })
}

func TestReadJSONRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "no JSON report"},
		{`[]`, "no JSON report"},
		{`{"a":1}`, "names no schema"},
		{`{"schema":"keyskew.report/2"}`, `"keyskew.report/2"`},
		{`{"schema":"keyskew.report/1","keys":3}`, "damaged"},
		{`{"schema":"keyskew.report/1"} {}`, "more after"},
		{`{"schema":"keyskew.report/1"`, "no JSON report"},
	} {
		_, err := ReadJSON(strings.NewReader(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want it to say %q", c.in, err, c.want)
		}
	}
	if _, err := ReadJSON(strings.NewReader(`{"schema":"keyskew.report/1","of_a_later_version":1}` + "\n")); err != nil {
		t.Errorf("a field of a later version: %v", err)
	}
}

func FuzzReadJSON(f *testing.F) {
	for _, c := range cases {
		var b bytes.Buffer
		if err := JSON(&b, Build(c.make())); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadJSON(bytes.NewReader(data))
		if err != nil {
			return
		}
		s := render(t, r, TextOptions{Width: 80})
		checkWidth(t, s, 80)
		checkSafe(t, "text", s)
	})
}

func TestJSONRefusesNaN(t *testing.T) {
	if err := JSON(&bytes.Buffer{}, &Report{Threshold: Threshold{Share: math.NaN()}}); err == nil {
		t.Error("NaN was written")
	}
}

func TestOutputs(t *testing.T) {
	seen := map[string]bool{}
	for _, out := range Outputs() {
		if out.ID == "" || out.Title == "" || out.Text == "" || seen[out.ID] {
			t.Errorf("%q lacks documentation, or is there twice", out.ID)
		}
		seen[out.ID] = true
		for _, c := range cases {
			var first, second bytes.Buffer
			if err := out.Render(&first, Build(c.make()), TextOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := out.Render(&second, Build(c.make()), TextOptions{}); err != nil {
				t.Fatal(err)
			}
			if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("%s of %s is empty, or differs from run to run", out.ID, c.name)
			}
			if !bytes.HasSuffix(first.Bytes(), []byte("\n")) {
				t.Errorf("%s of %s does not end a line", out.ID, c.name)
			}
			if err := out.Render(brokenWriter{}, Build(c.make()), TextOptions{}); err == nil {
				t.Errorf("%s hides that its writer fails", out.ID)
			}
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("closed") }
