package delimited

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

func utc(text string) int64 {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t.UnixNano()
}

// Every column that a table may have, in one row.
func TestAllColumns(t *testing.T) {
	r, tally, d := detected(t, "Time,Cache-Key,request.method,value size,SHARD,tenant_id,c_ip,n,ttl,cache_status,status,latency_ms\n"+
		"2026-11-30T10:00:00.25Z,a,PUT,12,s1,t1,10.0.0.1:99,3,60,HIT,503,1.5\n"+
		"2026-11-30T10:00:01+01:00,\"b,\"\"c\"\"\",get,-,s2,-,[::1]:9,1,60,MISS,-,-\n", request.Select{}, "csv")
	requesttest.Same(t, "mapping", d.Mapping, []request.Mapped{
		{Field: "key", From: "Cache-Key"}, {Field: "time", From: "Time (ISO 8601)"}, {Field: "op", From: "request.method"},
		{Field: "weight", From: "n"}, {Field: "size", From: "value size"}, {Field: "partition", From: "SHARD"},
		{Field: "tenant", From: "tenant_id"}, {Field: "client", From: "c_ip"}, {Field: "status", From: "status"},
		{Field: "latency", From: "latency_ms"}, {Field: "cache", From: "cache_status"}, {Field: "ttl", From: "ttl"},
	})
	requesttest.Same(t, "framing", d.Framing, "columns between commas, header")
	requesttest.Same(t, "rows", r.List, []requesttest.Row{
		{Key: "a", Command: "PUT", Flags: request.BeginsCommand, Op: request.Write, Algebra: request.Overwrite,
			Offset: 99, Size: 12, Time: utc("2026-11-30T10:00:00.25Z"), Weight: 3,
			Client: request.HashString("10.0.0.1"), Status: 503, Latency: 1_500_000, Cache: request.CacheHit, TTL: 60_000,
			Partition: "s1", Tenant: "t1"},
		{Key: `b,"c"`, Command: "GET", Flags: request.BeginsCommand, Op: request.Read,
			Offset: 167, Time: utc("2026-11-30T09:00:01Z"), Weight: 1,
			Client: request.HashString("::1"), Latency: -1, Cache: request.CacheMiss, TTL: -1, Partition: "s2"},
	})
	requesttest.Same(t, "skips", requesttest.Skips(tally), map[request.Reason]int64{reasonHeader: 1})
	if !tally.Timed || tally.OutOfOrder != 1 || tally.First != utc("2026-11-30T09:00:01Z") {
		t.Errorf("times: %+v", tally)
	}
}

