package delimited

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// choose takes the format that fits the first 64 KiB best, the first of several, as package ingest does.
func choose(text []byte, s request.Select) (request.Format, request.Detection) {
	var best request.Format
	var found request.Detection
	for _, f := range Formats() {
		head := text[:min(len(text), 64<<10)]
		if f.RecordSize == 0 && len(head) < len(text) {
			head = head[:bytes.LastIndexByte(head, '\n')+1]
		}
		if d := f.Detect(head, s); d.Share() > found.Share() {
			best, found = f, d
		}
	}
	return best, found
}

func named(t testing.TB, id string) request.Format {
	t.Helper()
	i := slices.IndexFunc(Formats(), func(f request.Format) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("no format %q", id)
	}
	return Formats()[i]
}

// decodeAs decodes a whole input in one block.
func decodeAs(t testing.TB, f request.Format, d request.Detection, text []byte) (*requesttest.Rows, *request.Tally) {
	t.Helper()
	if d.New == nil {
		t.Fatalf("%s cannot read it: %s", f.ID, d.Reason)
	}
	if f.Rewrite != nil {
		var err error
		if text, err = io.ReadAll(f.Rewrite(bytes.NewReader(text))); err != nil {
			t.Fatal(err)
		}
	}
	return requesttest.Decode(t, d.New(), request.Block{Data: text, Last: true})
}

// detected decodes an input as what it is detected to be.
func detected(t testing.TB, text string, s request.Select, id string) (*requesttest.Rows, *request.Tally, request.Detection) {
	t.Helper()
	f, d := choose([]byte(text), s)
	if f.ID != id {
		t.Fatalf("detected %q (%+v), want %q", f.ID, d, id)
	}
	r, tally := decodeAs(t, f, d, []byte(text))
	return r, tally, d
}

func mapped(d request.Detection) map[string]string {
	out := map[string]string{}
	for _, m := range d.Mapping {
		out[m.Field] = m.From
	}
	return out
}
