package formats

import (
	"fmt"
	"math"
	"time"

	"keyskew/advise"
	"keyskew/analyze"
	"keyskew/analyze/episode"
	"keyskew/analyze/order"
	"keyskew/analyze/skew"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano()

func second(n int) int64 { return noon + int64(n)*int64(time.Second) }

func tally(lines int64, skips ...request.Skip) *request.Tally {
	t := &request.Tally{Lines: lines, Requests: lines, Skips: skips, Timed: true, First: noon, Last: second(299)}
	for _, s := range skips {
		t.Requests -= s.Lines
	}
	return t
}

func config(sources ...Source) Config {
	return Config{Tool: "keyskew test", Command: "keyskew --shards 8 shop.log", Sources: sources}
}

func monitorSource(t *request.Tally) Source {
	return Source{Name: "shop.log", Format: "monitor", Framing: "redis-cli", Packing: "gzip", Confidence: 1,
		Bytes: 31_415_926, Unpacked: 314_159_265, Tally: t}
}

// zipf is a fit of Zipf's law to counts that follow it.
func zipf(s float64, ranks int) skew.Fit {
	counts := make([]float64, ranks)
	for i := range counts {
		counts[i] = 1.35e6 * math.Pow(float64(i+1), -s)
	}
	return skew.Window(counts, 1)
}

// eightShards is five minutes of a shop in which one key is read at more than a shard can serve. Each
// shard has 9,000 req/s beside the hot keys; a shard serves 40,000.
func eightShards() (Config, *analyze.Diagnosis, *advise.Plan) {
	const requests = 28_500_000
	d := &analyze.Diagnosis{
		Totals: analyze.Totals{
			Requests: requests, Commands: requests + 120, Reads: 27_500_000, Writes: 1_000_000, Keyless: 120,
			Distinct: sketch.Exact(812_000), Timed: true, First: noon, Last: second(299), Seconds: 300,
			MeanRate: 95_000, PeakRate: 130_000, PeakAt: second(150), CommandRatePeak: 129_000, Exact: true,
			ByCommand: []analyze.CommandCount{{Name: "GET", Count: 27_500_000}, {Name: "SET", Count: 1_000_000}},
		},
		Capacity:  analyze.Capacity{Value: 40_000, Kind: analyze.Given, Source: "--capacity"},
		Threshold: analyze.Threshold{Rate: 8_000, Share: 0.025},
		HotKeys:   2,
		Severity:  analyze.Critical,
		Partitions: &analyze.Partitions{
			Partitioner: "redis-cluster, 8 even slot ranges", Measured: true, PMR: 3.79, Busiest: 6, Captured: 8,
		},
		Peak:    &analyze.PeakWindow{Start: second(150), Seconds: 1},
		Windows: &analyze.Windows{Seconds: 1},
		Findings: []analyze.Finding{
			{ID: "KS101", Severity: analyze.Critical, Title: "read-hot key", Target: "item:4711"},
			{ID: "KS102", Severity: analyze.Info, Title: "write-hot key", Target: "item:4711:views"},
			{ID: "KS202", Severity: analyze.Critical, Title: "shard 6 ran at 138% of its capacity", Target: "6"},
		},
	}
	d.Keys = []analyze.Key{
		{
			Key: []byte("item:4711"), Hot: true, HotIn: "all", HotWindows: 170, Windows: 300,
			Count: sketch.Exact(9_900_000), Share: 0.34737, Reads: 9_890_000, Writes: 10_000,
			Commands: []analyze.CommandCount{{Name: "GET", Count: 9_890_000}, {Name: "SET", Count: 10_000}},
			MeanRate: 33_000, Peak: sketch.Exact(46_000), PeakWrites: 40, PeakAt: second(150), First: noon,
			Last: second(299), Partition: "6", Slot: 13_000, PartitionShare: 0.78, Class: analyze.ReadClass,
			EpisodeCount: 1, HotSeconds: 169, Episodes: []episode.Episode{{
				RampStart: second(118), Start: second(120), Within: second(1) - noon, PeakAt: second(150), End: second(290),
				PeakRate: 46_000, Dips: 2, Gap: second(1) - noon, Ended: true,
			}},
		},
		{
			Key: []byte("item:4711:views"), Hot: true, HotIn: "peak", HotWindows: 12, Windows: 300,
			Count: sketch.Exact(900_000), Share: 0.03158, Writes: 900_000,
			MeanRate: 3_000, Peak: sketch.Exact(9_000), PeakWrites: 9_000, PeakAt: second(151), First: second(3),
			Last: second(299), Partition: "2", Slot: 5_000, PartitionShare: 0.25, Class: analyze.WriteClass,
			Algebra: request.Sum, EpisodeCount: 2, HotSeconds: 14, Undecided: 3, Episodes: []episode.Episode{
				{RampStart: noon, Start: noon, Within: second(1) - noon, PeakAt: second(2), End: second(4), PeakRate: 8_100, FromStart: true, Ended: true},
				{RampStart: second(149), Start: second(150), Within: second(10) - noon, PeakAt: second(151), End: second(160), PeakRate: 9_000, Ended: true},
			},
		},
		{
			Key: []byte("cart:{42}"), Count: sketch.Exact(30_000), Share: 0.00105, Reads: 20_000, Writes: 10_000,
			MeanRate: 100, Peak: sketch.Exact(130), PeakAt: second(40), First: noon, Last: second(298),
			Partition: "3", Slot: 8_000, HashTag: []byte("42"), Class: analyze.MixedClass,
		},
	}
	after := advise.Outcome{}
	before := advise.Outcome{MaxLoad: 55_000, MaxUtilisation: ref(1.375), PMR: ref(3.4), Ceiling: ref(94_500.0),
		Saturated: true, FailingShare: &sketch.Estimate{Value: 0.3, Lower: 0.1, Upper: 0.42}, OpsPerRequest: 1}
	for i := range 8 {
		p := analyze.Partition{
			ID: fmt.Sprint(i), Captured: true, Requests: 2_600_000, Reads: 2_550_000, Writes: 50_000,
			RequestShare: 0.0912, KeyShare: 0.125, FairShare: 0.125, Keys: sketch.Exact(101_500),
			PeakRate: 9_000, Utilisation: 0.225, HasUtilisation: true,
		}
		switch i {
		case 2:
			p.Requests, p.RequestShare, p.PeakRate, p.Utilisation, p.Top = 3_500_000, 0.1228, 18_000, 0.45, []int{1}
		case 6:
			p.Requests, p.RequestShare, p.PeakRate, p.Utilisation, p.Top = 12_500_000, 0.4386, 55_000, 1.375, []int{0}
		}
		d.Partitions.List = append(d.Partitions.List, p)
		d.Peak.Loads = append(d.Peak.Loads, p.PeakRate)
		before.Partitions = append(before.Partitions, advise.PartitionLoad{ID: p.ID, Load: p.PeakRate, Utilisation: ref(p.PeakRate / 40_000)})
		left := p.PeakRate
		if i == 6 {
			left = 9_060
		}
		after.Partitions = append(after.Partitions, advise.PartitionLoad{ID: p.ID, Load: left, Utilisation: ref(left / 40_000)})
	}
	after.MaxLoad, after.MaxUtilisation, after.Ceiling = 18_000, ref(0.45), ref(288_900.0)
	after.P99Worst, after.P99Cluster, after.OpsPerRequest = ref(1.8182), ref(1.4), 0.65
	d.Peak.Keys = []analyze.PeakKey{
		{Key: []byte("item:4711"), Reads: 45_960, Writes: 40, Partition: 6},
		{Key: []byte("item:4711:views"), Writes: 8_800, Partition: 2},
	}
	for i := range 300 {
		d.Windows.Start = append(d.Windows.Start, second(i))
		d.Windows.Total = append(d.Windows.Total, 84_000+float64(i%7)*1000)
	}
	d.Windows.Keys = [][]float64{d.Windows.Total, d.Windows.Total, d.Windows.Total}
	d.Spikes = []analyze.Spike{
		{
			Start: second(30), PeakAt: second(31), End: second(33), Baseline: 60_000, Peak: 95_000, Extra: 80_000, Ended: true, Reads: 0.97, Writes: 0.03,
		},
		{
			Start: second(120), PeakAt: second(150), End: second(290), Baseline: 61_000, Peak: 130_000, Extra: 7_500_000, Ended: true,
			Keys: []analyze.Explanation{
				{Key: []byte("item:4711"), Part: 0.75, Before: 310, During: 43_000}, {Key: []byte("item:4711:views"), Part: 0.11, Before: 50, During: 6_100},
			},
			Reads: 0.88, Writes: 0.12,
		},
	}
	d.Skew = &analyze.Skew{
		Result: skew.Result{
			Verdict: skew.Zipf, Extrapolates: true, Usable: 256, Fit: zipf(0.93, 255), Lower: 0.9214, Upper: 0.9402,
			Spikes: []skew.Spike{{Index: 0, Ratio: 7.31}}, UniformP: 0, Curvature: -0.004, ExponentialZ: 811, HeadMass: 1.04,
		},
		Head:    skew.Head{TopKey: sketch.Exact(0.34737), Top100: sketch.Exact(0.5134), Top1Pct: ref(sketch.Exact(0.7211))},
		Removed: [][]byte{[]byte("item:4711")}, Regression: 0.81,
		Power:  &skew.Power{Alpha: 2.06, SE: 0.01, XMin: 12, Keys: 44_000, KS: 0.008},
		Growth: skew.Growths(0.34737, 8, 40_000),
		Points: []analyze.RankCount{{Rank: 1, Count: 9_900_000}, {Rank: 2, Count: 900_000}, {Rank: 812_000, Count: 1}},
	}
	d.Findings = append(d.Findings,
		analyze.Finding{ID: "KS301", Severity: analyze.Info, Title: "new keys go to one place", Target: "order:{uuid}"},
		analyze.Finding{ID: "KS401", Severity: analyze.Info, Title: "7.31 times what the fit gives its place", Target: "item:4711"},
		analyze.Finding{ID: "KS402", Severity: analyze.Info, Title: "4 times as many shards would serve at most 1.17 times as much"})
	d.Order = []order.Family{
		{Name: []byte("order:{uuid}"), Kind: order.UUIDv7, Verdict: order.TimeOrdered, Written: true, Sample: 1_204, Keys: 1_204,
			ByBytes: order.Measurement{Rho: 0.999, MaxShare: 1, Range: 9, Effective: 1, Records: 1_190}, Bytes: true, Numbers: true,
			Frontier: order.Last, NewPerSecond: 94.2, Away: ref(3.0), Points: []order.Point{{X: 0, Y: 0}, {X: 1, Y: 1}}},
		{Name: []byte("inv:{int}"), Kind: "sequence", Verdict: order.Partly, Written: true, Sample: 60, Keys: 60,
			ByNumber: order.Measurement{Rho: 0.5, MaxShare: 0.61, Range: 4, Effective: 2.1, Records: 30}, Numbers: true,
			Frontier: order.Interior, NewPerSecond: 0.42, Points: []order.Point{{X: 0, Y: 0}, {X: 1, Y: 0.5}}},
		{Name: []byte("cart:{int}"), Kind: "number", Verdict: order.No, Written: true, Sample: 4_096, Keys: 40_000,
			ByBytes: order.Measurement{Rho: 0.01, MaxShare: 0.12, Effective: 9.9}, Points: []order.Point{{X: 0, Y: 0.4}}},
		{Name: []byte(order.AllKeys), Kind: "mixed", Verdict: order.No, Written: true, Sample: 4_096, Keys: 65_000,
			ByBytes: order.Measurement{Rho: 0.02, MaxShare: 0.14, Effective: 9.5}, Points: []order.Point{{X: 0, Y: 0.4}}},
	}
	for range 8 {
		d.Windows.Partitions = append(d.Windows.Partitions, d.Windows.Total)
	}
	plan := &advise.Plan{Recommendations: []advise.Recommendation{
		{
			ID: "KS101", Fix: "cache", Title: "Cache it in the application for 1 s, one refresh per server",
			Key: []byte("item:4711"), Partition: "6", Params: advise.Params{TTL: 1}, Before: before, After: after,
			Residual: 60, Confidence: "high",
			Costs:   []string{"readers see data up to 1 s old", "one entry in each of 20 processes"},
			NotIf:   []string{"a reader must see the last write"},
			Assumed: []string{"20 servers (distinct clients seen)"},
			Rejected: []advise.Rejection{
				{Fix: "split", Reason: "99.9% reads: slots do not help readers"},
				{Fix: "replicate", Reason: "4 copies would do, and every write goes to all of them"},
				{Fix: "isolate", Reason: "the key alone needs 115% of a shard"},
			},
		},
		{
			ID: "KS102", Fix: "nothing", Title: "Nothing needed: shard 2 is at 45%, ok to 3.4× of this key's load",
			Key: []byte("item:4711:views"), Partition: "2", Before: after, After: after, Residual: 9_000,
			Headroom: 3.4, Confidence: "high",
			Rejected: []advise.Rejection{{Fix: "split", Reason: "not needed: shard 2 is at 45%"}},
		},
	}}
	t := tally(28_501_204,
		request.Skip{Reason: "banner", Lines: 1, Benign: true, At: []int64{1}},
		request.Skip{Reason: "not a MONITOR line", Lines: 1_203, At: []int64{88_121, 88_122, 90_004}})
	t.Note("unknown command SHOP.BUY: its first argument is taken as the key", 17)
	return config(monitorSource(t)), d, plan
}

// oneNode is a capture of one node, of which neither capacity nor layout is known.
func oneNode() (Config, *analyze.Diagnosis, *advise.Plan) {
	d := &analyze.Diagnosis{
		Totals: analyze.Totals{
			Requests: 90_000, Commands: 90_000, Reads: 80_000, Writes: 10_000, Distinct: sketch.Exact(1_234),
			Timed: true, First: noon, Last: second(19), Seconds: 20, MeanRate: 4_500, PeakRate: 12_000,
			PeakAt: second(9), CommandRatePeak: 12_000, Exact: true,
		},
		Capacity:  analyze.Capacity{Kind: analyze.Unknown},
		Threshold: analyze.Threshold{Share: 0.01},
		HotKeys:   1,
		Severity:  analyze.Warn,
		Plateau:   &analyze.Plateau{Rate: 12_000, Windows: 12, Of: 20},
		Skew: &analyze.Skew{
			Result: skew.Result{Verdict: skew.NotZipf, Shape: skew.ExponentialShape, Usable: 120, Fit: zipf(0.7, 120), Lower: 0.5, Upper: 0.9, ExponentialZ: -40, HeadMass: 1.2},
			Head:   skew.Head{TopKey: sketch.Exact(1. / 3), Top100: sketch.Exact(0.61), Top1Pct: ref(sketch.Exact(0.41))},
		},
		Order: []order.Family{{Name: []byte("post:{int}"), Kind: "sequence", Verdict: order.Possible, Sample: 1_234, Keys: 1_234,
			ByBytes: order.Measurement{Rho: 0.9, MaxShare: 0.9}, Bytes: true, Numbers: true, Frontier: order.Last, Points: []order.Point{{X: 0, Y: 0}}}},
		Keys: []analyze.Key{
			{Key: []byte("post:48"), Hot: true, HotIn: "all", Count: sketch.Exact(30_000), Share: 1. / 3,
				Reads: 29_940, Writes: 60, Peak: sketch.Exact(4_100), PeakAt: second(9), MeanRate: 1_500, First: noon,
				Last: second(19), Slot: -1, Class: analyze.ReadClass, EpisodeCount: 1, HotSeconds: 20, Episodes: []episode.Episode{{
					RampStart: noon, Start: noon, Within: second(1) - noon, PeakAt: second(9), End: second(20), PeakRate: 4_100, FromStart: true, ToEnd: true,
				}}},
			{Key: []byte("post:47"), Count: sketch.Exact(300), Share: 1. / 300, Reads: 300, Peak: sketch.Exact(31),
				PeakAt: second(3), First: noon, Last: second(19), Slot: -1, Class: analyze.ReadClass},
		},
		Findings: []analyze.Finding{{ID: "KS101", Severity: analyze.Warn, Title: "read-hot key", Target: "post:48"}},
		Peak: &analyze.PeakWindow{Start: second(9), Seconds: 1, Loads: []float64{12_000},
			Keys: []analyze.PeakKey{{Key: []byte("post:48"), Reads: 4_090, Writes: 10}}},
		Windows: &analyze.Windows{Seconds: 1, Start: []int64{noon, second(9)}, Total: []float64{4_000, 12_000},
			Keys: [][]float64{{1_000, 4_100}}},
	}
	plan := &advise.Plan{Recommendations: []advise.Recommendation{{
		ID: "KS101", Fix: "replicate", Title: "Keep 4 copies of it, write all, read any one", Key: []byte("post:48"),
		Params: advise.Params{Copies: 4, CopyNames: [][]byte{[]byte("post:48#0"), []byte("post:48#1"), []byte("post:48#2"), []byte("post:48#3")}},
		Before: advise.Outcome{MaxLoad: 12_000, OpsPerRequest: 1}, After: advise.Outcome{MaxLoad: 8_930, OpsPerRequest: 1.02},
		Residual: 1_030, Confidence: "medium", Costs: []string{"4 writes for each write"},
	}}}
	return config(Source{Name: "-", Format: "monitor", Framing: "redis-cli", Confidence: 1, Bytes: 9_000_000,
		Unpacked: 9_000_000, Tally: tally(90_000)}), d, plan
}

// calmCluster has a capacity and nothing hot.
func calmCluster() (Config, *analyze.Diagnosis, *advise.Plan) {
	c, d, _ := eightShards()
	d.Severity, d.HotKeys, d.Findings = analyze.OK, 0, nil
	d.Keys = d.Keys[2:]
	d.Partitions.PMR, d.Partitions.Busiest = 1.02, 0
	for i := range d.Partitions.List {
		p := &d.Partitions.List[i]
		p.Requests, p.RequestShare, p.PeakRate, p.Utilisation, p.Top = 2_600_000, 0.125, 9_000, 0.225, nil
		d.Peak.Loads[i] = 9_000
	}
	d.Peak.Keys = nil
	d.Order = d.Order[3:]
	d.Skew.Spikes, d.Skew.Removed, d.Skew.Verdict = nil, nil, skew.ZipfLike
	d.Skew.TopKey, d.Skew.Top100 = sketch.Exact(0.00105), sketch.Exact(0.0311)
	d.Skew.Growth = skew.Growths(0.00105, 8, 40_000)
	return c, d, &advise.Plan{Recommendations: []advise.Recommendation{{Fix: "nothing", Key: d.Keys[0].Key,
		Partition: "3", Title: "No key is hot: no key needs a remedy", Confidence: "high", Headroom: 239}}}
}

// tooFew has too few requests to judge.
func tooFew() (Config, *analyze.Diagnosis, *advise.Plan) {
	return config(Source{Name: "short.log", Format: "monitor", Confidence: 0.98, Bytes: 2_300, Unpacked: 2_300,
			Tally: tally(37), Truncated: true}), &analyze.Diagnosis{
			Totals: analyze.Totals{Requests: 37, Commands: 37, Reads: 37, Distinct: sketch.Exact(12), Timed: true,
				First: noon, Last: second(0), Seconds: 0.4, MeanRate: 92.5, PeakRate: 92.5, PeakAt: noon, Exact: true},
			Threshold: analyze.Threshold{Share: 0.01}, Severity: analyze.Insufficient,
			Skew:  &analyze.Skew{Result: skew.Result{Verdict: skew.Insufficient}, Head: skew.Head{TopKey: sketch.Exact(4. / 37), Top100: sketch.Exact(1)}},
			Order: []order.Family{{Name: []byte(order.AllKeys), Kind: "mixed", Verdict: order.Insufficient, Sample: 12, Keys: 12}},
			Keys: []analyze.Key{{Key: []byte("a"), Count: sketch.Exact(4), Share: 4. / 37, Reads: 4, Slot: -1,
				Peak: sketch.Exact(10), PeakAt: noon, Class: analyze.ReadClass}},
			Warnings: []analyze.Warning{{About: "verdict", Text: "37 requests are too few to clear a key of more than 1% of them",
				Remedy: "capture at least 3000 requests"}},
		}, nil
}

// polledAndBounded has pollers, more keys than are counted exactly, and nodes that were not captured.
func polledAndBounded() (Config, *analyze.Diagnosis, *advise.Plan) {
	c, d, p := eightShards()
	d.Totals.Exact, d.Totals.Guarantee, d.Totals.Polls = false, 35, 1_170_000
	d.Totals.Distinct = sketch.Estimate{Value: 41_237_123, Lower: 40_500_000, Upper: 41_900_000}
	d.Skew.Extrapolates, d.Skew.Verdict, d.Skew.HeadMass = false, skew.ZipfLike, 2.4
	d.Skew.Top100, d.Skew.Top1Pct = sketch.Estimate{Value: 0.52, Lower: 0.5134, Upper: 0.52}, nil
	d.Skew.Regression, d.Skew.Power = 0, nil
	d.Capacity = analyze.Capacity{Value: 40_000, Kind: analyze.Assumed, Source: "redis, one node"}
	d.Threshold.Rate, d.Severity = 0, analyze.Warn
	d.Keys[0].Peak = sketch.Estimate{Value: 46_000, Lower: 45_900, Upper: 46_000}
	d.Keys = append(d.Keys, analyze.Key{Key: []byte("queue:jobs"), Polls: 1_170_000, Class: analyze.PollClass,
		Partition: "1", Slot: 4_000, PeakAt: noon, First: noon, Last: second(299)})
	d.Partitions.Captured, d.Partitions.Measured = 7, false
	d.Partitions.SlotsSeen, d.Partitions.SlotRanges = 14_336, "0-14335"
	d.Partitions.List[7] = analyze.Partition{ID: "7", FairShare: 0.125}
	d.Findings = []analyze.Finding{
		{ID: "KS101", Severity: analyze.Warn, Title: "read-hot key", Target: "item:4711"},
		{ID: "KS190", Severity: analyze.Info, Title: "1170000 blocking commands by idle consumers", Target: "queue:jobs"},
		{ID: "KS201", Severity: analyze.Warn, Title: "shard 6 has 3.79 times its fair share", Target: "6"},
	}
	c.Stopped = true
	d.Spikes = d.Spikes[1:]
	d.Spikes[0].Ended, d.Spikes[0].Keys, d.Spikes[0].Writes, d.Spikes[0].Reads = false, d.Spikes[0].Keys[1:], 1.0004, 0
	c.Sources = append(c.Sources, Source{Name: "second.log", Format: "monitor", Confidence: 1,
		Tally: &request.Tally{}, Err: fmt.Errorf("second.log: unexpected end of the gzip stream")})
	return c, d, p
}

// untimed is a list of keys without times, from a format that shows what was asked for.
func untimed() (Config, *analyze.Diagnosis, *advise.Plan) {
	return config(Source{Name: "keys.txt", Format: "keys", Confidence: 1, Bytes: 100, Unpacked: 100,
			Tally: &request.Tally{Lines: 50_000, Requests: 50_000}}), &analyze.Diagnosis{
			Totals:    analyze.Totals{Requests: 50_000, Commands: 50_000, Other: 50_000, Distinct: sketch.Exact(900), Exact: true},
			Threshold: analyze.Threshold{Share: 0.01}, Severity: analyze.OK,
			Skew: &analyze.Skew{Result: skew.Result{Verdict: skew.NoSkew, Usable: 256, Fit: zipf(0.02, 256), Lower: 0.01, Upper: 0.03, UniformP: 0.4},
				Head: skew.Head{TopKey: sketch.Exact(0.004), Top100: sketch.Exact(0.13), Top1Pct: ref(sketch.Exact(0.02))}},
			Order: []order.Family{{Name: []byte("k{int}"), Kind: "sequence", Verdict: order.Possible, Sample: 900, Keys: 900,
				ByBytes: order.Measurement{Rho: 1, MaxShare: 1}, Bytes: true, Numbers: true, Frontier: order.Last, Points: []order.Point{{X: 0, Y: 0}}}},
			Keys: []analyze.Key{{Key: []byte("big"), Count: sketch.Exact(200), Share: 0.004, Other: 200, Slot: -1, Class: analyze.MixedClass}},
		}, nil
}

// cases are the fixtures by name.
var cases = []struct {
	name string
	make func() (Config, *analyze.Diagnosis, *advise.Plan)
}{
	{"eight-shards", eightShards},
	{"one-node", oneNode},
	{"calm", calmCluster},
	{"too-few", tooFew},
	{"bounded", polledAndBounded},
	{"untimed", untimed},
	{"nasty", nasty},
}

// nastyKeys are what a key may hold to harm its reader.
var nastyKeys = [][]byte{
	[]byte("\x1b[31mred\x1b]0;title\a"), []byte("nul\x00nul"), []byte("two\nlines\r\n"), []byte("a\u202egnp.exe"),
	[]byte("join\u200djoin"), []byte("日本語:キー:9"), longKey(), []byte("\xff\xfe\x80bad"), []byte("</script><b>&amp;"),
	[]byte("`back`ticks``"), []byte("a|b|c"), []byte(`quote"and\slash`), []byte("\u0301mark first"),
	[]byte("e\u0301\u0301\u0301\u0301\u0301\u0301\u0301"), []byte("\u009b31mC1"), []byte("\u2028line"), []byte(""),
	[]byte("👩‍👩‍👧‍👦 family\ufe0f"), []byte("\u3164filler"), []byte(" spaces  at ends "), []byte("\U000e0041tag"),
}

func longKey() []byte {
	b := make([]byte, 4096)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

// nasty has every nasty key hot, on shards with nasty names, from a file with a nasty name.
func nasty() (Config, *analyze.Diagnosis, *advise.Plan) {
	_, d, p := eightShards()
	proto := d.Keys[0]
	d.Keys, d.HotKeys = nil, len(nastyKeys)
	for i, key := range nastyKeys {
		k := proto
		k.Key = key
		k.Partition = d.Partitions.List[i%8].ID
		d.Keys = append(d.Keys, k)
		d.Findings = append(d.Findings, analyze.Finding{ID: "KS101", Severity: analyze.Warn, Title: "hot", Target: string(key)})
	}
	d.Peak.Keys[0].Key = nastyKeys[0]
	d.Skew.Removed, d.Skew.Spikes = nastyKeys[:2], []skew.Spike{{Index: 0, Ratio: 1e6}, {Index: 1, Ratio: math.NaN()}}
	d.Order[0].Name, d.Order[1].Name, d.Order[1].Kind = nastyKeys[3], nastyKeys[6], "kind\x1b[2J"
	d.Order[0].ByBytes.Rho, d.Order[0].NewPerSecond = math.NaN(), math.Inf(1)
	d.Windows.Keys = [][]float64{{math.NaN(), 1}, {math.Inf(1)}}
	d.Partitions.List[6].ID = "six\x1b[2J\u202e"
	d.Partitions.List[6].PeakRate = math.Inf(1)
	p.Recommendations[0].Key = nastyKeys[6]
	p.Recommendations[0].Title = "Title\x1b[2J\n|"
	p.Recommendations[0].After.Ceiling = ref(math.NaN())
	p.Recommendations[1].Residual = math.Inf(-1)
	src := monitorSource(tally(3, request.Skip{Reason: "bad\x1b[0m", Lines: 1, At: []int64{2}}))
	src.Name, src.Err = "a\x1b]8;;http://x\a\nb.log", fmt.Errorf("broke\x07 off\n")
	src.Tally.Note("unknown command \x1b[5mFOO\xff", 1)
	return Config{Tool: "keyskew test", Command: "keyskew 'a\x1b\nb.log'", Sources: []Source{src}}, d, p
}
