package delimited

import (
	"bytes"
	"slices"

	"keyskew/ingest/request"
)

// delimiters in the order of preference.
const delimiters = ",\t;| "

var delimiterNames = map[byte]string{
	',': "commas", '\t': "tabs", ';': "semicolons", '|': "bars", ' ': "spaces",
}

// table is the head of an input, cut.
type table struct {
	dialect
	n int // columns
	// lines are those that were judged; comments and what looks like one are left out.
	lines []numbered
	// rows are the cells of the lines that have n columns, without the header.
	rows     [][][]byte
	names    []string // of the columns; nil without a header
	header   []byte   // the line
	comments bool
	matched  int
	bad      numbered // the first line with other than n columns; number 0 without one
	badN     int
	// spans says that some record with n columns goes over several lines.
	spans bool
	known int // how many names the table of aliases has
}

// sniff finds the delimiter: the one that cuts most lines into equally many columns, at least two. Of
// several the one whose header has more known names, then the first in the order of preference. Spaces
// count only where nothing else cuts.
func sniff(head []byte, joined bool, s request.Select) (table, bool) {
	var best table
	found := false
	for _, delimiter := range []byte(delimiters) {
		if delimiter == ' ' && (joined || found && best.share() >= enough) {
			continue
		}
		t := cutHead(head, dialect{delimiter: delimiter, joined: joined}, s)
		if t.n < 2 {
			continue
		}
		if !found || t.share() > best.share() || t.share() == best.share() && t.known > best.known {
			best, found = t, true
		}
	}
	return best, found
}

// share is the share of lines that have n columns.
func (t *table) share() float64 {
	if len(t.lines) == 0 {
		return 0
	}
	return float64(t.matched) / float64(len(t.lines))
}

// cutHead cuts the head one way and finds the header.
func cutHead(head []byte, d dialect, s request.Select) table {
	t := table{dialect: d}
	if d.joined {
		j := joiner{delimiter: d.delimiter}
		head = j.join(nil, head)
	}
	lines := sampled(head)
	var comments []numbered // in front of the rows
	for len(lines) > 0 && lines[0].text[0] == '#' {
		comments, t.comments = append(comments, lines[0]), true
		lines = lines[1:]
	}
	if t.comments {
		lines = slices.DeleteFunc(lines, func(l numbered) bool { return l.text[0] == '#' })
	}
	t.lines = lines
	cut := make([][][]byte, len(lines))
	counts := map[int]int{}
	for i, l := range lines {
		cut[i] = cutOnce(l.text, d)
		counts[len(cut[i])]++
	}
	for n, count := range counts {
		if n > 0 && n <= maxColumns && (count > t.matched || count == t.matched && n < t.n) {
			t.n, t.matched = n, count
		}
	}
	t.matched = 0
	for i, l := range lines {
		if len(cut[i]) == t.n {
			t.rows = append(t.rows, cut[i])
		}
		switch {
		case len(cut[i]) == t.n && isText(l.text, d.joined):
			t.matched++
			t.spans = t.spans || bytes.Contains(l.text, []byte{escape, escapeNewline})
		case t.bad.number == 0:
			t.bad, t.badN = l, len(cut[i])
		}
	}
	for _, comment := range comments {
		// "# time key size", and the "#fields" of Zeek.
		text := bytes.TrimLeft(comment.text, "# \t")
		text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("fields")), " \t")
		if names := cutOnce(text, d); len(names) == t.n && knownNames(names, s) > 0 {
			t.names, t.known = namesOf(names), knownNames(names, s)
		}
	}
	if t.names == nil && len(lines) > 0 && len(cut[0]) == t.n && t.isHeader(s) {
		t.names, t.header = namesOf(cut[0]), bytes.Clone(lines[0].text)
		t.known = knownNames(cut[0], s)
		t.rows = slices.DeleteFunc(t.rows, func(row [][]byte) bool {
			return slices.EqualFunc(row, cut[0], bytes.Equal)
		})
	}
	return t
}

// cutOnce cuts one line into cells that last; nil when it cannot be cut.
func cutOnce(line []byte, d dialect) [][]byte {
	s := splitter{dialect: d}
	if s.cut(line, true) != "" {
		return nil
	}
	return s.cells
}

// isText says that a line holds no control bytes but tabs and separators. Keys may hold anything, but a
// file that was not said to be a table is not taken for one when it looks like a binary file.
func isText(line []byte, joined bool) bool {
	for i, c := range line {
		if c < ' ' && c != '\t' && (c < 0x1c || c > 0x1f) && c != '\r' && !(joined && c == escape && i+1 < len(line)) {
			return false
		}
	}
	return true
}

// isHeader says that the first row names the columns: none of its cells is a number, and either names are
// known, or further down numbers stand where it has none.
func (t *table) isHeader(s request.Select) bool {
	first := t.rows[0]
	for _, cell := range first {
		if numeric(cell) {
			return false
		}
	}
	rest := slices.DeleteFunc(slices.Clone(t.rows), func(row [][]byte) bool {
		return slices.EqualFunc(row, first, bytes.Equal)
	})
	for i, cell := range first {
		if isKnown(cell, s) && !slices.ContainsFunc(rest, func(row [][]byte) bool { return bytes.Equal(row[i], cell) }) {
			return true
		}
		numbers := 0
		for _, row := range rest {
			if numeric(row[i]) {
				numbers++
			}
		}
		if len(cell) > 0 && numbers > 0 && float64(numbers) >= enough*float64(len(rest)) {
			return true
		}
	}
	return false
}

func knownNames(cells [][]byte, s request.Select) (n int) {
	for _, cell := range cells {
		if isKnown(cell, s) {
			n++
		}
	}
	return n
}

// isKnown says that a cell is the name of a column: one of the aliases, or one that the user gave.
func isKnown(cell []byte, s request.Select) bool {
	name := plain(string(bytes.TrimSpace(cell)))
	if name == "" || numeric(cell) {
		return false
	}
	if _, ok := aliases[name]; ok {
		return true
	}
	for _, asked := range []string{s.Key, s.Time, s.Op, s.Size, s.Weight, s.Partition, s.Tenant, s.Client} {
		if plain(asked) == name {
			return true
		}
	}
	return false
}

// column returns the cells of a column in the rows.
func (t *table) column(i int) [][]byte {
	out := make([][]byte, len(t.rows))
	for j, row := range t.rows {
		out[j] = row[i]
	}
	return out
}

// share of cells for which f holds.
func shareOf(cells [][]byte, f func([]byte) bool) float64 {
	n := 0
	for _, cell := range cells {
		if f(cell) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(cells)))
}
