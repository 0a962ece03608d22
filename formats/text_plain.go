package formats

import (
	"fmt"
	"strings"

	"keyskew/advise"
)

// plain writes the facts of the report, one "name: value" a line, in the order of the laid-out text.
func (p *printer) plain() {
	p.whole = true // nothing is laid out, so nothing has to be cut
	v := &p.r.Verdict
	p.fact("severity", v.Severity)
	p.fact("verdict", v.Text)
	p.factRef("do", v.Do)
	p.factRef("not", v.Not)
	p.plainKeys()
	if p.Brief {
		return
	}
	for _, s := range p.episodeSentences() {
		p.fact("when", s)
	}
	for _, s := range p.spikeSentences() {
		p.fact("spike", s)
	}
	p.plainPartitions()
	for _, s := range skewSentences(p.r) {
		p.fact("skew", s)
	}
	for _, s := range orderSentences(p.r) {
		p.fact("time-ordered keys", s)
	}
	for _, f := range p.r.Findings {
		s := f.Severity + ": " + f.Title
		if f.Target != nil && aboutKey(f.ID) {
			s = f.Severity + ": " + *f.Target + ": " + f.Title
		}
		p.fact("finding "+f.ID, s)
	}
	for i, g := range p.r.Groups {
		if i == mostGroups {
			break
		}
		name := fmt.Sprintf("template %d", i+1)
		p.fact(name, g.Name)
		p.fact(name+" requests", whole(g.Count.Value))
		p.fact(name+" share", percent(g.Share))
		p.fact(name+" keys", whole(g.Keys.Value))
	}
	for i := range p.r.Recommendations {
		p.plainRecommendation(fmt.Sprintf("advice %d", i+1), &p.r.Recommendations[i])
	}
	for i := range p.r.Inputs {
		name := fmt.Sprintf("input %d", i+1)
		p.fact(name, inputLine(&p.r.Inputs[i]))
		p.plainFacts(name+" ", inputFacts(&p.r.Inputs[i]))
	}
	p.plainFacts("", p.countFacts())
	p.fact("again", p.r.Command)
}

// fact writes one line; an unknown value has none.
func (p *printer) fact(name, value string) {
	if value != "" {
		p.line(p.text(name + ": " + value))
	}
}

func (p *printer) factRef(name string, value *string) {
	if value != nil {
		p.fact(name, *value)
	}
}

// plainFacts writes pairs; one without a label carries on with the label before it.
func (p *printer) plainFacts(prefix string, facts [][2]string) {
	name := ""
	for _, f := range facts {
		if f[0] != "" {
			name = f[0]
		}
		p.fact(prefix+name, f[1])
	}
}

func (p *printer) plainKeys() {
	keys, hot := p.listed()
	p.fact("hot keys", fmt.Sprintf("%s of %s", group(max(hot, p.r.Totals.HotKeys)), keyCount(&p.r.Totals)))
	names := []string{"", "peak requests per second", "at least", "share", "reads", "shard", "peak at", "kind", "do"}
	if p.r.Totals.PeakRate == nil {
		names[1] = "requests"
	}
	for i, k := range keys {
		name := fmt.Sprintf("key %d", i+1)
		for c, cell := range p.keyCells(k) {
			p.fact(strings.TrimSpace(name+" "+names[c]), cell)
		}
		if m := p.keyMark(k); m != "" {
			p.fact(name+" mark", m)
		}
	}
	if more := max(hot, p.r.Totals.HotKeys) - len(keys); hot > 0 && more > 0 {
		p.fact("hot keys not listed", group(more))
	}
	if next := p.next(); hot > 0 && next != nil {
		p.fact("largest key that is not hot", p.key(next.Key)+", "+percent(next.Share))
	}
}

func (p *printer) plainPartitions() {
	parts := p.r.Partitions
	if parts == nil {
		if w := p.warning("partitions"); w != nil {
			p.fact("partitions", withRemedy(w))
		}
		return
	}
	p.fact("partitions", plural(uint64(len(parts.List)), "shard")+", "+parts.Partitioner)
	rows := p.shardRows()
	for _, r := range rows {
		name := shard(r.ID)
		if r.PeakRate != nil {
			p.fact(name+" peak requests per second", whole(*r.PeakRate))
		}
		if r.Utilisation != nil {
			p.fact(name+" of capacity", utilisation(*r.Utilisation))
		}
		if r.RequestShare != nil {
			p.fact(name+" share of requests", percent(*r.RequestShare))
		}
		p.fact(name+" fair share", percent(r.FairShare))
		if r.KeyShare != nil {
			p.fact(name+" share of keys", percent(*r.KeyShare))
		}
		for _, k := range r.hotKeys {
			p.fact(name+" hot key", k)
		}
	}
	for _, s := range p.partitionNotes(rows) {
		p.fact("partitions", s)
	}
}

func (p *printer) plainRecommendation(name string, rec *Recommendation) {
	p.fact(name, titled(rec, 1<<20))
	p.fact(name+" answers", rec.ID)
	p.fact(name+" confidence", rec.Confidence)
	if rec.Fix != advise.Nothing {
		for _, s := range outcomeFacts(rec) {
			p.fact(name+" "+s.name+" before", s.before)
			p.fact(name+" "+s.name+" after", s.after)
		}
		if rec.Residual != nil {
			p.fact(name+" leaves", about(*rec.Residual)+" req/s")
		}
	}
	for _, list := range []struct {
		what  string
		items []string
	}{{"costs", rec.Costs}, {"not if", rec.NotIf}, {"assumes", rec.Assumptions}} {
		for _, s := range list.items {
			p.fact(name+" "+list.what, s)
		}
	}
	for _, r := range rec.Rejected {
		p.fact(name+" rejected", r.Fix+" ("+r.Reason+")")
	}
}
