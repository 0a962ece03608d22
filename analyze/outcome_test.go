package analyze

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"keyskew/ingest/request"
)

// Errors, retries and cache hits are counted per key, where the input has them.
func TestOutcomes(t *testing.T) {
	b := request.NewBatch(8, request.TimeColumn|request.ClientColumn|request.StatusColumn|request.CacheColumn)
	b.Names = testNames
	add := func(key string, client uint64, status uint16, cache request.CacheResult, at int64) {
		b.Append(&request.Row{
			Key: []byte(key), Flags: request.BeginsCommand, Op: request.Read, Command: 1, Time: start + at,
			Offset: int64(b.Len()) * 50, Client: client, Status: status, Cache: cache,
		})
	}
	add("a", 1, 503, request.CacheMiss, 0)
	add("a", 1, 200, request.CacheHit, 1)     // a retry
	add("a", 2, 200, request.CacheHit, 2)     // another client
	add("b", 1, 200, request.CacheUnknown, 3) // another key
	add("a", 1, 429, request.CacheMiss, 4)    // a retry, refused again
	add("b", 1, 404, request.CacheHit, 5)     // no error of the server
	add("a", 1, 200, request.CacheHit, 2e9)   // a retry two seconds later
	add("a", 1, 200, request.CacheHit, 9e9)   // much later
	c, err := NewCollector(config())
	if err != nil {
		t.Fatal(err)
	}
	s := c.NewSink(0)
	s.Add(b)
	if err := c.Fold(s); err != nil {
		t.Fatal(err)
	}
	d := Diagnose(c.Finish(), Options{Top: 5, Capacity: Capacity{Kind: Unknown}})
	for _, want := range []struct {
		key             string
		errors, retries uint64
		hits            float64
	}{{"a", 2, 3, 4.0 / 6}, {"b", 0, 0, 1}} {
		for _, k := range d.Keys {
			if string(k.Key) != want.key {
				continue
			}
			if *k.Errors != want.errors || *k.Retries != want.retries || *k.HitRatio != want.hits {
				t.Errorf("%s: %d errors, %d retries, hit ratio %v; want %+v", k.Key, *k.Errors, *k.Retries, *k.HitRatio, want)
			}
		}
	}
	plain := Diagnose(collect(t, config(), []row{{key: "a", at: start}}, true), Options{Top: 5, Capacity: Capacity{Kind: Unknown}})
	if k := plain.Keys[0]; k.Errors != nil || k.Retries != nil || k.HitRatio != nil {
		t.Errorf("%+v: what the input does not say is not 0", k)
	}
}

// answered is one request of a test, and how it went.
type answered struct {
	key    string
	client uint64
	status uint16
	at     time.Duration
}

// retriesOf counts the retries per key, with chunks of so many rows, whose regions hold so many.
func retriesOf(t *testing.T, c Config, rows []answered, timed bool, chunk, region int) map[string]uint64 {
	t.Helper()
	col, err := NewCollector(c)
	if err != nil {
		t.Fatal(err)
	}
	columns := request.ClientColumn | request.StatusColumn
	if timed {
		columns |= request.TimeColumn
	}
	n := 0
	for part := range slices.Chunk(rows, chunk) {
		b := request.NewBatch(len(part), columns)
		b.Names = testNames
		for _, r := range part {
			b.Append(&request.Row{
				Key: []byte(r.key), Flags: request.BeginsCommand, Op: request.Read, Command: 1, Time: start + int64(r.at),
				Offset: int64(n) << regionBits / int64(region), Client: r.client, Status: r.status,
			})
			n++
		}
		sink := col.NewSink(0)
		sink.Add(b)
		if err := col.Fold(sink); err != nil {
			t.Fatal(err)
		}
	}
	s := col.Finish()
	out := map[string]uint64{}
	for e := range s.keys.All() {
		if v := s.statsOf(&e); v.Retries > 0 {
			out[string(e.Key)] = v.Retries
		}
	}
	return out
}

