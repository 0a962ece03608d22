package formats

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"keyskew/advise"
	"keyskew/analyze"
)

// enoughRequests is what a share needs to mean something: of fewer, a key with 1% has under ten
// requests, and the 95% interval of a count of ten is 4.8 to 18.4 (Garwood 1936).
const enoughRequests = 1000

// proseKey is how many cells of a key a sentence shows; the tables and the JSON have all of it.
const proseKey = 60

// judge puts the answer into words. It looks at nothing but the report. Only a capacity that was given,
// or that the store enforces, lets it speak of how full a shard is; else it speaks of shares.
func judge(r *Report, severity string) Verdict {
	v := Verdict{Severity: severity}
	hot := hotKeys(r)
	var sentences []string
	switch {
	case severity == string(analyze.Insufficient):
		sentences = tooLittle(r)
		v.Do = ref(whatIsMissing(r))
	case firm(r) && severity == string(analyze.Critical):
		sentences = melting(r, hot)
	case len(hot) > 0:
		sentences = append(hotSentences(r, hot), fullness(r, hot)...)
	default:
		sentences = calm(r)
	}
	if p := r.Plateau; p != nil {
		sentences = append(sentences, fmt.Sprintf("The rate stood at its highest, about %s req/s, in %s of %s windows: a limit of the node, or of the load itself.",
			about(p.Rate), group(p.Windows), group(p.Of)))
	}
	v.Text = strings.Join(sentences, " ")
	if v.Do == nil {
		v.Do = whatToDo(r)
	}
	if severity == string(analyze.Critical) || severity == string(analyze.Warn) {
		v.Not = notMoreShards(r, hot)
	}
	return v
}

// tooLittle says what there is and what a verdict needs.
func tooLittle(r *Report) []string {
	t := &r.Totals
	if t.Requests == 0 {
		var lines, skipped int64
		for _, in := range r.Inputs {
			lines, skipped = lines+in.Lines, skipped+in.Skipped.Total
		}
		if t.Polls > 0 {
			return []string{fmt.Sprintf("No requests but polls: %s of blocking commands, which are no load.", plural(t.Polls, "touch"))}
		}
		return []string{fmt.Sprintf("No request with a key: %s read, %s of them skipped.", plural(uint64(max(lines, 0)), "line"), group(skipped))}
	}
	s := "Too little to judge: " + plural(t.Requests, "request")
	if t.Seconds != nil {
		s += " in " + span(*t.Seconds)
	}
	s += "."
	if w := doubt(r); w != nil {
		s += " " + capital(w.Text) + "."
	}
	if k := largest(r); k != nil {
		s += fmt.Sprintf(" The largest key so far: %s, %s.", proseName(k.Key), plural(uint64(k.Count.Value), "request"))
	}
	return []string{s}
}

// doubt is the warning that says why there is no verdict, nil when the diagnosis gave none.
func doubt(r *Report) *Warning {
	for _, about := range []string{"verdict", "capacity"} {
		for i := range r.Warnings {
			if r.Warnings[i].About == about {
				return &r.Warnings[i]
			}
		}
	}
	return nil
}

func whatIsMissing(r *Report) string {
	if w := doubt(r); w != nil && w.Remedy != nil {
		return capital(*w.Remedy) + "."
	}
	return fmt.Sprintf("Capture longer: at least %s requests, around the trouble.", group(enoughRequests))
}

// whatToDo is the first recommendation, with the key it is about and what it brings. That nothing is to
// be done is said of hot keys only.
func whatToDo(r *Report) *string {
	if len(r.Recommendations) == 0 {
		return nil
	}
	rec := &r.Recommendations[0]
	if rec.Fix == advise.Nothing && !isHot(r, rec.Target.Key) {
		return nil
	}
	s := titled(rec, proseKey)
	if e := effect(r, rec); e != "" {
		s += "; " + e
	}
	return ref(s + ".")
}

// titled is a recommendation's title with the key it is about in front.
func titled(rec *Recommendation, width int) string {
	title := strings.TrimSuffix(rec.Title, ".")
	if rec.Target.Key == nil || rec.ID == "" { // it answers no finding: no key is hot
		return title
	}
	return Elide(rec.Target.Key.String(), width) + ": " + lower(title)
}

// effect says what a remedy does to the shard it is for; in per cent of the capacity where that is firm.
func effect(r *Report, rec *Recommendation) string {
	if rec.Fix == advise.Nothing {
		return ""
	}
	b, a := &rec.Before, &rec.After
	name := "the node"
	before, after := PartitionLoad{Load: b.MaxLoad, Utilisation: b.MaxUtilisation}, PartitionLoad{Load: a.MaxLoad, Utilisation: a.MaxUtilisation}
	if id := rec.Target.Partition; id != nil {
		if pb, pa := partitionLoad(b, *id), partitionLoad(a, *id); pb != nil && pa != nil {
			name, before, after = shard(*id), *pb, *pa
		}
	}
	switch {
	case after.Load >= before.Load:
		return ""
	case firm(r) && before.Utilisation != nil && after.Utilisation != nil:
		return fmt.Sprintf("%s falls from %s to %s", name, utilisation(*before.Utilisation), utilisation(*after.Utilisation))
	}
	return fmt.Sprintf("in its busiest second %s falls from %s to %s req/s", name, about(before.Load), about(after.Load))
}

