package accesslog

import (
	"bytes"

	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

var (
	squidNames = []string{
		"time", "elapsed", "client", "result", "status", "bytes", "method", "url", "user", "hierarchy", "peer", "type",
	}
	squidCandidates = []candidate{
		{name: "time", role: roleTime},
		{name: "elapsed", role: roleMilliseconds},
		{name: "client", role: roleClient},
		{name: "result", role: roleCache},
		{name: "status", role: roleStatus},
		{name: "bytes", role: roleSize},
		{name: "method", role: roleMethod},
		{name: "url", role: roleTarget},
		{name: "user", role: roleUser},
		{name: "peer", role: roleUpstream},
	}
)

// squidFormat is Squid's native log.
func squidFormat() request.Format {
	return format(spec{
		id:    "squid",
		title: "native log of Squid",
		text: "Time in seconds, elapsed milliseconds, client, result and status, bytes, method, URL, user, " +
			"peer and type. Scheme and host of the URL are no part of the key unless host+path is chosen.",
		source: "Squid: logformat directive, format squid",
		plan:   squidPlan,
	})
}

func squidPlan(lines [][]byte, s request.Select) plan {
	p := guard(fixed(squidNames, squidCandidates, 10, splitSquid)(lines, s), isSquid)
	p.parts = append(p.parts, "host")
	return p
}

// isSquid tells it from MONITOR captures, whose times have six digits behind the point.
func isSquid(line []byte) bool {
	return timestamp.Shaped(line, "0000000000.000 ") || timestamp.Shaped(line, "000000000.000 ")
}

// splitSquid gives the twelve columns. It goes by what the words look like, for a logformat of one's own
// often puts further ones between those of Squid's: the result with its status, the bytes behind it, the
// method, the URL, and the hierarchy with the peer, which the user stands in front of. Fewer columns where
// one is missing.
func splitSquid(line []byte, columns [][]byte) [][]byte {
	first := len(columns)
	var before, word []byte
	for at := 0; ; {
		for at < len(line) && line[at] == ' ' {
			at++
		}
		if at == len(line) {
			return columns
		}
		n := bytes.IndexByte(line[at:], ' ')
		if n < 0 {
			n = len(line) - at
		}
		before, word = word, line[at:at+n]
		at += n
		switch field := len(columns) - first; field {
		case 3: // result and status
			if head, tail, ok := bytes.Cut(word, []byte{'/'}); ok && isUpper(head) {
				columns = append(columns, head, tail)
			}
		case 6: // method
			if string(word) == "NONE" { // no request was read
				columns = append(columns, word[:0])
			} else if isUpper(word) {
				columns = append(columns, word)
			}
		case 8: // user, hierarchy and peer
			if head, tail, ok := bytes.Cut(word, []byte{'/'}); ok && isUpper(head) {
				columns = append(columns, before, head, tail)
			}
		default:
			columns = append(columns, word)
		}
	}
}

// isUpper says that a word is of capital letters and underscores.
func isUpper(b []byte) bool {
	for _, c := range b {
		if (c < 'A' || c > 'Z') && c != '_' {
			return false
		}
	}
	return len(b) > 0
}
