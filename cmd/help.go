package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// short are the flags that -h shows; --help shows all.
var short = []string{"format", "output", "top", "shards", "topology", "capacity", "store", "servers", "ttl", "window", "memory", "fail-on"}

// help prints one screen for -h and everything, by group, for --help.
func help(c *cobra.Command, args []string) {
	w := c.OutOrStdout()
	brief := slices.Contains(args, "-h")
	if brief || c.Long == "" {
		fmt.Fprintf(w, "%s: %s\n\n", c.CommandPath(), c.Short)
	} else {
		fmt.Fprintf(w, "%s\n\n", c.Long)
	}
	fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
	if subs := c.Commands(); len(subs) > 0 && (!brief || c.HasParent()) {
		fmt.Fprintln(w, "\nCommands:")
		for _, s := range subs {
			if s.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-12s %s\n", s.Name(), s.Short)
			}
		}
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	groups := map[string][]*pflag.Flag{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || brief && !c.HasParent() && !slices.Contains(short, f.Name) {
			return
		}
		name := ""
		if g := f.Annotations[groupKey]; len(g) > 0 && !brief {
			name = g[0]
		}
		groups[name] = append(groups[name], f)
	})
	for _, name := range append(slices.Clone(flagGroups), "") {
		if len(groups[name]) == 0 {
			continue
		}
		title := name + " flags:"
		if name == "" {
			title = "Flags:"
		}
		fmt.Fprintf(w, "\n%s\n", title)
		for _, f := range groups[name] {
			printFlag(w, f)
		}
	}
	if brief && !c.HasParent() {
		fmt.Fprintln(w, "\nkeyskew --help lists all flags and commands.")
	}
}

const helpColumn, helpWidth = 26, 80

func printFlag(w io.Writer, f *pflag.Flag) {
	kind, usage := pflag.UnquoteUsage(f)
	left := "      --" + f.Name
	if f.Shorthand != "" {
		left = "  -" + f.Shorthand + ", --" + f.Name
	}
	if kind != "" {
		left += " " + kind
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	lines := wrap(usage, helpWidth-helpColumn)
	if len(left) >= helpColumn {
		fmt.Fprintln(w, left)
		left = ""
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-*s%s\n", helpColumn, left, line)
		left = ""
	}
}

func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