// What is read as what, from the text alone.
func TestDetection(t *testing.T) {
	for _, c := range []struct{ text, id, framing, mapping, keys string }{
		{"time,key\n1,a\n2,b\n", "csv", "columns between commas, header", "[{key key} {time time (relative seconds)}]", "[a b]"},
		{"time\tkey\n1\ta,b\n2\tb\n", "csv", "columns between tabs, header", "[{key key} {time time (relative seconds)}]", "[a,b b]"},
		{"ts;id\n1,5;a\n2,5;b\n", "csv", "columns between semicolons, header", "", "[a b]"},
		{"1|a\n2|b\n3|a\n", "csv", "columns between bars", "[{key column 2} {time column 1 (relative seconds)}]", "[a b a]"},
		{"109 26 1\n139 3 2\n158 3 2\n", "csv", "columns between spaces",
			"[{key column 2 (assumed: time, key, size)} {time column 1 (relative seconds)} {size column 3}]", "[26 3 3]"},
		{"  109   26 1\n  139    3 2  \n", "csv", "columns between spaces", "", "[26 3]"},
		{"# time key size\n109 26 1\n139 3 2\n# more\n158 3 2\n", "csv", "columns between spaces, header",
			"[{key key} {time time (relative seconds)} {size size}]", "[26 3 3]"},
		{"\xef\xbb\xbftime,key\r\n1,a\r\n", "csv", "columns between commas, header", "", "[a]"},
		{"1796072448,GET,user:1\n1796072449,SET,user:2\n", "csv", "columns between commas",
			"[{key column 3} {time column 1 (Unix seconds)} {op column 2}]", "[user:1 user:2]"},
		{"user:1,2026-11-30 10:00:00,get\nuser:2,2026-11-30 10:00:00,set\n", "csv", "columns between commas",
			"[{key column 1} {time column 2 (ISO 8601)} {op column 3}]", "[user:1 user:2]"},
		{"host,when,what\nh,1796072448,u\nh,1796072449,v\n", "", "", "", ""},
		{"when,what\n1796072448,u\n1796072449,v\n", "", "", "", ""},
		{"time,thing\n1,u\n2,v\n", "csv", "columns between commas, header",
			"[{key thing (the only column that is nothing else)} {time time (relative seconds)}]", "[u v]"},
		{"key,count\na,5\nb,7\n", "csv", "columns between commas, header", "[{key key} {weight count}]", "[a b]"},
		{"key,time\na,noon\nb,night\n", "csv", "columns between commas, header",
			`[{key key} {time none: time holds no times that can be read, such as "noon"}]`, "[a b]"},
		{"key,n\na,x\nb,y\n", "csv", "columns between commas, header", "[{key key} {weight none: n holds no whole numbers}]", "[a b]"},
		{"a\nb\n\na\n", "keylist", "", "[{key the whole line}]", "[a b a]"},
		{"{user}:1\n{user}:2\n", "keylist", "", "", "[{user}:1 {user}:2]"},
		{"key\na\nb\n", "keylist", "header", "[{key key}]", "[a b]"},
		{"\"a b\"\n\"c\"\"d\"\n", "keylist", "", "", `[a b c"d]`},
		{"*\n1\n2\n*\n1\n3\n", "keylist", "", "", "[1 2 1 3]"},
		{"a,GET,1,2,3\nb,SET,1,1,3\n", "kvcache", "", "", "[a b]"},
		{"time,obj_id,obj_size\n1,2,3\n4,5,6\n", "libcachesim-csv", "columns between commas, header", "", "[2 5]"},
		{"1,a,b,1,0,7,get,0\n2,c,1,0,7,set,60\n", "twitter", "", "", "[a,b c]"},
		{strings.Repeat("128166385295514663,hm,0,Write,9056014336,2048,2833\n128166385295514878,hm,0,Read,11855351808,512,2617\n", 10),
			"msr", "",
			"[{key offset} {time timestamp (Windows file time)} {op type} {size size} {partition hostname}]",
			"[" + strings.TrimSpace(strings.Repeat("9056014336 11855351808 ", 10)) + "]"},
		{strings.Repeat("1796072448,hm,0,Write,9056014336,2048,2833\n1796072449,hm,0,Read,11855351808,512,2617\n", 10),
			"csv", "columns between commas",
			"[{key column 5 (assumed: the first of 3 columns of numbers that are nothing else)} {time column 1 (Unix seconds)} {op column 4}]",
			"[" + strings.TrimSpace(strings.Repeat("9056014336 11855351808 ", 10)) + "]"},
		{"1,abc,9\n2,abd,8\n", "csv", "columns between commas",
			"[{key column 2 (assumed: time, key, size)} {time column 1 (relative seconds)} {size column 3}]", "[abc abd]"},
		{"r 0x10 1 5\nw 0x20 2 5\n", "address", "", "", "[0x10 0x20]"},
		{"r 0x10 1\nw 0x20 2\n", "address", "", "[{key column 2} {op column 1}]", "[0x10 0x20]"},
		{"5 3 0 0\n9 1 0 1\n", "arc", "", "", "[5 6 7 9]"},
		{"user:1,500\nuser:2,300\n", "", "", "", ""},                  // totals
		{"   12 user:1\n    3 user:2\n", "", "", "", ""},              // uniq -c
		{`{"key":"a"}` + "\n" + `{"key":"b"}` + "\n", "", "", "", ""}, // JSON
		{"cmdstat_get:calls=1,usec=2\ncmdstat_set:calls=3,usec=4\n", "", "", "", ""},
		{"STAT items 5\nSTAT bytes 6\n", "", "", "", ""},
		{"the quick brown\nfox jumps over\n", "", "", "", ""},
		{"a,b,c\nd,e,f\n", "", "", "", ""}, // which is the key?
	} {
		f, d := choose([]byte(c.text), request.Select{})
		if c.id == "" {
			if f.ID != "" && d.New != nil {
				t.Errorf("%q: detected %q %+v", c.text, f.ID, d)
			}
			continue
		}
		if f.ID != c.id || d.New == nil {
			t.Errorf("%q: detected %q, %+v", c.text, f.ID, d)
			continue
		}
		r, _ := decodeAs(t, f, d, []byte(c.text))
		requesttest.Same(t, c.text, fmt.Sprint(r.Keys()), c.keys)
		if c.id == "csv" {
			requesttest.Same(t, c.text, d.Framing, c.framing)
		}
		if c.mapping != "" {
			requesttest.Same(t, c.text, fmt.Sprint(d.Mapping), c.mapping)
		}
	}
}

