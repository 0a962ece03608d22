package formats

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks is how many combining marks may stand on one character: real scripts need up to four, and
// hundreds would draw over the lines around.
const maxMarks = 4

// KeyText is a key as it is printed everywhere: the escapes of a Go string literal without its quotes.
// Printable Unicode and double quotes stay; a backslash is doubled; control, format and invisible
// characters, invalid UTF-8, marks with nothing to stand on, and a space at either end become \x00,
// \u202e, \x20 and so on. Two different keys never have the same text, and nothing in it is obeyed by a
// terminal.
func KeyText(b []byte) string { return escape(string(b), true, false) }

// clean makes text of any origin (file names, titles, remarks) safe to print. It differs from KeyText
// only in that backslashes stay as they are: such text may hold keys that are escaped already.
func clean(s string) string { return escape(s, false, false) }

func escape(s string, backslash, ascii bool) string {
	var b strings.Builder
	marks := maxMarks // of the character printed last; at first there is none to stand on
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		chunk := s[i : i+n]
		i += n
		switch {
		case r == ' ' && backslash && (i == 1 || i == len(s)):
			b.WriteString(`\x20`)
			marks = maxMarks
		case r == '"', r == '\\' && !backslash:
			b.WriteString(chunk)
			marks = 0
		case r == '\\', r == utf8.RuneError && n == 1, !printable(r), ascii && r >= utf8.RuneSelf,
			isMark(r) && marks >= maxMarks:
			quoted := strconv.QuoteToASCII(chunk)
			b.WriteString(quoted[1 : len(quoted)-1])
			marks = maxMarks
		case isMark(r):
			b.WriteString(chunk)
			marks++
		default:
			b.WriteString(chunk)
			marks = 0
		}
	}
	return b.String()
}

// printable is strconv.IsPrint without what has no shape of its own: variation selectors and skin tones
// (terminals disagree on the width that follows) and the invisible fillers.
func printable(r rune) bool {
	skinTone := r >= 0x1f3fb && r <= 0x1f3ff
	return strconv.IsPrint(r) && !skinTone &&
		!unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isMark reports whether r joins the character before it.
func isMark(r rune) bool { return unicode.In(r, unicode.M, unicode.Other_Grapheme_Extend) }

// Elide shortens escaped text to a width in terminal cells by leaving out its middle. The last 8 cells
// stay, since ids differ there; an escape and a grapheme are kept or left out whole.
func Elide(s string, width int) string { return elide(s, width, "…") }

func elide(s string, width int, gap string) string {
	if ansi.StringWidth(s) <= width {
		return s
	}
	room := width - ansi.StringWidth(gap)
	if room < 0 {
		return ""
	}
	parts := units(s)
	tail, used := len(parts), 0
	for tail > 0 && used < 8 {
		w := ansi.StringWidth(parts[tail-1])
		if used+w > room {
			break
		}
		used += w
		tail--
	}
	head := 0
	for head < tail {
		w := ansi.StringWidth(parts[head])
		if used+w > room {
			break
		}
		used += w
		head++
	}
	return strings.Join(parts[:head], "") + gap + strings.Join(parts[tail:], "")
}

// units cuts escaped text into what must stay in one piece: escapes and graphemes.
func units(s string) []string {
	var out []string
	for len(s) > 0 {
		n := 1
		if s[0] == '\\' {
			n = escapeLen(s)
		} else if cluster, _, _, _ := ansi.FirstGraphemeCluster(s, -1); len(cluster) > 0 {
			n = len(cluster)
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// escapeLen is the length of the escape at the start of s.
func escapeLen(s string) int {
	n := 2
	if len(s) > 1 {
		switch s[1] {
		case 'x':
			n = 4
		case 'u':
			n = 6
		case 'U':
			n = 10
		}
	}
	return min(n, len(s))
}

// NewBytes is b for the report: text when it is UTF-8, else base64.
func NewBytes(b []byte) Bytes {
	if utf8.Valid(b) {
		s := string(b)
		return Bytes{Text: &s}
	}
	s := base64.StdEncoding.EncodeToString(b)
	return Bytes{Bytes: &s}
}

// Raw is the byte string itself. Base64 that does not decode (in a report edited by hand) is taken as
// the bytes of the text it is.
func (b Bytes) Raw() []byte {
	switch {
	case b.Text != nil:
		return []byte(*b.Text)
	case b.Bytes != nil:
		raw, err := base64.StdEncoding.DecodeString(*b.Bytes)
		if err != nil {
			return []byte(*b.Bytes)
		}
		return raw
	}
	return nil
}

// emptyKey stands for the key that has no bytes.
const emptyKey = "(empty key)"

// String is the byte string as KeyText prints it; an empty one is "(empty key)".
func (b Bytes) String() string {
	raw := b.Raw()
	if len(raw) == 0 {
		return emptyKey
	}
	return KeyText(raw)
}
