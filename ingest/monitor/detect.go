package monitor

import (
	"bytes"
	"slices"

	"keyskew/ingest/request"
)

// Sniff is what the first lines of an input look like as a MONITOR capture.
type Sniff struct {
	// Lines counts the lines looked at: without blank ones, without the text of a session (banners,
	// prompts) and without a last line that the end of the sample cuts.
	Lines int
	// Matched is how many of them are MONITOR lines.
	Matched int
	// Framing is the framing of most of them, "" without any.
	Framing string
	// FirstBad is the number, from 1 and counting all lines, of the first that is none; 0 without one.
	FirstBad int
	// FirstBadText is that line's text, escaped, at most request.MaxShown bytes.
	FirstBadText string
	// Reason says what is wrong with it.
	Reason string
}

// hidden stands for a line that is not shown.
const hidden = "(line not shown: it may hold a password)"

var framings = []string{
	FramingPlain, FramingSocket, FramingCSV, FramingJSON, FramingPrefixed, FramingOld,
}

// Detect looks at the first bytes of an input.
func Detect(head []byte) Sniff {
	var (
		s       scratch
		out     Sniff
		matched = make([]int, len(framings))
	)
	for number := 1; len(head) > 0; number++ {
		n := bytes.IndexByte(head, '\n') + 1
		cut := n == 0
		if cut {
			n = len(head)
		}
		line := trimEnd(head[:n])
		head = head[n:]
		p := s.parse(line)
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case p.reason == "" || p.reason == reasonDamaged && len(p.Argv) > 1 || p.reason == reasonOpen && cut:
			out.Lines++
			out.Matched++
			matched[slices.Index(framings, p.framing)]++
		case p.reason == reasonForeign && session(line), cut && out.Lines > 0:
		default:
			out.Lines++
			if out.FirstBad == 0 {
				out.FirstBad = number
				out.FirstBadText = ShowLine(line)
				out.Reason = explain(p.reason)
			}
		}
	}
	if out.Matched > 0 {
		out.Framing = framings[slices.Index(matched, slices.Max(matched))]
	}
	return out
}

func explain(r request.Reason) string {
	if r == reasonForeign {
		return `it does not read like 1700000000.123456 [0 127.0.0.1:6379] "GET" "key"`
	}
	return string(r)
}

// ShowLine escapes a line of an input for a message and shortens it, unless a password may be in it.
func ShowLine(line []byte) string {
	lower := bytes.ToLower(line)
	for _, word := range []string{"auth", "acl", "config", "hello", "migrate", "pass", "secret", "token"} {
		if bytes.Contains(lower, []byte(word)) {
			return hidden
		}
	}
	return request.Show(line, request.MaxShown)
}
