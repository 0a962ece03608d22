package jsonlines

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"keyskew/ingest/request"
)

// source is one field that may have a role.
type source struct {
	slot int
	exp  int
	line bool
	name string
	unit string // of a time or a latency, in words
	// unseen is set when no record of the sample has it.
	unseen bool
}

// partKind says what a part of a key is made of.
type partKind uint8

const (
	partField partKind = iota
	partPath
	partPathQuery
	partParameter
	partHostPath
	partHost
	partClient
	partUser
)

// part is one part of the key.
type part struct {
	kind partKind
	slot int    // of partField
	name []byte // of partParameter
}

// layout is how the records of one input are read.
type layout struct {
	spec    *spec
	plan    *node
	slots   int
	sources [roles][]source
	key     []part
	clock   clock
	columns request.Columns
	mapping []request.Mapped
	// logSlots are those of fields that tell a log line.
	logSlots []int
	// wrapper is what is peeled off each line.
	wrapper string
	decode  bool
}

// slot asks for a field.
func (l *layout) slot(path []string) int {
	n := l.plan
	for _, name := range path {
		i := slices.IndexFunc(n.children, func(c *node) bool { return c.name == name })
		if i < 0 {
			n = nil
			break
		}
		n = n.children[i]
	}
	if n != nil && n != l.plan && n.slot >= 0 {
		return n.slot
	}
	l.plan.add(path, l.slots)
	l.slots++
	return l.slots - 1
}

// newLayout decides which field has which role. Without a layout, misfit says why the records are not of
// the kind, or undecided what the user has to say first.
func newLayout(s *spec, f *fields, sel request.Select) (l *layout, misfit, undecided string) {
	l = &layout{spec: s, plan: newPlan(), decode: sel.Decode}
	chosen := map[role]string{
		roleTime: sel.Time, roleOp: sel.Op, roleSize: sel.Size, roleWeight: sel.Weight,
		rolePartition: sel.Partition, roleTenant: sel.Tenant, roleClient: sel.Client,
	}
	for r := range roles {
		var why string
		switch {
		case chosen[r] != "":
			why = l.choose(r, chosen[r], f)
		case r == roleKey && sel.Key != "":
		case s.claims != nil:
			l.claim(r, f)
		default:
			why = l.alias(r, f)
		}
		if why != "" {
			return nil, "", why
		}
	}
	if misfit = l.misfit(sel.Key, f); misfit != "" {
		return nil, misfit, ""
	}
	if why := l.setKey(sel.Key, f); why != "" {
		return nil, "", why
	}
	for _, name := range logNames {
		l.logSlots = append(l.logSlots, l.slot([]string{name}))
	}
	l.setClock(f, sel)
	l.setColumns()
	return l, "", ""
}

// misfit says what the records lack of the kind, as far as all of them tell.
func (l *layout) misfit(key string, f *fields) string {
	targets := l.sources[roleTarget]
	line := func(s source) bool { return s.line }
	switch {
	case !l.spec.http && key == "" && len(l.sources[roleKey]) == 0:
		return "no field is named like a key (key, id, object_id, path ...); say which with --key: " + f.names()
	case !l.spec.http && key == "" && plainName(l.sources[roleKey][0].name) == "id" && (f.by["msg"] != nil || f.by["message"] != nil):
		return "a log line: the id beside its message is that of the line, no key; say which with --key: " + f.names()
	case !l.spec.http || l.spec.claims != nil:
	case len(targets) == 0:
		return "no field holds the path of a request"
	case len(l.sources[roleOp]) == 0 && !slices.ContainsFunc(targets, line):
		return "no field holds the method of a request, or its first line"
	case l.spec.variables == nil && key == "" && f.by["key"] != nil && f.by["key"].scalars() > 0:
		return "a field is named key"
	}
	return ""
}

func (l *layout) add(r role, c claim, path []string, f *fields) {
	s := source{slot: l.slot(path), exp: c.exp, line: c.line, name: strings.Join(path, ".")}
	s.unseen = f.by[s.name] == nil
	if r == roleLatency && c.exp != ownUnit {
		s.unit = unitName(c.exp)
	}
	l.sources[r] = append(l.sources[r], s)
}

