// Package jsonlines decodes requests that are written as JSON objects: lines with one object each, or an
// array of objects, come in, batches of requests leave. They are access logs of web servers and proxies,
// or traces of keys.
//
// A line is scanned once, for the values at the few paths that matter (scan.go); everything else is only
// checked. The scanner is our own because of what was measured on lines of 285 bytes with six of ten
// fields taken: valyala/fastjson 1.6.10 reads 510 MB/s but lets control characters, unknown escapes, 01,
// 1e and nan pass, takes the first of two fields of one name where encoding/json takes the last, and so
// counts broken lines as requests; minio/simdjson-go 0.4.5 is strict but reads 210 MB/s on such short
// lines, allocates three times a line, gives up a whole block for one broken line, and has no code for
// arm64. The scanner here is as strict as encoding/json and faster than both.
//
// Which field is what (the key, the time, the method ...) is decided once, by the first lines: by what a
// known program writes (spec.go), or by the names and values of the fields (role.go, layout.go). The
// mapping is part of the detection.
package jsonlines

import (
	"bytes"
	"io"

	"keyskew/ingest/request"
)

// Formats lists the formats in the order of detection: known programs first, since their records are
// also records of the general kinds.
func Formats() []request.Format {
	var out []request.Format
	for _, s := range specs() {
		out = append(out, request.Format{
			ID: s.id, Title: s.title, Text: s.text, Source: s.source,
			Detect: func(head []byte, sel request.Select) request.Detection { return detect(s, head, sel) },
			CutOff: reasonCut,
		})
	}
	return append(out, request.Format{
		ID: "json-array", Title: "JSON array of objects",
		Text: "An array whose elements are requests, printed on one line or many, or objects that each take " +
			"several lines (as jq prints them). An element is read as any of the formats of JSON lines would be.",
		Source:  "RFC 8259",
		Detect:  detectArray,
		Rewrite: Lines,
		CutOff:  reasonCut,
	})
}

// detectArray judges the head of an array: what its elements fit best.
func detectArray(head []byte, sel request.Select) request.Detection {
	if !arrayLike(head) {
		return refusal(head, "not an array of JSON objects")
	}
	lines, err := io.ReadAll(Lines(bytes.NewReader(head)))
	if err != nil {
		return refusal(head, "not an array of JSON objects")
	}
	sample, fields := newSample(lines)
	var best request.Detection
	for i, s := range specs() {
		d := sample.judge(s, fields, sel)
		if d.New != nil {
			d.Framing = s.title
		}
		if i == 0 || d.Share() > best.Share() || best.Share() == d.Share() && best.New == nil && d.New != nil {
			best = d
		}
	}
	// Lines of the rewritten text are elements of the array.
	if best.FirstBad > 0 {
		best.Reason = "element of the array: " + best.Reason
	}
	return best
}

// arrayLike says that a text begins with an array of objects, or with an object that goes on behind its
// first line.
func arrayLike(head []byte) bool {
	i := space(head, 0)
	if i == len(head) {
		return false
	}
	if head[i] == '[' {
		i = space(head, i+1)
		return i == len(head) || head[i] == '{' || head[i] == ']'
	}
	if head[i] != '{' {
		return false
	}
	line, rest, more := bytes.Cut(head[i:], []byte{'\n'})
	s := scanner{}
	return more && len(rest) > 0 && s.scan(line, nil) == open
}
