package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON writes the whole report. Characters that a terminal might obey or hide (controls, direction
// overrides, joiners) are written as \u escapes, which mean the same to a JSON reader. Numbers that are
// not finite are an error; Build makes none.
func JSON(w io.Writer, r *Report) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("formats: JSON: %w", err)
	}
	_, err := w.Write(escapeJSON(b.Bytes()))
	return err
}

// escapeJSON writes what is not printable as \u escapes. Outside of strings a JSON text is ASCII, so
// every character concerned is inside one.
func escapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\n' || printable(r):
			out = append(out, text[:n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

// ReadJSON reads a saved report. A document with another schema, or with anything after the report, is
// refused.
func ReadJSON(r io.Reader) (*Report, error) {
	dec := json.NewDecoder(r)
	var doc json.RawMessage
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("formats: no JSON report: %w", err)
	}
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(doc, &head); err != nil {
		return nil, fmt.Errorf("formats: no JSON report: %w", err)
	}
	if head.Schema == nil {
		return nil, fmt.Errorf("formats: no JSON report: it names no schema, expected %q", Schema)
	}
	if *head.Schema != Schema {
		return nil, fmt.Errorf("formats: the report's schema is %q, this program reads %q", *head.Schema, Schema)
	}
	out := new(Report)
	if err := json.Unmarshal(doc, out); err != nil {
		return nil, fmt.Errorf("formats: damaged JSON report: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("formats: there is more after the report")
	}
	return out, nil
}
