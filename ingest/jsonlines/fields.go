package jsonlines

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

const (
	sampleLines  = 200  // how many lines are looked at closely
	maxFields    = 512  // how many different fields of them are told apart
	maxDepth     = 5    // how deep the fields are named
	maxElements  = 2    // of an array
	maxExamples  = 32   // values kept of a field
	maxListed    = 12   // fields named in a message
	maxExampleAt = 1024 // bytes kept of a value
)

// field is a place in the records of a sample.
type field struct {
	path  []string
	name  string // the path, joined by dots
	plain string // plainName(name)
	// counts by kind, of how many records have it so.
	counts [array + 1]int
	// examples are the first values, as text.
	examples [][]byte
	// seen has a bit for each line that has the field.
	seen  [(sampleLines + 63) / 64]uint64
	below []*field
}

func (f *field) scalars() int { return f.counts[text] + f.counts[number] + f.counts[boolean] }

// fields are the places of a sample, in the order of their appearance.
type fields struct {
	list []*field
	by   map[string]*field // by name; of two the first
	root field
}

// collect adds the fields of an object that went through the scanner, the sample's line of that index.
func (f *fields) collect(line []byte, index int) {
	if f.by == nil {
		f.by = map[string]*field{}
	}
	s := scanner{b: line, hexEscapes: true}
	f.members(&s, space(line, 0)+1, &f.root, index)
}

// has says whether a line has the field.
func (f *fields) has(name string, index int) bool {
	have := f.by[name]
	return have != nil && have.seen[index/64]>>(index%64)&1 != 0
}

func (f *fields) members(s *scanner, i int, parent *field, index int) {
	for i = space(s.b, i); i < len(s.b) && s.b[i] == '"'; {
		end, escaped := s.quoted(i + 1)
		if end < 0 {
			return
		}
		name := s.b[i+1 : end-1]
		if escaped {
			name = unescape(nil, name)
		}
		i = space(s.b, space(s.b, end)+1)
		if end = s.value(i, nil, 0); end < 0 {
			return
		}
		f.value(s, i, end, f.at(parent, name), index)
		if i = space(s.b, end); i < len(s.b) && s.b[i] == ',' {
			i = space(s.b, i+1)
		}
	}
}

func (f *fields) elements(s *scanner, i int, parent *field, index int) {
	i = space(s.b, i)
	for at := 0; at < maxElements && i < len(s.b) && s.b[i] != ']'; at++ {
		end := s.value(i, nil, 0)
		if end < 0 {
			return
		}
		f.value(s, i, end, f.at(parent, []byte(strconv.Itoa(at))), index)
		if i = space(s.b, end); i < len(s.b) && s.b[i] == ',' {
			i = space(s.b, i+1)
		}
	}
}

func (f *fields) value(s *scanner, i, end int, at *field, index int) {
	if at == nil {
		return
	}
	v := valueOf(s.b[i:end])
	at.seen[index/64] |= 1 << (index % 64)
	at.counts[v.kind]++
	if len(at.examples) < maxExamples && v.kind <= boolean && len(v.raw) <= maxExampleAt {
		at.examples = append(at.examples, unescape(nil, v.raw))
	}
	if len(at.path) >= maxDepth {
		return
	}
	switch v.kind {
	case object:
		f.members(s, i+1, at, index)
	case array:
		f.elements(s, i+1, at, index)
	}
}

// at returns a field below another, made if it is new; nil when there are too many.
func (f *fields) at(parent *field, name []byte) *field {
	for _, have := range parent.below {
		if have.path[len(have.path)-1] == string(name) {
			return have
		}
	}
	if len(f.list) >= maxFields {
		return nil
	}
	path := append(slices.Clip(parent.path), string(name))
	made := &field{path: path, name: strings.Join(path, ".")}
	made.plain = plainName(made.name)
	parent.below = append(parent.below, made)
	f.list = append(f.list, made)
	if f.by[made.name] == nil {
		f.by[made.name] = made
	}
	return made
}

// valueOf makes a value of its text, which went through the scanner.
func valueOf(raw []byte) value {
	switch raw[0] {
	case '"':
		inner := raw[1 : len(raw)-1]
		return value{raw: inner, kind: text, escaped: bytes.IndexByte(inner, '\\') >= 0}
	case '{':
		return value{raw: raw, kind: object}
	case '[':
		return value{raw: raw, kind: array}
	case 't', 'f':
		return value{raw: raw, kind: boolean}
	case 'n':
		return value{raw: raw, kind: null}
	}
	return value{raw: raw, kind: number}
}

// find looks a field up as a user names it: with or without a dot in front, exactly so, or else without
// minding case and the signs between words if that leaves one. A path that the sample does not have is
// believed when the object that it goes through is there: headers come and go.
func (f *fields) find(name string) (path []string, ok bool) {
	name = strings.TrimPrefix(name, ".")
	if have := f.by[name]; have != nil {
		return have.path, true
	}
	var like []*field
	for _, have := range f.list {
		if have.plain == plainName(name) {
			like = append(like, have)
		}
	}
	if len(like) == 1 {
		return like[0].path, true
	}
	parts := strings.Split(name, ".")
	for i := len(parts) - 1; i > 0; i-- {
		if p := f.by[strings.Join(parts[:i], ".")]; p != nil {
			return parts, p.counts[object]+p.counts[array] > 0
		}
	}
	return nil, false
}

// names lists the fields for a message: those that hold a plain value, in order of appearance.
func (f *fields) names() string {
	var out []string
	for _, have := range f.list {
		if have.scalars() > 0 {
			out = append(out, strconv.Quote(have.name))
		}
	}
	if len(out) > maxListed {
		out = append(out[:maxListed], "...")
	}
	return strings.Join(out, ", ")
}
