package formats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// maxRows is how many partitions are listed one by one; of more, only those that stand out.
const maxRows = 16

func printedWidth(s string) int { return ansi.StringWidth(s) }

// barsFrom is the width from which there are bars.
const barsFrom = 70

// shardRow is a partition with what its row needs.
type shardRow struct {
	*Partition
	load, hot float64 // in its busiest second; requests where there is no time
	hotKeys   []string
}

func (p *printer) partitions() {
	parts := p.r.Partitions
	if parts == nil {
		if w := p.warning("partitions"); w != nil {
			p.section("PARTITIONS", withRemedy(w))
		}
		return
	}
	rows := p.shardRows()
	head := plural(uint64(len(parts.List)), "shard") + ", " + parts.Partitioner
	if c := p.r.Capacity.Value; c != nil {
		head += fmt.Sprintf("; %s commands/s each (%s)", whole(*c), p.capacitySource())
	}
	timed := p.r.Totals.PeakRate != nil
	if timed {
		head += "; each in its busiest second"
	}
	p.section("PARTITIONS", head)
	p.shardTable(rows, timed)
	for _, s := range p.partitionNotes(rows) {
		p.para(markWidth, "", 0, s)
	}
}

func (p *printer) shardRows() []shardRow {
	var rows []shardRow
	for i := range p.r.Partitions.List {
		q := &p.r.Partitions.List[i]
		if !q.Captured {
			continue
		}
		r := shardRow{Partition: q}
		switch {
		case q.Utilisation != nil && p.r.Capacity.Value != nil:
			r.load = *q.Utilisation * *p.r.Capacity.Value // in commands, as the capacity is
		case q.PeakRate != nil:
			r.load = *q.PeakRate
		case q.Requests != nil && p.r.Totals.PeakRate == nil:
			r.load = float64(*q.Requests)
		}
		if l := p.peakOf(q.ID); l != nil && l.Load > 0 {
			r.hot = r.load * min(l.HotLoad/l.Load, 1)
		}
		for _, k := range hotKeys(p.r) {
			if k.Partition != nil && *k.Partition == q.ID {
				r.hotKeys = append(r.hotKeys, p.key(k.Key))
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func (p *printer) peakOf(id string) *PeakLoad {
	if p.r.Peak == nil {
		return nil
	}
	for i := range p.r.Peak.Partitions {
		if p.r.Peak.Partitions[i].ID == id {
			return &p.r.Peak.Partitions[i]
		}
	}
	return nil
}

func (p *printer) shardTable(all []shardRow, timed bool) {
	load, level := "requests", "fair share"
	if timed {
		load = "peak/s"
	}
	var sum, scale float64
	for _, r := range all {
		sum += r.load
		scale = max(scale, r.load)
	}
	capacity := 0.0
	if c := p.r.Capacity.Value; c != nil && timed {
		capacity, level = *c, "capacity"
		scale = max(scale, capacity)
	} else {
		for _, r := range all {
			scale = max(scale, r.FairShare*sum)
		}
	}
	width := 33
	switch {
	case p.width < barsFrom:
		width = 0
	case p.width < 100:
		width = 20
	}
	cols := []column{
		{name: "shard"},
		{name: load, right: true},
		{name: "of capacity", right: true},
		{name: "", drop: 7, bar: true},
		{name: "reads", right: true, drop: 8},
		{name: "requests", right: true, drop: 3},
		{name: "fair", right: true, drop: 6},
		{name: "keys", right: true, drop: 4},
		{name: "hot keys in it", drop: 9},
	}
	if !timed {
		cols[5].name = "of requests"
	}
	shown, rest := standOut(all)
	var rows []row
	for _, r := range shown {
		at := r.FairShare * sum
		if capacity > 0 {
			at = capacity
		}
		cells := []string{r.ID, whole(r.load), "", p.bar(r.load, r.hot, at, scale, width), "", "", percent(r.FairShare), "", ""}
		if r.Utilisation != nil {
			cells[2] = utilisation(*r.Utilisation)
		}
		if r.Reads != nil && r.Requests != nil && *r.Requests > 0 {
			cells[4] = percent(float64(*r.Reads) / float64(*r.Requests))
		}
		if r.RequestShare != nil {
			cells[5] = percent(*r.RequestShare)
		}
		if r.KeyShare != nil {
			cells[7] = percent(*r.KeyShare)
		}
		cells[8] = p.hotIn(r.hotKeys)
		for i := range cells {
			if i != 3 && i != 8 {
				cells[i] = p.text(cells[i])
			}
		}
		rows = append(rows, row{p.shardMark(r.Partition), cells})
	}
	p.table(cols, rows, 0)
	if len(rest) > 0 {
		lo, hi := rest[0].load, rest[0].load
		for _, r := range rest {
			lo, hi = min(lo, r.load), max(hi, r.load)
		}
		p.hint(markWidth, fmt.Sprintf("… %s more between %s and %s %s", group(len(rest)), whole(lo), whole(hi), load))
	}
	if len(rows) > 0 && p.width >= barsFrom {
		p.hint(markWidth, "█ other keys  ▒ hot keys  ┃ "+level)
	}
}

// standOut picks the rows to list: all, or of many those over their capacity and the three busiest.
func standOut(all []shardRow) (shown, rest []shardRow) {
	if len(all) <= maxRows {
		return all, nil
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].load, all[a].load) })
	keep := map[int]bool{}
	for n, i := range order {
		over := all[i].Utilisation != nil && *all[i].Utilisation >= 1
		keep[i] = n < 3 || over && n < maxRows
	}
	for i, r := range all {
		if keep[i] {
			shown = append(shown, r)
		} else {
			rest = append(rest, r)
		}
	}
	return shown, rest
}

// hotIn names the hot keys of a shard, as many as a narrow column holds.
func (p *printer) hotIn(keys []string) string {
	switch len(keys) {
	case 0:
		return ""
	case 1:
		return elide(keys[0], 24, p.text("…"))
	}
	return elide(keys[0], 16, p.text("…")) + fmt.Sprintf(" +%d", len(keys)-1)
}

func (p *printer) shardMark(q *Partition) string {
	if p.firmlyOver(q) {
		return "!!"
	}
	for _, f := range p.r.Findings {
		if f.Target != nil && strings.HasPrefix(f.ID, "KS2") && (*f.Target == q.ID || *f.Target == shard(q.ID)) {
			return severityMark(f.Severity)
		}
	}
	return ""
}

func (p *printer) firmlyOver(q *Partition) bool {
	return firm(p.r) && q.Utilisation != nil && *q.Utilisation >= 1
}

// partitionNotes are the sentences under the table.
func (p *printer) partitionNotes(rows []shardRow) []string {
	parts := p.r.Partitions
	var out []string
	if s := keySpread(rows); s != "" {
		out = append(out, s)
	}
	if b := busiest(p.r); b != nil && parts.PMR != nil && *parts.PMR >= 1.05 {
		out = append(out, fmt.Sprintf("%s has %s its fair share of the requests.", capital(shard(b.ID)), times(*parts.PMR)))
	}
	for _, r := range rows {
		if l := p.peakOf(r.ID); l != nil && l.HotLoad > 0 && l.HotLoad >= l.Load/4 {
			s := fmt.Sprintf("Without its hot keys %s would carry %s req/s at the peak", shard(r.ID), about(max(l.Load-l.HotLoad, 0)))
			if c := p.r.Capacity.Value; c != nil && *c > 0 {
				s += ", " + utilisation(max(l.Load-l.HotLoad, 0)/(*c))
			}
			out = append(out, s+".")
		}
	}
	if !parts.Measured {
		out = append(out, "Loads are estimated: the input was counted under another layout.")
	}
	if parts.SlotsSeen != nil && parts.SlotRanges != nil {
		out = append(out, fmt.Sprintf("%s with requests, within %s.", plural(uint64(max(*parts.SlotsSeen, 0)), "slot"), *parts.SlotRanges))
	}
	var missing []string
	for i := range parts.List {
		if !parts.List[i].Captured {
			missing = append(missing, parts.List[i].ID)
		}
	}
	if n := len(missing); n > 0 {
		s := strings.Join(missing[:min(n, 8)], ", ")
		if n > 8 {
			s += ", …"
		}
		out = append(out, fmt.Sprintf("Not captured, so not judged: %s (%s).", plural(uint64(n), "shard"), s))
	}
	return out
}

// keySpread says how evenly the keys are spread; empty when that is not known of two shards.
func keySpread(rows []shardRow) string {
	lo, hi, n := 1.0, 0.0, 0
	even, keys := true, 0.0
	for _, r := range rows {
		if r.Keys != nil {
			keys += r.Keys.Value
		}
	}
	for _, r := range rows {
		if r.KeyShare == nil {
			continue
		}
		n++
		lo, hi = min(lo, *r.KeyShare), max(hi, *r.KeyShare)
		// Hashing alone gives a binomial spread, and the counts are estimates: 10% or three standard
		// deviations are no sign of anything.
		off := max(0.1*r.FairShare, 3*math.Sqrt(r.FairShare*(1-r.FairShare)/max(keys, 1)))
		even = even && math.Abs(*r.KeyShare-r.FairShare) <= off
	}
	switch {
	case n < 2:
		return ""
	case share(lo) == share(hi):
		return fmt.Sprintf("Keys are spread well: %s of them on each shard.", share(lo))
	case even:
		return fmt.Sprintf("Keys are spread well: %s to %s of them on each shard.", share(lo), share(hi))
	}
	return fmt.Sprintf("Keys are spread unevenly: %s to %s of them on a shard.", share(lo), share(hi))
}
