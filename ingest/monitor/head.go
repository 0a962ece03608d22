package monitor

import (
	"bytes"
	"math"
)

// Kind says who issued a call.
type Kind uint8

const (
	// Client is a connection.
	Client Kind = iota
	// Lua is a script or function, of whatever engine: the line names no client.
	Lua
	// Module is a module's own call (RM_Call): its command has a line of its own.
	Module
)

// maxSeconds is the last whole second that fits in int64 nanoseconds.
const maxSeconds = math.MaxInt64/1_000_000_000 - 1

// stampDigits is the length of the seconds of any capture since 2001: what is looked for behind a prefix.
const stampDigits = 10

// head is the front of a line: "secs.usec [db origin] " or, up to Redis 2.4, "secs.usec (db N) ".
type head struct {
	time int64 // nanoseconds since 1970 UTC
	db   int
	old  bool // Redis 2.4: no origin
	next int  // where the origin begins, or the first argument of an old line
}

// headAt reads the head that begins at the first byte of b. Nothing is said yet of how the origin ends.
func headAt(b []byte) (head, bool) {
	var h head
	secs, n := number(b, stampDigits)
	if n == 0 || n >= len(b) || b[n] != '.' {
		return h, false
	}
	// Redis prints six digits. Dragonfly drops leading zeros and adds a stray digit, so any count is
	// taken as a decimal: the second is right, the order inside it is not.
	frac, m := number(b[n+1:], 9)
	i := n + 1 + m
	if m == 0 || i+1 >= len(b) || b[i] != ' ' {
		return h, false
	}
	for k := m; k < 9; k++ {
		frac *= 10
	}
	h.time = min(secs, maxSeconds)*1_000_000_000 + frac
	i++
	switch {
	case b[i] == '[':
		db, k := number(b[i+1:], 9)
		i += 1 + k
		if k == 0 || i >= len(b) || b[i] != ' ' {
			return h, false
		}
		h.db, h.next = int(db), i+1
		return h, true
	// The old forms are close to other logs (nginx: $msec "$request"), so they must look exact.
	case n != stampDigits || m != 6:
		return h, false
	case bytes.HasPrefix(b[i:], []byte("(db ")):
		db, k := number(b[i+4:], 9)
		i += 4 + k
		if k == 0 || !bytes.HasPrefix(b[i:], []byte(") ")) {
			return h, false
		}
		h.db, i = int(db), i+2
	}
	h.old, h.next = true, i
	return h, bytes.HasPrefix(b[i:], []byte(`"`)) || bytes.HasPrefix(b[i:], []byte(`\"`))
}

// kind tells the three origins apart by the bytes behind the database number.
func (h head) kind(b []byte) Kind {
	rest := b[h.next:]
	switch {
	case h.old:
		return Client
	case bytes.HasPrefix(rest, []byte("lua] ")):
		return Lua
	// Redis 6.0 prints ?:0 for the fake client of a module, later ones and Valkey print nothing.
	case bytes.HasPrefix(rest, []byte("] ")), bytes.HasPrefix(rest, []byte("?:0] ")):
		return Module
	}
	return Client
}

// origin splits b behind the head: the origin ends at the first `] "`. An IPv6 address and a socket path
// may hold a bracket and a space, but not that.
func (h head) origin(b []byte) (origin, args []byte, ok bool) {
	rest := b[h.next:]
	if h.old {
		return nil, rest, true
	}
	for from := 0; ; {
		j := bytes.IndexByte(rest[from:], ']')
		if j < 0 {
			return nil, nil, false
		}
		j += from
		if bytes.HasPrefix(rest[j+1:], []byte(` "`)) {
			return rest[:j], rest[j+2:], true
		}
		from = j + 1
	}
}

// number reads up to most decimal digits and says how many there were; 0 when there are more.
func number(b []byte, most int) (v int64, n int) {
	for n < len(b) && b[n]-'0' <= 9 {
		if n == most {
			return 0, 0
		}
		v = v*10 + int64(b[n]-'0')
		n++
	}
	return v, n
}

// hostOf is the client's address without its port: the same host is one client however many
// connections it opens, and over IPv4 or IPv4-mapped IPv6. A socket path stays whole.
func hostOf(origin []byte) []byte {
	if bytes.HasPrefix(origin, []byte("unix:")) {
		return origin
	}
	if colon := bytes.LastIndexByte(origin, ':'); colon >= 0 {
		origin = origin[:colon]
	}
	if n := len(origin); n >= 2 && origin[0] == '[' && origin[n-1] == ']' {
		origin = origin[1 : n-1]
	}
	const mapped = "::ffff:"
	if len(origin) > len(mapped) && bytes.EqualFold(origin[:len(mapped)], []byte(mapped)) {
		if v4 := origin[len(mapped):]; bytes.IndexByte(v4, '.') > 0 && bytes.IndexByte(v4, ':') < 0 {
			return v4
		}
	}
	return origin
}
