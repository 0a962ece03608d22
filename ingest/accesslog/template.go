package accesslog

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"keyskew/ingest/request"
)

// step is one field of a template and the text that stands behind it.
type step struct {
	name string
	role role
	// spaces skips blanks instead of reading a field.
	spaces bool
	// captures skips headers in braces, and the blanks behind them, which may be missing.
	captures bool
	// quoted takes quotes around the field off, where there are some.
	quoted bool
	// list is set when the field may hold several values with ", " between: upstreams, what each of them
	// said, and the addresses that a request was forwarded for.
	list bool
	// until ends the field; "" is the end of the line.
	until  []byte
	wanted int
}

// template is a log format as text with fields in it.
type template struct {
	lead  []byte // in front of the first field
	steps []step
	mark  byte // begins an escape in a value; a backslash where 0
}

// literal adds text to what stands behind the last field.
func (t *template) literal(text string) {
	if len(t.steps) == 0 {
		t.lead = append(t.lead, text...)
		return
	}
	last := &t.steps[len(t.steps)-1]
	last.until = append(last.until, text...)
}

func (t *template) add(name string, r role) {
	list := r == roleUpstream || r == roleClients || strings.HasPrefix(name, "upstream_") || strings.HasSuffix(name, "forwarded_for")
	t.steps = append(t.steps, step{name: name, role: r, list: list})
}

// table lists the fields as columns.
func (t template) table() table {
	var out table
	for _, s := range t.steps {
		if s.name != "" && !slices.Contains(out.names, s.name) {
			out.names = append(out.names, s.name)
			out.roles = append(out.roles, s.role)
		}
	}
	return out
}

// parser makes a parser that fills the columns that were asked for.
func (t template) parser(zone *time.Location, wanted []string) *templateParser {
	p := &templateParser{filler: filler{clock: newClock(zone)}, template: t}
	p.steps = slices.Clone(t.steps)
	for i := range p.steps {
		p.steps[i].wanted = slices.Index(wanted, p.steps[i].name)
	}
	if p.mark == 0 {
		p.mark = '\\'
	}
	columns := t.table()
	p.needTime = columns.has(roleTime) || columns.has(roleDate) && columns.has(roleTimeOfDay)
	return p
}

// plan makes the plan of a log that is written in this format.
func (t template) plan(zone *time.Location) plan {
	var p plan
	t.table().describe(&p)
	p.new = func(wanted []string) parser { return t.parser(zone, wanted) }
	return p
}

type templateParser struct {
	filler
	template
	needTime bool
}

func (p *templateParser) parse(line []byte, r *record) request.Reason {
	if !bytes.HasPrefix(line, p.lead) {
		return reasonForeign
	}
	line = line[len(p.lead):]
	p.begin()
	for i := range p.steps {
		s := &p.steps[i]
		if s.spaces {
			line = bytes.TrimLeft(line, " ")
			if !bytes.HasPrefix(line, s.until) {
				return reasonForeign
			}
			line = line[len(s.until):]
			continue
		}
		if s.captures {
			if len(line) > 0 && line[0] == '{' {
				line = line[bytes.IndexByte(line, '}')+1:]
			}
			line = bytes.TrimLeft(line, " ")
			if !bytes.HasPrefix(line, s.until) {
				return reasonForeign
			}
			line = line[len(s.until):]
			continue
		}
		end, skip := len(line), 0
		if s.quoted && len(line) > 0 && line[0] == '"' {
			line, skip = line[1:], 1
			if end = closing(line); end < 0 || !bytes.HasPrefix(line[end+1:], s.until) {
				return reasonForeign
			}
		} else if len(s.until) > 0 {
			if end = s.end(line); end < 0 {
				return reasonForeign
			}
		}
		value := line[:end]
		line = line[end+skip+len(s.until):]
		if s.role != unused {
			p.fill(r, s.role, value)
		}
		if s.wanted >= 0 {
			r.wanted[s.wanted] = value
		}
	}
	r.mark = p.mark
	return p.end(r, p.needTime)
}

// end finds where the field ends: at the text behind it, but not inside a list and not at a quote that is
// escaped.
func (s *step) end(line []byte) int {
	for at := 0; ; at++ {
		i := bytes.Index(line[at:], s.until)
		if i < 0 {
			return -1
		}
		at += i
		switch {
		case s.until[0] == '"' && escaped(line, at):
		case s.list && s.until[0] == ' ' &&
			(at > 0 && line[at-1] == ',' || bytes.HasPrefix(line[at:], []byte(" : ")) || at > 1 && line[at-1] == ':' && line[at-2] == ' '):
		default:
			return at
		}
	}
}

// escaped says whether an odd number of backslashes stands in front of line[at].
func escaped(line []byte, at int) bool {
	n := 0
	for n < at && line[at-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
