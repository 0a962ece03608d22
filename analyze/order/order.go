package order

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"

	"keyskew/sketch"
)

// Verdict says whether the keys of a family arrive in their order.
type Verdict string

// The verdicts, the strongest first. Possible is TimeOrdered or Partly where it is not known which requests
// write: only writes make a key new. ContainsTime keys hold a part that rises, behind one that does not.
const (
	TimeOrdered  Verdict = "time-ordered"
	Partly       Verdict = "partly"
	Possible     Verdict = "possible"
	ContainsTime Verdict = "contains-time"
	No           Verdict = "no"
	Insufficient Verdict = "insufficient"
)

var verdicts = []Verdict{TimeOrdered, Partly, Possible, ContainsTime, No, Insufficient}

// Positive reports whether new keys go to one place of a store that keeps ranges together.
func (v Verdict) Positive() bool { return v == TimeOrdered || v == Partly }

// Frontier is where new keys go, in the order of the keys that were there before.
type Frontier string

// The frontiers. A moving one is in one place at a time.
const (
	Last     Frontier = "last"
	First    Frontier = "first"
	Interior Frontier = "interior"
	Moving   Frontier = "moving"
)

// AllKeys is the name of the family of all keys of the sample.
const AllKeys = "*"

// Family is the verdict on a set of keys.
type Family struct {
	Name []byte
	// Kind is what the first part that varies is: the name of an id that holds a time, or sequence, number,
	// hex, id, name.
	Kind    string
	Verdict Verdict
	// Written says that Sample counts keys that were seen being written, in the order of the writes.
	Written bool
	// Sample is how many keys were looked at, of Keys in the whole sample.
	Sample, Keys int
	// ByBytes and ByNumber are the measurements in the two orders of keys; they are the same where no number
	// has more digits than another.
	ByBytes, ByNumber Measurement
	// Bytes and Numbers say in which order the keys arrive: what is split by ranges of strings, and what by
	// ranges of numbers, suffers.
	Bytes, Numbers bool
	Frontier       Frontier // "" unless Bytes or Numbers
	// NewPerSecond estimates the new keys per second in the whole input, 0 without times.
	NewPerSecond float64
	// Away is the median distance of the decoded times to those of the records, in milliseconds, nil where
	// no time was decoded or records have none.
	Away *float64
	// Points is the arrival (X) and the place (Y) of keys, both from 0 to 1, in order of arrival.
	Points  []Point
	form    string // the name with the words left out
	members int
}

// Point is one key.
type Point struct{ X, Y float64 }

// Input is a sample of keys and what it was drawn from.
type Input struct {
	Samples []sketch.Sample
	// Share is the part of all distinct keys that the sample holds.
	Share float64
	// Timed says that sightings have a time; First and Last are the ends of the input, in ns.
	Timed       bool
	First, Last int64
	// Touches returns how often a key was requested, at least.
	Touches func(key []byte, hash uint64) uint64
}

// mostFamilies is how many verdicts are given at most.
const mostFamilies = 20

// Analyze judges the families of a sample, and all its keys together as AllKeys, which comes last. The
// strongest verdicts come first, then the largest families. Nil without keys.
func Analyze(in Input) []Family {
	if len(in.Samples) == 0 {
		return nil
	}
	all := newMembers(in.Samples)
	var out []Family
	for _, f := range families(all) {
		judged := in.judge(f.members, true)
		judged.form = f.form
		out = append(out, judged)
	}
	var whole Family
	if len(out) == 1 && out[0].members == len(all) { // one family is all there is
		whole = out[0]
		whole.Name = []byte(AllKeys)
	} else {
		whole = in.judge(all, false)
	}
	out = pool(out)
	slices.SortFunc(out, func(a, b Family) int {
		return cmp.Or(cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict)),
			cmp.Compare(b.Keys, a.Keys), bytes.Compare(a.Name, b.Name))
	})
	out = out[:min(len(out), mostFamilies)]
	return append(out, whole)
}

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

// A pass over keys that exist is no arrival of new ones. It touches them all as often, twice or more, or it
// takes less than half of the input's time, after which no new key comes.
const (
	passTouches = 2
	passSpread  = 1.25
	passTime    = 0.5
)

// pass reports whether keys that nobody was seen to write were read in order rather than made in order.
func (in Input) pass(keys []*member) bool {
	const tail = 20 // of the ends one in 20 is left out
	n := len(keys)
	if in.Timed {
		from, to := keys[n/tail].at.Time, keys[n-1-n/tail].at.Time
		if float64(to-from) < passTime*float64(in.Last-in.First) {
			return true
		}
	}
	touches := make([]uint64, n)
	for i, m := range keys {
		touches[i] = in.Touches(m.key, m.Hash)
	}
	slices.Sort(touches)
	low, high := touches[n/tail], touches[n-1-n/tail]
	return low >= passTouches && float64(high) <= passSpread*float64(low)
}

// renumbered reports whether keys are numbers that were given out as the keys first appeared, as makers of
// published traces do to hide the names: from 0 or 1 on, without gaps, and never out of order.
func (in Input) renumbered(keys []*member, m Measurement) bool {
	first, last := keys[0], keys[len(keys)-1]
	if m.Records != len(keys) || len(first.parts) != 1 || first.parts[0].kind != number || len(first.key) != len(first.part(0)) {
		return false
	}
	from, err1 := strconv.ParseUint(string(first.key), 10, 64)
	to, err2 := strconv.ParseUint(string(last.key), 10, 64)
	// The sample leaves gaps; the keys it stands for fill them.
	gap := 1 / in.Share * float64(len(in.Samples)) / float64(len(keys))
	const gaps = 20 // of a geometric length: one of e^20 is longer
	return err1 == nil && err2 == nil && float64(from) <= 1+gaps*(gap-1) && float64(to-from) <= gap*(float64(len(keys))+gaps*math.Sqrt(float64(len(keys))))
}

// perSecond scales the arrivals of the sample up to the whole.
func (in Input) perSecond(arrivals int) float64 {
	seconds := float64(in.Last-in.First) / 1e9
	if !in.Timed || in.Share <= 0 || seconds <= 0 {
		return 0
	}
	return float64(arrivals) / in.Share / seconds
}

// mostSiblings is how many families of one form may each be ordered before they are the values of a part that
// comes before the time, such as a user's name: the new keys then go to as many places.
const mostSiblings = 10

// pool replaces many ordered families of one form by one that contains a time.
func pool(all []Family) []Family {
	siblings := map[string]int{}
	for _, f := range all {
		if f.Verdict.Positive() || f.Verdict == Possible {
			siblings[f.form]++
		}
	}
	var out []Family
	pooled := map[string]int{}
	for _, f := range all {
		name := f.form
		if siblings[name] <= mostSiblings || !f.Verdict.Positive() && f.Verdict != Possible {
			out = append(out, f)
			continue
		}
		i, ok := pooled[name]
		if !ok {
			i = len(out)
			pooled[name] = i
			out = append(out, Family{Name: []byte(name), Kind: "name", Verdict: ContainsTime, Written: true})
		}
		p := &out[i]
		p.Written = p.Written && f.Written
		p.Sample += f.Sample
		p.Keys += f.Keys
		p.NewPerSecond += f.NewPerSecond
	}
	return out
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
