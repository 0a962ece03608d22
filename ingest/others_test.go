package ingest

import (
	"errors"
	"strings"
	"testing"
)

// What holds no requests is refused, with the nearest formats and, where it can be told, what it is.
func TestOthersAreNamed(t *testing.T) {
	for _, c := range []struct{ text, kind, nearest string }{
		{"\n# Scanning the entire keyspace to find biggest keys as well as\n# average sizes\n\n", "redis-cli (--hotkeys", monitorID},
		{"HOTKEYS GET\n1)  1) \"tracking-active\"\n    2) (integer) 0\n", "HOTKEYS GET", monitorID},
		{"1)  1) \"tracking-active\"\n    2) (integer) 0\n", "HOTKEYS GET", "csv"},
		{"   WRITES Sampler:\n     Cardinality: ~5 (256 capacity)\n", "nodetool toppartitions", monitorID},
		{"Overall Stats\nLines Processed     117773\n", "redis-faina", monitorID},
		{"# Server\r\nredis_version:7.0.15\r\nos:Linux\r\n", "INFO", monitorID},
		{"# Commandstats\ncmdstat_get:calls=3,usec=2\n", "INFO commandstats", monitorID},
		{"STAT pid 1\nSTAT uptime 5\n", "memcached", monitorID},
		{"Active connections: 3\nserver accepts handled requests\n 1 1 1\n", "stub_status", monitorID},
		{"# pxname,svname,qcur,status,type\nhttp,a,0,UP,2\nhttp,b,0,UP,2\nhttp,c,0,UP,2\n", "statistics of HAProxy", "csv"},
		{"# HELP x y\n# TYPE x counter\nx{key=\"a\"} 1\n", "Prometheus", monitorID},
		{"1) 1) (integer) 14\n   2) (integer) 1309448221\n", "SLOWLOG GET", monitorID},
		{"====== SET ======\n  100000 requests completed in 0.88 seconds\n", "summary of a benchmark", monitorID},
		{"ALL STATS\n============\nType         Ops/sec\n", "memtier_benchmark", monitorID},
		{"Running 30s test @ http://a\nRequests/sec: 748868.53\n", "(wrk, hey)", monitorID},
		{"tls 2.0 2018-12-20T02:59:40 net/my-nlb/c6 g3 192.168.131.39:2817 10.0.0.1:80 5 2 98 246 -\n", "Network Load Balancer", monitorID},
		{"2024-10-04T17:05:15.514108Z 192.168.131.39 36280 443 TLSv1.2 X 4.036 \"CN=a\" - - Success\n", "connection log", monitorID},
		{"#separator \\x09\n#path\tconn\n#fields\tts\tuid\tproto\n1320279554.496300\tCg9\ttcp\n1320279555.496300\tCg8\ttcp\n", "Zeek", "csv"},
		{"12:00:00.000001 IP 10.0.0.1.5000 > 10.0.0.2.6379: Flags [P.], seq 1\n", "tcpdump", monitorID},
		{"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n", "append-only file", monitorID},
		{"#TS:1700000000\r\n*2\r\n$6\r\nSELECT\r\n", "append-only file", monitorID},
		{"1:M 25 Apr 2024 05:32:35.018 * Ready to accept connections tcp\n", "Redis server keeps of itself", monitorID},
		{"2021/12/01 13:53:33 [error] 31#31: *46 \"/a\" is not found, request: \"GET /a HTTP/1.1\"\n", "error log", "combined"},
		{"[Thu Oct 13 12:24:49.880562 2022] [core:error] [pid 10] x\n", "error log", monitorID},
		{"*   << BeReq    >> 3\n-   Begin          bereq 2 fetch\n", "varnishncsa", monitorID},
		{"time=2024-01-13T10:00:00Z level=info method=GET path=/a msg=\"a b\" status=200\n", "logfmt", monitorID},
		{"<!DOCTYPE html>\n<html>\n", "web page", monitorID},
		{strings.Repeat("0123456789", 4) + " 10.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-5460\n", "--topology", monitorID},
		{"{\n  \"pools\": {\n  }\n}\n", "", "jsonl"},
		{"It was a dark and stormy night;\nthe rain fell in torrents.\n", "", monitorID},
		{"2012-07-02 10:22:40,672:DEBUG:foo\n2012-07-02 10:22:41,672:DEBUG:bar\n", "", monitorID},
		{"10.0.0.1 - - [17/Oct/2023:05:57:49 +1100] \"\\x16\\x03\" 400 226 \"-\" \"-\"\n", "", "combined"},
		{"Sep 20 15:44:23 a haproxy[2]: 127.0.0.1:40962 [20/Sep/2018:15:44:23.285] main app/<NOSRV> -1/-1/1 212 SC 1/1/0/0/0 0/0\n", "", "haproxy"},
	} {
		in := Input{Path: "-"}
		_, _, err := readCapture(t, in, Options{Stdin: strings.NewReader(c.text)})
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Why != "" {
			t.Errorf("%.40q: %v", c.text, err)
			continue
		}
		if c.kind == "" && refused.Kind != "" || !strings.Contains(refused.Kind, c.kind) {
			t.Errorf("%.40q: looks like %q, want %q", c.text, refused.Kind, c.kind)
		}
		near := refused.Candidates[0]
		if near.Format.ID != c.nearest || near.Detection.Reason == "" || len(refused.Candidates) > maxCandidates {
			t.Errorf("%.40q: %v", c.text, err)
		}
		if refused.Kind != "" && !strings.Contains(err.Error(), "this looks like "+refused.Kind+"; ") {
			t.Errorf("the error does not say %q: %v", refused.Kind, err)
		}
	}
}

// A mark of something else in front of requests, or in them, does not keep them from being read.
func TestMarksInRequests(t *testing.T) {
	const access = "10.0.0.1 - - [17/Oct/2023:05:57:49 +1100] \"GET /Requests/sec: HTTP/1.1\" 200 226 \"-\" \"-\"\n"
	for text, format := range map[string]string{
		"2021/12/01 13:53:33 [error] 31#31: *46 x\n" + access:                          "combined",
		"1:M 25 Apr 2024 05:32:35.018 * Ready\n" + strings.Repeat(access, 20):          "combined",
		"key,op\n====== ,GET\nredis_version:,GET\na,SET\n":                             "csv",
		"1700000000.000001 [0 10.0.0.1:5000] \"SET\" \"redis_version:\" \"# HELP \"\n": monitorID,
		"time,key\n2012-07-02 10:22:40,672\n2012-07-02 10:22:41,673\n":                 "csv",
	} {
		rows, s, err := readCapture(t, Input{Path: "-"}, Options{Stdin: strings.NewReader(text)})
		if err != nil || s.Format != format || len(rows) == 0 {
			t.Errorf("%q: %q, %d rows, %v", text, s.Format, len(rows), err)
		}
	}
}
