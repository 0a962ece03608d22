package sketch

import (
	"bytes"
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Sighting is where a key was seen. Sightings are ordered by Time, then Input, then Offset.
type Sighting struct {
	Time   int64  // nanoseconds since 1970 UTC
	Input  uint32 // ordinal of the input, which the caller keeps stable
	Offset int64  // of the record in its input, in bytes or rows
}

// Compare orders sightings.
func (s Sighting) Compare(o Sighting) int {
	return cmp.Or(cmp.Compare(s.Time, o.Time), cmp.Compare(s.Input, o.Input), cmp.Compare(s.Offset, o.Offset))
}

// Sample is one sampled key. Key aliases the sample's memory and must not be changed.
type Sample struct {
	Key        []byte
	Hash       uint64
	First      Sighting
	Written    bool
	FirstWrite Sighting // zero unless Written
}

// KeySample keeps a uniform sample of the distinct keys added, with when each was first seen and first
// written: the keys whose mixed hash lies below a threshold, the largest 2^64/2^j at which at most
// capacity keys fit (distinct sampling: Gibbons 2001, VLDB). What it holds depends on the set of
// sightings alone, so any split and any order of merges agree.
type KeySample struct {
	capacity int
	t        table[sighted]
	halvings int // j, up to 65, where the threshold is 0
}

type sighted struct {
	first, firstWrite Sighting
	written           bool
}

// seen lowers the first sighting and, for a write, the first write.
func (r *sighted) seen(o sighted, isNew bool) {
	if isNew {
		*r = o
		return
	}
	if o.first.Compare(r.first) < 0 {
		r.first = o.first
	}
	if o.written && (!r.written || o.firstWrite.Compare(r.firstWrite) < 0) {
		r.written, r.firstWrite = true, o.firstWrite
	}
}

// NewKeySample returns an empty sample of at most capacity keys.
func NewKeySample(capacity int) *KeySample { return &KeySample{capacity: max(capacity, 0)} }

// Wants says whether Add would keep a key of this hash, as things stand.
func (s *KeySample) Wants(hash uint64) bool { return rank(hash) >= s.halvings }

// rank is the largest j at whose threshold the hash is kept.
func rank(hash uint64) int { return bits.LeadingZeros64(murmurmix(hash)) }

// Add records a sighting of a key; the smallest one is kept, and the smallest write.
func (s *KeySample) Add(key []byte, hash uint64, at Sighting, write bool) {
	if !s.Wants(hash) {
		return
	}
	row := sighted{first: at}
	if write {
		row.written, row.firstWrite = true, at
	}
	r, _, found := s.t.get(key, hash)
	r.row.seen(row, !found)
	s.shrink()
}

// shrink lowers the threshold until at most capacity keys are left.
func (s *KeySample) shrink() {
	if s.t.count <= s.capacity {
		return
	}
	var n [65]int // keys by rank
	for i := range s.t.count {
		n[rank(s.t.at(i).hash)]++
	}
	for left := s.t.count; left > s.capacity; s.halvings++ {
		left -= n[s.halvings]
	}
	s.t.retain(func(_ []byte, r *record[sighted]) bool { return s.Wants(r.hash) })
}

// Merge adds the keys of other, which it leaves as it is. Unlike capacities are refused with ErrUnlike.
func (s *KeySample) Merge(other *KeySample) error {
	if s.capacity != other.capacity {
		return errUnlikeCapacity(s.capacity, other.capacity)
	}
	if other.halvings > s.halvings {
		s.halvings = other.halvings
		s.t.retain(func(_ []byte, r *record[sighted]) bool { return s.Wants(r.hash) })
	}
	for i := range other.t.count {
		o := other.t.at(i)
		if s.Wants(o.hash) {
			r, _, found := s.t.get(other.t.key(o), o.hash)
			r.row.seen(o.row, !found)
		}
	}
	s.shrink()
	return nil
}

// Len is the number of keys in the sample.
func (s *KeySample) Len() int { return s.t.count }

// Threshold is the share of the hash range that is kept, 2^-j: 1 while every key is in the sample, 0
// in the contrived case that even 2^-64 holds too many.
func (s *KeySample) Threshold() float64 {
	if s.halvings > 64 {
		return 0
	}
	return math.Ldexp(1, -s.halvings)
}

// All returns the sampled keys by first sighting, then key.
func (s *KeySample) All() []Sample {
	all, _ := s.Some(s.t.count)
	return all
}

// Some returns at most that many of the sampled keys, chosen as a smaller sample would have, by first
// sighting, then key, and the part of all keys that they are.
func (s *KeySample) Some(most int) (all []Sample, threshold float64) {
	small := KeySample{halvings: s.halvings}
	for left := s.t.count; left > most; small.halvings++ {
		left = 0
		for i := range s.t.count {
			if rank(s.t.at(i).hash) > small.halvings {
				left++
			}
		}
	}
	for i := range s.t.count {
		if r := s.t.at(i); small.Wants(r.hash) {
			all = append(all, Sample{Key: s.t.key(r), Hash: r.hash, First: r.row.first, Written: r.row.written, FirstWrite: r.row.firstWrite})
		}
	}
	slices.SortFunc(all, func(a, b Sample) int {
		return cmp.Or(a.First.Compare(b.First), bytes.Compare(a.Key, b.Key))
	})
	return all, small.Threshold()
}

// Renumber gives every input another ordinal, in the same order.
func (s *KeySample) Renumber(ordinal func(uint32) uint32) {
	for i := range s.t.count {
		r := &s.t.at(i).row
		r.first.Input = ordinal(r.first.Input)
		if r.written {
			r.firstWrite.Input = ordinal(r.firstWrite.Input)
		}
	}
}

// Clone returns an independent copy.
func (s *KeySample) Clone() *KeySample {
	return &KeySample{capacity: s.capacity, t: s.t.clone(), halvings: s.halvings}
}

// Bytes is the memory held, roughly.
func (s *KeySample) Bytes() int { return s.t.bytes() }
