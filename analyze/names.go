package analyze

import "slices"

// names numbers the keys that the windows and blocks list: each is kept once, however many list it.
type names struct {
	keys    []string
	numbers map[string]uint32
	// place is room for merging lists: a number per key, all zero between two uses.
	place []int32
	// sweepAt is the size at which it is worth looking for keys that no window lists any more.
	sweepAt int
}

const firstSweep = 8192

func newNames() *names { return &names{numbers: map[string]uint32{}, sweepAt: firstSweep} }

// number returns the number of a key, new or not.
func (n *names) number(key []byte) uint32 {
	if at, ok := n.numbers[string(key)]; ok {
		return at
	}
	text := string(key)
	at := uint32(len(n.keys))
	n.keys = append(n.keys, text)
	n.numbers[text] = at
	return at
}

func (n *names) text(number uint32) string { return n.keys[number] }

// places returns a zero for every key.
func (n *names) places() []int32 {
	if len(n.place) < len(n.keys) {
		n.place = make([]int32, max(len(n.keys), 2*len(n.place)))
	}
	return n.place
}

// sweep forgets the keys that no list of the series holds any more, once there may be many.
func (n *names) sweep(all ...*series) {
	if len(n.keys) < n.sweepAt {
		return
	}
	live := make([]bool, len(n.keys))
	for _, s := range all {
		s.lists(func(list []item) {
			for _, it := range list {
				live[it.key] = true
			}
		})
	}
	fresh := newNames()
	translate := make([]uint32, len(live))
	for i, key := range n.keys {
		if live[i] {
			translate[i] = fresh.number([]byte(key))
		}
	}
	for _, s := range all {
		s.lists(func(list []item) {
			for i := range list {
				list[i].key = translate[list[i].key]
			}
		})
	}
	fresh.sweepAt = max(firstSweep, 2*len(fresh.keys))
	*n = *fresh
}

// lists calls f with every list of the series, once each.
func (s *series) lists(f func([]item)) {
	var seen []*second
	for _, c := range s.cells {
		f(c.list)
		for _, sec := range []*second{c.busyTotal, c.busyKey} {
			if sec != nil && !slices.Contains(seen, sec) {
				f(sec.list)
				seen = append(seen[:0], sec)
			}
		}
	}
}
