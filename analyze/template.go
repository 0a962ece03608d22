package analyze

import (
	"bytes"

	"keyskew/ingest/request"
	"keyskew/sketch"
)

// groupBudget is how many groups are counted exactly.
const groupBudget = 16_384

// groupStats is what is kept per group beside its count.
type groupStats struct {
	Keys                 uint64 // keys that came into the table of keys
	Writes, Polls, Other uint64
	spread               spread
}

func mergeGroups(dst, src *groupStats, _ uint64) {
	dst.Keys = saturate(dst.Keys, src.Keys)
	dst.Writes = saturate(dst.Writes, src.Writes)
	dst.Polls = saturate(dst.Polls, src.Polls)
	dst.Other = saturate(dst.Other, src.Other)
	dst.spread.add(src.spread)
}

// mergeGroupsOf adds the groups of another summary, before their keys are merged: a key that both tables hold
// is one key of its group.
func (s *Summary) mergeGroupsOf(o *Summary) {
	both := map[string]uint64{}
	for e := range o.keys.All() {
		if _, ok := s.keys.Find(e.Key, e.Hash); ok {
			s.template = appendTemplate(s.template[:0], e.Key)
			both[string(s.template)]++
		}
	}
	s.groups.Merge(o.groups, mergeGroups)
	for group, n := range both {
		hash := request.Hash([]byte(group))
		if _, ok := s.groups.Find([]byte(group), hash); ok {
			g := s.groups.Add([]byte(group), hash, 0)
			g.Keys -= min(g.Keys, n)
		}
	}
}

// addGroup counts n touches of a key, whose weights spread so, under its template.
func (s *Summary) addGroup(key []byte, n uint64, more spread, op request.Op, isNew bool) {
	s.template = appendTemplate(s.template[:0], key)
	g := s.groups.Add(s.template, request.Hash(s.template), n)
	g.spread.add(more)
	if isNew {
		g.Keys = saturate(g.Keys, 1)
	}
	switch op {
	case request.Read:
	case request.Write:
		g.Writes = saturate(g.Writes, n)
	case request.Poll:
		g.Polls = saturate(g.Polls, n)
	default:
		g.Other = saturate(g.Other, n)
	}
	if s.groups.Len() > 2*groupBudget {
		s.groups.Compact(groupBudget, nil, nil)
	}
}

// appendTemplate appends a key with its varying parts replaced by what they are: /users/1093/avatar.png
// becomes /users/{int}/avatar.png. Parts lie between slashes, colons, and a file's extension.
func appendTemplate(dst, key []byte) []byte {
	for len(key) > 0 {
		n := bytes.IndexAny(key, "/:")
		part, rest := key, []byte(nil)
		if n >= 0 {
			part, rest = key[:n], key[n:]
		}
		name, extension := part, []byte(nil)
		if dot := bytes.LastIndexByte(part, '.'); dot > 0 && len(part)-dot <= 6 {
			name, extension = part[:dot], part[dot:]
		}
		if kind := varying(name); kind != "" {
			dst = append(append(dst, kind...), extension...)
		} else {
			dst = append(dst, part...)
		}
		if len(rest) > 0 {
			dst = append(dst, rest[0])
			rest = rest[1:]
		}
		key = rest
	}
	return dst
}

// varying says what kind of identifier a part is, "" for a fixed word. Lengths: UUID RFC 9562; ULID 26
// characters of Crockford's base 32; KSUID 27 of base 62.
func varying(part []byte) string {
	var digits, lower, upper, hex, crockford, other int
	for _, c := range part {
		switch {
		case c-'0' <= 9:
			digits++
		case c-'a' <= 25:
			lower++
		case c-'A' <= 25:
			upper++
		default:
			other++
		}
		if c-'0' <= 9 || c|0x20-'a' <= 5 {
			hex++
		}
		if c-'0' <= 9 || c-'A' <= 25 && c != 'I' && c != 'L' && c != 'O' && c != 'U' {
			crockford++
		}
	}
	n := len(part)
	switch {
	case n == 0 || digits == 0:
		return ""
	case n == 10 && part[4] == '-' && part[7] == '-' && digits == 8, n == 8 && digits == 8 && isDate(part):
		return "{date}"
	case digits == n:
		return "{int}"
	case n == 36 && hex == 32 && part[8] == '-' && part[13] == '-' && part[18] == '-' && part[23] == '-':
		return "{uuid}"
	case n == 26 && crockford == n && part[0] <= '7':
		return "{ulid}"
	case n >= 8 && hex == n:
		return "{hex}"
	case n == 27 && other == 0 && lower > 0 && upper > 0:
		return "{ksuid}"
	case n >= 16 && digits >= 2 && (lower > 0 && upper > 0 || digits >= n/4) && other <= n/8:
		return "{id}"
	}
	return ""
}

// isDate reports whether eight digits read as a day of the years 1970 to 2099.
func isDate(d []byte) bool {
	year, month, day := string(d[:4]), string(d[4:6]), string(d[6:])
	return year >= "1970" && year <= "2099" && month >= "01" && month <= "12" && day >= "01" && day <= "31"
}

// Group is what is known of a set of keys.
type Group struct {
	Kind string // "template"
	Name []byte
	// Keys is the number of keys, Count the touches without polls.
	Keys, Count                 sketch.Estimate
	Share                       float64
	Reads, Writes, Polls, Other uint64
	MeanRate                    float64
}

// groups lists the largest groups.
func (d *diagnoser) groups() {
	if d.s.groups == nil {
		return
	}
	d.out.Groups = []Group{}
	for _, e := range d.s.groups.Top(max(d.o.Top, 1)) {
		lower, upper := d.s.groups.Bounds(e)
		v := &e.Value
		g := Group{
			Kind: "template", Name: bytes.Clone(e.Key), Keys: sketch.Exact(float64(v.Keys)),
			Count: scaled(estimate(lower-v.Polls, upper-v.Polls), d.every(), v.spread.of(lower)),
			Reads: lower - v.Writes - v.Polls - v.Other, Writes: v.Writes, Polls: v.Polls, Other: v.Other,
		}
		if !d.out.Totals.Exact { // a key that was dropped and came back counts again
			g.Keys.Lower = 1
		}
		g.Share = min(1, ratio(float64(upper-v.Polls), float64(d.served)))
		if d.s.timed {
			g.MeanRate = g.Count.Value / d.out.Totals.Seconds
		}
		d.out.Groups = append(d.out.Groups, g)
	}
}
