package monitor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"

	"pgregory.net/rapid"
)

// printLine writes a line as the server does (replicationFeedMonitors, sdscatrepr in Redis's source).
func printLine(origin string, argv [][]byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "1796072448.302647 [3 %s]", origin)
	for _, arg := range argv {
		b.WriteString(" " + repr(arg))
	}
	return b.String()
}

func repr(arg []byte) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range arg {
		switch {
		case c == '\\' || c == '"':
			b.WriteString(`\` + string(rune(c)))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\a':
			b.WriteString(`\a`)
		case c == '\b':
			b.WriteString(`\b`)
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var frames = map[string]func(string) string{
	"plain":              func(l string) string { return l },
	"socket":             func(l string) string { return "+" + l },
	"csv":                func(l string) string { return repr([]byte(l)) },
	"json":               func(l string) string { return asJSON(l) },
	"docker":             func(l string) string { return asJSON(map[string]string{"log": l + "\n", "stream": "stdout"}) },
	"prefixed":           func(l string) string { return "Nov 30 10:00:01.5 host x[12]: " + l },
	"comment":            func(l string) string { return "# " + l },
	"socket in a prefix": func(l string) string { return "redis_1  | +" + l },
}

// Bytes that have a meaning somewhere are drawn often.
func drawArg(t *rapid.T, label string) []byte {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]byte(`"\] [lua0.x`+"\n\r\x00\xff")), rapid.Byte(),
	), 0, 12).Draw(t, label)
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		argv := make([][]byte, rapid.IntRange(1, 5).Draw(t, "argc"))
		for i := range argv {
			argv[i] = drawArg(t, "arg")
		}
		origin := rapid.SampledFrom([]string{
			"127.0.0.1:5", "[::1]:5", "::1:5", "unix:/run/my s]ock", "lua", "", "?:0",
		}).Draw(t, "origin")
		for name, frame := range frames {
			physical := frame(printLine(origin, argv))
			l, err := ParseLine([]byte(physical))
			if err != nil || l.DB != 3 || string(l.Origin) != origin || l.Time != 1796072448302647000 ||
				!slices.EqualFunc(l.Argv, argv, bytes.Equal) {
				t.Fatalf("%s: %s: got %q, %v, want %q", name, physical, l.Argv, err, argv)
			}
			if db, ok := Database([]byte(physical)); db != 3 || !ok {
				t.Fatalf("%s: %s: database %d, %v", name, physical, db, ok)
			}
			if Continues([]byte(physical)) != (l.Kind != Client) {
				t.Fatalf("%s: %s: Continues does not see what it is", name, physical)
			}
		}
	})
}

func drawLine(t *rapid.T) string {
	origin := rapid.SampledFrom([]string{"127.0.0.1:5", "10.0.0.1:7", "lua", "lua", ""}).Draw(t, "origin")
	command := rapid.SampledFrom([]string{
		"get", "set", "mset", "eval", "eval", "ping", "foo", "bar", "blpop", "auth", "rreplay",
	}).Draw(t, "command")
	argv := [][]byte{[]byte(command)}
	if command == "eval" {
		argv = append(argv, []byte("s"), []byte("2"))
	}
	for range rapid.IntRange(0, 4).Draw(t, "args") {
		argv = append(argv, drawArg(t, "arg"))
	}
	line := printLine(origin, argv)
	switch rapid.IntRange(0, 12).Draw(t, "damage") {
	case 0:
		line = line[:rapid.IntRange(0, len(line)).Draw(t, "cut")]
	case 1:
		line = rapid.SampledFrom([]string{"", "OK", "junk", "1796072448.302647", " \r"}).Draw(t, "other")
	case 2:
		i := rapid.IntRange(0, len(line)).Draw(t, "at")
		line = line[:i] + `"` + line[i:]
	}
	return rapid.SampledFrom([]string{"", "+", "# "}).Draw(t, "frame") + line
}

// However the input is cut into blocks, by however many decoders they are read: the same rows and the
// same tally.
func TestBlocks(t *testing.T) {
	decoder := func() request.Decoder { return New(Options{}) }
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(drawLine), 1, 12).Draw(rt, "lines")
		text := strings.Join(lines, "\n")
		if rapid.Bool().Draw(rt, "ended") {
			text += "\n"
		}
		err := requesttest.InBlocks(t, request.Format{Continues: Continues}, decoder, []byte(text), func() bool { return rapid.Bool().Draw(rt, "go on") })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// The bytes of a command's arguments are shared out among its keys without loss.
func TestSizesAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		argv := [][]byte{[]byte(rapid.SampledFrom([]string{"MSET", "MGET", "DEL", "SET", "BITOP"}).Draw(rt, "command"))}
		total := 0
		for range 2 * rapid.IntRange(1, 4).Draw(rt, "pairs") {
			arg := drawArg(rt, "arg")
			argv = append(argv, arg)
			total += len(arg)
		}
		got, _ := decodeString(t, printLine("127.0.0.1:5", argv)+"\n")
		sum := 0
		for _, r := range got.List {
			sum += int(r.Size)
		}
		if len(got.Keys()) > 0 && sum != total {
			rt.Fatalf("%q: %d bytes of %d", argv, sum, total)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"redis-cli.log", "csv.log", "raw_socket.log", "docker_json.log"} {
		f.Add(sample(f, name), int64(0), true, false)
	}
	f.Add([]byte(at+`"rpush" "k" "{\"a\":"b`), int64(0), true, true)
	f.Add([]byte(at+`"mget" "k" "l\x0`), int64(1<<40), false, false)
	f.Add([]byte("1365177870.147208 (db 3) \"get\" \"a\"\n"+at+"\"foo\" \"1\"\n"), int64(0), false, true)
	f.Fuzz(func(t *testing.T, data []byte, dropped int64, last, skip bool) {
		o := Options{SkipUnknown: skip}
		got, tally := decode(t, o, request.Block{Data: data, Last: last, Dropped: dropped})
		if got.Commands() > tally.Requests {
			t.Errorf("%d commands of %d requests", got.Commands(), tally.Requests)
		}
		s := Detect(data)
		if s.Matched > s.Lines || len(s.FirstBadText) > request.MaxShown || (s.FirstBad > 0) != (s.Lines > s.Matched) {
			t.Errorf("%+v", s)
		}
	})
}
