package jsonlines

import (
	"encoding/binary"
	"math/bits"

	"keyskew/ingest/target"
)

// kind is what a JSON value is.
type kind uint8

const (
	absent kind = iota
	text
	number
	boolean
	null
	object
	array
)

// value is one value of a record. raw is its text as it stands in the line; of a string what is between
// the quotes, with its escapes if escaped is set.
type value struct {
	raw     []byte
	kind    kind
	escaped bool
}

// node is a place in a record that is wanted, or that wanted places are below.
type node struct {
	name     string
	index    int // of an element of an array, -1 if the name is no number
	slot     int // where the value goes, -1 if only places below are wanted
	children []*node
	lengths  uint64 // bit n is set when a child has a name of n bytes (63: or more)
	under    []int  // slots of all places below
}

func newPlan() *node { return &node{index: -1, slot: -1} }

// add asks for the value at path, to be put in slot.
func (n *node) add(path []string, slot int) {
	for _, name := range path {
		n.under = append(n.under, slot)
		var next *node
		for _, c := range n.children {
			if c.name == name {
				next = c
			}
		}
		if next == nil {
			next = &node{name: name, index: elementIndex(name), slot: -1}
			n.children = append(n.children, next)
			n.lengths |= 1 << min(len(name), 63)
		}
		n = next
	}
	n.slot = slot
}

// elementIndex reads the number of an element in a path.
func elementIndex(name string) int {
	if name == "" || len(name) > 6 || name[0] == '0' && len(name) > 1 {
		return -1
	}
	n := 0
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}

func (n *node) member(name []byte) *node {
	if n.lengths&(1<<min(len(name), 63)) == 0 {
		return nil
	}
	for _, c := range n.children {
		if c.name == string(name) {
			return c
		}
	}
	return nil
}

func (n *node) element(i int) *node {
	for _, c := range n.children {
		if c.index == i {
			return c
		}
	}
	return nil
}

// outcome says how the scan of a line ended.
type outcome uint8

const (
	whole    outcome = iota
	broken           // no JSON
	open             // it ends too early, and is right so far
	noObject         // it does not begin like an object
)

// maxNested is how deep values may be nested, as in encoding/json.
const maxNested = 10000

// scanner reads one object and keeps the values that its plan asks for. It checks all of the grammar of
// RFC 8259, so it takes what encoding/json takes, with two differences: bytes that are not UTF-8 stay as
// they are (keys are bytes), and with hexEscapes also \xHH is an escape, which nginx writes unless its
// log_format says escape=json. Of a name that stands twice in an object the last value counts.
type scanner struct {
	b          []byte
	slots      []value
	hexEscapes bool
	// hex is set when the record had such an escape.
	hex  bool
	end  outcome
	name []byte
}

// scan reads a line. Unless it is whole, the values in front of the fault are there all the same.
func (s *scanner) scan(line []byte, plan *node) outcome {
	s.b, s.end, s.hex = line, whole, false
	clear(s.slots)
	i := space(line, 0)
	if i == len(line) || line[i] != '{' {
		return noObject
	}
	i = s.value(i, plan, 0)
	if i >= 0 && space(line, i) != len(line) {
		return broken
	}
	return s.end
}

