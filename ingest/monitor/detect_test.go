package monitor

import (
	"strings"
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

func TestDetect(t *testing.T) {
	f := func(name, text string, want Sniff) {
		t.Helper()
		requesttest.Same(t, name, Detect([]byte(text)), want)
	}
	get := at + `"GET" "k"` + "\n"
	f("nothing", "", Sniff{})
	f("only a banner", "127.0.0.1:6379> monitor\nOK\n\n", Sniff{})
	f("plain", "OK\n"+get+get, Sniff{Lines: 2, Matched: 2, Framing: FramingPlain})
	f("old", "+OK\r\n+1365177870.147208 \"set\" \"docker\" \"awesome\"\r\n", Sniff{Lines: 1, Matched: 1, Framing: FramingOld})
	f("a cut last line is no evidence", get+at[:30], Sniff{Lines: 1, Matched: 1, Framing: FramingPlain})
	f("one line longer than the sample", at+`"SET" "k" "vvvv`, Sniff{Lines: 1, Matched: 1, Framing: FramingPlain})
	f("mixed", get+"# "+get+"# "+get, Sniff{Lines: 3, Matched: 3, Framing: FramingPrefixed})
	bad := func(line int, text string) Sniff {
		return Sniff{Lines: 1, FirstBad: line, FirstBadText: text, Reason: explain(reasonForeign)}
	}
	f("access log", "\n"+`1339518083.107 "GET /index.html HTTP/1.1" 200`+"\n",
		bad(2, `1339518083.107 "GET /index.html HTTP/1.1" 200`))
	f("escaped", "a\x1b[0m\xff\n", bad(1, `a\x1b[0m\xff`))
	f("exactly the limit", strings.Repeat("y", request.MaxShown)+"\n", bad(1, strings.Repeat("y", request.MaxShown)))
	f("longer", strings.Repeat("y", request.MaxShown+1)+"\n", bad(1, strings.Repeat("y", request.MaxShown-3)+"..."))
	f("password", "AUTH hunter2\n", bad(1, hidden))
	f("unquoted", at+"GET k\n", Sniff{
		Lines: 1, FirstBad: 1, FirstBadText: at + "GET k", Reason: string(reasonNoCommand),
	})
}

func TestContinues(t *testing.T) {
	f := func(line string, want bool) {
		t.Helper()
		requesttest.Same(t, line, Continues([]byte(line)), want)
	}
	f(`1796072448.302647 [0 lua] "get" "k"`, true)
	f(`+1796072448.302647 [12 lua] "get" "k"`, true)
	f(`"1796072448.302647 [0 lua] \"get\" \"k\""`, true)
	f(`redis_1 | 1796072448.302647 [0 lua] "get" "k"`, true)
	f(`1796072448.302647 [0 ] "get" "k"`, true)
	f(`1796072448.302647 [0 ?:0] "get" "k"`, true)
	f(`1796072448.302647 [0 luanda:5] "get" "k"`, false)
	f(at+`"set" "k" "1796072448.302647 [0 lua] \"get\""`, false)
	f(`1365177870.147208 "get" "lua] "`, false)
	f(`OK`, false)
	f(``, false)
}
