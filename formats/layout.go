package formats

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The layout is our own and small. A table library would have to drop columns by rank, move them to a
// second line, turn into blocks on a narrow terminal and let a long key overflow in a file; those that
// were tried do none of it.

// narrow is the width below which the table of keys becomes one block per key.
const narrow = 60

// minKey is how many cells of a key a table keeps before it drops a column.
const minKey = 24

// markWidth is the room for "!!" in front of a row.
const markWidth = 3

// Colours that hold on black and on white (xterm 256). Each stands beside a mark or a glyph that says
// the same.
const (
	hotColor  = "\x1b[1;38;5;166m"
	loadColor = "\x1b[38;5;32m"
	hintColor = "\x1b[38;5;243m"
	noColor   = "\x1b[0m"
)

// printer lays out one report.
type printer struct {
	TextOptions
	r     *Report
	width int
	whole bool // keys are never cut
	out   strings.Builder
}

// asciiGlyphs spells our own glyphs in ASCII.
var asciiGlyphs = strings.NewReplacer("█", "#", "▒", "%", "┃", "|", "…", "...", "–", "-", "×", "x", "·", ";")

// text makes any text printable in the mode in force.
func (p *printer) text(s string) string {
	if p.ASCII {
		return escape(asciiGlyphs.Replace(s), false, true)
	}
	return clean(s)
}

// key is a key as it is printed, uncut.
func (p *printer) key(b Bytes) string {
	raw := b.Raw()
	if len(raw) == 0 {
		return emptyKey
	}
	return escape(string(raw), true, p.ASCII)
}

func (p *printer) cut(s string, width int) string {
	if p.whole {
		return s
	}
	return elide(s, width, p.text("…"))
}

// short is a key inside a sentence, where a long one is cut even in a file: the table has it whole.
func (p *printer) short(b Bytes, width int) string { return elide(p.key(b), width, p.text("…")) }

func (p *printer) paint(color, s string) string {
	if !p.Color || s == "" {
		return s
	}
	return color + s + noColor
}

func (p *printer) line(s string) {
	p.out.WriteString(strings.TrimRight(s, " "))
	p.out.WriteByte('\n')
}

// hint writes a line of lesser weight.
func (p *printer) hint(indent int, s string) {
	for _, l := range p.wrap(p.text(s), p.width-indent) {
		p.line(spaces(indent) + p.paint(hintColor, strings.TrimRight(l, " ")))
	}
}

// para writes a label and wrapped text beside it, the rest of the text hanging under its start.
func (p *printer) para(indent int, label string, labelWidth int, s string) {
	for i, l := range p.wrap(p.text(s), p.width-indent-labelWidth) {
		if i > 0 {
			label = ""
		}
		p.line(spaces(indent) + pad(label, labelWidth, false) + l)
	}
}