// choose takes the field that the user names.
func (l *layout) choose(r role, name string, f *fields) (why string) {
	path, ok := f.find(name)
	if !ok {
		return noField(r, name, f)
	}
	c := claim{role: r}
	for _, a := range latencyAliases() {
		if r == roleLatency && a.field == plainName(name) {
			c.exp = a.exp
		}
	}
	l.add(r, c, path, f)
	return ""
}

func noField(r role, name string, f *fields) string {
	return fmt.Sprintf("no field %q for --%s; there is %s", name, r, f.names())
}

// claim gives a known format's fields their role. Columns none of which the sample has are left out;
// otherwise all of them are read, for the ones that come later.
func (l *layout) claim(r role, f *fields) {
	var have bool
	for _, c := range l.spec.claims {
		if c.role == r && f.by[c.field] != nil {
			have = true
		}
	}
	for _, c := range l.spec.claims {
		if c.role == r && (have || r == roleTarget || r == roleOp || r == roleKind) {
			l.add(r, c, strings.Split(c.field, "."), f)
		}
	}
}

// alias finds the fields that are named like the role and hold what it needs. Of an access log all that
// fit are kept, the better ones first; of a trace there may be one.
func (l *layout) alias(r role, f *fields) (why string) {
	for _, c := range l.spec.aliases {
		if c.role != r {
			continue
		}
		for _, have := range f.list {
			if have.plain == c.field && fits(have, c) && !l.taken(r, have) {
				l.add(r, c, have.path, f)
			}
		}
	}
	if n := len(l.sources[r]); n > 1 && !l.spec.http {
		var names []string
		for _, s := range l.sources[r] {
			names = append(names, strconv.Quote(s.name))
		}
		return fmt.Sprintf("%d fields could be the %s: %s; say which%s", n, r, strings.Join(names, ", "), flag(r))
	}
	return ""
}

// taken says that a field has the role already, or one that rules it out: nothing is both the path and
// the partition.
func (l *layout) taken(r role, f *field) bool {
	same := func(s source) bool { return s.name == f.name }
	return slices.ContainsFunc(l.sources[r], same) ||
		r != roleTarget && slices.ContainsFunc(l.sources[roleTarget], same) ||
		r != roleKey && slices.ContainsFunc(l.sources[roleKey], same)
}

// flag names the flag that chooses a role.
func flag(r role) string {
	switch r {
	case roleKey, roleTime, roleOp, roleSize, roleWeight, rolePartition, roleTenant, roleClient:
		return " with --" + r.String()
	}
	return ": rename or remove one"
}

// fits says whether the values of a field are what a role needs.
func fits(f *field, c claim) bool {
	if f.scalars() == 0 && !(c.role == roleKey && f.counts[array] > 0) {
		return false
	}
	good, seen := 0, 0
	clock := clock{}
	for _, v := range f.examples {
		if unset(v) {
			continue
		}
		seen++
		ok := true
		switch {
		case c.line:
			method, target := requestLine(v)
			ok = isMethod(method) && len(target) > 0
		case c.role == roleTarget:
			host, path, _ := splitTarget(v)
			ok = len(host) > 0 || bytes.HasPrefix(path, rootPath) || string(path) == "*"
		case c.role == roleTime:
			_, ok = clock.read(v)
			if _, number := decimal(v, 0); number && c.field == dated {
				ok = false
			}
		case c.role == roleSize || c.role == roleWeight || c.role == roleStatus || c.role == roleTTL:
			_, ok = decimal(v, 0)
		case c.role == roleLatency:
			_, ok = duration(v, c.exp)
		case c.role == roleOp:
			_, number := decimal(v, 0)
			ok = !number
		case c.role == roleCache:
			ok = cacheResult(v) != request.CacheUnknown || f.counts[boolean] == 0
		}
		if ok {
			good++
		}
	}
	return 2*good >= seen && (seen > 0 || c.role != roleTarget && c.role != roleTime)
}

