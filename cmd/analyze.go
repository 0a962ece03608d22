package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keyskew/advise"
	"keyskew/advise/store"
	"keyskew/analyze"
	"keyskew/formats"
	"keyskew/ingest"
)

// analyzeFlags are the flags as given.
type analyzeFlags struct {
	out outputFlags

	in     inputFlags
	strict bool

	layout layoutFlags

	template  bool
	window    time.Duration
	memory    size
	keyBudget int
	powerLaw  int

	store    string
	capacity amount
	servers  int
	ttl      time.Duration
	target   float64
	lowP99   time.Duration

	failOn  string
	quiet   bool
	stats   bool
	workers int
	block   size
}

// config is what the flags mean, checked.
type config struct {
	inputs  []ingest.Input
	read    ingest.Options
	count   analyze.Config
	ask     analyze.Options
	advice  advise.Options
	command string
	memory  int64
	failOn  []analyze.Severity
}

func newAnalyze(a *app) *cobra.Command {
	var f analyzeFlags
	c := &cobra.Command{
		Use:   "analyze [FILE...]",
		Short: "find the hot keys of a capture (what keyskew FILE does)",
		Args:  cobra.ArbitraryArgs,
	}
	f.register(c)
	c.RunE = func(c *cobra.Command, args []string) error { return a.analyze(c, args, &f) }
	return c
}

// registerCounting adds the flags that say what is counted and how.
func (f *analyzeFlags) registerCounting(c *cobra.Command) {
	fs := c.Flags()
	f.in.register(c)
	fs.BoolVar(&f.strict, "strict", false, "stop at the first line that cannot be read, with exit code 2")
	group(fs, "Input", "strict")
	f.in.registerFilters(c)

	f.layout.register(c)

	f.memory = analyze.DefaultMemory
	fs.DurationVar(&f.window, "window", time.Second, "width of the finest window (`TIME`, from 100ms)")
	fs.Var(&f.memory, "memory", "memory to stay under (`SIZE`); more of it counts more keys exactly")
	fs.IntVar(&f.keyBudget, "key-budget", 0, "count `N` keys exactly instead of what the memory holds")
	fs.IntVar(&f.workers, "workers", 0, "decode with `N` workers instead of one a core; the report does not depend on it")
	fs.Var(&f.block, "block-size", "read blocks of `SIZE` (at most 4MiB) instead of 512KiB; the report does not depend on it")
	fs.BoolVar(&f.template, "template", false, "count templates of the keys too, varying parts replaced (/users/{int})")
	group(fs, "Analysis", "template", "window", "memory", "key-budget", "workers", "block-size")
}

func (f *analyzeFlags) register(c *cobra.Command) {
	f.registerCounting(c)
	fs := c.Flags()
	fs.IntVar(&f.powerLaw, "power-law-test", 0, "test the power law of the counts with `N` synthetic sets, 1000 for two digits (slow)")
	group(fs, "Analysis", "power-law-test")

	var stores []string
	for _, p := range store.Profiles() {
		stores = append(stores, p.ID)
		stores = append(stores, p.Aliases...)
	}
	fs.Var(newChoice(&f.store, "redis", stores...), "store", "profile of the store, for its limits and remedies (`NAME`; keyskew list stores)")
	fs.Var(&f.capacity, "capacity", "what one shard can serve, in commands per second (`N`, such as 100k)")
	fs.IntVar(&f.servers, "servers", 0, "number `N` of application servers, for the load that their caches leave")
	fs.DurationVar(&f.ttl, "ttl", time.Second, "how old (`TIME`) a cached value may be")
	fs.Float64Var(&f.target, "target-utilisation", 0.70, "share (`U`) of the capacity that a shard may run at")
	fs.DurationVar(&f.lowP99, "low-load-p99", time.Millisecond, "99th percentile (`TIME`) that clients see at low load")
	group(fs, "Advice", "store", "capacity", "servers", "ttl", "target-utilisation", "low-load-p99")

	f.out.register(c)
	fs.Var(newChoice(&f.failOn, "", "critical", "warning", "info"), "fail-on", "exit with 1 if the verdict is that `severity` or worse: critical, warning, info")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no remarks on stderr")
	fs.BoolVar(&f.stats, "stats", false, "print time, speed and memory to stderr")
	group(fs, "Output", "fail-on", "quiet", "stats")

	complete(c, "store", stores)
	complete(c, "fail-on", []string{"critical", "warning", "info"})
}

