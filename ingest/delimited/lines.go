package delimited

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"keyskew/ingest/request"
)

func libCacheSimFormat() request.Format {
	return request.Format{
		ID:    "libcachesim-csv",
		Title: "libCacheSim table",
		Text: "A table with libCacheSim's names in its header (obj_id beside obj_size or next_access_vtime). " +
			"--log-format takes libCacheSim's own description of any table: " +
			"\"time-col=2,obj-id-col=5,obj-size-col=4,delimiter=,,has-header=true\", columns from 1.",
		Source: "1a1a11a/libCacheSim, cli_reader_utils.c",
		Detect: detectLibCacheSim,
		CutOff: cutOff,
	}
}

func detectLibCacheSim(head []byte, s request.Select) request.Detection {
	given, ok, problem := describedTable(s.LogFormat)
	if !ok {
		t, found := sniff(head, false, s)
		if !found || !hasName(t.names, "objid") || !hasName(t.names, "objsize") && !hasName(t.names, "nextaccessvtime") {
			return refuse(sampled(head), "no header with obj_id and obj_size or next_access_vtime")
		}
		d := request.Detection{Lines: len(t.lines), Matched: t.matched, Framing: t.framing()}
		if t.bad.number > 0 {
			firstBad(&d, t.bad, t.badReason())
		}
		l, problem := t.layout(s)
		if d.Reason = problem; problem == "" {
			d.Mapping = l.mapping(l.clock)
			d.New = func() request.Decoder { return newDecoder(l) }
		}
		return d
	}
	if problem != "" {
		return refuse(sampled(head), problem)
	}
	t := cutHead(head, dialect{delimiter: given.delimiter}, s)
	if given.header && t.names == nil && len(t.rows) > 0 {
		t.names, t.header, t.rows = namesOf(t.rows[0]), bytes.Clone(t.lines[0].text), t.rows[1:]
	}
	if !given.header && t.header != nil {
		t.names, t.header = nil, nil
	}
	for field, column := range map[*string]string{
		&s.Time: given.time, &s.Key: given.key, &s.Size: given.size, &s.Weight: given.count, &s.Op: given.op,
		&s.Tenant: given.tenant,
	} {
		if *field == "" {
			*field = column
		}
	}
	d := request.Detection{Lines: len(t.lines), Matched: t.matched, Framing: t.framing()}
	l, problem := t.layout(s)
	if d.Reason = problem; problem == "" {
		d.Mapping = l.mapping(l.clock)
		d.New = func() request.Decoder { return newDecoder(l) }
	}
	return d
}

func hasName(names []string, want string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return plain(name) == want })
}

// described is libCacheSim's description of a table.
type described struct {
	time, key, size, count, op, tenant string
	delimiter                          byte
	header                             bool
}

// describedTable reads a description. ok says that the text is meant as one.
func describedTable(text string) (d described, ok bool, problem string) {
	if !strings.Contains(text, "-col=") && !strings.Contains(text, "_col=") && !strings.Contains(text, "-field=") {
		return d, false, ""
	}
	d.delimiter = ','
	fields := map[string]*string{
		"time": &d.time, "obj-id": &d.key, "obj-size": &d.size, "size": &d.size, "cnt": &d.count,
		"op": &d.op, "tenant": &d.tenant, "next-access": new(string), "ttl": new(string),
	}
	for text != "" {
		name, rest, _ := strings.Cut(text, "=")
		name = strings.TrimSpace(strings.ReplaceAll(strings.ToLower(name), "_", "-"))
		value, after, _ := strings.Cut(rest, ",")
		text = strings.TrimLeft(after, ", ")
		switch name {
		case "delimiter":
			if d.delimiter = ','; value == `\t` {
				d.delimiter = '\t'
			} else if value != "" && value[0] != '\\' {
				d.delimiter = value[0]
			}
		case "has-header", "header":
			d.header = value == "true" || value == "1" || value == "yes" || value == "y"
		case "obj-id-is-num", "block-size", "format":
		default:
			field := fields[strings.TrimSuffix(strings.TrimSuffix(name, "-col"), "-field")]
			if field == nil {
				return d, true, fmt.Sprintf("%q is not part of a libCacheSim description", name)
			}
			if n, err := strconv.Atoi(value); err != nil || n < 1 {
				return d, true, fmt.Sprintf("%s=%s: a column is a number from 1", name, value)
			}
			*field = value
		}
	}
	if d.key == "" {
		return d, true, "the libCacheSim description lacks obj-id-col"
	}
	return d, true, ""
}

