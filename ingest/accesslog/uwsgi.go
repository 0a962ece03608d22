package accesslog

import (
	"bytes"
	"time"

	"keyskew/ingest/request"
)

// uwsgiFormat is uWSGI's own request log.
func uwsgiFormat() request.Format {
	return format(spec{
		id:     "uwsgi",
		title:  "request log of uWSGI",
		text:   "The default request log: process, client, user, time (local, without a zone), request and what it generated.",
		source: "uWSGI: Formatting uWSGI requests logs",
		plan: func(_ [][]byte, s request.Select) plan {
			return plan{
				columns: request.TimeColumn | request.ClientColumn | request.StatusColumn | request.LatencyColumn,
				parts:   []string{"client", "user"},
				mapping: []request.Mapped{
					{Field: "time", From: "the brackets"}, {Field: "op", From: "method"},
					{Field: "size", From: "bytes generated"}, {Field: "client", From: "client"},
					{Field: "status", From: "status"}, {Field: "latency", From: "msecs"},
				},
				new: func([]string) parser { return &uwsgi{clock: newClock(s.Zone)} },
			}
		},
	})
}

type uwsgi struct{ clock *clock }

// parse reads a line such as
//
//	[pid: 1|app: 0|req: 1/1] 10.0.0.1 () {38 vars in 696 bytes} [Sun Mar 13 22:49:12 2016] POST /x =>
//	generated 47 bytes in 129 msecs (HTTP/1.1 200) 9 headers in 378 bytes (1 switches on core 3)
func (p *uwsgi) parse(line []byte, r *record) request.Reason {
	if !bytes.HasPrefix(line, []byte("[pid: ")) {
		return reasonForeign
	}
	_, rest, ok := bytes.Cut(line, []byte("] "))
	if !ok {
		return reasonForeign
	}
	client, rest := word(rest)
	r.client = said(client)
	user, rest, ok := bytes.Cut(rest, []byte(") {"))
	if !ok {
		return reasonForeign
	}
	if user = bytes.TrimPrefix(user, []byte{'('}); len(user) > 0 {
		r.user = user
	}
	_, rest, ok = bytes.Cut(rest, []byte("} ["))
	if !ok {
		return reasonForeign
	}
	stamp, rest, ok := bytes.Cut(rest, []byte("] "))
	if !ok {
		return reasonForeign
	}
	if r.time, ok = p.clock.read(stamp); !ok {
		return reasonUntimed
	}
	const generated = " => generated "
	i := bytes.LastIndex(rest, []byte(generated))
	if i < 0 {
		return reasonForeign
	}
	text := rest[:i]
	p.result(rest[i+len(generated):], r)
	return r.request(text)
}

// result reads "47 bytes in 129 msecs (HTTP/1.1 200) ...".
func (p *uwsgi) result(b []byte, r *record) {
	size, b := word(b)
	r.size = sizeOf(size)
	_, b = word(b) // bytes
	_, b = word(b) // in
	took, b := word(b)
	unit, b := word(b)
	switch string(unit) {
	case "msecs":
		r.latency = duration(took, time.Millisecond)
	case "micros":
		r.latency = duration(took, time.Microsecond)
	case "secs":
		r.latency = duration(took, time.Second)
	}
	_, b = word(b) // the version
	if i := bytes.IndexByte(b, ')'); i >= 0 {
		r.status = statusOf(b[:i])
	}
}
