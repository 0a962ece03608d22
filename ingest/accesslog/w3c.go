package accesslog

import (
	"bytes"
	"slices"
	"strings"

	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

// w3cCandidates are the names of the W3C's draft, of IIS, of CloudFront and of proxies that write the
// format. Of one group the first that is there is used.
var w3cCandidates = []candidate{
	{name: "date", role: roleDate, group: "date"},
	{name: "date-local", role: roleDate, group: "date"},
	{name: "time", role: roleTimeOfDay, group: "time"},
	{name: "time-local", role: roleTimeOfDay, group: "time"},
	{name: "cs-method", role: roleMethod},
	{name: "cs-uri-stem", role: rolePath, group: "path"},
	{name: "cs-uri-path", role: rolePath, group: "path"},
	{name: "cs-uri", role: roleTarget, group: "path"},
	{name: "cs-uri-query", role: roleQuery},
	{name: "sc-status", role: roleStatus},
	{name: "sc-bytes", role: roleSize, group: "size"},
	{name: "bytes", role: roleSize, group: "size"},
	{name: "x-host-header", role: roleHost, group: "host"},
	{name: "cs-host", role: roleHost, group: "host"},
	{name: "cs(host)", role: roleHost, group: "host"},
	{name: "c-ip", role: roleClient},
	{name: "cs-username", role: roleUser, group: "user"},
	{name: "c-auth-id", role: roleUser, group: "user"},
	{name: "x-edge-location", role: roleUpstream, group: "partition"},
	{name: "s-computername", role: roleUpstream, group: "partition"},
	{name: "s-ip", role: roleUpstream, group: "partition"},
	// Milliseconds in IIS, seconds with fractions in CloudFront; others have had microseconds.
	{name: "time-taken", role: roleTaken, group: "latency", with: edgeLocation},
	{name: "time-taken", role: roleTaken, group: "latency", with: "sc-win32-status"},
	{name: "time-taken", role: roleTaken, group: "latency", with: "sc-substatus"},
	{name: "timetakenms", role: roleMilliseconds, group: "latency"},
	{name: "x-edge-result-type", role: roleCache, group: "cache"},
	{name: "s-action", role: roleCache, group: "cache"},
}

const edgeLocation = "x-edge-location"

// cloudfrontNames are the columns of CloudFront's standard logs, for files whose header was taken off.
var cloudfrontNames = strings.Fields("date time x-edge-location sc-bytes c-ip cs-method cs(host) cs-uri-stem " +
	"sc-status cs(referer) cs(user-agent) cs-uri-query cs(cookie) x-edge-result-type x-edge-request-id " +
	"x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher " +
	"x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields c-port " +
	"time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end")

// cloudfrontFormat is the standard log of Amazon CloudFront.
func cloudfrontFormat() request.Format {
	return format(spec{
		id:    "cloudfront",
		title: "standard log of Amazon CloudFront",
		text: "Tab-separated columns named by the #Fields line, date and time in UTC. The key is cs-uri-stem as " +
			"logged (URL-encoded), the partition the edge location, the cache's result that of " +
			"x-edge-result-type.",
		source:   "AWS: Amazon CloudFront developer guide, Standard logging reference",
		isHeader: isFields,
		plan:     cloudfrontPlan,
	})
}

func cloudfrontPlan(lines [][]byte, _ request.Select) plan {
	h := headerPlan{
		names: fieldNames, candidates: w3cCandidates, isHeader: isFields, isComment: isComment,
		split:  func([]byte, []string) splitter { return splitTabs },
		accept: func(names []string) bool { return slices.Contains(names, edgeLocation) },
	}
	if len(lines) > 0 && timestamp.Shaped(lines[0], "0000-00-00\t00:00:00\t") {
		h.missing = cloudfrontNames
	}
	return h.plan(lines, nil)
}

// w3cFormat is the extended log file format of the W3C, which IIS writes.
func w3cFormat() request.Format {
	return format(spec{
		id:    "w3c",
		title: "W3C extended log (IIS)",
		text: "Columns named by #Fields lines, which may change inside a file; blanks or tabs between, quotes " +
			"around values with blanks. date and time are UTC, date-local and time-local in the zone that " +
			"is given. The time-taken of IIS is in milliseconds; that of others is not used. The key is " +
			"cs-uri-stem. Without a header (behind tail) the columns that IIS writes by default are known.",
		source:   "W3C working draft WD-logfile-960323; Microsoft: IIS, W3C logging",
		isHeader: isFields,
		plan:     w3cPlan,
	})
}

func w3cPlan(lines [][]byte, s request.Select) plan {
	h := headerPlan{
		names: fieldNames, candidates: w3cCandidates, isHeader: isFields, isComment: isComment,
		split: func(header []byte, _ []string) splitter {
			if bytes.IndexByte(header, '\t') >= 0 {
				return splitTabs
			}
			return splitW3C
		},
		accept: func(names []string) bool { return !slices.Contains(names, edgeLocation) },
	}
	if len(lines) > 0 {
		h.missing = iisNames(lines[0])
	}
	if slices.ContainsFunc(lines, isLocal) {
		return h.plan(lines, s.Zone)
	}
	return h.plan(lines, nil)
}

// iisLayouts are the columns that IIS and Azure write, for files whose header is not there, as behind tail:
// those chosen by default since IIS 7, and since IIS 8; all of them; those of Azure App Service.
var iisLayouts = []string{
	"date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(user-agent) sc-status sc-substatus sc-win32-status time-taken",
	"date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(user-agent) cs(referer) sc-status sc-substatus sc-win32-status time-taken",
	"date time s-sitename s-computername s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs-version cs(user-agent) cs(cookie) cs(referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes cs-bytes time-taken",
	"date time s-sitename cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(user-agent) cs(cookie) cs(referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes cs-bytes time-taken",
}

// iisNames are the columns of a line that reads as IIS writes them; nil when it does not.
func iisNames(line []byte) []string {
	if !timestamp.Shaped(line, "0000-00-00 00:00:00 ") {
		return nil
	}
	cells := splitW3C(line, nil)
	for _, layout := range iisLayouts {
		names := strings.Fields(layout)
		if len(cells) != len(names) {
			continue
		}
		cell := func(name string) []byte { return cells[slices.Index(names, name)] }
		if stem := cell("cs-uri-stem"); request.MethodNumber(cell("cs-method")) >= 0 && len(stem) > 0 && stem[0] == '/' &&
			isAddress(cell("c-ip")) && len(cell("sc-status")) == 3 && allDigits(cell("sc-status")) && allDigits(cell("time-taken")) {
			return names
		}
	}
	return nil
}

// isLocal says whether a header names local times.
func isLocal(line []byte) bool {
	names := fieldNames(line)
	return isFields(line) && slices.Contains(names, "date-local") && !slices.Contains(names, "date")
}

func isFields(line []byte) bool { return bytes.HasPrefix(line, []byte("#Fields:")) }

func isComment(line []byte) bool { return len(line) > 0 && line[0] == '#' }

func fieldNames(line []byte) []string {
	_, names, _ := bytes.Cut(line, []byte{':'})
	return strings.Fields(strings.ToLower(string(names)))
}

// splitW3C cuts at blanks outside of quotes, which are doubled inside.
func splitW3C(line []byte, columns [][]byte) [][]byte {
	for at := 0; at < len(line); {
		switch line[at] {
		case ' ', '\t':
			at++
		case '"':
			n := quoteEnd(line[at:])
			columns = append(columns, line[at+1:at+n])
			at += min(n+1, len(line)-at)
		default:
			n := bytes.IndexByte(line[at:], ' ')
			if n < 0 {
				n = len(line) - at
			}
			columns = append(columns, line[at:at+n])
			at += n
		}
	}
	return columns
}

var zeekCandidates = []candidate{
	{name: "ts", role: roleTime},
	{name: "id.orig_h", role: roleClient},
	{name: "id.resp_h", role: roleUpstream},
	{name: "method", role: roleMethod},
	{name: "host", role: roleHost},
	{name: "uri", role: roleTarget},
	{name: "response_body_len", role: roleSize},
	{name: "status_code", role: roleStatus},
	{name: "username", role: roleUser},
}

// zeekFormat is the http.log of Zeek.
func zeekFormat() request.Format {
	isHeader := func(line []byte) bool { return bytes.HasPrefix(line, []byte("#fields\t")) }
	return format(spec{
		id:       "zeek",
		title:    "http.log of Zeek",
		text:     "Tab-separated columns named by the #fields line. The partition is the server's address.",
		source:   "Zeek: http.log, and the ASCII log writer",
		isHeader: isHeader,
		plan: func(lines [][]byte, _ request.Select) plan {
			h := headerPlan{
				names:      func(line []byte) []string { return strings.Split(string(line), "\t")[1:] },
				candidates: zeekCandidates,
				isHeader:   isHeader,
				isComment:  isComment,
				split:      func([]byte, []string) splitter { return splitTabs },
			}
			return h.plan(lines, nil)
		},
	})
}
