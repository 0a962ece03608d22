package jsonlines

import (
	"bytes"

	"keyskew/ingest/request"
	"keyskew/ingest/target"
)

// httpRequest is what the key of an HTTP request can be made of.
type httpRequest struct {
	host, path, query []byte
}

// request adds the row of an HTTP request.
func (d *decoder) request(row request.Row) request.Reason {
	if reason := d.otherKind(); reason != "" {
		return reason
	}
	method, _ := d.first(roleOp)
	line, s := d.first(roleTarget)
	if s == nil {
		return d.excuse(reasonJunk)
	}
	if s.line {
		m, target := requestLine(line)
		if line = target; len(method) == 0 {
			method = m
		}
		if unset(line) {
			return reasonJunk
		}
	}
	op := d.noneSaid()
	if len(method) > 0 {
		if !isMethod(method) {
			return reasonJunk
		}
		op = d.operations.Of(method)
	}
	var r httpRequest
	r.host, r.path, r.query = splitTarget(line)
	if len(r.query) == 0 && len(d.sources[roleQuery]) > 0 {
		r.query, _ = d.first(roleQuery)
		r.query = bytes.TrimPrefix(r.query, []byte("?"))
	}
	if h, s := d.first(roleHost); s != nil {
		r.host = h
	}
	key, ok := d.join(&r)
	d.fill(&row, op)
	row.Key = key
	if !ok {
		row.Key = nil
		row.Flags |= request.NoKey
	}
	d.add(row)
	return ""
}

// otherKind tells the lines of other loggers, where the field that names the logger is there.
func (d *decoder) otherKind() request.Reason {
	if d.spec.kind == "" {
		return ""
	}
	if b, s := d.first(roleKind); s != nil && !bytes.HasPrefix(b, []byte(d.spec.kind)) {
		return reasonOther
	}
	return ""
}

// join makes the key of its parts; ok is false when one is missing. r is nil for a trace.
func (d *decoder) join(r *httpRequest) (key []byte, ok bool) {
	if len(d.key) == 1 {
		return d.part(&d.key[0], r)
	}
	d.joined = d.joined[:0]
	for i := range d.key {
		b, ok := d.part(&d.key[i], r)
		if !ok {
			return nil, false
		}
		if i > 0 {
			d.joined = append(d.joined, request.KeySeparator)
		}
		d.joined = append(d.joined, b...)
	}
	return d.joined, true
}

// part returns one part of the key.
func (d *decoder) part(p *part, r *httpRequest) (b []byte, ok bool) {
	switch p.kind {
	case partField:
		v := d.scanner.slots[p.slot]
		return d.text(v), v.kind == text || v.kind == number || v.kind == boolean
	case partPath:
		return d.percent(r.path), true
	case partPathQuery:
		return d.withQuery(r), true
	case partParameter:
		b, ok = target.Parameter(r.query, p.name)
		if !ok {
			d.counts.noParameter++
		}
		return d.percent(b), ok
	case partHostPath:
		start := len(d.arena)
		d.arena = append(d.arena, r.host...)
		path := d.percent(r.path)
		d.arena = append(d.arena[:start+len(r.host)], path...)
		return d.arena[start:], true
	case partHost:
		return r.host, !unset(r.host)
	case partClient:
		b, s := d.first(roleClient)
		return hostOf(b), s != nil
	}
	b, s := d.first(roleUser)
	return b, s != nil
}

// withQuery is the path with the query behind it.
func (d *decoder) withQuery(r *httpRequest) []byte {
	start := len(d.arena)
	d.arena = append(d.arena, r.path...)
	if len(r.query) > 0 {
		d.arena = append(d.arena, '?')
		d.arena = append(d.arena, r.query...)
	}
	return d.percent(d.arena[start:])
}

// percent undoes percent-encoding, if asked to.
func (d *decoder) percent(b []byte) []byte {
	if !d.decode || bytes.IndexByte(b, '%') < 0 {
		return b
	}
	start := len(d.arena)
	d.arena = target.PercentDecode(d.arena, b)
	return d.arena[start:]
}
