package ingest

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"keyskew/ingest/request"
)

// Filter says which requests of the inputs are wanted. The zero value wants all. What it leaves out is
// decoded all the same, and counted in Stats.Filtered.
type Filter struct {
	// Since and Until bound the time: Since itself is in, Until is not. Times relative to the first
	// record are relative to that of the first input that has one. Until on a clock before Since is on
	// the next day.
	Since, Until Moment
	// Match keeps keys that fit one of the patterns (* ? [a-z] over bytes, \ before a special one) and
	// none of those with a ! in front. Requests without a key fit no pattern.
	Match []string
	// Where keeps requests that meet, of each field named, one condition, and none that says !=.
	Where []Condition
	// Head, if above 0, is how many requests of each input are read, before any other filter; its rest is
	// not looked at. A script and its calls are not parted, so they may be a few more.
	Head int64
}

// Condition is FIELD=VALUE or FIELD!=VALUE.
type Condition struct {
	Field  string
	Not    bool
	Value  string
	number uint16 // of a status: the code, or its first digit
	class  bool   // status 5xx
	glob   glob
	hash   uint64
}

// Fields of a condition.
const (
	byCommand   = "command"
	byOp        = "op"
	byClient    = "client"
	byDatabase  = "db"
	byStatus    = "status"
	byTenant    = "tenant"
	byPartition = "partition"
)

// ConditionFields lists what a condition can be about.
func ConditionFields() []string {
	return []string{byCommand, byOp, byClient, byDatabase, byStatus, byTenant, byPartition}
}

// ParseCondition reads a condition. Commands (in any case), tenants and partitions are patterns, an op is
// read, write, poll or other, a client a host without its port, a db the number of a database, a status a
// code or a class such as 5xx.
func ParseCondition(text string) (Condition, error) {
	field, value, ok := strings.Cut(text, "=")
	var c Condition
	c.Field, c.Not = strings.CutSuffix(field, "!")
	c.Value = value
	if !ok || !slices.Contains(ConditionFields(), c.Field) {
		return c, fmt.Errorf("%q: want FIELD=VALUE or FIELD!=VALUE; fields are %s", text, strings.Join(ConditionFields(), ", "))
	}
	var err error
	switch c.Field {
	case byCommand:
		c.glob, err = parseGlob(strings.ToUpper(value))
	case byTenant, byPartition:
		c.glob, err = parseGlob(value)
	case byOp:
		ops := []string{request.Read.String(), request.Write.String(), request.Poll.String(), request.Other.String()}
		if !slices.Contains(ops, value) {
			err = fmt.Errorf("want one of %s", strings.Join(ops, ", "))
		}
	case byClient:
		if _, e := netip.ParsePrefix(value); e == nil || strings.Contains(value, "*") {
			err = fmt.Errorf("want one address, whole and without a port: of a client only a hash is kept")
		}
		c.hash = request.HashString(value)
	case byDatabase:
		if _, e := strconv.ParseUint(value, 10, 31); e != nil {
			err = fmt.Errorf("want the number of a database")
		}
		c.glob, _ = parseGlob(databasePrefix + value)
	case byStatus:
		digits := value
		if len(value) == 3 && strings.EqualFold(value[1:], "xx") {
			digits, c.class = value[:1], true
		}
		n, e := strconv.ParseUint(digits, 10, 10)
		if e != nil {
			err = fmt.Errorf("want a status such as 404 or 5xx")
		}
		c.number = uint16(n)
	}
	if err != nil {
		return c, fmt.Errorf("%q: %w", text, err)
	}
	return c, nil
}

// Filtered counts requests that one filter left out: key touches, each as many as it stands for, and
// requests without a key.
type Filtered struct {
	// Filter is the flag that names it, with the reason where it cannot be applied to this input.
	Filter   string
	Requests uint64
}

// databases says that a condition is about databases.
func (f Filter) databases() bool {
	return slices.ContainsFunc(f.Where, func(c Condition) bool { return c.Field == byDatabase })
}

