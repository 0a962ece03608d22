package accesslog

import (
	"bytes"
	"slices"
	"strings"

	"keyskew/ingest/request"
)

// ltsvCandidates are the labels that ltsv.org recommends, and others that are in use.
var ltsvCandidates = []candidate{
	{name: "time", role: roleTime, group: "time"}, {name: "datetime", role: roleTime, group: "time"}, {name: "time_local", role: roleTime, group: "time"},
	{name: "timestamp", role: roleTime, group: "time"}, {name: "time_iso8601", role: roleTime, group: "time"}, {name: "msec", role: roleTime, group: "time"},
	{name: "req", role: roleRequest, group: "request"}, {name: "request", role: roleRequest, group: "request"},
	{name: "method", role: roleMethod, group: "method"}, {name: "request_method", role: roleMethod, group: "method"}, {name: "reqmethod", role: roleMethod, group: "method"},
	{name: "uri", role: roleTarget, group: "path"}, {name: "request_uri", role: roleTarget, group: "path"}, {name: "path", role: roleTarget, group: "path"}, {name: "url", role: roleTarget, group: "path"},
	{name: "query", role: roleQuery},
	{name: "status", role: roleStatus},
	{name: "size", role: roleSize, group: "size"}, {name: "body_bytes_sent", role: roleSize, group: "size"}, {name: "bytes_sent", role: roleSize, group: "size"}, {name: "bytes", role: roleSize, group: "size"},
	{name: "host", role: roleClient, group: "client"}, {name: "remote_host", role: roleClient, group: "client"}, {name: "remote_addr", role: roleClient, group: "client"},
	{name: "vhost", role: roleHost, group: "host"}, {name: "http_host", role: roleHost, group: "host"}, {name: "domain", role: roleHost, group: "host"},
	{name: "user", role: roleUser, group: "user"}, {name: "remote_user", role: roleUser, group: "user"},
	{name: "reqtime_microsec", role: roleMicroseconds, group: "latency"}, {name: "reqtime", role: roleSeconds, group: "latency"},
	{name: "request_time", role: roleSeconds, group: "latency"}, {name: "taken_sec", role: roleSeconds, group: "latency"}, {name: "response_time", role: roleSeconds, group: "latency"},
	{name: "cache", role: roleCache, group: "cache"}, {name: "cache_status", role: roleCache, group: "cache"}, {name: "upstream_cache_status", role: roleCache, group: "cache"},
	{name: "upstream_addr", role: roleUpstream, group: "partition"}, {name: "backend", role: roleUpstream, group: "partition"}, {name: "server", role: roleUpstream, group: "partition"},
}

// ltsvFormat is for labelled tab-separated values.
func ltsvFormat() request.Format {
	return format(spec{
		id:    "ltsv",
		title: "access log in labelled tab-separated values (LTSV)",
		text: "label:value columns, in any order and number. Labels recommended by ltsv.org and the names of " +
			"nginx's variables are known; any label can be chosen as the key.",
		source: "ltsv.org: Labels for Web server's Log",
		plan: func(lines [][]byte, s request.Select) plan {
			var names []string
			for _, line := range lines {
				for column := range bytes.SplitSeq(line, []byte{'\t'}) {
					name, _, ok := bytes.Cut(column, []byte{':'})
					if ok && isToken(name) && !slices.Contains(names, string(name)) {
						names = append(names, string(name))
					}
				}
			}
			// With a request line, the columns that repeat its parts are not needed.
			candidates := ltsvCandidates
			if slices.Contains(names, "req") || slices.Contains(names, "request") {
				candidates = slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool {
					return c.role == roleMethod || c.role == roleTarget || c.role == roleQuery
				})
			}
			var p plan
			t := newTable(names, candidates, nil)
			if !t.has(roleRequest, roleTarget) {
				return plan{reason: "no column is labelled as a request or its path: " + strings.Join(names, ", ")}
			}
			t.describe(&p)
			p.new = func(wanted []string) parser {
				return &ltsv{
					filler: filler{clock: newClock(s.Zone)}, table: newTable(names, candidates, wanted),
					needTime: t.has(roleTime),
				}
			}
			return p
		},
	})
}

type ltsv struct {
	filler
	table
	needTime bool
}

func (p *ltsv) parse(line []byte, r *record) request.Reason {
	p.begin()
	next := 0 // the columns mostly come in the same order
	known := 0
	for len(line) > 0 {
		column := line
		if i := bytes.IndexByte(line, '\t'); i >= 0 {
			column, line = line[:i], line[i+1:]
		} else {
			line = nil
		}
		name, value, ok := bytes.Cut(column, []byte{':'})
		if !ok {
			continue
		}
		at := p.find(name, next)
		if at < 0 {
			continue
		}
		known++
		next = at + 1
		if p.roles[at] != unused {
			p.fill(r, p.roles[at], value)
		}
		if w := p.wanted[at]; w >= 0 {
			r.wanted[w] = value
		}
	}
	if known < 2 || !p.asked {
		return reasonForeign
	}
	return p.end(r, p.needTime)
}

// find looks a label up, beginning where it is expected.
func (p *ltsv) find(name []byte, from int) int {
	for i := range p.names {
		at := from + i
		if at >= len(p.names) {
			at -= len(p.names)
		}
		if p.names[at] == string(name) {
			return at
		}
	}
	return -1
}