// counting checks the flags of registerCounting and says what they mean.
func (f *analyzeFlags) counting(a *app, args []string) (*config, error) {
	c := &config{memory: int64(f.memory)}
	var err error
	if c.inputs, err = f.in.inputs(a, args); err != nil {
		return nil, err
	}
	if c.read, err = f.in.options(a); err != nil {
		return nil, err
	}
	layout, err := f.layout.layout()
	if err != nil {
		return nil, err
	}
	budget, keyMemory, err := analyze.KeyBudget(c.memory)
	if err != nil {
		return nil, fmt.Errorf("--memory: %w", err)
	}
	if f.keyBudget != 0 {
		budget, keyMemory = f.keyBudget, 0
	}
	if f.workers < 0 || f.workers > 256 {
		return nil, errors.New("--workers: between 1 and 256, or 0 for one a core")
	}
	c.read.Strict, c.read.BlockSize, c.read.Workers = f.strict, int(f.block), f.workers
	c.count = analyze.Config{Window: f.window, KeyBudget: budget, KeyMemory: keyMemory, Layout: layout, Template: f.template, Sampled: f.in.every > 1}
	return c, nil
}

// config checks the flags and says what they mean.
func (f *analyzeFlags) config(a *app, args []string, set *pflag.FlagSet) (*config, error) {
	c, err := f.counting(a, args)
	if err != nil {
		return nil, err
	}
	layout := c.count.Layout
	profile, _ := store.Find(f.store)
	capacity := analyze.Capacity{Kind: analyze.Unknown}
	switch {
	case f.capacity > 0:
		capacity = analyze.Capacity{Value: float64(f.capacity), Kind: analyze.Given, Source: "--capacity"}
	case set.Changed("store"):
		capacity = analyze.Capacity{Value: profile.PlanningOps, Kind: profile.Kind, Source: profile.Source}
	}
	if f.out.top < 1 || f.out.top > 1000 {
		return nil, errors.New("--top: between 1 and 1000")
	}
	if set.Changed("capacity") && f.capacity == 0 || set.Changed("shards") && f.layout.shards == 0 {
		return nil, errors.New("--capacity and --shards: above 0")
	}
	if f.powerLaw < 0 || f.powerLaw > 100_000 {
		return nil, errors.New("--power-law-test: up to 100000 sets, or 0 for no test")
	}
	if f.target <= 0 || f.target >= 1 {
		return nil, errors.New("--target-utilisation: above 0 and below 1")
	}
	if f.ttl <= 0 || f.lowP99 <= 0 {
		return nil, errors.New("--ttl and --low-load-p99: above 0")
	}
	if f.servers < 0 {
		return nil, errors.New("--servers: not below 0")
	}
	c.ask = analyze.Options{
		Filtered: len(f.in.match)+len(f.in.where) > 0, Top: f.out.top, Capacity: capacity, Layout: layout,
		SampleEvery: f.in.every, PowerLawTest: f.powerLaw,
	}
	c.advice = advise.Options{
		Store: profile, Target: f.target, TTL: f.ttl.Seconds(), Servers: f.servers,
		L0: float64(f.lowP99) / float64(time.Millisecond),
	}
	if layout != nil {
		c.advice.Place = layout.Of
	}
	severities := []analyze.Severity{analyze.Critical, analyze.Warn, analyze.Info}
	if i := slices.Index(severities, analyze.Severity(f.failOn)); i >= 0 {
		c.failOn = severities[:i+1]
	}
	if len(args) == 0 && len(f.in.nodes) == 0 {
		args = []string{"-"}
	}
	c.command = reproduce(args, set)
	return c, f.out.check(set)
}

