package cmd

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"keyskew/formats"
	"keyskew/ingest/synth"
)

// load is a small load of 20 seconds, changed by a test.
func load(change func(*synth.Config)) synth.Config {
	c := synth.Default()
	c.Seed, c.Requests, c.Keys, c.Rate = 48, 100_000, 20_000, 5_000
	change(&c)
	return c
}

func viralLoad() synth.Config {
	return load(func(c *synth.Config) {
		c.Viral = synth.ViralKey{Key: "post:viral", Share: 0.3, Onset: 5 * time.Second, Length: 10 * time.Second, Writes: 0.02}
	})
}

// loads plants one thing each, and everything at once.
func loads() map[string]synth.Config {
	return map[string]synth.Config{
		"zipf":         load(func(c *synth.Config) {}),
		"steep zipf":   load(func(c *synth.Config) { c.Zipf = 1.3 }),
		"no skew":      load(func(c *synth.Config) { c.Zipf = 0 }),
		"writes":       load(func(c *synth.Config) { c.Writes = 0.95 }),
		"reads":        load(func(c *synth.Config) { c.Writes = 0 }),
		"viral":        viralLoad(),
		"counter":      load(func(c *synth.Config) { c.Counter = synth.CounterKey{Key: "count:hot", Share: 0.1} }),
		"tenants":      load(func(c *synth.Config) { c.Tenants = 12 }),
		"time-ordered": load(func(c *synth.Config) { c.TimeOrdered = 0.3 }),
		"hash tag":     load(func(c *synth.Config) { c.HashTag = synth.HashTag{Tag: "big", Keys: 300, Share: 0.3} }),
		"pollers":      load(func(c *synth.Config) { c.Pollers = 300 }),
		"multi-key":    load(func(c *synth.Config) { c.MultiKey = 0.4 }),
		"everything": load(func(c *synth.Config) {
			c.Viral = synth.ViralKey{Key: "post:48\x00 \"é\"\n", Share: 0.3, Onset: 5 * time.Second, Length: 8 * time.Second}
			c.Counter = synth.CounterKey{Key: "post:48:likes", Share: 0.05}
			c.HashTag = synth.HashTag{Tag: "cart:eu", Keys: 300, Share: 0.08}
			c.Tenants, c.TimeOrdered, c.MultiKey, c.Pollers = 12, 0.03, 0.02, 70
		}),
	}
}

// Whatever is planted, the report's totals and the counts of its keys are the truth.
func TestPlantedTotals(t *testing.T) {
	for name, c := range loads() {
		t.Run(name, func(t *testing.T) {
			path, truth := planted(t, c)
			r := analyzed(t, nil, path)
			sameTotals(t, r, truth)
			sameKeys(t, r, truth)
			same(t, "counting", r.Totals.Counting, "exact")
			in := r.Inputs[0]
			same(t, "input requests", in.Requests, truth.Commands)
			same(t, "input lines", in.Lines, truth.Commands+1) // and the OK before them
			same(t, "bytes", in.Bytes, truth.Bytes)
			same(t, "first time", *in.FirstTime, truth.First.Format(time.RFC3339Nano))
			same(t, "last time", *in.LastTime, truth.Last.Format(time.RFC3339Nano))
			validate(t, r)
		})
	}
}

// In the other formats too, each read without a flag: the loads in which they differ from MONITOR.
func TestPlantedFormats(t *testing.T) {
	for format, want := range map[string]struct {
		detected string
		heading  int64 // lines
		time     string
	}{
		"combined": {"combined", 0, time.RFC3339},
		"json":     {"jsonl", 0, time.RFC3339Nano},
		"csv":      {"csv", 1, time.RFC3339Nano},
		"twitter":  {"twitter", 0, time.RFC3339},
	} {
		for _, name := range []string{"zipf", "multi-key", "pollers", "counter", "everything"} {
			t.Run(format+"/"+name, func(t *testing.T) {
				c := loads()[name]
				if c.Viral.Key != "" && format != "combined" && format != "json" {
					c.Viral.Key = `post:48, "é"` // a line cannot hold a newline
				}
				path, truth := plantedAs(t, format, c)
				r := analyzed(t, nil, path)
				sameTotals(t, r, truth)
				sameKeys(t, r, truth)
				same(t, "counting", r.Totals.Counting, "exact")
				in := r.Inputs[0]
				same(t, "format", in.Format, want.detected)
				same(t, "input requests", in.Requests, truth.Commands)
				same(t, "input lines", in.Lines, truth.Commands+want.heading)
				same(t, "bytes", in.Bytes, truth.Bytes)
				same(t, "first time", *in.FirstTime, truth.First.Format(want.time))
				same(t, "last time", *in.LastTime, truth.Last.Format(want.time))
				validate(t, r)
			})
		}
	}
}

