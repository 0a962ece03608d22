package accesslog

import (
	"bytes"
	"time"

	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

// clf reads the common log format and what grew out of it: lines with a client, a time in brackets, a
// request in quotes, a status and a size. It anchors on the time and the quotes, not on blanks: user
// names, targets and agents may hold those.
type clf struct {
	filler
	// tail is what is known of the words behind the size; nil leaves them alone.
	tail *tail
	// traefik reads the tail of Traefik.
	traefik bool
	// rest is what stood behind the size of the last line.
	rest []byte
}

func newCLF(zone *time.Location) *clf { return &clf{filler: filler{clock: newClock(zone)}} }

func (p *clf) parse(line []byte, r *record) request.Reason {
	if at := plainOrigin(line); at > 0 {
		var n int
		if r.time, n = p.clock.bracket(line[at:]); n > 0 {
			r.client, r.bare = line[:at-len(noNames)], true
			return p.behindTime(line[at+n+1:], r)
		}
	}
	at := 0
	n := 0
	for {
		i := bytes.IndexByte(line[at:], '[')
		if i < 0 {
			return reasonForeign
		}
		at += i + 1
		if r.time, n = p.clock.bracket(line[at:]); n > 0 {
			break
		}
	}
	if !origin(line[:at-1], r) {
		return reasonForeign
	}
	return p.behindTime(line[at+n+1:], r)
}

// noNames stands between client and time in nearly all lines: no identity, no user.
const noNames = " - - ["

// plainOrigin is the short way for an IPv4 address in front of noNames: it returns the index behind, 0
// when the line begins otherwise.
func plainOrigin(line []byte) int {
	dots, i := 0, 0
	for ; i < len(line); i++ {
		if c := line[i]; c == '.' {
			dots++
		} else if c-'0' > 9 {
			break
		}
	}
	if dots != 3 || len(line) < i+len(noNames) || string(line[i:i+len(noNames)]) != noNames {
		return 0
	}
	return i + len(noNames)
}

// behindTime reads the request, the status, the size and the tail.
func (p *clf) behindTime(rest []byte, r *record) request.Reason {
	i := 1
	if len(rest) < 2 || rest[1] != '"' {
		if i = bytes.IndexByte(rest, '"'); i < 0 {
			return reasonForeign
		}
	}
	rest = rest[i+1:]
	var text []byte
	for at := 0; ; at++ {
		end := closing(rest[at:])
		if end < 0 {
			return reasonForeign
		}
		at += end
		// A quote inside that someone failed to escape is not followed by a status.
		if at+2 < len(rest) && rest[at+1] == ' ' && (rest[at+2]-'0' <= 9 || rest[at+2] == '-') {
			text, rest = rest[:at], rest[at+2:]
			break
		}
	}
	switch {
	case rest[0] == '-' && len(rest) > 2 && rest[1] == ' ':
		rest = rest[2:]
	case len(rest) >= 4 && rest[3] == ' ':
		r.status = statusOf(rest[:3])
		rest = rest[4:]
	default:
		return reasonForeign
	}
	n := 0
	for n < len(rest) && rest[n]-'0' <= 9 {
		r.size = r.size*10 + uint64(rest[n]-'0')
		n++
	}
	if n > 18 { // it may not have fitted
		r.size = sizeOf(rest[:n])
	}
	if n == 0 && (len(rest) == 0 || rest[0] != '-') {
		return reasonForeign
	}
	if n == 0 {
		n = 1
	}
	if n < len(rest) && rest[n] != ' ' {
		return reasonForeign
	}
	p.rest = rest[n:]
	if p.traefik {
		traefikTail(p.rest, r)
	} else if p.tail != nil {
		p.tail.read(&p.filler, p.rest, r)
	}
	r.mark = '\\'
	return r.request(text)
}

// origin reads what stands in front of the time: an address, or a virtual host and an address, then the
// identity and the user.
func origin(b []byte, r *record) bool {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	if len(b) == 0 || b[0] == '{' || b[0] == '"' || b[0] == '<' || timestamp.Shaped(b, "0000-00-00T00:") {
		return false // what a collector put in front, not a host
	}
	first, rest := word(b)
	if !isAddress(first) && len(rest) > 0 {
		if second, behind := word(rest); isAddress(second) || hasPort(first) && len(behind) > 0 {
			r.host = said(first)
			first, rest = second, behind
		}
	}
	r.client = said(first)
	if _, user := word(rest); len(user) > 0 {
		r.user = said(user)
	}
	return true
}

// word cuts at the first blank, and takes a comma off the word in front: a list of addresses names the
// client first.
func word(b []byte) (first, rest []byte) {
	first = b
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		first, rest = b[:i], b[i+1:]
	}
	if n := len(first); n > 0 && first[n-1] == ',' {
		first = first[:n-1]
	}
	return first, rest
}

// isAddress says whether b is an IPv4 or IPv6 address, as far as needed to tell one from a host's name.
func isAddress(b []byte) bool {
	if len(b) > 1 && b[0] == '[' && b[len(b)-1] == ']' {
		b = b[1 : len(b)-1]
	}
	dots, colons, letters := 0, 0, false
	for i, c := range b {
		switch {
		case c-'0' <= 9:
		case c == '.':
			dots++
		case c == ':':
			colons++
		case c|0x20-'a' < 6:
			letters = true
		case c == '%' && colons > 1: // a zone
			return i > 2
		default:
			return false
		}
	}
	return colons > 1 || dots == 3 && colons == 0 && !letters
}

// hasPort says whether b ends in a colon and a number.
func hasPort(b []byte) bool {
	i := bytes.LastIndexByte(b, ':')
	return i > 0 && allDigits(b[i+1:])
}

// traefikTail reads Traefik's additions: the number of the request, the router, the server's URL and the
// duration in milliseconds.
func traefikTail(b []byte, r *record) {
	i := bytes.LastIndexByte(b, ' ')
	if i < 0 {
		return
	}
	if d, ok := bytes.CutSuffix(b[i+1:], []byte("ms")); ok {
		r.latency = duration(d, time.Millisecond)
	}
	b = b[:i]
	if n := len(b); n > 0 && b[n-1] == '"' {
		if start := bytes.LastIndexByte(b[:n-1], '"'); start >= 0 {
			r.upstream = said(b[start+1 : n-1])
		}
	}
}

// untimed reads lines of the common log format that lost their time, as in a syslog that has its own.
type untimed struct{ clf }

func (p *untimed) parse(line []byte, r *record) request.Reason {
	quote := bytes.IndexByte(line, '"')
	if quote < 2 || line[quote-1] != ' ' || bytes.IndexByte(line[:quote], '[') >= 0 || !origin(line[:quote], r) ||
		!isAddress(r.client) {
		return reasonForeign
	}
	reason := p.behindTime(line[quote-1:], r)
	if reason == reasonJunk {
		return reasonForeign // without a time and a request there is nothing to know such a line by
	}
	return reason
}
