package analyze

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"keyskew/ingest/request"
)

// outcomes counts how requests went, where the input says so.
type outcomes struct {
	// Errors are responses with a status of 5xx or 429, Retries requests of a client for a key that it
	// had been refused so up to retryWithin before.
	Errors, Retries uint64
	Hits, Misses    uint64 // of a cache in front
}

func (o *outcomes) add(n *outcomes) {
	o.Errors = saturate(o.Errors, n.Errors)
	o.Retries = saturate(o.Retries, n.Retries)
	o.Hits = saturate(o.Hits, n.Hits)
	o.Misses = saturate(o.Misses, n.Misses)
}

// refused reports whether a status is one after which clients try again.
func refused(status uint16) bool { return status >= 500 || status == 429 }

// answer is a row whose client and status are known. Which rows are retries depends on what came
// before them, so it is found out when their region ends.
type answer struct {
	pair    uint64 // of client and key
	weight  uint64
	entry   uint32
	refused bool
}

// outcome notes how the rows from to to-1 of a batch went; found has the numbers of their entries, + 1.
func (p *piece) outcome(b *request.Batch, from, to int, found *[group]uint32) {
	for r := from; r < to; r++ {
		i := int(found[r-from]) - 1
		if i < 0 {
			continue
		}
		weight := b.WeightOf(r)
		if b.Cache != nil {
			switch o := p.outcomesOf(i); b.Cache[r] {
			case request.CacheHit:
				o.Hits = saturate(o.Hits, weight)
			case request.CacheMiss:
				o.Misses = saturate(o.Misses, weight)
			}
		}
		if b.Status == nil {
			continue
		}
		bad := refused(b.Status[r])
		if bad {
			o := p.outcomesOf(i)
			o.Errors = saturate(o.Errors, weight)
		}
		if b.Client != nil && b.Client[r] != 0 {
			p.refused = p.refused || bad
			p.answers = append(p.answers, answer{b.Hash[r] ^ bits.RotateLeft64(b.Client[r], 32), weight, uint32(i), bad})
		}
	}
}

// outcomesOf makes room for the outcomes of an entry.
func (p *piece) outcomesOf(i int) *outcomes {
	for len(p.outcomes) <= i {
		p.outcomes = append(p.outcomes, outcomes{})
	}
	return &p.outcomes[i]
}

// retryWithin is how long after a refusal a request of the same client for the same key is a retry. Times
// are compared by the second, or by Config.Window; within one, the order of the input counts.
const retryWithin = 5 * time.Second

const (
	// refusalBits is the binary logarithm of the number of buckets, and refusalWays how many pairs a bucket
	// has: as many as fill a cache line.
	refusalBits, refusalWays = 14, 4
)

// refusal is a client and a key that it was refused, and when.
type refusal struct {
	pair   uint64
	second int64
}

// refusals remembers the latest refusals: of those in one bucket, the last few. It has room for 65,536,
// from the first one on.
type refusals struct {
	buckets [][refusalWays]refusal
	within  int64 // retryWithin, in seconds of the collector
	latest  int64 // second of any refusal
}

func (f *refusals) bucket(pair uint64) *[refusalWays]refusal {
	return &f.buckets[pair*0x9e3779b97f4a7c15>>(64-refusalBits)]
}

// retried reports whether a request of a pair comes soon enough behind its refusal.
func (f *refusals) retried(pair uint64, second int64) bool {
	for _, r := range f.bucket(pair) {
		if r.pair == pair {
			return 0 <= second-r.second && second-r.second <= f.within
		}
	}
	return false
}

// note remembers a refusal, in place of the earliest noted one of its bucket.
func (f *refusals) note(pair uint64, second int64) {
	b := f.bucket(pair)
	at := slices.IndexFunc(b[:], func(r refusal) bool { return r.pair == pair })
	if at < 0 {
		at = len(b) - 1
	}
	copy(b[1:at+1], b[:at])
	b[0] = refusal{pair, second}
}

// retries counts the rows of the pieces of one region, in file order, that come after a refusal of their
// client and key. Rows are taken by second, and in file order within one: so it does not matter how the
// region was cut into chunks.
func (f *refusals) retries(pieces []*piece) {
	if f.buckets == nil {
		if !slices.ContainsFunc(pieces, func(p *piece) bool { return p.refused }) {
			return
		}
		f.buckets = make([][refusalWays]refusal, 1<<refusalBits)
		f.latest = untimed
	}
	slices.SortStableFunc(pieces, func(a, b *piece) int { return cmp.Compare(a.second, b.second) })
	for _, p := range pieces {
		if !p.refused && p.second > f.latest && p.second-f.latest > f.within {
			continue
		}
		for _, a := range p.answers {
			if f.retried(a.pair, p.second) {
				o := p.outcomesOf(int(a.entry))
				o.Retries = saturate(o.Retries, a.weight)
			}
			if a.refused {
				f.note(a.pair, p.second)
				f.latest = max(f.latest, p.second)
			}
		}
	}
}