// --decode undoes what a path needs, and leaves the slash in front.
func TestPlantedDecoded(t *testing.T) {
	c := loads()["everything"]
	path, truth := plantedAs(t, "combined", c)
	r := analyzed(t, nil, "--decode", path)
	k := r.Keys[0]
	same(t, "key", string(k.Key.Raw()), "/"+c.Viral.Key)
	same(t, "count", int64(k.Count.Value), truth.Viral.Count)
}

func sameTotals(t *testing.T, r *formats.Report, truth synth.Truth) {
	t.Helper()
	same(t, "requests", int64(r.Totals.Requests), truth.Requests)
	same(t, "commands", int64(r.Totals.Commands), truth.Commands)
	same(t, "reads", int64(r.Totals.Reads), truth.Reads)
	same(t, "writes", int64(r.Totals.Writes), truth.Writes)
	same(t, "polls", int64(r.Totals.Polls), truth.Polls)
	same(t, "other", r.Totals.Other, 0)
	distinct := float64(truth.DistinctKeys)
	same(t, "distinct keys", r.Totals.DistinctKeys, formats.Estimate{Value: distinct, Lower: distinct, Upper: distinct})
}

// sameKeys holds the listed keys against the truth: the counts of each, that the list is in order (hot
// ones first), and that no larger key is missing.
func sameKeys(t *testing.T, r *formats.Report, truth synth.Truth) {
	t.Helper()
	known := map[string]synth.Key{}
	for _, k := range truth.Keys {
		known[k.Key] = k
	}
	served := truth.Requests - truth.Polls
	listed := map[string]bool{}
	smallest := int64(math.MaxInt64) // of the keys that are listed for their size alone
	for i, k := range r.Keys {
		name := string(k.Key.Raw())
		want, ok := known[name]
		if !ok {
			t.Errorf("key %q has %v requests, and is not among the %d largest", name, k.Count.Value, len(truth.Keys))
			continue
		}
		if listed[name] {
			t.Errorf("%q is listed twice", name)
		}
		listed[name] = true
		count := float64(want.Reads + want.Writes)
		same(t, name+": count", k.Count, formats.Estimate{Value: count, Lower: count, Upper: count})
		same(t, name+": reads", int64(k.Reads), want.Reads)
		same(t, name+": writes", int64(k.Writes), want.Writes)
		same(t, name+": polls", int64(k.Polls), want.Polls)
		if share := count / float64(served); math.Abs(k.Share-share) > 1e-12 {
			t.Errorf("%s: share %v, want %v", name, k.Share, share)
		}
		if i > 0 {
			before := r.Keys[i-1]
			if before.Hot == k.Hot && before.Count.Value < k.Count.Value || !before.Hot && k.Hot {
				t.Errorf("%s stands behind %s", name, before.Key)
			}
		}
		if !k.Hot && k.Class != "poll" {
			smallest = min(smallest, want.Count)
		}
	}
	if len(listed) < 20 {
		t.Errorf("only %d keys are listed", len(listed))
	}
	for _, k := range truth.Keys {
		if !listed[k.Key] && k.Count-k.Polls > smallest {
			t.Errorf("%q with %d requests is not listed, one with %d is", k.Key, k.Count, smallest)
		}
	}
}

