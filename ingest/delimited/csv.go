package delimited

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

func csvFormat() request.Format {
	return request.Format{
		ID:    "csv",
		Title: "delimited table",
		Text: "Rows of columns with commas, tabs, semicolons, bars or spaces between them, with or without a " +
			"header, fields in quotes where needed. A column means what its name says; --key, --time, --op, " +
			"--size, --weight, --partition, --tenant and --client name one, or give its number from 1. " +
			"Several columns with commas between them make a key of them all. Columns called date and time are " +
			"one time. Without a header, dates and numbers that do not fall are the time, and the key is the " +
			"first column behind it.",
		Source: "RFC 4180, with the delimiters and names in use",
		Detect: func(head []byte, s request.Select) request.Detection { return detectTable(head, s, false) },
		CutOff: cutOff,
	}
}

// multilineFormat is csvFormat for inputs that have newlines inside quoted fields. It is an entry of its
// own because such an input must be rewritten before it can be cut into blocks.
func multilineFormat() request.Format {
	f := csvFormat()
	f.ID = "csv-multiline"
	f.Title = "delimited table with newlines inside quotes"
	f.Text = "A delimited table in which fields in quotes go over several lines. Line numbers and offsets " +
		"are those of the records."
	f.Detect = func(head []byte, s request.Select) request.Detection { return detectTable(head, s, true) }
	f.Rewrite = joinLines
	return f
}

// traces are the known traces that are tables or lines too; what is one is not a plain table.
func traces() []request.Format {
	return []request.Format{
		twitterFormat(), msrFormat(), alibabaFormat(), tencentFormat(), kvcacheFormat(), metaBlockFormat(),
		libCacheSimFormat(), addressFormat(), arcFormat(),
	}
}

// claimed returns the title of the known trace that the head is.
func claimed(head []byte, s request.Select) string {
	for _, f := range traces() {
		if d := f.Detect(head, s); d.New != nil && d.Share() >= enough {
			return f.Title
		}
	}
	return ""
}

// detectTable judges a head as a table. With multiline it fits only when some record goes over several
// lines.
func detectTable(head []byte, s request.Select, multiline bool) request.Detection {
	t, ok := sniff(head, multiline, s)
	if !ok {
		return refuse(sampled(head), "no comma, tab, semicolon, bar or space cuts the lines into equally many columns")
	}
	d := request.Detection{Lines: len(t.lines), Matched: t.matched, Framing: t.framing()}
	if t.bad.number > 0 {
		firstBad(&d, t.bad, t.badReason())
	}
	if multiline && !t.spans {
		d.Matched, d.Reason = 0, "no field in quotes goes over several lines"
	}
	if what := snapshot(t.lines); what != "" {
		return refuse(t.lines, what)
	}
	l, problem := t.layout(s)
	if problem != "" {
		d.FirstBad, d.FirstBadText, d.Reason = 0, "", problem
		if t.names == nil && s.Key == "" {
			d.Matched = 0 // nothing says that it is a table of requests at all
		}
		return d
	}
	d.Mapping = l.mapping(l.clock)
	d.New = func() request.Decoder { return newDecoder(l) }
	if t.share() < enough && (t.names == nil || t.known == 0) {
		d.Matched = 0
	}
	if what := claimed(head, s); what != "" && !multiline {
		d.Matched, d.Reason = 0, "it is a "+what
	}
	return d
}

func (t *table) badReason() string {
	if t.badN == t.n {
		return "bytes that are no text"
	}
	return fmt.Sprintf("%d columns instead of %d", t.badN, t.n)
}

func (t *table) framing() string {
	words := "columns between " + delimiterNames[t.delimiter]
	if t.names != nil {
		words += ", header"
	}
	if t.joined {
		words += ", newlines inside quotes"
	}
	return words
}

