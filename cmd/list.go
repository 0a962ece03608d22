package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keyskew/advise/fix"
	"keyskew/advise/store"
	"keyskew/analyze"
	"keyskew/analyze/partition"
	"keyskew/formats"
	"keyskew/ingest"
	"keyskew/ingest/synth"
)

// entry is one thing that list names and explain describes.
type entry struct{ id, title, text, source string }

// tables lists every table of the tool, by the word that list takes.
func tables() []struct {
	name    string
	entries []entry
} {
	var out []struct {
		name    string
		entries []entry
	}
	add := func(name string, entries []entry) {
		out = append(out, struct {
			name    string
			entries []entry
		}{name, entries})
	}
	var list []entry
	for _, f := range ingest.Formats() {
		list = append(list, entry{f.ID, f.Title, f.Text, f.Source})
	}
	add("formats", list)
	list = nil
	for _, p := range partition.Partitioners() {
		text := p.Text
		for _, param := range p.Params {
			text += fmt.Sprintf(" Parameter %s: %s.", param.Name, param.Text)
		}
		if p.Refusal == "" && len(p.Encodings) > 1 {
			var ids []string
			for _, e := range p.Encodings {
				ids = append(ids, e.ID)
			}
			text += " Key encodings: " + strings.Join(ids, ", ") + "."
		}
		if len(p.Topologies) > 0 {
			text += " Topologies: " + strings.Join(p.Topologies, ", ") + "."
		}
		list = append(list, entry{p.ID, p.Title, text, p.Source})
	}
	add("partitioners", list)
	list = nil
	for _, e := range partition.Encodings() {
		list = append(list, entry{e.ID, e.Title, e.Text, e.Source})
	}
	add("key-encodings", list)
	list = nil
	for _, t := range partition.Topologies() {
		list = append(list, entry{t.ID, t.Title, t.Text, t.Source})
	}
	add("topologies", list)
	list = nil
	for _, s := range store.Profiles() {
		text := fmt.Sprintf("One %s. Planning figure: %.0f commands/s (%s). What never splits: %s.",
			s.Unit, s.PlanningOps, s.Kind, strings.TrimSuffix(s.NeverSplits, "."))
		list = append(list, entry{s.ID, s.Title, text, s.Source})
	}
	add("stores", list)
	list = nil
	for _, f := range fix.All() {
		list = append(list, entry{f.ID, f.Title, f.Text, f.Source})
	}
	add("fixes", list)
	list = nil
	for _, o := range formats.Outputs() {
		list = append(list, entry{o.ID, o.Title, o.Text, ""})
	}
	add("outputs", list)
	list = nil
	for _, f := range synth.Formats() {
		list = append(list, entry{f.ID, f.Title, f.Text, ""})
	}
	add("generate-formats", list)
	list = nil
	for _, f := range analyze.FindingKinds() {
		list = append(list, entry{f.ID, f.Title, f.Text, ""})
	}
	add("findings", list)
	return out
}

func newList(a *app) *cobra.Command {
	var names []string
	for _, t := range tables() {
		names = append(names, t.name)
	}
	return &cobra.Command{
		Use:   "list " + strings.Join(names, "|"),
		Short: "list what keyskew knows: " + strings.Join(names, ", "),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(names, args[0]) {
				return fmt.Errorf("%q cannot be listed; what can: %s", strings.Join(args, " "), strings.Join(names, ", "))
			}
			return nil
		},
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, t := range tables() {
				if t.name != args[0] {
					continue
				}
				width := 16
				for _, e := range t.entries {
					width = max(width, len(e.id))
				}
				for _, e := range t.entries {
					if _, err := fmt.Fprintf(a.out, "%-*s %s\n", width, e.id, e.title); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

func newExplain(a *app) *cobra.Command {
	var ids []string
	for _, t := range tables() {
		for _, e := range t.entries {
			ids = append(ids, e.id)
		}
	}
	return &cobra.Command{
		Use:       "explain ID",
		Short:     "explain a finding, remedy, store, format or partitioner",
		Args:      cobra.ExactArgs(1),
		ValidArgs: ids,
		RunE: func(_ *cobra.Command, args []string) error {
			var out strings.Builder
			for _, t := range tables() {
				for _, e := range t.entries {
					if strings.EqualFold(e.id, args[0]) {
						e.explain(&out, t.name)
					}
				}
			}
			if out.Len() == 0 {
				return fmt.Errorf("nothing is called %q; keyskew list findings (or fixes, stores, formats, partitioners) shows what is", args[0])
			}
			_, err := io.WriteString(a.out, out.String())
			return err
		},
	}
}

func (e entry) explain(out *strings.Builder, table string) {
	fmt.Fprintf(out, "%s (%s): %s\n", e.id, table, e.title)
	lines := wrap(e.text, 80)
	if e.source != "" {
		lines = append(lines, wrap("Source: "+e.source, 80)...)
	}
	for _, line := range lines {
		out.WriteString(line + "\n")
	}
}
