package delimited

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"keyskew/ingest/request"
)

const (
	reasonBlank   request.Reason = "blank line"
	reasonComment request.Reason = "comment"
	reasonHeader  request.Reason = "header"
	reasonMark    request.Reason = "mark of a phase"
	reasonOpen    request.Reason = "a quoted field is not closed"
	reasonBehind  request.Reason = "text behind a closing quote"
	reasonTwitter request.Reason = "not seven columns"
)

// dialect is how lines are cut into columns.
type dialect struct {
	// delimiter stands between columns; runs of spaces count as one.
	delimiter byte
	// whole makes the whole line one cell, without the blanks around it.
	whole bool
	// twitter cuts one column from the left and five from the right: the second one may hold commas.
	twitter bool
	// joined says that newlines inside quotes were rewritten (see joiner) and have to be put back.
	joined bool
}

// splitter cuts lines. It holds storage only.
type splitter struct {
	dialect
	cells [][]byte
	// unquoted holds the text of cells that had to be changed.
	unquoted []byte
}

// cut cuts a line into cells, which live until the next cut. quotes false promises that no quote is in
// the line. It returns why a line cannot be cut.
func (s *splitter) cut(line []byte, quotes bool) request.Reason {
	s.cells = s.cells[:0]
	switch {
	case s.whole:
		s.cells = append(s.cells, bytes.TrimSpace(line))
		return ""
	case s.twitter:
		return s.cutTwitter(line)
	case quotes && bytes.IndexByte(line, '"') >= 0:
		return s.cutQuoted(line)
	case s.delimiter == ' ':
		s.cutSpaces(line)
	default:
		s.cutPlain(line)
	}
	return ""
}

// cutPlain cuts at every delimiter. It looks at eight bytes at a time, since cells are short: a search
// for each delimiter of its own took twice as long.
func (s *splitter) cutPlain(line []byte) {
	const ones, low = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	pattern := ones * uint64(s.delimiter)
	cells, start, i := s.cells, 0, 0
	for ; i+8 <= len(line); i += 8 {
		w := binary.LittleEndian.Uint64(line[i:]) ^ pattern
		// The high bit of every byte that is 0 in w, and of no other.
		found := ^((w&low + low) | w | low)
		for ; found != 0; found &= found - 1 {
			end := i + bits.TrailingZeros64(found)/8
			cells = append(cells, line[start:end])
			start = end + 1
		}
		if len(cells) > maxColumns {
			break
		}
	}
	for ; i < len(line) && len(cells) <= maxColumns; i++ {
		if line[i] == s.delimiter {
			cells = append(cells, line[start:i])
			start = i + 1
		}
	}
	s.cells = append(cells, line[start:])
}

// cutSpaces cuts at runs of spaces and tabs.
func (s *splitter) cutSpaces(line []byte) {
	if bytes.IndexByte(line, '\t') >= 0 {
		for cell := range bytes.FieldsFuncSeq(line, func(r rune) bool { return r == ' ' || r == '\t' }) {
			if s.cells = append(s.cells, cell); len(s.cells) > maxColumns {
				return
			}
		}
		return
	}
	s.cutPlain(line)
	s.cells = slices.DeleteFunc(s.cells, func(cell []byte) bool { return len(cell) == 0 })
}

// cutQuoted follows RFC 4180: a field that begins with a quote ends at the next one that is not doubled.
// A quote anywhere else is an ordinary byte.
func (s *splitter) cutQuoted(line []byte) request.Reason {
	s.unquoted = s.unquoted[:0]
	for {
		if s.delimiter == ' ' {
			if line = bytes.TrimLeft(line, " \t"); len(line) == 0 {
				return ""
			}
		}
		if len(line) > 0 && line[0] == '"' {
			from := len(s.unquoted)
			rest, closed := s.unquote(line[1:])
			if !closed {
				return reasonOpen
			}
			s.cells = append(s.cells, s.unquoted[from:len(s.unquoted):len(s.unquoted)])
			if line = rest; len(line) == 0 {
				return ""
			}
			if s.next(line[:1]) != 0 {
				return reasonBehind
			}
			line = line[1:]
		} else {
			i := s.next(line)
			if i < 0 {
				s.cells = append(s.cells, line)
				return ""
			}
			s.cells = append(s.cells, line[:i])
			line = line[i+1:]
		}
		if len(s.cells) > maxColumns {
			return ""
		}
	}
}

// next is where the next delimiter is.
func (s *splitter) next(line []byte) int {
	if s.delimiter == ' ' {
		return bytes.IndexAny(line, " \t")
	}
	return bytes.IndexByte(line, s.delimiter)
}

// unquote appends the text of a quoted field, whose opening quote is gone, and returns what is behind it.
func (s *splitter) unquote(line []byte) ([]byte, bool) {
	for {
		i := bytes.IndexByte(line, '"')
		if i < 0 {
			return nil, false
		}
		s.unquoted = appendText(s.unquoted, line[:i], s.joined)
		line = line[i+1:]
		if len(line) == 0 || line[0] != '"' {
			return line, true
		}
		s.unquoted = append(s.unquoted, '"')
		line = line[1:]
	}
}

func (s *splitter) cutTwitter(line []byte) request.Reason {
	first := bytes.IndexByte(line, ',')
	if first < 0 {
		return reasonTwitter
	}
	var ends [5]int
	rest := line
	for i := 4; i >= 0; i-- {
		at := bytes.LastIndexByte(rest, ',')
		if at <= first {
			return reasonTwitter
		}
		ends[i] = at
		rest = line[:at]
	}
	s.cells = append(s.cells, line[:first], line[first+1:ends[0]])
	for i := range 4 {
		s.cells = append(s.cells, line[ends[i]+1:ends[i+1]])
	}
	s.cells = append(s.cells, line[ends[4]+1:])
	return ""
}
