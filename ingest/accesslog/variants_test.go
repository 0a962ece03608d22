package accesslog

import (
	"slices"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

var samples = slices.Concat(standard, variants)

// variants are logs as configurations in use write them.
var variants = []sampleLog{
	{ // no status and no size: the client was gone
		id: "traefik",
		text: `::1 - - [15/Apr/2024:13:04:10 +0000] "GET / HTTP/1.1" - - "-" "-" 27 "-" "-" 0ms
10.0.0.1 - - [15/Apr/2024:13:04:11 +0000] "GET /en/ HTTP/2.0" 200 2814 - "Mozilla/5.0 (iPhone)" 13 "Host-a" "http://172.19.0.6:14008" 247ms
`,
		want: []row{
			{Key: "/", Command: "GET", Op: request.Read, Time: "2024-04-15T13:04:10Z", Latency: 0},
			{Key: "/en/", Command: "GET", Op: request.Read, Size: 2814, Time: "2024-04-15T13:04:11Z", Status: 200, Latency: 247e6, Partition: "http://172.19.0.6:14008"},
		},
	},
	{ // a log-format of one's own: words between the server and the timers, no client
		id: "haproxy",
		text: `May 22 02:22:22 server1 haproxy[5089]: -:22222 [22/May/2021:02:22:22.222] www~ myapp/node2 site.example.com 0/0/0/18/18 200 200 - - ---- 222/222/2/0/0 0/0 "OPTIONS /api/v2/app/ HTTP/1.1"
May 22 02:22:22 server1 haproxy[5089]: 10.0.0.1:2 [22/May/2021:02:22:23.222] www~ myapp/node2 1/1/205 2635 -- 29/29/5/3/0 0/0
`,
		want: []row{
			{Key: "/api/v2/app/", Command: "OPTIONS", Op: request.Read, Size: 200, Time: "2021-05-22T02:22:22.222Z", Status: 200, Latency: 18e6, Partition: "myapp/node2"},
		},
		bad: []request.Reason{reasonConnection},
	},
	{ // further columns among Squid's own, and a client that sent no request
		id: "squid",
		text: `1773416922.391    104 10.105.21.199 58938 TCP_MISS/200 904 123 364 123 528 GET http://example.com/ 1.1 bob HIER_DIRECT/203.0.113.10 80 text/html - - "-" "curl/8.14.1"
1773416969.734      0 10.105.21.199 32844 TCP_MEM_HIT/200 905 123 365 123 - GET http://example.com/a?b 1.1 - HIER_NONE/- - text/html - - "-" "curl/8.14.1"
1773416970.734      0 10.105.21.199 NONE/400 905 NONE error:invalid-request - HIER_NONE/- text/html
1773416970.734      0 10.105.21.199 58938 904 123 364 GET http://example.com/
`,
		want: []row{
			{Key: "/", Command: "GET", Op: request.Read, Size: 904, Time: "2026-03-13T15:48:42.391Z", Status: 200, Latency: 104e6, Partition: "203.0.113.10", Cache: miss},
			{Key: "/a", Command: "GET", Op: request.Read, Size: 905, Time: "2026-03-13T15:49:29.734Z", Status: 200, Latency: 0, Cache: hit},
		},
		bad: []request.Reason{reasonJunk, reasonForeign},
	},
	{ // IIS behind tail: no header, the columns of IIS 8
		id: "w3c",
		text: `2022-05-09 17:10:04 10.119.32.8 POST /civault/C.svc - 443 - 10.119.0.62 Mozilla/4.0+(compatible;+MSIE+7.0) https://a.example/ 200 0 0 26
2022-05-09 17:10:05 10.119.32.8 GET /a q=1 443 user fe81::63ae:94c0:196e:8adf%3 - - 500 0 2 5
2022-05-09 17:10:06 10.119.32.8 GET /a q=1
`,
		want: []row{
			{Key: "/civault/C.svc", Command: "POST", Op: request.Write, Time: "2022-05-09T17:10:04Z", Status: 200, Latency: 26e6, Partition: "10.119.32.8"},
			{Key: "/a", Command: "GET", Op: request.Read, Time: "2022-05-09T17:10:05Z", Status: 500, Latency: 5e6, Partition: "10.119.32.8"},
		},
		bad: []request.Reason{reasonForeign},
	},
	{ // the same with all columns
		id: "w3c", sel: request.Select{Key: "host+path"},
		text: `2018-01-01 08:09:10 W3SVC1 WEB1 127.0.0.1 GET / - 80 - 67.43.156.13 HTTP/1.1 Mozilla/5.0 - - example.com 200 0 0 123 456 789
`,
		want: []row{
			{Key: "example.com/", Command: "GET", Op: request.Read, Size: 123, Time: "2018-01-01T08:09:10Z", Status: 200, Latency: 789e6, Partition: "WEB1"},
		},
	},
	{ // headers as keys
		id: "combined", sel: request.Select{Key: "referer,agent"},
		text: `1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 12 "http://r.example/" "x \"y\""
1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 12 "-" "z"
1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 12
`,
		want: []row{
			{Key: "http://r.example/\x1fx \\\"y\\\"", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: -1},
			{Key: "\x1fz", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: -1},
			{NoKey: true, Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: -1},
		},
	},
	{
		id: "combined+", sel: request.Select{Key: "agent"},
		text: `1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 12 "-" "x" 0.125 "q"
`,
		want: []row{
			{Key: "x", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: 125e6},
		},
	},
	{ // lists that nobody quoted, of all that nginx says of each upstream
		id: customID, sel: request.Select{LogFormat: `$http_x_forwarded_for [$time_local] "$request" $upstream_addr $upstream_status $upstream_response_time $request_time $status`},
		text: `1.1.1.1, 2.2.2.2 [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 10.0.0.1:80, 10.0.0.2:80 502, 200 0.001, 0.004 0.125 200
1.1.1.1 [30/Nov/2026:21:08:09 +0000] "GET /b HTTP/1.1" 10.0.0.1:80 200 0.001 0.250 200
`,
		want: []row{
			{Key: "/a", Command: "GET", Op: request.Read, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: 125e6, Partition: "10.0.0.2:80"},
			{Key: "/b", Command: "GET", Op: request.Read, Time: "2026-11-30T21:08:09Z", Status: 200, Latency: 250e6, Partition: "10.0.0.1:80"},
		},
	},
	{ // goaccess's list of addresses
		id: customID, sel: request.Select{LogFormat: `~h{, } - [%d:%t %^] "%r" %s %b`, Key: "client,path"},
		text: `1.1.1.1, 2.2.2.2 - [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 12
`,
		want: []row{
			{Key: "1.1.1.1\x1f/a", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: -1},
		},
	},
	{ // as it stands in Apache's configuration
		id: customID, sel: request.Select{LogFormat: `LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" %D" timed`},
		text: `1.1.1.1 - - [30/Nov/2026:21:08:08 +0100] "GET /a HTTP/1.1" 200 12 "-" "x" 1500
`,
		want: []row{
			{Key: "/a", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T20:08:08Z", Status: 200, Latency: 1500e3},
		},
	},
	{
		id: "ssl_request", sel: request.Select{Key: "ssl_protocol,path"},
		text: `[10/Aug/2018:09:45:56 +0200] 172.30.0.119 TLSv1.2 ECDHE-RSA-AES128-GCM-SHA256 "GET /nagios/a.php?cmd=x&amp;y=%7B HTTP/1.1" 1375
[10/Aug/2018:09:45:57 +0200] 172.30.0.119 TLSv1.3 TLS_AES_128_GCM_SHA256 "POST /b HTTP/2.0" -
[10/Aug/2018:09:45:57 +0200] 172.30.0.119 - - "-" -
`,
		want: []row{
			{Key: "TLSv1.2\x1f/nagios/a.php", Command: "GET", Op: request.Read, Size: 1375, Time: "2018-08-10T07:45:56Z", Latency: -1},
			{Key: "TLSv1.3\x1f/b", Command: "POST", Op: request.Write, Time: "2018-08-10T07:45:57Z", Latency: -1},
		},
		bad: []request.Reason{reasonJunk},
	},
	{
		id: "uvicorn",
		text: `INFO:     127.0.0.1:54321 - "GET /items/5?q=x HTTP/1.1" 200 OK
INFO:     127.0.0.1:54322 - "POST /items HTTP/1.1" 422 Unprocessable Entity
INFO:     Application startup complete.
`,
		want: []row{
			{Key: "/items/5", Command: "GET", Op: request.Read, Status: 200, Latency: -1},
			{Key: "/items", Command: "POST", Op: request.Write, Status: 422, Latency: -1},
		},
		bad: []request.Reason{reasonForeign},
	},
}

// Whatever a collector puts in front, the client is the client, and the format the one inside.
func TestFramings(t *testing.T) {
	const line = `198.51.100.7 - - [30/Nov/2026:21:08:08 +0000] "GET /a?x HTTP/1.1" 200 12 "-" "x"`
	for prefix, framing := range map[string]string{
		"":                                  "",
		"<190>Nov 30 21:08:08 web1 nginx: ": "syslog",
		"<190>Nov 30 21:08:08 nginx: ":      "syslog",
		"Nov  3 21:08:08.123456 web1 nginx[12]: ":       "syslog",
		"<165>1 2026-11-30T21:08:08.003Z web1 n 8 - - ": "syslog",
		"2026-11-30T21:08:08.003+01:00 web1 nginx: ":    "syslog",
		"2026-11-30T21:08:08+0000 web1 nginx[12]: ":     "syslog",
		"2026-11-30T21:08:08+00:00 app[web.1]: ":        "syslog",
		"2026-11-30T21:08:08.1+01:00 stdout F ":         "cri",
		"2026-11-30T21:08:08.1Z stdout F ":              "cri",
		"[pod/nginx-1/nginx] 2026-11-30T21:08:08Z ":     "kubectl --prefix around timestamp",
		"web-1  | ":                  "docker compose",
		"2026-11-30T21:08:08.123Z\t": "timestamp",
		"2026-11-30 21:08:08 ":       "timestamp",
		"Nov 30 21:08:08 ":           "timestamp",
	} {
		data := []byte(strings.Repeat(prefix+line+"\n", 3))
		f, d := best(data, request.Select{})
		if f.ID != "combined" || d.Framing != framing {
			t.Errorf("%q: %s in %q", prefix, f.ID, d.Framing)
			continue
		}
		got, _ := readAll(t, d, data)
		if x := got.List[0]; x.Key != "/a" || x.Client != request.HashString("198.51.100.7") {
			t.Errorf("%q: %+v", prefix, x)
		}
	}
}

// An error log in the same stream and the names that tail prints are no damage, and say nothing against the
// format, however many they are.
func TestNotices(t *testing.T) {
	const line = `198.51.100.7 - - [30/Nov/2026:21:08:08 +0000] "GET /a?x HTTP/1.1" 200 12 "-" "x"` + "\n"
	data := []byte("==> /var/log/nginx/a.log <==\n" + strings.Repeat(`2026/11/30 21:08:08 [error] 31#31: *46 upstream timed out`+"\n", 20) + line)
	f, d := best(data, request.Select{})
	if f.ID != "combined" || d.Matched != 1 || d.Lines != 1 {
		t.Fatalf("%s: %+v", f.ID, d)
	}
	_, tally := readAll(t, d, data)
	if all, bad := tally.Skipped(); all != 21 || bad != 0 || tally.Requests != 1 {
		t.Errorf("%+v", tally)
	}
}
