package order

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"keyskew/sketch"
)

// Limits of a family's sample.
const (
	// minKeys is the fewest keys that are judged.
	minKeys = 50
	// maxKeys is how many keys of a family are looked at: those with the smallest hashes, which says
	// nothing of when they arrived.
	maxKeys = 4096
)

// member is a key of the sample.
type member struct {
	sketch.Sample
	key   []byte // Sample.Key
	parts []part
	at    sketch.Sighting // its arrival: the first write, or the first touch
}

// family is a set of keys that are judged together.
type family struct {
	form    string // what they have in common, the words left out
	members []*member
}

// families groups the keys of a sample by what they have in common: the words and separators, or, for keys
// that come to fewer than minKeys so, by their form alone. What is then left over belongs to none. The order
// is that of what they have in common. All keys of a family have as many parts, of the same kinds.
func families(all []*member) []family {
	var out []family
	rest := all
	for _, words := range []bool{false, true} {
		groups := map[string][]*member{}
		var room []byte
		for _, m := range rest {
			room = appendShape(room[:0], m.key, m.parts, words)
			for _, p := range m.parts { // a key may spell a placeholder out
				room = append(room, byte(p.kind))
			}
			groups[string(room)] = append(groups[string(room)], m)
		}
		rest = nil
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			members := groups[name]
			if len(members) < minKeys {
				rest = append(rest, members...)
				continue
			}
			form := appendShape(nil, members[0].key, members[0].parts, true)
			out = append(out, family{string(form), members})
		}
	}
	return out
}

// newMembers splits the keys of a sample.
func newMembers(samples []sketch.Sample) []*member {
	room := make([]member, len(samples))
	out := make([]*member, len(samples))
	var parts []part
	for i, s := range samples {
		from := len(parts)
		parts = split(parts, s.Key)
		room[i] = member{Sample: s, key: s.Key, parts: parts[from:len(parts):len(parts)]}
		out[i] = &room[i]
	}
	return out
}

// arrivals are the keys that are judged, in the order in which they came: those that were written, by their
// first write, if there are enough; else all, by when they were first seen. total is how many there are
// before the sample is cut to size.
func arrivals(members []*member) (in []*member, written bool, total int) {
	var wrote []*member
	for _, m := range members {
		if m.Written {
			wrote = append(wrote, m)
		}
	}
	in = members
	if len(wrote) >= minKeys {
		in, written = wrote, true
	}
	in = slices.Clone(in)
	for _, m := range in {
		m.at = m.First
		if written {
			m.at = m.FirstWrite
		}
	}
	total = len(in)
	if total > maxKeys {
		slices.SortFunc(in, func(a, b *member) int {
			return cmp.Or(cmp.Compare(a.Hash, b.Hash), bytes.Compare(a.key, b.key))
		})
		in = in[:maxKeys]
	}
	slices.SortFunc(in, func(a, b *member) int { return cmp.Or(a.at.Compare(b.at), bytes.Compare(a.key, b.key)) })
	return in, written, total
}

// places is the place of each key in an order.
func places(in []*member, order func(a, b *member) int) []int {
	at := make([]int, len(in))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return order(in[a], in[b]) })
	out := make([]int, len(in))
	for place, i := range at {
		out[i] = place
	}
	return out
}

func byBytes(a, b *member) int { return bytes.Compare(a.key, b.key) }

// varying lists the numbers of the parts that are not the same in all keys. The keys have the same form, as
// those of a family do.
func varying(in []*member) []int {
	var out []int
	for i := range in[0].parts {
		text := in[0].part(i)
		if slices.ContainsFunc(in, func(m *member) bool { return !bytes.Equal(m.part(i), text) }) {
			out = append(out, i)
		}
	}
	return out
}

func (m *member) part(i int) []byte { return m.key[m.parts[i].from:m.parts[i].to] }

// title is the name of a family, in which the parts that do not vary are spelled out.
func title(in []*member, vary []int) []byte {
	m, at := in[0], 0
	var out []byte
	for i, p := range m.parts {
		out = append(out, m.key[at:p.from]...)
		if slices.Contains(vary, i) {
			out = append(out, placeholders[p.kind]...)
		} else {
			out = append(out, m.part(i)...)
		}
		at = p.to
	}
	return append(out, m.key[at:]...)
}

// uneven reports whether some number part has different lengths: then bytes and numbers order differently.
func uneven(in []*member, vary []int) bool {
	for _, i := range vary {
		if in[0].parts[i].kind != number {
			continue
		}
		n := len(in[0].part(i))
		if slices.ContainsFunc(in, func(m *member) bool { return len(m.part(i)) != n }) {
			return true
		}
	}
	return false
}
