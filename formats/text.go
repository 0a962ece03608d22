package formats

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"keyskew/advise"
	"keyskew/analyze"
)

// TextOptions says how text is laid out.
type TextOptions struct {
	// Width of the terminal in cells, at least 40; 0 when the output is no terminal: then it is 100 and
	// keys are never cut.
	Width int
	// Whole keeps keys whole at any width.
	Whole bool
	Color bool
	// ASCII replaces every other character: bars by #, % and |, keys by their escapes.
	ASCII bool
	// Plain writes one "name: value" a line, for screen readers and grep.
	Plain bool
	// Brief leaves out all but the verdict and the keys.
	Brief bool
	// Top is how many keys are listed; 0 is 10 hot ones, or the 5 largest when none is hot.
	Top int
}

// label is the width of the words in front of the paragraphs.
const label = 9

// Text writes the report for reading: the verdict, what to do and what not, then the evidence, then how
// the input was read. It fits the width it is given.
func Text(w io.Writer, r *Report, o TextOptions) error {
	p := &printer{TextOptions: o, r: r, width: max(o.Width, 40), whole: o.Whole}
	if o.Width <= 0 {
		p.width, p.whole = 100, true
	}
	if o.Plain {
		p.plain()
	} else {
		p.report()
	}
	_, err := io.WriteString(w, p.out.String())
	return err
}

func (p *printer) report() {
	v := &p.r.Verdict
	p.para(0, "VERDICT", label, v.Text)
	if v.Do != nil {
		p.para(0, "DO", label, *v.Do)
	}
	if v.Not != nil {
		p.para(0, "NOT", label, *v.Not)
	}
	p.keys()
	if !p.Brief {
		p.episodes()
		p.spikes()
		p.groups()
		p.partitions()
		p.skew()
		p.order()
		p.findings()
		p.advice()
		p.input()
	}
	p.line("")
	more := []string{}
	for _, out := range Outputs() {
		if out.ID != "text" {
			more = append(more, "--format "+out.ID)
		}
	}
	if p.Brief {
		more = append(more, "without --brief: partitions, advice, input")
	}
	p.hint(0, "MORE     "+strings.Join(more, " · "))
	if p.r.Command != "" {
		p.again()
	}
}

