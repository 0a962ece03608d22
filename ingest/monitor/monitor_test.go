package monitor

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

func TestFramings(t *testing.T) {
	plain, plainTally := decodeString(t, string(sample(t, "redis-cli.log")))
	want := []string{
		"user:1", "a", "b", "user:1", `hits] "{x}`, "k\"\\\n\xc3\xa9<&>", "s1", "declared", "", "q",
	}
	requesttest.Same(t, "keys", plain.Keys(), want)
	requesttest.Same(t, "requests", plainTally.Requests, 15)
	requesttest.Same(t, "commands", plain.Commands(), 13)
	requesttest.Same(t, "notes", plainTally.Notes, []request.Note(nil))

	framing := map[string]string{
		"redis-cli.log": FramingPlain, "csv.log": FramingCSV, "raw_socket.log": FramingSocket,
		"docker_json.log": FramingJSON, "logstash_message.log": FramingJSON, "logfmt.log": FramingJSON,
	}
	files, err := filepath.Glob(filepath.Join(golden.Root(), "testdata", "monitor", "*.log"))
	if err != nil || len(files) < 13 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			text := requesttest.File(t, file)
			got, tally := decodeString(t, string(text))
			requesttest.Same(t, "rows", apart(got), apart(plain))
			if _, bad := tally.Skipped(); bad != 0 {
				t.Errorf("skipped: %v", tally.Skips)
			}
			s := Detect(text)
			wantFraming, ok := framing[name]
			if !ok {
				wantFraming = FramingPrefixed
			}
			requesttest.Same(t, "framing", s.Framing, wantFraming)
			requesttest.Same(t, "matched", s.Matched, 15)
		})
	}
}

