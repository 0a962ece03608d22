package whatif_test

import (
	"testing"

	"pgregory.net/rapid"

	"keyskew/advise/whatif"
)

// TestMixedKey: 100,000 reads and writes per second each, 8 pieces, 200 servers refreshing every second.
func TestMixedKey(t *testing.T) {
	k := whatif.Key{Reads: 100000, Writes: 100000}
	for _, v := range []struct {
		name         string
		r            whatif.Remedy
		piece, total float64
	}{
		{"cache and split", whatif.Remedy{Cached: true, ReadBound: 200, Slots: 8}, 12700, 101600},
		{"split", whatif.Remedy{Slots: 8}, 112500, 900000},
		{"cache", whatif.Remedy{Cached: true, ReadBound: 200}, 100200, 100200},
		{"replicate", whatif.Remedy{Copies: 8}, 112500, 900000},
	} {
		load, n := k.Piece(v.r)
		near(t, v.name, load, v.piece, 0)
		near(t, v.name+", total", load*float64(n), v.total, 0)
	}
}

func TestUnknown(t *testing.T) {
	o := whatif.Cluster{Partitions: []whatif.Partition{{ID: "all", Load: 100, Fair: 1}}, Requests: 100}.Outcome(1)
	if o.MaxUtilisation != nil || o.Ceiling != nil || o.P99Worst != nil || o.P99Cluster != nil || o.FailingShare != nil || o.PMR != nil || o.Saturated {
		t.Errorf("known without a capacity: %+v", o)
	}
	if o.MaxLoad != 100 || o.OpsPerRequest != 1 {
		t.Errorf("%+v", o)
	}
	if o := (whatif.Cluster{}).Outcome(1); o.MaxLoad != 0 || o.Partitions != nil {
		t.Errorf("of nothing: %+v", o)
	}
}

func TestUncaptured(t *testing.T) {
	c := whatif.Cluster{
		Partitions: []whatif.Partition{{ID: "a", Load: 600, Fair: 1}, {ID: "b", Load: 200, Fair: 1}, {ID: "c", Fair: 1, Uncaptured: true}},
		Capacity:   1000, Requests: 800,
	}
	c = c.Apply(whatif.Key{Writes: 400}, whatif.Remedy{Slots: 4}, []int{0, 1, 2, 2})
	o := c.Outcome(1)
	if o.Partitions[2].Load != 200 || o.Partitions[2].Utilisation != nil {
		t.Errorf("not captured: %+v", o.Partitions[2])
	}
	near(t, "busiest", o.MaxLoad, 300, 0)
	near(t, "peak to mean of the two", *o.PMR, 1, 1e-12)
	near(t, "ops", o.OpsPerRequest, 1, 1e-12)
}

func TestOwn(t *testing.T) {
	c := whatif.Cluster{Partitions: []whatif.Partition{{Load: 90, Fair: 1}, {Load: 30, Fair: 1}}, Capacity: 100, Requests: 120}
	c = c.Apply(whatif.Key{Writes: 60}, whatif.Remedy{Own: true}, nil)
	o := c.Outcome(2)
	if len(o.Partitions) != 3 || o.Partitions[0].Load != 30 || o.Partitions[2].Load != 60 {
		t.Errorf("%+v", o.Partitions)
	}
	near(t, "peak to mean", *o.PMR, 1.5, 1e-12)
	near(t, "p99", *o.P99Worst, 5, 1e-12)
}

// TestConservation: load is moved, never made or lost, but for what the remedy itself adds and removes.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 12).Draw(t, "m")
		c := whatif.Cluster{Open: m == 1 && rapid.Bool().Draw(t, "open")}
		for range m {
			c.Partitions = append(c.Partitions, whatif.Partition{Load: rapid.Float64Range(1000, 1e6).Draw(t, "load"), Fair: 1})
		}
		load := rapid.Float64Range(0, 300)
		k := whatif.Key{Reads: load.Draw(t, "r"), Writes: load.Draw(t, "w"), Other: load.Draw(t, "o"), Partition: rapid.IntRange(0, m-1).Draw(t, "home")}
		r := whatif.Remedy{
			Cached: rapid.Bool().Draw(t, "cached"), ReadBound: load.Draw(t, "bound"),
			Slots: rapid.IntRange(0, 40).Draw(t, "slots"), Copies: rapid.IntRange(0, 40).Draw(t, "copies"), Own: rapid.Bool().Draw(t, "own"),
		}
		piece, n := k.Piece(r)
		var at []int
		if rapid.Bool().Draw(t, "placed") {
			at = rapid.SliceOfN(rapid.IntRange(-1, m), 0, 50).Draw(t, "at")
			if at == nil {
				at = []int{}
			}
		}
		before := sum(c)
		after := c.Apply(k, r, at)
		want := before - k.Load() + piece*float64(n)
		if got := sum(after); !(got > want*(1-1e-9) && got < want*(1+1e-9)) {
			t.Fatalf("%v after, want %v", got, want)
		}
		if sum(c) != before {
			t.Fatal("the cluster given was changed")
		}
	})
}

func sum(c whatif.Cluster) float64 {
	s := c.Elsewhere
	for _, p := range c.Partitions {
		s += p.Load
	}
	return s
}
