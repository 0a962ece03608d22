package jsonlines

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"

	"pgregory.net/rapid"
)

func sampleFile(t testing.TB, id string) []byte {
	t.Helper()
	return requesttest.File(t, filepath.Join(golden.Root(), "testdata", "jsonlines", id+".log"))
}

// short is a row as a line: key, command, op, then what is set, in the order of the batch's columns.
func short(r requesttest.Row) string {
	out := []string{fmt.Sprintf("%q", r.Key), r.Command, r.Op.String()}
	if r.Flags&request.NoKey != 0 {
		out[0] = "-"
	}
	if r.Flags&request.BeginsCommand == 0 {
		out = append(out, "+")
	}
	if r.Size != 0 {
		out = append(out, fmt.Sprint(r.Size, "B"))
	}
	if r.Time != 0 {
		out = append(out, time.Unix(0, r.Time).UTC().Format("05.999999999"))
	}
	if r.Client != 0 {
		for _, host := range []string{"198.51.100.7", "198.51.100.8", "192.0.2.10", "2001:db8::5", "::ffff:198.51.100.7"} {
			if r.Client == request.HashString(host) {
				out = append(out, "from "+host)
			}
		}
	}
	if r.Status != 0 {
		out = append(out, fmt.Sprint(r.Status))
	}
	if r.Latency > 0 {
		out = append(out, time.Duration(r.Latency).String())
	}
	if r.Cache != 0 {
		out = append(out, []string{"", "miss", "hit"}[r.Cache])
	}
	if r.TTL > 0 {
		out = append(out, fmt.Sprintf("ttl %dms", r.TTL))
	}
	if r.Partition != "" {
		out = append(out, "@"+r.Partition)
	}
	if r.Tenant != "" {
		out = append(out, "tenant "+r.Tenant)
	}
	return strings.Join(out, " ")
}

func shorts(r *requesttest.Rows) []string {
	out := []string{}
	for _, x := range r.List {
		out = append(out, short(x))
	}
	return out
}

var samples = map[string]struct {
	rows, skips []string
	notes       []string
}{
	"caddy": {
		rows: []string{
			`"/products/7" GET read 512B 08.25 from 198.51.100.7 200 1.5ms`,
			`"/carts/1" PUT write 08.5 from 192.0.2.10 502 750ms`,
		},
		skips: []string{"(a log line of another kind: 2)"},
	},
	"traefik-json": {
		rows: []string{
			`"/products/7" GET read 356B 08.25 from 192.0.2.10 200 215.563µs @10.0.0.3:80`,
			`"/carts/1" DELETE write 09 from 198.51.100.7 204 2.337877ms @10.0.0.4:80`,
		},
		skips: []string{"(a log line of another kind: 1)"},
		notes: []string{"upstream retries: 2"},
	},
	"envoy-json": {rows: []string{
		`"/products/7" GET read 512B 08.479 from 2001:db8::5 200 11ms @10.42.0.82:8080`,
		`"/carts" POST write 09.48 from 192.0.2.10 503`,
	}},
	"cloudflare": {rows: []string{
		`"/products/7" GET read 570B 08 from 198.51.100.7 200 hit`,
		`"/carts" POST write 09.25 from 2001:db8::5 201 miss @10.0.0.3`,
	}},
	"gcp-json": {rows: []string{
		`"/products/7" GET read 512B 08.123456 from 198.51.100.7 200 1.5ms hit`,
		`"/" GET read 447B 09 from 198.51.100.8 502 1.5s miss @10.0.0.3`,
	}},
	"aws-waf-json": {rows: []string{
		`"/products/7" GET read 08.25 from 198.51.100.7`,
		`"/admin" POST write 09.25 from 198.51.100.8 403`,
	}},
	"pino-http": {
		rows:  []string{`"/products/7" GET read 512B 08.25 from ::ffff:198.51.100.7 200 4ms`},
		skips: []string{"(a log line of another kind: 1)"},
	},
	"nginx-json": {
		rows: []string{
			`"/products/7" GET read 512B 08.127 from 198.51.100.7 200 15ms miss @10.0.0.3:80`,
			`"/p\"ath/é" GET read 153B 08.128 from 198.51.100.7 404 hit`,
			`"/carts" POST write 7B 09 from 198.51.100.8 201 2.001s @10.0.0.5:80`,
		},
		skips: []string{"no HTTP request line: 1"},
		notes: []string{noteHex + ": 1", "upstream retries: 2"},
	},
	"http-json": {
		rows: []string{
			`"/products/7" GET read 512B 08.25 from 198.51.100.7 200 1.5ms @b1`,
			`"/carts/1" PATCH write 09 from 198.51.100.8 429 20ms @b2`,
		},
		skips: []string{"cut off at the end of the input: 1"},
	},
	"jsonl": {
		rows: []string{
			`"user:1" GET read 100B 08.25 tenant a`,
			`"user:1" MGET read 34B 08.3 tenant b`, `"user:2" MGET read + 33B 08.3 tenant b`,
			`"user:é" MGET read + 33B 08.3 tenant b`,
			`"user:1" SET write 64B 08.4 ttl 30000ms tenant a`,
		},
		skips: []string{"(blank line: 1)", "not valid JSON: 1"},
	},
	"json-array": {rows: []string{
		`"user:1" GET read 08.25`, `"user:1" GET read 08.3`, `"user:2" GET read + 08.3`, `"user:1" SET write 08.4`,
	}},
}

