package monitor

import (
	"bytes"
	"errors"

	"keyskew/ingest/request"
)

// Why a line is no request. The first four are no sign of damage.
const (
	reasonBlank       request.Reason = "blank line"
	reasonSession     request.Reason = "text of the redis-cli or telnet session"
	reasonModule      request.Reason = "call made inside a module (counted with its command)"
	reasonReplication request.Reason = "replication traffic (RREPLAY)"

	reasonForeign   request.Reason = "not a MONITOR line"
	reasonNoCommand request.Reason = "no quoted command after the origin"
	reasonDamaged   request.Reason = "an argument does not end where it should"
	reasonOpen      request.Reason = "an argument is not closed"
	reasonCut       request.Reason = "cut off at the end of the input"
)

// Line is one decoded MONITOR line.
type Line struct {
	// Time is in nanoseconds since 1970 UTC.
	Time int64
	// DB is the number of the database that the line names, 0 where it names none.
	DB int
	// Origin is the client's address as it stands, "lua" for a script; empty for a module and in
	// captures of Redis 2.4.
	Origin []byte
	Kind   Kind
	// Argv is the command and its arguments, escapes decoded.
	Argv [][]byte
}

// ParseLine decodes one line, without its line end, of any framing. What it returns may share memory
// with b. An error says what about the line is wrong; a damaged line has none of the leniency that the
// decoder has.
func ParseLine(b []byte) (Line, error) {
	var s scratch
	p := s.parse(b)
	if p.reason != "" {
		return Line{}, errors.New(string(p.reason))
	}
	return p.Line, nil
}

// parsed is a line and how far it can be trusted.
type parsed struct {
	Line
	framing string
	// reason is empty for a line that is whole. With reasonDamaged and reasonOpen, Argv holds what was
	// read, its last entry unfinished; with the others nothing but Kind.
	reason request.Reason
}

// parse decodes a line without its line end. The result lives until the next call.
func (s *scratch) parse(line []byte) parsed {
	f, ok := locate(line)
	if !ok {
		return parsed{reason: reasonForeign}
	}
	p := parsed{framing: f.name}
	b, h := line[f.at:], f.head
	p.Kind = h.kind(b)
	if f.quoted {
		s.unwrapped = unwrap(s.unwrapped[:0], b)
		b = bytes.TrimRight(s.unwrapped, "\r\n")
		if h, ok = headAt(b); !ok {
			p.reason = reasonForeign
			return p
		}
	}
	p.Time, p.DB = h.time, h.db
	origin, args, ok := h.origin(b)
	if !ok {
		p.reason = reasonNoCommand
		return p
	}
	p.Origin = origin
	end := s.arguments(args)
	p.Argv = s.argv
	switch {
	case end == whole:
	case h.old:
		// Without an origin there is too little to know such a line by unless all of it fits.
		return parsed{reason: reasonForeign, framing: f.name}
	case end == damaged:
		p.reason = reasonDamaged
	default:
		p.reason = reasonOpen
	}
	return p
}

// Continues says that a line, of any framing, belongs to the record in front of it: a call made by a
// script ("lua"), whose EVAL or FCALL comes before it, or by a module, which may stand in between. A
// block must not be cut in front of such a line.
func Continues(line []byte) bool {
	kind, ok := kindOf(line)
	return ok && kind != Client
}

// kindOf says who issued a line's call, for a line that begins as a MONITOR line does.
func kindOf(line []byte) (Kind, bool) {
	f, ok := locate(line)
	if !ok {
		return Client, false
	}
	return f.head.kind(line[f.at:]), true
}

// session recognises what a terminal adds to a capture: banners, prompts, what was typed at them.
func session(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) > 256 {
		return false
	}
	// The banner as a field of another log.
	if bytes.Contains(line, []byte(`"OK"`)) || bytes.Contains(line, []byte(`"OK\n"`)) {
		return true
	}
	lower := bytes.ToLower(bytes.Trim(line, `"+`))
	for _, whole := range []string{"ok", "monitor", "quit", "exit"} {
		if string(lower) == whole {
			return true
		}
	}
	for _, front := range []string{"trying ", "connected to ", "escape character is ", "connection closed"} {
		if bytes.HasPrefix(lower, []byte(front)) {
			return true
		}
	}
	// A prompt or a shell command; the banner behind a log's prefix.
	return bytes.HasSuffix(lower, []byte(" monitor")) || bytes.HasSuffix(lower, []byte("> quit")) ||
		bytes.HasSuffix(line, []byte(" OK"))
}

// trimEnd takes off the line end.
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimRight(line, "\r")
}
