package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"keyskew/ingest/monitor"
	"keyskew/ingest/request"
)

// head is the beginning of an unpacked input.
type head struct {
	// raw is all of it; data leaves out a byte order mark, which only text has.
	raw, data []byte
	// whole is set when the input holds nothing else.
	whole bool
}

const (
	bomUTF8    = "\xef\xbb\xbf"
	bomUTF16LE = "\xff\xfe"
	bomUTF16BE = "\xfe\xff"
)

// lines are the whole lines of the head; all of it when the head holds nothing but a part of one.
func (h head) lines() []byte {
	if end := bytes.LastIndexByte(h.data, '\n') + 1; end > 0 && !h.whole {
		return h.data[:end]
	}
	return h.data
}

// records are the whole records of a format that is no text.
func (h head) records(size int) []byte {
	if h.whole {
		return h.raw
	}
	return h.raw[:len(h.raw)-len(h.raw)%size]
}

const (
	// sure is the share of the lines that ends the search: the first format of the table with it wins.
	sure = 0.95
	// enough is the share that the best format must have.
	enough = 0.5
	// maxCandidates is how many formats a refusal names.
	maxCandidates = 3
)

// Candidate is a format that an input was held against.
type Candidate struct {
	Format    request.Format
	Detection request.Detection
}

// RefusedError says why an input is not read.
type RefusedError struct {
	Input string
	// Why says what is wrong with the input as a whole; "" when no format fits.
	Why string
	// Kind says what the input seems to be instead, where that can be told; "" if not.
	Kind string
	// Candidates are the formats that fit best, the best first.
	Candidates []Candidate
}

// Error returns one line, or one a candidate.
func (e *RefusedError) Error() string {
	if e.Why != "" {
		return e.Input + ": " + e.Why
	}
	if len(e.Candidates) == 1 && e.Kind == "" {
		text := e.Candidates[0].String()
		article := "a "
		if strings.IndexByte("AEIOUaeiou", text[0]) >= 0 {
			article = "an "
		}
		return e.Input + ": not " + article + text
	}
	var b strings.Builder
	b.WriteString(e.Input + ": ")
	if e.Kind != "" {
		b.WriteString("this looks like " + e.Kind + "; ")
	}
	b.WriteString("in no format that is read here; the nearest are")
	for _, c := range e.Candidates {
		b.WriteString("\n  " + c.String())
	}
	return b.String()
}

// String says how well the input fits and which line does not.
func (c Candidate) String() string {
	d := c.Detection
	s := fmt.Sprintf("%s (%d of the first %d lines match)", c.Format.Title, d.Matched, d.Lines)
	switch {
	case d.FirstBad > 0:
		s += fmt.Sprintf("; first line that failed, line %d: \"%s\": %s", d.FirstBad, d.FirstBadText, d.Reason)
	case d.Reason != "":
		s += ": " + d.Reason
	}
	return s
}

// detect chooses a format. The first in the table that fits at least 95% of the lines is it; else the
// one that fits best, if it fits half of them, the earlier of equals. A format that fits that well but
// says that it cannot read the input ends the search: what fits behind it would be a misreading; one that
// finds no request in it does not. A head with no line that says anything (blank lines, a banner before the
// first command) goes to the first format. It judges the same bytes however they arrived.
func (h head) detect(formats []request.Format, sel request.Select) (Candidate, *RefusedError) {
	if what := foreign(h.data); what != "" {
		return Candidate{}, &RefusedError{Why: "this is " + what + "; not a format that is read here"}
	}
	kind, other := kindOf(h.data)
	other = other && !chosen(sel)
	found := make([]Candidate, 0, len(formats))
	var best, barred Candidate
	for i, f := range formats {
		c := Candidate{f, h.judge(f, sel)}
		share := c.Detection.Share()
		switch {
		case i == 0 && c.Detection.Lines == 0:
			return c, nil
		case share >= sure && barred.Format.ID == "" && c.Detection.New != nil && !other:
			return c, nil
		case share >= sure && barred.Format.ID == "" && c.Detection.New == nil && !c.Detection.Empty:
			barred = c
		case share > best.Detection.Share():
			best = c
		}
		found = append(found, c)
	}
	switch {
	case barred.Format.ID != "" && chosen(sel):
		return Candidate{}, barred.refused()
	case barred.Format.ID == "" && best.Detection.Share() >= enough && best.Detection.New != nil && !other:
		return best, nil
	}
	return Candidate{}, h.refuse(formats, found, barred, kind, other)
}