// setKey reads --key, or takes the default.
func (l *layout) setKey(key string, f *fields) (why string) {
	http := l.spec.http
	if key == "" {
		if http {
			key = "path"
		} else {
			s := l.sources[roleKey][0]
			l.key = []part{{kind: partField, slot: s.slot}}
			l.mapping = append(l.mapping, request.Mapped{Field: "key", From: s.name})
			return ""
		}
	}
	for name := range strings.SplitSeq(key, ",") {
		p, why := l.part(strings.TrimSpace(name), f)
		if why != "" {
			return why
		}
		l.key = append(l.key, p)
	}
	from := key
	if http && key == "path" {
		from = "path of " + l.names(roleTarget)
	}
	l.mapping = append(l.mapping, request.Mapped{Field: "key", From: from})
	return ""
}

// part reads one part of --key: in an access log one of its own words, or else a field.
func (l *layout) part(name string, f *fields) (p part, why string) {
	need := roleKey
	parameter, isParameter := strings.CutPrefix(name, "query:")
	switch {
	case !l.spec.http:
	case isParameter:
		p, need = part{kind: partParameter, name: []byte(parameter)}, roleTarget
	case name == "path":
		p, need = part{kind: partPath}, roleTarget
	case name == "path+query":
		p, need = part{kind: partPathQuery}, roleTarget
	case name == "host+path":
		p, need = part{kind: partHostPath}, roleTarget
	case name == "host":
		p, need = part{kind: partHost}, roleHost
	case name == "client" || name == "ip":
		p, need = part{kind: partClient}, roleClient
	case name == "user":
		p, need = part{kind: partUser}, roleUser
	}
	if need != roleKey {
		if len(l.sources[need]) > 0 || need == roleHost && len(l.sources[roleTarget]) > 0 {
			return p, ""
		}
		if _, ok := f.find(name); !ok {
			return p, fmt.Sprintf("no field for the %s of a request; there is %s", need, f.names())
		}
	}
	path, ok := f.find(name)
	if !ok {
		return p, noField(roleKey, name, f)
	}
	return part{kind: partField, slot: l.slot(path)}, ""
}

// setClock tells the unit of numeric times by the largest one in the sample.
func (l *layout) setClock(f *fields, sel request.Select) {
	l.clock.zone = sel.Zone
	chosen, isUnit := map[string]int{"s": seconds, "ms": millis, "us": micros, "ns": nanos}[sel.TimeFormat]
	if !isUnit {
		l.clock.layout = sel.TimeFormat
	}
	for i := range l.sources[roleTime] {
		s := &l.sources[roleTime][i]
		largest, numbers := 0.0, false
		for _, have := range f.list {
			if have.name != s.name {
				continue
			}
			for _, v := range have.examples {
				if x, err := strconv.ParseFloat(string(v), 64); err == nil {
					largest, numbers = max(largest, x), true
				}
			}
		}
		s.exp = epochUnit(largest)
		if isUnit {
			s.exp = chosen
		}
		if numbers && l.clock.layout == "" {
			s.unit = unitName(s.exp)
		}
	}
}

// setColumns says which columns the rows have, and describes them.
func (l *layout) setColumns() {
	for _, c := range []struct {
		role   role
		column request.Columns
	}{
		{roleTime, request.TimeColumn}, {roleOp, 0}, {roleSize, 0}, {roleWeight, request.WeightColumn},
		{rolePartition, request.PartitionColumn}, {roleTenant, request.TenantColumn},
		{roleClient, request.ClientColumn}, {roleStatus, request.StatusColumn},
		{roleLatency, request.LatencyColumn}, {roleCache, request.CacheColumn}, {roleTTL, request.TTLColumn},
	} {
		if len(l.sources[c.role]) == 0 {
			continue
		}
		l.columns |= c.column
		if from := l.names(c.role); from != "" {
			l.mapping = append(l.mapping, request.Mapped{Field: c.role.String(), From: from})
		}
	}
}

// unitName says how numbers are read.
func unitName(exp int) string {
	switch exp {
	case millis:
		return " in ms"
	case micros:
		return " in us"
	case nanos:
		return " in ns"
	}
	return " in s"
}

func (l *layout) names(r role) string {
	var names []string
	for _, s := range l.sources[r] {
		if !s.unseen {
			names = append(names, s.name+s.unit)
		}
	}
	return strings.Join(names, ", else ")
}
