package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"keyskew/formats"
)

// outputFlags say how and where a report is written.
type outputFlags struct {
	format, output string
	top, width     int
	color          string
	ascii, plain   bool
	brief          bool
	listed         int // keys that text lists; 0: as many as fit
}

func (f *outputFlags) register(c *cobra.Command) {
	fs := c.Flags()
	var outputs []string
	for _, o := range formats.Outputs() {
		outputs = append(outputs, o.ID)
	}
	fs.Var(newChoice(&f.format, "text", outputs...), "format", "`format` of the report: "+strings.Join(outputs, ", "))
	fs.StringVarP(&f.output, "output", "o", "", "write the report to `FILE`, whole or not at all, instead of stdout")
	fs.IntVar(&f.top, "top", 20, "list at least `N` keys")
	fs.IntVar(&f.width, "width", 0, "width `N` of text, instead of the terminal's (100 in a file or pipe)")
	fs.Var(newChoice(&f.color, "auto", "auto", "always", "never"), "color", "colour (`when`): auto, always, never")
	fs.BoolVar(&f.ascii, "ascii", false, "only ASCII characters in text")
	fs.BoolVar(&f.plain, "plain", false, "text as one \"name: value\" a line, without columns and bars")
	fs.BoolVar(&f.brief, "brief", false, "only the verdict and the keys")
	group(fs, "Output", "format", "output", "top", "width", "color", "ascii", "plain", "brief")
	complete(c, "format", outputs)
	complete(c, "color", []string{"auto", "always", "never"})
}

func (f *outputFlags) check(set *pflag.FlagSet) error {
	if set.Changed("top") {
		f.listed = f.top
	}
	if f.width != 0 && f.width < 40 {
		return errors.New("--width: at least 40")
	}
	return nil
}

// write renders a report to stdout or a file. A file is written whole or not at all, for its owner only:
// keys may hold what is private.
func (a *app) write(r *formats.Report, f *outputFlags) error {
	if f.output == "" {
		return render(a.out, r, f, terminalOf(a.out))
	}
	return writeFile(f.output, 0o600, func(w io.Writer) error { return render(w, r, f, nil) })
}

// writeFile writes a file whole or not at all. What is there and no regular file (a named pipe, a
// device) is written to as it is.
func writeFile(path string, mode os.FileMode, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	defer os.Remove(file.Name()) // fails when all went well: then it has its new name
	err = errors.Join(file.Chmod(mode), write(file), file.Sync())
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	return os.Rename(file.Name(), path)
}

// cause takes the name of the temporary file out of an error.
func cause(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// render writes with the options that fit the place: term is nil when it is no terminal.
func render(w io.Writer, r *formats.Report, f *outputFlags, terminal *os.File) error {
	o := formats.TextOptions{
		Width: f.width, Whole: terminal == nil, ASCII: f.ascii, Plain: f.plain, Brief: f.brief,
		Top:   f.listed,
		Color: f.color == "always",
	}
	if terminal != nil {
		if f.color == "auto" {
			o.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		}
		if o.Width == 0 {
			if width, _, err := term.GetSize(int(terminal.Fd())); err == nil && width >= 40 {
				o.Width = min(width, 120)
			}
		}
		o.ASCII = o.ASCII || !utf8Locale()
	}
	for _, out := range formats.Outputs() {
		if out.ID == f.format {
			return out.Render(w, r, o)
		}
	}
	return errors.New("no such format: " + f.format)
}

// utf8Locale reports whether the locale's character set is UTF-8, or not said.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// terminalOf returns the file behind a writer or reader if it is a terminal, else nil.
func terminalOf(v any) *os.File {
	if f, ok := v.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

func (a *app) stdinIsTerminal() bool { return a.in == nil || terminalOf(a.in) != nil }
