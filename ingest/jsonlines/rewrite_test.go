package jsonlines

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"keyskew/ingest/request/requesttest"

	"pgregory.net/rapid"
)

func TestLines(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`[]`, ""},
		{"", ""},
		{"[{}]", "{}\n"},
		{`[{"a":1},{"a":2}]`, "{\"a\":1}\n{\"a\":2}\n"},
		{"[\n  {\n    \"a\": 1,\r\n\t\"b\": [ 1,\n 2 ]\n  },\n  {}\n]\n", "{ \"a\": 1, \"b\": [ 1, 2 ] }\n{}\n"},
		{"{\n\"a\": 1\n}\n{\n\"a\": 2\n}\n", "{ \"a\": 1 }\n{ \"a\": 2 }\n"},
		{`[{"a":"},{\"]\\"},{"b":"\\\""}]`, "{\"a\":\"},{\\\"]\\\\\"}\n{\"b\":\"\\\\\\\"\"}\n"},
		{"[{\"a\":\"two  spaces\\n\ttab\"}]", "{\"a\":\"two  spaces\\n\ttab\"}\n"},
		// What is no object is a line as well.
		{`["x, y", 1,null , [{"a":[1]}],{"b":2}]`, "\"x, y\"\n1\nnull\n{\"a\":[1]}\n{\"b\":2}\n"},
		// A line end in a string ends the damage.
		{"[{\"a\":\"x\n  \"b\": 2 },\n{\"c\":3}]", "{\"a\":\"x\n\"b\":\n2\n}\n{\"c\":3}\n"},
		// Cut off.
		{`[{"a":1},{"a":"x`, "{\"a\":1}\n{\"a\":\"x"},
		{`[{"a":1},`, "{\"a\":1}\n"},
		{"[{\"a\":tr\nue}]", "{\"a\":tr ue}\n"},
	} {
		requesttest.Same(t, c.in, string(rewritten(t, []byte(c.in))), c.want)
	}
}

// Elements come out as they went in, however the array is printed.
func TestLinesKeepElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		elements := rapid.SliceOfN(rapid.MapOfN(rapid.String(), rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return s }),
			rapid.Map(rapid.SliceOfN(rapid.String(), 0, 3), func(s []string) any { return s }),
			rapid.Map(rapid.MapOfN(rapid.String(), rapid.Int(), 0, 2), func(m map[string]int) any { return m }),
		), 0, 3), 0, 5).Draw(t, "elements")
		var text []byte
		var err error
		switch rapid.IntRange(0, 2).Draw(t, "style") {
		case 0:
			text, err = json.Marshal(elements)
		case 1:
			text, err = json.MarshalIndent(elements, "\r", "  ")
		default:
			for _, e := range elements {
				var one []byte
				if one, err = json.MarshalIndent(e, "", "\t"); err != nil {
					break
				}
				text = append(append(text, one...), '\n')
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, e := range elements {
			one, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, string(one))
		}
		out, err := io.ReadAll(Lines(iotest.OneByteReader(bytes.NewReader(text))))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			var compact bytes.Buffer
			if err := json.Compact(&compact, []byte(line)); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			got = append(got, compact.String())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q", text, got, want)
		}
	})
}

// chunks hands out its text in pieces of the given lengths, over and over.
type chunks struct {
	text    []byte
	lengths []int
	at      int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := min(c.lengths[c.at%len(c.lengths)], len(p), len(c.text))
	c.at++
	copy(p, c.text[:n])
	c.text = c.text[n:]
	return n, nil
}

// piecewise reads with buffers of the given lengths.
func piecewise(r io.Reader, lengths []int) (out []byte, err error) {
	for i := 0; err == nil; i++ {
		p := make([]byte, lengths[i%len(lengths)])
		var n int
		n, err = r.Read(p)
		out = append(out, p[:n]...)
	}
	return out, err
}

func checkChunks(t interface{ Fatalf(string, ...any) }, text []byte, in, out []int) {
	want, err := io.ReadAll(Lines(bytes.NewReader(text)))
	if err != nil {
		t.Fatalf("%v", err)
	}
	got, err := piecewise(Lines(&chunks{text: slices.Clone(text), lengths: in}), out)
	if err != io.EOF || !bytes.Equal(got, want) {
		t.Fatalf("%q: got %q, %v, want %q", text, got, err, want)
	}
	if len(want) > 2*len(text) {
		t.Fatalf("%q: %d bytes of %d", text, len(want), len(text))
	}
	// Nothing but white space, commas and brackets may go, and only white space may come.
	squeeze := func(b []byte) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\r\n,[]", r) {
				return -1
			}
			return r
		}, string(b))
	}
	if squeeze(got) != squeeze(text) {
		t.Fatalf("%q: lost something: %q", text, got)
	}
}

func TestLinesInChunks(t *testing.T) {
	lengths := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 5)
	piece := rapid.SampledFrom([]string{
		`{`, `}`, `[`, `]`, `"`, `\`, `,`, "\n", " ", `{"a":1}`, `"x,]"`, `{"a":["\""]}`, "1", "\r\n\t", "\xff",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "text"), "")
		checkChunks(t, []byte(text), lengths.Draw(t, "in"), lengths.Draw(t, "out"))
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`[{"a":"x"},`+"\n"+`{"b":[1,{"c":"\""}]}]`), uint8(3), uint8(2))
	f.Add([]byte("[{\"a\":\"x\n},1 ]"), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, in, out uint8) {
		checkChunks(t, text, []int{int(in) + 1}, []int{int(out) + 1})
	})
}

// An error of the reader comes behind all that it gave.
func TestLinesError(t *testing.T) {
	r := Lines(io.MultiReader(strings.NewReader(`[{"a":1},{"b"`), iotest.ErrReader(io.ErrUnexpectedEOF)))
	got, err := io.ReadAll(r)
	requesttest.Same(t, "text", string(got), "{\"a\":1}\n{\"b\"")
	requesttest.Same(t, "error", err, io.ErrUnexpectedEOF)
	n, err := r.Read(nil)
	requesttest.Same(t, "an empty read", n == 0 && err == nil, true)
}