// Each format is documented and has a sample, which is told apart from all others and read right.
func TestFormats(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Formats() {
		t.Run(f.ID, func(t *testing.T) {
			if f.Title == "" || f.Text == "" || f.Source == "" || f.CutOff == "" || seen[f.ID] {
				t.Errorf("not documented, or twice: %+v", f)
			}
			seen[f.ID] = true
			want, ok := samples[f.ID]
			if !ok {
				t.Fatal("no sample")
			}
			id, d, got, tally := read(t, sampleFile(t, f.ID), request.Select{})
			requesttest.Same(t, "format", id, f.ID)
			requesttest.Same(t, "rows", strings.Join(shorts(got), "\n"), strings.Join(want.rows, "\n"))
			requesttest.Same(t, "skips", skips(tally), want.skips)
			var notes []string
			for _, n := range tally.Notes {
				notes = append(notes, fmt.Sprintf("%s: %d", n.Text, n.Count))
			}
			requesttest.Same(t, "notes", notes, want.notes)
			if len(d.Mapping) < 3 || d.Mapping[0].Field != "key" {
				t.Errorf("mapping %s", mapping(d))
			}
		})
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct{ id, key, want string }{
		{"caddy", "path+query", `"/products/7?ref=a" "/carts/1"`},
		{"caddy", "host+path", `"shop.example/products/7" "shop.example/carts/1"`},
		{"caddy", "host", `"shop.example" "shop.example"`},
		{"caddy", "client", `"198.51.100.7" "192.0.2.10"`},
		{"caddy", "user", `"bob"`},
		{"caddy", "query:ref", `"a"`},
		{"caddy", ".request.uri", `"/products/7?ref=a" "/carts/1"`},
		{"caddy", "request.headers.X-Request-Id.1", `"r-2"`},
		{"caddy", "status,request.method", `"200\x1fGET" "502\x1fPUT"`},
		{"caddy", "status, path", `"200\x1f/products/7" "502\x1f/carts/1"`},
		{"aws-waf-json", "path+query", `"/products/7?ref=a&id=4" "/admin"`},
		{"aws-waf-json", "query:id", `"4"`},
		{"gcp-json", "host+path", `"shop.example/products/7" "shop.example/"`},
		{"gcp-json", "resource.labels.zone", `"global" "global"`},
		{"http-json", "path,backend", `"/products/7\x1fb1" "/carts/1\x1fb2"`},
		{"jsonl", "tenant", `"a" "b" "a"`},
		{"jsonl", "TENANT,op", `"a\x1fget" "b\x1fmget" "a\x1fset"`},
		{"json-array", "op", `"get" "get" "set"`},
	} {
		_, _, got, tally := read(t, sampleFile(t, c.id), request.Select{Key: c.key})
		keys := []string{}
		for _, k := range got.Keys() {
			keys = append(keys, fmt.Sprintf("%q", k))
		}
		requesttest.Same(t, c.id+" "+c.key, strings.Join(keys, " "), c.want)
		if _, bad := tally.Skipped(); bad > 1 {
			t.Errorf("%s %s: %v", c.id, c.key, skips(tally))
		}
	}
}

func TestSelect(t *testing.T) {
	const text = `{"who":"u1","obj":"k1","took":"5ms","at":"30.11.2026 21:08","what":"PutItem","len":7,"times":3,"where":"s1","ip":"198.51.100.7"}` + "\n"
	sel := request.Select{
		Key: "obj", Time: "at", Op: "what", Size: "len", Weight: "times", Partition: "where", Tenant: "who", Client: "ip",
		TimeFormat: "02.01.2006 15:04", Zone: time.FixedZone("", 3600),
	}
	id, d, got, _ := read(t, []byte(text), sel)
	requesttest.Same(t, "format", id, "jsonl")
	requesttest.Same(t, "row", fmt.Sprintf("%+v", got.List), fmt.Sprintf("%+v", []requesttest.Row{{
		Key: "k1", Command: "PUTITEM", Flags: request.BeginsCommand, Op: request.Write, Size: 7, Weight: 3,
		Time: time.Date(2026, 11, 30, 20, 8, 0, 0, time.UTC).UnixNano(), Client: request.HashString("198.51.100.7"),
		Latency: 5e6, TTL: -1, Partition: "s1", Tenant: "u1",
	}}))
	requesttest.Same(t, "mapping", mapping(d), "key=obj; time=at; op=what; size=len; weight=times; partition=where; tenant=who; "+
		"client=ip; latency=took")

	// Percent-encoding is undone only when asked for.
	const access = `{"uri":"/a%2Fb%zz?q=%41","method":"GET"}` + "\n"
	for _, c := range []struct {
		key    string
		decode bool
		want   string
	}{
		{"", false, "/a%2Fb%zz"}, {"", true, "/a/b%zz"}, {"path+query", true, "/a/b%zz?q=A"}, {"query:q", true, "A"},
		{"query:q", false, "%41"}, {"uri", true, "/a%2Fb%zz?q=%41"},
	} {
		_, _, got, _ := read(t, []byte(access), request.Select{Key: c.key, Decode: c.decode})
		requesttest.Same(t, c.key, got.Keys(), []string{c.want})
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		text string
		sel  request.Select
		want string
	}{
		{`{"key":"a","id":7}`, request.Select{}, `2 fields could be the key: "key", "id"; say which with --key`},
		{`{"key":"a","path":"/x","method":"GET"}`, request.Select{},
			`2 fields could be the key: "key", "path"; say which with --key`},
		{`{"key":"a","ts":1796072888,"time":"2026-11-30T21:08:08Z"}`, request.Select{},
			`2 fields could be the time: "time", "ts"; say which with --time`},
		{`{"key":"a","status":200,"code":7}`, request.Select{}, `2 fields could be the status: "status", "code"; say which: rename or remove one`},
		{`{"name":"a","x":{"y":1}}`, request.Select{},
			`no field is named like a key (key, id, object_id, path ...); say which with --key: "name", "x.y"`},
		{`{"name":"a","x":{"y":1}}`, request.Select{Key: "nme"}, `no field "nme" for --key; there is "name", "x.y"`},
		{`{"t":{"$date":"2024-01-01T00:00:00Z"},"s":"I","id":51803,"msg":"Slow query"}`, request.Select{},
			`a log line: the id beside its message is that of the line, no key; say which with --key: "t.$date", "s", "id", "msg"`},
		{`{"key":"a"}`, request.Select{Time: "when"}, `no field "when" for --time; there is "key"`},
		{`{"log":"192.0.2.1 - - [30/Nov/2026:21:08:08 +0000] \"GET / HTTP/1.1\" 200 5\n","stream":"stdout","time":"2026-11-30T21:08:08Z"}`,
			request.Select{}, `no field is named like a key (key, id, object_id, path ...); say which with --key: "log", "stream", "time"`},
		{`192.0.2.1 - - [30/Nov/2026:21:08:08 +0000] "GET / HTTP/1.1" 200 5`, request.Select{}, `not a JSON object`},
		{`{"key":`, request.Select{}, "no field"},
	} {
		text := strings.Repeat(c.text+"\n", 3)
		_, d := choose([]byte(text), c.sel)
		if d.New != nil && d.Matched > 0 {
			t.Errorf("%s: read all the same: %s", c.text, mapping(d))
			continue
		}
		last := Formats()[len(specs())-1].Detect([]byte(text), c.sel)
		if !strings.HasPrefix(last.Reason, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.text, last.Reason, c.want)
		}
	}
}

