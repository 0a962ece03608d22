package synth

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// TopKeys is how many keys Truth lists.
const TopKeys = 1000

// Truth is what was written, counted meanwhile. Keys are named as a reader of the format finds them, in an
// access log by their paths.
type Truth struct {
	// Commands is the number of commands, polls included: a line each, but for a heading.
	Commands int64
	// Requests is the number of key touches, polls included: an MGET of three keys is three. It is the
	// sum of Reads, Writes and Polls.
	Requests, Reads, Writes, Polls int64
	// DistinctKeys is the number of different keys touched.
	DistinctKeys int64
	// First and Last are the times of the first and last command, as the format gives them; zero when
	// there is none.
	First, Last time.Time
	// Bytes is the length of what was written.
	Bytes int64
	// Keys lists the most touched keys, ties by their bytes, at most TopKeys. Time-ordered keys, which
	// are touched once each, are left out.
	Keys []Key
	// Viral, Counter and Queue are the planted keys; those that were not planted have counts of 0.
	Viral, Counter, Queue Key
	// HashTag is the number of touches of the keys of the hash tag; TimeOrdered is the number of
	// time-ordered keys.
	HashTag, TimeOrdered int64
	// Tenants holds the number of touches of each tenant's keys; [0] is t1.
	Tenants []int64
}

// Key is a key and how often it was touched: Count = Reads + Writes + Polls.
type Key struct {
	Key                         string
	Count, Reads, Writes, Polls int64
}

// touches of one key.
type touches struct{ all, writes uint32 }

func (t *touches) add(write bool) {
	t.all++
	if write {
		t.writes++
	}
}

func (t touches) key(name string) Key {
	return Key{Key: name, Count: int64(t.all), Reads: int64(t.all - t.writes), Writes: int64(t.writes)}
}

// summary fills in what follows from the counts of the single keys.
func (g *generator) summary() {
	t := &g.truth
	t.Viral = g.viral.key(g.f.name(g.c.Viral.Key))
	t.Counter = g.counter.key(g.f.name(g.c.Counter.Key))
	t.Queue = Key{Key: g.f.name(Queue), Count: t.Polls, Polls: t.Polls}

	var top ranking
	for _, k := range []Key{t.Viral, t.Counter, t.Queue} {
		if k.Count > 0 {
			t.DistinctKeys++
			top.add(k)
		}
	}
	var name []byte
	before := g.f.name("") // any background key
	for rank, n := range g.background {
		if n.all == 0 {
			continue
		}
		t.DistinctKeys++
		id := g.id(rank)
		name = g.appendKey(append(name[:0], before...), id)
		if top.admits(int64(n.all), name) {
			top.add(n.key(string(name)))
		}
		if g.c.Tenants > 0 {
			t.Tenants[g.tenant(id)] += int64(n.all)
		}
	}
	before = g.f.name(g.c.HashTag.prefix())
	for i, n := range g.tagged {
		if n.all == 0 {
			continue
		}
		t.DistinctKeys++
		t.HashTag += int64(n.all)
		name = strconv.AppendInt(append(name[:0], before...), int64(i), 10)
		if top.admits(int64(n.all), name) {
			top.add(n.key(string(name)))
		}
	}
	t.DistinctKeys += t.TimeOrdered
	t.Keys = top.keys
}

// ranking holds the TopKeys largest of the keys added, in order.
type ranking struct{ keys []Key }

// admits says whether such a key would be among them.
func (r *ranking) admits(count int64, name []byte) bool {
	if len(r.keys) < TopKeys {
		return true
	}
	last := r.keys[TopKeys-1]
	return count > last.Count || count == last.Count && string(name) < last.Key
}

func (r *ranking) add(k Key) {
	at, _ := slices.BinarySearchFunc(r.keys, k, func(a, b Key) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	r.keys = slices.Insert(r.keys, at, k)
	r.keys = r.keys[:min(len(r.keys), TopKeys)]
}