// The user names columns by name or number, whatever detection would say.
func TestSelect(t *testing.T) {
	const header = "when,a,b,id,key\n100,x,y,1,k1\n200,x,z,2,k2\n"
	for _, c := range []struct {
		text  string
		s     request.Select
		keys  string
		times string
	}{
		{header, request.Select{Key: "id"}, "[1 2]", ""},
		{header, request.Select{Key: "5", Time: "when"}, "[k1 k2]", "[100000000000 200000000000]"},
		{header, request.Select{Key: "b,A"}, "[y\x1fx z\x1fx]", ""},
		{header, request.Select{Key: "key", Time: "1", TimeFormat: "ms"}, "[k1 k2]", "[100000000 200000000]"},
		{"foo,bar\nx,y\nz,w\n", request.Select{Key: "bar"}, "[y w]", ""},
		{"x,y\nz,w\n", request.Select{Key: "2"}, "[y w]", ""},
		{"user:1,500\nuser:2,300\n", request.Select{Key: "1", Weight: "2"}, "[user:1 user:2]", ""},
		{"\"a,b\",key\n1,x\n", request.Select{Key: "a,b"}, "[1]", ""},
		{"k,t\na,30.11.2026 10:00\nb,30.11.2026 10:01\n", request.Select{TimeFormat: "02.01.2006 15:04"}, "[a b]",
			fmt.Sprint([]int64{utc("2026-11-30T10:00:00Z"), utc("2026-11-30T10:01:00Z")})},
	} {
		r, _, _ := detected(t, c.text, c.s, "csv")
		requesttest.Same(t, c.text, fmt.Sprint(r.Keys()), c.keys)
		var times []int64
		for _, x := range r.List {
			times = append(times, x.Time)
		}
		if c.times != "" {
			requesttest.Same(t, c.text, fmt.Sprint(times), c.times)
		}
	}
}

