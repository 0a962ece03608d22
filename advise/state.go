package advise

import (
	"math"
	"slices"
	"strconv"

	"keyskew/advise/whatif"
	"keyskew/analyze"
)

// state is the cluster in one window, the listed keys' loads in it, and the load of the key at hand.
type state struct {
	cluster whatif.Cluster
	keys    map[string]whatif.Key
	load    whatif.Key
}

func (s state) home() float64 {
	if s.load.Partition >= len(s.cluster.Partitions) {
		return 0
	}
	return s.cluster.Partitions[s.load.Partition].Load
}

// peakState is the window with the highest load on any partition.
func peakState(d *analyze.Diagnosis) state {
	if d.Peak == nil {
		return state{}
	}
	s := state{cluster: cluster(d, d.Peak.Loads), keys: make(map[string]whatif.Key, len(d.Peak.Keys))}
	for _, k := range d.Peak.Keys {
		if k.Partition < 0 || k.Partition >= len(s.cluster.Partitions) {
			continue
		}
		s.keys[string(k.Key)] = whatif.Key{
			Reads: rate(k.Reads), Writes: rate(k.Writes), Other: rate(k.Other), Partition: k.Partition,
		}
	}
	return s
}

// find returns the state with the key's load; false when the key was not near its own peak in that window,
// which then says little about it.
func (s state) find(k analyze.Key) (state, bool) {
	l, ok := s.keys[string(k.Key)]
	if !ok || l.Load() < k.Peak.Lower/2 {
		return s, false
	}
	s.load = l
	return s, true
}

// ownState is the window of the key's own peak, or where no series reaches there, the mean.
func ownState(d *analyze.Diagnosis, k analyze.Key) state {
	home := 0
	if d.Partitions != nil {
		i := slices.IndexFunc(d.Partitions.List, func(p analyze.Partition) bool { return p.ID == k.Partition })
		if i < 0 {
			return state{}
		}
		home = i
	}
	loads, own := windowAt(d, k.PeakAt), rate(k.Peak.Lower)
	if loads == nil || own == 0 {
		loads, own = meanLoads(d), rate(k.MeanRate)
	}
	s := state{load: whatif.Key{Partition: home}}
	counted := float64(k.Reads) + float64(k.Writes) + float64(k.Other)
	if home >= len(loads) || counted == 0 {
		return s
	}
	s.load.Writes = own * float64(k.Writes) / counted
	if own == rate(k.Peak.Lower) && k.PeakWrites > 0 {
		s.load.Writes = min(own, rate(k.PeakWrites))
	}
	if rest := float64(k.Reads) + float64(k.Other); rest > 0 {
		s.load.Reads = (own - s.load.Writes) * float64(k.Reads) / rest
	}
	s.load.Other = max(0, own-s.load.Writes-s.load.Reads)
	loads[home] = max(loads[home], s.load.Load())
	s.cluster = cluster(d, loads)
	return s
}

// windowAt copies the loads of the window that holds the time, nil when there is none.
func windowAt(d *analyze.Diagnosis, t int64) []float64 {
	w := d.Windows
	if w == nil {
		return nil
	}
	i := slices.IndexFunc(w.Start, func(start int64) bool {
		return start <= t && float64(t-start) < w.Seconds*1e9
	})
	if i < 0 {
		return nil
	}
	if d.Partitions == nil {
		if i >= len(w.Total) {
			return nil
		}
		return []float64{w.Total[i]}
	}
	if len(w.Partitions) != len(d.Partitions.List) {
		return nil
	}
	loads := make([]float64, len(w.Partitions))
	for j, series := range w.Partitions {
		if i >= len(series) {
			return nil
		}
		loads[j] = series[i]
	}
	return loads
}

// meanLoads are the loads over the whole time.
func meanLoads(d *analyze.Diagnosis) []float64 {
	if d.Partitions == nil {
		return []float64{d.Totals.MeanRate}
	}
	loads := make([]float64, len(d.Partitions.List))
	for i, p := range d.Partitions.List {
		if d.Totals.Seconds > 0 {
			loads[i] = float64(p.Requests) / d.Totals.Seconds
		}
	}
	return loads
}

// cluster makes the model's cluster of loads, given in the order of the partitions.
func cluster(d *analyze.Diagnosis, loads []float64) whatif.Cluster {
	c := whatif.Cluster{Capacity: rate(d.Capacity.Value), Open: d.Partitions == nil}
	if d.Capacity.Kind == analyze.Unknown {
		c.Capacity = 0
	}
	for i, load := range loads {
		p := whatif.Partition{ID: strconv.Itoa(i), Load: rate(load), Fair: 1}
		if d.Partitions == nil {
			p.ID = "all"
		} else if i < len(d.Partitions.List) {
			of := d.Partitions.List[i]
			p.ID, p.Fair, p.Uncaptured = of.ID, rate(of.FairShare), !of.Captured
		}
		c.Requests += p.Load
		c.Partitions = append(c.Partitions, p)
	}
	return c
}

// rate makes a usable rate of a number: not negative, and no more than sums and products can bear.
func rate(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(0, x), 1e15)
}
