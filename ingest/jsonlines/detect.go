package jsonlines

import (
	"bytes"
	"slices"
	"strings"

	"keyskew/ingest/request"
	"keyskew/ingest/wrap"
)

// sample is the beginning of an input, taken apart.
type sample struct {
	wrapper string
	lines   []sampled
}

// sampled is a line of the sample.
type sampled struct {
	number  int
	text    []byte // without its wrapper
	outcome outcome
}

// newSample reads the first lines. A last line that the end of the head cuts is left out, unless it is
// the only one.
func newSample(head []byte) (*sample, *fields) {
	s := &sample{wrapper: wrapper(head)}
	all := &fields{}
	peeler := wrap.New(s.wrapper)
	scanner := scanner{hexEscapes: true}
	for number := 1; len(head) > 0 && len(s.lines) < sampleLines; number++ {
		n := bytes.IndexByte(head, '\n') + 1
		cut := n == 0
		if cut {
			n = len(head)
		}
		line := peeler.Peel(request.TrimEnd(head[:n]))
		head = head[n:]
		if space(line, 0) == len(line) {
			continue
		}
		l := sampled{number: number, text: bytes.Clone(line), outcome: scanner.scan(line, nil)}
		if cut && l.outcome == open && len(s.lines) > 0 {
			continue
		}
		if l.outcome == whole || cut && l.outcome == open {
			all.collect(l.text, len(s.lines))
			l.outcome = whole
		}
		s.lines = append(s.lines, l)
	}
	return s, all
}

// wrapper names what is to be peeled off the lines. A wrapper inside which there is no object is left
// on: a record may have a field "message" of its own.
func wrapper(head []byte) string {
	const separator = " around "
	name, _ := wrap.Detect(head)
	for name != "" {
		peeler := wrap.New(name)
		objects, lines := 0, 0
		for line := range bytes.Lines(head[:min(len(head), 64<<10)]) {
			line = peeler.Peel(request.TrimEnd(line))
			if i := space(line, 0); i < len(line) {
				lines++
				if line[i] == '{' {
					objects++
				}
			}
			if lines == sampleLines {
				break
			}
		}
		if 2*objects > lines {
			return name
		}
		i := strings.LastIndex(name, separator)
		if i < 0 {
			return ""
		}
		name = name[:i]
	}
	return ""
}

// detect judges a head of lines.
func detect(s spec, head []byte, sel request.Select) request.Detection {
	if bytes.IndexByte(head, '{') < 0 {
		return refusal(head, string(reasonNoObject))
	}
	if why := s.lacks(func(name string) bool {
		return bytes.Contains(head, []byte(name[strings.LastIndexByte(name, '.')+1:]))
	}); why != "" {
		return refusal(head, why)
	}
	sample, fields := newSample(head)
	return sample.judge(s, fields, sel)
}

// refusal is the answer to an input of which no line fits.
func refusal(head []byte, why string) request.Detection {
	var d request.Detection
	number := 0
	for line := range bytes.Lines(head) {
		number++
		if line = request.TrimEnd(line); space(line, 0) == len(line) {
			continue
		}
		if d.Lines++; d.FirstBad == 0 {
			d.FirstBad, d.FirstBadText, d.Reason = number, request.Show(line, request.MaxShown), why
		}
		if d.Lines == sampleLines {
			break
		}
	}
	return d
}

// judge says how well a sample fits one kind of record.
func (s *sample) judge(sp spec, f *fields, sel request.Select) request.Detection {
	var d request.Detection
	l, misfit, undecided := newLayout(&sp, f, sel)
	var decoder *decoder
	if l != nil {
		l.wrapper = s.wrapper
		decoder = l.decoder()
		decoder.sink, decoder.tally = nowhere{}, &request.Tally{}
	}
	for i, line := range s.lines {
		has := func(name string) bool { return f.has(name, i) }
		why, skip := line.judge(&sp, has, misfit, decoder)
		if skip {
			continue
		}
		d.Lines++
		if why == "" {
			d.Matched++
		} else if d.FirstBad == 0 {
			d.FirstBad, d.FirstBadText, d.Reason = line.number, request.Show(line.text, request.MaxShown), why
		}
	}
	d.Framing = s.wrapper
	if l == nil {
		d.Reason = misfit + undecided
		return d
	}
	d.Mapping = l.mapping
	d.New = func() request.Decoder { return l.decoder() }
	return d
}

// judge says why a line, which has the fields that has affirms, is no record of the kind, or "". skip is set for lines that say nothing. d is nil
// when the fields could not be given their roles.
func (line *sampled) judge(sp *spec, has func(string) bool, misfit string, d *decoder) (why string, skip bool) {
	switch line.outcome {
	case noObject:
		return string(reasonNoObject), false
	case broken, open:
		return string(reasonBroken), false
	}
	why = misfit
	if why == "" {
		why = sp.lacks(has)
	}
	if why != "" {
		for _, name := range logNames {
			skip = skip || misfit == "" && sp.http && has(name)
		}
		return why, skip
	}
	if d == nil {
		return "", false
	}
	// The decoder has the last word.
	d.outcome = d.scanner.scan(line.text, d.plan)
	reason := d.record(0)
	if reason == reasonJunk {
		// A client that sent no HTTP is logged all the same.
		return "", false
	}
	return string(reason), benign(reason)
}

// nowhere is a sink for rows that are not wanted.
type nowhere struct{}

func (nowhere) Add(*request.Batch) {}

// lacks says which of the fields that mark a kind a record has not; "" when it is of the kind.
func (sp *spec) lacks(has func(name string) bool) string {
	for _, mark := range sp.marks {
		if !slices.ContainsFunc(mark, has) {
			return "no field " + strings.Join(mark, " or ")
		}
	}
	n := 0
	for _, name := range sp.variables {
		if has(name) {
			n++
		}
	}
	if sp.variables != nil && n < 2 {
		return "no fields named as nginx's variables"
	}
	return ""
}
