package ingest

import "keyskew/ingest/request"

// Format is one line in the table of formats. It documents itself.
type Format struct {
	// ID is what Options.Format names.
	ID string
	// Title is a noun phrase ("MONITOR capture"), Text what is read and how, Source who defines it.
	Title, Text, Source string
	// Detect judges the beginning of an input: whole lines, unless the first alone is longer.
	Detect func(head []byte) Detection
	// NewDecoder makes a decoder; each worker has its own.
	NewDecoder func(Options) request.Decoder
	// Continues says that a line belongs to the record begun by an earlier line, so that no cut may
	// part them. It gets the line without its line end, at most its first 4096 bytes. Nil: every line
	// is a record.
	Continues func(line []byte) bool
	// CutOff is the reason under which the decoder counts a last line that ends inside a record.
	CutOff request.Reason
}

// Formats lists the formats that are read. Where two fit an input equally well, the first is taken.
func Formats() []Format {
	return []Format{
		monitorFormat(),
	}
}

// Detection is how well the beginning of an input fits a format.
type Detection struct {
	// Matched of Lines look like the format. Lines leaves out the lines that say nothing (blank ones,
	// banners).
	Matched, Lines int
	// Framing says how the records are wrapped, in words.
	Framing string
	// FirstBad is the number of the first line that does not fit, from 1; 0 when there is none.
	FirstBad int
	// FirstBadText is that line as it may be printed: escaped, perhaps shortened. Reason is why it
	// does not fit.
	FirstBadText, Reason string
}

// share is the share of the lines that fit, 0 to 1.
func (d Detection) share() float64 {
	if d.Lines == 0 {
		return 0
	}
	return float64(d.Matched) / float64(d.Lines)
}
