package advise_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"keyskew/advise"
	"keyskew/analyze"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// load is one hot key of a test, in requests per second at the peak.
type load struct {
	key                  string
	reads, writes, other float64
	algebra              request.Algebra
	partition, slot      int
}

// diagnose makes the diagnosis of 10 seconds in which every partition has rest requests per second of
// other keys, beside the loads. m = 0 means that no layout was given. A capacity of 0 is unknown.
func diagnose(m int, rest, capacity float64, loads ...load) *analyze.Diagnosis {
	d := &analyze.Diagnosis{
		Totals:    analyze.Totals{Timed: true, Seconds: 10},
		Capacity:  analyze.Capacity{Value: capacity, Kind: analyze.Given},
		Threshold: analyze.Threshold{Share: max(0.01, 0.2/float64(max(1, m)))},
		HotKeys:   len(loads),
		Peak:      &analyze.PeakWindow{Seconds: 1, Loads: make([]float64, max(1, m))},
	}
	if capacity == 0 {
		d.Capacity.Kind = analyze.Unknown
	}
	for i := range d.Peak.Loads {
		d.Peak.Loads[i] = rest
	}
	for _, l := range loads {
		total := l.reads + l.writes + l.other
		k := analyze.Key{
			Key: []byte(l.key), Hot: true, Algebra: l.algebra, Slot: l.slot, Class: analyze.MixedClass,
			Reads: uint64(10 * l.reads), Writes: uint64(10 * l.writes), Other: uint64(10 * l.other),
			Peak: sketch.Estimate{Value: total, Lower: total, Upper: total}, PeakWrites: l.writes, MeanRate: total,
		}
		switch {
		case l.reads >= 0.8*total:
			k.Class = analyze.ReadClass
		case l.writes >= 0.8*total:
			k.Class = analyze.WriteClass
		}
		if m > 0 {
			k.Partition = fmt.Sprint(l.partition)
		} else {
			k.Slot = -1
		}
		d.Keys = append(d.Keys, k)
		d.Peak.Loads[l.partition] += total
		d.Peak.Keys = append(d.Peak.Keys, analyze.PeakKey{Key: k.Key, Reads: l.reads, Writes: l.writes, Other: l.other, Partition: l.partition})
	}
	if m > 0 {
		d.Partitions = &analyze.Partitions{}
		for i := range m {
			d.Partitions.List = append(d.Partitions.List, analyze.Partition{
				ID: fmt.Sprint(i), Captured: true, FairShare: 1 / float64(m), Requests: uint64(10 * d.Peak.Loads[i]),
			})
		}
	}
	for _, l := range d.Peak.Loads {
		d.Totals.MeanRate += l
	}
	return d
}

func place(m int) func([]byte) int {
	return func(key []byte) int {
		h := fnv.New32a()
		h.Write(key)
		return int(h.Sum32() % uint32(m))
	}
}

func one(t *testing.T, d *analyze.Diagnosis, o advise.Options) advise.Recommendation {
	t.Helper()
	if m := len(d.Peak.Loads); d.Partitions != nil && o.Place == nil {
		o.Place = place(m)
	}
	p := advise.Advise(d, o)
	if len(p.Recommendations) != 1 {
		t.Fatalf("%d recommendations: %+v", len(p.Recommendations), p.Recommendations)
	}
	check(t, p)
	return p.Recommendations[0]
}

// check holds what is true of every plan.
func check(t interface{ Errorf(string, ...any) }, p *advise.Plan) {
	for _, r := range p.Recommendations {
		texts := slices.Concat([]string{r.Title}, r.Costs, r.NotIf, r.Assumed)
		names := []string{r.Fix}
		for _, rej := range r.Rejected {
			texts = append(texts, rej.Reason)
			names = append(names, rej.Fix)
			if rej.Reason == "" {
				t.Errorf("%s is rejected without a reason", rej.Fix)
			}
		}
		for _, text := range texts {
			if text == "" || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) || strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
				t.Errorf("text %q", text)
			}
		}
		if r.Confidence != "high" && r.Confidence != "medium" && r.Confidence != "low" {
			t.Errorf("confidence %q", r.Confidence)
		}
		if r.ID == "" || r.ID == "KS190" {
			continue
		}
		for _, f := range []string{"cache", "split", "replicate", "isolate"} {
			if n := slices.Index(names, f); n < 0 || slices.Contains(names[n+1:], f) {
				t.Errorf("%s is not there once among %v", f, names)
			}
		}
	}
}

