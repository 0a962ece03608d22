package request

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
)

// LineLen is the length of the first line of a block's data, with its line end if it has one.
func LineLen(data []byte) int {
	i := bytes.IndexByte(data, '\n')
	if i < 0 {
		return len(data)
	}
	return i + 1
}

// Ended says that a line has its line end.
func Ended(line []byte) bool { return len(line) > 0 && line[len(line)-1] == '\n' }

// TrimEnd takes the line end off: a newline, or a carriage return and a newline, or either alone.
func TrimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// MaxShown is how much of a line that does not fit is shown, in bytes.
const MaxShown = 80

// Show is a piece of an input as it may be printed: bytes that are not visible ASCII as \xHH, cut to most
// bytes, which end in "..." then. Whether it may hold a secret is the caller's to ask.
func Show(text []byte, most int) string {
	const more = "..."
	out := make([]byte, 0, most)
	short := 0 // where it can be cut to make room for more
	for _, c := range text {
		if c < ' ' || c >= 0x7f {
			out = append(out, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		} else {
			out = append(out, c)
		}
		if len(out) > most {
			return string(out[:short]) + more
		}
		if len(out) <= most-len(more) {
			short = len(out)
		}
	}
	return string(out)
}

const hexDigits = "0123456789abcdef"

// appendShort appends what is kept of a key that is longer than MaxKey. key may lie in dst's storage, at
// its beginning.
func appendShort(dst, key []byte) []byte {
	var sum [8]byte
	binary.BigEndian.PutUint64(sum[:], Hash(key))
	dst = append(dst, key[:MaxKey-2*len(sum)]...)
	return hex.AppendEncode(dst, sum[:])
}
