package ingest

import (
	"errors"
	"fmt"
)

// glob is a pattern over bytes, as the KEYS command of Redis takes them: * is any bytes, ? one byte,
// [a-z] and [^a-z] one of a set, and a backslash takes the next byte as it stands.
type glob []globStep

type globStep struct {
	any  bool // *
	one  bool // ?
	set  *[256]bool
	byte byte
}

func parseGlob(pattern string) (glob, error) {
	if pattern == "" {
		return nil, errors.New("the pattern is empty")
	}
	var g glob
	for at := 0; at < len(pattern); at++ {
		switch c := pattern[at]; c {
		case '*':
			if len(g) == 0 || !g[len(g)-1].any {
				g = append(g, globStep{any: true})
			}
		case '?':
			g = append(g, globStep{one: true})
		case '[':
			set, n := parseSet(pattern[at:])
			if n == 0 {
				return nil, fmt.Errorf("%q: the [ at position %d is not closed", pattern, at+1)
			}
			g = append(g, globStep{set: set})
			at += n - 1
		case '\\':
			if at++; at == len(pattern) {
				return nil, fmt.Errorf("%q ends in a backslash", pattern)
			}
			g = append(g, globStep{byte: pattern[at]})
		default:
			g = append(g, globStep{byte: c})
		}
	}
	return g, nil
}

// parseSet reads the set that p begins with and says how long it is; 0 when it does not close.
func parseSet(p string) (*[256]bool, int) {
	at := 1
	not := at < len(p) && (p[at] == '^' || p[at] == '!')
	if not {
		at++
	}
	var set [256]bool
	for first := true; ; first = false {
		if at >= len(p) {
			return nil, 0
		}
		if p[at] == ']' && !first {
			break
		}
		from, n := setByte(p[at:])
		at += n
		to := from
		if at+1 < len(p) && p[at] == '-' && p[at+1] != ']' {
			at++
			to, n = setByte(p[at:])
			at += n
		}
		for c := int(min(from, to)); c <= int(max(from, to)); c++ {
			set[c] = true
		}
	}
	if not {
		for c := range set {
			set[c] = !set[c]
		}
	}
	return &set, at + 1
}

// setByte reads one byte of a set, which a backslash may stand before.
func setByte(p string) (byte, int) {
	if p[0] == '\\' && len(p) > 1 {
		return p[1], 2
	}
	return p[0], 1
}

// match reports whether the pattern fits all of b. A * gives way one byte at a time, and only the last
// one that was met has to: the time is at most the product of the lengths.
func (g glob) match(b []byte) bool {
	at, step := 0, 0
	star, from := -1, 0
	for at < len(b) {
		switch {
		case step < len(g) && g[step].any:
			star, from = step, at
			step++
			continue
		case step < len(g) && g[step].fits(b[at]):
			at++
			step++
			continue
		case star < 0:
			return false
		}
		from++
		at, step = from, star+1
	}
	for step < len(g) && g[step].any {
		step++
	}
	return step == len(g)
}

func (s *globStep) fits(c byte) bool {
	return s.one || s.set != nil && s.set[c] || s.set == nil && !s.any && s.byte == c
}