func rejected(r advise.Recommendation, fix string) string {
	for _, rej := range r.Rejected {
		if rej.Fix == fix {
			return rej.Reason
		}
	}
	return ""
}

func TestDecisions(t *testing.T) {
	const c = 150000
	incr, set, setnx := request.Sum, request.Overwrite|request.TTL, request.Cond
	for _, v := range []struct {
		name     string
		m        int
		rest     float64
		capacity float64
		l        load
		id, fix  string
		title    string // part of it
		rejected map[string]string
	}{
		{"read-hot over capacity", 8, 74000, c, load{"post:48", 199700, 400, 0, set, 3, 77}, "KS101", "cache", "for 1 s",
			map[string]string{"replicate": "would do", "split": "nothing to divide", "isolate": "133%", "shards": "133%"}},
		{"counter over capacity", 8, 50000, c, load{"likes", 100, 199900, 0, incr, 3, 77}, "KS102", "split", "over 4 slots",
			map[string]string{"cache": "takes 99 of its 200,000", "replicate": "nothing to spread", "isolate": "133%"}},
		{"counter that fits a shard of its own", 8, 60000, c, load{"likes", 0, 90000, 0, incr, 3, 77}, "KS102", "split", "Split its writes",
			map[string]string{"isolate": "would do"}},
		{"overwritten, fits", 8, 60000, c, load{"cfg", 0, 90000, 0, set, 3, 77}, "KS102", "isolate", "Move slot 77",
			map[string]string{"split": "last writer wins", "cache": "none of its 90,000"}},
		{"overwritten, does not fit", 8, 60000, c, load{"cfg", 0, 140000, 0, set, 3, 77}, "KS102", "nothing", "coalesce",
			map[string]string{"isolate": "neighbours' 60,000"}},
		{"lock", 8, 60000, c, load{"lock", 0, 140000, 0, setnx, 3, 77}, "KS102", "nothing", "lock is never split",
			map[string]string{"split": "lock"}},
		{"lock that fits", 8, 60000, c, load{"lock", 0, 90000, 0, setnx, 3, 77}, "KS102", "isolate", "Move slot 77",
			map[string]string{"split": "lock"}},
		{"script only", 8, 60000, c, load{"s", 0, 90000, 0, request.Script, 3, 77}, "KS102", "isolate", "Move slot 77",
			map[string]string{"split": "opaque"}},
		{"mixed and mergeable", 8, 20000, c, load{"m", 100000, 100000, 0, incr, 3, 77}, "KS103", "split", "cached for 1 s",
			map[string]string{"cache": "leaves shard 3 at 80%", "replicate": "writes", "isolate": "133%"}},
		{"fine", 8, 46400, c, load{"likes", 40, 21260, 0, incr, 5, 77}, "KS102", "nothing", "ok to 4.8×",
			map[string]string{"cache": "not needed", "split": "not needed: shard 5 is at 45%", "isolate": "not needed"}},
		{"too much without it", 8, 130000, c, load{"likes", 40, 31260, 0, incr, 5, 77}, "KS102", "nothing", "Rebalance or add shards",
			map[string]string{"isolate": "still run at 87%"}},
		{"too much without it, but a cache ends the saturation", 8, 130000, c, load{"post:48", 31260, 40, 0, set, 5, 77}, "KS101", "cache", "for 1 s",
			map[string]string{"isolate": "still run at 87%"}},
		{"saturated without it too", 8, 150000, c, load{"post:48", 31260, 40, 0, set, 5, 77}, "KS101", "nothing", "Rebalance or add shards", nil},
		{"one shard", 1, 50000, c, load{"likes", 0, 90000, 0, incr, 0, 77}, "KS102", "isolate", "Move slot 77",
			map[string]string{"split": "one shard"}},

		{"read-hot, unknown capacity", 8, 100, 0, load{"post:48", 2000, 4, 0, set, 3, 77}, "KS101", "cache", "for 1 s",
			map[string]string{"replicate": "stale", "isolate": "2,004 req/s"}},
		{"read-hot, no layout", 0, 1000, 0, load{"post:48", 2000, 4, 0, set, 0, -1}, "KS101", "cache", "for 1 s",
			map[string]string{"replicate": "stale"}},
		{"counter, unknown capacity", 8, 100, 0, load{"likes", 0, 2000, 0, incr, 3, 77}, "KS102", "split", "over 8 slots", nil},
		{"counter, no layout", 0, 1000, 0, load{"likes", 0, 2000, 0, incr, 0, -1}, "KS102", "split", "over 4 slots", nil},
		{"overwritten, no layout", 0, 2000, 0, load{"cfg", 0, 2000, 0, set, 0, -1}, "KS102", "isolate", "Give it a shard of its own",
			map[string]string{"split": "last writer wins"}},
		{"overwritten, all there is", 0, 10, 0, load{"cfg", 0, 2000, 0, set, 0, -1}, "KS102", "nothing", "coalesce",
			map[string]string{"isolate": "alone already"}},
		{"mixed, no layout", 0, 100, 0, load{"m", 1000, 1000, 0, incr, 0, -1}, "KS103", "split", "cached for 1 s", nil},
		{"popular, but next to nothing", 0, 1, 0, load{"k", 2, 0, 0, 0, 0, -1}, "KS101", "nothing", "Nothing needed: 2 req/s are no burden",
			map[string]string{"cache": "not needed", "replicate": "not needed"}},
	} {
		t.Run(v.name, func(t *testing.T) {
			r := one(t, diagnose(v.m, v.rest, v.capacity, v.l), advise.Options{})
			if r.ID != v.id || r.Fix != v.fix || !strings.Contains(r.Title, v.title) {
				t.Errorf("%s %s %q, want %s %s %q\n%+v", r.ID, r.Fix, r.Title, v.id, v.fix, v.title, r.Rejected)
			}
			for fix, part := range v.rejected {
				if got := rejected(r, fix); !strings.Contains(got, part) {
					t.Errorf("%s rejected: %q, want %q", fix, got, part)
				}
			}
			if r.After.MaxLoad > r.Before.MaxLoad*(1+1e-9) {
				t.Errorf("busiest from %v to %v", r.Before.MaxLoad, r.After.MaxLoad)
			}
			if v.capacity == 0 && (r.Before.MaxUtilisation != nil || r.After.Ceiling != nil || r.After.P99Worst != nil) {
				t.Errorf("utilisation without a capacity: %+v", r.After)
			}
			if string(r.Key) != v.l.key {
				t.Errorf("key %q", r.Key)
			}
		})
	}
}

