package ingest

import (
	"fmt"
	"os"
	"slices"

	"keyskew/ingest/request"
)

// fingerprint tells files apart by their length and their beginning.
type fingerprint struct {
	size int64
	hash uint64
}

const (
	// fingerprintSize is how much of a file is looked at for it, in bytes.
	fingerprintSize = 1 << 20
	// leastSize is the length in bytes from which two files that are equal are no chance: shorter ones
	// hold a banner or a line or two.
	leastSize = 64
)

// twice refuses a file that holds what an earlier one held, for its requests would count twice.
func (r *run) twice(s *source) error {
	f, ok := s.r.(*os.File)
	if !ok || s.size < leastSize || len(r.inputs) == 1 {
		return nil
	}
	buf := make([]byte, min(s.size, fingerprintSize))
	if n, _ := f.ReadAt(buf, 0); n < len(buf) {
		return nil // reading will say why
	}
	mark := fingerprint{s.size, request.Hash(buf)}
	if first, found := r.seen[mark]; found {
		return &RefusedError{Input: s.name, Why: fmt.Sprintf("it holds the same bytes as %s: its requests would count twice", first)}
	}
	r.seen[mark] = s.name
	return nil
}

// sampledKeys is how many of the keys that an input writes are kept to compare it with others.
const sampledKeys = 256

// writtenKeys is a uniform sample of the distinct keys that an input writes: the smallest hashes, in
// order (Beyer et al., On Synopses for Distinct-Value Estimation under Multiset Operations, 2007). It
// depends on the keys alone.
type writtenKeys []uint64

func (w *writtenKeys) add(hash uint64) {
	s := *w
	if len(s) == sampledKeys && hash >= s[len(s)-1] {
		return
	}
	if i, found := slices.BinarySearch(s, hash); !found {
		s = slices.Insert(s, i, hash)
		*w = s[:min(len(s), sampledKeys)]
	}
}

// shared is the share of the keys written in either input that are written in both, estimated from the
// smallest hashes of the two; 0 where there are too few keys to say.
func (w writtenKeys) shared(o writtenKeys) float64 {
	const few = 32
	if len(w) < few || len(o) < few {
		return 0
	}
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(w, o))))
	all = all[:min(len(all), sampledKeys)]
	both := 0
	for _, hash := range all {
		_, mine := slices.BinarySearch(w, hash)
		_, theirs := slices.BinarySearch(o, hash)
		if mine && theirs {
			both++
		}
	}
	return float64(both) / float64(len(all))
}

// watch samples the written keys of what passes through it.
type watch struct {
	to   request.Sink
	keys writtenKeys
}

// Add implements request.Sink.
func (w *watch) Add(b *request.Batch) {
	classes := b.Classes().List()
	for i, class := range b.Class {
		if c := &classes[class]; c.Op == request.Write && c.Flags&request.NoKey == 0 {
			w.keys.add(b.Hash[i])
		}
	}
	w.to.Add(b)
}

// compare notes what is odd about inputs side by side: nodes that share no time, and inputs that look
// like the same requests twice.
func compare(inputs []Input, stats []Stats, written []writtenKeys) {
	for i := range stats {
		a := &stats[i].Tally
		if !a.Timed {
			continue
		}
		apart := false
		for j := range i {
			b := &stats[j].Tally
			overlap := a.First <= b.Last && b.First <= a.Last
			switch {
			case !b.Timed:
			case a.First == b.First && a.Last == b.Last && a.Requests == b.Requests && a.Requests > 1:
				a.Note("as many requests, and the same first and last time, as "+stats[j].Name+
					": if they are the same, each counts twice", a.Requests)
			case overlap && stats[i].Format == monitorID && stats[j].Format == monitorID:
				// The nodes of a cluster share no key, but a replica repeats what its primary writes.
				if share := written[i].shared(written[j]); share >= sameKeys {
					a.Note("% of the written keys are written in "+stats[j].Name+" as well, at the same time: "+
						"if one is a replica of the other, each write counts twice; read one of them", int64(100*share))
				}
			case !overlap && !apart && inputs[i].Node && inputs[j].Node:
				apart = true
				a.Note("seconds between this node and "+stats[j].Name+
					", which share no time: their clocks differ, or they were captured one after the other",
					max(a.First-b.Last, b.First-a.Last)/1e9)
			}
		}
	}
}

// sameKeys is the share of written keys in common from which two captures are said to repeat each other.
const sameKeys = 0.5
