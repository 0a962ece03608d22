package whatif_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"keyskew/advise/whatif"
)

// The simulated incident: 100,000 keys key:1 to key:100000 with rates T/(r H) by rank r (Zipf, s = 1) or
// T/100000 (uniform), or 75% of that and 25% on key:viral; partition = FNV-1a-32(key) mod M; capacity
// 150,000/s; a key is flagged, and treated, above 20% of it. Sub-keys are key#0 to key#7. The cache
// leaves min(R, 200 servers / 1 s). The figures were computed by a separate program in Python.
var simulations = []struct {
	id, shape   string
	m           int
	reads       float64
	fixes       string
	flagged     []string
	util        []float64
	max, pmr    float64
	ops         float64
	ceiling     int
	lost, worst float64
}{
	{"SIM-1", "zipf", 8, 0.95, "", []string{"key:1", "key:2"}, []float64{0.7656, 1.0054, 0.5978, 0.6962, 0.5661, 0.577, 0.5679, 0.5573}, 1.0054, 1.508, 1, 795737, 0.1885, 0},
	{"SIM-2", "uniform", 8, 0.95, "", []string{}, []float64{0.6668, 0.6668, 0.6666, 0.6669, 0.6665, 0.6666, 0.6667, 0.6665}, 0.6669, 1, 1, 1199616, 0, 3},
	{"SIM-4", "zipf+viral", 32, 0.95, "", []string{"key:1", "key:viral"}, []float64{}, 1.4352, 8.611, 1, 557403, 0.2691, 0},
	{"SIM-5", "zipf", 8, 0.95, "salt", []string{"key:1", "key:2"}, []float64{1.1778, 1.197, 1.2306, 1.3289, 1.1989, 1.2098, 1.2007, 1.19}, 1.3289, 1.092, 1.825, 602001, 1, 0},
	{"SIM-7", "zipf+viral", 32, 0.95, "salt", []string{"key:1", "key:viral"}, []float64{}, 1.6759, 3.27, 3.075, 477342, 0.4275, 0},
	{"SIM-8", "zipf", 8, 0.95, "cache", []string{"key:1", "key:2"}, []float64{0.5574, 0.5876, 0.5978, 0.6962, 0.5661, 0.577, 0.5679, 0.5573}, 0.6962, 1.183, 0.883, 1149169, 0, 3.29},
	{"SIM-9", "zipf+viral", 8, 0.95, "cache", []string{"key:1", "key:viral"}, []float64{0.5742, 0.441, 0.5164, 0.5221, 0.4246, 0.4328, 0.4259, 0.418}, 0.5742, 1.223, 0.704, 1393174, 0, 2.35},
	{"SIM-11", "zipf", 8, 0.1, "cache", []string{"key:1", "key:2"}, []float64{0.7449, 0.9626, 0.5978, 0.6962, 0.5661, 0.577, 0.5679, 0.5573}, 0.9626, 1.461, 0.988, 831102, 0, 26.72},
	{"SIM-12", "zipf+viral", 8, 0.1, "cache", []string{"key:1", "key:viral"}, []float64{0.5742, 0.7223, 1.6497, 0.5221, 0.4246, 0.4328, 0.4259, 0.418}, 1.6497, 2.553, 0.969, 484936, 0.3091, 0},
	{"SIM-14", "zipf", 8, 0.1, "repl", []string{"key:1", "key:2"}, []float64{1.1489, 1.168, 1.2016, 1.3, 1.1699, 1.1808, 1.1717, 1.1611}, 1.3, 1.094, 1.782, 615407, 1, 0},
	{"SIM-15", "zipf+viral", 8, 0.1, "repl", []string{"key:1", "key:viral"}, []float64{2.0928, 1.9417, 1.9669, 2.0407, 1.9432, 1.9513, 1.9445, 1.9365}, 2.0928, 1.058, 2.966, 382264, 1, 0},
	{"SIM-17", "zipf", 8, 0.1, "salt", []string{"key:1", "key:2"}, []float64{0.6857, 0.7048, 0.7384, 0.8368, 0.7067, 0.7177, 0.7085, 0.6979}, 0.8368, 1.155, 1.087, 956062, 0, 6.13},
	{"SIM-18", "zipf+viral", 8, 0.1, "salt", []string{"key:1", "key:viral"}, []float64{0.9279, 0.7768, 0.802, 0.8758, 0.7782, 0.7864, 0.7796, 0.7716}, 0.9279, 1.142, 1.218, 862193, 0, 13.86},
	{"SIM-20", "zipf+viral", 8, 0.5, "cache+salt", []string{"key:1", "key:viral"}, []float64{0.6809, 0.5298, 0.555, 0.6288, 0.5313, 0.5395, 0.5326, 0.5246}, 0.6809, 1.204, 0.848, 1174904, 0, 3.13},
	{"SIM-22", "zipf", 8, 0.5, "cache+salt", []string{"key:1", "key:2"}, []float64{0.5891, 0.6082, 0.6418, 0.7402, 0.6101, 0.6211, 0.6119, 0.6013}, 0.7402, 1.179, 0.942, 1080821, 0, 3.85},
}

