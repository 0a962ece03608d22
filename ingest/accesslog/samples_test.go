package accesslog

import (
	"testing"

	"keyskew/ingest/request"
)

// sampleLog is a log of one format and what is in it.
type sampleLog struct {
	id   string
	sel  request.Select
	text string
	// want are the rows, without clients, offsets and algebras.
	want []row
	// bad are the reasons for the lines that are none, in order.
	bad []request.Reason
}

const (
	hit  = request.CacheHit
	miss = request.CacheMiss
)

// standard holds each format as its writer documents it; the further shapes in use are in variants.
var standard = []sampleLog{
	{
		id: "combined",
		text: `198.51.100.7 - - [17/May/2015:10:05:03 +0000] "GET /presentations/kibana-search.png?x=1 HTTP/1.1" 200 203023 "http://semicomplete.example/presentations/" "Mozilla/5.0 (Macintosh) AppleWebKit/537.36 Safari/537.36"
2001:db8::1 - foo bar [17/May/2015:10:05:04 +0200] "POST http://abs.example/a/?q HTTP/1.1" 201 - "-" "say \"hi\" [x] \\"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "GET /a\x22b\xc3\xa9/c d/\\%22 HTTP/1.1" 404 5 "" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "GET /old" 200 3 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "\x16\x03\x01\x00" 400 157 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "" 400 0 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "-" 408 0 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "FOO" 400 0 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "FOO bar" 400 0 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "FOO bar HTTP/1.1" 400 0 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "GET  HTTP/1.1" 400 0 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "OPTIONS * HTTP/1.1" 200 0 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "CONNECT a.example:443 HTTP/1.1" 200 0 "-" "-"
127.0.0.1 - - [17/May/2015:10:05:04 +0200] "GET /an "unescaped" one HTTP/1.1" 200 7 "-" "-"
127.0.0.1 - - [32/May/2015:10:05:04 +0200] "GET / HTTP/1.1" 200 0 "-" "-"
`,
		want: []row{
			{Key: "/presentations/kibana-search.png", Command: "GET", Op: request.Read, Size: 203023, Time: "2015-05-17T10:05:03Z", Status: 200, Latency: -1},
			{Key: "/a/", Command: "POST", Op: request.Write, Time: "2015-05-17T08:05:04Z", Status: 201, Latency: -1},
			{Key: "/a\"b\u00e9/c d/\\%22", Command: "GET", Op: request.Read, Size: 5, Time: "2015-05-17T08:05:04Z", Status: 404, Latency: -1},
			{Key: "/old", Command: "GET", Op: request.Read, Size: 3, Time: "2015-05-17T08:05:04Z", Status: 200, Latency: -1},
			{Key: "bar", Command: "FOO", Op: request.Other, Time: "2015-05-17T08:05:04Z", Status: 400, Latency: -1},
			{Key: "*", Command: "OPTIONS", Op: request.Read, Time: "2015-05-17T08:05:04Z", Status: 200, Latency: -1},
			{Key: "a.example:443", Command: "CONNECT", Op: request.Other, Time: "2015-05-17T08:05:04Z", Status: 200, Latency: -1},
			{Key: `/an "unescaped" one`, Command: "GET", Op: request.Read, Size: 7, Time: "2015-05-17T08:05:04Z", Status: 200, Latency: -1},
		},
		bad: []request.Reason{reasonJunk, reasonJunk, reasonJunk, reasonJunk, reasonJunk, reasonJunk, reasonForeign},
	},
	{
		id: "clf",
		text: `host.example - - [17/May/2015:10:05:03 -0330] "HEAD /a%2Fb/ HTTP/1.0" 304 -
10.0.0.1 - frank [17/May/2015:10:05:03 -0330] "PUT /a%2Fb/ HTTP/1.0" - 12
2015/05/17 10:05:03 [error] 334#334: *338 user "x": client: 10.0.0.1
[Sun May 17 10:05:03.123456 2015] [core:error] [pid 1] AH00001: x
[Sun May 17 10:05:03 2015] no log level
`,
		want: []row{
			{Key: "/a%2Fb/", Command: "HEAD", Op: request.Read, Time: "2015-05-17T13:35:03Z", Status: 304, Latency: -1},
			{Key: "/a%2Fb/", Command: "PUT", Op: request.Write, Size: 12, Time: "2015-05-17T13:35:03Z", Latency: -1},
		},
		bad: []request.Reason{reasonNotice, reasonNotice, reasonForeign},
	},
	{
		id: "vhost_combined", sel: request.Select{Key: "host+path"},
		text: `www.example.com:443 1.2.3.4 - - [30/Nov/2026:21:08:08 +0000] "GET /x?y HTTP/1.1" 200 3 "-" "-"
api.example.com:8080 1.2.3.4 - - [30/Nov/2026:21:08:08 +0000] "DELETE /x HTTP/1.1" 204 0 "-" "-"
`,
		want: []row{
			{Key: "www.example.com/x", Command: "GET", Op: request.Read, Size: 3, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: -1},
			{Key: "api.example.com:8080/x", Command: "DELETE", Op: request.Write, Time: "2026-11-30T21:08:08Z", Status: 204, Latency: -1},
		},
	},
	{
		id: "combined+",
		text: `127.0.0.1 - - [30/Nov/2026:21:08:08 +0000] "GET /up/1 HTTP/1.1" 502 157 "-" "-" rt=0.001 uct="-, -" ua="127.0.0.1:1, 127.0.0.1:2" cs=MISS
127.0.0.1 - - [30/Nov/2026:21:08:08 +0000] "GET /up/2 HTTP/1.1" 200 157 "-" "-" rt=1.25 uct="0.1" ua="127.0.0.1:2" cs=HIT
127.0.0.1 - - [30/Nov/2026:21:08:08 +0000] "GET /up/3 HTTP/1.1" 400 157 "-" "-" rt=2.005 uct="-" ua="-" cs=-
127.0.0.1 - - [30/Nov/2026:21:08:08 +0000] "GET /up/4 HTTP/1.1" 200 157 "-" "-" rt=0.002 uct=- ua=10.0.0.1:80, 10.0.0.2:80 : unix:/run/x.sock cs=-
`,
		want: []row{
			{Key: "/up/1", Command: "GET", Op: request.Read, Size: 157, Time: "2026-11-30T21:08:08Z", Status: 502, Latency: 1e6, Partition: "127.0.0.1:2", Cache: miss},
			{Key: "/up/2", Command: "GET", Op: request.Read, Size: 157, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: 1250e6, Partition: "127.0.0.1:2", Cache: hit},
			{Key: "/up/3", Command: "GET", Op: request.Read, Size: 157, Time: "2026-11-30T21:08:08Z", Status: 400, Latency: 2005e6},
			{Key: "/up/4", Command: "GET", Op: request.Read, Size: 157, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: 2e6, Partition: "unix:/run/x.sock"},
		},
	},
	{
		id: "combined+", sel: request.Select{Key: "extra4"},
		text: `1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 1 "-" "-" 12 0.033 "10.0.0.9:8080" k1
1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 1 "-" "-" 3.10 1.000 "10.0.0.8:8080" -
`,
		want: []row{
			{Key: "k1", Command: "GET", Op: request.Read, Size: 1, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: 33e6, Partition: "10.0.0.9:8080"},
			{NoKey: true, Command: "GET", Op: request.Read, Size: 1, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: 1e9, Partition: "10.0.0.8:8080"},
		},
	},
	{
		id: "combined+",
		text: `198.51.100.71 192.0.2.5 - [08/Apr/2010:20:43:02 -0700] "GET /group.cache.asc HTTP/1.0" 200 191 367 464 1 "-" "nsscache_0.12"
- 127.0.0.1 - [08/Apr/2010:20:43:09 -0700] "HEAD /healthz HTTP/1.1" 200 0 158 128 0 "-" "curl/7.15.1"
`,
		want: []row{
			{Key: "/group.cache.asc", Command: "GET", Op: request.Read, Size: 191, Time: "2010-04-09T03:43:02Z", Status: 200, Latency: -1},
			{Key: "/healthz", Command: "HEAD", Op: request.Read, Time: "2010-04-09T03:43:09Z", Status: 200, Latency: -1},
		},
	},
	{
		id: "traefik",
		text: `10.0.0.1 - - [30/Nov/2026:21:08:08 +0000] "GET /x HTTP/1.1" 200 3 "-" "-" 12 "r@docker" "http://10.0.0.2:80" 5ms
10.0.0.1 - - [30/Nov/2026:21:08:08 +0000] "GET /y HTTP/2.0" 404 19 "-" "-" 13 "-" "-" 0ms
`,
		want: []row{
			{Key: "/x", Command: "GET", Op: request.Read, Size: 3, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: 5e6, Partition: "http://10.0.0.2:80"},
			{Key: "/y", Command: "GET", Op: request.Read, Size: 19, Time: "2026-11-30T21:08:08Z", Status: 404, Latency: 0},
		},
	},
	{
		id: "werkzeug", sel: request.Select{Zone: stockholm},
		text: `172.18.0.1 - - [29/Aug/2023 22:02:58] "GET / HTTP/1.1" 200 -
172.18.0.1 - - [29/Aug/2023 22:02:58] "` + "\x1b[33mGET /x?y HTTP/1.1\x1b[0m" + `" 404 -
`,
		want: []row{
			{Key: "/", Command: "GET", Op: request.Read, Time: "2023-08-29T20:02:58Z", Status: 200, Latency: -1},
			{Key: "/x", Command: "GET", Op: request.Read, Time: "2023-08-29T20:02:58Z", Status: 404, Latency: -1},
		},
	},
	{
		id: "clf_untimed",
		text: `Mar 24 14:02:50 web1 tomcat.log: 127.0.0.1 - - "GET /includes/x.js?v HTTP/1.1" 200 65508 4.386
Mar 24 14:02:51 web1 automount[7999]: lookup(file): lookup for opt failed
Mar 24 14:02:50 web1 tomcat.log: 127.0.0.1 - - "GET /bad HTTP/1.1" 404 - 0.001
`,
		want: []row{
			{Key: "/includes/x.js", Command: "GET", Op: request.Read, Size: 65508, Status: 200, Latency: 4386e6},
			{Key: "/bad", Command: "GET", Op: request.Read, Status: 404, Latency: 1e6},
		},
		bad: []request.Reason{reasonForeign},
	},
	{
		id: "haproxy", sel: request.Select{Zone: stockholm},
		text: `Feb 25 16:19:38 192.168.4.2 haproxy[1]: Proxy prod_http_in started.
Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/+2 0/0 {1wt.eu} {} "GET /index.html?a#23#20b HTTP/1.1"
10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in~ static/<NOSRV> -1/-1/-1/-1/+6001 -1 +212 - - cR-- 1/1/1/1/0 0/0 "HEAD /a#22b#zz HTTP/1.1"
10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/<NOSRV> -1/-1/-1/-1/6001 408 212 - - cR-- 1/1/1/1/0 0/0 "<BADREQ>"
10.0.1.2:33317 [06/Feb/2009:12:14:14.655] main app/<NOSRV> -1/-1/1 212 SC 1/1/0/0/0 0/0
10.0.1.2:33317 [06/Feb/2009:12:14:14.655] main/app: SSL handshake failure
10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 1/0/0/1/2 200 1 - - ---- 1/1/1/1/0 0/0 "GET /short
10.0.1.2 [06/Feb/2009:12:14:14.655] http-in
10.0.1.2:33317 [06/Feb/2009:12:14:14.655] https~ b/s 1/0/0/1/2 200 1 - - ---- 1/1/1/1/0 0/0 "GET /s HTTP/1.1" 0/0000000000000000/0/0/0 -/TLSv1.3/TLS_AES_256
`,
		want: []row{
			{Key: "/index.html", Command: "GET", Op: request.Read, Size: 2750, Time: "2009-02-06T11:14:14.655Z", Status: 200, Latency: 109e6, Partition: "static/srv1"},
			{Key: `/a"b#zz`, Command: "HEAD", Op: request.Read, Size: 212, Time: "2009-02-06T11:14:14.655Z", Latency: 6001e6},
			{Key: "/s", Command: "GET", Op: request.Read, Size: 1, Time: "2009-02-06T11:14:14.655Z", Status: 200, Latency: 2e6, Partition: "b/s"},
		},
		bad: []request.Reason{reasonNotice, reasonJunk, reasonConnection, reasonConnection, reasonForeign, reasonForeign},
	},
	{
		id: "envoy",
		text: `[2024-02-28T10:15:30.123Z] "GET /api/users?id=1 HTTP/2" 200 - 0 1234 45 10 "10.0.0.1, 10.0.0.9" "curl/7.64.0" "abc" "api.example.com" "192.168.1.10:8080"
[2024-02-28T10:15:30.123Z] "POST /grpc.Svc/Do HTTP/2" 503 UF upstream_reset_before_response_started{connection_failure} - "TLS error" 5 91 1500 - "-" "grpc-go" "id" "svc:80" "10.1.1.1:90" outbound|80||svc - 10.2.2.2:80 10.3.3.3:4444 - default
[2024-02-28T10:15:30.123Z] "- - -" 0 - 0 0 1 - "-" "-" "-" "-" "10.1.1.1:90"
[2024-02-28T10:15:30.123Z] info x
`,
		want: []row{
			{Key: "/api/users", Command: "GET", Op: request.Read, Size: 1234, Time: "2024-02-28T10:15:30.123Z", Status: 200, Latency: 45e6, Partition: "192.168.1.10:8080"},
			{Key: "/grpc.Svc/Do", Command: "POST", Op: request.Write, Size: 91, Time: "2024-02-28T10:15:30.123Z", Status: 503, Latency: 1500e6, Partition: "10.1.1.1:90"},
		},
		bad: []request.Reason{reasonJunk, reasonForeign},
	},
	{
		id: "alb", sel: request.Select{Key: "host,path"},
		text: `http 2016-08-10T22:08:42.945958Z app/my-lb/50dc 192.168.131.39:2817 10.0.0.1:80 0.001 0.010 0.100 200 200 34 366 "GET http://www.example.com:80/?a=b HTTP/1.1" "curl/7.46.0" - - arn:x "Root=1" "-" "-" 0 2016-08-10T22:08:42.000000Z "forward"
grpcs 2016-08-10T22:08:42.945958Z app/my-lb/50dc [2001:db8::1]:2817 - -1 -1 -1 460 - 34 0 "POST https://www.example.com:8443/p HTTP/2.0" "\"q\"" - - arn:x "Root=1"
ws 2016-08-10T22:08:42.945958Z app/my-lb/50dc 1.1.1.1:1 - -1 -1 -1 400 - 34 0 "- http://www.example.com:80- -" "-" - - arn:x "Root=1"
ftp 2016-08-10T22:08:42.945958Z x
`,
		want: []row{
			{Key: "www.example.com\x1f/", Command: "GET", Op: request.Read, Size: 366, Time: "2016-08-10T22:08:42.945958Z", Status: 200, Latency: 111e6, Partition: "10.0.0.1:80"},
			{Key: "www.example.com:8443\x1f/p", Command: "POST", Op: request.Write, Time: "2016-08-10T22:08:42.945958Z", Status: 460, Latency: -1},
		},
		bad: []request.Reason{reasonJunk, reasonForeign},
	},
	{
		id: "elb",
		text: `2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://www.example.com:80/a HTTP/1.1" "curl/7.38.0" - -
2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.001069 0.000028 0.000041 - - 82 305 "- - - " "-" - -
`,
		want: []row{
			{Key: "/a", Command: "GET", Op: request.Read, Size: 29, Time: "2015-05-13T23:39:43.945958Z", Status: 200, Latency: 1178e3, Partition: "10.0.0.1:80"},
		},
		bad: []request.Reason{reasonJunk},
	},
	{
		id: "cloudfront",
		text: "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-edge-result-type time-taken x-host-header\n" +
			"2011-04-27\t22:55:23\tFRA2\t30783\t192.0.2.1\tGET\td27.cloudfront.net\t/a%2520b.png\t200\t-\tMozilla/5.0%20(X11)\t-\tRefreshHit\t0.025\twww.example.com\n" +
			"2011-04-27\t22:55:24\tIAD1\t1\t192.0.2.1\tGET\td27.cloudfront.net\t/c\t502\t-\tx\tv=2\tError\t1.000\twww.example.com\n" +
			"2011-04-27\t22:55:24\tIAD1\n",
		want: []row{
			{Key: "/a%2520b.png", Command: "GET", Op: request.Read, Size: 30783, Time: "2011-04-27T22:55:23Z", Status: 200, Latency: 25e6, Partition: "FRA2", Cache: hit},
			{Key: "/c", Command: "GET", Op: request.Read, Size: 1, Time: "2011-04-27T22:55:24Z", Status: 502, Latency: 1e9, Partition: "IAD1"},
		},
		bad: []request.Reason{reasonHeader, reasonHeader, reasonForeign},
	},
	{
		id: "w3c", sel: request.Select{Key: "path+query"},
		text: `#Software: Microsoft Internet Information Services 8.0
#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken
2014-01-01 02:01:09 10.0.0.1 GET /a/step+2.png - 80 198.51.100.1 Mozilla/5.0+(Windows) 200 0 0 46
#Fields: time date cs-uri-stem cs-uri-query cs-method c-ip sc-status
02:01:10.250 2014-01-01 /b x=1 POST "198.51.100.1" 500
02:01:10.250 2014-01-01 /b x=1 [1]USER 198.51.100.1 500
25:01:10 2014-01-01 /b x=1 GET 198.51.100.1 500
`,
		want: []row{
			{Key: "/a/step+2.png", Command: "GET", Op: request.Read, Time: "2014-01-01T02:01:09Z", Status: 200, Latency: 46e6, Partition: "10.0.0.1"},
			{Key: "/b?x=1", Command: "POST", Op: request.Write, Time: "2014-01-01T02:01:10.25Z", Status: 500, Latency: -1},
		},
		bad: []request.Reason{reasonHeader, reasonHeader, reasonHeader, reasonJunk, reasonUntimed},
	},
	{
		id: "w3c", sel: request.Select{Zone: stockholm},
		text: `#Fields:   date-local time-local   cs-method cs-uri-stem cs(User-Agent) sc-status TimeTakenMS
2012-08-15 17:00:00.363 GET /p "Mozilla/5.0 (""x"" y)" 200 109
`,
		want: []row{
			{Key: "/p", Command: "GET", Op: request.Read, Time: "2012-08-15T15:00:00.363Z", Status: 200, Latency: 109e6},
		},
		bad: []request.Reason{reasonHeader},
	},
	{
		id: "zeek",
		text: "#separator \\x09\n#fields\tts\tid.orig_h\tid.resp_h\tmethod\thost\turi\tresponse_body_len\tstatus_code\n" +
			"1320279566.452687\t192.0.2.7\t192.0.2.8\tGET\twww.example.com\t/a?b\t109978\t200\n" +
			"1320279566.452687\t192.0.2.7\t192.0.2.8\t-\t-\t-\t0\t-\n#close\t2017\n",
		want: []row{
			{Key: "/a", Command: "GET", Op: request.Read, Size: 109978, Time: "2011-11-03T00:19:26.452687Z", Status: 200, Latency: -1, Partition: "192.0.2.8"},
		},
		bad: []request.Reason{reasonHeader, reasonHeader, reasonJunk, reasonHeader},
	},
	{
		id: "gcs", sel: request.Select{Key: "cs_object"},
		text: `"time_micros","c_ip","cs_method","cs_uri","sc_status","sc_bytes","time_taken_micros","cs_host","cs_user_agent","cs_bucket","cs_object"
"1700000000123456","192.0.2.1","GET","/storage/v1/b/bkt/o/x?alt=media","200","42","1500","storage.googleapis.com","a, ""b""","bkt","dir/x"
`,
		want: []row{
			{Key: "dir/x", Command: "GET", Op: request.Read, Size: 42, Time: "2023-11-14T22:13:20.123456Z", Status: 200, Latency: 1500e3, Partition: "bkt"},
		},
		bad: []request.Reason{reasonHeader},
	},
	{
		id: "s3",
		text: `79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be bkt [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.OBJECT photos/2019%2F08/p.jpg "GET /bkt/photos/2019/08/p.jpg HTTP/1.1" 200 - 113 400 7 6 "-" "S3Console/0.4" -
79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be bkt [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.VERSIONING - "GET /b?versioning HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" -
79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be bkt [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 BATCH.DELETE.OBJECT a - 204 - - 9 - - - - -
79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be bkt [06/Feb/2019:00:00:38 +0000] - AmazonS3 3E57 S3.EXPIRE.OBJECT a "-" - - - 9 - - "-" "-" -
79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be bkt 06/Feb/2019
`,
		want: []row{
			{Key: "photos/2019%2F08/p.jpg", Command: "GET", Op: request.Read, Size: 113, Time: "2019-02-06T00:00:38Z", Status: 200, Latency: 7e6, Partition: "bkt"},
			{NoKey: true, Command: "GET", Op: request.Read, Size: 113, Time: "2019-02-06T00:00:38Z", Status: 200, Latency: 7e6, Partition: "bkt"},
			{Key: "a", Command: "DELETE", Op: request.Write, Time: "2019-02-06T00:00:38Z", Status: 204, Latency: -1, Partition: "bkt"},
		},
		bad: []request.Reason{reasonLifecycle, reasonForeign},
	},
	{
		id: "squid",
		text: `1286536309.450    921 192.168.0.68 TCP_MEM_HIT/200 507 POST http://x.example/a?b - DIRECT/1.2.3.4 application/x
1286536309.450     -1 192.168.0.68 TCP_TUNNEL/000 507 CONNECT x.example:443 bob HIER_NONE/- -
1286536309.450      5 192.168.0.68 TCP_REFRESH_MODIFIED/200 507 GET http://x.example - HIER_DIRECT/1.2.3.5 -
1286536309.450123 5 192.168.0.68 TCP_MISS/200 507 GET http://x.example - HIER_DIRECT/1.2.3.5 -
`,
		want: []row{
			{Key: "/a", Command: "POST", Op: request.Write, Size: 507, Time: "2010-10-08T11:11:49.45Z", Status: 200, Latency: 921e6, Partition: "1.2.3.4", Cache: hit},
			{Key: "x.example:443", Command: "CONNECT", Op: request.Other, Size: 507, Time: "2010-10-08T11:11:49.45Z", Latency: -1},
			{Key: "/", Command: "GET", Op: request.Read, Size: 507, Time: "2010-10-08T11:11:49.45Z", Status: 200, Latency: 5e6, Partition: "1.2.3.5", Cache: miss},
		},
		bad: []request.Reason{reasonForeign},
	},
	{
		id: "ltsv", sel: request.Select{Key: "vhost,path"},
		text: "time:[28/Feb/2013:12:00:00 +0900]\thost:192.0.2.1\tvhost:a.example\treq:GET /list?x HTTP/1.1\tstatus:200\tsize:5316\treqtime:0.068\tcache:MISS\n" +
			"host:192.0.2.1\ttime:[28/Feb/2013:12:00:01 +0900]\tvhost:-\treq:POST /l HTTP/1.1\tstatus:200\tsize:-\treqtime:-\tnew:x\n" +
			"time:[28/Feb/2013:12:00:01 +0900]\thost:192.0.2.1\treq:-\tstatus:400\n" +
			"just text\n",
		want: []row{
			{Key: "a.example\x1f/list", Command: "GET", Op: request.Read, Size: 5316, Time: "2013-02-28T03:00:00Z", Status: 200, Latency: 68e6, Cache: miss},
			{Key: "\x1f/l", Command: "POST", Op: request.Write, Time: "2013-02-28T03:00:01Z", Status: 200, Latency: -1},
		},
		bad: []request.Reason{reasonJunk, reasonForeign},
	},
	{
		id: "uwsgi",
		text: `[pid: 88185|app: 0|req: 1/1] 127.0.0.1 (bob) {38 vars in 696 bytes} [Sun Mar 13 22:49:12 2016] POST /update?x => generated 47 bytes in 129 msecs (HTTP/1.1 200) 9 headers in 378 bytes (1 switches on core 3)
[pid: 88185|app: 0|req: 3/3] 127.0.0.1 () {34 vars in 617 bytes} [Sun Mar  3 22:49:15 2016] GET /e => generated 215 bytes in 68 micros (HTTP/1.1 404) 9 headers in 373 bytes (1 switches on core 8)
[pid: 88185|app: 0|req: 3/3] worker died
`,
		want: []row{
			{Key: "/update", Command: "POST", Op: request.Write, Size: 47, Time: "2016-03-13T22:49:12Z", Status: 200, Latency: 129e6},
			{Key: "/e", Command: "GET", Op: request.Read, Size: 215, Time: "2016-03-03T22:49:15Z", Status: 404, Latency: 68e3},
		},
		bad: []request.Reason{reasonForeign},
	},
	{
		id: "npm",
		text: `[01/Oct/2025:14:32:15 +0000] HIT 200 200 - GET https example.com "/api/users?x" [Client 192.168.1.100] [Length 1543] [Gzip 2.45] [Sent-to 10.0.0.15:8080] "Mozilla/5.0 (Windows)" "-"
[01/Oct/2025:14:32:20 +0000] 301 - POST https app.example.com "/login" [Client 192.168.1.25] [Length 3421] [Gzip -] "x" "-"
192.0.2.1 - - [24/Jan/2022:16:22:14 +0000] "GET /d HTTP/1.1" 404 552 "-" "-"
[01/Oct/2025:14:32:20 +0000] 301 - POST
`,
		want: []row{
			{Key: "/api/users", Command: "GET", Op: request.Read, Size: 1543, Time: "2025-10-01T14:32:15Z", Status: 200, Latency: -1, Partition: "10.0.0.15:8080", Cache: hit},
			{Key: "/login", Command: "POST", Op: request.Write, Size: 3421, Time: "2025-10-01T14:32:20Z", Status: 301, Latency: -1},
			{Key: "/d", Command: "GET", Op: request.Read, Size: 552, Time: "2022-01-24T16:22:14Z", Status: 404, Latency: -1},
		},
		bad: []request.Reason{reasonForeign},
	},
	{
		id: customID, sel: request.Select{LogFormat: `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent rt=$request_time ua=$upstream_addr xid="$http_x_id"`, Key: "$http_x_id"},
		text: `1.1.1.1 - foo bar [30/Nov/2026:21:08:08 +0000] "GET /a HTTP/1.1" 200 12 rt=0.250 ua=10.0.0.1:80, 10.0.0.2:80 xid="a b"
1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "" 400 0 rt=0.250 ua=- xid="-"
1.1.1.1 - - [30/Nov/2026:21:08:08 +0000] "GET / HTTP/1.1" 400
`,
		want: []row{
			{Key: "a b", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T21:08:08Z", Status: 200, Latency: 250e6, Partition: "10.0.0.2:80"},
		},
		bad: []request.Reason{reasonJunk, reasonForeign},
	},
	{
		id: customID, sel: request.Select{LogFormat: "log_format main '$msec $request_method \"$request_uri\" '\n  '${status}ms' ; "},
		text: `1700000000.125 PATCH "/a/\x22?b=\"c" 200ms
`,
		want: []row{
			{Key: `/a/"`, Command: "PATCH", Op: request.Write, Time: "2023-11-14T22:13:20.125Z", Status: 200, Latency: -1},
		},
	},
	{
		id: customID, sel: request.Select{LogFormat: `%v:%^ %h %^[%d:%t %^] "%r" %s %b "%R" \"%u\" %D`},
		text: `a.example:443 1.1.1.1 - - [30/Nov/2026:21:08:08 +0100] "GET /a HTTP/1.1" 200 12 "-" "x" 1500
`,
		want: []row{
			{Key: "/a", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T20:08:08Z", Status: 200, Latency: 1500e3},
		},
	},
	{
		id: customID, sel: request.Select{LogFormat: `%x.%^ %~%L %h %^/%s %b %m %U`},
		text: `1286536309.450    921 192.168.0.68 TCP_MISS/200 507 POST http://x.example/a?b
`,
		want: []row{
			{Key: "/a", Command: "POST", Op: request.Write, Size: 507, Time: "2010-10-08T11:11:49Z", Status: 200, Latency: 921e6},
		},
	},
	{
		id: customID, sel: request.Select{LogFormat: `%a %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" %{X-Tenant}i %{us}T`, Tenant: "x-tenant"},
		text: `1.1.1.1 - - [30/Nov/2026:21:08:08 +0100] "GET /a HTTP/1.1" 200 12 "-" "x \"y\" z" acme 1500
`,
		want: []row{
			{Key: "/a", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T20:08:08Z", Status: 200, Latency: 1500e3, Tenant: "acme"},
		},
	},
	{
		id: customID, sel: request.Select{LogFormat: "combined", Key: "client"},
		text: `1.1.1.1 - - [30/Nov/2026:21:08:08 +0100] "GET /a HTTP/1.1" 200 12 "-" "x"
`,
		want: []row{
			{Key: "1.1.1.1", Command: "GET", Op: request.Read, Size: 12, Time: "2026-11-30T20:08:08Z", Status: 200, Latency: -1},
		},
	},
	{
		// HAProxy's default.
		id: customID, sel: request.Select{Zone: stockholm, LogFormat: `log-format "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r"`},
		text: `10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/+2 0/0 {1wt.eu} {} "GET /index.html?a#23#20b HTTP/1.1"
2001:db8::1:33317 [06/Feb/2009:12:14:14.655] http-in~ static/<NOSRV> -1/-1/-1/-1/6001 503 212 - - cR-- 1/1/1/1/0 0/0 "POST /a#22b#zz HTTP/1.1"
10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/<NOSRV> -1/-1/-1/-1/6001 408 212 - - cR-- 1/1/1/1/0 0/0 "<BADREQ>"
10.0.1.2:33317 [06/Feb/2009:12:14:14.655] main app/<NOSRV> -1/-1/1 212 SC 1/1/0/0/0 0/0
`,
		want: []row{
			{Key: "/index.html", Command: "GET", Op: request.Read, Size: 2750, Time: "2009-02-06T11:14:14.655Z", Status: 200, Latency: 109e6, Partition: "static/srv1"},
			{Key: `/a"b#zz`, Command: "POST", Op: request.Write, Size: 212, Time: "2009-02-06T11:14:14.655Z", Status: 503, Latency: 6001e6},
		},
		bad: []request.Reason{reasonJunk, reasonForeign},
	},
	{
		// Its httpslog, with the blanks as they stand without quotes.
		id: customID, sel: request.Select{Key: "client", LogFormat: `log-format %ci:%cp\ [%tr]\ %ft\ %b/%s\ %TR/%Tw/%Tc/%Tr/%Ta\ %ST\ %B\ %CC\ %CS\ %tsc\ %ac/%fc/%bc/%sc/%rc\ %sq/%bq\ %hr\ %hs\ %{+Q}r\ %[fc_err]/%[ssl_fc_err,hex]/%[ssl_c_err]/%[ssl_c_ca_err]/%[ssl_fc_is_resumed]\ %[ssl_fc_sni]/%sslv/%sslc`},
		text: `2001:db8::1:33317 [06/Feb/2009:12:14:14.655] https~ b/s 1/0/0/1/2 200 1 - - ---- 1/1/1/1/0 0/0 "GET /s HTTP/1.1" 0/0000000000000000/0/0/0 -/TLSv1.3/TLS_AES_256
`,
		want: []row{
			{Key: "2001:db8::1", Command: "GET", Op: request.Read, Size: 1, Time: "2009-02-06T12:14:14.655Z", Status: 200, Latency: 2e6, Partition: "b/s"},
		},
	},
	{
		// Its CLF.
		id: customID, sel: request.Select{LogFormat: `%{+Q}o %{-Q}ci - - [%trg] %r %ST %B "" "" %cp %ms %ft %b %s %TR %Tw %Tc %Tr %Ta %tsc %ac %fc %bc %sc %rc %sq %bq %CC %CS %hrl %hsl`},
		text: `10.0.1.2 - - [06/Feb/2009:12:14:14 +0000] "GET /a HTTP/1.1" 200 2750 "" "" 33317 655 "http-in" "static" "srv1" 10 0 30 69 109 ---- 1 1 1 1 0 0 0 "-" "-" "1wt.eu"
`,
		want: []row{
			{Key: "/a", Command: "GET", Op: request.Read, Size: 2750, Time: "2009-02-06T12:14:14Z", Status: 200, Latency: 109e6, Partition: "srv1"},
		},
	},
	{
		// One's own.
		id: customID, sel: request.Select{Key: "capture.req.hdr(0)", LogFormat: `%Ts.%ms %HM %[path] %ST host=%[capture.req.hdr(0)] %{+Q}[var(txn.id)]`},
		text: `1700000000.250 PUT /a%20b 201 host=shop "x y"
`,
		want: []row{
			{Key: "shop", Command: "PUT", Op: request.Write, Time: "2023-11-14T22:13:20Z", Status: 201, Latency: -1},
		},
	},
	{
		id: customID, sel: request.Select{LogFormat: "W3C"},
		text: `#Fields: cs-method cs-uri-stem
GET /a
`,
		want: []row{{Key: "/a", Command: "GET", Op: request.Read, Latency: -1}},
		bad:  []request.Reason{reasonHeader},
	},
}

// detection is that of one format, which must be able to read the log.
func detection(t testing.TB, id string, data []byte, s request.Select) request.Detection {
	t.Helper()
	for _, f := range Formats() {
		if f.ID == id {
			d := f.Detect(data, s)
			if d.New == nil {
				t.Fatalf("%s: %s", id, d.Reason)
			}
			return d
		}
	}
	t.Fatalf("no format %s", id)
	return request.Detection{}
}
