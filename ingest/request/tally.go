package request

import (
	"cmp"
	"slices"
)

// MaxPositions is how many positions are kept per reason.
const MaxPositions = 3

// Reason says why a line was not counted as a request. Reasons are short phrases that the report
// prints as they are ("not a MONITOR line", "cut off in the last line").
type Reason string

// Skip is what a tally keeps per reason.
type Skip struct {
	Reason Reason
	Lines  int64
	// Benign is set for lines that hold no request by their nature (a banner, an empty line, a call
	// counted with its caller): they are no sign of damage.
	Benign bool
	// At holds the first line numbers (from 1), at most MaxPositions.
	At []int64
}

// Tally counts what a stretch of one input held. Every line is either a request or skipped:
// Lines = Requests + the lines of all skips. Tallies of consecutive stretches add up with Append.
type Tally struct {
	// Lines is the number of lines (records) seen.
	Lines int64
	// Requests is the number of lines decoded as a request of some kind, with or without keys.
	Requests int64
	// Skips, in the order in which the reasons first appeared.
	Skips []Skip
	// First and Last are the earliest and latest times, in nanoseconds since 1970 UTC; valid when Timed.
	First, Last int64
	Timed       bool
	// FirstSeen and LastSeen are the times of the first and last record in file order.
	FirstSeen, LastSeen int64
	// OutOfOrder counts the records whose time is before that of the record in front of them.
	OutOfOrder int64
	// LongKeys counts keys longer than is kept; they are told apart by a hash of all their bytes.
	LongKeys int64
	// Notes are counts of things worth saying that are no skips ("unknown command FOO"), by text.
	Notes []Note
}

// Note is a counted remark.
type Note struct {
	Text  string
	Count int64
}

// Skip counts the current line (already in Lines) as not used.
func (t *Tally) Skip(r Reason, benign bool) {
	for i := range t.Skips {
		if t.Skips[i].Reason == r {
			t.Skips[i].add(t.Lines)
			return
		}
	}
	t.Skips = append(t.Skips, Skip{Reason: r, Benign: benign})
	t.Skips[len(t.Skips)-1].add(t.Lines)
}

func (s *Skip) add(line int64) {
	s.Lines++
	if len(s.At) < MaxPositions {
		s.At = append(s.At, line)
	}
}

// maxNotes is how many different remarks a tally keeps: those with the smallest texts, so that what is
// kept, and its counts, do not depend on how the input was cut.
const maxNotes = 64

// Note counts a remark.
func (t *Tally) Note(text string, n int64) {
	i, found := slices.BinarySearchFunc(t.Notes, text, func(have Note, text string) int {
		return cmp.Compare(have.Text, text)
	})
	switch {
	case found:
		t.Notes[i].Count += n
	case i < maxNotes:
		t.Notes = slices.Insert(t.Notes, i, Note{text, n})
		t.Notes = t.Notes[:min(len(t.Notes), maxNotes)]
	}
}

// Saw records the time of the record at hand.
func (t *Tally) Saw(ns int64) {
	if !t.Timed {
		t.Timed = true
		t.First, t.Last, t.FirstSeen = ns, ns, ns
	} else {
		if ns < t.LastSeen {
			t.OutOfOrder++
		}
		t.First = min(t.First, ns)
		t.Last = max(t.Last, ns)
	}
	t.LastSeen = ns
}

// Keep returns what is kept of a key, and counts it if that is not all of it. buf is storage for such a
// key, which is used again.
func (t *Tally) Keep(key []byte, buf *[]byte) []byte {
	if len(key) <= MaxKey {
		return key
	}
	t.LongKeys++
	*buf = appendShort((*buf)[:0], key)
	return *buf
}

// Skipped is the number of lines that are no requests, of all reasons; Bad leaves the benign ones out.
func (t *Tally) Skipped() (all, bad int64) {
	for _, s := range t.Skips {
		all += s.Lines
		if !s.Benign {
			bad += s.Lines
		}
	}
	return all, bad
}

// Append adds the tally of the stretch that follows directly.
func (t *Tally) Append(next *Tally) {
	for _, s := range next.Skips {
		i := slices.IndexFunc(t.Skips, func(have Skip) bool { return have.Reason == s.Reason })
		if i < 0 {
			i = len(t.Skips)
			t.Skips = append(t.Skips, Skip{Reason: s.Reason, Benign: s.Benign})
		}
		have := &t.Skips[i]
		have.Lines += s.Lines
		for _, at := range s.At {
			if len(have.At) < MaxPositions {
				have.At = append(have.At, t.Lines+at)
			}
		}
	}
	for _, n := range next.Notes {
		t.Note(n.Text, n.Count)
	}
	if next.Timed {
		if !t.Timed {
			t.Timed = true
			t.First, t.Last, t.FirstSeen = next.First, next.Last, next.FirstSeen
		} else {
			if next.FirstSeen < t.LastSeen {
				t.OutOfOrder++
			}
			t.First = min(t.First, next.First)
			t.Last = max(t.Last, next.Last)
		}
		t.OutOfOrder += next.OutOfOrder
		t.LastSeen = next.LastSeen
	}
	t.Lines += next.Lines
	t.Requests += next.Requests
	t.LongKeys += next.LongKeys
}

// SortedNotes returns the notes, most frequent first, then by text.
func (t *Tally) SortedNotes() []Note {
	out := slices.Clone(t.Notes)
	slices.SortFunc(out, func(a, b Note) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return out
}
