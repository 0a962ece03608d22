package analyze

import (
	"fmt"
	"slices"
	"strings"

	"keyskew/analyze/partition"
	"keyskew/sketch"
)

// partitions compares request share and key share per partition.
func (d *diagnoser) partitions() {
	l := d.o.Layout
	p := &Partitions{Partitioner: l.Title, Measured: d.measured(), Busiest: -1}
	loads := d.loads()
	var served uint64
	var keys, fair float64
	p.List = make([]Partition, len(l.Partitions))
	for i := range p.List {
		part := &p.List[i]
		part.ID = l.Partitions[i].ID
		part.Requests, part.Reads, part.Writes = loads[i].served(), loads[i].Reads, loads[i].Writes
		part.Captured = loads[i].Requests > 0
		if !part.Captured {
			continue
		}
		p.Captured++
		if p.Measured && d.s.partKeys != nil {
			part.Keys = d.s.partKeys[i].Estimate()
		} else {
			n := d.out.Totals.Distinct
			f := l.Partitions[i].Fair
			part.Keys = sketch.Estimate{Value: n.Value * f, Lower: 0, Upper: n.Upper}
		}
		served += part.Requests
		keys += part.Keys.Value
		fair += l.Partitions[i].Fair
	}
	for i := range p.List {
		part := &p.List[i]
		if !part.Captured {
			part.FairShare = l.Partitions[i].Fair
			continue
		}
		part.FairShare = l.Partitions[i].Fair / fair
		part.RequestShare = ratio(float64(part.Requests), float64(served))
		part.KeyShare = ratio(part.Keys.Value, keys)
		if heat := ratio(part.RequestShare, part.FairShare); p.Busiest < 0 || heat > p.PMR {
			p.PMR, p.Busiest = heat, i
		}
		var commands float64
		part.PeakRate, commands = d.peakOf(i)
		if d.o.Capacity.Value > 0 && d.s.timed {
			part.Utilisation, part.HasUtilisation = commands/d.o.Capacity.Value, true
		}
	}
	if p.Captured < 2 {
		p.PMR = 0
	}
	d.slots(p)
	d.place(p)
	d.out.Partitions = p
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// loads per partition of the layout asked for. Slots are always counted, so loads over the whole input
// are exact for any division of the slots; for another layout the keys of the table are placed, and what is
// known of no key goes by fair share.
func (d *diagnoser) loads() []load {
	if d.measured() {
		return d.s.parts
	}
	out := make([]load, len(d.o.Layout.Partitions))
	if !d.o.Layout.BySlot() {
		d.placeKeys(out)
		return out
	}
	for slot := range d.s.slots {
		if at := d.o.Layout.OfSlot(slot); at >= 0 {
			out[at].add(&d.s.slots[slot])
		}
	}
	return out
}

// placeKeys estimates the loads from the keys of the table.
func (d *diagnoser) placeKeys(out []load) {
	rest := d.s.total
	for e := range d.s.keys.All() {
		lower, _ := d.s.keys.Bounds(e)
		l, _ := d.s.loadOf(&e.Value, lower)
		rest.take(&l)
		if at := d.o.Layout.Of(e.Key); at >= 0 {
			out[at].add(&l)
		}
	}
	for i, part := range d.o.Layout.Partitions {
		l := rest.part(part.Fair)
		out[i].add(&l)
	}
}

// peakOf is the highest rate of a partition in any window, in requests and in commands: measured where it
// was counted, else its load in the peak window.
func (d *diagnoser) peakOf(part int) (requests, commands float64) {
	if d.measured() {
		for sec := range d.s.windows.seconds() {
			if sec.parts != nil {
				l, seconds := &sec.parts[part], d.covered(sec.at)
				requests = max(requests, float64(l.served())/seconds)
				commands = max(commands, float64(l.Work)/workUnits/seconds)
			}
		}
	}
	if requests == 0 && d.out.Peak != nil {
		requests, commands = d.out.Peak.Loads[part], d.out.Peak.Loads[part]
	}
	return requests, commands
}

// slots says which slots had requests, and the ranges of the partitions that hold them.
func (d *diagnoser) slots(p *Partitions) {
	if !d.o.Layout.BySlot() {
		return
	}
	for i := range d.s.slots {
		if d.s.slots[i].Requests > 0 {
			p.SlotsSeen++
		}
	}
	var ranges []partition.Range
	for i, part := range p.List {
		if part.Captured {
			ranges = append(ranges, d.o.Layout.Partitions[i].Slots...)
		}
	}
	slices.SortFunc(ranges, func(a, b partition.Range) int { return a.First - b.First })
	var merged []partition.Range
	for _, r := range ranges {
		if n := len(merged); n > 0 && merged[n-1].Last+1 == r.First {
			merged[n-1].Last = r.Last
		} else {
			merged = append(merged, r)
		}
	}
	const most = 8
	var text []string
	for i, r := range merged {
		if i == most {
			text = append(text, fmt.Sprintf("and %d more ranges", len(merged)-most))
			break
		}
		text = append(text, r.String())
	}
	p.SlotRanges = strings.Join(text, ", ")
}

// place lists each partition's largest keys, and each key's share of its partition.
func (d *diagnoser) place(p *Partitions) {
	byID := make(map[string]int, len(p.List))
	for i := range p.List {
		byID[p.List[i].ID] = i
	}
	const most = 5
	for i := range d.out.Keys {
		k := &d.out.Keys[i]
		at, ok := byID[k.Partition]
		if k.Partition == "" || !ok {
			continue
		}
		part := &p.List[at]
		k.PartitionShare = min(1, ratio(k.Count.Value/d.every(), float64(part.Requests)))
		if len(part.Top) < most && k.Class != PollClass {
			part.Top = append(part.Top, i)
		}
	}
}
