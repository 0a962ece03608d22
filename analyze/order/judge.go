package order

import (
	"bytes"
	"cmp"
)

// judge gives the verdict on keys; alike says that they have the same form.
func (in Input) judge(members []*member, alike bool) Family {
	keys, written, total := arrivals(members)
	f := Family{Name: []byte(AllKeys), Kind: "mixed", Written: written, Sample: len(keys), Keys: total, Verdict: Insufficient, members: len(members)}
	var vary []int
	if alike {
		vary = varying(keys)
		f.Name, f.Kind = title(keys, vary), "name"
	}
	if len(keys) < minKeys {
		return f
	}
	f.NewPerSecond = in.perSecond(total)
	byteOrder := places(keys, byBytes)
	f.ByBytes = Measure(byteOrder)
	f.ByNumber = f.ByBytes
	shown := byteOrder
	numberOrder := byteOrder
	if alike && uneven(keys, vary) {
		numberOrder = places(keys, compareByNumbers)
		f.ByNumber = Measure(numberOrder)
	}
	f.Verdict = No
	f.Bytes, f.Numbers = f.ByBytes.Partly(), f.ByNumber.Partly()
	switch {
	case f.ByBytes.Ordered() || f.ByNumber.Ordered():
		f.Verdict = TimeOrdered
	case f.Bytes || f.Numbers:
		f.Verdict = Partly
	}
	m := f.ByBytes
	if f.Numbers && !f.Bytes {
		m, shown = f.ByNumber, numberOrder
	}
	switch {
	case f.Bytes || f.Numbers:
		f.Frontier = frontier(m)
	case moves(byteOrder):
		f.Verdict, f.Bytes, f.Numbers, f.Frontier = TimeOrdered, true, true, Moving
	}
	if alike {
		f.structure(keys, vary, in.Timed)
	}
	if f.Verdict.Positive() && !written {
		f.Verdict = Possible
		if in.pass(keys) || alike && in.renumbered(keys, f.ByNumber) {
			f.Verdict, f.Bytes, f.Numbers, f.Frontier = No, false, false, ""
		}
	}
	f.Points = points(shown)
	return f
}

func frontier(m Measurement) Frontier {
	switch m.Range {
	case ranges - 1:
		return Last
	case 0:
		return First
	}
	return Interior
}

// structure looks at the parts: what the first that varies is, and whether another one rises behind it.
func (f *Family) structure(keys []*member, vary []int, timed bool) {
	if len(vary) == 0 {
		return
	}
	lead := vary[0]
	d, holds := structure(keys, lead, timed)
	f.Kind = form(keys, lead)
	if holds {
		f.Kind = d.kind
		if timed {
			f.Away = &d.away
		}
		f.leadsWithTime(d.kind)
		return
	}
	if f.Verdict != No {
		return
	}
	if share := turns(keys, lead); share > 0 {
		f.Verdict = ContainsTime
		if share >= partlyShare {
			f.Verdict, f.Bytes, f.Numbers, f.Frontier = Partly, true, true, Interior
		}
		return
	}
	for _, i := range vary[1:] {
		if _, holds := structure(keys, i, timed); holds || rises(keys, i) {
			f.Verdict = ContainsTime
			return
		}
	}
}

// leadsWithTime is what follows from an id that begins with the time of its making: also where many come
// in its finest unit and are not in order among themselves. Version 1 begins with the low part of the time,
// which starts again every 429.5 seconds.
func (f *Family) leadsWithTime(kind string) {
	f.Verdict, f.Bytes, f.Numbers = TimeOrdered, true, true
	switch {
	case kind == UUIDv1:
		f.Frontier = Moving
	case f.Frontier == "":
		f.Frontier = Last
	}
}

// Few values of the first part, each with keys that rise, are sequences that take turns.
const mostTurns, minTurn = 16, 20

// turns reports whether the keys of each value of part i rise, and gives the largest share that one value
// has, 0 when they do not or there are many values.
func turns(keys []*member, i int) float64 {
	groups := map[string][]*member{}
	for _, m := range keys {
		groups[string(m.part(i))] = append(groups[string(m.part(i))], m)
		if len(groups) > mostTurns {
			return 0
		}
	}
	rising, largest := 0, 0
	for _, g := range groups {
		largest = max(largest, len(g))
		if len(g) >= minTurn && (Measure(places(g, byBytes)).Ordered() || Measure(places(g, compareByNumbers)).Ordered()) {
			rising += len(g)
		}
	}
	if float64(rising) < parsedShare*float64(len(keys)) {
		return 0
	}
	return float64(largest) / float64(len(keys))
}

// rises reports whether the values of part i rise or fall by themselves. Equal values are ordered by the
// hash of their keys, so that a part with few values does not rise by its order of arrival.
func rises(keys []*member, i int) bool {
	return Measure(places(keys, func(a, b *member) int {
		x, y := a.part(i), b.part(i)
		c := 0
		if a.parts[i].kind == number {
			c = compareNumbers(x, y)
		}
		return cmp.Or(c, bytes.Compare(x, y), cmp.Compare(a.Hash, b.Hash), bytes.Compare(a.key, b.key))
	})).Ordered()
}

// perSecond scales the arrivals of the sample up to the whole.
func (in Input) perSecond(arrivals int) float64 {
	seconds := float64(in.Last-in.First) / 1e9
	if !in.Timed || in.Share <= 0 || seconds <= 0 {
		return 0
	}
	return float64(arrivals) / in.Share / seconds
}

// maxPoints is how many keys are drawn.
const maxPoints = 100

func points(place []int) []Point {
	n := len(place)
	step := max(1, (n+maxPoints-1)/maxPoints)
	var out []Point
	for i := 0; i < n; i += step {
		out = append(out, Point{float64(i) / float64(max(n-1, 1)), float64(place[i]) / float64(max(n-1, 1))})
	}
	return out
}
