package analyze

import (
	"cmp"
	"slices"
	"unsafe"

	"keyskew/ingest/request"
	"keyskew/sketch"
)

// keyRow is what the table keeps per key beside its count, packed so that a row of the table with a key of
// up to 14 bytes takes two cache lines, and counting more of what a key mostly gets changes the first
// one alone. What few keys have is in an extra.
type keyRow struct {
	last int64
	// peak is the largest number of touches without polls in one second.
	peak  uint64
	bytes uint64
	// kind is the first kind of touch, + 1: all touches that no other has are of it.
	kind uint32
	// mark is the number of the key among the sums of the second that is being closed, if it is one of
	// them.
	mark uint32

	first int64
	// peakAt is the start of the peak second, peakWrites the writes in it.
	peakAt     int64
	peakWrites uint64
	second     kindCount
	extra      uint32 // number of an extra, 0 for none
	slot, part uint16 // Redis Cluster slot; partition of the layout, or noPart
	_          uint64 // fills the second line
}

// kindCount is a kind, + 1, and the touches of it; 0 is free.
type kindCount struct {
	count uint64
	kind  uint32
}

// noPart says that no partition of the layout owns a key.
const noPart = 1<<16 - 1

// kindSlots is how many commands of a key the summary tells apart. Touches by further commands are counted,
// but under no name.
const kindSlots = 6

// extra holds what few keys have.
type extra struct {
	more [kindSlots - 2]kindCount // kinds behind the second
	// algebra is of kinds that share a place with another one, or have none.
	algebra request.Algebra
	less    uint64 // what the touches without polls lack of whole commands, in workUnits
	// unnamed touches are of kinds that have no place.
	unnamed uint64
	// How many touches there are beyond what the kinds of the places say, modulo 2^64.
	writes, polls, other uint64
	outcomes
	spread spread
}

// KeyStats is what is known of a key beside its count. Reads is the count less the others.
type KeyStats struct {
	Writes, Polls, Other uint64
	Bytes                uint64
	First, Last          int64
	// Peak is the largest number of touches without polls in one second, PeakAt the start of that
	// second, PeakWrites the writes in it. Where a second was merged in several parts it is a lower
	// bound.
	Peak, PeakWrites uint64
	PeakAt           int64
	Algebra          request.Algebra
	Commands         []CommandCount
	outcomes
	spread spread
	// Slot is the key's Redis Cluster slot.
	Slot uint16
}

// extras are numbered from 1; those of keys that were dropped are used again. They lie in blocks, so that
// growing copies nothing.
type extras struct {
	blocks [][]extra
	n      uint32
	free   []uint32
}

const extraBlock = 1024

func (x *extras) at(number uint32) *extra {
	return &x.blocks[(number-1)/extraBlock][(number-1)%extraBlock]
}

// of returns the extra of a row, which gets one if it has none.
func (x *extras) of(v *keyRow) *extra {
	if v.extra != 0 {
		return x.at(v.extra)
	}
	if n := len(x.free); n > 0 {
		v.extra = x.free[n-1]
		x.free = x.free[:n-1]
	} else {
		if x.n%extraBlock == 0 {
			x.blocks = append(x.blocks, make([]extra, extraBlock))
		}
		x.n++
		v.extra = x.n
	}
	return x.at(v.extra)
}

func (x *extras) release(v *keyRow) {
	if v.extra != 0 {
		*x.at(v.extra) = extra{}
		x.free = append(x.free, v.extra)
	}
}

// bytes is the memory that the extras in use hold.
func (x *extras) bytes() int { return (int(x.n) - len(x.free)) * int(unsafe.Sizeof(extra{})) }

// countKind counts n touches of a key that are not of its first kind. Kinds of one command share a place;
// the extra has what tells them apart.
func (s *Summary) countKind(v *keyRow, k *kind, n uint64) {
	of := func(place uint32) bool {
		o := &s.kinds[place-1]
		if o.command != k.command {
			return false
		}
		if o.op != k.op {
			x := s.extras.of(v)
			x.shift(o.op, -n)
			x.shift(k.op, n)
		}
		if k.algebra&^o.algebra != 0 {
			s.extras.of(v).algebra |= k.algebra
		}
		return true
	}
	switch {
	case v.kind == 0:
		v.kind = k.number + 1
		return
	case of(v.kind):
		return
	case v.second.kind == 0:
		v.second = kindCount{n, k.number + 1}
		return
	case of(v.second.kind):
		v.second.count = saturate(v.second.count, n)
		return
	}
	x := s.extras.of(v)
	for i := range x.more {
		c := &x.more[i]
		if c.kind == 0 {
			*c = kindCount{n, k.number + 1}
			return
		}
		if of(c.kind) {
			c.count = saturate(c.count, n)
			return
		}
	}
	x.algebra |= k.algebra
	x.unnamed = saturate(x.unnamed, n)
	x.shift(k.op, n)
}

// shift counts n touches more of an op than the places say; n may be negative, modulo 2^64.
func (x *extra) shift(op request.Op, n uint64) {
	switch op {
	case request.Write:
		x.writes += n
	case request.Poll:
		x.polls += n
	case request.Other:
		x.other += n
	}
}