// reproduce is a command line that gives the same report: the flags that shape it, by name.
func reproduce(args []string, set *pflag.FlagSet) string {
	words := []string{"keyskew"}
	if slices.ContainsFunc(args, subcommand) {
		words = append(words, "analyze")
	}
	set.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "output", "color", "width", "quiet", "stats", "workers", "block-size", "ascii", "plain", "brief", "format", "fail-on":
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name+"="+quote(v))
		}
	})
	if slices.ContainsFunc(args, func(arg string) bool { return len(arg) > 1 && arg[0] == '-' }) {
		words = append(words, "--")
	}
	for _, arg := range args {
		words = append(words, quote(arg))
	}
	return strings.Join(words, " ")
}

// subcommand reports whether a file's name would be taken for a command.
func subcommand(arg string) bool {
	c, _, err := newRoot(&app{}).Find([]string{arg})
	return err == nil && c.HasParent()
}

func (a *app) analyze(cmd *cobra.Command, args []string, f *analyzeFlags) error {
	c, err := f.config(a, args, cmd.Flags())
	if err != nil {
		return err
	}
	paths, err := c.summaries(cmd.Flags())
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		return a.answer(c, paths, f)
	}
	started := time.Now()
	sum, stats, stopped, readErr, err := a.count(cmd.Context(), c, f.quiet)
	if err != nil {
		return err
	}
	if unread(stats) {
		return verdict(stats, readErr, "", nil)
	}
	d := analyze.Diagnose(sum, c.ask)
	report := formats.Build(reportConfig(c, stats, stopped), d, advise.Advise(d, c.advice))
	if f.stats {
		a.printStats(stats, time.Since(started))
	}
	if err := a.write(report, &f.out); err != nil {
		return err
	}
	return verdict(stats, readErr, d.Severity, c.failOn)
}

// count reads the inputs. readErr is what kept some of them from being read whole.
func (a *app) count(ctx context.Context, c *config, quiet bool) (sum *analyze.Summary, stats []ingest.Stats, stopped bool, readErr, err error) {
	for _, in := range c.inputs {
		c.count.Inputs = append(c.count.Inputs, in.Name)
	}
	collector, err := analyze.NewCollector(c.count)
	if err != nil {
		return nil, nil, false, nil, err
	}
	progress := a.newProgress(quiet)
	limit := newMemoryLimit(c.memory)
	c.read.Progress = func(now ingest.Progress) {
		limit.follow(collector.Keys())
		progress.show(now)
	}
	stats, stopped, readErr = ingest.Read(ctx, c.inputs, c.read, collector)
	progress.erase()
	if stopped && !quiet {
		fmt.Fprintln(a.err, "keyskew: stopped early; the report covers what was read. Ctrl-C again leaves now.")
	}
	return collector.Finish(), stats, stopped, readErr, nil
}

// unread reports whether no input could be read at all.
func unread(stats []ingest.Stats) bool {
	return !slices.ContainsFunc(stats, func(s ingest.Stats) bool {
		var inside *ingest.ParseError
		return s.Err == nil || errors.As(s.Err, &inside) && s.Tally.Lines > 0
	})
}

// verdict turns the outcome of a written report into an exit code: 2 wins over 1.
func verdict(stats []ingest.Stats, readErr error, severity analyze.Severity, failOn []analyze.Severity) error {
	errs := []error{readErr}
	for _, s := range stats {
		var inside *ingest.ParseError
		if errors.As(s.Err, &inside) {
			errs = append(errs, s.Err)
		}
		if _, bad := s.Tally.Skipped(); 2*bad > s.Tally.Lines {
			errs = append(errs, fmt.Errorf("%s: %d of %d lines could not be read", s.Name, bad, s.Tally.Lines))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return &codeError{exitError, err}
	}
	if slices.Contains(failOn, severity) {
		return &codeError{code: exitMatched}
	}
	return nil
}

func reportConfig(c *config, stats []ingest.Stats, stopped bool) formats.Config {
	out := formats.Config{Tool: "keyskew " + Version, Command: c.command, Stopped: stopped}
	for i := range stats {
		s := &stats[i]
		out.Sources = append(out.Sources, formats.Source{
			Name: s.Name, Format: s.Format, Framing: s.Framing, Packing: s.Packing, Confidence: s.Confidence, Mapping: s.Mapping,
			Bytes: s.Bytes, Unpacked: s.Unpacked, Tally: &s.Tally, Truncated: s.Truncated, Err: s.Err,
		})
	}
	return out
}
