package formats

import (
	"fmt"
	"strings"

	"keyskew/analyze"
)

// input says how the input was read, what was left out and what was assumed.
func (p *printer) input() {
	p.line("")
	for i := range p.r.Inputs {
		name := "INPUT"
		if i > 0 {
			name = ""
		}
		in := &p.r.Inputs[i]
		p.para(0, name, label, inputLine(in))
		for _, f := range inputFacts(in) {
			p.para(label, f[0], label, f[1])
		}
	}
	if len(p.r.Inputs) == 0 {
		p.line("INPUT")
	}
	for _, f := range p.countFacts() {
		p.para(label, f[0], label, f[1])
	}
}

func inputLine(in *Input) string {
	s := fmt.Sprintf("%s: %s of %s", in.Name, plural(uint64(max(in.Requests, 0)), "request"), plural(uint64(max(in.Lines, 0)), "line"))
	if in.FirstTime != nil && in.LastTime != nil {
		s += ", " + stretch(*in.FirstTime, *in.LastTime)
	}
	s += ", " + size(in.Bytes)
	if in.Packing != "" && in.Packing != "none" {
		s += fmt.Sprintf(" (%s; %s unpacked)", in.Packing, size(in.UnpackedBytes))
	}
	return s
}

// inputFacts are pairs of a label and a sentence about one input.
func inputFacts(in *Input) [][2]string {
	as := in.Format
	if in.Framing != "" && in.Framing != in.Format {
		as += ", " + in.Framing
	}
	var out [][2]string
	if as != "" {
		out = append(out, [2]string{"read as", fmt.Sprintf("%s (%s sure)", as, share(in.Confidence))})
	}
	for _, column := range sortedNames(in.Mapping) {
		out = append(out, [2]string{"", column + "=" + in.Mapping[column]})
	}
	for _, reason := range byCount(in.Skipped.ByReason) {
		n := in.Skipped.ByReason[reason]
		s := fmt.Sprintf("%s (%s): %s", plural(uint64(max(n, 0)), "line"), percent(float64(n)/float64(max(in.Lines, 1))), reason)
		if at := in.Skipped.At[reason]; len(at) > 0 {
			s += fmt.Sprintf(", the first at %s:%d", in.Name, at[0])
		}
		out = append(out, [2]string{"skipped", s})
	}
	if in.OutOfOrder > 0 {
		out = append(out, [2]string{"note", plural(uint64(in.OutOfOrder), "record") + " older than the one before; each counts in its own time"})
	}
	if in.Truncated {
		out = append(out, [2]string{"note", "the input ends inside a record, which is not counted"})
	}
	if in.Error != nil {
		out = append(out, [2]string{"error", *in.Error})
	}
	for _, n := range in.Notes {
		out = append(out, [2]string{"note", fmt.Sprintf("%s: %s", n.Text, group(n.Count))})
	}
	return out
}

func sortedNames(m map[string]string) []string {
	counts := map[string]int64{}
	for n := range m {
		counts[n] = 0
	}
	return byCount(counts)
}

// countFacts are what was counted and left out, what the answer rests on, and the warnings.
func (p *printer) countFacts() [][2]string {
	t := &p.r.Totals
	var out [][2]string
	if p.r.Stopped {
		out = append(out, [2]string{"stopped", "reading was stopped early; all figures cover what was read until then"})
	}
	if p.r.SampleEvery != nil {
		out = append(out, [2]string{"sampled", fmt.Sprintf("1 request in %s: what was read stands for about %s on at least %s, from about %s",
			group(*p.r.SampleEvery), plural(t.Requests, "request"), keyCount(t), plural(t.Commands, "command"))})
	}
	switch {
	case t.Counting == "exact" && p.r.SampleEvery != nil:
		out = append(out, [2]string{"counted", "exactly what is in the sample; “at least” holds for the whole with 95% certainty"})
	case t.Counting == "exact":
		out = append(out, [2]string{"counted", fmt.Sprintf("exactly: %s on %s, from %s",
			plural(t.Requests, "request"), keyCount(t), plural(t.Commands, "command"))})
	default:
		out = append(out, [2]string{"counted", fmt.Sprintf("approximately, in fixed memory: every key above %s is listed; “at least” is certain, the other figures may be high by the difference",
			plural(t.Guarantee, "request"))})
	}
	out = append(out, p.leftOut()...)
	out = append(out, [2]string{"assumed", p.capacityFact()}, [2]string{"", p.thresholdFact()})
	for i := range p.r.Warnings {
		w := &p.r.Warnings[i]
		if w.About == "partitions" && p.r.Partitions == nil || w == doubt(p.r) && p.r.Verdict.Severity == string(analyze.Insufficient) {
			continue // it stands where the partitions would, or in the verdict
		}
		out = append(out, [2]string{"note", withRemedy(w)})
	}
	return out
}

// leftOut lists what is in no rate or share: polls, which wait at the server and cost it nothing, and
// commands without a key.
func (p *printer) leftOut() [][2]string {
	t := &p.r.Totals
	var out [][2]string
	if t.Polls > 0 {
		s := fmt.Sprintf("%s by blocking commands", plural(t.Polls, "poll"))
		if t.Seconds != nil && *t.Seconds > 0 {
			s += fmt.Sprintf(", %s/s", about(float64(t.Polls)/(*t.Seconds)))
		}
		var names []string
		for i := range p.r.Keys {
			if k := &p.r.Keys[i]; k.Class == string(analyze.PollClass) && len(names) < 3 {
				names = append(names, fmt.Sprintf("%s %s", p.short(k.Key, 30), group(k.Polls)))
			}
		}
		if len(names) > 0 {
			s += " (" + strings.Join(names, ", ") + ")"
		}
		out = append(out, [2]string{"left out", s + "; in no rate or share"})
	}
	if t.Keyless > 0 {
		out = append(out, [2]string{"left out", plural(t.Keyless, "command") + " without a key"})
	}
	return out
}

func (p *printer) capacityFact() string {
	c := &p.r.Capacity
	switch {
	case p.r.Filtered:
		return "capacity not applied: the filter leaves load out"
	case c.Value == nil:
		return "capacity not known; set --capacity"
	}
	return fmt.Sprintf("capacity %s commands/s per shard (%s)", whole(*c.Value), p.capacitySource())
}

func (p *printer) capacitySource() string {
	c := &p.r.Capacity
	s := c.Kind
	if c.Source != nil {
		s += ": " + *c.Source
	}
	if c.Kind == string(analyze.Assumed) {
		s += "; set --capacity"
	}
	return s
}

func (p *printer) thresholdFact() string {
	th := &p.r.Threshold
	if th.Rate != nil {
		return fmt.Sprintf("hot from %s req/s", whole(*th.Rate))
	}
	return fmt.Sprintf("hot from %s of the requests", share(th.Share))
}

func (p *printer) warning(about string) *Warning {
	for i := range p.r.Warnings {
		if p.r.Warnings[i].About == about {
			return &p.r.Warnings[i]
		}
	}
	return nil
}

func withRemedy(w *Warning) string {
	if w.Remedy == nil {
		return w.Text
	}
	return w.Text + " (" + *w.Remedy + ")"
}