// What cannot be decided is said, and nothing is decided in silence.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		text   string
		s      request.Select
		reason string
	}{
		{"time,id,key\n1,2,3\n", request.Select{},
			"two columns would do for the key: id (column 2) and key (column 3); say which with --key"},
		{"time,ts,key\n1,2,3\n", request.Select{},
			"two columns would do for the time: time (column 1) and ts (column 2); say which with --time"},
		{"key,org,account\na,b,c\n", request.Select{},
			"two columns would do for the tenant: org (column 2) and account (column 3); say which with --tenant"},
		{"ts_x,who,what\n1,b,c\n", request.Select{},
			"no column has a name that means a key; columns: ts_x, who, what. Say which: --key COLUMN"},
		{"time,key\n1,a\n", request.Select{Key: "kye"}, `there is no column "kye" for the key; columns: time, key`},
		{"time,key\n1,a\n", request.Select{Op: "3"}, `there is no column "3" for the op; columns: time, key`},
		{"1,a\n2,b\n", request.Select{Key: "name"}, `there is no column "name" for the key; there is no header: say a number, 1 to 2`},
		{"time,key\n1,a\n", request.Select{Time: "key"},
			`key holds no times that can be read, such as "a"; give their layout with --time-format`},
		{"time,key\n1,a\n", request.Select{Weight: "key", Key: "time"}, "the column for the weight, key holds no whole numbers"},
		{"a,b\nc,d\n", request.Select{}, "there is no header, and 2 columns could be the key; say which: --key COLUMN"},
		{"user:1,500\nuser:2,300\n", request.Select{},
			"each key stands once, beside a number: these look like totals, not requests; --key 1 --weight 2 reads them as counts"},
		{"cmdstat_get:calls=1,usec=2\n", request.Select{}, "it is a status snapshot: counters of a server, not requests"},
	} {
		d := named(t, "csv").Detect([]byte(c.text), c.s)
		requesttest.Same(t, c.text, d.Reason, c.reason)
		if d.New != nil {
			t.Errorf("%q: has a decoder", c.text)
		}
	}
}

// A client beside a tenant is a client; alone it is the tenant.
func TestClientOrTenant(t *testing.T) {
	r, _, _ := detected(t, "key,client,org\na,c,o\n", request.Select{}, "csv")
	if x := r.List[0]; x.Tenant != "o" || x.Client != request.HashString("c") {
		t.Errorf("%+v", x)
	}
	r, _, _ = detected(t, "key,client_id\na,c\n", request.Select{}, "csv")
	requesttest.Same(t, "tenant", r.List[0].Tenant, "c")
}

// Lines that are no requests are counted under a reason.
func TestSkips(t *testing.T) {
	text := "time,key,size,n\n" + strings.Repeat("1,a,5,1\n", 30) +
		"\n" + // blank
		"time,key,size,n\n" + "\xef\xbb\xbftime,key,size,n\n" + // joined files
		"2,b\n" + "2,b,5,1,1\n" + "2\n" +
		"noon,b,5,1\n" + "2,b,5,many\n" + "2,b,5,0\n" +
		"2,\"b,5,1\n" + "2,\"b\"c,5,1\n" +
		"2,b,big,1\n" + "2,,,1\n" + "3,\x00\xff,1,1.0\n" +
		strings.Repeat("9", maxColumns) + strings.Repeat(",", maxColumns+5) + "\n" +
		"4,cut"
	r, tally, _ := detected(t, text, request.Select{}, "csv")
	requesttest.Same(t, "skips", requesttest.Skips(tally), map[request.Reason]int64{
		reasonHeader: 3, reasonBlank: 1, "2 columns instead of 4": 1, "5 columns instead of 4": 1,
		"1 columns instead of 4": 1, "more than 1024 columns instead of 4": 1, reasonTime: 1, reasonWeight: 1,
		reasonZero: 1, reasonOpen: 1, reasonBehind: 1, cutOff: 1,
	})
	requesttest.Same(t, "notes", requesttest.Notes(tally), map[string]int64{noteNoOperation: 33, noteSize: 1})
	requesttest.Same(t, "keys", r.Keys()[30:], []string{"b", "", "\x00\xff"})
	if _, bad := tally.Skipped(); bad != 9 {
		t.Errorf("%d bad lines: %+v", bad, tally.Skips)
	}
}

// A last line without its end counts when it is whole.
func TestNoFinalNewline(t *testing.T) {
	for _, text := range []string{"time,key\n1,a\n2,b", "1;a\n2;b", "a\nb"} {
		f, d := choose([]byte(text), request.Select{})
		r, _ := decodeAs(t, f, d, []byte(text))
		requesttest.Same(t, text, r.Keys(), []string{"a", "b"})
	}
}

