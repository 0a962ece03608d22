package formats

import (
	"slices"

	"keyskew/analyze"
)

// maxPoints is how many points of the load over time a report holds: more than a screen or a page is
// wide would only make it larger.
const maxPoints = 240

func buildPartitions(d *analyze.Diagnosis) *Partitions {
	p := d.Partitions
	if p == nil {
		return nil
	}
	out := &Partitions{
		Partitioner: clean(p.Partitioner), Measured: p.Measured, PMR: known(p.PMR), Captured: p.Captured,
		SlotRanges: text(p.SlotRanges), List: []Partition{},
	}
	if p.SlotsSeen > 0 {
		out.SlotsSeen = ref(p.SlotsSeen)
	}
	for i := range p.List {
		from := &p.List[i]
		to := Partition{ID: clean(from.ID), Captured: from.Captured, FairShare: from.FairShare, Top: []Bytes{}}
		if from.Captured {
			to.Requests, to.Reads, to.Writes = ref(from.Requests), ref(from.Reads), ref(from.Writes)
			to.RequestShare, to.KeyShare = ref(from.RequestShare), ref(from.KeyShare)
			to.Keys = ref(Estimate(from.Keys))
			if d.Totals.Timed {
				to.PeakRate = ref(from.PeakRate)
			}
			if from.HasUtilisation {
				to.Utilisation = ref(from.Utilisation)
			}
		}
		for _, k := range from.Top {
			if k >= 0 && k < len(d.Keys) {
				to.Top = append(to.Top, NewBytes(d.Keys[k].Key))
			}
		}
		out.List = append(out.List, to)
	}
	return out
}

func buildPeak(d *analyze.Diagnosis) *Peak {
	w := d.Peak
	if w == nil {
		return nil
	}
	hot := map[string]bool{}
	for i := range d.Keys {
		hot[string(d.Keys[i].Key)] = d.Keys[i].Hot
	}
	out := &Peak{At: stamp(w.Start), Seconds: w.Seconds, Partitions: []PeakLoad{}, Keys: []PeakKey{}}
	for i, load := range w.Loads {
		out.Partitions = append(out.Partitions, PeakLoad{ID: partitionID(d, i), Load: load})
	}
	for _, k := range w.Keys {
		out.Keys = append(out.Keys, PeakKey{NewBytes(k.Key), k.Reads, k.Writes, k.Other, partitionID(d, k.Partition)})
		if hot[string(k.Key)] && k.Partition >= 0 && k.Partition < len(out.Partitions) {
			out.Partitions[k.Partition].HotLoad += k.Reads + k.Writes + k.Other
		}
	}
	return out
}

// partitionID names the i-th partition of the layout; without a layout there is one, "all".
func partitionID(d *analyze.Diagnosis, i int) string {
	if d.Partitions == nil || i < 0 || i >= len(d.Partitions.List) {
		return "all"
	}
	return clean(d.Partitions.List[i].ID)
}

func buildWindows(d *analyze.Diagnosis) *Windows {
	w := d.Windows
	if w == nil {
		return nil
	}
	per := max(1, (len(w.Start)+maxPoints-1)/maxPoints)
	out := &Windows{
		WidthSeconds: w.Seconds, WindowsPerPoint: per,
		Start: []string{}, Total: thin(w.Total, per), Keys: map[string][]float64{},
	}
	for i := 0; i < len(w.Start); i += per {
		out.Start = append(out.Start, stamp(w.Start[i]))
	}
	if d.Partitions != nil && w.Partitions != nil {
		out.Partitions = map[string][]float64{}
		for i, series := range w.Partitions {
			if i < len(d.Partitions.List) && d.Partitions.List[i].Captured {
				out.Partitions[partitionID(d, i)] = thin(series, per)
			}
		}
	}
	for i, series := range w.Keys {
		if i < len(d.Keys) && d.Keys[i].Hot {
			out.Keys[KeyText(d.Keys[i].Key)] = thin(series, per)
		}
	}
	return out
}

// thin keeps the highest of every per values.
func thin(series []float64, per int) []float64 {
	out := []float64{}
	for chunk := range slices.Chunk(series, per) {
		out = append(out, slices.Max(chunk))
	}
	return out
}