// Fields as servers in use write them.
func TestVariants(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"time":"[30/Nov/2026:21:08:08 +0000]","remoteIP":"198.51.100.7","requestPath":"/a","query":"?x=1","method":"GET","status":"200"}`,
			`http-json "/a" GET read 08 from 198.51.100.7 200`},
		{`{"timestamp":"2026-11-30T21:08:08+0000","client_ip":"198.51.100.7","url":"/a?x=1","request_method":"GET","response_state":"HIT-CLUSTER","response_status":200,"response_body_size":12}`,
			`http-json "/a" GET read 12B 08 from 198.51.100.7 200 hit`},
		{`{"BackendAddr":"10.0.0.9:80","ClientHost":"198.51.100.7","DownstreamStatus":404,"Duration":40356,"RequestMethod":"GET","RequestPath":"/","StartUTC":"2026-11-30T21:08:08.5Z"}`,
			`traefik-json "/" GET read 08.5 from 198.51.100.7 404 40.356µs @10.0.0.9:80`},
		{`{"ip":"198.51.100.7","requestTime":"30/Nov/2026:21:08:08 +0000","httpMethod":"GET","path":"/prod/a/5","status":"200","responseLength":"12"}`,
			`http-json "/prod/a/5" GET read 12B 08 from 198.51.100.7 200`},
		{`{"time":"2026-11-30T21:08:08Z","properties":{"httpMethod":"GET","requestUri":"https://a.example:443/x?y=1","httpStatusCode":"200","clientIp":"198.51.100.7","responseBytes":"20","cacheStatus":"HIT"}}`,
			`http-json "/x" GET read 20B 08 from 198.51.100.7 200 hit`},
		{`{"time_local":"30/Nov/2026:21:08:08 +0000","remote_addr":"198.51.100.7","request":"GET /a HTTP/1.1","status":200,"request_time":0.25}`,
			`nginx-json "/a" GET read 08 from 198.51.100.7 200 250ms`},
		{`{"id":7,"msg_size":4,"ts":1796072888}`, `jsonl "7" READ read 08`},
	} {
		id, _, got, _ := read(t, []byte(c.text+"\n"), request.Select{})
		requesttest.Same(t, c.text, id+" "+strings.Join(shorts(got), "|"), c.want)
	}
}

func TestRecords(t *testing.T) {
	const first = `{"key":"k","op":"get","n":1}` + "\n"
	for _, c := range []struct{ line, rows, skips string }{
		{`{"key":"","op":"get"}`, `"" GET read`, ""},
		{`{"key":12,"op":"set"}`, `"12" SET write`, ""},
		{`{"key":true,"op":"incr","n":2}`, `"true" INCR write`, ""},
		{`{"key":"-","op":""}`, `"-" READ read`, ""},
		{`{"key":"a","op":"frob"}`, `"a" FROB other`, ""},
		{`{"key":"a","op":"BatchGetItem"}`, `"a" BATCHGETITEM read`, ""},
		{`{"key":[],"op":"mget"}`, `- MGET read`, ""},
		{`{"key":["a",1,"\u00e9"],"op":"mget"}`, `"a" MGET read|"1" MGET read +|"é" MGET read +`, ""},
		{`{"key":["a",["b"]],"op":"mget"}`, "", "no key in the record: 1"},
		{`{"key":{"a":1},"op":"get"}`, "", "no key in the record: 1"},
		{`{"key":null,"op":"get"}`, "", "no key in the record: 1"},
		{`{"op":"get"}`, "", "no key in the record: 1"},
		{`{"msg":"started"}`, "", "(a log line of another kind: 1)"},
		{`{"key":"a","n":0}`, "", "(weight 0: 1)"},
		{`{"key":"a","n":1.5}`, "", "the weight is not a whole number: 1"},
		{`{"key":"a","n":"many"}`, "", "the weight is not a whole number: 1"},
		{`{"key":"a"`, "", "not valid JSON: 1"},
		{`{"key":"a"}}`, "", "not valid JSON: 1"},
		{`{"key":"\x41"}`, "", "not valid JSON: 1"},
		{`["key"]`, "", "not a JSON object: 1"},
		{" \t", "", "(blank line: 1)"},
		{"{\"key\":\"a\xff\x00\"}", "", "not valid JSON: 1"},
		{"{\"key\":\"a\xff\"}\r", `"a\xff" READ read`, ""},
	} {
		_, d := choose([]byte(strings.Repeat(first, 5)), request.Select{})
		got, tally := requesttest.Decode(t, d.New(), request.Block{Data: []byte(c.line + "\n"), Last: true})
		requesttest.Same(t, c.line, strings.Join(shorts(got), "|"), c.rows)
		requesttest.Same(t, c.line, strings.Join(skips(tally), "|"), c.skips)
	}
}

func TestEnds(t *testing.T) {
	_, d := choose([]byte(`{"key":"k","op":"get"}`+"\n"), request.Select{})
	for _, c := range []struct {
		data    string
		dropped int64
		last    bool
		want    string
	}{
		{`{"key":"a"}`, 0, true, `[a] []`},
		{`{"key":"a"`, 0, true, `[] [cut off at the end of the input: 1]`},
		{`{"key":"a"]`, 0, true, `[] [not valid JSON: 1]`},
		{`{"key":"a"`, 0, false, `[] [not valid JSON: 1]`},
		{`{"key":"a"` + "\n", 0, true, `[] [not valid JSON: 1]`},
		{`{"key":"a","v":"xxx` + "\n", 1 << 20, false, `[a] []`},
		{`{"v":"xxx` + "\n", 1 << 20, false, `[] [no key in the record: 1]`},
		{`{"v":"xxx\q` + "\n", 1 << 20, false, `[] [not valid JSON: 1]`},
	} {
		got, tally := requesttest.Decode(t, d.New(), request.Block{Data: []byte(c.data), Dropped: c.dropped, Last: c.last})
		requesttest.Same(t, c.data, fmt.Sprint(got.Keys(), skips(tally)), c.want)
		requesttest.Same(t, c.data, len(tally.Notes) > 0 && tally.Notes[0].Text == noteLong, c.dropped > 0 && len(got.List) > 0)
	}
	// Two long keys stay two.
	a, b := strings.Repeat("x", 5000)+"a", strings.Repeat("x", 5000)+"b"
	got, tally := requesttest.Decode(t, d.New(), request.Block{Data: []byte(`{"key":"` + a + `"}` + "\n" + `{"key":"` + b + `"}` + "\n")})
	requesttest.Same(t, "distinct", len(got.Count(requesttest.ByKey)), 2)
	requesttest.Same(t, "long keys", tally.LongKeys, 2)
	requesttest.Same(t, "length", len(got.List[0].Key), request.MaxKey)
}

func TestFramings(t *testing.T) {
	access := `{"uri":"/a?x","method":"GET","status":200}`
	quoted := strings.ReplaceAll(access, `"`, `\"`)
	for _, c := range []struct{ name, line, framing string }{
		{"plain", access, ""},
		{"docker", `{"log":"` + quoted + `\n","stream":"stdout","time":"2026-11-30T21:08:08Z"}`, "docker json-file"},
		{"message", `{"kubernetes":{"pod":"p"},"message":"` + quoted + `"}`, "json message"},
		{"journald", `{"_PID":"1","MESSAGE":"` + quoted + `"}`, "journald json"},
		{"CRI", "2026-11-30T21:08:08.5Z stdout F " + access, "cri"},
		{"compose", "web-1  | " + access, "docker compose"},
		{"a message of its own", strings.TrimSuffix(access, "}") + `,"message":"GET /a HTTP/1.1"}`, ""},
	} {
		id, d, got, tally := read(t, []byte(strings.Repeat(c.line+"\n", 3)), request.Select{})
		requesttest.Same(t, c.name, fmt.Sprintf("%s %q %s %d", id, got.Keys(), d.Framing, tally.Requests),
			`http-json ["/a" "/a" "/a"] `+c.framing+" 3")
	}
}

// However the input is cut into blocks, by however many decoders they are read: the same rows and the
// same tally.
func TestBlocks(t *testing.T) {
	line := rapid.SampledFrom([]string{
		`{"ts":1796072888.5,"key":"a","op":"get","n":2,"shard":"s1"}`, `{"ts":1796072887,"key":["b","c\n"],"op":"set","shard":"s2"}`,
		`{"ts":1796072889,"key":"","op":"odd","shard":null}`, `{"ts":"x","key":"a"}`, `{"key":`, `junk`, ``, `{"msg":"x"}`,
		`{"ts":1796072890,"key":"` + strings.Repeat("k", 5000) + `","op":"get"}`, `{"ts":1,"key":"old","n":0}`,
	})
	_, d := choose([]byte(`{"ts":1796072888.5,"key":"a","op":"get","n":2,"shard":"s1"}`+"\n"), request.Select{})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 1, 12).Draw(rt, "lines"), rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end"))
		if rapid.Bool().Draw(rt, "ended") {
			text += "\n"
		}
		err := requesttest.InBlocks(t, request.Format{}, d.New, []byte(text), func() bool { return rapid.Bool().Draw(rt, "go on") })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for id := range samples {
		f.Add(sampleFile(f, id), "", false)
	}
	for _, text := range golden.CorpusHeads("http", 2048) {
		f.Add(text, "", false)
	}
	f.Add([]byte(`{"uri":"?","method":"GET","host":"h"}`+"\n"), "host+path,query:a", true)
	f.Add([]byte(`{"a":{"b":["x"]},"time":"-"}`+"\n"), "a.b.0", true)
	f.Fuzz(func(t *testing.T, data []byte, key string, decodeURL bool) {
		sel := request.Select{Key: key, Decode: decodeURL}
		for _, format := range Formats() {
			d := format.Detect(data, sel)
			if d.Matched > d.Lines || len(d.FirstBadText) > request.MaxShown || d.Matched < d.Lines && d.FirstBad == 0 {
				t.Errorf("%s: %+v", format.ID, d)
			}
			if d.New == nil {
				continue
			}
			lines := data
			if format.Rewrite != nil {
				lines = rewritten(t, data)
			}
			block := request.Block{Data: lines, Last: true}
			got, tally := requesttest.Decode(t, d.New(), block)
			again, _ := requesttest.Decode(t, format.Detect(bytes.Clone(data), sel).New(), block)
			if !slices.Equal(got.List, again.List) {
				t.Errorf("%s: a second run differs", format.ID)
			}
			if got.Commands() != tally.Requests {
				t.Errorf("%s: %d commands of %d requests", format.ID, got.Commands(), tally.Requests)
			}
		}
	})
}