// layout decides what the columns are, or returns why that is not possible.
func (t *table) layout(s request.Select) (layout, string) {
	l := layout{
		dialect: t.dialect, columns: newColumns(t.n, t.names), header: t.header, comments: t.comments,
	}
	if problem := l.asked(s); problem != "" {
		return l, problem
	}
	if l.names != nil {
		if problem := l.named(nil); problem != "" {
			return l, problem
		}
	} else if problem := t.guess(&l.columns); problem != "" {
		return l, problem
	}
	if l.keys == nil {
		l.lastResort()
	}
	if l.keys == nil {
		if free := l.free(); len(free) == 1 && (l.at[timeRole] != none || l.at[opRole] != none) {
			l.keys, l.assumed = free, "the only column that is nothing else"
		} else {
			return l, "no column has a name that means a key; " + l.list() + ". Say which: --key COLUMN"
		}
	}
	return l, t.check(&l, s)
}

// check looks into the columns that were chosen: one that was asked for must hold what it should, and
// one that was taken for its name is left out when it does not.
func (t *table) check(l *layout, s request.Select) string {
	if i := l.at[timeRole]; i != none {
		cells := t.column(i)
		if l.ofDay != none {
			for j, row := range t.rows {
				cells[j] = dateTime(nil, row[i], row[l.ofDay])
			}
		}
		var ok bool
		if l.clock, ok = newClock(cells, s.TimeFormat, s.Zone); !ok && len(cells) > 0 {
			if l.ofDay != none && s.Time == "" && shareOf(t.column(l.ofDay), isTimeOfDay) < enough {
				return l.ambiguous(timeRole, i, l.ofDay)
			}
			why := fmt.Sprintf("%s holds no times that can be read, such as %q", l.label(i), request.Show(cells[0], maxShown))
			if s.Time != "" || l.ofDay != none {
				return why + "; give their layout with --time-format"
			}
			l.leave(timeRole, "none: "+why)
		}
	}
	count := func(cell []byte) bool { _, ok := readCount(cell); return ok || absent(cell) }
	for _, r := range []struct {
		role  role
		asked string
	}{{weightRole, s.Weight}, {sizeRole, s.Size}} {
		i := l.at[r.role]
		if i == none || len(t.rows) == 0 || shareOf(t.column(i), count) >= 0.5 {
			continue
		}
		why := l.label(i) + " holds no whole numbers"
		if r.asked != "" {
			return fmt.Sprintf("the column for the %s, %s", roleNames[r.role], why)
		}
		l.leave(r.role, "none: "+why)
	}
	return ""
}

// guess gives roles to the columns of a table without a header, by what stands in them: the first column
// of dates, or else the first column if its numbers do not fall, is the time; a column of nothing but
// words for operations is the operation; the key is the first column of text, or else of numbers, that is
// left and, of more than three columns, not the same in all rows. Behind a time and a key, a third and last
// column of numbers is the size.
func (t *table) guess(c *columns) string {
	numbers := make([]bool, t.n)
	for i := range t.n {
		cells := t.column(i)
		numbers[i] = shareOf(cells, numeric) >= enough
		if c.taken(i) {
			continue
		}
		switch {
		case c.at[timeRole] == none && (isDates(cells) || i == 0 && numbers[i] && rising(cells)):
			c.at[timeRole] = i
			if i+1 < t.n && !c.taken(i+1) && shareOf(cells, isDay) >= enough && shareOf(t.column(i+1), isTimeOfDay) >= enough {
				c.ofDay = i + 1
			}
		case c.at[opRole] == none && !numbers[i] && shareOf(cells, isOperation) >= enough:
			c.at[opRole] = i
		}
	}
	if c.keys != nil {
		return ""
	}
	free := c.free()
	if varying := slices.DeleteFunc(c.free(), t.isConstant); t.n > 3 && len(varying) > 0 {
		free = varying
	}
	if len(free) == 0 {
		return fmt.Sprintf("no column is left for the key of %d; say which: --key COLUMN", t.n)
	}
	text := slices.DeleteFunc(slices.Clone(free), func(i int) bool { return numbers[i] })
	if len(text) > 1 && (t.delimiter == ' ' || c.at[timeRole] == none && c.at[opRole] == none) {
		return fmt.Sprintf("there is no header, and %d columns could be the key; say which: --key COLUMN", len(text))
	}
	if len(t.rows) < 2 && c.at[timeRole] == none && c.at[opRole] == none {
		return "one line without a header does not tell what its columns are; say which is the key: --key COLUMN"
	}
	choice, kind := free, "numbers"
	if len(text) > 0 {
		choice, kind = text, "text"
	}
	key := choice[0]
	if c.at[timeRole] == none && c.at[weightRole] == none && t.n == 2 && len(text) == 1 && t.isTotals(key) {
		return "each key stands once, beside a number: these look like totals, not requests; " +
			fmt.Sprintf("--key %d --weight %d reads them as counts", key+1, 2-key)
	}
	c.keys = []int{key}
	if len(choice) > 1 {
		c.assumed = fmt.Sprintf("assumed: the first of %d columns of %s that are nothing else", len(choice), kind)
	}
	if t.n == 3 && c.at[timeRole] == 0 && key == 1 && numbers[2] && c.at[sizeRole] == none {
		c.at[sizeRole], c.assumed = 2, "assumed: time, key, size"
	}
	return ""
}