// A key that turns viral is found, and when it did.
func TestPlantedViralKey(t *testing.T) {
	c := viralLoad()
	path, truth := planted(t, c)
	r := analyzed(t, nil, path)
	k := r.Keys[0]
	same(t, "key", string(k.Key.Raw()), c.Viral.Key)
	same(t, "hot", k.Hot, true)
	same(t, "class", k.Class, "read")
	same(t, "count", int64(k.Count.Value), truth.Viral.Count)
	from := c.Start.Add(c.Viral.Onset)
	at := instant(t, k.PeakAt)
	if at.Before(from) || !at.Before(from.Add(c.Viral.Length)) {
		t.Errorf("peak at %v, viral from %v for %v", at, from, c.Viral.Length)
	}
	near(t, "peak rate", k.PeakRate.Value, c.Viral.Share*c.Rate)
	if first := instant(t, k.FirstTime); first.Before(from) || first.After(from.Add(time.Second)) {
		t.Errorf("first seen at %v, viral from %v", first, from)
	}
	if want := "post:viral"; !strings.Contains(r.Verdict.Text, want) || r.Verdict.Do == nil || !strings.Contains(*r.Verdict.Do, want) {
		t.Errorf("the verdict does not name it: %+v", r.Verdict)
	}
	same(t, "severity", r.Verdict.Severity, "warning")
	if f := findings(r, "KS101"); !slices.Contains(f, c.Viral.Key) {
		t.Errorf("KS101 is about %q", f)
	}
	if rec := recommendation(r, c.Viral.Key); rec == nil || rec.Fix != "cache" {
		t.Errorf("no cache is recommended: %+v", rec)
	}
}

// A viral moment that is short against the capture is hot in its windows only.
func TestPlantedShortPeak(t *testing.T) {
	c := load(func(c *synth.Config) {
		c.Requests = 400_000
		c.Viral = synth.ViralKey{Key: "flash", Share: 0.1, Onset: 50 * time.Second, Length: 3 * time.Second}
	})
	path, _ := planted(t, c)
	r := analyzed(t, nil, path)
	i := slices.IndexFunc(r.Keys, func(k formats.Key) bool { return string(k.Key.Raw()) == "flash" })
	if i < 0 || !r.Keys[i].Hot || r.Keys[i].HotIn == nil || *r.Keys[i].HotIn != "peak" {
		t.Fatalf("flash is at %d of %d hot keys: %+v", i, r.Totals.HotKeys, r.Keys[max(i, 0)])
	}
	near(t, "peak rate", r.Keys[i].PeakRate.Value, 0.1*c.Rate)
	same(t, "hot windows", r.Keys[i].HotWindows, 3)
}

func TestPlantedCounter(t *testing.T) {
	c := loads()["counter"]
	path, truth := planted(t, c)
	r := analyzed(t, nil, path)
	k := r.Keys[0]
	same(t, "key", string(k.Key.Raw()), c.Counter.Key)
	same(t, "hot", k.Hot, true)
	same(t, "class", k.Class, "write")
	same(t, "commands", fmt.Sprint(k.Commands), fmt.Sprint(map[string]int64{"INCR": truth.Counter.Count}))
	if f := findings(r, "KS102"); !slices.Contains(f, c.Counter.Key) {
		t.Errorf("KS102 is about %q", f)
	}
	rec := recommendation(r, c.Counter.Key)
	if rec == nil || rec.Fix != "split" || rec.Params.Slots == nil || *rec.Params.Slots < 2 {
		t.Errorf("no split is recommended: %+v", rec)
	}
}

func TestPlantedPollers(t *testing.T) {
	c := loads()["pollers"]
	path, truth := planted(t, c)
	r := analyzed(t, nil, path)
	k := r.Keys[len(r.Keys)-1]
	same(t, "key", string(k.Key.Raw()), synth.Queue)
	same(t, "class", k.Class, "poll")
	same(t, "hot", k.Hot, false)
	same(t, "polls", int64(k.Polls), truth.Polls)
	same(t, "count", k.Count.Value, 0)
	same(t, "share", k.Share, 0)
	if f := findings(r, "KS190"); len(f) != 1 || f[0] != synth.Queue {
		t.Errorf("KS190 is about %q", f)
	}
	if rec := recommendation(r, synth.Queue); rec != nil && rec.Fix != "nothing" {
		t.Errorf("a remedy is recommended for polls: %+v", rec)
	}
	seconds := truth.Last.Sub(truth.First).Seconds()
	if want := float64(truth.Requests-truth.Polls) / seconds; math.Abs(*r.Totals.MeanRate-want) > 1e-6*want {
		t.Errorf("mean rate %v, without polls it is %v", *r.Totals.MeanRate, want)
	}
	for _, key := range r.Peak.Keys {
		if string(key.Key.Raw()) == synth.Queue {
			t.Error("polls are in the peak window")
		}
	}
}

