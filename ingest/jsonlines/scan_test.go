package jsonlines

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"keyskew/ingest/request/requesttest"

	"pgregory.net/rapid"
)

// wanted are the paths that the comparison with encoding/json asks for.
var wanted = [][]string{{"a"}, {"b"}, {"c", "d"}, {"c"}, {"e", "1"}, {"key"}, {"c", "e", "0", "a"}}

func wantedPlan() (*node, []value) {
	plan := newPlan()
	for i, path := range wanted {
		plan.add(path, i)
	}
	return plan, make([]value, len(wanted))
}

// reference is what encoding/json makes of a value: its kind, and a text or a number's digits.
func reference(v any, path []string) (kind, string) {
	for _, name := range path {
		switch x := v.(type) {
		case map[string]any:
			inner, ok := x[name]
			if !ok {
				return absent, ""
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(x) || strconv.Itoa(i) != name {
				return absent, ""
			}
			v = x[i]
		default:
			return absent, ""
		}
	}
	switch x := v.(type) {
	case string:
		return text, x
	case json.Number:
		return number, x.String()
	case bool:
		return boolean, strconv.FormatBool(x)
	case nil:
		return null, ""
	case []any:
		return array, ""
	}
	return object, ""
}

// against compares a scan with encoding/json: both take a line or neither does, and the values are equal.
// encoding/json replaces what is no UTF-8, which a key must not suffer; that is the one difference.
func against(t interface{ Fatalf(string, ...any) }, line []byte) {
	plan, slots := wantedPlan()
	s := scanner{slots: slots}
	got := s.scan(line, plan)

	d := json.NewDecoder(strings.NewReader(string(line)))
	d.UseNumber()
	var v map[string]any
	valid := json.Valid(line)
	if valid && d.Decode(&v) != nil {
		valid = false
	}
	if valid = valid && v != nil; valid != (got == whole) {
		t.Fatalf("%q: got outcome %d, but for encoding/json it is %v", line, got, valid)
	}
	if !valid {
		return
	}
	for i, path := range wanted {
		kind, want := reference(v, path)
		have := string(unescape(nil, slots[i].raw))
		if kind == null || kind == array || kind == object || kind == absent {
			have = ""
		}
		if slots[i].kind != kind || string([]rune(have)) != string([]rune(want)) {
			t.Fatalf("%q: %v: got %d %q, want %d %q", line, path, slots[i].kind, have, kind, want)
		}
	}
}

func TestScan(t *testing.T) {
	for _, line := range []string{
		`{}`, ` {"a":1} `, "\t{\"a\" : 1 ,\r\"b\":[ ] }", `{"a":1}x`, `{"a":1}{`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`,
		`{a:1}`, `{"a":1 "b":2}`, `{"e":[1,2,3]}`, `{"e":[1,]}`, `{"e":[1 2]}`, `{"e":[]}`, `{"e":[[],{}]}`, `{"e":{"1":7}}`,
		`{"a":"x\"y"}`, `{"a":"\\"}`, `{"a":"\u0041\ud83d\ude00\u00e9"}`, `{"a":"\ud83d"}`, `{"a":"\ude00\ud83d"}`,
		`{"a":"\ud83d\u0041"}`, `{"a":"\ud83d\ud83d\ude00"}`, `{"a":"\u12"}`, `{"a":"\u12g4"}`, `{"a":"\q"}`, `{"a":"\x41"}`,
		"{\"a\":\"\x01\"}", "{\"a\":\"\x1f12345678\"}", "{\"a\":\"12345678\x7f\xff\xc3\xa9\"}", "{\"\xff\":1}",
		`{"a":01}`, `{"a":-}`, `{"a":-0}`, `{"a":1.}`, `{"a":.5}`, `{"a":1e}`, `{"a":1e+5}`, `{"a":-1.50E-07}`, `{"a":+1}`,
		`{"a":true,"b":false,"c":null}`, `{"a":tru}`, `{"a":nul}`, `{"a":nan}`, `{"a":True}`,
		`{"a":1,"a":"2"}`, `{"c":{"d":1},"c":{"e":2}}`, `{"c":{"d":1},"c":3}`, `{"\u0061":1}`, `{"k\u0065y":"v"}`,
		`{"c":{"e":[{"a":"deep","a":"deeper"}]}}`, `[]`, `"a"`, `1`, ``, ` `, `null`, `{"a":"unfinished`, `{"a":"x\`, `{"a":[{`,
		strings.Repeat(`{"a":`, 10001) + "1" + strings.Repeat("}", 10001),
		strings.Repeat(`{"a":`, 10000) + "1" + strings.Repeat("}", 10000),
		`{"a":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`,
		`{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`,
	} {
		against(t, []byte(line))
	}
}

func TestScanProperty(t *testing.T) {
	var drawValue func(depth int) *rapid.Generator[any]
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "key", "", "\u00e9\n", "long name of a field"})
	drawValue = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			switch k := rapid.IntRange(0, 5+min(depth, 2)).Draw(t, "kind"); k {
			case 0:
				return rapid.String().Draw(t, "string")
			case 1:
				return rapid.Float64().Draw(t, "float")
			case 2:
				return rapid.Int64().Draw(t, "int")
			case 3:
				return rapid.Bool().Draw(t, "bool")
			case 4:
				return nil
			case 5:
				return rapid.StringN(0, 3, -1).Draw(t, "short")
			case 6:
				return rapid.MapOfN(name, drawValue(depth-1), 0, 5).Draw(t, "object")
			default:
				return rapid.SliceOfN(drawValue(depth-1), 0, 3).Draw(t, "array")
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		line, err := json.Marshal(rapid.MapOf(name, drawValue(3)).Draw(t, "record"))
		if err != nil {
			t.Fatal(err)
		}
		against(t, line)
		// One byte more, less or changed.
		if i := rapid.IntRange(0, len(line)-1).Draw(t, "at"); rapid.Bool().Draw(t, "drop") {
			against(t, append(line[:i:i], line[i+1:]...))
		} else {
			line[i] = rapid.SampledFrom([]byte("\"\\{}[]:,0x \x01\xff")).Draw(t, "byte")
			against(t, line)
		}
		against(t, line[:rapid.IntRange(0, len(line)).Draw(t, "end")])
	})
}

// A line that was cut is open at every place where more could make it whole; one that is damaged is not.
func TestOutcome(t *testing.T) {
	const line = `{"a":"x\u00e9\n","b":[1,-2.5e+3,true,null,{"c":false}],"c":{"d":""}}`
	plan, slots := wantedPlan()
	s := scanner{slots: slots}
	for i := 1; i < len(line); i++ {
		if got := s.scan([]byte(line[:i]), plan); got != open {
			t.Errorf("%s: %d", line[:i], got)
		}
		if got := s.scan([]byte(line[:i]+"\x01"), plan); got != broken {
			t.Errorf("%s and a control character: %d", line[:i], got)
		}
	}
	requesttest.Same(t, "whole", s.scan([]byte(line), plan), whole)
	requesttest.Same(t, "not an object", s.scan([]byte(`["a"]`), plan), noObject)
	// The values in front of the cut are there.
	s.scan([]byte(`{"a":"first","b":2,"c":{"d":"third","x":"cu`), plan)
	requesttest.Same(t, "values", string(slots[0].raw)+string(slots[1].raw)+string(slots[2].raw), "first2third")
}

func TestHexEscapes(t *testing.T) {
	plan, slots := wantedPlan()
	s := scanner{slots: slots, hexEscapes: true}
	requesttest.Same(t, "outcome", s.scan([]byte(`{"a":"\x22\xC3\xa9\\x41"}`), plan), whole)
	requesttest.Same(t, "value", string(unescape(nil, slots[0].raw)), `"é\x41`)
	requesttest.Same(t, "seen", s.hex, true)
	requesttest.Same(t, "short", s.scan([]byte(`{"a":"\x2"}`), plan), broken)
	requesttest.Same(t, "seen no more", s.scan([]byte(`{"a":"x"}`), plan) == whole && !s.hex, true)
}

func FuzzScan(f *testing.F) {
	for _, line := range []string{
		`{"a":"x\"y","b":-1.5e3,"c":{"d":null,"e":[{"a":true}]},"key":"\ud83d\ude00"}`, `{"a":1,"a":2}`, `{"e":[1,"2"]}`,
		`{"\u0061":"\/\b\f\n\r\t"}`, "{\"a\":\"\xff\"}", `{"a":tru`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		against(t, line)
		// The scan of a trace does not read what is behind the line: a longer slice changes nothing.
		plan, slots := wantedPlan()
		s := scanner{slots: slots, hexEscapes: true}
		s.scan(append(line, `"}]}`...)[:len(line)], plan)
	})
}
