package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"keyskew/analyze/episode"
	"keyskew/ingest/request"
)

// Rates and counts of a sampled input are those of the traffic, and their intervals hold it.
func TestSampledRates(t *testing.T) {
	const every, n = 50, 400_000
	rng := rand.New(rand.NewPCG(5, 5))
	var rows []row
	truth := map[string]float64{}
	for i := range n {
		key := "hot"
		if rng.IntN(10) > 0 {
			key = fmt.Sprint("cold:", rng.IntN(1000))
		}
		truth[key]++
		if rng.IntN(every) == 0 {
			rows = append(rows, row{key: key, at: start + int64(i)*1e5, offset: int64(i) * 60, op: request.Read})
		}
	}
	d := Diagnose(collect(t, config(), rows, true), Options{Top: 5, SampleEvery: every, Capacity: Capacity{Kind: Unknown}})
	k := d.Keys[0]
	if string(k.Key) != "hot" || k.Count.Lower > truth["hot"] || k.Count.Upper < truth["hot"] {
		t.Errorf("%q %+v, want hot with %v inside", k.Key, k.Count, truth["hot"])
	}
	if want := float64(n) / 40; math.Abs(d.Totals.MeanRate-want) > 0.05*want {
		t.Errorf("mean rate %v, want about %v", d.Totals.MeanRate, want)
	}
	if math.Abs(k.Share-0.1) > 0.02 {
		t.Errorf("share %v, want about 0.1", k.Share)
	}
	if want := truth["hot"] / 40; k.Peak.Lower > 1.3*want || k.Peak.Upper < want {
		t.Errorf("peak %+v around a rate of %v", k.Peak, want)
	}
}

// All counts of a sampled input are those of the traffic, and agree: with the estimates, with each other and
// with what the same input is without sampling.
func TestSampledCountsAgree(t *testing.T) {
	const every = 10
	var rows []row
	for i := range 5000 {
		r := row{key: fmt.Sprint("user:", i%7), at: start + int64(i)*1e6, offset: int64(i) * 60, op: request.Read, command: 1, size: 9}
		switch {
		case i%5 == 0:
			r.op = request.Write
		case i%11 == 0:
			r.op = request.Poll
		case i%13 == 0:
			r.op = request.Other
		}
		rows = append(rows, r)
	}
	c := config()
	c.Template = true
	c.Layout = layoutOf(t, 4)
	s := collect(t, c, rows, true)
	ask := Options{Top: 10, Capacity: Capacity{Kind: Unknown}, Layout: c.Layout}
	all := Diagnose(s, ask)
	ask.SampleEvery = every
	d := Diagnose(s, ask)
	if d.SampleEvery != every || all.SampleEvery != 0 {
		t.Errorf("sample of %d and of %d", d.SampleEvery, all.SampleEvery)
	}
	same := func(what string, got, sample uint64) {
		t.Helper()
		if got != sample*every {
			t.Errorf("%s: %d, want %d", what, got, sample*every)
		}
	}
	g, w := d.Totals, all.Totals
	for what, n := range map[string][2]uint64{
		"requests": {g.Requests, w.Requests}, "commands": {g.Commands, w.Commands}, "reads": {g.Reads, w.Reads},
		"writes": {g.Writes, w.Writes}, "polls": {g.Polls, w.Polls}, "other": {g.Other, w.Other}, "bytes": {g.Bytes, w.Bytes},
		"commands by name": {g.ByCommand[0].Count, w.ByCommand[0].Count},
	} {
		same(what, n[0], n[1])
	}
	if w.Reads == 0 || w.Writes == 0 || w.Polls == 0 || w.Other == 0 || w.Bytes == 0 {
		t.Errorf("nothing to compare: %+v", w)
	}
	if g.Distinct != w.Distinct || g.Seconds != w.Seconds {
		t.Errorf("%v keys in %v s, want those of the sample", g.Distinct, g.Seconds)
	}
	for i, k := range d.Keys {
		of := all.Keys[i]
		same("reads of a key", k.Reads, of.Reads)
		same("writes of a key", k.Writes, of.Writes)
		same("polls of a key", k.Polls, of.Polls)
		same("bytes of a key", k.Bytes, of.Bytes)
		same("commands of a key", k.Commands[0].Count, of.Commands[0].Count)
		if sum := float64(k.Reads + k.Writes + k.Other); sum != k.Count.Value || k.Share != of.Share ||
			k.PartitionShare != of.PartitionShare {
			t.Errorf("%s: %v requests, and %v by kind; shares %v and %v", k.Key, k.Count.Value, sum, k.Share, k.PartitionShare)
		}
		if math.Abs(k.MeanRate-k.Count.Value/g.Seconds) > 1e-6 {
			t.Errorf("%s: %v/s, %v requests in %v s", k.Key, k.MeanRate, k.Count.Value, g.Seconds)
		}
	}
	group := d.Groups[0]
	if sum := float64(group.Reads + group.Writes + group.Other); sum != group.Count.Value || sum == 0 {
		t.Errorf("%s: %v requests, and %v by kind", group.Name, group.Count.Value, sum)
	}
	var placed uint64
	for _, p := range d.Partitions.List {
		placed += p.Requests
	}
	if placed != g.Requests-g.Polls {
		t.Errorf("%d requests on shards, %d in all", placed, g.Requests-g.Polls)
	}
	if times(math.MaxUint64/2, 3) != math.MaxUint64 || times(math.MaxUint64/2, 2) != math.MaxUint64-1 {
		t.Error("a product that does not fit is not the largest number")
	}
}

