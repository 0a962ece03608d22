package ingest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keyskew/ingest/request"
)

const allColumns = request.TimeColumn | request.WeightColumn | request.ClientColumn | request.StatusColumn |
	request.LatencyColumn | request.CacheColumn | request.TTLColumn | request.PartitionColumn | request.TenantColumn

// rowSink keeps copies of rows, and checks that batches are sound.
type rowSink struct {
	rows []request.Row
	bad  string
}

func (s *rowSink) Add(b *request.Batch) {
	if b.Len() == 0 || int(b.End[b.Len()-1]) != len(b.Arena) || len(b.Hash) != b.Len() || len(b.Tenant) != b.Len() {
		s.bad = fmt.Sprintf("a batch of %d rows, %d bytes, %d hashes, %d tenants", b.Len(), len(b.Arena), len(b.Hash), len(b.Tenant))
	}
	for i := range b.Len() {
		r := rowOf(b, i)
		r.Key = bytes.Clone(b.Key(i))
		s.rows = append(s.rows, r)
	}
}

var (
	testNames      = []string{"GET", "Set", "EVAL"}
	testTenants    = []string{"", "acme"}
	testPartitions = []string{"", "a:1", "b:1"}
)

// drawCommands draws commands: the rows of each.
func drawCommands(t *rapid.T) [][]request.Row {
	var out [][]request.Row
	var offset int64
	row := func() request.Row {
		offset++
		r := request.Row{
			Op: request.Op(rapid.IntRange(0, 3).Draw(t, "op")), Command: uint16(rapid.IntRange(0, 1).Draw(t, "command")),
			Algebra: request.Sum, Offset: offset, Size: uint64(offset), Time: rapid.Int64Range(0, 9).Draw(t, "time"),
			Weight: rapid.Uint64Range(1, 3).Draw(t, "weight"), Client: request.HashString(rapid.SampledFrom([]string{"c", "d"}).Draw(t, "client")),
			Status: rapid.SampledFrom([]uint16{0, 200, 404, 503}).Draw(t, "status"), Latency: offset, TTL: -offset, Cache: request.CacheHit,
			Partition: uint32(rapid.IntRange(0, 2).Draw(t, "partition")), Tenant: uint32(rapid.IntRange(0, 1).Draw(t, "tenant")),
		}
		r.Key = []byte(strings.Repeat(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key"), rapid.IntRange(0, 3).Draw(t, "length")))
		r.Hash = request.Hash(r.Key)
		return r
	}
	for range rapid.IntRange(0, 8).Draw(t, "commands") {
		var rows []request.Row
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		if kind == 0 {
			offset++
			rows = append(rows, request.Row{Flags: request.NoKey, Command: 2, Offset: offset, Weight: 1})
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "rows") {
			r := row()
			if i == 0 {
				r.Flags = request.BeginsCommand
			}
			if kind == 1 {
				r.Flags, r.Key, r.Hash = request.BeginsCommand|request.NoKey, nil, 0
			}
			rows = append(rows, r)
			if kind == 1 {
				break
			}
		}
		out = append(out, rows)
	}
	return out
}

// naming says that the row only names the command of those behind it.
func naming(r request.Row) bool { return r.Flags == request.NoKey }

// filterSlowly is what a filter has to give, command by command.
func filterSlowly(commands [][]request.Row, wants func(r request.Row, script bool) bool) (kept []request.Row, left uint64) {
	for _, rows := range commands {
		script := naming(rows[0])
		var some []request.Row
		for _, r := range rows {
			switch {
			case naming(r):
			case wants(r, script):
				r.Flags &^= request.BeginsCommand
				some = append(some, r)
			default:
				left += r.Weight
			}
		}
		if len(some) > 0 {
			some[0].Flags |= request.BeginsCommand
			if script {
				kept = append(kept, rows[0])
			}
			kept = append(kept, some...)
		}
	}
	return kept, left
}

func condition(t interface{ Fatal(...any) }, text string) Condition {
	c, err := ParseCondition(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Whatever is filtered and wherever batches end: the rows that are wanted stay as they are, a command of
// which any row stays still counts once, and everything else is counted as left out.
func TestFilterKeepsWhatIsWanted(t *testing.T) {
	since, _ := ParseMoment("0", nil)
	status := func(r request.Row) bool { return r.Status/100 == 5 || r.Status == 404 }
	for name, c := range map[string]struct {
		filter Filter
		wants  func(r request.Row, script bool) bool
	}{
		"time":         {Filter{Since: since}, func(r request.Row, _ bool) bool { return r.Time >= 3 && r.Time < 7 }},
		"match":        {Filter{Match: []string{"a*", "b"}}, func(r request.Row, _ bool) bool { return bytes.HasPrefix(r.Key, []byte("a")) || string(r.Key) == "b" }},
		"no match":     {Filter{Match: []string{"!a*"}}, func(r request.Row, _ bool) bool { return !bytes.HasPrefix(r.Key, []byte("a")) }},
		"both matches": {Filter{Match: []string{"!*aa", "a*"}}, func(r request.Row, _ bool) bool { return string(r.Key) == "a" }},
		"command":      {Filter{Where: []Condition{condition(t, "command=s*")}}, func(r request.Row, _ bool) bool { return r.Command == 1 }},
		"script":       {Filter{Where: []Condition{condition(t, "command=eval")}}, func(_ request.Row, script bool) bool { return script }},
		"op":           {Filter{Where: []Condition{condition(t, "op=read"), condition(t, "op=write")}}, func(r request.Row, _ bool) bool { return r.Op == request.Read || r.Op == request.Write }},
		"client":       {Filter{Where: []Condition{condition(t, "client=c")}}, func(r request.Row, _ bool) bool { return r.Client == request.HashString("c") }},
		"not client":   {Filter{Where: []Condition{condition(t, "client!=c")}}, func(r request.Row, _ bool) bool { return r.Client != request.HashString("c") }},
		"status":       {Filter{Where: []Condition{condition(t, "status=5xx"), condition(t, "status=404")}}, func(r request.Row, _ bool) bool { return status(r) }},
		"not status":   {Filter{Where: []Condition{condition(t, "status!=5XX"), condition(t, "status!=404")}}, func(r request.Row, _ bool) bool { return !status(r) }},
		"tenant":       {Filter{Where: []Condition{condition(t, "tenant=ac*")}}, func(r request.Row, _ bool) bool { return r.Tenant == 1 }},
		"partition":    {Filter{Where: []Condition{condition(t, "partition=?:1"), condition(t, "partition!=b:1")}}, func(r request.Row, _ bool) bool { return r.Partition == 1 }},
		"two fields": {Filter{Match: []string{"a*"}, Where: []Condition{condition(t, "op=read"), condition(t, "tenant=acme")}}, func(r request.Row, _ bool) bool {
			return bytes.HasPrefix(r.Key, []byte("a")) && r.Op == request.Read && r.Tenant == 1
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := newFilter(c.filter)
			if err != nil {
				t.Fatal(err)
			}
			s := filterSink{filter: f}
			s.forget()
			rapid.Check(t, func(t *rapid.T) {
				commands := drawCommands(t)
				want, left := filterSlowly(commands, c.wants)
				got := &rowSink{}
				s.begin(got, 3, 7)
				b := request.NewBatch(4, allColumns)
				b.Names, b.TenantNames, b.PartitionNames = testNames, testTenants, testPartitions
				for _, rows := range commands {
					for _, r := range rows {
						b.Append(&r)
						if rapid.IntRange(0, 3).Draw(t, "flush") == 0 {
							s.Add(b)
							b.Reset()
						}
					}
				}
				if b.Len() > 0 {
					s.Add(b)
				}
				if got.bad != "" {
					t.Fatal(got.bad)
				}
				if g, w := fmt.Sprintf("%+v", got.rows), fmt.Sprintf("%+v", want); g != w && len(got.rows)+len(want) > 0 {
					t.Fatalf("got\n%s\nwant\n%s", g, w)
				}
				var sum uint64
				for _, l := range s.left {
					sum += l.unwanted
				}
				if sum != left {
					t.Fatalf("%d left out, want %d", sum, left)
				}
			})
		})
	}
}

func TestConditions(t *testing.T) {
	for _, bad := range []string{"", "op", "op=", "op=delete", "colour=red", "status=5x", "status=x", "status=5xxx", "command=", "tenant=[a"} {
		if c, err := ParseCondition(bad); err == nil {
			t.Errorf("%q is %+v", bad, c)
		}
	}
	since, _ := ParseMoment("2026-01-02", nil)
	until, _ := ParseMoment("2026-01-01", nil)
	for _, bad := range []Filter{{Match: []string{"["}}, {Match: []string{"!"}}, {Since: since, Until: until}} {
		if err := bad.Check(); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// timedFake is the fake format with times: the line's length in seconds.
func timedFake() []request.Format {
	formats := fake()
	formats[0].Detect = func(head []byte, s request.Select) request.Detection {
		d := fakeDetect(head, s)
		d.New = func() request.Decoder { return timedDecoder{} }
		return d
	}
	return formats
}

type timedDecoder struct{}

func (timedDecoder) Decode(b request.Block, s request.Sink, t *request.Tally) {
	batch := request.NewBatch(16, request.TimeColumn)
	at := b.Offset
	for line := range bytes.Lines(b.Data) {
		t.Lines++
		row := request.Row{Key: trimEnd(line), Offset: at, Time: int64(len(trimEnd(line))) * 1e9, Flags: request.BeginsCommand}
		at += int64(len(line))
		if bytes.HasPrefix(line, []byte("bad")) {
			t.Skip("bad", false)
			continue
		}
		t.Requests++
		t.Saw(row.Time)
		batch.Append(&row)
	}
	s.Add(batch)
}

func keys(rows []string) string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.Fields(r)[1])
	}
	return strings.Join(out, " ")
}

func TestFiltersOfAnInput(t *testing.T) {
	text := "aa\nb\nbad\nccc\ndddd\nbb\n"
	moment := func(s string) Moment {
		m, err := ParseMoment(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		name     string
		filter   Filter
		keys     string
		filtered string
	}{
		{"none", Filter{}, "aa b ccc dddd bb", "[]"},
		{"since", Filter{Since: moment("3")}, "ccc dddd", "[{--since 3}]"},
		{"until", Filter{Until: moment("3")}, "aa b bb", "[{--until 2}]"},
		{"after the first", Filter{Since: moment("+1s"), Until: moment("+2s")}, "ccc", "[{--since and --until 4}]"},
		{"on the clock", Filter{Since: moment("00:00:02"), Until: moment("00:00:04")}, "aa ccc bb", "[{--since and --until 2}]"},
		{"over midnight", Filter{Since: moment("00:00:03"), Until: moment("00:00:01")}, "ccc dddd", "[{--since and --until 3}]"},
		{"no such column", Filter{Where: []Condition{condition(t, "status=404")}}, "", "[{--where status: this input has no status 5}]"},
		{"two", Filter{Match: []string{"?"}, Where: []Condition{condition(t, "op=read")}}, "", "[{--match 4} {--where op 1}]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1, 1 << 20} {
				f := &recorder{}
				stats, _, err := read(context.Background(), []Input{writeFile(t, "x", []byte(text))}, Options{Filter: c.filter, BlockSize: size, Workers: 3}, f, timedFake())
				if err != nil {
					t.Fatal(err)
				}
				if got := keys(f.rows); got != c.keys {
					t.Errorf("got %q, want %q", got, c.keys)
				}
				if got := fmt.Sprint(stats[0].Filtered); got != c.filtered {
					t.Errorf("got %s, want %s", got, c.filtered)
				}
				if tally := stats[0].Tally; tally.Lines != 6 || tally.Requests != 5 || len(tally.Notes) != len(stats[0].Filtered) {
					t.Errorf("%+v", tally)
				}
			}
		})
	}
}

// Times are told from the first input that has any; one that has none is refused.
func TestRelativeTimesOfSeveralInputs(t *testing.T) {
	since, err := ParseMoment("+2s", nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &recorder{}
	in := []Input{writeFile(t, "bare", []byte("bad\na bad\nb bad\n")), writeFile(t, "one", []byte("a\nbbb\n")), writeFile(t, "two", []byte("aaaa\nb\n"))}
	formats := timedFake()
	detect := formats[0].Detect
	formats[0].Detect = func(head []byte, s request.Select) request.Detection {
		d := detect(head, s)
		if bytes.Contains(head, []byte("a bad")) {
			d.New = func() request.Decoder { return fakeDecoder{} }
		}
		return d
	}
	_, _, err = read(context.Background(), in, Options{Filter: Filter{Since: since}}, f, formats)
	if want := "bare: --since needs the time of the first record, but there is none in the first 64 KiB; give a date and time"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if got := keys(f.rows); got != "bbb aaaa" {
		t.Errorf("got %q", got)
	}
}

// The first N requests are the same however the input is cut and arrives, and nothing behind them counts.
func TestHead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, 30)
		n := rapid.Int64Range(1, 12).Draw(t, "n")
		o := Options{
			Format: "fake", Filter: Filter{Head: n}, Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
			BlockSize: rapid.SampledFrom([]int{1, 2, 7, 50, 1000}).Draw(t, "block size"),
		}
		got := readFake(bytes.NewReader(text), o)
		whole := decodeWhole(text)
		if got.err != nil || got.stats.Err != nil {
			t.Fatal(got.err, got.stats.Err)
		}
		if whole.stats.Tally.Requests < n {
			if !slices.Equal(got.rows, whole.rows) || !sameTally(got.stats.Tally, whole.stats.Tally) || got.stats.Cut {
				t.Fatalf("all of it: %+v", got.stats)
			}
			return
		}
		// The shortest run of whole records that holds n requests.
		var want outcome
		var end int
		starts, _ := cutSlowly(text, request.MaxLine)
		for _, s := range append(starts, int64(len(text)))[1:] {
			end = int(s)
			want = outcome{}
			sink := &recorderSink{}
			fakeDecoder{}.Decode(request.Block{Data: text[:end], Last: end == len(text)}, sink, &want.stats.Tally)
			if want.rows = sink.rows; want.stats.Tally.Requests >= n {
				break
			}
		}
		want.stats.Tally.Note("only the first requests were read (--head)", n)
		if !slices.Equal(got.rows, want.rows) || !sameTally(got.stats.Tally, want.stats.Tally) {
			t.Fatalf("got %q\n%+v\nwant %q\n%+v", got.rows, got.stats.Tally, want.rows, want.stats.Tally)
		}
		if !got.stats.Cut || got.stats.Unpacked != int64(end) || got.stats.Bytes != int64(end) {
			t.Fatalf("%d bytes: %+v", end, got.stats)
		}
	})
}

func TestHeadOfEachInput(t *testing.T) {
	f := &recorder{}
	in := []Input{writeFile(t, "one", []byte("a\nb\nc\nbad\n")), writeFile(t, "two", gzipped([]byte("d\nbad\ne\nf\n"))), writeFile(t, "three", []byte("g\n"))}
	stats, stopped, err := read(context.Background(), in, Options{Filter: Filter{Head: 2}}, f, fake())
	if err != nil || stopped || keys(f.rows) != "a b d e g" {
		t.Errorf("%v, %q", err, f.rows)
	}
	for i, cut := range []bool{true, true, false} {
		if stats[i].Cut != cut || stats[i].Err != nil {
			t.Errorf("%+v", stats[i])
		}
	}
}
