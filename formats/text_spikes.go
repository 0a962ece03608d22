package formats

import (
	"cmp"
	"fmt"
	"slices"
)

// mostSpikes is how many spikes text names, those with the most extra load.
const mostSpikes = 3

// spikes says when the total load jumped, and what the extra load was.
func (p *printer) spikes() {
	list := p.spikeSentences()
	if len(list) == 0 {
		return
	}
	p.section("SPIKES OF THE TOTAL LOAD", "times in UTC")
	for _, s := range list {
		p.para(markWidth, "", 0, s)
	}
}

func (p *printer) spikeSentences() []string {
	order := make([]int, len(p.r.Spikes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.r.Spikes[b].Extra, p.r.Spikes[a].Extra) })
	order = order[:min(mostSpikes, len(order))]
	slices.Sort(order)
	var out []string
	for _, i := range order {
		out = append(out, p.spikeSentence(&p.r.Spikes[i]))
	}
	if more := len(p.r.Spikes) - len(order); more > 0 {
		out = append(out, fmt.Sprintf("… and %s smaller: --format json", group(more)))
	}
	return out
}

func (p *printer) spikeSentence(s *Spike) string {
	until := "and stayed up to " + p.r.clock(s.End)
	if s.Ended {
		until = "until " + p.r.clock(s.End)
	}
	text := fmt.Sprintf("%s: up from %s to %s req/s at most, %s", p.r.clock(s.Start), about(s.Baseline), about(s.Peak), until)
	var keys []string
	for i := range s.ExplainedBy[:min(mostExplaining, len(s.ExplainedBy))] {
		e, makes := &s.ExplainedBy[i], " "
		if i == 0 {
			makes = " makes "
		}
		keys = append(keys, p.short(e.Key, proseKey)+makes+share(min(e.Part, 1)))
	}
	if more := len(s.ExplainedBy) - len(keys); more > 0 {
		keys = append(keys, group(more)+" more")
	}
	switch {
	case len(keys) == 0:
		text += ". No single key explains the extra load: many rose together"
	case s.Explained < halfExplained:
		text += ". Of the extra load " + and(keys) + ", the rest is spread over many keys"
	default:
		text += ". Of the extra load " + and(keys)
	}
	switch {
	case s.Reads >= nearlyAll:
		text += "; nearly all of it is reads"
	case s.Writes >= nearlyAll:
		text += "; nearly all of it is writes"
	case s.Reads+s.Writes > 0:
		text += fmt.Sprintf("; %s is reads, %s writes", share(min(s.Reads, 1)), share(min(s.Writes, 1)))
	}
	return text + "."
}

const (
	// mostExplaining keys are named for a spike.
	mostExplaining = 4
	// halfExplained: below this part the rest is more.
	halfExplained = 0.5
	// nearlyAll of the extra load.
	nearlyAll = 0.95
)