// Times of whole seconds stand for those seconds: 300 requests at one of them are 300 a second.
func TestWholeSeconds(t *testing.T) {
	rows := func(times ...int64) []row {
		var out []row
		for i, at := range times {
			for range 300 {
				out = append(out, row{key: "k", at: start + at, offset: int64(i) * 30, op: request.Read})
			}
		}
		return out
	}
	for _, tt := range []struct {
		rows          []row
		seconds, peak float64
	}{
		{rows(0), 1, 300},
		{rows(0, 1e9, 2e9), 3, 300},
		{rows(0, 1e9, 2e9, 2e9+5e8), 2.5, 1200}, // 600 in the half of the last second that is covered
	} {
		d := Diagnose(collect(t, config(), tt.rows, true), Options{Top: 1, Capacity: Capacity{Kind: Unknown}})
		if d.Totals.Seconds != tt.seconds || d.Totals.PeakRate != tt.peak {
			t.Errorf("%v s at a peak of %v, want %v and %v", d.Totals.Seconds, d.Totals.PeakRate, tt.seconds, tt.peak)
		}
	}
}

// Rows with weights are drawn with all that they stand for: the bounds of a sample hold the truth in about
// 95% of samples, where those of as many requests drawn one by one do in under half.
func TestSampledWeights(t *testing.T) {
	const every, samples = 10, 300
	weights := []uint64{1, 1, 1, 1, 2, 5, 40}
	var truth float64
	for i := range 4000 {
		truth += float64(weights[i%len(weights)])
	}
	c := config()
	c.Sampled, c.Template = true, true
	held, naive, heldGroup := 0, 0, 0
	for seed := range uint64(samples) {
		rng := rand.New(rand.NewPCG(seed, 7))
		b := request.NewBatch(1000, request.WeightColumn)
		b.Names = testNames
		for i := range 4000 {
			if rng.IntN(every) == 0 {
				b.Append(&request.Row{
					Key: []byte("user:1"), Flags: request.BeginsCommand, Op: request.Read, Command: 1,
					Offset: int64(i) * 30, Weight: weights[i%len(weights)],
				})
			}
		}
		col, err := NewCollector(c)
		if err != nil {
			t.Fatal(err)
		}
		sink := col.NewSink(0)
		sink.Add(b)
		if err := col.Fold(sink); err != nil {
			t.Fatal(err)
		}
		d := Diagnose(col.Finish(), Options{Top: 1, SampleEvery: every, Capacity: Capacity{Kind: Unknown}})
		if len(d.Warnings) > 0 && d.Warnings[0].About == "sample" {
			t.Fatalf("%+v", d.Warnings)
		}
		in := func(lower, upper float64) int {
			if lower <= truth && truth <= upper {
				return 1
			}
			return 0
		}
		k := d.Keys[0].Count
		held += in(k.Lower, k.Upper)
		heldGroup += in(d.Groups[0].Count.Lower, d.Groups[0].Count.Upper)
		lower, upper := episode.Garwood(k.Value / every)
		naive += in(lower*every, upper*every)
	}
	if held < samples*93/100 || heldGroup != held {
		t.Errorf("%d of %d samples hold the truth for the key, %d for its template", held, samples, heldGroup)
	}
	if naive > samples/2 {
		t.Errorf("%d of %d samples hold it without regard to weights: nothing is shown", naive, samples)
	}
}