func addressFormat() request.Format {
	return request.Format{
		ID:    "address",
		Title: "memory address trace",
		Text: "A letter for what is done (l load, s store, or r and w), an address with 0x, and one to four " +
			"numbers that are not used, between spaces.",
		Source: "ben-manes/caffeine, AddressTraceReader.java",
		Detect: detectAddress,
		CutOff: cutOff,
	}
}

func detectAddress(head []byte, s request.Select) request.Detection {
	lines := sampled(head)
	l := layout{dialect: dialect{delimiter: ' '}, columns: newColumns(3, nil)}
	if len(lines) > 0 {
		l.n = min(max(3, len(cutOnce(lines[0].text, l.dialect))), 6)
	}
	l.keys, l.at[opRole] = []int{1}, 0
	l.words = map[string]request.Op{
		"l": request.Read, "s": request.Write, "r": request.Read, "w": request.Write,
	}
	cut := splitter{dialect: l.dialect}
	d := judge(lines, "not a letter, an address and numbers", func(line []byte) bool {
		_ = cut.cut(line, false)
		c := cut.cells
		return len(c) == l.n && len(c[0]) == 1 && l.words[string(c[0])] != request.Other &&
			bytes.HasPrefix(c[1], []byte("0x")) && !slices.ContainsFunc(c[2:], func(n []byte) bool { return !numeric(n) })
	})
	if problem := l.asked(s); problem != "" {
		d.Reason = problem
		return d
	}
	if l.at[timeRole] != none {
		l.clock = wholeSeconds(head, l.at[timeRole], l.dialect, s)
	}
	d.Mapping = l.mapping(l.clock)
	d.New = func() request.Decoder { return newDecoder(l) }
	return d
}

func keyListFormat() request.Format {
	return request.Format{
		ID:    "keylist",
		Title: "list of keys",
		Text: "One key a line, in the order of the requests; blanks around it are no part of it. Every line " +
			"is one read, without a time. A first line that is a known name of key columns is a header, and " +
			"in a list of numbers a line with nothing but * marks a phase.",
		Source: "the plain text traces of libCacheSim and of the LIRS simulator",
		Detect: detectKeyList,
		CutOff: cutOff,
	}
}

func detectKeyList(head []byte, s request.Select) request.Detection {
	lines := sampled(head)
	d := judge(lines, "not one word", func(line []byte) bool {
		line = bytes.TrimSpace(line)
		markup := bytes.HasPrefix(line, []byte(`{"`)) || line[0] == '[' || line[0] == '<' && line[len(line)-1] == '>'
		return (!bytes.ContainsAny(line, " \t") || isQuoted(line)) && !markup && isText(line, false)
	})
	l := layout{dialect: dialect{whole: true}, columns: newColumns(1, nil)}
	l.keys = []int{0}
	texts := make([][]byte, len(lines))
	for i, line := range lines {
		texts[i] = line.text
	}
	numbers := shareOf(texts, numeric)
	l.marks = numbers >= 0.5 && shareOf(texts, func(line []byte) bool {
		return numeric(line) || string(bytes.TrimSpace(line)) == "*"
	}) >= enough
	if shareOf(texts, isQuoted) >= enough {
		l.dialect = dialect{delimiter: '\n'}
	}
	if len(lines) > 1 {
		name := strings.Trim(string(texts[0]), `" `)
		if r, ok := aliases[plain(name)]; ok && r == keyRole && !slices.ContainsFunc(texts[1:], func(t []byte) bool { return bytes.Equal(t, texts[0]) }) {
			l.names, l.header = []string{name}, bytes.Clone(texts[0])
			d.Framing = "header"
		}
	}
	if problem := l.asked(s); problem != "" {
		d.Reason = "a list of keys has one column: " + problem
		return d
	}
	d.Mapping = []request.Mapped{{Field: "key", From: "the whole line"}}
	if l.names != nil {
		d.Mapping[0].From = l.label(0)
	}
	d.New = func() request.Decoder { return newDecoder(l) }
	if d.Share() < enough {
		d.Matched = 0
	} else if what := snapshot(lines); what != "" {
		d.Matched, d.Reason = 0, what
	} else if isTable(head, s) {
		d.Matched, d.Reason = 0, "it is a delimited table"
	} else if what := claimed(head, s); what != "" {
		d.Matched, d.Reason = 0, "it is a "+what
	}
	return d
}

// isTable says that a head is better read as a table, or refused as one.
func isTable(head []byte, s request.Select) bool {
	t, ok := sniff(head, false, s)
	return ok && (t.share() >= enough || 2*detectTable(head, s, false).Matched >= len(t.lines))
}

func isQuoted(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 1 && line[0] == '"' && line[len(line)-1] == '"'
}
