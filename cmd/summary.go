package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keyskew/advise"
	"keyskew/analyze"
	"keyskew/formats"
	"keyskew/ingest"
)

func newSummarize(a *app) *cobra.Command {
	var f analyzeFlags
	var output string
	c := &cobra.Command{
		Use:   "summarize [FILE...] -o SUMMARY",
		Short: "count a part of the traffic and save what is needed of it, to be merged",
		Args:  cobra.ArbitraryArgs,
	}
	f.registerCounting(c)
	c.Flags().StringVarP(&output, "output", "o", "", "write the summary to `FILE`, whole or not at all")
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no remarks on stderr")
	group(c.Flags(), "Output", "output", "quiet")
	c.RunE = func(c *cobra.Command, args []string) error {
		if output == "" {
			return errors.New("-o FILE is needed: where the summary goes")
		}
		return a.summarize(c, args, &f, output)
	}
	return c
}

func (a *app) summarize(cmd *cobra.Command, args []string, f *analyzeFlags, output string) error {
	set := cmd.Flags()
	c, err := f.counting(a, args)
	if err != nil {
		return err
	}
	if l := c.count.Layout; l != nil && !l.BySlot() {
		return fmt.Errorf("a summary holds the loads of Redis Cluster slots: ask for %s when the summary is read", l.Title)
	}
	if !set.Changed("memory") && f.keyBudget == 0 {
		c.count.KeyBudget, c.count.KeyMemory = analyze.LeafKeys, 0
	}
	// The order of names is that of the inputs, whatever order they were given in.
	slices.SortFunc(c.inputs, func(x, y ingest.Input) int { return strings.Compare(x.Name, y.Name) })
	for _, in := range c.inputs {
		if isSummary(in.Path) {
			return fmt.Errorf("%s is a summary already: keyskew merge puts summaries together", in.Path)
		}
	}
	sum, stats, stopped, readErr, err := a.count(cmd.Context(), c, f.quiet)
	if err != nil {
		return err
	}
	if unread(stats) {
		return verdict(stats, readErr, "", nil)
	}
	l, err := analyze.NewLeaf(sum, partsOf(stats))
	if err != nil {
		return err
	}
	l.Settings, l.Stopped = settings(set), stopped
	l.SampleEvery, l.Filtered = f.in.every, len(f.in.match)+len(f.in.where) > 0
	if err := writeLeaf(l, output); err != nil {
		return err
	}
	return verdict(stats, readErr, "", nil)
}

// settings are the flags that say what is counted, for telling like summaries.
func settings(set *pflag.FlagSet) []string {
	var out []string
	set.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "input-format", "key", "op", "size", "weight", "partition", "tenant", "client", "decode",
			"unknown-commands", "role", "sample-every", "head", "match", "where":
		default:
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			out = append(out, "--"+f.Name+"="+v)
		}
	})
	slices.Sort(out)
	return out
}

func partsOf(stats []ingest.Stats) []analyze.Part {
	out := make([]analyze.Part, len(stats))
	for i, s := range stats {
		out[i] = analyze.Part{
			Name: s.Name, To: s.Unpacked, Format: s.Format, Framing: s.Framing, Packing: s.Packing,
			Confidence: s.Confidence, Mapping: s.Mapping, Bytes: s.Bytes, Tally: s.Tally, Truncated: s.Truncated,
		}
		if s.Err != nil {
			out[i].Error = s.Err.Error()
		}
	}
	return out
}

func writeLeaf(l *analyze.Leaf, output string) error {
	b, err := l.AppendBinary(nil)
	if err != nil {
		return err
	}
	return writeFile(output, 0o600, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

func newMerge(a *app) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "merge SUMMARY... -o SUMMARY",
		Short: "put summaries of parts together",
		Args:  cobra.MinimumNArgs(1),
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write the summary to `FILE`, whole or not at all")
	group(c.Flags(), "Output", "output")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if output == "" {
			return errors.New("-o FILE is needed: where the summary goes")
		}
		l, err := a.fold(args)
		if err != nil {
			return err
		}
		return writeLeaf(l, output)
	}
	return c
}

