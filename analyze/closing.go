package analyze

import (
	"time"

	"keyskew/analyze/partition"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// closing is room for the second that is being closed.
type closing struct {
	// sums has every key of the second once: a key lies in several pieces and under several kinds. A key is
	// found by its mark: its place in sums, counted from origin, which goes on from second to second.
	sums   []keySum
	odd    []oddSum
	origin uint32
	cell   cell
	begun  uint64
	bytes  uint64
	at     int64 // when the second begins
	// unordered says that a key of the second may have been sighted later before.
	unordered bool
	rank      ranking

	lookups sketch.Lookups
}

// keySum is a key in the second that is being closed: its touches without polls.
type keySum struct {
	hash             uint64 // of the key
	requests, writes uint64
	row              int32  // of the table of keys
	odd              uint32 // number of an oddSum, + 1; 0 for none
}

// oddSum is what the touches of few keys have: neither reads nor writes, or less than whole commands.
type oddSum struct{ other, less uint64 }

// add merges a second, given as pieces in file order (or a part of it that has to do for the whole), once
// per distinct key and kind of each piece.
func (s *Summary) add(pieces []*piece, c *closing) {
	if len(pieces) == 0 {
		return
	}
	timed, second := pieces[0].timed, pieces[0].second
	c.origin += uint32(len(c.sums))
	c.sums, c.odd, c.cell, c.begun, c.bytes, c.at = c.sums[:0], c.odd[:0], cell{}, 0, 0, second*s.config.base()
	if l := s.config.Layout; l != nil && len(l.Partitions) <= coarsePartitions {
		c.cell.parts = make([]load, len(l.Partitions))
	}
	for i, p := range pieces {
		if timed {
			c.unordered = p.unordered || s.timed && p.first < s.last
			if i == 0 {
				c.cell.first, c.cell.last = p.first, p.last
			}
			c.cell.first, c.cell.last = min(c.cell.first, p.first), max(c.cell.last, p.last)
			s.cover(p.first, p.last)
		}
		s.addKeys(p, c)
		s.addKeyless(p)
	}
	s.total.add(&c.cell.total)
	s.begun = saturate(s.begun, c.begun)
	s.bytes = saturate(s.bytes, c.bytes)
	if timed {
		s.fine = s.fine || c.cell.first%int64(time.Second) != 0 || c.cell.last%int64(time.Second) != 0
		c.rank.largest(s.keys, c, blockSpec.listed+1)
		s.windows.add(second, c.cell, &c.rank)
		s.blocks.add(second, c.cell, &c.rank)
		s.windows.names.sweep(s.windows, s.blocks)
	}
	s.compactKeys()
}

// addKeys merges the entries of a piece, some time after their keys began to be looked up.
func (s *Summary) addKeys(p *piece, c *closing) {
	sought := 0
	for added := 0; added < len(p.entries); {
		ahead := p.entries[sought:min(sought+sketch.Group, len(p.entries))]
		sought += len(ahead)
		for _, hint := range s.keys.Next(&c.lookups, len(ahead), func(i int) uint64 { return ahead[i].hash }) {
			s.addEntry(p, added, hint, c)
			added++
		}
	}
}

// addEntry merges an entry of a piece.
func (s *Summary) addEntry(p *piece, i int, hint int32, c *closing) {
	e := &p.entries[i]
	k := &p.kinds[e.class]
	key := p.key(e)
	v, row, isNew := s.keys.AddAt(hint, key, e.hash, e.count)
	if isNew {
		s.newKey(v, e, key)
	}
	if s.sample.Wants(e.hash) {
		s.sight(v, e, k, key, c)
	}
	s.countEntry(v, e, k, c)
	if p.timed && k.op != request.Poll && e.count > 0 {
		c.sum(v, row, e.hash, e.count, k)
	}
	if i < len(p.outcomes) {
		if o := &p.outcomes[i]; *o != (outcomes{}) {
			s.extras.of(v).add(o)
		}
	}
	var more spread
	if i < len(p.spreads) && p.spreads[i] > 0 {
		more = p.spreads[i]
		s.extras.of(v).spread.add(more)
		s.spread.add(more)
	}
	if s.groups != nil {
		s.addGroup(key, e.count, more, k.op, isNew)
	}
}

// newKey begins the row of a key that the table does not have; it may have been dropped from it before.
func (s *Summary) newKey(v *keyRow, e *entry, key []byte) {
	v.first, v.last = e.first, e.last
	v.slot, v.part = uint16(partition.Slot(key)), noPart
	s.distinct.Add(e.hash)
	if l := s.config.Layout; l != nil {
		at := -1
		if l.BySlot() {
			at = l.OfSlot(int(v.slot))
		} else {
			at = l.Of(key)
		}
		if at >= 0 {
			v.part = uint16(at)
			if s.partKeys != nil {
				s.partKeys[at].Add(e.hash)
			}
		}
	}
}

// countEntry adds an entry to what is kept of its key.
func (s *Summary) countEntry(v *keyRow, e *entry, k *kind, c *closing) {
	n := e.count
	if c.unordered {
		v.first = min(v.first, e.first)
	}
	v.last = max(v.last, e.last)
	v.bytes = saturate(v.bytes, e.bytes)
	if v.kind != k.number+1 {
		s.countKind(v, k, n)
	}
	s.commands[k.command] = saturate(s.commands[k.command], n)
	c.bytes = saturate(c.bytes, e.bytes)
	l := load{Requests: n}
	if k.op != request.Poll {
		l.Work = times(n, k.work)
		if k.work != workUnits {
			x := s.extras.of(v)
			x.less = saturate(x.less, times(n, workUnits-k.work))
		}
	}
	switch k.op {
	case request.Read:
		l.Reads = n
	case request.Write:
		l.Writes = n
	case request.Poll:
		l.Polls = n
	}
	if k.begins {
		c.begun = saturate(c.begun, n)
	}
	c.cell.total.add(&l)
	if c.cell.parts != nil && v.part != noPart {
		c.cell.parts[v.part].add(&l)
	}
}

// sum adds n touches of a kind, no polls, to those of a key in this second.
func (c *closing) sum(v *keyRow, row int32, hash, n uint64, k *kind) {
	place := v.mark - c.origin
	if int(place) >= len(c.sums) || c.sums[place].row != row {
		place = uint32(len(c.sums))
		v.mark = c.origin + place
		c.sums = append(c.sums, keySum{hash: hash, row: row})
	}
	sum := &c.sums[place]
	sum.requests = saturate(sum.requests, n)
	if k.op == request.Write {
		sum.writes = saturate(sum.writes, n)
	}
	if k.op == request.Other || k.work != workUnits {
		if sum.odd == 0 {
			c.odd = append(c.odd, oddSum{})
			sum.odd = uint32(len(c.odd))
		}
		o := &c.odd[sum.odd-1]
		if k.op == request.Other {
			o.other = saturate(o.other, n)
		}
		o.less = saturate(o.less, times(n, workUnits-k.work))
	}
	v.record(sum.requests, sum.writes, c.at)
}

// load of a sum.
func (c *closing) load(sum *keySum) load {
	l := load{Requests: sum.requests, Reads: sum.requests - sum.writes, Writes: sum.writes, Work: times(sum.requests, workUnits)}
	if sum.odd != 0 {
		o := &c.odd[sum.odd-1]
		l.Reads -= min(l.Reads, o.other)
		l.Work -= min(l.Work, o.less)
	}
	return l
}

// sight offers the first touch of an entry to the key sample. An entry of a key that is known and was seen
// in order has been sighted before, unless it is the first one that writes.
func (s *Summary) sight(v *keyRow, e *entry, k *kind, key []byte, c *closing) {
	write := k.op == request.Write
	if c.unordered || e.first <= v.first || write && !s.writes(v) {
		s.sample.Add(key, e.hash, e.sighting(), write)
	}
}

// addKeyless counts the rows of a piece that touch no key.
func (s *Summary) addKeyless(p *piece) {
	for class, n := range p.keyless {
		if n == 0 {
			continue
		}
		k := &p.kinds[class]
		s.commands[k.command] = saturate(s.commands[k.command], n)
		if k.begins {
			s.begun = saturate(s.begun, n)
			s.keyless = saturate(s.keyless, n)
		}
	}
}
