package wrap

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// field makes a peel of the text in the field of that name, of a line that is one JSON object. Unless
// accept is nil it must accept the text.
func field(name string, accept func([]byte) bool) peel {
	return func(line, scratch []byte) ([]byte, []byte, bool) {
		text, ok := find(line, name)
		if !ok {
			return line, scratch, false
		}
		scratch = unescape(scratch[:0], text)
		inner := bytes.TrimRight(scratch, "\r\n")
		if accept != nil && !accept(inner) {
			return line, scratch, false
		}
		return inner, scratch, true
	}
}

// recordLike tells a log line inside a "message" from a sentence: many programs write both.
func recordLike(text []byte) bool {
	n := len(text)
	return n > 1 && text[0] == '{' && text[n-1] == '}' || bytes.Contains(text, []byte(" HTTP/"))
}

// find returns the raw text of a string field at the top level of a JSON object: what stands between
// its quotes.
func find(line []byte, name string) ([]byte, bool) {
	if len(line) == 0 || line[0] != '{' {
		return nil, false
	}
	depth := 0
	key := false // the string at hand is a name, not a value
	matches := false
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case '{', '[':
			depth++
			key = line[at] == '{'
		case '}', ']':
			depth--
		case ',':
			key = true
		case ':':
			key = false
		case '"':
			text, n := quoted(line[at:])
			if n == 0 {
				return nil, false
			}
			at += n - 1
			if depth != 1 {
				continue
			}
			if key {
				matches = string(text) == name
			} else if matches {
				return text, true
			}
		}
	}
	return nil, false
}

// quoted returns what is between the quotes at the front and how long it is with them; 0 when they do
// not close.
func quoted(b []byte) ([]byte, int) {
	for at := 1; ; {
		i := bytes.IndexByte(b[at:], '"')
		if i < 0 {
			return nil, 0
		}
		at += i
		slashes := 0
		for b[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return b[1:at], at + 1
		}
		at++
	}
}

// unescape appends the text of a JSON string to dst. Escapes that JSON does not have stay as they are.
func unescape(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 == len(b) {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		c := b[i+1]
		b = b[i+2:]
		switch c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			r, ok := hex4(b)
			if !ok {
				dst = append(dst, '\\', 'u')
				continue
			}
			b = b[4:]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
					if half, ok := hex4(b[2:]); ok {
						low = half
					}
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					b = b[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, '\\', c)
		}
	}
}

// hex4 reads four hex digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
