package formats

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"keyskew/advise"
	"keyskew/analyze"
	"keyskew/ingest/request"
)

// Config is what a report says about the run that made it.
type Config struct {
	Tool    string // name and version
	Command string // a line that reproduces the report
	Stopped bool   // reading was stopped early
	Sources []Source
}

// Source is one input as it was read.
type Source struct {
	Name, Format, Framing, Packing string
	Confidence                     float64 // in the format, 0 to 1
	Mapping                        []request.Mapped
	Bytes, Unpacked                int64
	Tally                          *request.Tally
	Truncated                      bool
	Err                            error // why reading broke off
}

// Build makes the report of a diagnosis and a plan; p may be nil. Numbers that are not finite become
// null, or 0 where the field is never null.
func Build(c Config, d *analyze.Diagnosis, p *advise.Plan) *Report {
	r := &Report{
		Schema: Schema, Tool: c.Tool, Command: clean(c.Command), Stopped: c.Stopped, Filtered: d.Filtered,
		SampleEvery:     positive(d.SampleEvery),
		Inputs:          []Input{},
		Totals:          buildTotals(d),
		Capacity:        Capacity{Kind: string(cmp.Or(d.Capacity.Kind, analyze.Unknown))},
		Threshold:       Threshold{Rate: known(d.Threshold.Rate), Share: d.Threshold.Share},
		Keys:            []Key{},
		Partitions:      buildPartitions(d),
		Peak:            buildPeak(d),
		Windows:         buildWindows(d),
		Skew:            buildSkew(d),
		Order:           buildOrder(d),
		Spikes:          buildSpikes(d.Spikes),
		Recommendations: []Recommendation{},
		Findings:        []Finding{},
		Warnings:        []Warning{},
	}
	for _, s := range c.Sources {
		r.Inputs = append(r.Inputs, buildInput(s))
	}
	if d.Capacity.Kind != analyze.Unknown {
		r.Capacity.Value = known(d.Capacity.Value)
		r.Capacity.Source = text(d.Capacity.Source)
	}
	if d.Plateau != nil {
		r.Plateau = &Plateau{Rate: d.Plateau.Rate, Windows: d.Plateau.Windows, Of: d.Plateau.Of}
	}
	if p != nil {
		for i := range p.Recommendations {
			r.Recommendations = append(r.Recommendations, buildRecommendation(&p.Recommendations[i]))
		}
	}
	for i := range d.Keys {
		r.Keys = append(r.Keys, buildKey(d, &d.Keys[i], r.Recommendations))
	}
	if d.Groups != nil {
		r.Groups = []Group{}
	}
	for _, g := range d.Groups {
		out := Group{
			Kind: g.Kind, Name: KeyText(g.Name), Keys: Estimate(g.Keys), Count: Estimate(g.Count), Share: g.Share,
			Reads: g.Reads, Writes: g.Writes, Polls: g.Polls, Other: g.Other,
		}
		if d.Totals.Timed {
			out.MeanRate = ref(g.MeanRate)
		}
		r.Groups = append(r.Groups, out)
	}
	for _, f := range d.Findings {
		r.Findings = append(r.Findings, Finding{f.ID, string(f.Severity), clean(f.Title), target(f)})
	}
	for i := range r.Inputs {
		if f, bad := unreadable(&r.Inputs[i]); bad {
			r.Findings = append(r.Findings, f)
		}
	}
	for _, w := range d.Warnings {
		r.Warnings = append(r.Warnings, Warning{clean(w.About), clean(w.Text), text(w.Remedy)})
	}
	makeFinite(reflect.ValueOf(r).Elem())
	qualify(r)
	r.Verdict = judge(r, string(cmp.Or(d.Severity, analyze.Insufficient)))
	return r
}

