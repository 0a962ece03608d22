package analyze

import (
	"bytes"
	"fmt"
	"slices"

	"keyskew/analyze/skew"
	"keyskew/sketch"
)

// Skew says how unequal the popularity of keys is. Counts are touches without polls.
type Skew struct {
	skew.Result
	skew.Head
	// Removed are the keys that stand out of the fit and were left out of it, in the order of Spikes.
	Removed [][]byte
	// Regression is the exponent that least squares over all ranks would give, for comparison; 0 unless every
	// key was counted exactly.
	Regression float64
	// Power is the power law of the counts; nil unless every key was counted exactly and there is a tail.
	// PowerP is its p-value, nil unless Options.PowerLawTest asks for it.
	Power  *skew.Power
	PowerP *float64
	// Growth is what more shards would bring; nil where shares are not those of all requests.
	Growth []skew.Growth
	// Points are counts by rank, thinned towards the rare keys.
	Points []RankCount
}

// RankCount is the count of the key of a rank, from 1 on; an upper bound where counts are.
type RankCount struct {
	Rank  int
	Count uint64
}

// skew fits the counts.
func (d *diagnoser) skew() {
	if d.served == 0 {
		return
	}
	lower, upper, top := d.observedCounts(skew.MaxRanks)
	in := skew.Input{
		Requests: float64(d.served), Distinct: d.out.Totals.Distinct, Blocks: d.observedBlocks(top),
		Top: make([]sketch.Estimate, len(top)),
	}
	for i, k := range top {
		in.Top[i] = estimate(k.lower, k.upper)
	}
	s := &Skew{Result: skew.Analyze(in)}
	s.Head = skew.Heads(lower, upper, d.served, d.out.Totals.Distinct) // sorts both
	for _, spike := range s.Spikes {
		s.Removed = append(s.Removed, bytes.Clone(top[spike.Index].key))
	}
	s.Points = rankCounts(upper)
	if d.out.Totals.Exact {
		d.power(s, upper)
	}
	if !d.o.Filtered {
		shards := 1
		if d.o.Layout != nil {
			shards = len(d.o.Layout.Partitions)
		}
		s.Growth = skew.Growths(s.TopKey.Lower, shards, d.o.Capacity.Value)
	}
	d.out.Skew = s
}

// power fits the distribution of the counts, which are exact.
func (d *diagnoser) power(s *Skew, ascending []uint64) {
	falling := make([]float64, len(ascending))
	for i, c := range ascending {
		falling[len(falling)-1-i] = float64(c)
	}
	s.Regression = skew.Regression(falling)
	sizes := skew.SizesOf(ascending)
	p, ok := skew.Tail(sizes)
	if !ok {
		return
	}
	s.Power = &p
	if d.o.PowerLawTest > 0 {
		const seed = 1
		v := skew.Plausible(sizes, p, d.o.PowerLawTest, seed)
		s.PowerP = &v
	}
}

// rankCounts thins the counts: every rank up to nine, then about every eighth part of itself.
func rankCounts(ascending []uint64) []RankCount {
	var out []RankCount
	n := len(ascending)
	for rank := 1; rank <= n; rank += max(1, rank/8) {
		out = append(out, RankCount{rank, ascending[n-rank]})
	}
	if n > 0 && out[len(out)-1].Rank < n {
		out = append(out, RankCount{n, ascending[0]})
	}
	return out
}

// littleGain is the gain from four times the shards up to which more of them are called little help.
const littleGain = 2

// skewFindings names the keys that stand out, and says when more shards would not help. They are no sign of
// harm: severity stays with the key's own finding.
func (d *diagnoser) skewFindings() {
	s := d.out.Skew
	if s == nil {
		return
	}
	for i, spike := range s.Spikes {
		if spike.Stands() {
			d.out.Findings = append(d.out.Findings, Finding{
				ID: "KS401", Severity: Info, Target: string(s.Removed[i]),
				Title: fmt.Sprintf("%.3g times what Zipf's law fitted to the other keys gives its place", spike.Ratio),
			})
		}
	}
	hot := slices.ContainsFunc(d.out.Keys, func(k Key) bool { return k.Hot && k.HotIn == "all" })
	if i := slices.IndexFunc(s.Growth, func(g skew.Growth) bool { return g.Times == 4 }); i >= 0 && hot && s.Growth[i].Gain < littleGain {
		d.out.Findings = append(d.out.Findings, Finding{
			ID: "KS402", Severity: Info,
			Title: fmt.Sprintf("4 times as many shards would serve at most %.3g times as much: the largest key stays on one", s.Growth[i].Gain),
		})
	}
}