// TestIncident is a viral post with its like counter and a busy tenant on 8 partitions, 150,000/s each.
func TestIncident(t *testing.T) {
	d := diagnose(8, 46100, 150000,
		load{"post:48", 199700, 400, 0, request.Overwrite, 3, 7000},
		load{"{t42}:hits", 20000, 8300, 0, request.Sum, 3, 7100},
		load{"post:48:likes", 40, 21260, 0, request.Sum, 5, 10500})
	p := advise.Advise(d, advise.Options{Servers: 40, Place: place(8)})
	check(t, p)
	if len(p.Recommendations) != 3 {
		t.Fatalf("%+v", p.Recommendations)
	}
	r := p.Recommendations[0]
	if r.Fix != "cache" || r.Residual != 440 || r.Confidence != "high" || r.Params.TTL != 1 {
		t.Errorf("%+v", r)
	}
	if r.Before.P99Worst != nil || !r.Before.Saturated || math.Abs(*r.Before.MaxUtilisation-1.83) > 0.001 {
		t.Errorf("before: %+v", r.Before)
	}
	if r.After.P99Worst == nil || math.Abs(*r.After.MaxUtilisation-0.499) > 0.001 || r.After.FailingShare.Upper != 0 {
		t.Errorf("after: %+v", r.After)
	}
	for _, r := range p.Recommendations[1:] {
		if r.Fix != "nothing" || r.Headroom < 3 {
			t.Errorf("%+v", r)
		}
	}
	if second := p.Recommendations[1]; !strings.Contains(second.Title, "once the remedies above are in place") ||
		!reflect.DeepEqual(second.Before, r.After) {
		t.Errorf("%q, before %+v", second.Title, second.Before)
	}
}

func TestHashTag(t *testing.T) {
	r := one(t, diagnose(8, 10000, 150000, load{"{t42}:hits", 0, 200000, 0, request.Sum, 3, 7100}), advise.Options{})
	if r.Fix != "split" || string(r.Params.SlotNames[0]) != "{t42#0}:hits" {
		t.Fatalf("%s %q", r.Fix, r.Params.SlotNames)
	}
	if !strings.Contains(strings.Join(r.NotIf, "\n"), "hash tag") {
		t.Errorf("not if %q", r.NotIf)
	}
}