// melting is the critical verdict: a shard at or over what it can serve.
func melting(r *Report, hot []*Key) []string {
	full, name := fullest(r)
	if full == nil {
		return append(hotSentences(r, hot), fullness(r, hot)...)
	}
	k := subject(r, hot)
	verb := "melts"
	if full.Utilisation < 0.95 {
		verb = "strains"
	}
	out := []string{}
	if k == nil {
		out = append(out, fmt.Sprintf("%s is overloaded, and not by a single key.", capital(name)))
	} else {
		out = append(out, fmt.Sprintf("%s %s %s: %s.", proseName(k.Key), verb, name, keyFacts(r, k)))
	}
	out = append(out, fmt.Sprintf("%s %s %s of its capacity%s.", capital(name), ran(r), utilisation(full.Utilisation), full.when(r)))
	if len(hot) > 1 {
		out = append(out, alsoHot(hot))
	}
	return out
}

// hotSentences describes the hot keys by their shares.
func hotSentences(r *Report, hot []*Key) []string {
	if len(hot) == 0 {
		return calm(r)
	}
	k := hot[0]
	name := proseName(k.Key)
	var s string
	if k.HotIn != nil && *k.HotIn == "peak" && k.PeakRate != nil {
		s = fmt.Sprintf("%s is hot in bursts: %s req/s in its busiest second, %s of %s over the whole input; %s.",
			name, about(k.PeakRate.Value), share(k.Share), requests(r), mix(k))
	} else {
		s = fmt.Sprintf("%s takes %s of %s", name, share(k.Share), requests(r))
		if k.PeakRate != nil {
			s += fmt.Sprintf(" (at its peak %s req/s)", about(k.PeakRate.Value))
		}
		s += "; " + mix(k) + "."
	}
	out := []string{s}
	if p := partitionOf(r, k); p != nil && p.RequestShare != nil && r.Partitions.Captured > 1 {
		out = append(out, fmt.Sprintf("It is on %s, which takes %s of the requests where %s would be fair.",
			shard(p.ID), share(*p.RequestShare), share(p.FairShare)))
	}
	if len(hot) > 1 {
		out = append(out, alsoHot(hot))
	}
	return out
}

func alsoHot(hot []*Key) string {
	var sum float64
	for _, k := range hot {
		sum += k.Share
	}
	if len(hot) == 2 {
		return fmt.Sprintf("%s is hot too; both together take %s.", proseName(hot[1].Key), share(min(sum, 1)))
	}
	return fmt.Sprintf("%s keys are hot; together they take %s.", group(len(hot)), share(min(sum, 1)))
}

// fullness says how full the fullest shard is, as firmly as the capacity allows.
func fullness(r *Report, hot []*Key) []string {
	full, name := fullest(r)
	switch {
	case full == nil && r.Totals.PeakRate == nil:
		return []string{"How full it ran is not known: this input has no time."}
	case r.Filtered:
		return []string{"How full it ran is not known: --match and --where leave load out."}
	case full == nil, r.Capacity.Value == nil:
		return []string{"How full it ran is not known: set --capacity."}
	case !firm(r):
		return []string{fmt.Sprintf("With an assumed capacity of %s commands/s %s would have run at %s; set --capacity.",
			about(*r.Capacity.Value), name, utilisation(full.Utilisation))}
	}
	s := fmt.Sprintf("%s %s %s of its capacity%s", capital(name), ran(r), utilisation(full.Utilisation), full.when(r))
	if len(hot) > 0 && full.Utilisation < 0.7 {
		s += growth(r, hot[0], proseName(hot[0].Key))
	}
	return []string{s + "."}
}

// calm is the verdict without a hot key.
func calm(r *Report) []string {
	var out []string
	full, name := fullest(r)
	firmly := full != nil && firm(r)
	k := largest(r)
	switch p := busiest(r); {
	case p != nil && alarmed(r, "KS2"):
		out = append(out, fmt.Sprintf("No key is hot, but %s takes %s of the requests; its fair share is %s.",
			shard(p.ID), share(*p.RequestShare), share(p.FairShare)))
	case k == nil:
		return []string{"No request with a key."}
	case !firmly:
		return append([]string{fmt.Sprintf("No key is hot: the largest, %s, takes %s of %s.",
			proseName(k.Key), share(k.Share), requests(r))}, fullness(r, nil)...)
	}
	if firmly {
		start := "Nothing is hot. "
		if len(out) > 0 {
			start = ""
		}
		if r.Partitions != nil && r.Partitions.Captured > 1 {
			s := fmt.Sprintf("%sThe busiest of %s shards (%s) %s %s of its capacity", start,
				group(r.Partitions.Captured), name, ran(r), utilisation(full.Utilisation))
			if r.Partitions.PMR != nil {
				s += fmt.Sprintf("; the largest share is %s the fair one", times(*r.Partitions.PMR))
			}
			out = append(out, s+".")
		} else {
			out = append(out, fmt.Sprintf("%s%s %s %s of its capacity%s.", start, capital(name), ran(r), utilisation(full.Utilisation), full.when(r)))
		}
	}
	if k != nil {
		s := "Largest key: " + proseName(k.Key)
		if k.PeakRate != nil {
			s += ", " + about(k.PeakRate.Value) + " req/s"
		}
		s += fmt.Sprintf(", %s of %s", share(k.Share), requests(r))
		if firmly {
			s += growth(r, k, "it")
		}
		out = append(out, s+".")
	}
	if !firmly {
		out = append(out, fullness(r, nil)...)
	}
	return out
}

