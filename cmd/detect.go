package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"keyskew/formats"
	"keyskew/ingest"
)

// sampleRows is how many decoded rows detect shows.
const sampleRows = 5

func newDetect(a *app) *cobra.Command {
	var f inputFlags
	var format string
	c := &cobra.Command{
		Use:   "detect [FILE...]",
		Short: "say what a FILE is, which part of it is the key, and how sure that is",
		Args:  cobra.ArbitraryArgs,
	}
	f.register(c)
	c.Flags().Var(newChoice(&format, "text", "text", "json"), "format", "`format` of the answer: text, json")
	group(c.Flags(), "Output", "format")
	complete(c, "format", []string{"text", "json"})
	c.RunE = func(c *cobra.Command, args []string) error {
		inputs, err := f.inputs(a, args)
		if err != nil {
			return err
		}
		o, err := f.options(a)
		if err != nil {
			return err
		}
		var found []ingest.Finding
		for _, in := range inputs {
			found = append(found, ingest.Examine(c.Context(), in, o, sampleRows))
		}
		if format == "json" {
			err = writeDetectedJSON(a.out, found)
		} else {
			err = writeDetected(a.out, found)
		}
		if err == nil && slices.ContainsFunc(found, func(f ingest.Finding) bool { return f.Err != nil }) {
			err = &codeError{code: exitError}
		}
		return err
	}
	return c
}

func writeDetected(w io.Writer, found []ingest.Finding) error {
	var b strings.Builder
	for i, f := range found {
		if i > 0 {
			b.WriteString("\n")
		}
		fact := func(label, format string, args ...any) {
			fmt.Fprintf(&b, "  %-9s %s\n", label, fmt.Sprintf(format, args...))
		}
		d := f.Detection
		switch {
		case f.Err != nil:
			candidates, kind := refusal(f.Err)
			why := strings.TrimPrefix(f.Err.Error(), f.Name+": ")
			if len(candidates) > 0 {
				why = "refused; the nearest are"
			}
			fmt.Fprintf(&b, "%s: %s\n", printable(f.Name), printable(why))
			for _, c := range candidates {
				fact(c.Format.ID, "%s", printable(c.String()))
			}
			if kind != "" {
				fact("looks", "like %s", kind)
			}
		case f.Format.ID == "":
			fmt.Fprintf(&b, "%s: empty\n", printable(f.Name))
		default:
			fmt.Fprintf(&b, "%s: %s, %s\n", printable(f.Name), f.Format.ID, f.Format.Title)
			fact("sure", "%.3g%% (%d of the first %d lines)", 100*d.Share(), d.Matched, d.Lines)
			if d.FirstBad > 0 {
				fact("not", "line %d: \"%s\": %s", d.FirstBad, printable(d.FirstBadText), printable(d.Reason))
			}
			if d.Framing != "" {
				fact("framing", "%s", printable(d.Framing))
			}
			for _, m := range d.Mapping {
				fact(m.Field, "= %s", printable(m.From))
			}
		}
		if f.Packing != "" {
			fact("packed", "%s", f.Packing)
		}
		for i, s := range f.Samples {
			label := ""
			if i == 0 {
				label = "sample"
			}
			fact(label, "%s", sampleText(s))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// refusal returns the candidates of an input that fits none of them, and what it looks like instead.
func refusal(err error) (near []ingest.Candidate, kind string) {
	var refused *ingest.RefusedError
	if errors.As(err, &refused) && refused.Why == "" {
		return refused.Candidates, refused.Kind
	}
	return nil, ""
}

func sampleText(s ingest.Sample) string {
	var words []string
	if s.Timed {
		words = append(words, stampText(s.Time))
	}
	words = append(words, s.Op.String())
	if s.Command != "" {
		words = append(words, formats.KeyText([]byte(s.Command)))
	}
	switch {
	case s.Key == nil:
		words = append(words, "(no key)")
	case len(s.Key) == 0:
		words = append(words, "(empty key)")
	default:
		words = append(words, formats.Elide(formats.KeyText(s.Key), 60))
	}
	if s.Weight != 1 {
		words = append(words, fmt.Sprintf("×%d", s.Weight))
	}
	return strings.Join(words, " ")
}

func stampText(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// detected is one input in the JSON of detect.
type detected struct {
	Name       string            `json:"name"`
	Format     *string           `json:"format"`
	Title      *string           `json:"title"`
	Framing    string            `json:"framing"`
	Packing    string            `json:"packing"`
	Confidence float64           `json:"confidence"`
	Matched    int               `json:"matched"`
	Lines      int               `json:"lines"`
	Mapping    map[string]string `json:"mapping"`
	FirstBad   *badLine          `json:"first_bad"`
	Samples    []sampleJSON      `json:"samples"`
	Error      *string           `json:"error"`
	LooksLike  *string           `json:"looks_like"`
	Candidates []candidate       `json:"candidates"`
}

type badLine struct {
	Line   int    `json:"line"`
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

type sampleJSON struct {
	Time    *string        `json:"time"`
	Op      string         `json:"op"`
	Command string         `json:"command"`
	Key     *formats.Bytes `json:"key"`
	Weight  uint64         `json:"weight"`
}

type candidate struct {
	Format     string   `json:"format"`
	Title      string   `json:"title"`
	Confidence float64  `json:"confidence"`
	Matched    int      `json:"matched"`
	Lines      int      `json:"lines"`
	Reason     string   `json:"reason"`
	FirstBad   *badLine `json:"first_bad"`
}

func writeDetectedJSON(w io.Writer, found []ingest.Finding) error {
	out := struct {
		Inputs []detected `json:"inputs"`
	}{[]detected{}}
	for _, f := range found {
		d := f.Detection
		in := detected{
			Name: f.Name, Framing: d.Framing, Packing: f.Packing, Confidence: d.Share(),
			Matched: d.Matched, Lines: d.Lines, Mapping: map[string]string{}, FirstBad: badLineOf(f.Candidate),
			Samples: []sampleJSON{}, Candidates: []candidate{},
		}
		if f.Format.ID != "" {
			in.Format, in.Title = &f.Format.ID, &f.Format.Title
		}
		for _, m := range d.Mapping {
			in.Mapping[m.Field] = m.From
		}
		for _, s := range f.Samples {
			row := sampleJSON{Op: s.Op.String(), Command: s.Command, Weight: s.Weight}
			if s.Timed {
				at := stampText(s.Time)
				row.Time = &at
			}
			if s.Key != nil {
				key := formats.NewBytes(s.Key)
				row.Key = &key
			}
			in.Samples = append(in.Samples, row)
		}
		if f.Err != nil {
			text := f.Err.Error()
			in.Error = &text
		}
		near, kind := refusal(f.Err)
		if kind != "" {
			in.LooksLike = &kind
		}
		for _, c := range near {
			in.Candidates = append(in.Candidates, candidate{
				Format: c.Format.ID, Title: c.Format.Title, Confidence: c.Detection.Share(),
				Matched: c.Detection.Matched, Lines: c.Detection.Lines, Reason: c.Detection.Reason, FirstBad: badLineOf(c),
			})
		}
		out.Inputs = append(out.Inputs, in)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func badLineOf(c ingest.Candidate) *badLine {
	if c.Detection.FirstBad == 0 {
		return nil
	}
	return &badLine{c.Detection.FirstBad, c.Detection.FirstBadText, c.Detection.Reason}
}
