package monitor

import (
	"fmt"
	"strings"
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"

	"pgregory.net/rapid"
)

// both decodes a block with and without the fast path and compares all that comes out. It returns how
// many lines the fast path took.
func both(t testing.TB, o Options, data []byte) int {
	t.Helper()
	run := func(slow bool) (*requesttest.Rows, *request.Tally) {
		d := New(o).(*decoder)
		d.slow = slow
		sink, tally := &requesttest.Rows{T: t}, &request.Tally{}
		d.Decode(request.Block{Data: data, Offset: 100, Last: true}, sink, tally)
		return sink, tally
	}
	fastRows, fastTally := run(false)
	slowRows, slowTally := run(true)
	if len(fastRows.List) != len(slowRows.List) {
		t.Fatalf("%d rows with the fast path, %d without, of\n%s", len(fastRows.List), len(slowRows.List), data)
	}
	for i := range slowRows.List {
		if fastRows.List[i] != slowRows.List[i] {
			t.Fatalf("row %d:\nfast %+v\nslow %+v\nof\n%s", i, fastRows.List[i], slowRows.List[i], data)
		}
	}
	if f, s := fmt.Sprintf("%+v", fastTally), fmt.Sprintf("%+v", slowTally); f != s {
		t.Fatalf("tally:\nfast %s\nslow %s\nof\n%s", f, s, data)
	}
	d := New(o).(*decoder)
	d.sink, d.tally = &nowhere{}, &request.Tally{}
	taken := 0
	for at := 0; at < len(data); {
		next := d.fast(data, at, 0)
		if next > 0 {
			taken++
			at = next
			continue
		}
		n := strings.IndexByte(string(data[at:]), '\n') + 1
		if n == 0 {
			break
		}
		at += n
	}
	return taken
}

// Ordinary lines, and what may stand in each place of one.
func TestFastEqualsSlow(t *testing.T) {
	pick := func(of ...string) *rapid.Generator[string] { return rapid.SampledFrom(of) }
	arg := pick("v", "", "a b", `\"`, `\\`, `\n`, `\x00\xff`, `\xZ1`, `\q`, `a"b`, `\`, `x\`, "NX", "EX", "INCR", "GET",
		strings.Repeat("long ", 30), `{\"json\":1}`)
	line := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		b.WriteString(pick("1796072448", "1796072448", "1796072449", "179607244", "17960724480", "0000000000", "1796x72448").Draw(t, "secs"))
		b.WriteString("." + pick("302647", "000000", "999999", "12345", "1234567", "30264x", "      ").Draw(t, "usec"))
		b.WriteString(pick(" [0 ", " [0 ", " [15 ", " [123456789 ", " [1234567890 ", " [", " [ ", "  [0 ", " (db 3) ").Draw(t, "db"))
		b.WriteString(pick("127.0.0.1:47940", "10.0.0.7:1", "[::1]:5000", "[::ffff:10.0.0.7]:99", "unix:/tmp/a b]", "lua", "?:0", "", "x",
			"unix:/tmp/a\\b", "::1:5", strings.Repeat("9", 50)+":1").Draw(t, "origin"))
		b.WriteString(pick("] ", "] ", "]  ", "]", " ").Draw(t, "bracket"))
		b.WriteString(`"` + pick("GET", "get", "SET", "Set", "HGET", "INCR", "ZADD", "EXPIRE", "MGET", "PING", "EVAL", "AUTH", "ZRANGEBYSCORE",
			"GEORADIUSBYMEMBER_RO", "nosuch", "", "G\x7fT", "ge4", "BLPOP", "OBJECT", "JSON.GET", "XADD").Draw(t, "command") + `"`)
		for range rapid.IntRange(0, 5).Draw(t, "args") {
			b.WriteString(pick(" ", " ", " ", "  ", "").Draw(t, "space") + `"` + arg.Draw(t, "arg") + pick(`"`, `"`, `"`, ``).Draw(t, "close"))
		}
		b.WriteString(pick("\n", "\n", "\r\n", "\r\r\n", " \n", "").Draw(t, "end"))
		return b.String()
	})
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(line, 1, 12).Draw(rt, "lines")
		both(t, Options{Replica: rapid.Bool().Draw(rt, "replica"), SkipUnknown: rapid.Bool().Draw(rt, "skip unknown")},
			[]byte(strings.Join(lines, "")))
	})
}

// The ordinary lines take the fast path: else nothing above would test it.
func TestFastPathIsTaken(t *testing.T) {
	data := block(2048)
	if n := both(t, Options{}, data); n < 2040 { // the last ones lack the room to read ahead
		t.Errorf("the fast path took %d of 2048 ordinary lines", n)
	}
	for _, l := range []string{
		`1796072448.302647 [0 127.0.0.1:47940] "GET" "user:1"`,
		`1796072448.302647 [15 [::1]:47940] "hset" "user:1" "f" "a \"quoted\" value"`,
		`1796072448.302647 [0 unix:/run/r.sock] "ZRANGEBYSCORE" "z" "0" "1"`,
	} {
		if n := both(t, Options{}, []byte(l+"\n"+l+"\n"+l+"\n")); n == 0 {
			t.Errorf("the fast path leaves %s", l)
		}
	}
}

func TestSixDigits(t *testing.T) {
	for _, want := range []int64{0, 1, 9, 10, 99, 123456, 654321, 100000, 999999, 909090, 90909} {
		var w uint64
		for i, c := range []byte(fmt.Sprintf("%06d [", want)) {
			w |= uint64(c) << (8 * i)
		}
		if got, ok := sixDigits(w); !ok || got != want {
			t.Errorf("sixDigits(%06d) = %d, %v", want, got, ok)
		}
		for i := range 6 {
			for _, c := range []byte{'/', ':', ' ', 0, 0xff, 'a', 0xb0} {
				if _, ok := sixDigits(w&^(0xff<<(8*i)) | uint64(c)<<(8*i)); ok {
					t.Errorf("%06d with %q in place %d was read", want, c, i)
				}
			}
		}
	}
}

func FuzzFastEqualsSlow(f *testing.F) {
	f.Add(block(40))
	f.Add([]byte(`1796072448.302647 [0 127.0.0.1:47940] "SET" "k" "v\"" "EX" "10"` + "\n" +
		`1796072448.302647 [0 127.0.0.1:47940] "eval" "s" "1" "k"` + "\n1796072448.302700 [0 lua] \"get\" \"k\"\n" +
		`1796072448.302647 [0 127.0.0.1:47940] "GET" "k"` + "\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) { both(t, Options{}, data) })
}