// growth says how far a key can grow before its shard is full, rounded down, for it is a promise; empty
// when that is not known.
func growth(r *Report, k *Key, called string) string {
	full, name := fullest(r)
	load := 0.0
	if k.PeakRate != nil {
		load = k.PeakRate.Value
	}
	advised := recommendationFor(r.Recommendations, k.Key.Raw())
	if p := partitionOf(r, k); p != nil && p.Utilisation != nil {
		full, name = &fill{ID: p.ID, Utilisation: *p.Utilisation}, shard(p.ID)
	}
	if full == nil || r.Capacity.Value == nil || load <= 0 || full.Utilisation >= 1 {
		return ""
	}
	most := 1 + (1-full.Utilisation)**r.Capacity.Value/load
	if advised != nil && advised.Headroom != nil {
		most = *advised.Headroom // the same figure as in the advice
	}
	if most >= 10 {
		most = math.Floor(most)
	} else {
		most = math.Floor(10*most) / 10
	}
	return fmt.Sprintf("; %s can grow %s before %s is full", called, times(most), name)
}

// mostUtilisation is the utilisation that a shard may run at for long.
const mostUtilisation = advise.DefaultTarget

// notMoreShards is said when one key is what makes a shard hot: hashing puts it on one shard, whatever
// their number.
func notMoreShards(r *Report, hot []*Key) *string {
	k := subject(r, hot)
	if k == nil || !alone(r, k, hot) {
		return nil
	}
	if rec := recommendationFor(r.Recommendations, k.Key.Raw()); rec != nil && rec.Fix == advise.Nothing {
		return nil // the shard would be too full without the key: more shards may be the answer
	}
	if load, _ := peakLoad(r, k); firm(r) && load < mostUtilisation**r.Capacity.Value {
		return nil // the key alone fits a shard: with more of them it has fewer neighbours
	}
	s := fmt.Sprintf("More shards. %s is one key and stays on one shard, whatever their number", proseName(k.Key))
	if load, total := peakLoad(r, k); firm(r) && load > 0 {
		most := *r.Capacity.Value * total / load
		s += fmt.Sprintf(": with this mix any number serves at most %s req/s", about(most))
		if len(r.Recommendations) > 0 {
			if now := r.Recommendations[0].Before.Ceiling; now != nil && *now < most && r.Partitions != nil {
				s += fmt.Sprintf(", and %s shards %s", group(len(r.Partitions.List)), about(*now))
			}
		}
		s += fmt.Sprintf("; the peak was %s", about(total))
	}
	return ref(s + ".")
}

// alone reports whether one key explains most of what is wrong: at least half of its shard's load above
// the mean, or, with one node, twice the next hot key.
func alone(r *Report, k *Key, hot []*Key) bool {
	p := partitionOf(r, k)
	load, total := peakLoad(r, k)
	if p == nil || r.Partitions.Captured < 2 || load == 0 {
		return k == hot[0] && (len(hot) == 1 || k.Share >= 2*hot[1].Share)
	}
	for _, q := range r.Peak.Partitions {
		if q.ID == p.ID {
			return load >= (q.Load-total*p.FairShare)/2
		}
	}
	return false
}

// requests is what shares are of.
func requests(r *Report) string {
	if r.Filtered {
		return "the matched requests"
	}
	return "all requests"
}

func keyFacts(r *Report, k *Key) string {
	s := ""
	if k.PeakRate != nil {
		s = about(k.PeakRate.Value) + " req/s at the peak, "
	}
	return s + share(k.Share) + " of " + requests(r) + ", " + mix(k)
}

// mix says what a key's requests mostly are.
func mix(k *Key) string {
	n := float64(k.Reads) + float64(k.Writes) + float64(k.Other)
	if n == 0 {
		return "no requests but polls"
	}
	if w := float64(k.Writes) / n; w >= 0.5 {
		return share(w) + " of it writes"
	}
	return share(float64(k.Reads)/n) + " of it reads"
}

func proseName(b Bytes) string { return Elide(b.String(), proseKey) }

func shard(id string) string { return "shard " + id }

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
