package accesslog

import "bytes"

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
			if v, ok := hexByte(b[1:]); ok {
				dst, n = append(dst, v), 3
			} else {
				dst, n = append(dst, mark), 1
			}
		case c == 'x':
			if v, ok := hexByte(b[2:]); ok {
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

// percentDecode appends a text to dst with its percent-encoding undone. What is no encoding stays.
func percentDecode(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '%')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		b = b[i:]
		if v, ok := hexByte(b[1:]); ok {
			dst, b = append(dst, v), b[3:]
		} else {
			dst, b = append(dst, '%'), b[1:]
		}
	}
}

// hexByte reads two hex digits.
func hexByte(b []byte) (byte, bool) {
	if len(b) < 2 {
		return 0, false
	}
	high, ok1 := hexDigit(b[0])
	low, ok2 := hexDigit(b[1])
	return high<<4 | low, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c-'0' <= 9:
		return c - '0', true
	case c|0x20-'a' < 6:
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
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
