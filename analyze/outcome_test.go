package analyze

import (
	"testing"

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
	add("a", 1, 200, request.CacheHit, 2e9)   // another second
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
	}{{"a", 2, 2, 3.0 / 5}, {"b", 0, 0, 1}} {
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
