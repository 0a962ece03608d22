package cmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"keyskew/ingest/synth"
)

func newGenerate(a *app) *cobra.Command {
	c := synth.Default()
	requests, keys, rate := amount(c.Requests), amount(c.Keys), amount(c.Rate)
	var output, start, format string
	var truth bool
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "write a synthetic capture, access log or trace whose hot keys are known",
		Long: `generate writes what redis-cli monitor would print under a made-up load: Zipf-popular keys, and
whatever is planted among them. --format writes the same load as an access log or a trace (keyskew list
generate-formats), where MGET is one request for each key and idle polls are left out. The same flags
give the same bytes on every machine.`,
		Example: `  keyskew generate --viral-share 0.3 --viral-onset 20s -o monitor.log
  keyskew generate --requests 1M --zipf 1.1 | keyskew --shards 8
  keyskew generate --viral-share 0.3 --format combined -o access.log`,
		Args: cobra.NoArgs,
	}
	var ids []string
	for _, f := range synth.Formats() {
		ids = append(ids, f.ID)
	}
	fs := cmd.Flags()
	fs.Var(newChoice(&format, ids[0], ids...), "format", "`FORMAT` to write: "+strings.Join(ids, ", "))
	complete(cmd, "format", ids)
	fs.Uint64Var(&c.Seed, "seed", c.Seed, "seed `N`: another one gives another run of the same load")
	fs.Var(&requests, "requests", "`N` commands, without the polls")
	fs.Var(&keys, "keys", "`N` background keys")
	fs.Float64Var(&c.Zipf, "zipf", c.Zipf, "Zipf exponent `S` of the background")
	fs.Var(&rate, "rate", "`N` commands per second")
	fs.StringVar(&start, "start", c.Start.Format(time.RFC3339), "`TIME` of the beginning, RFC 3339")
	fs.Float64Var(&c.Writes, "writes", c.Writes, "share `X` of writes, 0 to 1")
	fs.IntVar(&c.Clients, "clients", c.Clients, "`N` client addresses")
	fs.StringVar(&c.Viral.Key, "viral-key", "post:viral", "name of the viral `KEY`")
	fs.Float64Var(&c.Viral.Share, "viral-share", 0, "share `X` of the commands on the viral key, 0 for none")
	fs.DurationVar(&c.Viral.Onset, "viral-onset", 0, "when it begins (`TIME` after the start)")
	fs.DurationVar(&c.Viral.Length, "viral-length", 0, "for how long (`TIME`); 0: to the end")
	fs.Float64Var(&c.Viral.Writes, "viral-writes", 0, "share `X` of writes on the viral key")
	fs.StringVar(&c.Counter.Key, "counter-key", "count:hot", "name of a `KEY` that only gets INCR")
	fs.Float64Var(&c.Counter.Share, "counter-share", 0, "share `X` of the commands on it, 0 for none")
	fs.StringVar(&c.HashTag.Tag, "hash-tag", "big", "`TAG` that a set of keys shares")
	fs.IntVar(&c.HashTag.Keys, "hash-tag-keys", 100, "`N` keys with the tag")
	fs.Float64Var(&c.HashTag.Share, "hash-tag-share", 0, "share `X` of the commands on them together, 0 for none")
	fs.IntVar(&c.Tenants, "tenants", 0, "give the background keys prefixes of `N` tenants of falling size")
	fs.Float64Var(&c.TimeOrdered, "time-ordered", 0, "share `X` of the commands that write a new key named by its time")
	fs.Float64Var(&c.MultiKey, "multi-key", 0, "share `X` of MGET commands of three keys")
	fs.IntVar(&c.Pollers, "pollers", 0, "`N` idle clients that poll a list once a second")
	fs.StringVarP(&output, "output", "o", "", "write to `FILE`, whole or not at all, instead of stdout")
	fs.BoolVar(&truth, "truth", false, "print the exact counts to stderr")
	cmd.RunE = func(*cobra.Command, []string) error {
		var err error
		if c.Start, err = time.Parse(time.RFC3339, start); err != nil {
			return fmt.Errorf("--start: %w", err)
		}
		c.Requests, c.Keys, c.Rate = int64(requests), int(min(float64(keys), synth.MaxKeys+1)), float64(rate)
		if c.Viral.Share == 0 {
			c.Viral = synth.ViralKey{}
		}
		if c.Counter.Share == 0 {
			c.Counter = synth.CounterKey{}
		}
		if c.HashTag.Share == 0 {
			c.HashTag = synth.HashTag{}
		}
		f, _ := synth.FormatByID(format) // a choice has no other value
		if err := f.Validate(c); err != nil {
			return err
		}
		return a.generate(f, c, output, truth)
	}
	return cmd
}

func (a *app) generate(f synth.Format, c synth.Config, output string, truth bool) error {
	write := func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 1<<20)
		t, err := f.Write(buffered, c)
		if err != nil {
			return err
		}
		if err := buffered.Flush(); err != nil {
			return err
		}
		if truth {
			a.printTruth(t)
		}
		return nil
	}
	if output == "" {
		return write(a.out)
	}
	return writeFile(output, 0o644, write)
}

func (a *app) printTruth(t synth.Truth) {
	fmt.Fprintf(a.err, "commands %d\nrequests %d\nreads %d\nwrites %d\npolls %d\ndistinct keys %d\n",
		t.Commands, t.Requests, t.Reads, t.Writes, t.Polls, t.DistinctKeys)
	for _, k := range t.Keys[:min(10, len(t.Keys))] {
		fmt.Fprintf(a.err, "key %s %d\n", k.Key, k.Count)
	}
}
