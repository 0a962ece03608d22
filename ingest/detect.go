package ingest

import (
	"bytes"
	"fmt"
	"strings"
)

// head is the beginning of an unpacked input, without a byte order mark.
type head struct {
	data []byte
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

// detect chooses the format that fits best: at least half of the lines must. A head with no line that
// says anything (blank lines, a banner before the first command) goes to the first format. Otherwise
// the reason for the refusal is returned. It judges the same bytes however they arrived.
func (h head) detect(formats []Format) (*Format, Detection, string) {
	if what := foreign(h.data); what != "" {
		return nil, Detection{}, "this is " + what + "; not a format that is read here"
	}
	found := make([]Detection, len(formats))
	best := 0
	for i, f := range formats {
		found[i] = h.judge(f)
		if found[i].share() > found[best].share() {
			best = i
		}
	}
	d := found[best]
	if 2*d.Matched >= d.Lines {
		return &formats[best], d, ""
	}
	if d.Matched == 0 && bytes.IndexByte(h.data, 0) >= 0 {
		return nil, d, "this is a binary file; not a format that is read here"
	}
	var why strings.Builder
	for i, f := range formats {
		if i > 0 {
			why.WriteString("; ")
		}
		fmt.Fprintf(&why, "not a %s (%d of the first %d lines match)", f.Title, found[i].Matched, found[i].Lines)
		if d := found[i]; d.FirstBad > 0 {
			fmt.Fprintf(&why, "; first line that failed, line %d: \"%s\": %s", d.FirstBad, d.FirstBadText, d.Reason)
		}
	}
	return nil, d, why.String()
}

// judge asks one format. Where the whole lines say nothing, the line that the head ends in has to.
func (h head) judge(f Format) Detection {
	d := f.Detect(h.lines())
	if d.Lines == 0 {
		d = f.Detect(h.data)
	}
	return d
}

// foreigners are files that are often at hand and can be named by their first bytes.
var foreigners = []struct {
	at    int
	magic string
	what  string
}{
	{0, "PAR1", "a Parquet file"},
	{0, "PARE", "an encrypted Parquet file"},
	{0, "ARROW1", "an Arrow file"},
	{0, "\xff\xff\xff\xff", "an Arrow stream"},
	{0, "\xfd7zXZ\x00", "an xz archive"},
	{0, "BZh", "a bzip2 archive"},
	{0, "\x04\x22\x4d\x18", "an lz4 archive"},
	{0, "PK\x03\x04", "a zip archive"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{257, "ustar", "a tar archive"},
	{0, "REDIS0", "a Redis RDB snapshot (it holds keys, not requests)"},
	{0, "\xd4\xc3\xb2\xa1", "a packet capture"},
	{0, "\x0a\x0d\x0d\x0a", "a packet capture"},
}

func foreign(data []byte) string {
	for _, f := range foreigners {
		if len(data) >= f.at && bytes.HasPrefix(data[f.at:], []byte(f.magic)) {
			return f.what
		}
	}
	return ""
}

// utf16 refuses text that no format is written in; "" lets it pass.
func utf16(data []byte) string {
	if bytes.HasPrefix(data, []byte(bomUTF16LE)) || bytes.HasPrefix(data, []byte(bomUTF16BE)) {
		return "UTF-16 text (PowerShell's > writes it): convert it first, " +
			"iconv -f UTF-16 -t UTF-8 FILE, or Get-Content FILE | Set-Content -Encoding utf8 NEW"
	}
	return ""
}
