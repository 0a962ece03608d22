package accesslog

import (
	"bytes"

	"keyskew/ingest/target"
)

// unescape appends a text to dst with the log's escapes undone: after a backslash those of nginx (\xHH)
// and Apache (also \" \\ \n \r \t \b \v \f), after a number sign the two digits of HAProxy. What is no
// escape stays as it is.
func unescape(dst, b []byte, mark byte) []byte {
	for {
		i := bytes.IndexByte(b, mark)
		if i < 0 || i+1 == len(b) {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		b = b[i:]
		n := 2
		switch c := b[1]; {
		case mark == '#':
			if v, ok := target.HexByte(b[1:]); ok {
				dst, n = append(dst, v), 3
			} else {
				dst, n = append(dst, mark), 1
			}
		case c == 'x':
			if v, ok := target.HexByte(b[2:]); ok {
				dst, n = append(dst, v), 4
			} else {
				dst = append(dst, b[:2]...)
			}
		default:
			if j := bytes.IndexByte([]byte(`"\ntrbvf`), c); j >= 0 {
				dst = append(dst, "\"\\\n\t\r\b\v\f"[j])
			} else {
				dst = append(dst, b[:2]...)
			}
		}
		b = b[n:]
	}
}

// closing returns the index of the quote that ends a quoted text, whose first byte is b[0]; -1 when it
// does not end. A backslash and the byte behind it are a pair: Apache writes \", and in what nginx
// writes no quote follows a backslash.
func closing(b []byte) int {
	at := 0
	for {
		i := bytes.IndexByte(b[at:], '"')
		if i < 0 {
			return -1
		}
		at += i
		slashes := 0
		for slashes < at && b[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
		at++
	}
}
