package whatif_test

import (
	"math"
	"testing"

	"keyskew/advise/whatif"
)

func TestQueues(t *testing.T) {
	// Closed forms, checked against scipy, in milliseconds.
	for _, v := range []struct{ rho, scaled float64 }{{0.5, 2}, {2.0 / 3, 3}, {0.9, 10}, {0.95, 20}} {
		got, ok := whatif.P99(1, v.rho)
		if !ok {
			t.Error("no p99 at", v.rho)
		}
		near(t, "scaled", got, v.scaled, 1e-4)
	}
	for _, rho := range []float64{1, 1.5, math.NaN(), math.Inf(1)} {
		if _, ok := whatif.P99(1, rho); ok {
			t.Error("a p99 at", rho)
		}
	}
}

func TestOverload(t *testing.T) {
	for _, v := range []struct{ load, rho, shed float64 }{
		{150804, 1.00536, 0.00533},
		{275000, 1.83333, 0.45455},
	} {
		c := whatif.Cluster{Partitions: []whatif.Partition{{Load: v.load}}, Capacity: 150000, Requests: v.load}
		o := c.Outcome(1)
		near(t, "rho", *o.MaxUtilisation, v.rho, 1e-5)
		near(t, "shed", o.FailingShare.Lower, v.shed, 1e-5)
		near(t, "unbounded", o.FailingShare.Upper, 1, 0)
	}
}

func TestMixture(t *testing.T) {
	got, ok := whatif.MixtureP99(1, []float64{0.5, 0.9}, []float64{1, 1})
	if !ok {
		t.Fatal("none")
	}
	near(t, "p99", got, 8.49485, 1e-4) // scipy brentq
	one, _ := whatif.MixtureP99(2, []float64{0.75}, []float64{5})
	near(t, "of one", one, 8, 1e-9)
	if _, ok := whatif.MixtureP99(1, []float64{0.5, 1}, []float64{99, 1}); ok {
		t.Error("a p99 with 1% timing out")
	}
	few, ok := whatif.MixtureP99(1, []float64{0.5, 1}, []float64{995, 5})
	// 0.995 exp(-t ln100/2) = 0.005
	near(t, "with 0.5% timing out", few, 2*math.Log(0.995/0.005)/math.Log(100), 1e-9)
	if !ok {
		t.Error("none with 0.5% timing out")
	}
	if _, ok := whatif.MixtureP99(1, nil, nil); ok {
		t.Error("a p99 of nothing")
	}
}

func TestFanOut(t *testing.T) {
	near(t, "8 parts", whatif.SlowFanOut(0.01, 8), 0.0772553, 1e-6)
	near(t, "64 parts", whatif.SlowFanOut(0.01, 64), 0.4744035, 1e-6)
}

// TestFullest95 compares with 20,000 simulated throws: 9 on the fullest of 8 hold for 32 pieces with 96.6%,
// 8 with 88.8%. The means there, 2.60, 7.06 and 5.41, must lie below.
func TestFullest95(t *testing.T) {
	for _, v := range []struct{ n, m, want int }{
		{8, 8, 4}, {32, 8, 9}, {64, 32, 7}, {5, 1, 5}, {0, 8, 0}, {1, 8, 1}, {4, 1000, 1}, {2, 1000, 1},
	} {
		if got := whatif.Fullest95(v.n, v.m); got != v.want {
			t.Errorf("%d on %d: %d, want %d", v.n, v.m, got, v.want)
		}
	}
}
