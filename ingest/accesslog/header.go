package accesslog

import (
	"slices"
	"time"

	"keyskew/ingest/request"
)

// splitter cuts a line into columns, which it appends to the slice.
type splitter = func(line []byte, columns [][]byte) [][]byte

// headerPlan describes a format whose columns a header line names.
type headerPlan struct {
	// names reads the names out of a header line.
	names      func(line []byte) []string
	candidates []candidate
	isHeader   func(line []byte) bool
	// isComment recognises further lines that hold no request; nil: there are none.
	isComment func(line []byte) bool
	// split chooses how the lines below a header are cut.
	split func(header []byte, names []string) splitter
	// missing are the names to assume without a header line; nil: it is needed.
	missing []string
	// accept judges the names of a header; nil takes all.
	accept func(names []string) bool
}

// plan makes one of all headers in the sample.
// Times without a zone are in the zone given; nil is UTC.
func (h headerPlan) plan(lines [][]byte, zone *time.Location) plan {
	var p plan
	var all []string
	found := false
	for _, line := range lines {
		if !h.isHeader(line) {
			continue
		}
		names := h.names(line)
		if h.accept != nil && !h.accept(names) {
			continue
		}
		found = true
		for _, n := range names {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	if !found {
		if h.missing == nil {
			return plan{reason: "there is no header line that names such columns"}
		}
		all = h.missing
	}
	t := newTable(all, h.candidates, nil)
	if !t.has(rolePath, roleTarget, roleRequest) {
		return plan{reason: "its header names no column with the path of a request"}
	}
	t.describe(&p)
	p.new = func(wanted []string) parser {
		c := newColumns(nil, nil, 1, splitSpaces, wanted)
		c.clock = newClock(zone)
		c.needTime = p.columns&request.TimeColumn != 0
		hp := &headerParser{columnParser: c, plan: h, asked: wanted, seen: map[string]layout{}}
		hp.header(nil)
		return hp
	}
	return p
}

// headerParser reads lines below header lines.
type headerParser struct {
	*columnParser
	plan  headerPlan
	asked []string
	// seen holds what was made of the headers seen: a log repeats its few.
	seen map[string]layout
}

// layout is what a header says of the lines below it.
type layout struct {
	table
	split splitter
}

// maxLayouts is how many headers are remembered.
const maxLayouts = 64

// header implements headed.
func (p *headerParser) header(line []byte) {
	l, ok := p.seen[string(line)]
	if !ok {
		names := p.plan.missing
		if line != nil {
			names = p.plan.names(line)
		}
		if len(p.seen) >= maxLayouts {
			clear(p.seen)
		}
		l = layout{newTable(names, p.plan.candidates, p.asked), p.plan.split(line, names)}
		p.seen[string(line)] = l
	}
	p.table, p.split, p.least = l.table, l.split, len(l.names)
}

func (p *headerParser) parse(line []byte, r *record) request.Reason {
	if p.plan.isHeader(line) {
		p.header(line)
		return reasonHeader
	}
	if p.plan.isComment != nil && p.plan.isComment(line) {
		return reasonHeader
	}
	if len(p.names) == 0 {
		return reasonForeign
	}
	return p.columnParser.parse(line, r)
}
