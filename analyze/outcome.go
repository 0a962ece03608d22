package analyze

import (
	"math/bits"

	"keyskew/ingest/request"
)

// outcomes counts how requests went, where the input says so.
type outcomes struct {
	// Errors are responses with a status of 5xx or 429, Retries requests of a client for a key that it
	// had just been refused so, in the same second.
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

// answer is a row whose client and status are known. Which rows are retries depends on what came before
// in their second, so it is found out when the chunk is folded.
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

// retries counts the rows of a piece that come after a refusal of their client and key. failed holds the
// pairs that were refused before in this second, and gets those of the piece.
func (p *piece) retries(failed map[uint64]struct{}) map[uint64]struct{} {
	if !p.refused && len(failed) == 0 {
		return failed
	}
	for _, a := range p.answers {
		if _, again := failed[a.pair]; again {
			o := p.outcomesOf(int(a.entry))
			o.Retries = saturate(o.Retries, a.weight)
		}
		if a.refused {
			if failed == nil {
				failed = map[uint64]struct{}{}
			}
			failed[a.pair] = struct{}{}
		}
	}
	return failed
}