// refuse says why no format that was found is taken.
func (h head) refuse(formats []request.Format, found []Candidate, barred Candidate, kind string, other bool) *RefusedError {
	if what := refusal(h.data); what != "" {
		return &RefusedError{Why: what}
	}
	slices.SortStableFunc(found, func(a, b Candidate) int {
		return cmp.Or(rank(b, barred)-rank(a, barred), cmp.Compare(b.Detection.Share(), a.Detection.Share()))
	})
	if found[0].Detection.Matched == 0 && bytes.IndexByte(h.data, 0) >= 0 {
		return &RefusedError{Why: "this is a binary file; " + binaryFormats(formats)}
	}
	// A format that no line fits is a candidate only where nothing is nearer, and one that fits by chance
	// alone is none.
	near := slices.DeleteFunc(slices.Clone(found), func(c Candidate) bool {
		return c.Detection.Matched == 0 && c.Format.ID != barred.Format.ID || other && c.Detection.New != nil
	})
	if len(near) == 0 {
		for _, id := range common(h.data) {
			i := slices.IndexFunc(found, func(c Candidate) bool { return c.Format.ID == id && c.Detection.Reason != "" })
			if i >= 0 {
				near = append(near, found[i])
			}
		}
	}
	if len(near) == 0 {
		near = slices.DeleteFunc(found, func(c Candidate) bool { return c.Format.ID != formats[0].ID })
	}
	return &RefusedError{Kind: kind, Candidates: near[:min(len(near), maxCandidates)]}
}

// binaryFormats says which formats the user may name.
func binaryFormats(formats []request.Format) string {
	var ids []string
	for _, f := range formats {
		if f.RecordSize > 0 {
			ids = append(ids, f.ID)
		}
	}
	if len(ids) == 0 {
		return "not a format that is read here"
	}
	return "if it is a trace of a known kind without a mark, say which: --input-format " + strings.Join(ids, " or ")
}

// rank puts the format that barred all others first, and last those of which no line says why they do
// not fit.
func rank(c, barred Candidate) int {
	switch {
	case c.Format.ID == barred.Format.ID:
		return 2
	case c.Detection.Matched > 0 || c.Detection.FirstBad > 0:
		return 1
	}
	return 0
}

// chosen says that the user chose a part of the records.
func chosen(s request.Select) bool {
	return s.Key+s.Time+s.Op+s.Size+s.Weight+s.Partition+s.Tenant+s.Client+s.TimeFormat+s.LogFormat != ""
}

// refused says why the input is not read in a format that was asked for, or that it fits.
func (c Candidate) refused() *RefusedError {
	r := &RefusedError{Candidates: []Candidate{c}}
	if c.Detection.Share() >= enough {
		r.Why = "read as " + c.Format.Title + ": " + cmp.Or(c.Detection.Reason, "nothing in it can be used")
	}
	return r
}

// judge asks one format. Where the whole lines say nothing, the line that the head ends in has to.
func (h head) judge(f request.Format, sel request.Select) request.Detection {
	if f.RecordSize > 0 {
		return f.Detect(h.records(f.RecordSize), sel)
	}
	d := f.Detect(h.lines(), sel)
	if d.Lines == 0 {
		d = f.Detect(h.data, sel)
	}
	if line := h.line(d.FirstBad); line != nil {
		// One rule for every format: what may be a password in one is shown for none.
		d.FirstBadText = monitor.ShowLine(line)
	}
	return d
}

// line returns a line of the head by its number, from 1; nil if there is none.
func (h head) line(number int) []byte {
	for line := range bytes.Lines(h.data) {
		if number--; number == 0 {
			return bytes.TrimRight(line, "\r\n")
		}
	}
	return nil
}

// decode decodes the head.
func (h head) decode(c Candidate, to request.Sink, t *request.Tally) {
	f := c.Format
	data := h.lines()
	switch {
	case f.RecordSize > 0:
		data = h.records(f.RecordSize)
	case f.Rewrite != nil:
		// What the head's end cuts is no error here.
		data, _ = io.ReadAll(f.Rewrite(bytes.NewReader(h.data)))
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	c.Detection.New().Decode(request.Block{Data: data, Last: h.whole}, to, t)
}

// utf16 refuses text that no format is written in; "" lets it pass.
func utf16(data []byte) string {
	if bytes.HasPrefix(data, []byte(bomUTF16LE)) || bytes.HasPrefix(data, []byte(bomUTF16BE)) {
		return "UTF-16 text (PowerShell's > writes it): convert it first, " +
			"iconv -f UTF-16 -t UTF-8 FILE, or Get-Content FILE | Set-Content -Encoding utf8 NEW"
	}
	return ""
}
