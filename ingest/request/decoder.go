package request

import (
	"io"
	"time"
)

// MaxLine is the longest line that is read whole, in bytes. Of a longer one the head is decoded and
// the rest is counted: a 512 MiB SET prints up to 2 GiB on one line.
const MaxLine = 4 << 20

// MaxKey is how many bytes of a key are kept. A longer key keeps its first MaxKey-16 bytes followed by
// 16 hex digits of the hash of all its bytes, so that two long keys stay two.
const MaxKey = 4096

// KeySeparator stands between the parts of a key of several: the unit separator of ASCII.
const KeySeparator = 0x1f

// Block is a run of whole records of one input.
type Block struct {
	// Data holds whole lines, each with its line end (the last line of the input may lack it).
	Data []byte
	// Offset is where Data begins in the unpacked input.
	Offset int64
	// Dropped is how many bytes were left out at the end of Data, before the line end, because the
	// line is longer than MaxLine; such a block holds that one line.
	Dropped int64
	// Header is the latest header line in front of Data, for formats that have them; nil when none came.
	Header []byte
	// Last is set when nothing follows: a last line without its line end may be cut off.
	Last bool
}

// Decoder turns blocks into batches. Blocks are independent of each other: a decoder keeps nothing
// between two calls that could change what it makes of the next block, so any worker may decode any
// block. It counts every line in the tally and hands full batches to the sink.
type Decoder interface {
	Decode(Block, Sink, *Tally)
}

// Format is one way in which requests are written down: one line in the table of formats. It documents
// itself.
type Format struct {
	// ID is what --input-format takes.
	ID string
	// Title is a noun phrase ("MONITOR capture"), Text says what is read and how, Source who defines it.
	Title, Text, Source string
	// Detect judges the beginning of an input, whole lines (unless the first alone is longer), and makes
	// of it what a decoder needs to know. It must say the same for the same bytes.
	Detect func(head []byte, s Select) Detection
	// Continues says that a line belongs to the record begun by an earlier line, so that no cut may part
	// them. It gets the line without its line end, at most its first 4096 bytes. Nil: each line is a
	// record.
	Continues func(line []byte) bool
	// Header says that a line governs how those behind it are read ("#Fields: ..."): the latest one is
	// handed on with each block. Nil: there are none.
	Header func(line []byte) bool
	// RecordSize is the length of every record in bytes, for formats that are no text; 0 for lines.
	RecordSize int
	// Rewrite turns the unpacked input into lines, for formats whose records are not lines (an array of
	// JSON objects); nil for all others. Offsets are then those of the rewritten text.
	Rewrite func(io.Reader) io.Reader
	// CutOff is the reason under which the decoder counts a last line that ends inside a record.
	CutOff Reason
}

// Select is what the user says about how to read an input. The zero value leaves everything to
// detection.
type Select struct {
	// Columns by name, 1-based index or dot path; "" detects.
	Key, Time, Op, Size, Weight, Partition, Tenant, Client string
	// TimeFormat is a layout of package time, or s, ms, us, ns for numbers; "" detects.
	TimeFormat string
	// Zone is for times that name none; nil is UTC.
	Zone *time.Location
	// LogFormat is a log format in the letters of goaccess or the variables of nginx; "" detects.
	LogFormat string
	// Decode undoes the percent-encoding of URL paths.
	Decode bool
	// SkipUnknown counts unknown commands without a key; otherwise their first argument is the key.
	SkipUnknown bool
	// Replica says that the input shows what a primary sent its replica.
	Replica bool
	// Databases asks for the database of each request as its tenant ("db0"), where the input names it.
	Databases bool
}

// Detection is how well the beginning of an input fits a format, and how to read it.
type Detection struct {
	// Matched of Lines look like the format. Lines leaves out the lines that say nothing (blank ones,
	// banners).
	Matched, Lines int
	// Framing says how the records are wrapped, in words.
	Framing string
	// Mapping says which part of a record is what: pairs such as {"key", "path"}, in order of
	// importance.
	Mapping []Mapped
	// FirstBad is the number of the first line that does not fit, from 1; 0 when there is none.
	FirstBad int
	// FirstBadText is that line as it may be printed: escaped, perhaps shortened. Reason is why it
	// does not fit.
	FirstBadText, Reason string
	// Empty says that the lines are of the format, but that no request is among them. New is nil then.
	Empty bool
	// New makes a decoder for the whole input; each worker has its own. Nil when the input cannot be
	// read in this format at all.
	New func() Decoder
}

// Mapped says which column or part of a record is used for what.
type Mapped struct{ Field, From string }

// Share is the share of the lines that fit, 0 to 1.
func (d Detection) Share() float64 {
	if d.Lines == 0 {
		return 0
	}
	return float64(d.Matched) / float64(d.Lines)
}
