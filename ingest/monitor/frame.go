package monitor

import (
	"bytes"
	"unicode/utf8"
)

// Framings, as Sniff names them.
const (
	FramingPlain    = "redis-cli"  // the line as it is, from a pipe or a terminal
	FramingSocket   = "raw socket" // nc or telnet: a + in front of each line, CRLF behind
	FramingCSV      = "csv"        // redis-cli --csv, and --json, which prints the same: a string of its own
	FramingJSON     = "json"       // a string inside a JSON object or another log's field
	FramingPrefixed = "prefixed"   // text in front: docker, kubectl, journald, ts, a comment, indentation
	FramingOld      = "redis 2.4"  // no origin
)

// frame says where in a physical line the MONITOR line stands.
type frame struct {
	at     int // first byte of the time
	head   head
	quoted bool // it is the inside of a string, with one layer of escapes
	name   string
}

// locate finds the MONITOR line in a physical line: at its front, or behind the first text that ends in
// a time and an origin. The front is tried first, so that a value which looks like a MONITOR line is
// never taken for one. No memory of earlier lines: what a line means must not depend on its neighbours.
func locate(line []byte) (frame, bool) {
	at := 0
	if len(line) > 0 && line[0] == '+' {
		at = 1
	}
	if h, ok := headAt(line[at:]); ok {
		return framed(line, at, h), true
	}
	// A time is ten digits and a point; points are rare in a prefix.
	for from := 0; ; {
		dot := bytes.IndexByte(line[from:], '.')
		if dot < 0 {
			return frame{}, false
		}
		dot += from
		from = dot + 1
		at := dot - stampDigits
		if at < 0 || at > 0 && line[at-1]-'0' <= 9 {
			continue
		}
		if h, ok := headAt(line[at:]); ok {
			return framed(line, at, h), true
		}
	}
}

func framed(line []byte, at int, h head) frame {
	f := frame{at: at, head: h, name: FramingPlain}
	before := line[:at]
	if n := len(before); n > 0 && before[n-1] == '+' {
		before = before[:n-1]
		f.name = FramingSocket
	}
	if n := len(before); n > 0 {
		f.name = FramingPrefixed
		if before[n-1] == '"' {
			// Inside a string the first quote of the command is escaped.
			q := bytes.IndexByte(line[at:], '"')
			f.quoted = q > 0 && line[at+q-1] == '\\'
		}
		if f.quoted {
			f.name = FramingCSV
			if n > 1 {
				f.name = FramingJSON
			}
		}
	}
	if h.old {
		f.name = FramingOld
	}
	return f
}

// unwrap appends the inside of a string to dst, up to its closing quote or the end: the escapes of
// redis-cli's CSV output and those of JSON, one layer.
func unwrap(dst, b []byte) []byte {
	for len(b) > 0 {
		i := bytes.IndexAny(b, `"\`)
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		b = b[i:]
		if b[0] == '"' || len(b) == 1 {
			return dst
		}
		switch c := b[1]; c {
		case '"', '\\', '/':
			dst, b = append(dst, c), b[2:]
			continue
		case 'f':
			dst, b = append(dst, '\f'), b[2:]
			continue
		case 'u':
			// MONITOR text is ASCII; JSON writers escape a few of its characters (<, > and & in Go).
			// A surrogate half comes out as U+FFFD: it can only be foreign text.
			if r, ok := hex(b[2:], 4); ok {
				dst, b = utf8.AppendRune(dst, rune(r)), b[6:]
				continue
			}
		}
		c, n := escape(b)
		if n == 0 {
			dst, b = append(dst, b[:2]...), b[2:]
			continue
		}
		dst, b = append(dst, c), b[n:]
	}
	return dst
}
