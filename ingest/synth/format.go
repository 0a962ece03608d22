package synth

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"
)

// Format is one way to write a load down: one line in the table of formats. The same Config has the same
// keys, operations and times in each, as far as the format can say them.
type Format struct {
	// ID is what generate takes; Title is a noun phrase, and Text says what a line holds.
	ID, Title, Text string

	head string        // in front of the first command
	step time.Duration // of the times in it
	// redis says that the commands are those of Redis: there are polls, and MGET is one command.
	redis bool
	// spell returns a key as a line holds it, name the key that a reader makes of that. Of a key in two
	// parts both return the two results in a row, and digits stay as they are.
	spell, name func(key string) string
	// refuse returns why a key cannot be written, or "".
	refuse func(key string) string
	// lines returns what appends a command to a buffer, with its line end.
	lines func(Config) func([]byte, *command) []byte
}

// Formats lists the formats. The first one is what Write writes.
func Formats() []Format {
	return []Format{monitorFormat(), combinedFormat(), jsonFormat(), csvFormat(), twitterFormat()}
}

// FormatByID returns a format; ok says whether there is one of that ID.
func FormatByID(id string) (f Format, ok bool) {
	all := Formats()
	i := slices.IndexFunc(all, func(f Format) bool { return f.ID == id })
	if i < 0 {
		return Format{}, false
	}
	return all[i], true
}

// Validate is Config.Validate and returns also which planted names the format cannot hold.
func (f Format) Validate(c Config) error {
	errs := []error{c.Validate()}
	for _, planted := range []struct {
		what, name string
		share      float64
	}{
		{"viral key", c.Viral.Key, c.Viral.Share},
		{"counter", c.Counter.Key, c.Counter.Share},
		{"hash tag", c.HashTag.Tag, c.HashTag.Share},
	} {
		if planted.share <= 0 {
			continue
		}
		if why := f.refuse(planted.name); why != "" {
			errs = append(errs, fmt.Errorf("the %s %q cannot stand in the format %s: it holds %s", planted.what, planted.name, f.ID, why))
		}
	}
	return errors.Join(errs...)
}

// Write writes the load to w and returns what was written: keys are named as they stand in the format,
// times have its resolution, and what it cannot say is left out of both. Write needs about 16 bytes for
// each key of the Config, whatever the number of requests. The only errors are those of Validate and of
// w; no truth comes with an error.
func (f Format) Write(w io.Writer, c Config) (Truth, error) {
	if err := f.Validate(c); err != nil {
		return Truth{}, err
	}
	g := newGenerator(w, c, f)
	if err := g.run(); err != nil {
		return Truth{}, err
	}
	g.summary()
	return g.truth, nil
}

// Write writes a MONITOR capture; see Format.Write.
func Write(w io.Writer, c Config) (Truth, error) { return monitorFormat().Write(w, c) }

// operation is what a command does.
type operation uint8

const (
	get operation = iota
	set
	incr
	mget
	poll
)

// operationNames are the names in traces, which have the first three only.
var operationNames = [...]string{get: "get", set: "set", incr: "incr"}

// command is one command to write.
type command struct {
	op     operation
	micros int64 // since 1970
	client int   // from 0; of a poll, the poller
	// keys are spelled already. All operations but mget have one.
	keys [3][]byte
	// value is what a set sets. size is that of the key's value in bytes, for formats that have only that.
	value, size uint64
}

// asItIs is the spelling of a key that needs none, and its name where that is the key.
func asItIs(key string) string { return key }

// anyKey refuses nothing.
func anyKey(string) string { return "" }

// textOnly refuses keys that would not survive in a file of UTF-8 text.
func textOnly(key string) string {
	if !utf8.ValidString(key) {
		return "bytes that are no UTF-8"
	}
	return ""
}

// oneLine refuses keys that a line of text cannot hold.
func oneLine(key string) string {
	for _, c := range []byte(key) {
		if c < ' ' || c == 0x7f {
			return "a control character"
		}
	}
	return textOnly(key)
}

// stamp keeps the text of a second, of which many lines share one.
type stamp struct {
	second int64
	text   []byte
	layout string // of package time
}

// append appends the second, in UTC.
func (s *stamp) append(b []byte, second int64) []byte {
	if second != s.second {
		s.second = second
		s.text = time.Unix(second, 0).UTC().AppendFormat(s.text[:0], s.layout)
	}
	return append(b, s.text...)
}

// appendSix appends the microseconds of a second as six digits.
func appendSix(b []byte, micros int64) []byte {
	us := uint32(micros % 1_000_000)
	return append(b,
		byte('0'+us/100_000), byte('0'+us/10_000%10), byte('0'+us/1000%10),
		byte('0'+us/100%10), byte('0'+us/10%10), byte('0'+us%10))
}