func buildInput(s Source) Input {
	in := Input{
		Name: clean(s.Name), Format: s.Format, Framing: s.Framing, Confidence: s.Confidence,
		Bytes: s.Bytes, Packing: s.Packing, UnpackedBytes: s.Unpacked, Truncated: s.Truncated,
		Skipped: Skipped{ByReason: map[string]int64{}, At: map[string][]int64{}},
		Notes:   []Note{},
	}
	for i, m := range s.Mapping {
		if i == 0 {
			in.Mapping = map[string]string{}
		}
		in.Mapping[clean(m.Field)] = clean(m.From)
	}
	if s.Err != nil {
		in.Error = text(s.Err.Error())
	}
	t := s.Tally
	if t == nil {
		return in
	}
	in.Lines, in.Requests, in.OutOfOrder = t.Lines, t.Requests, t.OutOfOrder
	in.Skipped.Total, in.Skipped.Bad = t.Skipped()
	for _, skip := range t.Skips {
		reason := clean(string(skip.Reason))
		in.Skipped.ByReason[reason] += skip.Lines
		in.Skipped.At[reason] = append(in.Skipped.At[reason], skip.At...)
	}
	if t.Timed {
		in.FirstTime, in.LastTime = ref(stamp(t.First)), ref(stamp(t.Last))
	}
	for _, n := range t.SortedNotes() {
		in.Notes = append(in.Notes, Note{clean(n.Text), n.Count})
	}
	if t.LongKeys > 0 {
		in.Notes = append(in.Notes, Note{"keys too long to keep, told apart by a hash of all their bytes", t.LongKeys})
	}
	return in
}

func buildTotals(d *analyze.Diagnosis) Totals {
	t := &d.Totals
	out := Totals{
		Requests: t.Requests, Commands: t.Commands,
		Reads: t.Reads, Writes: t.Writes, Polls: t.Polls, Other: t.Other,
		Keyless: t.Keyless, Bytes: t.Bytes,
		DistinctKeys: Estimate(t.Distinct), HotKeys: d.HotKeys,
		Counting: "exact", ByCommand: byName(t.ByCommand),
	}
	if !t.Exact {
		out.Counting, out.Guarantee = "bounded", t.Guarantee
	}
	if t.Clients.Value > 0 {
		out.DistinctClients = ref(Estimate(t.Clients))
	}
	if t.Timed {
		out.Seconds, out.MeanRate, out.PeakRate = ref(t.Seconds), ref(t.MeanRate), ref(t.PeakRate)
		out.PeakAt, out.CommandPeakRate = ref(stamp(t.PeakAt)), ref(t.CommandRatePeak)
	}
	return out
}

// manyBad is the share of unreadable lines from which a report may be wrong about its input.
const manyBad = 0.01

// unreadable is the finding for an input of which some lines could not be read.
func unreadable(in *Input) (Finding, bool) {
	if in.Skipped.Bad == 0 {
		return Finding{}, false
	}
	severity := analyze.Info
	if float64(in.Skipped.Bad) >= manyBad*float64(in.Lines) {
		severity = analyze.Warn
	}
	title := fmt.Sprintf("%s of %s could not be read", group(in.Skipped.Bad), plural(uint64(in.Lines), "line"))
	return Finding{ID: "KS501", Severity: string(severity), Title: title, Target: text(in.Name)}, true
}

func buildKey(d *analyze.Diagnosis, k *analyze.Key, recs []Recommendation) Key {
	out := Key{
		Key: NewBytes(k.Key), Hot: k.Hot, HotIn: text(k.HotIn), HotWindows: k.HotWindows, Windows: k.Windows,
		Count: Estimate(k.Count), Share: k.Share,
		Reads: k.Reads, Writes: k.Writes, Polls: k.Polls, Other: k.Other,
		Commands: byName(k.Commands), Bytes: k.Bytes,
		Partition: text(k.Partition), Class: string(k.Class), Algebra: algebras(k.Algebra),
		HitRatio: k.HitRatio, Errors: k.Errors, Retries: k.Retries,
	}
	if d.Totals.Timed {
		out.MeanRate, out.PeakRate, out.PeakWriteRate = ref(k.MeanRate), ref(Estimate(k.Peak)), ref(k.PeakWrites)
		out.FirstTime, out.LastTime = ref(stamp(k.First)), ref(stamp(k.Last))
		if k.Peak.Value > 0 {
			out.PeakAt = ref(stamp(k.PeakAt))
		}
	}
	if k.Slot >= 0 && k.Partition != "" {
		out.Slot = ref(k.Slot)
	}
	if k.Partition != "" {
		out.PartitionShare = ref(k.PartitionShare)
	}
	if k.HashTag != nil {
		out.HashTag = ref(NewBytes(k.HashTag))
	}
	if d.Totals.Timed && k.Hot {
		out.Episodes = buildEpisodes(k.Episodes)
		out.EpisodeCount, out.HotSeconds, out.UndecidedWindows = ref(k.EpisodeCount), ref(k.HotSeconds), ref(k.Undecided)
	}
	if rec := recommendationFor(recs, k.Key); rec != nil {
		out.Recommendation = ref(rec.Title)
	}
	return out
}