// TestSlotMates: what shares the slot moves along.
func TestSlotMates(t *testing.T) {
	d := diagnose(8, 50000, 150000,
		load{"{a}1", 0, 60000, 0, request.Overwrite, 3, 500}, load{"{a}2", 0, 30000, 0, request.Overwrite, 3, 500})
	p := advise.Advise(d, advise.Options{Place: place(8)})
	check(t, p)
	r := p.Recommendations[0]
	last := r.After.Partitions[len(r.After.Partitions)-1]
	if r.Fix != "isolate" || last.ID != "new" || last.Load != 90000 || r.Residual != 60000 {
		t.Errorf("%s, %+v, residual %v", r.Fix, last, r.Residual)
	}
	second := p.Recommendations[1]
	if second.Fix != "nothing" || !strings.Contains(second.Title, "shard new is at 60%") {
		t.Errorf("%s %q", second.Fix, second.Title)
	}
}

// TestTwoHotPartitions: one hot key is not divided onto the partition of another, so both get relief,
// with and without a capacity.
func TestTwoHotPartitions(t *testing.T) {
	for _, capacity := range []float64{0, 1200} {
		d := diagnose(8, 100, capacity, load{"likes", 5, 900, 0, request.Sum, 2, 88}, load{"views", 5, 1000, 0, request.Sum, 1, 99})
		p := advise.Advise(d, advise.Options{Place: place(8)})
		check(t, p)
		for i, r := range p.Recommendations {
			if r.Fix != "split" {
				t.Errorf("capacity %v: %s for %s, %+v", capacity, r.Fix, r.Key, r.Rejected)
			}
			if spared := strings.Contains(strings.Join(r.Assumed, "\n"), "spare 1 shard that is busy"); spared != (i == 0) {
				t.Errorf("assumed %q", r.Assumed)
			}
		}
		if last := p.Recommendations[1].After.MaxLoad; last > 0.7*1200 {
			t.Errorf("busiest at %v", last)
		}
	}
}

func TestUncaptured(t *testing.T) {
	d := diagnose(3, 0, 100000, load{"likes", 0, 90000, 0, request.Sum, 1, 500})
	d.Peak.Loads[1] += 10000
	d.Partitions.List[0].Captured, d.Partitions.List[2].Captured = false, false
	r := one(t, d, advise.Options{})
	if r.Fix != "split" || r.After.PMR != nil || r.After.Partitions[0].Utilisation != nil || r.After.Partitions[0].Load == 0 {
		t.Errorf("%s %+v", r.Fix, r.After)
	}
	if !slices.Contains(r.Assumed, "the shards that were not captured have room") {
		t.Errorf("assumed %q", r.Assumed)
	}
}

func TestAssumedCapacity(t *testing.T) {
	d := diagnose(8, 100, 100000, load{"post", 3000, 0, 0, 0, 3, 5})
	d.Capacity.Kind = analyze.Assumed
	r := one(t, d, advise.Options{})
	if r.Fix != "cache" || r.Confidence != "low" || r.Before.MaxUtilisation == nil || !strings.Contains(strings.Join(r.Assumed, "\n"), "planning figure") {
		t.Errorf("%+v", r)
	}
}

// TestOtherPeak: a key that was hot in another window is sized there.
func TestOtherPeak(t *testing.T) {
	d := diagnose(2, 1000, 100000, load{"a", 0, 80000, 0, request.Sum, 0, 5}, load{"b", 0, 75000, 0, request.Overwrite, 1, 9})
	d.Peak.Loads[1] = 1000
	d.Peak.Keys = d.Peak.Keys[:1]
	d.Keys[1].PeakAt = 5e9 + 1
	d.Windows = &analyze.Windows{Seconds: 1, Start: []int64{0, 5e9}, Partitions: [][]float64{{81000, 2000}, {1000, 77000}}}
	p := advise.Advise(d, advise.Options{Place: place(2)})
	check(t, p)
	r := p.Recommendations[1]
	if r.Fix != "nothing" && r.Fix != "isolate" || r.Before.MaxLoad != 77000 || r.Residual != 75000 {
		t.Errorf("%s %+v, residual %v", r.Fix, r.Before, r.Residual)
	}
	d.Windows = nil // then the mean
	p = advise.Advise(d, advise.Options{Place: place(2)})
	if r := p.Recommendations[1]; r.Residual != 75000 {
		t.Errorf("from the mean: %+v", r)
	}
}