// stage is one of the filters in force; each row is counted under the first that does not want it.
type stage struct {
	name  string
	wants func(*filterSink, *request.Batch, int) bool
	// has says that a batch has the column that wants looks at; nil when all have it.
	has func(*request.Batch) bool
}

// filter is a Filter made ready.
type filter struct {
	Filter
	positive []glob
	negative []glob
	fields   [][]Condition
	stages   []stage
}

// Check says what is wrong with a filter, before any reading.
func (f Filter) Check() error {
	if s, u := f.Since, f.Until; s.kind == u.kind && s.kind != noMoment && s.kind != ofDay && u.ns <= s.ns {
		return fmt.Errorf("--until %s is not after --since %s", u.text, s.text)
	}
	_, err := newFilter(f)
	return err
}

func newFilter(f Filter) (*filter, error) {
	if f.Since.kind == noMoment && f.Until.kind == noMoment && len(f.Match) == 0 && len(f.Where) == 0 {
		return nil, nil
	}
	out := &filter{Filter: f}
	if f.Since.kind != noMoment || f.Until.kind != noMoment {
		out.stages = append(out.stages, stage{timeFlags(f), (*filterSink).inTime, func(b *request.Batch) bool { return b.Time != nil }})
	}
	for _, pattern := range f.Match {
		text, not := strings.CutPrefix(pattern, "!")
		g, err := parseGlob(text)
		if err != nil {
			return nil, fmt.Errorf("--match: %w", err)
		}
		if not {
			out.negative = append(out.negative, g)
		} else {
			out.positive = append(out.positive, g)
		}
	}
	if len(f.Match) > 0 {
		out.stages = append(out.stages, stage{"--match", (*filterSink).matches, nil})
	}
	for _, field := range ConditionFields() {
		var conditions []Condition
		for _, c := range f.Where {
			if c.Field == field {
				conditions = append(conditions, c)
			}
		}
		if len(conditions) == 0 {
			continue
		}
		n := len(out.fields)
		out.fields = append(out.fields, conditions)
		out.stages = append(out.stages, stage{
			"--where " + field,
			func(s *filterSink, b *request.Batch, i int) bool { return s.meets(n, b, i) },
			columnOf(field),
		})
	}
	return out, nil
}

func timeFlags(f Filter) string {
	switch {
	case f.Until.kind == noMoment:
		return "--since"
	case f.Since.kind == noMoment:
		return "--until"
	}
	return "--since and --until"
}

func columnOf(field string) func(*request.Batch) bool {
	switch field {
	case byClient:
		return func(b *request.Batch) bool { return b.Client != nil }
	case byStatus:
		return func(b *request.Batch) bool { return b.Status != nil }
	case byTenant, byDatabase:
		return func(b *request.Batch) bool { return b.Tenant != nil }
	case byPartition:
		return func(b *request.Batch) bool { return b.Partition != nil }
	}
	return nil
}

// relative says that the first record's time is needed.
func (f *filter) relative() bool { return f.Since.relative() || f.Until.relative() }

// bounds are the times in ns since 1970 UTC between which records are wanted, given the first record's.
func (f *filter) bounds(first int64) (since, until int64) {
	since, until = math.MinInt64, math.MaxInt64
	if f.Since.kind != noMoment {
		since = f.Since.at(first)
	}
	if f.Until.kind != noMoment {
		until = f.Until.at(first)
		if f.Until.kind == ofDay && until <= since {
			until = addSaturated(until, int64(24*time.Hour))
		}
	}
	return since, until
}

// filtered makes the counts of the stages into what Stats tells.
func (f *filter) filtered(left []leftOut) []Filtered {
	var out []Filtered
	for i, n := range left {
		if n.unwanted > 0 {
			out = append(out, Filtered{f.stages[i].name, n.unwanted})
		}
		if n.unknown > 0 {
			what := strings.TrimPrefix(f.stages[i].name, "--where ")
			if strings.HasPrefix(what, "--") {
				what = "time"
			}
			out = append(out, Filtered{f.stages[i].name + ": this input has no " + what, n.unknown})
		}
	}
	return out
}
