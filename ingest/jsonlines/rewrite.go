package jsonlines

import "io"

// Lines makes lines of JSON values that are not written one to a line: the elements of an array, on one
// line or many, or objects printed over several lines one after the other. What is between two values is
// dropped; in an object a run of white space outside strings becomes one space. It holds 64 KiB, however
// long the objects are, and gives the same lines however r hands out its bytes.
//
// What is no object stays a line of its own, so that it is counted. A line end inside a string, which
// JSON does not allow, ends the value at hand: one broken object does not swallow those behind it.
func Lines(r io.Reader) io.Reader {
	return &liner{r: r, in: make([]byte, 0, 64<<10)}
}

type liner struct {
	r   io.Reader
	in  []byte // read, up to at
	at  int
	err error

	depth   int  // of open braces and brackets of the value at hand
	inside  bool // a value is at hand
	quoted  bool // a string is at hand
	escape  bool // the last byte was a backslash in it
	blank   bool // the last byte was white space outside strings
	newline bool // the value at hand has ended
}

func (l *liner) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	for n == 0 {
		if l.newline {
			l.newline = false
			p[n] = '\n'
			n++
		}
		for l.at < len(l.in) && n < len(p) {
			n = l.take(p, n)
		}
		if n > 0 {
			return n, nil
		}
		if l.err != nil {
			return 0, l.err
		}
		var got int
		got, l.err = l.r.Read(l.in[:cap(l.in)])
		l.in, l.at = l.in[:got], 0
	}
	return n, nil
}

// take reads one byte and writes what it leads to behind the first n bytes of p, one byte unless a value
// ends with it and there is room for two.
func (l *liner) take(p []byte, n int) int {
	c := l.in[l.at]
	l.at++
	switch {
	case l.quoted:
		switch {
		case c == '\n':
			l.depth, l.inside, l.quoted, l.escape = 0, false, false, false
		case l.escape:
			l.escape = false
		case c == '\\':
			l.escape = true
		case c == '"':
			l.quoted = false
		}
		p[n] = c
		return n + 1
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		if l.depth > 0 {
			if l.blank {
				return n
			}
			l.blank = true
			p[n] = ' '
			return n + 1
		}
		return l.endScalar(p, n)
	case l.depth == 0 && (c == ',' || c == ']' || c == '[' && !l.inside):
		return l.endScalar(p, n)
	}
	l.blank = false
	l.inside = true
	p[n] = c
	n++
	switch c {
	case '"':
		l.quoted = true
	case '{', '[':
		l.depth++
	case '}', ']':
		if l.depth = max(0, l.depth-1); l.depth == 0 {
			l.inside = false
			if n == len(p) {
				l.newline = true
				return n
			}
			p[n] = '\n'
			n++
		}
	}
	return n
}

// endScalar ends a value that no brace closes.
func (l *liner) endScalar(p []byte, n int) int {
	if !l.inside {
		return n
	}
	l.inside = false
	p[n] = '\n'
	return n + 1
}