// With more keys than are counted exactly, the bounds hold the truth, and the hot keys are found.
func TestPlantedBounded(t *testing.T) {
	c := viralLoad()
	c.Requests, c.Keys, c.Zipf = 200_000, 200_000, 0.8
	c.Counter = synth.CounterKey{Key: "count:hot", Share: 0.02}
	path, truth := planted(t, c)
	if truth.DistinctKeys < 40_000 {
		t.Fatalf("only %d keys", truth.DistinctKeys)
	}
	r := analyzed(t, nil, "--key-budget", "16384", path)
	same(t, "counting", r.Totals.Counting, "bounded")
	same(t, "requests", int64(r.Totals.Requests), truth.Requests)
	same(t, "reads", int64(r.Totals.Reads), truth.Reads)
	same(t, "writes", int64(r.Totals.Writes), truth.Writes)
	known := map[string]int64{}
	for _, k := range truth.Keys {
		known[k.Key] = k.Count
	}
	if d := r.Totals.DistinctKeys; d.Lower > float64(truth.DistinctKeys) || d.Upper < float64(truth.DistinctKeys) || d.Lower == d.Upper {
		t.Errorf("%+v distinct keys, there are %d", d, truth.DistinctKeys)
	}
	if r.Totals.Guarantee == 0 || int64(r.Totals.Guarantee) > truth.Requests/16384+1 {
		t.Errorf("guarantee of %d", r.Totals.Guarantee)
	}
	same(t, "keys[0]", string(r.Keys[0].Key.Raw()), c.Viral.Key)
	same(t, "keys[1]", string(r.Keys[1].Key.Raw()), c.Counter.Key)
	for _, k := range r.Keys {
		n, ok := known[string(k.Key.Raw())]
		if ok && (k.Count.Lower > float64(n) || k.Count.Upper < float64(n)) {
			t.Errorf("%s: %+v, there are %d", k.Key, k.Count, n)
		}
	}
	for _, k := range truth.Keys[:10] {
		if !slices.ContainsFunc(r.Keys, func(have formats.Key) bool { return string(have.Key.Raw()) == k.Key }) {
			t.Errorf("%s with %d requests is not listed", k.Key, k.Count)
		}
	}
	validate(t, r)
}

// What generate writes is what the library makes, and its --truth is the library's.
func TestGenerateCommand(t *testing.T) {
	c := viralLoad()
	path, truth := planted(t, c)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, nil, "generate", "--seed", "48", "--requests", "100k", "--keys", "20k", "--rate", "5k", "--truth",
		"--viral-share", "0.3", "--viral-onset", "5s", "--viral-length", "10s", "--viral-writes", "0.02")
	same(t, "exit code", r.code, 0)
	sameText(t, "the capture", r.out, string(want))
	if line := fmt.Sprintf("key post:viral %d\n", truth.Viral.Count); !strings.Contains(r.err, line) {
		t.Errorf("no %q in %s", line, r.err)
	}
}

func TestGenerateFormats(t *testing.T) {
	for _, f := range synth.Formats() {
		path, truth := plantedAs(t, f.ID, viralLoad())
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, nil, "generate", "--seed", "48", "--requests", "100k", "--keys", "20k", "--rate", "5k", "--truth",
			"--viral-share", "0.3", "--viral-onset", "5s", "--viral-length", "10s", "--viral-writes", "0.02", "--format", f.ID)
		same(t, "exit code", r.code, 0)
		sameText(t, f.ID, r.out, string(want))
		if line := fmt.Sprintf("key %s %d\n", truth.Viral.Key, truth.Viral.Count); !strings.Contains(r.err, line) {
			t.Errorf("%s: no %q in %s", f.ID, line, r.err)
		}
	}
}

// near fails unless got is within five standard deviations of a Poisson count of that mean.
func near(t *testing.T, what string, got, mean float64) {
	t.Helper()
	if math.Abs(got-mean) > 5*math.Sqrt(mean) {
		t.Errorf("%s: %v, expected about %v", what, got, mean)
	}
}

func instant(t *testing.T, s *string) time.Time {
	t.Helper()
	if s == nil {
		t.Fatal("no time")
	}
	at, err := time.Parse(time.RFC3339, *s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// findings lists what the findings of a kind are about.
func findings(r *formats.Report, id string) []string {
	var out []string
	for _, f := range r.Findings {
		if f.ID == id && f.Target != nil {
			out = append(out, *f.Target)
		}
	}
	return out
}

func recommendation(r *formats.Report, key string) *formats.Recommendation {
	for i := range r.Recommendations {
		rec := &r.Recommendations[i]
		if rec.Target.Key != nil && string(rec.Target.Key.Raw()) == key && rec.ID != "" {
			return rec
		}
	}
	return nil
}
