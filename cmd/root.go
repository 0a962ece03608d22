// Package cmd is the command line: one file per subcommand. Raw flags become one validated
// configuration, the stages are wired together, and the result becomes an exit code. It computes and
// parses nothing itself.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Version is printed by keyskew version and in every report.
const Version = "0.1.0"

// Exit codes, documented in the help and the README.
const (
	exitOK      = 0
	exitMatched = 1 // --fail-on matched
	exitError   = 2 // usage, or an input that could not be read whole
)

// codeError carries an exit code; its error, if any, has been or will be printed.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *codeError) Unwrap() error { return e.err }

// app is what the commands share: where they read and write, and whether that is a terminal.
type app struct {
	in       io.Reader
	out, err io.Writer
}

// Main runs keyskew and returns its exit code. The first interrupt stops reading, and what was read is
// reported; the second ends the process, as SIGTERM does, by the signal's own default.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)   // from now on an interrupt ends the process
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is an error of Write, and a clean end
	defer signal.Reset(syscall.SIGPIPE)

	a := &app{in: in, out: out, err: errw}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	err := root.ExecuteContext(ctx)
	return a.exitCode(err)
}

func (a *app) exitCode(err error) int {
	if err == nil || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return exitOK
	}
	var code *codeError
	if errors.As(err, &code) {
		if code.err != nil {
			a.complain(code.err)
		}
		return code.code
	}
	a.complain(err)
	return exitError
}

// complain prints an error, one line a cause.
func (a *app) complain(err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(a.err, "keyskew: "+printable(strings.TrimRight(line, "\n")))
	}
}

// printable escapes what a terminal could obey: messages quote file names, flags and lines of inputs.
func printable(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[n:]
	}
	return b.String()
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "keyskew [FILE...]",
		Short: "which keys are hot, why, and what to do about it",
		Long: `keyskew reads a capture of a store's requests and says which keys are hot, how sure that is,
which shard they burden, and what to do about it, with numbers.

It reads what redis-cli monitor prints (Redis 2.4 to 8, Valkey, KeyDB, Dragonfly), HTTP access logs and
request traces (CSV, JSON lines; keyskew list formats), as files or from a pipe, plain or packed. It
works offline, in fixed memory.

Exit codes: 0 report written (also after one Ctrl-C); 1 --fail-on matched; 2 usage, or an input that
could not be read whole; 130 or 143 when a second Ctrl-C or SIGTERM ended it.`,
		Example: `  keyskew monitor.log
  timeout 30 redis-cli monitor | keyskew
  keyskew --shards 8 --capacity 100k --format json -o report.json node1.log.gz`,
		Args:          cobra.ArbitraryArgs, // else cobra takes a file name for an unknown command
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	analyze := newAnalyze(a)
	root.Flags().AddFlagSet(analyze.Flags())
	root.RunE = analyze.RunE
	root.ValidArgsFunction = analyze.ValidArgsFunction
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fmt.Errorf("%w (keyskew --help lists the flags)", err)
	})
	root.SetHelpFunc(help)
	root.AddCommand(analyze, newDetect(a), newDetectLag(a), newReport(a), newSummarize(a), newMerge(a), newGenerate(a), newList(a), newExplain(a), newVersion(a))
	root.CompletionOptions.HiddenDefaultCmd = false
	return root
}