// A retry may come seconds after the refusal, but not before it, and not long after.
func TestRetriesAcrossSeconds(t *testing.T) {
	const s = time.Second
	for name, tt := range map[string]struct {
		rows []answered
		want uint64
	}{
		"the next second":       {[]answered{{"k", 1, 503, 0}, {"k", 1, 200, s}}, 1},
		"five seconds":          {[]answered{{"k", 1, 429, 0}, {"k", 1, 200, 5 * s}}, 1},
		"six seconds":           {[]answered{{"k", 1, 429, 0}, {"k", 1, 200, 6 * s}}, 0},
		"backing off":           {[]answered{{"k", 1, 503, 0}, {"k", 1, 503, s}, {"k", 1, 503, 3 * s}, {"k", 1, 200, 7 * s}}, 3},
		"another client":        {[]answered{{"k", 1, 503, 0}, {"k", 2, 200, s}}, 0},
		"an earlier second":     {[]answered{{"k", 1, 503, 2 * s}, {"k", 1, 200, s}}, 0},
		"logged out of order":   {[]answered{{"k", 1, 200, 2 * s}, {"k", 1, 503, s}}, 1},
		"nothing was refused":   {[]answered{{"k", 1, 404, 0}, {"k", 1, 200, s}}, 0},
		"a client without name": {[]answered{{"k", 0, 503, 0}, {"k", 0, 200, s}}, 0},
	} {
		for _, chunk := range []int{1, 2, 100} {
			if got := retriesOf(t, config(), tt.rows, true, chunk, 100)["k"]; got != tt.want {
				t.Errorf("%s, in chunks of %d: %d retries, want %d", name, chunk, got, tt.want)
			}
		}
	}
	fine := config()
	fine.Window = 100 * time.Millisecond
	rows := []answered{{"k", 1, 503, 0}, {"k", 1, 200, 5 * s}, {"k", 1, 200, 5*s + 100*time.Millisecond}}
	if got := retriesOf(t, fine, rows, true, 100, 100)["k"]; got != 1 {
		t.Errorf("in windows of 0.1 s: %d retries, want 1", got)
	}
	if got := retriesOf(t, config(), rows, false, 100, 100)["k"]; got != 0 {
		t.Errorf("without times: %d retries", got)
	}
}

// How the input is cut into chunks changes no count, nor does it over regions, with times that run back and
// more refusals than are remembered.
func TestRetriesInChunks(t *testing.T) {
	var rows []answered
	for i := range 200_000 {
		r := answered{fmt.Sprint("k", i%5), uint64(i*i%70_001 + 1), 200, time.Duration(i/20_000-i%3) * time.Second}
		if i%2 == 0 {
			r.status = 503
		}
		rows = append(rows, r)
	}
	want := retriesOf(t, config(), rows, true, len(rows), 10_000)
	if len(want) != 5 {
		t.Fatalf("retries of %d keys: nothing to compare", len(want))
	}
	for _, chunk := range []int{999, 10_000, 65_536} {
		if got := retriesOf(t, config(), rows, true, chunk, 10_000); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("in chunks of %d: %v, want %v", chunk, got, want)
		}
	}
}

// The table of refusals keeps the latest of each bucket.
func TestRefusalsForget(t *testing.T) {
	f := refusals{within: 5, buckets: make([][refusalWays]refusal, 1<<refusalBits)}
	for pair := range uint64(1 << 20) {
		f.note(pair+1, 7)
		if !f.retried(pair+1, 7) || f.retried(pair+1, 13) || f.retried(pair+1, 6) {
			t.Fatalf("pair %d: the latest refusal is not known as it is", pair+1)
		}
	}
	kept := 0
	for pair := range uint64(1 << 20) {
		if f.retried(pair+1, 7) {
			kept++
		}
	}
	if kept != refusalWays<<refusalBits {
		t.Errorf("%d refusals kept, want %d", kept, refusalWays<<refusalBits)
	}
	f.note(1, 8)
	f.note(1, 9)
	if b := f.bucket(1); b[0] != (refusal{1, 9}) || b[1].pair == 1 {
		t.Errorf("%v: a pair is to be there once", b)
	}
}
