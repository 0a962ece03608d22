package accesslog

import (
	"bytes"

	"keyskew/ingest/request"
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
	return shaped(line, "0000000000.000 ") || shaped(line, "000000000.000 ")
}

// splitSquid cuts at blanks, and at the slashes of the two columns that hold two things.
func splitSquid(line []byte, columns [][]byte) [][]byte {
	field := 0
	for at := 0; at < len(line); {
		if line[at] == ' ' {
			at++
			continue
		}
		n := bytes.IndexByte(line[at:], ' ')
		if n < 0 {
			n = len(line) - at
		}
		word := line[at : at+n]
		at += n
		if field == 3 || field == 8 {
			first, second, _ := bytes.Cut(word, []byte{'/'})
			columns = append(columns, first, second)
		} else {
			columns = append(columns, word)
		}
		field++
	}
	return columns
}