// fail ends the scan at i: where the line ends nothing is wrong yet.
func (s *scanner) fail(i int) int {
	s.end = broken
	if i >= len(s.b) {
		s.end = open
	}
	return -1
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// value reads the value at i and returns where it ends, -1 after a failure. n is nil when it is not
// wanted.
func (s *scanner) value(i int, n *node, depth int) int {
	if i >= len(s.b) {
		return s.fail(i)
	}
	if n != nil {
		for _, slot := range n.under {
			s.slots[slot] = value{}
		}
	}
	v := value{}
	start, end := i, 0
	switch s.b[i] {
	case '"':
		v.kind = text
		if end, v.escaped = s.quoted(i + 1); end < 0 {
			return -1
		}
		v.raw = s.b[i+1 : end-1]
		if n != nil && n.slot >= 0 {
			s.slots[n.slot] = v
		}
		return end
	case '{':
		v.kind, end = object, s.object(i+1, n, depth+1)
	case '[':
		v.kind, end = array, s.array(i+1, n, depth+1)
	case 't':
		v.kind, end = boolean, s.word(i, "true")
	case 'f':
		v.kind, end = boolean, s.word(i, "false")
	case 'n':
		v.kind, end = null, s.word(i, "null")
	default:
		v.kind, end = number, s.number(i)
	}
	if end >= 0 && n != nil && n.slot >= 0 {
		v.raw = s.b[start:end]
		s.slots[n.slot] = v
	}
	return end
}

// object reads from behind the opening brace to behind the closing one.
func (s *scanner) object(i int, n *node, depth int) int {
	if depth > maxNested {
		return s.fail(0)
	}
	i = space(s.b, i)
	if i < len(s.b) && s.b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(s.b) || s.b[i] != '"' {
			return s.fail(i)
		}
		end, escaped := s.quoted(i + 1)
		if end < 0 {
			return -1
		}
		var next *node
		if n != nil {
			name := s.b[i+1 : end-1]
			if escaped {
				s.name = unescape(s.name[:0], name)
				name = s.name
			}
			next = n.member(name)
		}
		i = space(s.b, end)
		if i >= len(s.b) || s.b[i] != ':' {
			return s.fail(i)
		}
		i = s.value(space(s.b, i+1), next, depth)
		if i < 0 {
			return -1
		}
		i = space(s.b, i)
		if i >= len(s.b) {
			return s.fail(i)
		}
		switch s.b[i] {
		case ',':
			i = space(s.b, i+1)
		case '}':
			return i + 1
		default:
			return s.fail(i)
		}
	}
}

// array reads from behind the opening bracket to behind the closing one.
func (s *scanner) array(i int, n *node, depth int) int {
	if depth > maxNested {
		return s.fail(0)
	}
	i = space(s.b, i)
	if i < len(s.b) && s.b[i] == ']' {
		return i + 1
	}
	for at := 0; ; at++ {
		var next *node
		if n != nil {
			next = n.element(at)
		}
		if i = s.value(i, next, depth); i < 0 {
			return -1
		}
		i = space(s.b, i)
		if i >= len(s.b) {
			return s.fail(i)
		}
		switch s.b[i] {
		case ',':
			i = space(s.b, i+1)
		case ']':
			return i + 1
		default:
			return s.fail(i)
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// quoted reads from behind a string's opening quote to behind the closing one. It looks at eight bytes
// at a time for a quote, a backslash or a control character: a byte of x is below n where
// (x - n*ones) &^ x has its high bit, and bits above the lowest such byte may be wrong, so only the
// lowest is used (Warren, Hacker's Delight, 2nd ed., 6-1).
func (s *scanner) quoted(i int) (end int, escaped bool) {
	b := s.b
	for {
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			q, e := x^('"'*ones), x^('\\'*ones)
			hit := ((q-ones)&^q | (e-ones)&^e | (x-' '*ones)&^x) & highs
			if hit != 0 {
				i += bits.TrailingZeros64(hit) / 8
				break
			}
			i += 8
		}
		if i >= len(b) {
			return s.fail(i), escaped
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, escaped
		case c == '\\':
			escaped = true
			if i = s.escape(i + 1); i < 0 {
				return -1, escaped
			}
		case c < ' ':
			return s.fail(i), escaped
		default:
			i++
		}
	}
}

// escape reads what follows a backslash.
func (s *scanner) escape(i int) int {
	if i >= len(s.b) {
		return s.fail(i)
	}
	digits := 0
	switch s.b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
	case 'u':
		digits = 4
	case 'x':
		if !s.hexEscapes {
			return s.fail(i)
		}
		digits, s.hex = 2, true
	default:
		return s.fail(i)
	}
	for i++; digits > 0; digits-- {
		if i >= len(s.b) {
			return s.fail(i)
		}
		if _, ok := target.HexDigit(s.b[i]); !ok {
			return s.fail(i)
		}
		i++
	}
	return i
}

// word reads a literal.
func (s *scanner) word(i int, want string) int {
	for j := range len(want) {
		if i+j >= len(s.b) || s.b[i+j] != want[j] {
			return s.fail(i + j)
		}
	}
	return i + len(want)
}

// number reads a number.
func (s *scanner) number(i int) int {
	b := s.b
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = s.digits(i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = s.digits(i + 1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return s.digits(i)
	}
	return i
}

// digits reads at least one digit.
func (s *scanner) digits(i int) int {
	start := i
	for i < len(s.b) && s.b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return s.fail(i)
	}
	return i
}
