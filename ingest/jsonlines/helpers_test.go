package jsonlines

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// choose detects the format as the reader does: the largest share wins, the first of equals.
func choose(head []byte, sel request.Select) (request.Format, request.Detection) {
	var best request.Detection
	var format request.Format
	for i, f := range Formats() {
		if d := f.Detect(head, sel); i == 0 || d.Share() > best.Share() {
			format, best = f, d
		}
	}
	return format, best
}

// read detects and decodes a text in one block.
func read(t testing.TB, data []byte, sel request.Select) (string, request.Detection, *requesttest.Rows, *request.Tally) {
	t.Helper()
	format, d := choose(data, sel)
	if d.New == nil {
		t.Fatalf("%s: %d of %d lines: %s", format.ID, d.Matched, d.Lines, d.Reason)
	}
	if format.Rewrite != nil {
		data = rewritten(t, data)
	}
	sink, tally := requesttest.Decode(t, d.New(), request.Block{Data: data, Last: true})
	return format.ID, d, sink, tally
}

func rewritten(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := out.ReadFrom(Lines(bytes.NewReader(data))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// skips is "reason: lines", benign ones in brackets, sorted.
func skips(tally *request.Tally) []string {
	out := []string{}
	for _, s := range tally.Skips {
		text := fmt.Sprintf("%s: %d", s.Reason, s.Lines)
		if s.Benign {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

func mapping(d request.Detection) string {
	var out []string
	for _, m := range d.Mapping {
		out = append(out, m.Field+"="+m.From)
	}
	return strings.Join(out, "; ")
}
