package formats

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"keyskew/analyze"
)

// Build takes whatever numbers a diagnosis holds.
func TestBuildIsFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		c, d, p := eightShards()
		d.Totals.MeanRate, d.Totals.PeakRate, d.Totals.Distinct.Upper, d.Threshold.Share = bad, bad, bad, bad
		d.Keys[0].Share, d.Keys[0].Peak.Lower, d.Partitions.List[3].Utilisation, d.Partitions.PMR = bad, bad, bad, bad
		d.Windows.Total[4], d.Windows.Keys[0][2], d.Peak.Loads[1] = bad, bad, bad
		p.Recommendations[0].Before.Ceiling, p.Recommendations[0].After.Partitions[0].Load = &bad, bad
		r := Build(c, d, p)
		if err := JSON(&bytes.Buffer{}, r); err != nil {
			t.Errorf("%v: %v", bad, err)
		}
		if r.Recommendations[0].Before.Ceiling != nil {
			t.Errorf("%v: the ceiling should be null", bad)
		}
		if math.IsNaN(bad) != math.IsNaN(*p.Recommendations[0].Before.Ceiling) {
			t.Error("Build changed the plan")
		}
		render(t, r, TextOptions{})
	}
}

func TestBuildLists(t *testing.T) {
	r := Build(Config{}, &analyze.Diagnosis{}, nil)
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"inputs", "keys", "recommendations", "findings", "warnings"} {
		if list, ok := doc[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want []", name, doc[name])
		}
	}
	for _, name := range []string{"groups", "partitions", "skew", "order", "spikes", "windows", "peak", "plateau"} {
		if v, ok := doc[name]; !ok || v != nil {
			t.Errorf("%s is %v, want null", name, v)
		}
	}
	if r.Verdict.Severity != "insufficient" || r.Capacity.Kind != "unknown" {
		t.Errorf("an empty diagnosis: %+v, %+v", r.Verdict, r.Capacity)
	}
}

func TestBuildWindows(t *testing.T) {
	c, d, p := eightShards()
	const n = 1000
	d.Windows = &analyze.Windows{Seconds: 1, Keys: [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}}
	for i := range n {
		d.Windows.Start = append(d.Windows.Start, second(i))
		d.Windows.Total = append(d.Windows.Total, float64(i%13))
	}
	d.Windows.Total[617] = 1e6
	w := Build(c, d, p).Windows
	if len(w.Start) > maxPoints || len(w.Start) != len(w.Total) || w.WindowsPerPoint != 5 {
		t.Fatalf("%d starts, %d points, %d windows a point", len(w.Start), len(w.Total), w.WindowsPerPoint)
	}
	if at := 617 / 5; w.Total[at] != 1e6 || w.Start[at] != stamp(second(615)) {
		t.Errorf("the peak is lost: %v at %s", w.Total[at], w.Start[at])
	}
	if len(w.Keys) != 2 || w.Keys["item:4711"] == nil {
		t.Errorf("series of %d keys, want the 2 hot ones", len(w.Keys))
	}
}

func TestBuildInput(t *testing.T) {
	r := Build(polledAndBounded())
	in := r.Inputs[0]
	var sum int64
	for _, n := range in.Skipped.ByReason {
		sum += n
	}
	if in.Lines != in.Requests+in.Skipped.Total || sum != in.Skipped.Total || in.Skipped.Bad != 1_203 {
		t.Errorf("lines do not add up: %+v", in)
	}
	if r.Inputs[1].Error == nil || !r.Stopped {
		t.Error("the broken input or the stop is lost")
	}
	if got := r.Findings[1].Target; got == nil || *got != "queue:jobs" {
		t.Errorf("target %v", got)
	}
	if key := r.Keys[0]; key.Recommendation == nil || *key.Recommendation != r.Recommendations[0].Title {
		t.Errorf("the key's recommendation is %v", key.Recommendation)
	}
}

