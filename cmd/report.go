package cmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"keyskew/formats"
)

func newReport(a *app) *cobra.Command {
	var f outputFlags
	c := &cobra.Command{
		Use:   "report REPORT.json|SUMMARY",
		Short: "print a saved JSON report again, or the report of a summary, in any format",
		Args:  cobra.ExactArgs(1),
	}
	f.register(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.check(c.Flags()); err != nil {
			return err
		}
		if isSummary(args[0]) {
			asked := analyzeFlags{}
			plain := &cobra.Command{}
			asked.register(plain)
			asked.out = f
			return a.analyze(plain, args, &asked)
		}
		in := a.in
		if args[0] != "-" {
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			in = file
		}
		r, err := formats.ReadJSON(in)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		return a.write(r, &f)
	}
	return c
}