// isDates says that cells are times beyond doubt: dates, or numbers that are times since 1970 between 2001
// and 2100.
func isDates(cells [][]byte) bool {
	if len(cells) == 0 {
		return false
	}
	if shareOf(cells, numeric) < enough {
		c, ok := newClock(cells, "", nil)
		return ok && c.unit == 0 && shareOf(cells, func(cell []byte) bool { _, ok := c.read(cell); return ok }) >= enough
	}
	unit, words := unitOf(cells)
	if unit == 0 {
		return true // 14 digits
	}
	if strings.HasPrefix(words, "relative") {
		return false
	}
	return shareOf(cells, func(cell []byte) bool {
		c := clock{unit: unit}
		ns, ok := c.read(cell)
		return ok && ns >= 1_000_000_000e9 && ns < 4_102_444_800e9
	}) >= enough
}

// rising says that numbers hardly ever fall, and do not stand still.
func rising(cells [][]byte) bool {
	steps, up, last := 0, 0, int64(-1)
	first := int64(-1)
	for _, cell := range cells {
		n, ok := readNumber(cell, 1)
		if !ok {
			return false
		}
		if last >= 0 {
			steps++
			if n >= last {
				up++
			}
		} else {
			first = n
		}
		last = n
	}
	return steps > 0 && last > first && float64(up) >= enough*float64(steps)
}

// isConstant says that many rows have the same in a column: it is not what tells them apart.
func (t *table) isConstant(i int) bool {
	const many = 20
	for _, row := range t.rows {
		if !bytes.Equal(row[i], t.rows[0][i]) {
			return false
		}
	}
	return len(t.rows) >= many
}

// isTotals says that no key comes twice.
func (t *table) isTotals(key int) bool {
	seen := map[string]bool{}
	for _, row := range t.rows {
		seen[string(row[key])] = true
	}
	return len(seen) == len(t.rows) && len(t.rows) > 1
}

// snapshot names what is cut by chance: what holds counters and no requests, and the log of a program.
func snapshot(lines []numbered) string {
	counters, logged := 0, 0
	for _, l := range lines {
		switch {
		case strings.HasPrefix(string(l.text), "cmdstat_") || strings.HasPrefix(string(l.text), "redis_version:") ||
			strings.HasPrefix(string(l.text), "STAT "):
			counters++
		case isProgramLog(l.text):
			logged++
		}
	}
	switch {
	case counters > 0 && (counters > len(lines)/2 || strings.HasPrefix(string(lines[0].text), "redis_version:")):
		return "it is a status snapshot: counters of a server, not requests"
	case logged > len(lines)/2:
		return "it is the log of a program: the commas belong to the times"
	}
	return ""
}

// isProgramLog recognises a time with a comma in front of its milliseconds, as Python and Log4j write it,
// and text behind it. In a table another comma would stand there, or nothing.
func isProgramLog(line []byte) bool {
	const stamp = "0000-00-00 00:00:00,000"
	return timestamp.Shaped(line, stamp) && len(line) > len(stamp) && line[len(stamp)] != ',' && line[len(stamp)]-'0' > 9
}