// kindsOfKey calls f for each kind of a key with that many touches, the first one first.
func (s *Summary) kindsOfKey(v *keyRow, touches uint64, f func(k *kind, n uint64)) {
	others := [kindSlots - 1]kindCount{v.second}
	first := touches
	if v.extra != 0 {
		x := s.extras.at(v.extra)
		copy(others[1:], x.more[:])
		first -= min(first, x.unnamed)
	}
	for _, c := range others {
		first -= min(first, c.count)
	}
	if v.kind != 0 {
		f(&s.kinds[v.kind-1], first)
	}
	for _, c := range others {
		if c.kind != 0 {
			f(&s.kinds[c.kind-1], c.count)
		}
	}
}

// writes reports whether some touch of a key is known to write.
func (s *Summary) writes(v *keyRow) bool {
	is := func(c uint32) bool { return c != 0 && s.kinds[c-1].op == request.Write }
	if is(v.kind) || is(v.second.kind) || v.extra == 0 {
		return is(v.kind) || is(v.second.kind)
	}
	x := s.extras.at(v.extra)
	return x.writes > 0 || slices.ContainsFunc(x.more[:], func(c kindCount) bool { return is(c.kind) })
}

// polls of a key with that many touches.
func (s *Summary) polls(v *keyRow, touches uint64) uint64 {
	if v.second.kind == 0 && v.extra == 0 {
		if v.kind != 0 && s.kinds[v.kind-1].op == request.Poll {
			return touches
		}
		return 0
	}
	l, _ := s.loadOf(v, touches)
	return l.Polls
}

// loadOf is what a key with that many touches loads its partition with, and how many of the touches neither
// read nor write.
func (s *Summary) loadOf(v *keyRow, touches uint64) (l load, other uint64) {
	l.Requests = touches
	if v.kind != 0 && v.second.kind == 0 && v.extra == 0 { // most keys
		switch s.kinds[v.kind-1].op {
		case request.Read:
			l.Reads = touches
		case request.Write:
			l.Writes = touches
		case request.Poll:
			l.Polls = touches
		default:
			other = touches
		}
		l.Work = times(l.served(), workUnits)
		return l, other
	}
	s.kindsOfKey(v, touches, func(k *kind, n uint64) {
		switch k.op {
		case request.Read:
		case request.Write:
			l.Writes = saturate(l.Writes, n)
		case request.Poll:
			l.Polls = saturate(l.Polls, n)
		default:
			other = saturate(other, n)
		}
	})
	var less uint64
	if v.extra != 0 {
		x := s.extras.at(v.extra)
		l.Writes, l.Polls, other, less = l.Writes+x.writes, l.Polls+x.polls, other+x.other, x.less
	}
	served := l.served()
	l.Reads = served - l.Writes - other
	l.Work = times(served, workUnits)
	l.Work -= min(l.Work, less)
	return l, other
}

// statsOf unpacks the row of an entry.
func (s *Summary) statsOf(e *sketch.Entry[keyRow]) KeyStats {
	touches, _ := s.keys.Bounds(*e)
	v := &e.Value
	l, other := s.loadOf(v, touches)
	out := KeyStats{
		Writes: l.Writes, Polls: l.Polls, Other: other, Bytes: v.bytes, First: v.first, Last: v.last,
		Peak: v.peak, PeakWrites: v.peakWrites, PeakAt: v.peakAt, Slot: v.slot,
	}
	s.kindsOfKey(v, touches, func(k *kind, n uint64) {
		out.Algebra |= k.algebra
		for i := range out.Commands {
			if c := &out.Commands[i]; c.Name == s.names[k.command] {
				c.Count = saturate(c.Count, n)
				return
			}
		}
		out.Commands = append(out.Commands, CommandCount{s.names[k.command], n})
	})
	if v.extra != 0 {
		x := s.extras.at(v.extra)
		out.Algebra |= x.algebra
		out.outcomes, out.spread = x.outcomes, x.spread
	}
	return out
}

// record keeps the second with the most requests; of equal ones the earlier. It may be told of a second
// while that still grows.
func (v *keyRow) record(requests, writes uint64, at int64) {
	if requests < v.peak {
		return
	}
	if cmp.Or(cmp.Compare(requests, v.peak), cmp.Compare(v.peakAt, at), cmp.Compare(writes, v.peakWrites)) > 0 {
		v.peak, v.peakWrites, v.peakAt = requests, writes, at
	}
}

// mergeRow adds the row of a key in another summary, with so many touches there, to the row here, which is
// zero if the key is new. translate has the kinds of the other summary by their numbers here.
func (s *Summary) mergeRow(dst, src *keyRow, o *Summary, touches uint64, translate []kind) {
	if dst.kind == 0 {
		dst.first, dst.last, dst.slot, dst.part = src.first, src.last, src.slot, src.part
	}
	dst.first, dst.last = min(dst.first, src.first), max(dst.last, src.last)
	dst.bytes = saturate(dst.bytes, src.bytes)
	if src.peak > 0 {
		dst.record(src.peak, src.peakWrites, src.peakAt)
	}
	o.kindsOfKey(src, touches, func(k *kind, n uint64) { s.countKind(dst, &translate[k.number], n) })
	if src.extra != 0 {
		from, to := o.extras.at(src.extra), s.extras.of(dst)
		to.algebra |= from.algebra
		to.less = saturate(to.less, from.less)
		to.unnamed = saturate(to.unnamed, from.unnamed)
		to.writes, to.polls, to.other = to.writes+from.writes, to.polls+from.polls, to.other+from.other
		to.outcomes.add(&from.outcomes)
		to.spread.add(from.spread)
	}
}