// The words of the verdict follow what may be said.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(*Config, *analyze.Diagnosis)
		has, not []string
	}{
		{"a server's view", nil, []string{"item:4711 melts shard 6", "Shard 6 ran at 138%"}, []string{"asked for"}},
		{"a client's view", func(c *Config, _ *analyze.Diagnosis) { c.Sources[0].Format = "jsonl" },
			[]string{"Shard 6 was asked for 138%"}, []string{"ran at"}},
		{"assumed capacity", func(_ *Config, d *analyze.Diagnosis) {
			d.Capacity.Kind, d.Severity = analyze.Assumed, analyze.Warn
		}, []string{"takes 34.7% of all requests", "assumed capacity"}, []string{"melts"}},
		{"unknown capacity", func(_ *Config, d *analyze.Diagnosis) {
			d.Capacity, d.Severity = analyze.Capacity{Kind: analyze.Unknown}, analyze.Warn
			for i := range d.Partitions.List {
				d.Partitions.List[i].HasUtilisation = false
			}
		}, []string{"How full it ran is not known", "--capacity"}, []string{"melts", "of its capacity"}},
		{"no hot key there", func(_ *Config, d *analyze.Diagnosis) { d.Keys[0].Partition = "1" },
			[]string{"Shard 6 is overloaded, and not by a single key"}, []string{"melts"}},
		{"uneven shards", func(_ *Config, d *analyze.Diagnosis) {
			d.HotKeys, d.Severity, d.Capacity = 0, analyze.Warn, analyze.Capacity{}
			d.Keys = d.Keys[2:]
			for i := range d.Partitions.List {
				d.Partitions.List[i].HasUtilisation = false
			}
			d.Findings = []analyze.Finding{{ID: "KS201", Severity: analyze.Warn}}
		}, []string{"No key is hot, but shard 6 takes 43.9%"}, []string{"Nothing is hot"}},
		{"bursts", func(_ *Config, d *analyze.Diagnosis) {
			d.Severity, d.Keys[0].HotIn = analyze.Warn, "peak"
		}, []string{"item:4711 is hot in bursts"}, nil},
	} {
		config, d, p := eightShards()
		if c.change != nil {
			c.change(&config, d)
		}
		v := Build(config, d, p).Verdict
		for _, s := range c.has {
			if !strings.Contains(v.Text, s) {
				t.Errorf("%s: %q lacks %q", c.name, v.Text, s)
			}
		}
		for _, s := range c.not {
			if strings.Contains(v.Text, s) {
				t.Errorf("%s: %q has %q", c.name, v.Text, s)
			}
		}
	}
}

func TestVerdictNot(t *testing.T) {
	config, d, p := eightShards()
	if v := Build(config, d, p).Verdict; v.Not == nil || !strings.Contains(*v.Not, "More shards") {
		t.Errorf("one hot key: NOT is %v", v.Not)
	}
	p.Recommendations[0].Fix = "nothing"
	if v := Build(config, d, p).Verdict; v.Not != nil {
		t.Errorf("where the shard is too full without the key: NOT is %q", *v.Not)
	}
	config, d, p = calmCluster()
	if v := Build(config, d, p).Verdict; v.Not != nil || v.Do != nil {
		t.Errorf("nothing hot: %+v", v)
	}
	config, d, p = oneNode()
	d.HotKeys = 2
	d.Keys[1].Hot, d.Keys[1].Share = true, 0.3
	d.Peak = nil
	if v := Build(config, d, p).Verdict; v.Not != nil {
		t.Errorf("two keys alike: NOT is %q", *v.Not)
	}
}

func TestWarningsOnce(t *testing.T) {
	config, d, p := oneNode()
	config.Sources = append(config.Sources, config.Sources[0])
	d.Warnings = []analyze.Warning{{About: "rates", Text: "mine"}}
	about := map[string]int{}
	for _, w := range Build(config, d, p).Warnings {
		about[w.About]++
	}
	if about["rates"] != 1 || about["partitions"] != 1 {
		t.Errorf("warnings: %v", about)
	}
}
