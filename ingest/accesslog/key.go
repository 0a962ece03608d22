package accesslog

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"keyskew/ingest/request"
	"keyskew/ingest/target"
)

// part is one part of a record that can be a key.
type part uint8

const (
	partPath part = iota
	partPathQuery
	partParameter
	partHostPath
	partHost
	partClient
	partUser
	partMethod
	partObject
	partUpstream
	partColumn
)

// words name the parts that need no column. Those that a log may lack are in plan.parts.
var words = map[string]part{
	"path":       partPath,
	"path+query": partPathQuery,
	"host+path":  partHostPath,
	"host":       partHost,
	"client":     partClient,
	"ip":         partClient,
	"user":       partUser,
	"method":     partMethod,
	"object":     partObject,
	"upstream":   partUpstream,
}

// always are the parts that every request has.
var always = []string{"path", "path+query", "query:NAME", "host+path", "method"}

// selected is one part of a key.
type selected struct {
	part   part
	name   []byte // of the parameter
	column int    // in record.wanted
}

// selector makes a key of a record.
type selector struct {
	parts  []selected
	decode bool
	buf    []byte
}

// parseSelector reads what a user chose: words, names or 1-based numbers of columns, several with
// commas between. Columns are added to wanted.
func parseSelector(text string, p plan, decode bool, wanted *[]string) (selector, error) {
	s := selector{decode: decode}
	for name := range strings.SplitSeq(text, ",") {
		one, err := parsePart(name, p, wanted)
		if err != nil {
			return s, err
		}
		s.parts = append(s.parts, one)
	}
	return s, nil
}

func parsePart(name string, p plan, wanted *[]string) (selected, error) {
	if parameter, ok := strings.CutPrefix(name, "query:"); ok && parameter != "" {
		return selected{part: partParameter, name: []byte(parameter)}, nil
	}
	if part, ok := words[name]; ok && (slices.Contains(always, name) || slices.Contains(p.parts, name) ||
		name == "ip" && slices.Contains(p.parts, "client")) {
		return selected{part: part}, nil
	}
	column := columnNamed(name, p.names)
	if column == "" {
		valid := slices.Concat(always, p.parts)
		list := strings.Join(valid, ", ")
		if len(p.names) > 0 {
			list += "; columns: " + strings.Join(p.names, ", ")
		}
		return selected{}, fmt.Errorf("there is no %q in this log; there is %s", name, list)
	}
	i := slices.Index(*wanted, column)
	if i < 0 {
		i = len(*wanted)
		*wanted = append(*wanted, column)
	}
	return selected{part: partColumn, column: i}, nil
}

// columnNamed finds a column by its name, without regard to case and to a $ in front, or by its number.
func columnNamed(name string, names []string) string {
	name = strings.TrimPrefix(name, "$")
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= len(names) {
		return names[i-1]
	}
	return ""
}

// of returns the key; ok is false when the record has none of its parts. It lives until the next call.
func (s *selector) of(r *record) (key []byte, ok bool) {
	s.buf = s.buf[:0]
	if len(s.parts) == 1 {
		return s.one(s.parts[0], r)
	}
	for i, p := range s.parts {
		if i > 0 {
			s.buf = append(s.buf, request.KeySeparator)
		}
		start := len(s.buf)
		value, said := s.one(p, r)
		ok = ok || said
		s.buf = append(s.buf[:start], value...)
	}
	return s.buf, ok
}

// one returns one part. What it appends to the buffer for it lies behind what is there.
func (s *selector) one(p selected, r *record) ([]byte, bool) {
	var v []byte
	switch p.part {
	case partPath:
		v = r.path
	case partPathQuery:
		if v = r.path; len(r.query) > 0 {
			start := len(s.buf)
			s.join(r.path, nil)
			if r.query[0] != '?' {
				s.buf = append(s.buf, '?')
			}
			s.join(nil, r.query)
			v = s.buf[start:]
		}
	case partParameter:
		var ok bool
		if v, ok = target.Parameter(bytes.TrimPrefix(r.query, []byte{'?'}), p.name); !ok {
			return nil, false
		}
		return s.decoded(v), true
	case partHostPath:
		v = s.join(webHost(r.host), r.path)
	case partHost:
		v = webHost(r.host)
	case partClient:
		v = target.Host(r.client)
	case partUser:
		v = r.user
	case partMethod:
		v = r.method
	case partObject:
		v = r.object
	case partUpstream:
		v = r.upstream
	case partColumn:
		v = said(r.wanted[p.column])
	}
	return s.decoded(v), len(v) > 0
}

func (s *selector) decoded(v []byte) []byte {
	if !s.decode || bytes.IndexByte(v, '%') < 0 {
		return v
	}
	start := len(s.buf)
	s.buf = target.PercentDecode(s.buf, v)
	return s.buf[start:]
}

func (s *selector) join(a, b []byte) []byte {
	start := len(s.buf)
	s.buf = append(append(s.buf, a...), b...)
	return s.buf[start:]
}
