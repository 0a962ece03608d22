package analyze

import (
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// spread says how unequal the weights of rows are: the sum of w^2 - w over them, nothing for rows that
// stand for one request each. A row is drawn into a sample or not with all that it stands for, so rows with
// weights tell as much as x = (sum w)^2 / sum w^2 requests drawn one by one: the count of a Poisson
// variable with the same ratio of mean to deviation.
type spread uint64

func (s *spread) add(more spread) { *s = spread(saturate(uint64(*s), uint64(more))) }

// of returns how many of n requests, those whose weights spread so, were drawn together: n / x, the sum of
// w^2 over that of w. It is 1 without weights.
func (s spread) of(n uint64) float64 {
	if n == 0 {
		return 1
	}
	return 1 + float64(s)/float64(n)
}

// spread notes the weights of the rows from to to-1 of a batch; found has the numbers of their entries, + 1.
func (p *piece) spread(b *request.Batch, from, to int, found *[group]uint32) {
	for r := from; r < to; r++ {
		i := int(found[r-from]) - 1
		if w := b.Weight[r]; i >= 0 && w > 1 {
			p.spreadOf(i).add(spread(times(w, w-1)))
		}
	}
}

// spreadOf makes room for the spread of an entry.
func (p *piece) spreadOf(i int) *spread {
	for len(p.spreads) <= i {
		p.spreads = append(p.spreads, 0)
	}
	return &p.spreads[i]
}

// spread is how many requests of the whole input were drawn together.
func (d *diagnoser) spread() float64 { return d.s.spread.of(d.s.total.Requests) }

// spreadOf is how many requests of a key were drawn together.
func (d *diagnoser) spreadOf(e *sketch.Entry[keyRow]) float64 {
	if e.Value.extra == 0 {
		return 1
	}
	touches, _ := d.s.keys.Bounds(*e)
	return d.s.extras.at(e.Value.extra).spread.of(touches)
}