func TestSimulations(t *testing.T) {
	const total, capacity = 800000, 150000
	for _, s := range simulations {
		t.Run(s.id, func(t *testing.T) {
			names, rates := traffic(s.shape, total)
			c := whatif.Cluster{Partitions: make([]whatif.Partition, s.m), Capacity: capacity, Requests: total}
			for i := range c.Partitions {
				c.Partitions[i] = whatif.Partition{ID: fmt.Sprint(i), Fair: 1}
			}
			flagged := map[string]float64{}
			for i, name := range names {
				c.Partitions[place(name, s.m)].Load += rates[i]
				if rates[i] > 0.2*capacity {
					flagged[name] = rates[i]
				}
			}
			if len(flagged) != len(s.flagged) {
				t.Fatalf("flagged %v, want %v", flagged, s.flagged)
			}
			for _, name := range s.flagged {
				rate, ok := flagged[name]
				if !ok {
					t.Fatalf("%s is not flagged", name)
				}
				var r whatif.Remedy
				if strings.Contains(s.fixes, "cache") {
					r.Cached, r.ReadBound = true, 200
				}
				if strings.Contains(s.fixes, "salt") {
					r.Slots = 8
				}
				if strings.Contains(s.fixes, "repl") {
					r.Copies = 8
				}
				var at []int
				for i := range 8 {
					at = append(at, place(fmt.Sprintf("%s#%d", name, i), s.m))
				}
				k := whatif.Key{Reads: rate * s.reads, Writes: rate * (1 - s.reads), Partition: place(name, s.m)}
				c = c.Apply(k, r, at)
			}
			o := c.Outcome(1)
			for i, want := range s.util {
				near(t, fmt.Sprint("utilisation of ", i), *o.Partitions[i].Utilisation, want, 1e-4)
			}
			near(t, "highest utilisation", *o.MaxUtilisation, s.max, 1e-4)
			near(t, "peak to mean", *o.PMR, s.pmr, 1e-3)
			near(t, "ops per request", o.OpsPerRequest, s.ops, 1e-3)
			near(t, "ceiling", *o.Ceiling, float64(s.ceiling), 1)
			near(t, "failing share", o.FailingShare.Upper, s.lost, 1e-4)
			if s.worst == 0 {
				if o.P99Worst != nil || !o.Saturated {
					t.Errorf("p99 %v, saturated %v: want none", o.P99Worst, o.Saturated)
				}
			} else {
				near(t, "p99", *o.P99Worst, s.worst, 0.01)
			}
		})
	}
}

func traffic(shape string, total float64) (names []string, rates []float64) {
	const n = 100000
	h := 0.0
	for r := n; r >= 1; r-- {
		h += 1 / float64(r)
	}
	scale := total
	if shape == "zipf+viral" {
		names, rates = append(names, "key:viral"), append(rates, total/4)
		scale *= 0.75
	}
	for r := 1; r <= n; r++ {
		names = append(names, fmt.Sprintf("key:%d", r))
		if shape == "uniform" {
			rates = append(rates, scale/n)
		} else {
			rates = append(rates, scale/(float64(r)*h))
		}
	}
	return names, rates
}

func place(name string, m int) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % uint32(m))
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, tolerance)
	}
}

// TestFNV holds the test's own placement to the published values of FNV-1a (Fowler, Noll, Vo).
func TestFNV(t *testing.T) {
	want := map[string]uint32{
		"": 0x811c9dc5, "a": 0xe40c292c, "foobar": 0xbf9cf968, "key:1": 0x58140fa9, "post:42:likes#0": 0x4e1f04e0,
	}
	for key, sum := range want {
		h := fnv.New32a()
		h.Write([]byte(key))
		if h.Sum32() != sum {
			t.Errorf("%q: %08x, want %08x", key, h.Sum32(), sum)
		}
	}
	if got := []int{place("key:1", 8), place("key:1", 32)}; !slices.Equal(got, []int{1, 9}) {
		t.Errorf("key:1 on %v", got)
	}
}
