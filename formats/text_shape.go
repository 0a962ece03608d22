package formats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"keyskew/analyze/order"
	"keyskew/analyze/skew"
)

// skew says how unequal the popularity is, in a few sentences.
func (p *printer) skew() {
	if list := skewSentences(p.r); len(list) > 0 {
		p.line("")
		p.para(0, "SKEW", label, strings.Join(list, " "))
	}
}

// skewSentences are the sentences of the section; none where too little was read to say anything.
func skewSentences(r *Report) []string {
	s := r.Skew
	if s == nil || s.Verdict == string(skew.Insufficient) && r.Totals.Requests < enoughRequests {
		return nil
	}
	var out []string
	for _, sentence := range []string{fitSentence(s), headSentence(r, s), growthSentence(r, s), powerSentence(s)} {
		if sentence != "" {
			out = append(out, sentence)
		}
	}
	return out
}

func fitSentence(s *Skew) string {
	ranks, exponent := 0, ""
	if s.Ranks != nil {
		ranks = *s.Ranks
	}
	if s.S != nil {
		exponent = fmt.Sprintf("s = %s (95%%: %s–%s)", decimals(s.S.Value), decimals(s.S.Lower), decimals(s.S.Upper))
	}
	switch skew.Verdict(s.Verdict) {
	case skew.Zipf:
		return "Zipf " + exponent + standing(s) + "."
	case skew.ZipfLike:
		if s.Extrapolates {
			return "Close to Zipf, " + exponent + standing(s) + "."
		}
		rest := "more"
		if s.HeadMass != nil && *s.HeadMass > 1 {
			rest = "less"
		}
		return fmt.Sprintf("Zipf-like among the %s largest keys only, %s%s; the others take %s than that gives them.",
			group(ranks), exponent, standing(s), rest)
	case skew.NotZipf:
		switch {
		case s.Shape != nil && *s.Shape == skew.ExponentialShape:
			return "Not Zipf: the largest keys fall off exponentially."
		case s.Shape != nil:
			return "Not Zipf: the largest keys are nearly level and fall off after."
		}
		return "Not Zipf: the largest keys follow no simple law."
	case skew.NoSkew:
		return "None: the largest key is no larger than chance makes one of keys that are all alike."
	case skew.FlatHead:
		return "Flat at the top: the largest keys are nearly alike, " + exponent + "."
	}
	return fmt.Sprintf("Too few keys to fit: %s with 30 requests or more known well enough, of 20 needed.", group(s.UsableRanks))
}

