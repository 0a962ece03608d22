package accesslog

import (
	"bytes"
	"time"

	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

// haproxyFormat is HAProxy's HTTP log.
func haproxyFormat() request.Format {
	return format(spec{
		id:    "haproxy",
		title: "HTTP log of HAProxy",
		text: "option httplog (and httpslog), with or without the syslog header. Times are local and name no " +
			"zone. The partition is backend/server, the latency the total time, retries are counted. " +
			"Lines of TCP connections hold no request.",
		source: "HAProxy: Configuration manual, HTTP log format",
		plan: func(_ [][]byte, s request.Select) plan {
			return plan{
				columns: request.TimeColumn | request.ClientColumn | request.StatusColumn |
					request.LatencyColumn | request.PartitionColumn,
				parts: []string{"client", "upstream"},
				mapping: []request.Mapped{
					{Field: "time", From: "accept date"}, {Field: "op", From: "method"},
					{Field: "size", From: "bytes read"}, {Field: "client", From: "client ip"},
					{Field: "status", From: "status"}, {Field: "latency", From: "Tt"},
					{Field: "partition", From: "backend/server"},
				},
				new: func([]string) parser { return &haproxy{clock: newClock(s.Zone)} },
			}
		},
	})
}

type haproxy struct{ clock *clock }

// acceptDate is the form of the accept date, which tells HAProxy's lines from the common log format.
const acceptDate = "[00/Mmm/0000:00:00:00.000] "

func (p *haproxy) parse(line []byte, r *record) request.Reason {
	at := 0
	for {
		i := bytes.IndexByte(line[at:], '[')
		if i < 0 {
			return haproxyNotice(line)
		}
		at += i
		if timestamp.Shaped(line[at:], acceptDate) {
			break
		}
		at++
	}
	client := bytes.TrimRight(line[:at], " ")
	client = client[bytes.LastIndexByte(client, ' ')+1:]
	if !hasPort(client) && !bytes.HasPrefix(client, []byte("unix:")) {
		return reasonForeign
	}
	r.clientPort(client)
	var ok bool
	if r.time, ok = p.clock.read(line[at+1 : at+len(acceptDate)-2]); !ok {
		return reasonUntimed
	}
	rest := line[at+len(acceptDate):]
	_, rest = word(rest) // the frontend
	server, rest := word(rest)
	timers, rest := haproxyTimers(rest)
	if bytes.IndexByte(server, '/') < 0 || timers == nil {
		return reasonConnection
	}
	r.latency = duration(bytes.TrimPrefix(timers[bytes.LastIndexByte(timers, '/')+1:], []byte{'+'}), time.Millisecond)
	if !bytes.HasSuffix(server, []byte("/<NOSRV>")) {
		r.upstream = server
	}
	status, rest := word(rest)
	size, rest := word(rest)
	r.status = statusOf(status)
	r.size = sizeOf(bytes.TrimPrefix(size, []byte{'+'}))
	for range 3 { // two cookies and the state at the end
		_, rest = word(rest)
	}
	connections, rest := word(rest)
	retries := connections[bytes.LastIndexByte(connections, '/')+1:]
	r.retries = int(min(sizeOf(bytes.TrimPrefix(retries, []byte{'+'})), 1<<20))
	quote := bytes.IndexByte(rest, '"')
	if quote < 0 {
		return reasonConnection
	}
	text := rest[quote+1:]
	if end := bytes.IndexByte(text, '"'); end >= 0 {
		text = text[:end]
	} else if len(text) < truncated {
		return reasonForeign
	}
	r.mark = '#'
	return r.request(text)
}

// haproxyTimers returns the five timers of an HTTP request, which stand behind the server, or behind what a
// log-format of one's own puts in between; nil for the three timers of a connection.
func haproxyTimers(b []byte) (timers, rest []byte) {
	for len(b) > 0 {
		timers, b = word(b)
		slashes := 0
		for _, c := range timers {
			if c == '/' {
				slashes++
			} else if c-'0' > 9 && c != '-' && c != '+' {
				slashes = -1
				break
			}
		}
		if slashes == 4 {
			return timers, b
		}
		if slashes > 0 {
			return nil, nil
		}
	}
	return nil, nil
}

// truncated is the length from which a request without its closing quote is believed to have been cut
// by the server, whose lines hold 1024 bytes by default.
const truncated = 512

// haproxyNotice recognises what a proxy says about itself: "Proxy NAME started."
func haproxyNotice(line []byte) request.Reason {
	for _, mark := range []string{"haproxy[", "Proxy ", "Server ", "Health check "} {
		if bytes.Contains(line, []byte(mark)) {
			return reasonNotice
		}
	}
	return reasonForeign
}
