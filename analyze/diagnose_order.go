package analyze

import (
	"fmt"

	"keyskew/analyze/order"
)

// order looks for keys that arrive in the order of their names.
func (d *diagnoser) order() {
	samples, share := d.observedSample()
	d.out.Order = order.Analyze(order.Input{
		Samples: samples, Share: share, Timed: d.s.timed, First: d.s.first, Last: d.s.last,
		Touches: func(key []byte, hash uint64) uint64 {
			e, ok := d.s.keys.Find(key, hash)
			if !ok {
				return 0
			}
			lower, _ := d.s.keys.Bounds(e)
			return lower
		},
	})
	for i := range d.out.Order {
		d.out.Order[i].NewPerSecond *= d.every()
	}
}

// orderFindings names the families whose new keys go to one place. All keys together are a family only where
// no other one is ordered.
func (d *diagnoser) orderFindings() {
	for i, f := range d.out.Order {
		if !f.Verdict.Positive() || i > 0 && string(f.Name) == order.AllKeys && d.out.Order[0].Verdict.Positive() {
			continue
		}
		id, how := "KS301", "new keys go to one place in the order of keys"
		switch {
		case f.Verdict == order.Partly:
			id, how = "KS302", "many new keys go to one place in the order of keys"
		case f.Frontier == order.Moving:
			how = "new keys go to one place at a time in the order of keys"
		}
		d.out.Findings = append(d.out.Findings, Finding{
			ID: id, Severity: Info, Target: string(f.Name),
			Title: fmt.Sprintf("%s (%s): a hot spot where ranges of keys are kept together, harmless where keys are hashed", how, f.Kind),
		})
	}
}
