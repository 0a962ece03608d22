package ingest

import (
	"bytes"
	"slices"

	"keyskew/ingest/request"
)

// leftOut counts the requests that a stage left out: those that it does not want, and those of which it
// cannot tell, for the input lacks the column.
type leftOut struct{ unwanted, unknown uint64 }

// filterSink passes on what the filter wants. One belongs to a worker, and to one decoder at a time:
// what it knows of names is by their numbers.
type filterSink struct {
	*filter
	since, until int64
	to           request.Sink
	left         []leftOut

	// What is known of the record at hand, which may go over the end of a batch.
	owed   bool        // its first row was left out, so the next one that stays begins it
	fresh  bool        // the row in front names the command of what follows
	held   bool        // that row has not been passed on
	naming request.Row // that row
	class  uint32      // the number of its class
	script int         // its command, -1 without one

	known [][]verdict // by condition field and number of the name
}

type verdict uint8

const (
	unknown verdict = iota
	wanted
	unwanted
)

// begin readies the sink for a block.
func (s *filterSink) begin(to request.Sink, since, until int64) {
	s.to, s.since, s.until = to, since, until
	s.left = make([]leftOut, len(s.stages))
	s.owed, s.fresh, s.held, s.script = false, false, false, -1
}

// forget is called when the names mean something else from now on.
func (s *filterSink) forget() { s.known = make([][]verdict, len(s.fields)) }

// Add takes the unwanted rows out of the batch and hands on what is left, if anything is.
func (s *filterSink) Add(b *request.Batch) {
	n := 0
	var start, arena uint32 // of the key read, of the key written
	here := false           // the naming row was in this batch: its place is free
	for i := range b.Len() {
		end, flags := b.End[i], b.ClassOf(i).Flags
		begins := flags&request.BeginsCommand != 0
		if flags&request.NoKey != 0 && !begins {
			s.naming, s.class, s.held, s.fresh, here = rowOf(b, i), b.Class[i], true, true, true
			s.script = int(s.naming.Command)
			start = end
			continue
		}
		if begins {
			if !s.fresh {
				s.held, s.script = false, -1
			}
			s.fresh, s.owed = false, false
		}
		if !s.wants(b, i) {
			s.owed = s.owed || begins
			start = end
			continue
		}
		if s.held {
			s.held = false
			if here {
				put(b, n, s.naming, s.class)
				b.End[n] = arena
				n++
			} else {
				s.alone(b)
			}
		}
		arena += uint32(copy(b.Arena[arena:], b.Arena[start:end]))
		start = end
		move(b, n, i)
		b.End[n] = arena
		if s.owed {
			class := *b.ClassOf(n)
			class.Flags |= request.BeginsCommand
			b.Class[n] = b.Number(class)
			s.owed = false
		}
		n++
	}
	if n > 0 {
		truncate(b, n)
		s.to.Add(b)
	}
}

// alone hands on the naming row in a batch of its own.
func (s *filterSink) alone(b *request.Batch) {
	one := request.NewBatch(1, b.Columns())
	one.Append(&s.naming)
	one.Names, one.PartitionNames, one.TenantNames = b.Names, b.PartitionNames, b.TenantNames
	s.to.Add(one)
}

// wants asks the stages, and counts what the first one refuses.
func (s *filterSink) wants(b *request.Batch, i int) bool {
	for k := range s.stages {
		st := &s.stages[k]
		count := &s.left[k].unwanted
		if st.has != nil && !st.has(b) {
			count = &s.left[k].unknown
		} else if st.wants(s, b, i) {
			continue
		}
		*count = addUnsigned(*count, b.WeightOf(i))
		return false
	}
	return true
}

func (s *filterSink) inTime(b *request.Batch, i int) bool {
	return b.Time[i] >= s.since && b.Time[i] < s.until
}

func (s *filterSink) matches(b *request.Batch, i int) bool {
	if b.ClassOf(i).Flags&request.NoKey != 0 {
		return len(s.positive) == 0
	}
	key := b.Key(i)
	fits := func(g glob) bool { return g.match(key) }
	return (len(s.positive) == 0 || slices.ContainsFunc(s.positive, fits)) && !slices.ContainsFunc(s.negative, fits)
}

// meets asks the conditions on field n.
func (s *filterSink) meets(n int, b *request.Batch, i int) bool {
	conditions := s.fields[n]
	switch conditions[0].Field {
	case byCommand:
		return s.named(n, b.Names, int(b.ClassOf(i).Command)) || s.script >= 0 && s.named(n, b.Names, s.script)
	case byTenant, byDatabase:
		return s.named(n, b.TenantNames, int(b.Tenant[i]))
	case byPartition:
		return s.named(n, b.PartitionNames, int(b.Partition[i]))
	case byClient:
		return holds(conditions, func(c *Condition) bool { return c.hash == b.Client[i] })
	case byStatus:
		return holds(conditions, func(c *Condition) bool {
			return c.number == b.Status[i] || c.class && c.number == b.Status[i]/100
		})
	default:
		return holds(conditions, func(c *Condition) bool { return c.Value == b.ClassOf(i).Op.String() })
	}
}

// named asks the conditions on field n about a name, once for each name.
func (s *filterSink) named(n int, names []string, number int) bool {
	for len(s.known[n]) <= number {
		s.known[n] = append(s.known[n], unknown)
	}
	v := &s.known[n][number]
	if *v == unknown {
		name := []byte(nameOf(names, number))
		if s.fields[n][0].Field == byCommand {
			name = bytes.ToUpper(name)
		}
		*v = unwanted
		if holds(s.fields[n], func(c *Condition) bool { return c.glob.match(name) }) {
			*v = wanted
		}
	}
	return *v == wanted
}

func nameOf(names []string, number int) string {
	if number < len(names) {
		return names[number]
	}
	return ""
}

// holds says that one of the conditions is true, if any says =, and none that says !=.
func holds(conditions []Condition, is func(*Condition) bool) bool {
	asked, found := false, false
	for i := range conditions {
		c := &conditions[i]
		yes := is(c)
		if c.Not && yes {
			return false
		}
		asked = asked || !c.Not
		found = found || !c.Not && yes
	}
	return found || !asked
}
