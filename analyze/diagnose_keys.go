package analyze

import (
	"bytes"
	"cmp"
	"slices"

	"keyskew/analyze/partition"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// maxKeys bounds the list of keys, whatever is hot.
const maxKeys = 1000

// keys lists the hot keys and the largest others.
func (d *diagnoser) keys() {
	hotWindows, deciding := d.hotWindows()
	candidates := newTop(max(d.o.Top, 1), byCount)
	var out []Key
	var polled []Key
	for e := range d.s.keys.All() {
		lower, upper := d.bounds(e)
		if lower == 0 && upper == 0 {
			if float64(d.s.polls(&e.Value, e.G+e.Cov)) >= polledShare*float64(d.s.total.Requests) {
				polled = append(polled, d.key(e, lower, upper))
			}
			continue
		}
		inAll := d.hotInAll(lower, d.spreadOf(&e))
		if d.out.Threshold.Rate > 0 && !d.s.timed {
			inAll = false // a rate needs time
		}
		windows := hotWindows[string(e.Key)]
		if inAll || windows > 0 {
			k := d.key(e, lower, upper)
			k.Hot, k.HotIn, k.HotWindows, k.Windows = true, "peak", windows, deciding
			if inAll {
				k.HotIn = "all"
			}
			out = append(out, k)
			continue
		}
		candidates.add(observedKey{e.Key, lower, upper})
	}
	byHeat := func(a, b Key) int {
		return cmp.Or(cmp.Compare(b.Count.Value, a.Count.Value), cmp.Compare(b.Peak.Value, a.Peak.Value),
			bytes.Compare(a.Key, b.Key))
	}
	slices.SortFunc(out, byHeat)
	out = out[:min(len(out), maxKeys)]
	d.out.HotKeys = len(out)
	for _, c := range candidates.sorted() {
		if len(out) >= d.o.Top {
			break
		}
		if e, ok := d.s.keys.Find(c.key, request.Hash(c.key)); ok {
			out = append(out, d.key(e, c.lower, c.upper))
		}
	}
	slices.SortFunc(polled, func(a, b Key) int {
		return cmp.Or(cmp.Compare(b.Polls, a.Polls), bytes.Compare(a.Key, b.Key))
	})
	d.out.Keys = append(out, polled...)
}

// bounds of a key's touches without polls.
func (d *diagnoser) bounds(e sketch.Entry[keyRow]) (lower, upper uint64) {
	lower, upper = d.s.keys.Bounds(e)
	if lower != upper {
		upper = max(lower, min(upper, d.s.countMin.Estimate(e.Hash)))
	}
	polls := d.s.polls(&e.Value, lower)
	return lower - polls, upper - polls
}

// key fills in what is known of an entry.
func (d *diagnoser) key(e sketch.Entry[keyRow], lower, upper uint64) Key {
	v := d.s.statsOf(&e)
	gross := lower + v.Polls
	k := Key{
		Key:    bytes.Clone(e.Key),
		Count:  scaled(estimate(lower, upper), d.every(), v.spread.of(gross)),
		Reads:  gross - v.Writes - v.Polls - v.Other,
		Writes: v.Writes, Polls: v.Polls, Other: v.Other,
		Bytes: v.Bytes, First: v.First, Last: v.Last,
		Slot:    partition.Slot(e.Key),
		Algebra: v.Algebra,
	}
	if d.served > 0 {
		k.Share = min(1, float64(upper)/float64(d.served))
	}
	if tag, tagged := partition.HashTag(k.Key); tagged {
		k.HashTag = tag
	}
	k.Commands = v.Commands
	sortCommands(k.Commands)
	if d.s.columns&request.StatusColumn != 0 {
		k.Errors = &v.Errors
		if d.s.timed {
			k.Retries = &v.Retries
		}
	}
	if known := saturate(v.Hits, v.Misses); known > 0 {
		ratio := float64(v.Hits) / float64(known)
		k.HitRatio = &ratio
	}
	k.Class = class(k.Reads, k.Writes, k.Other, k.Polls)
	if d.s.timed {
		k.MeanRate = k.Count.Value / d.out.Totals.Seconds
		seconds := d.covered(v.PeakAt / d.s.config.base())
		peak := estimate(v.Peak, v.Peak)
		if exact := e.Cov == d.s.keys.Offset(); !exact {
			// Before it came into the table for good it had at most Offset requests in all.
			peak.Upper = max(peak.Value, float64(d.s.keys.Offset()))
		}
		k.Peak = scaled(peak, d.every(), v.spread.of(gross))
		for _, rate := range []*float64{&k.Peak.Value, &k.Peak.Lower, &k.Peak.Upper} {
			*rate /= seconds * d.every()
		}
		k.PeakWrites, k.PeakAt = float64(v.PeakWrites)/seconds, v.PeakAt
	}
	if l := d.o.Layout; l != nil {
		if at := l.Of(k.Key); at >= 0 {
			k.Partition = l.Partitions[at].ID
		}
		if !l.BySlot() {
			k.Slot, k.HashTag = -1, nil
		}
	}
	return k
}

// class says what a key's requests mostly are.
func class(reads, writes, other, polls uint64) Class {
	served := float64(reads + writes + other)
	switch {
	case float64(polls) >= pollShare*(served+float64(polls)):
		return PollClass
	case float64(reads) >= classShare*served:
		return ReadClass
	case float64(writes) >= classShare*served:
		return WriteClass
	default:
		return MixedClass
	}
}
