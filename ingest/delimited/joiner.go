package delimited

import (
	"bufio"
	"io"

	"keyskew/ingest/request"
)

// In the rewritten text of a table with newlines inside quotes, the byte escape and the one behind it
// stand for a newline or for an escape byte of the input's own.
const (
	escape        = 0
	escapeNewline = 'n'
	escapeEscape  = '0'
)

// maxJoined is the length of a quoted field, in bytes, at which it is given up as one that nobody closes:
// the next newline ends its line, so that one stray quote does not swallow the rest of the input.
const maxJoined = 64 << 10

// joinHead is how much of an input is looked at to learn its delimiter.
const joinHead = 64 << 10

// joiner rewrites a table so that every record is one line: newlines inside quoted fields become escapes.
type joiner struct {
	r         io.Reader
	delimiter byte
	state     joinState
	length    int // of the quoted field so far
	in, out   []byte
	pending   []byte // of out, not read yet
	err       error
}

type joinState uint8

const (
	fieldStart joinState = iota
	inField
	inQuotes
	behindQuote // a quote inside quotes: the end, or the first of two
)

// joinLines is the Rewrite of tables with newlines inside quotes.
func joinLines(r io.Reader) io.Reader {
	br := bufio.NewReaderSize(r, joinHead)
	head, _ := br.Peek(joinHead) // what went wrong is found again by the next read
	delimiter := byte(',')
	if t, ok := sniff(head, true, request.Select{}); ok {
		delimiter = t.delimiter
	}
	return &joiner{r: br, delimiter: delimiter, in: make([]byte, joinHead)}
}

// Read returns rewritten text.
func (j *joiner) Read(p []byte) (int, error) {
	for len(j.pending) == 0 {
		if j.err != nil {
			return 0, j.err
		}
		var n int
		n, j.err = j.r.Read(j.in)
		j.out = j.join(j.out[:0], j.in[:n])
		j.pending = j.out
	}
	n := copy(p, j.pending)
	j.pending = j.pending[n:]
	return n, nil
}

// join appends the rewritten text.
func (j *joiner) join(out, text []byte) []byte {
	for _, c := range text {
		switch j.state {
		case inQuotes:
			j.length++
			switch {
			case c == '"':
				j.state = behindQuote
			case c == escape:
				out = append(out, escape, escapeEscape)
				continue
			case c == '\n' && j.length < maxJoined:
				out = append(out, escape, escapeNewline)
				continue
			case c == '\n':
				j.state = fieldStart
			}
		case behindQuote:
			if c == '"' {
				j.state = inQuotes
			} else {
				j.state = j.behind(c)
			}
		case fieldStart:
			if c == '"' {
				j.state, j.length = inQuotes, 0
			} else {
				j.state = j.behind(c)
			}
		case inField:
			j.state = j.behind(c)
		}
		out = append(out, c)
	}
	return out
}

// behind is the state behind a byte outside quotes.
func (j *joiner) behind(c byte) joinState {
	if c == j.delimiter || c == '\n' {
		return fieldStart
	}
	return inField
}

// appendText appends text from inside quotes; of joined text the escapes are put back.
func appendText(out, text []byte, joined bool) []byte {
	if !joined {
		return append(out, text...)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == escape && i+1 < len(text) {
			i++
			if text[i] == escapeNewline {
				c = '\n'
			}
		}
		out = append(out, c)
	}
	return out
}
