package accesslog

import (
	"bytes"

	"keyskew/ingest/request"
)

// method is an index into the names of a batch.
type method uint16

// otherMethod is a method that is not in the table.
const otherMethod method = 0

// methods are the ones of RFC 9110, of WebDAV (RFC 4918 and its extensions), and those that caches take
// for purging. The first entry names a request whose method the log does not say.
var methods = []struct {
	name    string
	op      request.Op
	algebra request.Algebra
}{
	{"?", request.Other, 0},
	{"GET", request.Read, 0},
	{"HEAD", request.Read, 0},
	{"OPTIONS", request.Read, 0},
	{"TRACE", request.Read, 0},
	{"POST", request.Write, 0},
	{"PUT", request.Write, request.Overwrite},
	{"PATCH", request.Write, 0},
	{"DELETE", request.Write, request.Delete},
	{"CONNECT", request.Other, 0},
	{"PROPFIND", request.Other, 0},
	{"PROPPATCH", request.Other, 0},
	{"MKCOL", request.Other, 0},
	{"COPY", request.Other, 0},
	{"MOVE", request.Other, 0},
	{"LOCK", request.Other, 0},
	{"UNLOCK", request.Other, 0},
	{"SEARCH", request.Other, 0},
	{"REPORT", request.Other, 0},
	{"PURGE", request.Other, 0},
	{"BAN", request.Other, 0},
}

// methodOf looks a method up; case does matter in HTTP.
func methodOf(b []byte) method {
	switch string(b) {
	case "GET":
		return 1
	case "HEAD":
		return 2
	case "POST":
		return 5
	}
	for i := range methods[1:] {
		if m := &methods[i+1]; m.name[0] == b[0] && m.name == string(b) {
			return method(i + 1)
		}
	}
	return otherMethod
}

// labels numbers the names that an input holds. What comes behind the first most labels is one label,
// so that made-up names cannot fill the memory.
type labels struct {
	list  []string
	known map[string]uint32
	most  int
}

const otherLabel = "(others)"

func newLabels(most int, list ...string) *labels {
	l := &labels{known: map[string]uint32{}, most: most}
	for _, name := range list {
		l.known[name] = uint32(len(l.list))
		l.list = append(l.list, name)
	}
	return l
}

// of returns the number of a name, of which the first maxLabel bytes count.
func (l *labels) of(name []byte) uint32 {
	name = name[:min(len(name), maxLabel)]
	if n, ok := l.known[string(name)]; ok {
		return n
	}
	label := string(name)
	if len(l.list) >= l.most {
		label = otherLabel
		if n, ok := l.known[label]; ok {
			return n
		}
	}
	n := uint32(len(l.list))
	l.list = append(l.list, label)
	l.known[label] = n
	return n
}

// methodNames numbers the methods of an input, in upper case.
func methodNames() *labels {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return newLabels(maxNames, names...)
}

// maxNames bounds the methods that are told apart, maxLabels the partitions and tenants, maxLabel the
// length of each in bytes.
const (
	maxNames  = 1024
	maxLabel  = 256
	maxLabels = 1 << 16
)

// command returns the number of a method's name, what it does, and to what effect.
func (d *decoder) command(b []byte) (uint16, request.Op, request.Algebra) {
	if len(b) == 0 {
		return 0, request.Other, 0
	}
	m := methodOf(b)
	if m == otherMethod {
		d.upper = append(d.upper[:0], b...)
		for i, c := range d.upper {
			if c-'a' < 26 {
				d.upper[i] = c - ('a' - 'A')
			}
		}
		b = bytes.TrimSpace(d.upper)
		return uint16(d.names.of(b)), request.Other, 0
	}
	return uint16(m), methods[m].op, methods[m].algebra
}
