package monitor

import "bytes"

// end says how the arguments of a line end.
type end uint8

const (
	whole   end = iota
	damaged     // something stands where a space or the end of the line should
	open        // the last argument has no closing quote
)

// scratch is the storage that lines are decoded into; it is used again for every line.
type scratch struct {
	argv [][]byte
	// text takes arguments that have escapes, unwrapped the line without its string.
	text, unwrapped []byte
	// odd is set when an escape was met that the server does not write.
	odd bool
}

// arguments decodes `"a" "b"…` into argv. Of a damaged or open line the last entry of argv is what was
// read of the argument in question, possibly nothing.
func (s *scratch) arguments(b []byte) end {
	s.argv, s.text, s.odd = s.argv[:0], s.text[:0], false
	for {
		if len(b) == 0 {
			return whole
		}
		if b[0] != '"' {
			s.argv = append(s.argv, nil)
			return damaged
		}
		b = b[1:]
		q := bytes.IndexByte(b, '"')
		first := b
		if q >= 0 {
			first = b[:q]
		}
		if bytes.IndexByte(first, '\\') >= 0 {
			if q = s.unescape(b); q < 0 {
				return open
			}
		} else {
			s.argv = append(s.argv, first)
			if q < 0 {
				return open
			}
		}
		b = b[q+1:]
		if len(b) == 0 {
			return whole
		}
		if b[0] != ' ' {
			return damaged
		}
		b = bytes.TrimLeft(b, " ")
	}
}

// unescape decodes one argument up to its closing quote, appends it to argv and returns where the quote
// is, or -1.
func (s *scratch) unescape(b []byte) int {
	// No argument is longer than its text, so storage for the line is made once and arguments already
	// in it stay where they are.
	if need := len(s.text) + len(b); need > cap(s.text) {
		s.text = make([]byte, 0, need)
	}
	start, i := len(s.text), 0
	closed := -1
scan:
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			closed = i
			break scan
		case '\\':
			if cutEscape(b[i:]) {
				break scan
			}
			c, n := escape(b[i:])
			if n == 0 {
				// Redis 2.2 wrote a control byte as a lone backslash. What it stood for is lost, so
				// both characters are kept.
				s.odd = true
				s.text = append(s.text, b[i:i+2]...)
				i += 2
				continue
			}
			s.text = append(s.text, c)
			i += n
		default:
			s.text = append(s.text, c)
			i++
		}
	}
	s.argv = append(s.argv, s.text[start:len(s.text):len(s.text)])
	return closed
}

// escape decodes the escape at the front of b (which begins with a backslash) as the server writes them
// (sdscatrepr in Redis's sds.c). It returns the byte and the escape's length, 0 for any other.
func escape(b []byte) (byte, int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '\\', '"':
		return b[1], 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'a':
		return '\a', 2
	case 'b':
		return '\b', 2
	case 'x':
		if v, ok := hex(b[2:], 2); ok {
			return byte(v), 4
		}
	}
	return 0, 0
}

// cutEscape says that b is the beginning of an escape and nothing follows.
func cutEscape(b []byte) bool {
	if len(b) == 1 {
		return true
	}
	_, digits := hex(b[2:], len(b)-2)
	return b[1] == 'x' && len(b) < 4 && digits
}

// hex reads n hex digits of either case.
func hex(b []byte, n int) (v uint32, ok bool) {
	if len(b) < n {
		return 0, false
	}
	for _, c := range b[:n] {
		v <<= 4
		switch {
		case c-'0' <= 9:
			v |= uint32(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v |= uint32(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return v, true
}