// Keys longer than are kept stay apart, and so do composite ones.
func TestLongKeys(t *testing.T) {
	long := strings.Repeat("k", 5000)
	text := "key,b\n" + long + "1,x\n" + long + "2,x\n" + long + "1,x\n"
	for _, s := range []request.Select{{}, {Key: "key,b"}} {
		r, tally, _ := detected(t, text, s, "csv")
		counts := r.Count(requesttest.ByKey)
		if key := r.Keys()[0]; tally.LongKeys != 3 || len(counts) != 2 || counts[key] != 2 || len(key) != request.MaxKey {
			t.Errorf("%d long keys, %d distinct", tally.LongKeys, len(counts))
		}
	}
	f := named(t, "csv")
	d := f.Detect([]byte(text), request.Select{})
	tally := &request.Tally{}
	d.New().Decode(request.Block{Data: []byte("kkkk\n"), Dropped: 9}, &requesttest.Rows{T: t}, tally)
	requesttest.Same(t, "too long a line", requesttest.Skips(tally), map[request.Reason]int64{reasonLong: 1})
}

// Operations, their algebra and their names.
func TestOperations(t *testing.T) {
	var b strings.Builder
	want := []struct {
		name    string
		op      request.Op
		algebra request.Algebra
		command string
	}{
		{"GET", request.Read, 0, "GET"}, {"gets", request.Read, 0, "GETS"}, {"Head", request.Read, 0, "HEAD"},
		{"set", request.Write, request.Overwrite, "SET"}, {"PUT", request.Write, request.Overwrite, "PUT"},
		{"incr", request.Write, request.Sum, "INCR"}, {"add", request.Write, request.Cond, "ADD"},
		{"cas", request.Write, request.Cond, "CAS"}, {"append", request.Write, request.AppendBytes, "APPEND"},
		{"DELETE", request.Write, request.Delete, "DELETE"}, {"POST", request.Write, 0, "POST"},
		{"SET_LEASE", request.Write, request.Overwrite, "SET_LEASE"}, {"HGETALL", request.Read, 0, "HGETALL"},
		{"SADD", request.Write, request.Union, "SADD"}, {"2a", request.Write, request.Overwrite, "2A"},
		{"GetItem", request.Read, 0, "GETITEM"}, {"BatchWriteItem", request.Write, 0, "BATCHWRITEITEM"},
		{"REST.PUT.OBJECT", request.Write, 0, "REST.PUT.OBJECT"},
		{"getChunkData.Permanent", request.Read, 0, "GETCHUNKDATA.PERMANENT"},
		{"frobnicate", request.Other, 0, "FROBNICATE"}, {"", request.Other, 0, ""}, {"set\x00", request.Other, 0, `SET\X00`},
		{"setup", request.Other, 0, "SETUP"},
	}
	b.WriteString("key,op\n")
	for _, w := range want {
		b.WriteString("k," + w.name + "\n")
	}
	r, tally, _ := detected(t, b.String(), request.Select{}, "csv")
	for i, w := range want {
		x := r.List[i]
		if x.Op != w.op || x.Algebra != w.algebra || x.Command != w.command {
			t.Errorf("%q: %v %v %q", w.name, x.Op, x.Algebra, x.Command)
		}
	}
	if n := requesttest.Notes(tally)["unknown operation FROBNICATE: it counts neither as a read nor as a write"]; n != 1 || len(tally.Notes) != 4 {
		t.Errorf("notes: %+v", tally.Notes)
	}
}

// A row that stands for several requests, of which the cache answered some, is two rows.
func TestPartialHits(t *testing.T) {
	r, tally, _ := detected(t, "key,op_count,cache_hits\na,5,3\na,5,9\na,5,0\na,1,1\n", request.Select{}, "csv")
	var got []string
	for _, x := range r.List {
		got = append(got, fmt.Sprint(x.Weight, " ", x.Cache))
	}
	requesttest.Same(t, "weights and results", got, []string{"3 2", "2 1", "5 2", "5 1", "1 2"})
	requesttest.Same(t, "requests", tally.Requests, 4)
}
