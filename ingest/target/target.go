// Package target takes request targets and addresses apart, as HTTP logs hold them: bytes come in, parts
// of them leave.
package target

import "bytes"

// Parameter returns the value of the first parameter of that name in a query (without its "?"), as it
// stands: percent-encoding is not undone. ok says whether the parameter is there; one without "=" has no
// value.
func Parameter(query, name []byte) (value []byte, ok bool) {
	for len(query) > 0 {
		pair := query
		if i := bytes.IndexByte(query, '&'); i >= 0 {
			pair, query = query[:i], query[i+1:]
		} else {
			query = nil
		}
		if bytes.HasPrefix(pair, name) {
			if len(pair) == len(name) {
				return nil, true
			}
			if pair[len(name)] == '=' {
				return pair[len(name)+1:], true
			}
		}
	}
	return nil, false
}

// PercentDecode appends a text to dst with its percent-encoding undone (RFC 3986, 2.1). A % without two
// hex digits behind it stays.
func PercentDecode(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '%')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i:]
		if v, ok := HexByte(text[1:]); ok {
			dst, text = append(dst, v), text[3:]
		} else {
			dst, text = append(dst, '%'), text[1:]
		}
	}
}

// HexByte reads the two hex digits that a text begins with.
func HexByte(b []byte) (v byte, ok bool) {
	if len(b) < 2 {
		return 0, false
	}
	high, ok1 := HexDigit(b[0])
	low, ok2 := HexDigit(b[1])
	return high<<4 | low, ok1 && ok2
}

// HexDigit reads one hex digit.
func HexDigit(c byte) (v byte, ok bool) {
	switch {
	case c-'0' <= 9:
		return c - '0', true
	case c|0x20-'a' < 6:
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// Host takes the port, and the brackets of an IPv6 address, off an address.
func Host(address []byte) []byte {
	if len(address) == 0 {
		return address
	}
	if address[0] == '[' {
		if end := bytes.IndexByte(address, ']'); end > 0 {
			return address[1:end]
		}
		return address
	}
	if i := bytes.IndexByte(address, ':'); i >= 0 && bytes.IndexByte(address[i+1:], ':') < 0 {
		return address[:i]
	}
	return address
}