func TestNothingHot(t *testing.T) {
	d := diagnose(8, 42260, 150000, load{"cfg:flags", 1240, 0, 0, 0, 5, 5})
	d.Keys[0].Hot, d.HotKeys = false, 0
	r := one(t, d, advise.Options{})
	if r.Fix != "nothing" || !strings.Contains(r.Title, "86×") || math.Floor(r.Headroom) != 86 {
		t.Errorf("%q, headroom %v", r.Title, r.Headroom)
	}
	if p := advise.Advise(&analyze.Diagnosis{Totals: analyze.Totals{Timed: true}}, advise.Options{}); len(p.Recommendations) != 0 {
		t.Errorf("of nothing: %+v", p)
	}
	d.Totals.Timed = false
	if p := advise.Advise(d, advise.Options{}); len(p.Recommendations) != 0 {
		t.Errorf("without time: %+v", p)
	}
}

func TestPolled(t *testing.T) {
	d := diagnose(8, 100, 0, load{"post", 3000, 0, 0, 0, 3, 5})
	for i := range 5 {
		d.Keys = append(d.Keys, analyze.Key{Key: fmt.Appendf(nil, "queue:%d", i), Class: analyze.PollClass, Hot: true, Polls: 1000, Partition: "1"})
	}
	p := advise.Advise(d, advise.Options{Place: place(8)})
	check(t, p)
	if len(p.Recommendations) != 1+advise.MaxPolled {
		t.Fatalf("%+v", p.Recommendations)
	}
	for _, r := range p.Recommendations[1:] {
		if r.ID != "KS190" || r.Fix != "nothing" || !strings.Contains(r.Title, "idle pollers") || r.Rejected != nil {
			t.Errorf("%+v", r)
		}
	}
}

// TestAnyDiagnosis: whatever the diagnosis holds, nothing panics, the plan is the same every time, every
// remedy is there once, and the busiest partition is never busier after the plan.
func TestAnyDiagnosis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(0, 9).Draw(t, "m")
		rate := rapid.OneOf(rapid.Float64Range(0, 200000), rapid.SampledFrom([]float64{0, 1e-9, 1e300}))
		var loads []load
		for i := range rapid.IntRange(0, 14).Draw(t, "keys") {
			loads = append(loads, load{
				key:   fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"", "k", "{t}", "\x1b[2J\xff"}).Draw(t, "key"), i),
				reads: rate.Draw(t, "r"), writes: rate.Draw(t, "w"), other: rate.Draw(t, "o"),
				algebra:   request.Algebra(rapid.Uint64Range(0, 1<<44).Draw(t, "algebra")),
				partition: rapid.IntRange(0, max(0, m-1)).Draw(t, "p"), slot: rapid.IntRange(-1, 3).Draw(t, "slot"),
			})
		}
		d := diagnose(m, rate.Draw(t, "rest"), rapid.SampledFrom([]float64{0, 1, 150000}).Draw(t, "capacity"), loads...)
		d.Capacity.Kind = rapid.SampledFrom([]analyze.CapacityKind{analyze.Given, analyze.Assumed, analyze.Unknown}).Draw(t, "kind")
		if rapid.Bool().Draw(t, "no peak") {
			d.Peak = nil
		}
		o := advise.Options{Servers: rapid.IntRange(-1, 300).Draw(t, "servers"), TTL: rapid.Float64Range(-1, 60).Draw(t, "ttl")}
		if m > 0 && rapid.Bool().Draw(t, "placed") {
			o.Place = place(m)
		}
		p := advise.Advise(d, o)
		check(t, p)
		if again := advise.Advise(d, o); !reflect.DeepEqual(p, again) {
			t.Fatal("two plans of one diagnosis")
		}
		for _, r := range p.Recommendations {
			if r.After.MaxLoad > r.Before.MaxLoad*(1+1e-6) {
				t.Fatalf("%s raises the busiest from %v to %v", r.Fix, r.Before.MaxLoad, r.After.MaxLoad)
			}
		}
	})
}

func TestDamagedDiagnosis(t *testing.T) {
	d := diagnose(2, 100, math.NaN(), load{"a", math.NaN(), math.Inf(1), -5, request.Sum, 0, 5})
	d.Peak.Loads = []float64{math.NaN()}
	d.Peak.Keys[0].Partition = 7
	d.Keys[0].Partition = "no such"
	check(t, advise.Advise(d, advise.Options{L0: math.NaN(), Target: 7, TTL: math.Inf(1), Place: place(2)}))
}

func BenchmarkAdvise(b *testing.B) {
	var loads []load
	for i := range 10 {
		loads = append(loads, load{fmt.Sprintf("{t%d}:k", i), 200000, 400000, 0, request.Sum, i, 100 * i})
	}
	d := diagnose(64, 20000, 150000, loads...)
	b.ReportAllocs()
	for b.Loop() {
		advise.Advise(d, advise.Options{Place: place(64)})
	}
}
