package monitor

import (
	"slices"

	"keyskew/ingest/rediscmd"
)

const (
	// maxUnknown bounds the unknown names of an input that are told apart; further ones are "?". It is
	// far above what renamed commands and modules come to, so that which names are kept does not depend
	// on which decoder saw them first, and leaves the IDs inside 16 bits.
	maxUnknown = 16384
	// maxUnknownName is the length to which an unknown name is cut, in bytes.
	maxUnknownName = 64

	hexDigits = "0123456789abcdef"
)

// names gives the commands that are not in the table IDs behind those that are.
type names struct {
	list    []string
	unknown map[string]unknown
	upper   []byte
}

// unknown is a command that is not in the table.
type unknown struct {
	id             uint16
	taken, skipped string // the two notes, made once
}

func newNames() *names {
	n := &names{list: slices.Clip(rediscmd.Names()), unknown: map[string]unknown{}}
	n.unknown["?"] = named("?", rediscmd.UnknownID)
	return n
}

func named(name string, id uint16) unknown {
	return unknown{
		id:      id,
		taken:   "unknown command " + name + ": its first argument was taken as the key",
		skipped: "unknown command " + name + ": no key was taken from it",
	}
}

// note says what was made of the command's first argument.
func (u unknown) note(taken bool) string {
	if taken {
		return u.taken
	}
	return u.skipped
}

// of returns the entry of an unknown command, whose name is kept in upper case, escaped and cut.
func (n *names) of(name []byte) unknown {
	n.upper = n.upper[:0]
	for _, c := range name[:min(len(name), maxUnknownName)] {
		switch {
		case 'a' <= c && c <= 'z':
			n.upper = append(n.upper, c-('a'-'A'))
		case c > ' ' && c < 0x7f && c != '\\' && c != '"':
			n.upper = append(n.upper, c)
		default:
			n.upper = append(n.upper, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	n.upper = n.upper[:min(len(n.upper), maxUnknownName)]
	if u, ok := n.unknown[string(n.upper)]; ok {
		return u
	}
	if len(n.unknown) >= maxUnknown || len(n.upper) == 0 {
		return n.unknown["?"]
	}
	u := named(string(n.upper), uint16(len(n.list)))
	n.list = append(n.list, string(n.upper))
	n.unknown[string(n.upper)] = u
	return u
}
