// Package delimited decodes traces that are tables: one request per row, one fact per column. Lines with
// commas, tabs, semicolons, bars or spaces come in, or packed records of a fixed length; batches of
// requests leave.
//
// What a column means is said by its name (a table of aliases), by the known trace that the file is, by
// the user, or, in a file without a header, by what stands in it. Nothing is chosen in silence: the
// mapping is part of the detection, and where two columns would do, neither is taken and both are named.
package delimited

import (
	"bytes"

	"keyskew/ingest/request"
)

const (
	// batchRows is how many rows a batch holds when it is handed on.
	batchRows = 1024
	// maxColumns is the largest number of columns that is told apart.
	maxColumns = 1024
	// sampleLines is how many lines of the head are judged.
	sampleLines = 1000
	// enough is the share of lines that must agree before a table is called one.
	enough = 0.95
	// maxShown is how much of a line or a cell is shown, in bytes.
	maxShown = 120

	cutOff request.Reason = "cut off at the end of the input"
)

// Formats lists the formats in the order in which they are tried: known traces first, for most of them
// are tables as well.
func Formats() []request.Format {
	return []request.Format{
		twitterFormat(),
		msrFormat(),
		alibabaFormat(),
		tencentFormat(),
		kvcacheFormat(),
		metaBlockFormat(),
		libCacheSimFormat(),
		addressFormat(),
		arcFormat(),
		multilineFormat(),
		csvFormat(),
		keyListFormat(),
		oracleGeneralFormat(),
		cache2kFormat(),
	}
}

const bom = "\xef\xbb\xbf"

// trimBOM takes off the byte order mark that joined files have in their middle.
func trimBOM(line []byte) []byte { return bytes.TrimPrefix(line, []byte(bom)) }

// numbered is a line of the head and its number, from 1.
type numbered struct {
	text   []byte
	number int
}

// sampled returns the lines of the head that are judged: those that are not blank.
func sampled(head []byte) []numbered {
	var out []numbered
	n := 0
	for line := range bytes.Lines(head) {
		n++
		if line = request.TrimEnd(line); n == 1 {
			line = trimBOM(line)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if out = append(out, numbered{line, n}); len(out) == sampleLines {
			break
		}
	}
	return out
}

// judge counts the lines that fits accepts.
func judge(lines []numbered, reason string, fits func([]byte) bool) request.Detection {
	d := request.Detection{Lines: len(lines)}
	for _, l := range lines {
		switch {
		case fits(l.text):
			d.Matched++
		case d.FirstBad == 0:
			firstBad(&d, l, reason)
		}
	}
	return d
}

func firstBad(d *request.Detection, l numbered, reason string) {
	d.FirstBad, d.FirstBadText, d.Reason = l.number, request.Show(l.text, maxShown), reason
}

// refuse is the answer for an input that is not of the format at all.
func refuse(lines []numbered, reason string) request.Detection {
	d := request.Detection{Lines: len(lines), Reason: reason}
	if len(lines) > 0 {
		firstBad(&d, lines[0], reason)
	}
	return d
}
