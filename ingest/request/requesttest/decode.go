package requesttest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

// Decode decodes one block, twice with the same decoder, which must make the same of it, and account for
// every line.
func Decode(t testing.TB, d request.Decoder, b request.Block) (*Rows, *request.Tally) {
	t.Helper()
	var rows [2]*Rows
	var tallies [2]*request.Tally
	for i := range 2 {
		rows[i], tallies[i] = &Rows{T: t}, &request.Tally{}
		d.Decode(b, rows[i], tallies[i])
	}
	if !slices.Equal(rows[0].List, rows[1].List) || fmt.Sprint(tallies[0]) != fmt.Sprint(tallies[1]) {
		t.Error("a second run of the same decoder differs")
	}
	Accounted(t, tallies[0])
	return rows[0], tallies[0]
}

// Accounted checks that every line is a request or skipped for a reason.
func Accounted(t testing.TB, tally *request.Tally) {
	t.Helper()
	if all, _ := tally.Skipped(); tally.Lines != tally.Requests+all {
		t.Errorf("%d lines, but %d requests and %d skipped", tally.Lines, tally.Requests, all)
	}
}

// InBlocks cuts a text into blocks, as the reader may cut an input of the format f: goOn says, behind a
// record, that the block goes on. Two decoders take turns. An error says how the rows or the tally differ
// from those of the text in one block. A block's bytes are overwritten behind its decoder's back: it may
// not hold on to them.
func InBlocks(t testing.TB, f request.Format, decoder func() request.Decoder, text []byte, goOn func() bool) error {
	t.Helper()
	want, wantTally := Decode(t, decoder(), request.Block{Data: text, Last: true})
	decoders := []request.Decoder{decoder(), decoder()}
	got, tally := &Rows{T: t}, &request.Tally{}
	var header, next []byte
	start, end, turn := 0, 0, 0
	for end < len(text) {
		record := recordAt(f, text[end:])
		if f.Header != nil && f.Header(trimmed(record)) {
			next = record
		}
		end += len(record)
		if end < len(text) {
			behind := trimmed(recordAt(f, text[end:]))
			if f.Continues != nil && f.Continues(behind) || goOn() {
				continue
			}
		}
		var part request.Tally
		data := bytes.Clone(text[start:end])
		decoders[turn%2].Decode(request.Block{
			Data: data, Offset: int64(start), Header: header, Last: end == len(text),
		}, got, &part)
		copy(data, bytes.Repeat([]byte{'X'}, len(data)))
		tally.Append(&part)
		start, header = end, next
		turn++
	}
	if !slices.Equal(got.List, want.List) {
		return fmt.Errorf("of %q\n got %+v\nwant %+v", text, got.List, want.List)
	}
	if fmt.Sprintf("%+v", tally) != fmt.Sprintf("%+v", wantTally) {
		return fmt.Errorf("of %q\n got %+v\nwant %+v", text, tally, wantTally)
	}
	return nil
}

// recordAt is the line or record that a text begins with, with its line end.
func recordAt(f request.Format, text []byte) []byte {
	if f.RecordSize > 0 {
		return text[:min(f.RecordSize, len(text))]
	}
	if n := bytes.IndexByte(text, '\n') + 1; n > 0 {
		return text[:n]
	}
	return text
}

func trimmed(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

// Skips is the number of skipped lines by reason.
func Skips(tally *request.Tally) map[request.Reason]int64 {
	out := map[request.Reason]int64{}
	for _, s := range tally.Skips {
		out[s.Reason] = s.Lines
	}
	return out
}

// Notes is the count of each remark.
func Notes(tally *request.Tally) map[string]int64 {
	out := map[string]int64{}
	for _, n := range tally.Notes {
		out[n.Text] = n.Count
	}
	return out
}

// Same checks that two values print alike.
func Same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// File reads a file, unpacked if its name ends in .gz.
func File(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}
