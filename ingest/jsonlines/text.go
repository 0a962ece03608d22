package jsonlines

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"keyskew/ingest/target"
)

// unescape appends the bytes that a string means. raw went through the scanner. A half of a surrogate
// pair alone becomes U+FFFD, as in encoding/json.
func unescape(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		c := raw[i+1]
		raw = raw[i+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'x':
			v := hexDigits(raw, 2)
			raw = raw[min(2, len(raw)):]
			dst = append(dst, byte(v))
			continue
		case 'u':
			r := hexDigits(raw, 4)
			raw = raw[min(4, len(raw)):]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
					low = hexDigits(raw[2:], 4)
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					raw = raw[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
}

// hexDigits reads the first n hex digits, -1 if there are fewer.
func hexDigits(b []byte, n int) rune {
	if len(b) < n {
		return -1
	}
	var v rune
	for _, c := range b[:n] {
		d, ok := target.HexDigit(c)
		if !ok {
			return -1
		}
		v = v<<4 | rune(d)
	}
	return v
}

// unset says that a field stands for nothing: logs write "-" for what is missing.
func unset(b []byte) bool { return len(b) == 0 || len(b) == 1 && b[0] == '-' }

// splitTarget splits the target of a request into host, path and query (without the "?"). The absolute form
// that proxies get loses its scheme; every other form has no host.
func splitTarget(b []byte) (host, path, query []byte) {
	if len(b) > 0 && b[0] != '/' {
		if scheme, rest, ok := bytes.Cut(b, []byte("://")); ok && isScheme(scheme) {
			i := bytes.IndexAny(rest, "/?")
			if i < 0 {
				return rest, rootPath, nil
			}
			host, b = rest[:i], rest[i:]
			if b[0] == '?' {
				return host, rootPath, b[1:]
			}
		}
	}
	if i := bytes.IndexByte(b, '?'); i >= 0 {
		return host, b[:i], b[i+1:]
	}
	return host, b, nil
}

var rootPath = []byte("/")

func isScheme(b []byte) bool {
	for _, c := range b {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return len(b) > 0
}

// requestLine splits "GET /path HTTP/1.1". The protocol may be missing, and the target may hold spaces.
func requestLine(b []byte) (method, target []byte) {
	method, target, ok := bytes.Cut(b, []byte(" "))
	if !ok {
		return nil, nil
	}
	if i := bytes.LastIndexByte(target, ' '); i >= 0 && bytes.HasPrefix(target[i+1:], []byte("HTTP/")) {
		target = target[:i]
	}
	return method, target
}

// isMethod says that b may be an HTTP method: letters, perhaps with - or _.
func isMethod(b []byte) bool {
	for _, c := range b {
		if (c|0x20 < 'a' || c|0x20 > 'z') && c != '-' && c != '_' {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 32
}

// hostOf takes the port off an address; of a list of addresses it takes the first.
func hostOf(b []byte) []byte {
	if i := bytes.IndexByte(b, ','); i >= 0 {
		b = bytes.TrimSpace(b[:i])
	}
	return target.Host(b)
}

// lastServer returns the last of a list of servers that a request was tried on, and how many there are.
// nginx writes "a, b" for a retry and "a : b" for an internal redirect.
func lastServer(b []byte) (last []byte, tries int) {
	if bytes.IndexByte(b, ' ') < 0 {
		return b, 1
	}
	tries = 1 + bytes.Count(b, []byte(", "))
	if i := max(bytes.LastIndex(b, []byte(", ")), bytes.LastIndex(b, []byte(" : "))); i >= 0 {
		b = bytes.TrimLeft(b[i:], ",: ")
	}
	return b, tries
}
