package formats

import "io"

// Output is one way to write a report down.
type Output struct {
	ID    string // as in --format ID
	Title string
	Text  string // what it is for
	// Render writes r to w; outputs that are no text for people ignore the options.
	Render func(w io.Writer, r *Report, o TextOptions) error
}

// Outputs lists the ways to write a report down, the default first.
func Outputs() []Output {
	return []Output{
		{"text", "Text", "for reading: the verdict first, then the evidence; fits the terminal, and keeps keys whole in a file", Text},
		{"json", "JSON", "for scripts, and to keep: the whole report, with the schema docs/report.schema.json", renderJSON},
	}
}

func renderJSON(w io.Writer, r *Report, _ TextOptions) error { return JSON(w, r) }