// decimals writes an exponent to 0.01, or to 0.001 below 0.1.
func decimals(x float64) string {
	if math.Abs(x) < 0.1 {
		return fmt.Sprintf("%.3f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// standing names the keys that stand clearly out of the fit.
func standing(s *Skew) string {
	var names []string
	for i, k := range s.Removed {
		if i < len(s.RemovedRatios) && (skew.Spike{Ratio: s.RemovedRatios[i]}).Stands() {
			names = append(names, fmt.Sprintf("%s, which is %s above the fit", proseName(k), times(s.RemovedRatios[i])))
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 2:
		return fmt.Sprintf(" without %s keys far above the fit, the largest %s", group(len(names)), proseName(s.Removed[0]))
	}
	return " without " + and(names)
}

func headSentence(r *Report, s *Skew) string {
	if s.Top100Share == nil {
		return ""
	}
	keys := r.Totals.DistinctKeys.Value
	list := []string{"The largest key takes " + share(s.TopKeyShare)}
	if keys > 100 {
		list = append(list, "100 keys "+atLeast(*s.Top100Share))
	}
	if s.Top1PctShare != nil && keys >= 200 && math.Abs(keys-10_000) > 500 { // else it is what 1 or 100 keys take
		list = append(list, "1% of the keys "+atLeast(*s.Top1PctShare))
	}
	return strings.Join(list, ", ") + " of " + requests(r) + "."
}

// atLeast is a share, or what is certain of it.
func atLeast(e Estimate) string {
	if share(e.Lower) == share(e.Upper) {
		return share(e.Upper)
	}
	return "at least " + share(e.Lower)
}

// growthSentence is said where more shards would help little.
func growthSentence(r *Report, s *Skew) string {
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID == "KS402" }) {
		return ""
	}
	var shards, gains []string
	for _, g := range s.MoreShards {
		if g.Times > 1 {
			shards, gains = append(shards, group(g.Times)), append(gains, times(g.Gain))
		}
	}
	if len(shards) == 0 {
		return ""
	}
	return fmt.Sprintf("%s times as many shards could serve at most %s as much: one key stays on one shard.", and(shards), and(gains))
}

// and joins a list for prose.
func and(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// powerSentence is said where the power law was tested.
func powerSentence(s *Skew) string {
	if s.PowerLaw == nil || s.PowerLaw.P == nil {
		return ""
	}
	p := s.PowerLaw
	verdict := "is not refused"
	if *p.P < 0.1 {
		verdict = "is refused"
	}
	return fmt.Sprintf("A power law of the counts from %s up, exponent %s ± %s, %s (p = %.2g).",
		plural(p.XMin, "request"), decimals(p.Alpha), decimals(p.AlphaError), verdict, *p.P)
}

// mostOrdered is how many families text names.
const mostOrdered = 3

// order names the families whose keys arrive in their order; nothing where there are none.
func (p *printer) order() {
	list := orderSentences(p.r)
	if len(list) == 0 {
		return
	}
	p.section("TIME-ORDERED KEYS", "")
	for _, s := range list {
		p.para(markWidth, "", 0, s)
	}
}

func orderSentences(r *Report) []string {
	var out []string
	families, more, bytes, numbers := 0, 0, false, false
	for i := range r.Order {
		o := &r.Order[i]
		s := ""
		switch v := order.Verdict(o.Verdict); {
		case o.Family == order.AllKeys && families > 0:
			continue
		case v.Positive():
			s = orderedSentence(o)
			for _, h := range o.Hurts {
				bytes, numbers = bytes || h == "byte-ranges", numbers || h == "number-ranges"
			}
		case v == order.Possible && r.Totals.Seconds != nil && o.Family != order.AllKeys:
			s = fmt.Sprintf("Possibly %s (%s): its keys are first read in their order; which of them are new is not in this input.", familyName(o), clean(o.Kind))
		default:
			continue
		}
		if families++; families > mostOrdered {
			more++
			continue
		}
		out = append(out, s)
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("… and %s more: --format json", group(more)))
	}
	switch {
	case bytes:
		out = append(out, "Harmless where keys are hashed, as in a Redis Cluster; a hot spot in a store that keeps ranges of keys together.")
	case numbers:
		out = append(out, "Harmless where keys are hashed, as in a Redis Cluster; a hot spot in a store that keeps ranges of integers together.")
	}
	return out
}

func familyName(o *Order) string {
	if o.Family == order.AllKeys {
		return "all keys together"
	}
	return Elide(clean(o.Family), proseKey)
}

func orderedSentence(o *Order) string {
	s := fmt.Sprintf("%s (%s)", familyName(o), clean(o.Kind))
	if o.NewKeyRate != nil {
		s += ", about " + about(*o.NewKeyRate) + " new keys/s"
	}
	part := "new keys go "
	if o.MaxShare != nil && order.Verdict(o.Verdict) == order.Partly {
		part = share(*o.MaxShare) + " of the new keys go "
	}
	where := "to one place among the others"
	if o.Range != nil {
		switch order.Frontier(*o.Range) {
		case order.Last:
			where = "to the end of the key order"
		case order.First:
			where = "to the beginning of the key order"
		case order.Moving:
			where = "to one place at a time, which moves through the key order"
		}
	}
	return s + ": " + part + where + "."
}
