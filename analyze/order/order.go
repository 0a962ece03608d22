package order

import (
	"bytes"
	"cmp"
	"slices"

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