// again writes the command line so that it can be pasted: in one line or, on a terminal that is narrower,
// in lines that continue.
func (p *printer) again() {
	const head = "AGAIN    "
	if p.whole {
		p.line(p.paint(hintColor, p.text(head+p.r.Command)))
		return
	}
	lines := p.wrap(p.text(head+p.r.Command), p.width-2)
	for i, l := range lines {
		if l = strings.TrimRight(l, " "); i < len(lines)-1 {
			l += ` \`
		}
		p.line(p.paint(hintColor, l))
	}
}

// section writes a blank line and a heading.
func (p *printer) section(name, rest string) {
	p.line("")
	for i, l := range p.wrap(p.text(strings.TrimSpace(name+"  "+rest)), p.width-2) {
		if i > 0 {
			l = "  " + l
		}
		p.line(l)
	}
}

// listed are the keys of the table: the hot ones or, when none is hot, the largest.
func (p *printer) listed() (keys []*Key, hot int) {
	keys = hotKeys(p.r)
	hot = len(keys)
	if hot == 0 {
		for i := range p.r.Keys {
			if p.r.Keys[i].Count.Value > 0 {
				keys = append(keys, &p.r.Keys[i])
			}
		}
	}
	top := p.Top
	if top <= 0 {
		top = 10
		if hot == 0 {
			top = 5
		}
	}
	return keys[:min(top, len(keys))], hot
}

func (p *printer) keys() {
	keys, hot := p.listed()
	if len(keys) == 0 {
		return
	}
	all := keyCount(&p.r.Totals)
	if hot > 0 {
		p.section("HOT KEYS", fmt.Sprintf("%s of %s", group(max(hot, p.r.Totals.HotKeys)), all))
	} else {
		p.section("LARGEST KEYS", "of "+all+"; none is hot")
	}
	cols := []column{
		{name: "key"},
		{name: "peak/s", right: true},
		{name: "at least", right: true, drop: 8, below: true},
		{name: "share", right: true},
		{name: "reads", right: true, drop: 5, below: true},
		{name: "shard", right: true, drop: 4, below: true},
		{name: "peak at", drop: 7, below: true},
		{name: "kind", drop: 6, below: true},
		{name: "do", drop: 9, below: true},
	}
	if p.r.Totals.PeakRate == nil {
		cols[1].name = "requests"
	}
	var rows []row
	exact := true
	for _, k := range keys {
		cells := p.keyCells(k)
		exact = exact && cells[1] == cells[2]
		rows = append(rows, row{p.keyMark(k), cells})
	}
	if exact {
		for _, r := range rows {
			r.cells[2] = "" // it would say the same twice
		}
	}
	p.table(cols, rows, narrow)
	if more := max(hot, p.r.Totals.HotKeys) - len(keys); hot > 0 && more > 0 {
		p.hint(markWidth, fmt.Sprintf("… %s more hot; --top %d lists them", group(more), len(keys)+more))
	}
	if next := p.next(); hot > 0 && next != nil {
		s := "the largest that is not hot: " + p.short(next.Key, 30)
		if next.PeakRate != nil {
			s += ", " + whole(next.PeakRate.Value) + " req/s"
		}
		p.hint(markWidth, s+", "+percent(next.Share))
	}
}

// next is the largest key that is not hot.
func (p *printer) next() *Key {
	for i := range p.r.Keys {
		if k := &p.r.Keys[i]; !k.Hot && k.Count.Value > 0 {
			return k
		}
	}
	return nil
}

// keyCells are the cells of a key's row, in the order of the columns.
func (p *printer) keyCells(k *Key) []string {
	n := k.Count
	if p.r.Totals.PeakRate != nil && k.PeakRate != nil {
		n = *k.PeakRate
	}
	cells := []string{p.key(k.Key), whole(n.Value), whole(n.Lower), percent(k.Share), "", "", "", k.Class, ""}
	if all := float64(k.Reads) + float64(k.Writes) + float64(k.Other); all > 0 {
		cells[4] = percent(float64(k.Reads) / all)
	}
	if k.Partition != nil {
		cells[5] = *k.Partition
	}
	if k.PeakAt != nil {
		cells[6] = p.r.clock(*k.PeakAt)
	}
	if rec := recommendationFor(p.r.Recommendations, k.Key.Raw()); rec != nil {
		cells[8] = inShort(rec)
	}
	for i := 1; i < len(cells); i++ {
		cells[i] = p.text(cells[i])
	}
	return cells
}

// keyMark is the severity of the findings on a key: a hot key is not a fault by itself.
func (p *printer) keyMark(k *Key) string {
	name := k.Key.String()
	mark, found := "", false
	for _, f := range p.r.Findings {
		if f.Target == nil || *f.Target != name {
			continue
		}
		found = true
		if m := severityMark(f.Severity); len(m) > len(mark) {
			mark = m
		}
	}
	if !found && k.Hot {
		return "!"
	}
	return mark
}

func severityMark(severity string) string {
	switch analyze.Severity(severity) {
	case analyze.Critical:
		return "!!"
	case analyze.Warn:
		return "!"
	}
	return ""
}

// inShort is a recommendation in two words.
func inShort(rec *Recommendation) string {
	switch pr := &rec.Params; {
	case rec.Fix == "cache" && pr.TTLSeconds != nil:
		return "cache " + span(*pr.TTLSeconds)
	case pr.Slots != nil:
		return rec.Fix + " ×" + group(*pr.Slots)
	case pr.Copies != nil:
		return rec.Fix + " ×" + group(*pr.Copies)
	}
	return rec.Fix
}

// keyCount is the number of distinct keys; an estimate is rounded and called one.
func keyCount(t *Totals) string {
	if d := t.DistinctKeys; d.Lower != d.Upper {
		return "about " + about(d.Value) + " keys"
	}
	return plural(uint64(min(max(t.DistinctKeys.Value, 0), 1<<62)), "key")
}

// saidElsewhere are the findings that the list of keys, SKEW and TIME-ORDERED KEYS say already.
var saidElsewhere = []string{"KS101", "KS102", "KS103", "KS301", "KS302", "KS401", "KS402"}

// findings lists what is not said already.
func (p *printer) findings() {
	rest := slices.DeleteFunc(slices.Clone(p.r.Findings), func(f Finding) bool {
		return slices.Contains(saidElsewhere, f.ID)
	})
	if len(rest) == 0 {
		return
	}
	p.section("FINDINGS", "")
	for _, f := range rest {
		m := severityMark(f.Severity)
		s := f.Title
		if f.Target != nil && aboutKey(f.ID) {
			s = elide(*f.Target, 40, p.text("…")) + ": " + s
		}
		for i, l := range p.wrap(p.text(f.ID+"  "+s), p.width-markWidth) {
			if i > 0 {
				m = ""
			}
			p.line(p.mark(m) + l)
		}
	}
}

func (p *printer) advice() {
	if len(p.r.Recommendations) == 0 {
		return
	}
	p.section("ADVICE", "")
	for i := range p.r.Recommendations {
		rec := &p.r.Recommendations[i]
		p.recommendation(i+1, rec, i < adviceInFull && rec.Fix != advise.Nothing)
	}
	if len(p.r.Recommendations) > adviceInFull {
		p.hint(markWidth, "what each of the others costs, and what else was tried: --format json")
	}
}

// adviceInFull is how many recommendations are printed with all that belongs to them.
const adviceInFull = 3

func (p *printer) recommendation(number int, rec *Recommendation, full bool) {
	num := fmt.Sprintf("%2d", number)
	if rec.Fix == advise.Nothing {
		num = p.text(" –")
	}
	source := p.text("[" + strings.TrimPrefix(rec.ID+", confidence "+rec.Confidence, ", ") + "]")
	lines := p.wrap(p.text(titled(rec, 40)), p.width-markWidth)
	last := len(lines) - 1
	if room := p.width - markWidth - printedWidth(lines[last]) - printedWidth(source); room >= 2 {
		lines[last] += spaces(room) + source
	} else {
		lines = append(lines, p.wrap(source, p.width-markWidth)...)
	}
	for i, l := range lines {
		if i > 0 {
			num = ""
		}
		p.line(pad(num, markWidth, false) + l)
	}
	if !full {
		return
	}
	item := func(name string, list []string) {
		if len(list) > 0 {
			p.para(markWidth, name, label, strings.Join(list, "; "))
		}
	}
	if rec.Fix != advise.Nothing {
		p.outcomes(rec)
		if rec.Residual != nil {
			s := about(*rec.Residual) + " req/s"
			if rec.Target.Key != nil {
				s += " on " + p.short(*rec.Target.Key, 40)
			}
			item("leaves", []string{s})
		}
	}
	item("costs", rec.Costs)
	item("not if", rec.NotIf)
	item("assumes", rec.Assumptions)
	var rejected []string
	for _, r := range rec.Rejected {
		rejected = append(rejected, r.Fix+" ("+r.Reason+")")
	}
	item("rejected", rejected)
}

// outcomes writes the state before and after a remedy.
func (p *printer) outcomes(rec *Recommendation) {
	cols := []column{{name: ""}}
	before, after := row{cells: []string{"before"}}, row{cells: []string{"after"}}
	for i, f := range outcomeFacts(rec) {
		cols = append(cols, column{name: p.text(f.name), drop: i + 1, below: true})
		before.cells = append(before.cells, p.text(f.before))
		after.cells = append(after.cells, p.text(f.after))
	}
	if len(cols) > 1 {
		p.table(cols, []row{before, after}, 0)
	}
}

// outcomeFact is one figure of the load model before and after a remedy.
type outcomeFact struct{ name, before, after string }

func outcomeFacts(rec *Recommendation) []outcomeFact {
	var out []outcomeFact
	add := func(name, before, after string) {
		if before != "" || after != "" {
			out = append(out, outcomeFact{name, before, after})
		}
	}
	b, a := &rec.Before, &rec.After
	if id := rec.Target.Partition; id != nil {
		add(shard(*id), loadOf(b, *id), loadOf(a, *id))
	}
	busiest := "the node"
	if max(len(b.Partitions), len(a.Partitions)) > 1 {
		busiest = "busiest shard"
	}
	add(busiest, loadText(b.MaxLoad, b.MaxUtilisation), loadText(a.MaxLoad, a.MaxUtilisation))
	add("p99", p99(b), p99(a))
	add("most this mix allows", ceiling(b), ceiling(a))
	return out
}

func loadOf(o *Outcome, id string) string {
	if q := partitionLoad(o, id); q != nil {
		return loadText(q.Load, q.Utilisation)
	}
	return ""
}

func loadText(load float64, used *float64) string {
	switch {
	case used != nil:
		return utilisation(*used)
	case load > 0:
		return about(load) + " req/s"
	}
	return ""
}

func p99(o *Outcome) string {
	switch {
	case o.Saturated:
		s := "saturated"
		if f := o.FailingShare; f != nil {
			s += fmt.Sprintf(" (%s–%s fail)", share(f.Lower), share(f.Upper))
		}
		return s
	case o.P99WorstMS != nil:
		return about(*o.P99WorstMS) + " ms"
	}
	return ""
}

func ceiling(o *Outcome) string {
	if o.Ceiling == nil {
		return ""
	}
	return about(*o.Ceiling) + " req/s"
}

// byCount sorts the names of a count, the largest first.
func byCount(counts map[string]int64) []string {
	names := make([]string, 0, len(counts))
	for n := range counts {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return names
}