// target names what a finding is about; a key, or a family of keys, as KeyText prints it.
func target(f analyze.Finding) *string {
	if aboutKey(f.ID) {
		return ref(KeyText([]byte(f.Target)))
	}
	return text(f.Target)
}

// aboutKey reports whether findings of this kind have a key or a family of keys as their target.
func aboutKey(id string) bool {
	return strings.HasPrefix(id, "KS1") || strings.HasPrefix(id, "KS3") || id == "KS401"
}

// recommendationFor is the first recommendation for a key, nil when there is none.
func recommendationFor(recs []Recommendation, key []byte) *Recommendation {
	for i := range recs {
		if t := recs[i].Target.Key; t != nil && string(t.Raw()) == string(key) {
			return &recs[i]
		}
	}
	return nil
}

func buildRecommendation(a *advise.Recommendation) Recommendation {
	out := Recommendation{
		ID: a.ID, Fix: a.Fix, Title: clean(a.Title), Confidence: a.Confidence,
		Target: Target{Partition: text(a.Partition)},
		Params: Params{
			Slots: positive(a.Params.Slots), Copies: positive(a.Params.Copies),
			SlotNames: names(a.Params.SlotNames), CopyNames: names(a.Params.CopyNames),
			TTLSeconds: known(a.Params.TTL), MoveSlots: a.Params.MoveSlots,
		},
		Headroom: known(a.Headroom),
		Before:   buildOutcome(&a.Before), After: buildOutcome(&a.After),
		Costs: cleanAll(a.Costs), NotIf: cleanAll(a.NotIf), Assumptions: cleanAll(a.Assumed),
		Rejected: []Rejection{},
	}
	if a.Key != nil {
		out.Target.Key = ref(NewBytes(a.Key))
	}
	if a.Fix != advise.Nothing {
		out.Residual = ref(a.Residual)
	}
	for _, r := range a.Rejected {
		out.Rejected = append(out.Rejected, Rejection{clean(r.Fix), clean(r.Reason)})
	}
	return out
}

func buildOutcome(a *advise.Outcome) Outcome {
	out := Outcome{
		MaxLoad: a.MaxLoad, MaxUtilisation: a.MaxUtilisation, PMR: a.PMR, Ceiling: a.Ceiling,
		P99WorstMS: a.P99Worst, P99ClusterMS: a.P99Cluster, Saturated: a.Saturated,
		OpsPerRequest: a.OpsPerRequest, Partitions: []PartitionLoad{},
	}
	if f := a.FailingShare; f != nil {
		out.FailingShare = &Range{f.Lower, f.Upper}
	}
	for _, p := range a.Partitions {
		out.Partitions = append(out.Partitions, PartitionLoad{clean(p.ID), p.Load, p.Utilisation})
	}
	return out
}

// qualify adds the warnings that follow from what kind of input this is, unless the diagnosis has them.
func qualify(r *Report) {
	warn := func(about, text, remedy string) {
		if !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.About == about }) {
			r.Warnings = append(r.Warnings, Warning{about, text, &remedy})
		}
	}
	if served(r) {
		warn("rates", "MONITOR shows what was served, not what was asked for, and slows the node while it runs: "+
			"every rate is a lower bound of the demand", "a trace taken in the clients or a proxy")
	}
	if full, name := fullest(r); full != nil && firm(r) && served(r) && full.Utilisation > 1.05 {
		warn("utilisation", fmt.Sprintf("%s served %s of its capacity, so it can serve more than that", name, utilisation(full.Utilisation)),
			"--capacity: set it higher")
	}
	if r.Partitions == nil && r.Totals.Requests > 0 {
		unknown := "which shard a key is on, and how even the shards are, is not known"
		if served(r) {
			unknown = "this is the view of one node: " + unknown
		}
		warn("partitions", unknown, "--shards N or --topology FILE")
	}
}

// served reports whether the input shows what a server did rather than what was asked of it.
func served(r *Report) bool {
	return slices.ContainsFunc(r.Inputs, func(in Input) bool { return strings.HasPrefix(in.Format, "monitor") })
}