// A few heavy rows are no hot key: what decides is how many were drawn.
func TestSampledWeightsDecide(t *testing.T) {
	d := &diagnoser{out: &Diagnosis{Threshold: Threshold{Rate: 10_000}, Totals: Totals{Seconds: 1}}, o: Options{SampleEvery: 100}}
	for one, want := range map[float64]bool{1: true, 2: true, 10: false, 50: false} {
		if hot := d.hotInAll(140, one); hot != want {
			t.Errorf("%v requests drawn together: hot %v, want %v", one, hot, want)
		}
	}
}

// Weights that are all one, or not sampled, cost a key nothing; the sums survive chunks, joins and merges.
func TestSpread(t *testing.T) {
	collectWeights := func(sampled bool, most uint64, weights ...uint64) *Summary {
		c := config()
		c.Sampled = sampled
		col, err := NewCollector(c)
		if err != nil {
			t.Fatal(err)
		}
		col.most = most
		for i, w := range weights {
			b := request.NewBatch(1, request.WeightColumn|request.TimeColumn)
			b.Names = testNames
			b.Append(&request.Row{
				Key: []byte("k"), Flags: request.BeginsCommand, Op: request.Read, Command: 1, Time: start,
				Offset: int64(i) << regionBits, Weight: w,
			})
			sink := col.NewSink(0)
			sink.Add(b)
			if err := col.Fold(sink); err != nil {
				t.Fatal(err)
			}
		}
		return col.Finish()
	}
	spreadOf := func(s *Summary) (of, all spread) {
		e, _ := s.keys.Find([]byte("k"), request.Hash([]byte("k")))
		return s.statsOf(&e).spread, s.spread
	}
	for _, most := range []uint64{openRows, 0} {
		s := collectWeights(true, most, 3, 1, 10)
		if of, all := spreadOf(s); of != 96 || all != 96 { // 9 + 1 + 100 - 14
			t.Errorf("spread %d of the key, %d of all, want 96", of, all)
		}
		if err := s.Merge(collectWeights(true, most, 2, 2)); err != nil {
			t.Fatal(err)
		}
		if of, all := spreadOf(s); of != 100 || all != 100 {
			t.Errorf("merged: %d of the key, %d of all, want 100", of, all)
		}
		if err := s.Merge(collectWeights(false, most, 2)); err == nil {
			t.Error("a sample and a whole input were merged")
		}
	}
	for _, s := range []*Summary{collectWeights(false, openRows, 3, 10), collectWeights(true, openRows, 1, 1)} {
		if of, all := spreadOf(s); of != 0 || all != 0 || s.extras.n != 0 {
			t.Errorf("spread %d and %d in %d extras, want none", of, all, s.extras.n)
		}
	}
	for n, want := range map[uint64]float64{0: 1, 96: 2, 14: 1 + 96.0/14} {
		if got := spread(96).of(n); got != want {
			t.Errorf("%d requests: %v drawn together, want %v", n, got, want)
		}
	}
}
