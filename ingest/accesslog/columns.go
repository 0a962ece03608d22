package accesslog

import (
	"bytes"
	"slices"
	"time"

	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

// role says what a column is used for.
type role uint8

const (
	unused role = iota
	roleTime
	roleDate
	roleTimeOfDay
	roleZone
	roleRequest
	roleMethod
	roleTarget
	rolePath
	roleQuery
	roleStatus
	roleSize
	roleHost
	roleClient
	roleClientPort // of HAProxy
	roleClients    // a list, as in X-Forwarded-For: the first one asked
	roleUser
	roleUpstream
	roleCache
	roleObject
	roleSeconds // how long the request took
	roleMilliseconds
	roleMicroseconds
	roleNanoseconds
	roleTaken      // seconds with a point, else milliseconds
	roleAddSeconds // a part of how long the request took
)

// roleInfo says what a column of that role adds to a plan.
var roleInfo = map[role]struct {
	field   string // in the mapping
	columns request.Columns
	part    string
}{
	roleTime:         {"time", request.TimeColumn, ""},
	roleDate:         {"time", 0, ""},
	roleTimeOfDay:    {"time", 0, ""},
	roleRequest:      {"op", 0, ""},
	roleMethod:       {"op", 0, ""},
	roleStatus:       {"status", request.StatusColumn, ""},
	roleSize:         {"size", 0, ""},
	roleHost:         {"", 0, "host"},
	roleClient:       {"client", request.ClientColumn, "client"},
	roleClientPort:   {"client", request.ClientColumn, "client"},
	roleClients:      {"client", request.ClientColumn, "client"},
	roleUser:         {"", 0, "user"},
	roleObject:       {"", 0, "object"},
	roleUpstream:     {"partition", request.PartitionColumn, "upstream"},
	roleCache:        {"cache", request.CacheColumn, ""},
	roleSeconds:      {"latency", request.LatencyColumn, ""},
	roleMilliseconds: {"latency", request.LatencyColumn, ""},
	roleMicroseconds: {"latency", request.LatencyColumn, ""},
	roleNanoseconds:  {"latency", request.LatencyColumn, ""},
	roleTaken:        {"latency", request.LatencyColumn, ""},
	roleAddSeconds:   {"latency", request.LatencyColumn, ""},
}

// mappingOrder is the order in which a mapping is printed, behind the key.
var mappingOrder = []string{"time", "op", "size", "client", "status", "latency", "partition", "cache"}

// table is the columns of one format or header: their names and what they are used for.
type table struct {
	names []string
	roles []role
	// wanted says for each column where in record.wanted it goes, -1 for most.
	wanted []int
}

// newTable gives the columns their roles. Of the names that could play a role, the first in the list of
// candidates does.
func newTable(names []string, candidates []candidate, wanted []string) table {
	t := table{names: names, roles: make([]role, len(names)), wanted: make([]int, len(names))}
	for i, name := range names {
		t.wanted[i] = slices.Index(wanted, name)
	}
	taken := map[string]bool{}
	for _, c := range candidates {
		if taken[c.group] {
			continue
		}
		i := slices.Index(names, c.name)
		if i < 0 || t.roles[i] != unused || c.with != "" && !slices.Contains(names, c.with) {
			continue
		}
		t.roles[i] = c.role
		taken[c.group] = c.group != ""
	}
	return t
}

// candidate is a name that may play a role. Of one group only the first that is there does; in the group
// "" all do.
type candidate struct {
	name  string
	role  role
	group string
	// with is another name that must be there too, for names that mean different things.
	with string
}

// describe adds to a plan what the columns of a table give.
func (t table) describe(p *plan) {
	p.names = t.names
	from := map[string]string{}
	for i, r := range t.roles {
		info := roleInfo[r]
		p.columns |= info.columns
		if info.part != "" && !slices.Contains(p.parts, info.part) {
			p.parts = append(p.parts, info.part)
		}
		if info.field != "" {
			if from[info.field] != "" {
				from[info.field] += " + "
			}
			from[info.field] += t.names[i]
		}
	}
	if t.has(roleDate) && t.has(roleTimeOfDay) {
		p.columns |= request.TimeColumn
	} else if !t.has(roleTime) {
		delete(from, "time")
	}
	for _, field := range mappingOrder {
		if from[field] != "" {
			p.mapping = append(p.mapping, request.Mapped{Field: field, From: from[field]})
		}
	}
}

func (t table) has(roles ...role) bool {
	return slices.ContainsFunc(t.roles, func(r role) bool { return slices.Contains(roles, r) })
}

// filler puts values into a record by their roles.
type filler struct {
	clock *clock
	// date is the text of the last date read, day its midnight in the clock's zone.
	date [10]byte
	day  int64

	// Of the line at hand.
	dated, timed bool
	ofDay        int64 // since midnight; -1 is none
	offset       int   // of the zone, in seconds
	asked        bool  // a request was seen
	reason       request.Reason
	unknown      bool // a part of the latency is not known
}

func (f *filler) begin() {
	f.dated, f.timed, f.asked, f.unknown = false, false, false, false
	f.ofDay, f.offset = -1, 0
	f.reason = ""
}

// fill takes a value in.
func (f *filler) fill(r *record, role role, v []byte) {
	switch role {
	case roleTime:
		v = bytes.TrimSuffix(bytes.TrimPrefix(v, []byte{'['}), []byte{']'})
		r.time, f.timed = f.clock.read(v)
	case roleDate:
		f.dated = f.setDate(v)
	case roleTimeOfDay:
		ns, n := timeOfDay(v)
		if n > 0 {
			f.ofDay = ns
			if rest := bytes.TrimLeft(v[n:], " "); len(rest) > 0 {
				f.offset, _ = timestamp.Offset(rest)
			}
		}
	case roleZone:
		f.offset, _ = timestamp.Offset(v)
	case roleRequest:
		f.asked = true
		f.reason = r.request(v)
	case roleMethod:
		f.asked = true
		if v = said(v); v == nil || !isToken(v) {
			f.reason = reasonJunk
			return
		}
		r.method = v
	case roleTarget:
		f.asked = true
		if r.target = said(v); r.target == nil {
			f.reason = reasonJunk
		}
	case rolePath:
		f.asked = true
		if r.path = said(v); r.path == nil {
			f.reason = reasonJunk
		}
	case roleQuery:
		r.query = said(v)
	case roleClients:
		if i := bytes.IndexByte(v, ','); i >= 0 {
			v = v[:i]
		}
		if v = said(v); v != nil {
			r.client = v
		}
	case roleClient:
		if r.client == nil {
			r.client = said(v)
		}
	case roleClientPort:
		r.clientPort(v)
	case roleHost:
		r.host = said(v)
	case roleUser:
		r.user = said(v)
	case roleUpstream:
		r.served(v)
	case roleObject:
		r.object = said(v)
	case roleStatus:
		r.status = statusOf(v)
	case roleSize:
		r.size = sizeOf(v)
	case roleCache:
		r.cache = cacheResult(v)
	default:
		f.fillLatency(r, role, v)
	}
}

func (f *filler) fillLatency(r *record, role role, v []byte) {
	switch role {
	case roleSeconds:
		r.latency = duration(v, time.Second)
	case roleMilliseconds:
		r.latency = duration(v, time.Millisecond)
	case roleMicroseconds:
		r.latency = duration(v, time.Microsecond)
	case roleNanoseconds:
		r.latency = duration(v, time.Nanosecond)
	case roleTaken:
		unit := time.Millisecond
		if bytes.IndexByte(v, '.') >= 0 {
			unit = time.Second
		}
		r.latency = duration(v, unit)
	case roleAddSeconds:
		// One part that is not known leaves the sum unknown.
		if d := duration(v, time.Second); d < 0 || f.unknown {
			r.latency, f.unknown = -1, true
		} else {
			r.latency = max(r.latency, 0) + d
		}
	}
}

// setDate remembers a date: "2006-01-02", "02/Jan/2006" or "20060102".
func (f *filler) setDate(v []byte) bool {
	if len(v) == len(f.date) && string(v) == string(f.date[:]) {
		return true
	}
	var text [19]byte
	switch {
	case timestamp.Shaped(v, "0000-00-00") && len(v) == 10:
		copy(text[:], v)
	case timestamp.Shaped(v, "00/Mmm/0000") && len(v) == 11:
		copy(text[:], v[7:11])
		month := timestamp.Month(v[3:6])
		text[4], text[5], text[6], text[7] = '-', byte('0'+month/10), byte('0'+month%10), '-'
		copy(text[8:], v[:2])
	case timestamp.Shaped(v, "00000000") && len(v) == 8:
		copy(text[:], v[:4])
		text[4], text[7] = '-', '-'
		copy(text[5:], v[4:6])
		copy(text[8:], v[6:8])
	default:
		return false
	}
	copy(text[10:], "T00:00:00")
	day, ok := f.clock.parse(text[:])
	if ok {
		f.date, f.day = [10]byte{}, day
		if len(v) == len(f.date) {
			copy(f.date[:], v)
		}
	}
	return ok
}

// end says what came of the line. needTime is set where the format has times.
func (f *filler) end(r *record, needTime bool) request.Reason {
	if f.dated && f.ofDay >= 0 {
		r.time, f.timed = f.day+f.ofDay-int64(f.offset)*int64(time.Second), true
	}
	if needTime && !f.timed {
		return reasonUntimed
	}
	if f.asked && r.method == nil && r.target == nil && r.path == nil {
		return reasonJunk
	}
	return f.reason
}

// columnParser reads lines of columns.
type columnParser struct {
	filler
	table
	// split cuts a line into columns, which it appends to the slice.
	split func(line []byte, columns [][]byte) [][]byte
	// least is how many columns a line must have.
	least    int
	needTime bool
	columns  [][]byte
}

func (p *columnParser) parse(line []byte, r *record) request.Reason {
	p.columns = p.split(line, p.columns[:0])
	if len(p.columns) < p.least {
		return reasonForeign
	}
	return p.take(r, p.columns)
}

func (p *columnParser) take(r *record, columns [][]byte) request.Reason {
	p.begin()
	for i, role := range p.roles[:min(len(columns), len(p.roles))] {
		if role != unused {
			p.fill(r, role, columns[i])
		}
		if w := p.wanted[i]; w >= 0 {
			r.wanted[w] = columns[i]
		}
	}
	return p.end(r, p.needTime)
}

// splitSpaces cuts at blanks, but not inside quotes and brackets, which it takes off.
func splitSpaces(line []byte, columns [][]byte) [][]byte {
	// What is not closed is looked for only once, however long the line.
	quotes, brackets := true, true
	for at := 0; at < len(line); {
		switch line[at] {
		case ' ':
			at++
			continue
		case '"':
			if !quotes {
				break
			}
			if n := closing(line[at+1:]); n >= 0 {
				columns = append(columns, line[at+1:at+1+n])
				at += n + 2
				continue
			}
			quotes = false
		case '[':
			if !brackets {
				break
			}
			// An IPv6 address goes on with its port.
			n := bytes.IndexByte(line[at:], ']')
			if n >= 0 && (at+n+1 == len(line) || line[at+n+1] == ' ') {
				columns = append(columns, line[at+1:at+n])
				at += n + 1
				continue
			}
			brackets = n >= 0
		}
		n := bytes.IndexByte(line[at:], ' ')
		if n < 0 {
			n = len(line) - at
		}
		columns = append(columns, line[at:at+n])
		at += n
	}
	return columns
}

// splitTabs cuts at each tab.
func splitTabs(line []byte, columns [][]byte) [][]byte {
	for {
		i := bytes.IndexByte(line, '\t')
		if i < 0 {
			return append(columns, line)
		}
		columns = append(columns, line[:i])
		line = line[i+1:]
	}
}