func TestEscapes(t *testing.T) {
	f := func(arg, want string) {
		t.Helper()
		l, err := ParseLine([]byte(at + `"GET" ` + arg))
		if err != nil || len(l.Argv) != 2 || string(l.Argv[1]) != want {
			t.Errorf("%s: got %q, %v, want %q", arg, l.Argv, err, want)
		}
	}
	f(`""`, "")
	f(`"plain"`, "plain")
	f(`"\n\r\t\a\b\\\""`, "\n\r\t\a\b\\\"")
	f(`"\x00\xff\xFF\xaB"`, "\x00\xff\xff\xab")
	f(`"] \" [0 lua] "`, `] " [0 lua] `)
	f(`"\\"`, `\`)
	f(`"\\\""`, `\"`)
	f(`"\v\xg1\x4"`, `\v\xg1\x4`)
	f(`"`+"\x01\xc3\xa9"+`"`, "\x01\xc3\xa9")

	_, tally := decodeString(t, at+`"GET" "a\vb"`+"\n")
	requesttest.Same(t, "notes", requesttest.Notes(tally), map[string]int64{noteOdd: 1})
}

func TestUnwrap(t *testing.T) {
	f := func(inside, want string) {
		t.Helper()
		requesttest.Same(t, inside, string(unwrap(nil, []byte(inside))), want)
	}
	f(`plain`, "plain")
	f(`a\"b\\c\/d" tail`, `a"b\c/d`)
	f(`\n\r\t\b\a\f\x41\u003c\u00e9`, "\n\r\t\b\a\fA<\u00e9")
	f(`\ud83d`, "\ufffd")
	f(`\v\u12\xg`, `\v\u12\xg`)
	f(`cut\`, "cut")
}

// A line has its database whatever became of its arguments.
func TestDatabase(t *testing.T) {
	for line, want := range map[string]int{
		`1339518083.107412 [3 1.2.3.4:5] "get" key`:            3,
		`1339518083.107412 [3 1.2.3.4:5] "set" "k" "cut`:       3,
		`1339518083.107412 [12 lua] "set" "k"`:                 12,
		`1339518083.107412 [3 1.2.3.4:5`:                       3,
		`"1339518083.107412 [7 1.2.3.4:5] \"set\" \"k\" \"cut`: 7,
		`web-1 | 1339518083.107412 [2 [::1]:5] "x"`:            2,
		`1365177870.147208 (db 4) "get" "a`:                    4,
		`1365177870.147208 "get" "a"`:                          0,
		`OK`:                                                   -1, ``: -1, `1339518083.107412 [x 1.2.3.4:5] "x"`: -1,
	} {
		got, ok := Database([]byte(line))
		if !ok {
			got = -1
		}
		requesttest.Same(t, line, got, want)
	}
}

func TestParseLine(t *testing.T) {
	f := func(line string, want string) {
		t.Helper()
		l, err := ParseLine([]byte(line))
		got := fmt.Sprintf("%d %d %s %d %q", l.Time, l.DB, l.Origin, l.Kind, l.Argv)
		if err != nil {
			got = err.Error()
		}
		requesttest.Same(t, line, got, want)
	}
	f(`1339518083.107412 [0 127.0.0.1:60866] "keys" "*"`, `1339518083107412000 0 127.0.0.1:60866 0 ["keys" "*"]`)
	f(`1339518083.107412 [15 [::1]:60866] "x"`, `1339518083107412000 15 [::1]:60866 0 ["x"]`)
	f(`1339518083.107412 [0 ::1:60866] "x"`, `1339518083107412000 0 ::1:60866 0 ["x"]`)
	f(`1339518083.107412 [0 unix:/a [b] c.sock] "x"`, `1339518083107412000 0 unix:/a [b] c.sock 0 ["x"]`)
	f(`1339518083.107412 [0 lua] "x"`, `1339518083107412000 0 lua 1 ["x"]`)
	f(`1339518083.107412 [0 ] "x"`, `1339518083107412000 0  2 ["x"]`)
	f(`1339518083.107412 [0 ?:0] "x"`, `1339518083107412000 0 ?:0 2 ["x"]`)
	// Dragonfly: the fraction is a decimal, whatever its length.
	f(`1339518083.526 [0 1.2.3.4:5] "x"`, `1339518083526000000 0 1.2.3.4:5 0 ["x"]`)
	f(`1339518083.4081556 [0 1.2.3.4:5] "x"`, `1339518083408155600 0 1.2.3.4:5 0 ["x"]`)
	f(`1339518083.123456789 [0 1.2.3.4:5] "x"`, `1339518083123456789 0 1.2.3.4:5 0 ["x"]`)
	f(`9999999999.000000 [0 1.2.3.4:5] "x"`, `9223372035000000000 0 1.2.3.4:5 0 ["x"]`)
	f(`12.000000 [0 1.2.3.4:5] "x"`, `12000000000 0 1.2.3.4:5 0 ["x"]`)
	// Redis 2.4 and older.
	f(`+1365177870.147208 "set" "docker" "awesome"`, `1365177870147208000 0  0 ["set" "docker" "awesome"]`)
	f(`1365177870.147208 (db 3) "get" "a"`, `1365177870147208000 3  0 ["get" "a"]`)
	f(`x: 1365177870.147208 "get" "1339518083.107412 [0 1.2.3.4:5] \"x\""`,
		`1365177870147208000 0  0 ["get" "1339518083.107412 [0 1.2.3.4:5] \"x\""]`)
	// A value that looks like a line of its own.
	f(`1339518083.107412 [0 1.2.3.4:5] "set" "1339518083.107412 [0 lua] "`,
		`1339518083107412000 0 1.2.3.4:5 0 ["set" "1339518083.107412 [0 lua] "]`)
	f(`1339518083.107412 [0 1.2.3.4:5] set "1339518083.107412 [0 lua] \"get\" \"x\""`, string(reasonNoCommand))

	f(``, string(reasonForeign))
	f(`1339518083.107412`, string(reasonForeign))
	f(`1339518083.1234567890 [0 1.2.3.4:5] "x"`, string(reasonForeign))
	f(`13395180831.107412 [0 1.2.3.4:5] "x"`, string(reasonForeign))
	f(`1339518083.107 "GET /index.html HTTP/1.1" 200 12`, string(reasonForeign))
	f(`1339518083.107412 "GET /index.html HTTP/1.1" 200 12`, string(reasonForeign))
	f(`1339518083.107412 [x 1.2.3.4:5] "x"`, string(reasonForeign))
	f(`1339518083.107412 [0 1.2.3.4:5]`, string(reasonNoCommand))
	f(`1339518083.107412 [0 1.2.3.4:5] "get" key`, string(reasonDamaged))
	f(`1339518083.107412 [0 1.2.3.4:5] "get" "key"x`, string(reasonDamaged))
	f(`1339518083.107412 [0 1.2.3.4:5] "get" "key\"`, string(reasonOpen))
}

func TestHostOf(t *testing.T) {
	f := func(origin, want string) {
		t.Helper()
		requesttest.Same(t, origin, string(hostOf([]byte(origin))), want)
	}
	f("127.0.0.1:1", "127.0.0.1")
	f("[::1]:2", "::1")
	f("::1:39112", "::1")
	f("[::ffff:172.17.0.1]:43346", "172.17.0.1")
	f("::FFFF:172.17.0.1:43346", "172.17.0.1")
	f("[::ffff:1:2]:3", "::ffff:1:2")
	f("unix:/run/a:b.sock", "unix:/run/a:b.sock")
	f("nothing", "nothing")
	f(":", "")
}

func TestScripts(t *testing.T) {
	eval := at + `"eval" "s" "2" "k1" "k2" "arg"` + "\n"
	lua := func(cmd string) string { return "1796072448.302700 [0 lua] " + cmd + "\n" }
	module := "1796072448.302650 [0 ] \"RPUSH\" \"inner\" \"v\"\n"
	get := at + "\"get\" \"g\"\n"
	f := func(name, text string, want []string, wantNotes map[string]int64) {
		t.Helper()
		got, tally := decodeString(t, text)
		var list []string
		for _, r := range got.List {
			s := r.Command + " " + r.Key
			if r.Flags&request.NoKey != 0 {
				s = r.Command + " -"
			}
			if r.Flags&request.BeginsCommand != 0 {
				s = "*" + s
			}
			if r.Algebra&request.TogetherKeys != 0 {
				s += " together"
			}
			if r.Client == 0 {
				s += " (no client)"
			}
			list = append(list, s+" "+r.Op.String())
		}
		requesttest.Same(t, name, list, want)
		requesttest.Same(t, name+": notes", requesttest.Notes(tally), wantNotes)
	}
	none := map[string]int64{}
	f("calls", eval+lua(`"incr" "k1"`)+lua(`"time"`)+lua(`"get" "k2"`)+get,
		[]string{"EVAL - other", "*INCR k1 together write", "GET k2 together read", "*GET g read"}, none)
	f("no calls", eval+get,
		[]string{"*EVAL k1 together write", "EVAL k2 together write", "*GET g read"}, none)
	f("only calls without keys", eval+lua(`"time"`), []string{"*EVAL - other"}, none)
	f("calls through a module", eval+module+lua(`"mod.push" "k1"`)+get,
		[]string{"EVAL - other", "*MOD.PUSH k1 together other", "*GET g read"},
		map[string]int64{"unknown command MOD.PUSH: its first argument was taken as the key": 1})
	f("each its own", eval+lua(`"get" "a"`)+eval+lua(`"get" "b"`)+eval,
		[]string{
			"EVAL - other", "*GET a together read", "EVAL - other", "*GET b together read",
			"*EVAL k1 together write", "EVAL k2 together write",
		}, none)
	f("capture began in the middle", lua(`"get" "a"`)+lua(`"time"`)+get,
		[]string{"GET a (no client) read", "*GET g read"}, map[string]int64{noteOrphans: 2})
	f("not after an ordinary command", get+lua(`"get" "a"`),
		[]string{"*GET g read", "GET a (no client) read"}, map[string]int64{noteOrphans: 1})
	f("not after junk", eval+"junk\n"+lua(`"get" "a"`),
		[]string{"*EVAL k1 together write", "EVAL k2 together write", "GET a (no client) read"},
		map[string]int64{noteOrphans: 1})
	f("blocking calls do not block", eval+lua(`"blpop" "q" "0"`)+lua(`"xread" "block" "0" "streams" "s" "0"`),
		[]string{"EVAL - other", "*BLPOP q together write", "XREAD s together read"}, none)
	f("a damaged call", eval+lua(`"set" "a" "b"c`)+lua(`"get" "d"e`)+lua(`"get" "f"`),
		[]string{"EVAL - other", "*SET a together write", "GET f together read"}, map[string]int64{noteDamaged: 1})
}

func TestModuleLines(t *testing.T) {
	got, tally := decodeString(t, "1796073250.422414 [0 ] \"RPUSH\" \"ml\" \"v1\"\n"+
		"1796073250.422425 [0 127.0.0.1:36970] \"hello.push.call\" \"ml\" \"v1\"\n"+
		"1796073250.422426 [0 ?:0] \"RPUSH\" \"ml\" \"v1\n")
	requesttest.Same(t, "keys", got.Keys(), []string{"ml"})
	requesttest.Same(t, "command", got.List[0].Command, "HELLO.PUSH.CALL")
	requesttest.Same(t, "skips", requesttest.Skips(tally), map[request.Reason]int64{reasonModule: 2})
	if _, bad := tally.Skipped(); bad != 0 {
		t.Errorf("a module's calls are no damage: %v", tally.Skips)
	}
}

func TestSkips(t *testing.T) {
	f := func(text string, want request.Reason, benign bool) {
		t.Helper()
		_, tally := decodeString(t, text)
		if tally.Requests != 0 || len(tally.Skips) != 1 || tally.Skips[0].Reason != want || tally.Skips[0].Benign != benign {
			t.Errorf("%q: got %d requests, %+v, want %q", text, tally.Requests, tally.Skips, want)
		}
	}
	for _, line := range []string{
		"OK", "+OK\r", `"OK"`, "ok", "   OK", "127.0.0.1:6379> monitor", "redis /run/a b.sock> MONITOR",
		"$ redis-cli -h db1 monitor", "MONITOR\r", "quit", "Trying 127.0.0.1...", "Connected to localhost.",
		"Escape character is '^]'.", "Connection closed by foreign host.", "redis-1  | OK",
		`{"log":"OK\n","stream":"stdout","time":"2026-11-30T23:16:07.3Z"}`,
	} {
		f(line+"\n", reasonSession, true)
	}
	f("\n", reasonBlank, true)
	f(" \t\r\n", reasonBlank, true)
	f(at+`"rreplay" "6ba7b810-9dad-11d1-80b4-00c04fd430c8" "*3\r\n"`+"\n", reasonReplication, true)
	f("...\n", reasonForeign, false)
	f("$7\n", reasonForeign, false)
	f("awesome\n", reasonForeign, false)
	f(strings.Repeat("x", 300)+" monitor\n", reasonForeign, false)
	f(at+"GET x\n", reasonNoCommand, false)
	f(at+`"GET" "x`+"\n", reasonOpen, false)
	f(at+`"GET" x`+"\n", reasonDamaged, false)
	f(at+`"GE"T "x"`+"\n", reasonDamaged, false)
	f(at+`"GET" "x"y"`+"\n", reasonDamaged, false)
	f(at+`"AUTH" "x"y"`+"\n", reasonDamaged, false)
	for _, cut := range []string{at + `"GET" "x`, at + `"GET" "x\`, at + `"GE`, at, at[:25], at[:12], "+" + at[:5]} {
		f(cut, reasonCut, false)
	}
	_, tally := decode(t, Options{}, request.Block{Data: []byte(at + `"GET" "x`)})
	requesttest.Same(t, "cut inside the input", requesttest.Skips(tally), map[request.Reason]int64{reasonOpen: 1})
}

func TestLastLine(t *testing.T) {
	got, tally := decodeString(t, at+`"GET" "x"`)
	requesttest.Same(t, "keys", got.Keys(), []string{"x"})
	requesttest.Same(t, "tally", tally.Requests, 1)
}

func TestDamagedArgument(t *testing.T) {
	f := func(command string, wantKeys []string, wantCommand string) {
		t.Helper()
		got, tally := decodeString(t, at+command+"\n")
		requesttest.Same(t, command, got.Keys(), wantKeys)
		requesttest.Same(t, command, got.List[0].Command, wantCommand)
		requesttest.Same(t, command, requesttest.Notes(tally), map[string]int64{noteDamaged: 1})
	}
	f(`"rpush" "my:special:key" "{\"data\":"cdr\",\"payload\":\"json\"}"`, []string{"my:special:key"}, "RPUSH")
	f(`"mset" "a" "1" "b" "2"3 "c" "4"`, []string{"a", "b"}, "MSET")
	f(`"publish" "ch" "m"sg`, []string{}, "PUBLISH")
}

func TestSizes(t *testing.T) {
	f := func(command string, want ...uint64) {
		t.Helper()
		got, _ := decodeString(t, at+command+"\n")
		var sizes []uint64
		for _, r := range got.List {
			sizes = append(sizes, r.Size)
		}
		requesttest.Same(t, command, sizes, want)
	}
	f(`"GET" "abc"`, 3)
	f(`"SET" "abc" "\x00\n1" "EX" "10"`, 10)
	f(`"MSET" "a" "1" "bb" "22" "c" "333"`, 2, 4, 4)
	f(`"MGET" "a" "bb" "ccc"`, 1, 2, 3)
	f(`"BITOP" "AND" "dst" "b1" "b2"`, 6, 2, 2)
	f(`"PING" "payload"`, 0)
	f(`"GET" ""`, 0)
}

func TestLongKeys(t *testing.T) {
	long := strings.Repeat("k", request.MaxKey+1)
	got, tally := decodeString(t, at+`"SET" "`+long+`x" "v"`+"\n"+at+`"GET" "`+long+`y"`+"\n"+
		at+`"GET" "`+long[1:]+`"`+"\n")
	requesttest.Same(t, "long keys", tally.LongKeys, 2)
	keys := got.Keys()
	kept := fmt.Sprintf("%s%016x", long[:request.MaxKey-16], request.HashString(long+"x"))
	requesttest.Same(t, "kept", keys[0], kept)
	requesttest.Same(t, "a key of exactly the limit", keys[2], long[1:])
	if keys[0] == keys[1] {
		t.Error("two long keys became one")
	}
	requesttest.Same(t, "size", got.List[0].Size, request.MaxKey+3)
}

func TestDropped(t *testing.T) {
	f := func(line string, dropped int64, wantKeys []string, wantSize uint64, wantLong int64) {
		t.Helper()
		got, tally := decode(t, Options{}, request.Block{Data: []byte(line + "\n"), Dropped: dropped})
		requesttest.Same(t, line, got.Keys(), wantKeys)
		requesttest.Same(t, "requests", tally.Requests, 1)
		requesttest.Same(t, "size", got.List[len(got.List)-1].Size, wantSize)
		requesttest.Same(t, "long keys", tally.LongKeys, wantLong)
		requesttest.Same(t, "notes", requesttest.Notes(tally)[noteLong], 1)
	}
	f(at+`"SET" "k" "vvv`, 1000, []string{"k"}, 1004, 0)
	f(at+`"SET" "k" "vvv\x4`, 1000, []string{"k"}, 1004, 0)
	f(at+`"MGET" "a" "b" "c`, 1000, []string{"a", "b"}, 1002, 0)
	f(at+`"MGET" "a" "b"`, 1000, []string{"a", "b"}, 1001, 0)
	f(at+`"GET" "c`, 1000, []string{}, 0, 0)
	f(at+`"EVAL" "return`, 1000, []string{}, 0, 0)
	long := strings.Repeat("k", 5000)
	f(at+`"GET" "`+long, 1000, []string{fmt.Sprintf("%s%016x", long[:request.MaxKey-16], request.HashString(long))}, 6000, 1)
}

func TestUnknownCommands(t *testing.T) {
	text := at + `"intentionally" "broken" "entry"` + "\n" + at + `"x\x00y\"" "k"` + "\n" + at + `"" "k2"` + "\n" +
		at + `"bare"` + "\n" + at + `"intentionally" "again"` + "\n"
	got, tally := decodeString(t, text)
	requesttest.Same(t, "keys", got.Keys(), []string{"broken", "k", "k2", "again"})
	var commands []string
	for _, r := range got.List {
		commands = append(commands, r.Command)
	}
	requesttest.Same(t, "commands", commands, []string{"INTENTIONALLY", `X\x00Y\x22`, "?", "BARE", "INTENTIONALLY"})
	requesttest.Same(t, "notes", requesttest.Notes(tally), map[string]int64{
		"unknown command INTENTIONALLY: its first argument was taken as the key": 2,
		`unknown command X\x00Y\x22: its first argument was taken as the key`:    1,
		"unknown command ?: its first argument was taken as the key":             1,
		"unknown command BARE: no key was taken from it":                         1,
	})
	got, tally = decode(t, Options{SkipUnknown: true}, request.Block{Data: []byte(text)})
	requesttest.Same(t, "keys", got.Keys(), []string{})
	requesttest.Same(t, "commands", got.Commands(), 5)
	requesttest.Same(t, "note", requesttest.Notes(tally)["unknown command INTENTIONALLY: no key was taken from it"], 2)
}

func TestUnknownNamesAreBounded(t *testing.T) {
	n := newNames()
	known := len(n.list)
	for i := range 2 * maxUnknown {
		n.of(fmt.Appendf(nil, "name%d", i))
	}
	if len(n.list)-known >= maxUnknown || len(n.list) > 1<<16 {
		t.Errorf("%d names", len(n.list))
	}
	requesttest.Same(t, "the last one", n.of([]byte("one more")).id, 0)
	if got := n.list[n.of([]byte("name0")).id]; got != "NAME0" {
		t.Error(got)
	}
	requesttest.Same(t, "length", len(newNames().of(bytes.Repeat([]byte{0}, 200)).taken), len("unknown command : its first argument was taken as the key")+maxUnknownName)
}

func TestTally(t *testing.T) {
	_, tally := decodeString(t, "OK\n1796072450.000000 [0 1.2.3.4:5] \"PING\"\n\n1796072449.000000 [0 lua] \"time\"\n"+
		"1796072451.5 [0 1.2.3.4:5] \"GET\" \"x\"\nbroken\n")
	requesttest.Same(t, "tally", *tally, request.Tally{
		Lines: 6, Requests: 3, Timed: true, OutOfOrder: 1,
		First: 1796072449e9, Last: 1796072451.5e9, FirstSeen: 1796072450e9, LastSeen: 1796072451.5e9,
		Skips: []request.Skip{
			{Reason: reasonSession, Lines: 1, Benign: true, At: []int64{1}},
			{Reason: reasonBlank, Lines: 1, Benign: true, At: []int64{3}},
			{Reason: reasonForeign, Lines: 1, At: []int64{6}},
		},
		Notes: []request.Note{{Text: noteOrphans, Count: 1}},
	})
}

func TestOffsetsAndClients(t *testing.T) {
	line := at + `"MGET" "a" "b"` + "\n"
	got, _ := decode(t, Options{}, request.Block{Data: []byte(line + "OK\n" + line), Offset: 1000})
	var offsets []int64
	for _, r := range got.List {
		offsets = append(offsets, r.Offset)
		requesttest.Same(t, "client", r.Client, request.HashString("127.0.0.1"))
	}
	second := 1000 + int64(len(line)) + 3
	requesttest.Same(t, "offsets", offsets, []int64{1000, 1000, second, second})
}

// More rows than a batch holds, in one command and in many.
func TestFlush(t *testing.T) {
	var text strings.Builder
	text.WriteString(at + `"MGET"`)
	var want []string
	for i := range 3*batchRows + 7 {
		fmt.Fprintf(&text, ` "k%d"`, i)
		want = append(want, fmt.Sprintf("k%d", i))
	}
	text.WriteString("\n")
	got, _ := decodeString(t, text.String())
	if !slices.Equal(got.Keys(), want) {
		t.Error("not the keys that were asked for")
	}
	requesttest.Same(t, "commands", got.Commands(), 1)
}

// On a replica a counter may arrive as an overwrite, so no write there says what it does.
func TestReplicaWritesAreMarked(t *testing.T) {
	text := "1700000000.000001 [0 10.0.0.1:6379] \"SET\" \"f\" \"1.5\" \"KEEPTTL\"\n" +
		"1700000000.000002 [0 10.0.0.9:5000] \"GET\" \"f\"\n"
	for _, replica := range []bool{false, true} {
		got, _ := decode(t, Options{Replica: replica}, request.Block{Data: []byte(text), Last: true})
		if marked := got.List[0].Algebra&request.Replicated != 0; marked != replica {
			t.Errorf("Replica %v: the write is marked: %v", replica, marked)
		}
		if got.List[1].Algebra&request.Replicated != 0 {
			t.Error("a read is marked as replicated")
		}
	}
}
