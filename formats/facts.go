package formats

import (
	"strings"

	"keyskew/analyze"
)

func partitionLoad(o *Outcome, id string) *PartitionLoad {
	for i := range o.Partitions {
		if o.Partitions[i].ID == id {
			return &o.Partitions[i]
		}
	}
	return nil
}

func isHot(r *Report, key *Bytes) bool {
	if key == nil {
		return false
	}
	for _, k := range hotKeys(r) {
		if string(k.Key.Raw()) == string(key.Raw()) {
			return true
		}
	}
	return false
}

// peakLoad is a key's load and the whole load in the peak window; 0, 0 when the key is not listed in it.
func peakLoad(r *Report, k *Key) (load, total float64) {
	if r.Peak == nil {
		return 0, 0
	}
	for _, p := range r.Peak.Partitions {
		total += p.Load
	}
	raw := string(k.Key.Raw())
	for i := range r.Peak.Keys {
		if p := &r.Peak.Keys[i]; string(p.Key.Raw()) == raw {
			return p.Reads + p.Writes + p.Other, total
		}
	}
	return 0, 0
}

// fill is how full a partition, or the one node, ran.
type fill struct {
	ID          string
	Utilisation float64
	At          *string
}

func (f *fill) when(r *Report) string {
	if f.At == nil {
		return " at the peak"
	}
	return " at the peak, " + r.clock(*f.At) + " UTC"
}

// fullest is the partition with the highest utilisation and what to call it; without a layout the node.
// Nil when no utilisation is known.
func fullest(r *Report) (*fill, string) {
	if r.Partitions == nil {
		c, rate := r.Capacity.Value, r.Totals.CommandPeakRate
		if c == nil || rate == nil || *c <= 0 {
			return nil, ""
		}
		return &fill{ID: "", Utilisation: *rate / *c, At: r.Totals.PeakAt}, "the node"
	}
	var best *fill
	for i := range r.Partitions.List {
		p := &r.Partitions.List[i]
		if p.Utilisation != nil && (best == nil || *p.Utilisation > best.Utilisation) {
			best = &fill{ID: p.ID, Utilisation: *p.Utilisation}
		}
	}
	if best == nil {
		return nil, ""
	}
	if r.Peak != nil {
		best.At = &r.Peak.At
	}
	return best, shard(best.ID)
}

// busiest is the captured partition with the highest request share over its fair share.
func busiest(r *Report) *Partition {
	if r.Partitions == nil || r.Partitions.Captured < 2 {
		return nil
	}
	var best *Partition
	for i := range r.Partitions.List {
		p := &r.Partitions.List[i]
		if p.RequestShare == nil || p.FairShare <= 0 {
			continue
		}
		if best == nil || *p.RequestShare*best.FairShare > *best.RequestShare*p.FairShare {
			best = p
		}
	}
	return best
}

func alarmed(r *Report, prefix string) bool {
	for _, f := range r.Findings {
		if strings.HasPrefix(f.ID, prefix) && (f.Severity == string(analyze.Critical) || f.Severity == string(analyze.Warn)) {
			return true
		}
	}
	return false
}

func firm(r *Report) bool {
	kind := analyze.CapacityKind(r.Capacity.Kind)
	return r.Capacity.Value != nil && analyze.Capacity{Kind: kind}.Firm()
}

// ran words a utilisation: a server never serves more than it can, only its clients can ask for more.
func ran(r *Report) string {
	if served(r) {
		return "ran at"
	}
	return "was asked for"
}

func hotKeys(r *Report) []*Key {
	var out []*Key
	for i := range r.Keys {
		if r.Keys[i].Hot {
			out = append(out, &r.Keys[i])
		}
	}
	return out
}

// subject is the hot key that the verdict is about: the hottest, or under a firm capacity the hottest on
// the fullest shard. Nil when there is none.
func subject(r *Report, hot []*Key) *Key {
	full, _ := fullest(r)
	for _, k := range hot {
		if full == nil || !firm(r) || r.Partitions == nil || k.Partition != nil && *k.Partition == full.ID {
			return k
		}
	}
	return nil
}

// largest is the key with the most requests; nil when every key was only polled.
func largest(r *Report) *Key {
	var best *Key
	for i := range r.Keys {
		if k := &r.Keys[i]; k.Count.Value > 0 && (best == nil || k.Count.Value > best.Count.Value) {
			best = k
		}
	}
	return best
}

func partitionOf(r *Report, k *Key) *Partition {
	if r.Partitions == nil || k.Partition == nil {
		return nil
	}
	for i := range r.Partitions.List {
		if r.Partitions.List[i].ID == *k.Partition {
			return &r.Partitions.List[i]
		}
	}
	return nil
}
