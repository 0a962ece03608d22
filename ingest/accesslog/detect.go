package accesslog

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"keyskew/ingest/names"
	"keyskew/ingest/request"
	"keyskew/ingest/wrap"
)

const (
	// sampleLines is how many lines are looked at.
	sampleLines = 200
	// enough is the share of lines that are all but all: a syslog's programs are not judged one by one
	// from there, and a log that says nothing is said to be one.
	enough = 0.95
)

// sample is the first lines of an input and what they are without their wrapper.
type sample struct {
	numbers []int // from 1
	lines   [][]byte
}

func newSample(head []byte) sample {
	var s sample
	for number := 1; len(head) > 0 && len(s.lines) < sampleLines; number++ {
		n := bytes.IndexByte(head, '\n') + 1
		if n == 0 {
			n = len(head)
		}
		if line := request.TrimEnd(head[:n]); len(bytes.TrimSpace(line)) > 0 {
			s.numbers = append(s.numbers, number)
			s.lines = append(s.lines, line)
		}
		head = head[n:]
	}
	return s
}

// peel returns the sample without its wrapper, and the wrapper's name, "" when it has none.
func (s sample) peel(head []byte) (sample, string) {
	name, peeler := wrap.Detect(head)
	if name == "" {
		return s, ""
	}
	bare := sample{numbers: s.numbers}
	for _, line := range s.lines {
		bare.lines = append(bare.lines, bytes.Clone(peeler.Peel(line)))
	}
	return bare, name
}

// detect judges the beginning of an input for one format, as it is and without its wrapper.
func detect(f spec, head []byte, s request.Select) request.Detection {
	if (s.LogFormat != "") != (f.id == customID) {
		d := request.Detection{Lines: len(newSample(head).lines), Reason: "a log format is given"}
		if s.LogFormat == "" {
			d.Reason = "it needs a log format"
		}
		return d
	}
	lines := newSample(head)
	best := judge(f, lines, s, "")
	if bare, wrapper := lines.peel(head); wrapper != "" {
		d := judge(f, bare, s, wrapper)
		if strings.Contains(wrapper, wrap.Syslog) && d.Share() < enough {
			d = ofOneProgram(f, lines, bare, s, wrapper, d)
		}
		// Many a line can be read with its wrapper on, but then its client is not the client.
		if d.Matched > 0 && d.Share() >= best.Share() {
			return d
		}
	}
	return best
}

// leastShare is the share of a syslog's lines that one program's must have.
const leastShare = 0.1

// ofOneProgram judges the lines of each program in a syslog by themselves, for there the others say
// nothing about the format.
func ofOneProgram(f spec, lines, bare sample, s request.Select, wrapper string, best request.Detection) request.Detection {
	var names []string
	programs := map[string]*sample{}
	for i, line := range lines.lines {
		name := program(line, bare.lines[i])
		if programs[name] == nil {
			programs[name] = &sample{}
			names = append(names, name)
		}
		p := programs[name]
		p.numbers = append(p.numbers, bare.numbers[i])
		p.lines = append(p.lines, bare.lines[i])
	}
	for _, name := range names {
		d := judge(f, *programs[name], s, wrapper+", the lines of "+name)
		if name != "" && d.Matched >= best.Matched && d.Share() > best.Share() &&
			float64(d.Matched) >= leastShare*float64(len(lines.lines)) {
			best = d
		}
	}
	return best
}

// program is the name in front of the message of a syslog line, without the process id; "" when the line
// has none.
func program(line, message []byte) string {
	header, ok := bytes.CutSuffix(line, message)
	header = bytes.TrimSuffix(header, []byte(": "))
	if !ok || len(header) == 0 {
		return ""
	}
	header = header[bytes.LastIndexByte(header, ' ')+1:]
	name, _, _ := bytes.Cut(header, []byte{'['})
	return request.Show(name, request.MaxShown)
}

func judge(f spec, lines sample, s request.Select, wrapper string) request.Detection {
	p := f.plan(lines.lines, s)
	d := request.Detection{Lines: len(lines.lines), Framing: wrapper, Reason: p.reason}
	if p.new == nil {
		return d
	}
	fail := func(err error) request.Detection {
		d.Reason = err.Error()
		return d
	}
	if s.Time != "" || s.TimeFormat != "" || s.Op != "" || s.Size != "" || s.Weight != "" {
		return fail(fmt.Errorf("time, operation, size and weight cannot be chosen for an access log"))
	}
	build, mapping, err := builder(p, s, wrapper)
	d, empty := count(d, f, p.new(nil), lines, p.only)
	if err != nil {
		return fail(err)
	}
	d.Mapping, d.Empty = mapping, empty
	if !empty {
		d.New = build
	}
	return d
}