// wrap breaks text at spaces. On a terminal a word that is wider than the line is broken too, though
// never inside an escape or a grapheme; in a file it stays whole.
func (p *printer) wrap(s string, width int) []string {
	width = max(width, 8)
	var lines []string
	cur := ""
	for i, word := range strings.Split(s, " ") {
		next := cur + " " + word
		if i == 0 || cur == "" {
			next = cur + word
		}
		if ansi.StringWidth(next) <= width {
			cur = next
			continue
		}
		if cur != "" {
			lines = append(lines, cur)
		}
		cur = word
		if p.whole || ansi.StringWidth(word) <= width {
			continue
		}
		cur = ""
		for _, u := range units(word) {
			if cur != "" && ansi.StringWidth(cur+u) > width {
				lines = append(lines, cur)
				cur = ""
			}
			cur += u
		}
	}
	return append(lines, cur)
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

func pad(s string, width int, right bool) string {
	fill := spaces(width - ansi.StringWidth(s))
	if right {
		return fill + s
	}
	return s + fill
}

// column describes a column of a table. The first one holds the row's name and takes what room is left.
type column struct {
	name  string
	right bool
	drop  int  // the highest goes first when the table is too wide; 0 stays
	below bool // when dropped, its cells move to a second line; else they are left out
	bar   bool
}

// row is one row: a mark ("!!", "!" or none) and a cell per column, already printable.
type row struct {
	mark  string
	cells []string
}

// table writes rows in columns as wide as the terminal allows, or as blocks where not even the columns
// that must stay fit, or below the width from.
func (p *printer) table(cols []column, rows []row, from int) {
	var shown []int
	for c := range cols {
		for _, r := range rows {
			if c == 0 || r.cells[c] != "" {
				shown = append(shown, c)
				break
			}
		}
	}
	widths := make([]int, len(cols))
	for c := range cols {
		widths[c] = ansi.StringWidth(cols[c].name)
		for _, r := range rows {
			widths[c] = max(widths[c], ansi.StringWidth(r.cells[c]))
		}
	}
	natural := widths[0]
	var below []int
	for p.width >= from {
		room := p.width - markWidth
		last := 0
		for i, c := range shown {
			if c != 0 {
				room -= widths[c] + 2
			}
			if cols[c].drop > cols[shown[last]].drop {
				last = i
			}
		}
		if room >= min(natural, minKey) {
			widths[0] = min(natural, room)
			p.columns(cols, rows, shown, below, widths)
			return
		}
		c := shown[last]
		if cols[c].drop == 0 {
			break
		}
		if cols[c].below {
			below = append(below, c)
		}
		shown = append(shown[:last:last], shown[last+1:]...)
	}
	p.records(cols, rows)
}

func (p *printer) columns(cols []column, rows []row, shown, below []int, widths []int) {
	head := spaces(markWidth)
	for i, c := range shown {
		if i > 0 {
			head += "  "
		}
		head += pad(cols[c].name, widths[c], cols[c].right)
	}
	p.line(head)
	for _, r := range rows {
		line := p.mark(r.mark)
		for i, c := range shown {
			cell := r.cells[c]
			switch {
			case i > 0:
				line += "  "
			case p.whole && ansi.StringWidth(cell) > widths[0]:
				// A key is never cut in a file, nor does it push the numbers of all others aside.
				p.line(line + cell)
				line, cell = spaces(markWidth), ""
			default:
				cell = p.cut(cell, widths[0])
			}
			if cols[c].bar {
				line += p.paintBar(cell) + spaces(widths[c]-ansi.StringWidth(cell))
			} else {
				line += pad(cell, widths[c], cols[c].right)
			}
		}
		p.line(line)
		var rest []string
		for c := range cols { // in the order of the columns, not of their dropping
			if r.cells[c] != "" && slices.Contains(below, c) {
				rest = append(rest, cols[c].name+" "+r.cells[c])
			}
		}
		if len(rest) > 0 {
			for _, l := range p.wrap(strings.Join(rest, p.text(" · ")), p.width-markWidth-2) {
				p.line(spaces(markWidth+2) + l)
			}
		}
	}
}

// records writes one block of "name: value" lines per row.
func (p *printer) records(cols []column, rows []row) {
	for _, r := range rows {
		mark := p.mark(r.mark)
		for c := range cols {
			if r.cells[c] == "" || cols[c].bar {
				continue
			}
			name := cols[c].name + ": "
			if cols[c].name == "" {
				name = ""
			}
			room := p.width - markWidth - len(name)
			if c == 0 {
				p.line(mark + name + p.cut(r.cells[c], room))
				continue
			}
			for i, l := range p.wrap(r.cells[c], room) {
				if i > 0 {
					name = spaces(len(name))
				}
				p.line(spaces(markWidth) + name + l)
			}
		}
	}
}

func (p *printer) mark(m string) string {
	return p.paint(hotColor, m) + spaces(markWidth-len(m))
}

// bar draws a load as cells: other requests, then those on hot keys, and a line at a level.
func (p *printer) bar(load, hot, level, scale float64, width int) string {
	if !(scale > 0) {
		return ""
	}
	at := func(v float64) int { return min(max(int(v/scale*float64(width)+0.5), 0), width) }
	cells := make([]string, width)
	for i := range cells {
		switch {
		case level > 0 && i == min(at(level), width-1):
			cells[i] = "┃"
		case i < at(load-hot):
			cells[i] = "█"
		case i < at(load):
			cells[i] = "▒"
		default:
			cells[i] = " "
		}
	}
	return p.text(strings.TrimRight(strings.Join(cells, ""), " "))
}

func (p *printer) paintBar(s string) string {
	if !p.Color {
		return s
	}
	colors := map[string]string{
		p.text("█"): loadColor, p.text("▒"): hotColor, p.text("┃"): hintColor,
	}
	var b strings.Builder
	for len(s) > 0 {
		glyph := units(s)[0]
		n := len(s) - len(strings.TrimLeft(s, glyph))
		if c, ok := colors[glyph]; ok {
			b.WriteString(c + s[:n] + noColor)
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