// fold merges summary files in the order of what they cover, whatever order they are given in. Those whose
// parts another one holds are dropped.
func (a *app) fold(paths []string) (*analyze.Leaf, error) {
	type file struct {
		path   string
		covers *analyze.Leaf
	}
	files := make([]file, 0, len(paths))
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		l, err := analyze.DecodeCoverage(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, file{path, l})
	}
	// Larger ones first: a duplicate is what they hold.
	slices.SortStableFunc(files, func(x, y file) int { return len(y.covers.Parts) - len(x.covers.Parts) })
	var kept []file
	for _, f := range files {
		if !slices.ContainsFunc(kept, func(k file) bool { return k.covers.Holds(f.covers) }) {
			kept = append(kept, f)
			continue
		}
		fmt.Fprintf(a.err, "keyskew: %s adds nothing: its inputs are in another summary\n", printable(f.path))
	}
	slices.SortFunc(kept, func(x, y file) int { return x.covers.Compare(y.covers) })
	var all *analyze.Leaf
	for _, f := range kept {
		b, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		l, err := analyze.DecodeLeaf(b)
		if err == nil && all != nil {
			err = all.Merge(l)
		} else if err == nil {
			all = l
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return all, nil
}

// isSummary tells a summary file by its first bytes. A pipe is never one.
func isSummary(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(analyze.Magic))
	_, err = io.ReadFull(file, head)
	return err == nil && bytes.Equal(head, []byte(analyze.Magic))
}

// summaries returns the paths of the inputs if they are summaries, and refuses what they cannot answer.
func (c *config) summaries(set *pflag.FlagSet) ([]string, error) {
	var paths []string
	for _, in := range c.inputs {
		if isSummary(in.Path) {
			paths = append(paths, in.Path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	if len(paths) < len(c.inputs) {
		return nil, fmt.Errorf("%s is a summary and other inputs are not: keyskew summarize makes summaries of them", paths[0])
	}
	var err error
	set.Visit(func(f *pflag.Flag) {
		at := f.Annotations[groupKey]
		switch {
		case slices.Contains(at, "Input"), slices.Contains(at, "Filters"), f.Name == "window", f.Name == "template",
			f.Name == "memory", f.Name == "key-budget":
			err = fmt.Errorf("--%s: a summary was counted already; it belongs to keyskew summarize", f.Name)
		}
	})
	return paths, err
}

// answer reports from summaries.
func (a *app) answer(c *config, paths []string, f *analyzeFlags) error {
	l, err := a.fold(paths)
	if err != nil {
		return err
	}
	c.ask.Filtered, c.ask.SampleEvery = l.Filtered, l.SampleEvery
	if l.Filtered {
		c.ask.Capacity = analyze.Capacity{Kind: analyze.Unknown}
	}
	if c.ask.Layout == nil {
		c.ask.Layout = l.Summary.Layout()
		if c.ask.Layout != nil {
			c.advice.Place = c.ask.Layout.Of
		}
	}
	d := analyze.Diagnose(l.Summary, c.ask)
	out := formats.Config{Tool: "keyskew " + Version, Command: c.command, Stopped: l.Stopped}
	var broken error
	var stats []ingest.Stats
	for i := range l.Parts {
		p := &l.Parts[i]
		stats = append(stats, ingest.Stats{Name: p.Name, Tally: p.Tally})
		s := formats.Source{
			Name: p.Name, Format: p.Format, Framing: p.Framing, Packing: p.Packing, Confidence: p.Confidence,
			Mapping: p.Mapping, Bytes: p.Bytes, Unpacked: p.To - p.From, Tally: &p.Tally, Truncated: p.Truncated,
		}
		if p.Error != "" {
			s.Err = errors.New(p.Error)
			broken = errors.Join(broken, s.Err)
		}
		out.Sources = append(out.Sources, s)
	}
	if err := a.write(formats.Build(out, d, advise.Advise(d, c.advice)), &f.out); err != nil {
		return err
	}
	return verdict(stats, broken, d.Severity, c.failOn)
}