// builder returns what makes the decoders.
func builder(p plan, s request.Select, wrapper string) (func() request.Decoder, []request.Mapped, error) {
	var wanted []string
	key := s.Key
	if key == "" {
		key = cmp.Or(p.defaultKey, "path")
	}
	mapping := []request.Mapped{{Field: "key", From: key}}
	main, err := parseSelector(key, p, s.Decode, &wanted)
	if err != nil {
		return nil, nil, err
	}
	extra := func(field, text string) *selector {
		if text == "" || err != nil {
			return nil
		}
		var one selector
		one, err = parseSelector(text, p, false, &wanted)
		mapping = append(mapping, request.Mapped{Field: field, From: text})
		return &one
	}
	partition, tenant, client := extra("partition", s.Partition), extra("tenant", s.Tenant), extra("client", s.Client)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range p.mapping {
		chosen := slices.ContainsFunc(mapping, func(have request.Mapped) bool { return have.Field == m.Field })
		if !chosen {
			mapping = append(mapping, m)
		}
	}
	columns := p.columns
	for _, c := range []struct {
		on     *selector
		column request.Columns
	}{{partition, request.PartitionColumn}, {tenant, request.TenantColumn}, {client, request.ClientColumn}} {
		if c.on != nil {
			columns |= c.column
		}
	}
	return func() request.Decoder {
		d := &decoder{
			parser:     p.new(wanted),
			key:        main.clone(),
			partition:  partition.copy(),
			tenant:     tenant.copy(),
			client:     client.copy(),
			names:      methodNames(),
			partitions: names.NewLabels(maxLabels, maxLabel, ""),
			tenants:    names.NewLabels(maxLabels, maxLabel, ""),
			batch:      request.NewBatch(batchRows, columns),
			short:      columns == request.TimeColumn|request.ClientColumn|request.StatusColumn,
		}
		d.record.wanted = make([][]byte, len(wanted))
		d.headed, _ = d.parser.(headed)
		if wrapper != "" {
			name, _, _ := strings.Cut(wrapper, ", ")
			d.peeler = wrap.New(name)
		}
		return d
	}, mapping, nil
}

// clone returns a selector with storage of its own.
func (s selector) clone() selector {
	s.buf = nil
	return s
}

func (s *selector) copy() *selector {
	if s == nil {
		return nil
	}
	c := s.clone()
	return &c
}

// count counts the lines that the parser can read. Broken requests count too, but a log must hold at
// least one whole request: empty is set if it holds none, though nearly all lines are of the format.
func count(d request.Detection, f spec, p parser, lines sample, only func([]byte) bool) (_ request.Detection, empty bool) {
	var r record
	requests, others := 0, 0
	for i, line := range lines.lines {
		r.reset()
		reason := p.parse(line, &r)
		if reason == "" || reason == reasonJunk {
			if only == nil || only(line) {
				d.Matched++
				if reason == "" {
					requests++
				}
				continue
			}
			reason = reasonForeign
		}
		if reason == reasonHeader || reason == reasonConnection || reason == reasonLifecycle {
			d.Lines-- // it belongs to the format, but says nothing
			others++
			continue
		}
		if reason == reasonForeign && isNotice(line) {
			d.Lines--
			continue
		}
		if d.FirstBad == 0 {
			d.FirstBad = lines.numbers[i]
			d.FirstBadText = request.Show(line, request.MaxShown)
			if d.Reason = string(reason); reason == reasonForeign {
				d.Reason = "it does not read like the " + f.title
			}
		}
	}
	if requests == 0 && len(lines.lines) > 0 && (d.Matched+others > 0 || d.Lines == 0) {
		d.Matched, d.Lines = d.Matched+others, len(lines.lines)
		d.FirstBad, d.FirstBadText = lines.numbers[0], request.Show(lines.lines[0], request.MaxShown)
		d.Reason = "none of its lines holds an HTTP request"
		if empty = d.Share() >= enough; !empty {
			d.Matched = 0
		}
		return d, empty
	}
	return d, false
}
