package formats

import (
	"math"
	"strconv"

	"keyskew/analyze"
	"keyskew/analyze/order"
	"keyskew/analyze/skew"
)

// figures is to how many digits what was fitted is written down: the last bits of exp and log differ
// between machines.
const figures = 6

// tiny is what is written as 0: the rest of numbers that cancel.
const tiny = 1e-12

// fitted rounds what was fitted.
func fitted(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', figures, 64), 64)
	if err != nil || math.Abs(r) < tiny {
		return 0
	}
	return r
}

func buildSkew(d *analyze.Diagnosis) *Skew {
	s := d.Skew
	if s == nil {
		return nil
	}
	out := &Skew{
		Verdict: string(s.Verdict), Shape: text(s.Shape), Extrapolates: s.Extrapolates, UsableRanks: s.Usable,
		Removed: []Bytes{}, RemovedRatios: []float64{},
		TopKeyShare: s.TopKey.Value, Top100Share: ref(Estimate(s.Top100)), Points: []Point{},
	}
	if s.Verdict != skew.Insufficient {
		f := s.Fit
		// Outwards to 0.001: how blocks of time list their smaller keys depends on the order of the inputs.
		out.S = &Estimate{fitted(f.S), math.Floor(1000*s.Lower) / 1000, math.Ceil(1000*s.Upper) / 1000}
		out.SError, out.KS, out.FittedTop = ref(fitted(f.SE)), ref(fitted(f.KS)), ref(fitted(f.Count(1)))
		out.Ranks = ref(f.Last - f.First + 1)
		out.Curvature, out.ExponentialZ = ref(fitted(s.Curvature)), ref(fitted(s.ExponentialZ))
		out.HeadMass, out.UniformP = ref(fitted(s.HeadMass)), ref(fitted(s.UniformP))
	}
	for i, k := range s.Removed {
		out.Removed = append(out.Removed, NewBytes(k))
		out.RemovedRatios = append(out.RemovedRatios, fitted(s.Spikes[i].Ratio))
	}
	if s.Top1Pct != nil {
		out.Top1PctShare = ref(Estimate(*s.Top1Pct))
	}
	if s.Regression != 0 {
		out.RegressionS = ref(fitted(s.Regression))
	}
	if p := s.Power; p != nil {
		out.PowerLaw = &PowerLaw{
			Alpha: fitted(p.Alpha), AlphaError: fitted(p.SE), XMin: p.XMin, Keys: p.Keys, KS: fitted(p.KS), P: s.PowerP,
		}
	}
	for _, g := range s.Growth {
		out.MoreShards = append(out.MoreShards, MoreShards{
			Times: g.Times, Shards: g.Shards, FairShare: g.Fair, TopKeyRatio: g.Ratio, Gain: g.Gain, Ceiling: known(g.Ceiling),
		})
	}
	for _, p := range s.Points {
		out.Points = append(out.Points, Point{float64(p.Rank), float64(p.Count)})
	}
	return out
}

func buildOrder(d *analyze.Diagnosis) []Order {
	var out []Order
	for i := range d.Order {
		f := &d.Order[i]
		o := Order{
			Family: KeyText(f.Name), Kind: f.Kind, Verdict: string(f.Verdict), Written: f.Written,
			Range: text(string(f.Frontier)), Hurts: []string{}, Sample: f.Sample, Keys: f.Keys, Points: []Point{},
		}
		if len(f.Points) > 0 { // else it was not measured
			m := f.ByBytes
			if f.Numbers && !f.Bytes {
				m = f.ByNumber
			}
			o.Rho, o.MaxShare, o.EffectiveRanges = ref(fitted(m.Rho)), ref(fitted(m.MaxShare)), ref(fitted(m.Effective))
			o.Records = ref(m.Records)
		}
		if f.Bytes {
			o.Hurts = append(o.Hurts, "byte-ranges")
		}
		if f.Numbers {
			o.Hurts = append(o.Hurts, "number-ranges")
		}
		if f.Written {
			o.NewKeyRate = known(fitted(f.NewPerSecond))
		}
		if f.Away != nil {
			o.DecodedAwaySeconds = ref(fitted(*f.Away / 1000))
		}
		if f.Verdict != order.No { // there is nothing to see in the others
			for _, p := range f.Points {
				o.Points = append(o.Points, Point{fitted(p.X), fitted(p.Y)})
			}
		}
		out = append(out, o)
	}
	return out
}
