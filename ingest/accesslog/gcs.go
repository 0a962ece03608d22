package accesslog

import (
	"bytes"
	"slices"
	"strings"

	"keyskew/ingest/request"
)

var gcsCandidates = []candidate{
	{name: "time_micros", role: roleTime},
	{name: "c_ip", role: roleClient},
	{name: "cs_method", role: roleMethod},
	{name: "cs_uri", role: roleTarget},
	{name: "sc_status", role: roleStatus},
	{name: "sc_bytes", role: roleSize},
	{name: "time_taken_micros", role: roleMicroseconds},
	{name: "cs_host", role: roleHost},
	{name: "cs_bucket", role: roleUpstream},
	{name: "cs_object", role: roleObject},
}

// gcsFormat is the usage log of Google Cloud Storage.
func gcsFormat() request.Format {
	return format(spec{
		id:       "gcs",
		title:    "usage log of Google Cloud Storage",
		text:     "CSV with a header line. The key is the path of cs_uri; cs_object can be chosen. The partition is the bucket.",
		source:   "Google Cloud: Cloud Storage, Usage logs and storage logs",
		isHeader: isGCSHeader,
		plan:     gcsPlan,
	})
}

func gcsPlan(lines [][]byte, _ request.Select) plan {
	h := headerPlan{
		names:      gcsHeaderNames,
		candidates: gcsCandidates,
		isHeader:   isGCSHeader,
		split:      func([]byte, []string) splitter { return splitCSV },
	}
	return h.plan(lines, nil)
}

func isGCSHeader(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`"time_micros",`)) || bytes.HasPrefix(line, []byte(`time_micros,`))
}

func gcsHeaderNames(line []byte) []string {
	var names []string
	for _, c := range splitCSV(line, nil) {
		names = append(names, strings.TrimSpace(string(c)))
	}
	return slices.Clip(names)
}

// splitCSV cuts at commas outside of quotes. Doubled quotes inside stay doubled: no column that is used
// holds any.
func splitCSV(line []byte, columns [][]byte) [][]byte {
	for {
		var value []byte
		end := -1
		if len(line) > 0 && line[0] == '"' {
			n := quoteEnd(line)
			value = line[1:n]
			if i := bytes.IndexByte(line[n:], ','); i >= 0 {
				end = n + i
			}
		} else if end = bytes.IndexByte(line, ','); end >= 0 {
			value = line[:end]
		} else {
			value = line
		}
		columns = append(columns, value)
		if end < 0 {
			return columns
		}
		line = line[end+1:]
	}
}

// quoteEnd returns the index of the quote that ends the quoted text at the front, in which quotes are
// doubled; the length of b when none does.
func quoteEnd(b []byte) int {
	for at := 1; ; {
		i := bytes.IndexByte(b[at:], '"')
		if i < 0 {
			return len(b)
		}
		at += i
		if at+1 == len(b) || b[at+1] != '"' {
			return at
		}
		at += 2
	}
}
