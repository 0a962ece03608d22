package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones by name, also where the system has none

	"github.com/spf13/cobra"

	"keyskew/ingest"
	"keyskew/ingest/request"
)

// maxSampleEvery is the rarest sample that is taken for one.
const maxSampleEvery = 1_000_000_000

// inputFlags say what is read and how, as given.
type inputFlags struct {
	format  string
	unknown string
	role    string
	nodes   []string

	columns    request.Select
	every      int
	zone       string
	since      string
	until      string
	match      []string
	where      []string
	head       int64
	withFilter bool // the flags of registerFilters are there
}

func (f *inputFlags) register(c *cobra.Command) {
	fs := c.Flags()
	var inputs []string
	for _, format := range ingest.Formats() {
		inputs = append(inputs, format.ID)
	}
	fs.Var(newChoice(&f.format, "", inputs...), "input-format", "the `format` of the inputs, instead of looking at their first lines (keyskew list formats)")
	for _, column := range []struct {
		value      *string
		name, what string
	}{
		{&f.columns.Key, "key", "the key"},
		{&f.columns.Time, "time", "the time"},
		{&f.columns.Op, "op", "what is done: a method or command"},
		{&f.columns.Size, "size", "the payload in bytes"},
		{&f.columns.Weight, "weight", "how many requests a record stands for"},
		{&f.columns.Partition, "partition", "the shard or server that answered"},
		{&f.columns.Tenant, "tenant", "the tenant"},
		{&f.columns.Client, "client", "the client"},
	} {
		fs.StringVar(column.value, column.name, "", "`COLUMN` that is "+column.what)
	}
	fs.Lookup("key").Usage = "`COLUMN` that is the key, by name, number from 1, or dot path; of access logs " +
		"path, path+query, query:NAME, host+path, host, client, referer or agent"
	fs.StringVar(&f.columns.TimeFormat, "time-format", "", "`LAYOUT` of times as in Go (2006-01-02 15:04:05), or s, ms, us, ns for numbers")
	fs.StringVar(&f.zone, "tz", "UTC", "`ZONE` of times that name none: UTC, Europe/Paris, +02:00")
	fs.StringVar(&f.columns.LogFormat, "log-format", "", "`FORMAT` of an access log, in letters of goaccess (%h %t \"%r\") or variables of nginx ($remote_addr)")
	fs.BoolVar(&f.columns.Decode, "decode", false, "undo the percent-encoding of paths")
	fs.Var(newChoice(&f.unknown, "key", "key", "skip"), "unknown-commands", "commands that are not in the table: take their first argument as the `key`, or skip them: key, skip")
	fs.Var(newChoice(&f.role, "primary", "primary", "replica"), "role", "`role` of the captured node; a replica's capture shows its primary's writes rewritten: primary, replica")
	fs.StringArrayVar(&f.nodes, "node", nil, "read FILE as the capture of the node NAME (`NAME=FILE`; may repeat), before the other FILEs")
	group(fs, "Input", "input-format", "key", "time", "op", "size", "weight", "partition", "tenant", "client",
		"time-format", "tz", "log-format", "decode", "unknown-commands", "role", "node")
	complete(c, "input-format", inputs)
}

// registerFilters adds the flags of those commands that count.
func (f *inputFlags) registerFilters(c *cobra.Command) {
	fs := c.Flags()
	f.withFilter = true
	fs.IntVar(&f.every, "sample-every", 1, "the input holds 1 request in `N`; rates and counts are scaled up, with their uncertainty")
	group(fs, "Input", "sample-every")
	fs.StringVar(&f.since, "since", "", "only from this `TIME` on: 2006-01-02T15:04:05Z, \"2006-01-02 15:04\", 15:04 (on the first record's day), seconds since 1970, or +10m after the first record")
	fs.StringVar(&f.until, "until", "", "only before this `TIME`, as --since")
	fs.StringArrayVar(&f.match, "match", nil, "only keys that fit the `GLOB` (* ? [a-z]); with ! in front, only others; may repeat")
	fs.StringArrayVar(&f.where, "where", nil, "only requests with `FIELD=VALUE` (or !=): "+strings.Join(ingest.ConditionFields(), ", ")+"; may repeat")
	fs.Int64Var(&f.head, "head", 0, "read only the first `N` requests of each input")
	group(fs, "Filters", "since", "until", "match", "where", "head")
}

// inputs are the files to read: the nodes, then the arguments, or else what is piped in.
func (f *inputFlags) inputs(a *app, args []string) ([]ingest.Input, error) {
	var out []ingest.Input
	add := func(in ingest.Input) error {
		for _, have := range out {
			switch {
			case have.Path == in.Path:
				return fmt.Errorf("%s is given twice: its requests would count twice", in.Path)
			case have.Name == in.Name:
				return fmt.Errorf("two inputs are called %s", in.Name)
			}
		}
		out = append(out, in)
		return nil
	}
	for _, node := range f.nodes {
		name, path, ok := strings.Cut(node, "=")
		if !ok || name == "" || path == "" {
			return nil, fmt.Errorf("--node %s: want NAME=FILE", node)
		}
		if err := add(ingest.Input{Name: name, Path: path, Node: true}); err != nil {
			return nil, err
		}
	}
	if len(args) == 0 && len(out) == 0 {
		if a.stdinIsTerminal() {
			return nil, errors.New("no FILE, and nothing is piped in; keyskew -h shows how to use it")
		}
		args = []string{"-"}
	}
	for _, arg := range args {
		in := ingest.Input{Name: arg, Path: arg}
		if arg == "-" {
			in.Name = "stdin"
		}
		if err := add(in); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// options checks the flags and says what they mean.
func (f *inputFlags) options(a *app) (ingest.Options, error) {
	o := ingest.Options{Format: f.format, Stdin: a.in, Select: f.columns}
	o.Select.SkipUnknown, o.Select.Replica = f.unknown == "skip", f.role == "replica"
	zone, err := parseZone(f.zone)
	if err != nil {
		return o, fmt.Errorf("--tz: %w", err)
	}
	o.Select.Zone = zone
	if !f.withFilter {
		return o, nil
	}
	for _, m := range []struct {
		flag, text string
		to         *ingest.Moment
	}{{"since", f.since, &o.Filter.Since}, {"until", f.until, &o.Filter.Until}} {
		if m.text == "" {
			continue
		}
		if *m.to, err = ingest.ParseMoment(m.text, zone); err != nil {
			return o, fmt.Errorf("--%s: %w", m.flag, err)
		}
	}
	o.Filter.Match = f.match
	for _, text := range f.where {
		c, err := ingest.ParseCondition(text)
		if err != nil {
			return o, fmt.Errorf("--where: %w", err)
		}
		o.Filter.Where = append(o.Filter.Where, c)
	}
	if f.every < 1 || f.every > maxSampleEvery {
		return o, fmt.Errorf("--sample-every: between 1 and %d", maxSampleEvery)
	}
	if f.head < 0 {
		return o, errors.New("--head: not below 0")
	}
	o.Filter.Head = f.head
	return o, o.Filter.Check()
}

// parseZone reads the name of a zone or its distance from UTC.
func parseZone(s string) (*time.Location, error) {
	for _, layout := range []string{"Z07:00", "-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Location(), nil
		}
	}
	if slices.Contains([]string{"", "local", "Local"}, s) {
		return nil, errors.New("name the zone: the report must not depend on the machine")
	}
	zone, err := time.LoadLocation(s)
	if err != nil {
		return nil, fmt.Errorf("there is no zone %q; want UTC, a name such as Europe/Paris, or +02:00", s)
	}
	return zone, nil
}
