package formats

// mostGroups is how many groups text lists.
const mostGroups = 10

// groups lists the largest groups of keys, beside the keys.
func (p *printer) groups() {
	list := p.r.Groups
	if len(list) == 0 {
		return
	}
	p.section("TEMPLATES", "of the keys, the varying parts replaced")
	cols := []column{
		{name: "template"},
		{name: "requests", right: true},
		{name: "share", right: true},
		{name: "keys", right: true, drop: 3, below: true},
		{name: "reads", right: true, drop: 2, below: true},
	}
	var rows []row
	for _, g := range list[:min(len(list), mostGroups)] {
		cells := []string{p.text(g.Name), whole(g.Count.Value), percent(g.Share), whole(g.Keys.Value), ""}
		if all := float64(g.Reads) + float64(g.Writes) + float64(g.Other); all > 0 {
			cells[4] = percent(float64(g.Reads) / all)
		}
		rows = append(rows, row{"", cells})
	}
	p.table(cols, rows, narrow)
	if more := len(list) - mostGroups; more > 0 {
		p.hint(markWidth, "… "+group(more)+" more: --format json")
	}
}
