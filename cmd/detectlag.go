package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"keyskew/analyze"
	"keyskew/analyze/replay"
	"keyskew/formats"
	"keyskew/ingest"
)

// lagFlags are the flags of detect-lag as given.
type lagFlags struct {
	in       inputFlags
	window   time.Duration
	every    int
	publish  time.Duration
	counters int
	capacity amount
	top      int
	format   string
}

func newDetectLag(a *app) *cobra.Command {
	var f lagFlags
	c := &cobra.Command{
		Use:   "detect-lag FILE",
		Short: "say how late a live detector would have found the hot keys of FILE",
		Long: `keyskew detect-lag replays FILE through a live detector of hot keys: it samples 1 request in N, counts
the sample in a Space-Saving summary per window, promotes the keys whose lower bound passes the
threshold when the window closes, and publishes that after a delay. For each hot key it says when that
was, against when the key had reached the level that it then kept.

FILE is read twice: first to find the hot keys, as keyskew FILE does, then to replay it.`,
		Example: `  keyskew detect-lag --window 10s --sample 100 --publish-delay 2s monitor.log`,
		Args:    cobra.ExactArgs(1),
	}
	fs := c.Flags()
	f.in.register(c)
	fs.DurationVar(&f.window, "window", time.Second, "width of the detector's windows (`TIME`, from 10ms)")
	fs.IntVar(&f.every, "sample", 1, "the detector samples 1 request in `N`, at random with a fixed seed")
	fs.DurationVar(&f.publish, "publish-delay", 0, "`TIME` from the end of a window until its promotions are acted on")
	fs.IntVar(&f.counters, "counters", 1000, "`N` counters of the detector's Space-Saving summary")
	fs.Var(&f.capacity, "capacity", "what one shard can serve, in commands per second (`N`, such as 100k); a key is hot from 20% of it")
	fs.IntVar(&f.top, "top", 5, "look at the `N` hottest keys")
	group(fs, "Analysis", "window", "sample", "publish-delay", "counters", "capacity", "top")
	fs.Var(newChoice(&f.format, "text", "text", "json"), "format", "`format` of the answer: text, json")
	group(fs, "Output", "format")
	complete(c, "format", []string{"text", "json"})
	c.RunE = func(c *cobra.Command, args []string) error { return a.detectLag(c, args, &f) }
	return c
}

func (f *lagFlags) check(path string) error {
	switch {
	case f.window < 10*time.Millisecond || f.window > 24*time.Hour:
		return errors.New("--window: between 10ms and 24h")
	case f.every < 1 || f.every > maxSampleEvery:
		return fmt.Errorf("--sample: between 1 and %d", maxSampleEvery)
	case f.publish < 0 || f.publish > 24*time.Hour:
		return errors.New("--publish-delay: between 0 and 24h")
	case f.counters < 1 || f.counters > 1_000_000:
		return errors.New("--counters: between 1 and 1000000")
	case f.top < 1 || f.top > 1000:
		return errors.New("--top: between 1 and 1000")
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() || path == "-" {
		return fmt.Errorf("%s: detect-lag reads its input twice, so it must be a file", path)
	}
	return nil
}

// foundLag is a hot key with what the replay says of it.
type foundLag struct {
	key   *analyze.Key
	watch replay.Watch
	replay.Lag
}

func (a *app) detectLag(c *cobra.Command, args []string, f *lagFlags) error {
	if err := f.check(args[0]); err != nil {
		return err
	}
	inputs, err := f.in.inputs(a, args)
	if err != nil {
		return err
	}
	o, err := f.in.options(a)
	if err != nil {
		return err
	}
	budget, memory, err := analyze.KeyBudget(analyze.DefaultMemory)
	if err != nil {
		return err
	}
	collector, err := analyze.NewCollector(analyze.Config{Window: time.Second, KeyBudget: budget, KeyMemory: memory, Inputs: []string{inputs[0].Name}})
	if err != nil {
		return err
	}
	stats, stopped, readErr := ingest.Read(c.Context(), inputs, o, collector)
	if stopped {
		return errors.New("stopped before the input was read")
	}
	if unread(stats) {
		return verdict(stats, readErr, "", nil)
	}
	capacity := analyze.Capacity{Kind: analyze.Unknown}
	if f.capacity > 0 {
		capacity = analyze.Capacity{Value: float64(f.capacity), Kind: analyze.Given, Source: "--capacity"}
	}
	d := analyze.Diagnose(collector.Finish(), analyze.Options{Top: f.top, Capacity: capacity})
	if !d.Totals.Timed {
		return fmt.Errorf("%s: the input has no times, so nothing can be early or late", args[0])
	}
	var found []foundLag
	var watch []replay.Watch
	for i := range d.Keys[:min(f.top, d.HotKeys)] {
		k := &d.Keys[i]
		if len(k.Episodes) == 0 {
			continue
		}
		highest := k.Episodes[0]
		for _, e := range k.Episodes[1:] {
			if e.PeakRate > highest.PeakRate {
				highest = e
			}
		}
		w := replay.Watch{Key: k.Key, Episode: highest}
		watch, found = append(watch, w), append(found, foundLag{key: k, watch: w})
	}
	detector := replay.New(replay.Config{
		Window: f.window, Publish: f.publish, Every: f.every, Counters: f.counters,
		Share: d.Threshold.Share, Rate: d.Threshold.Rate, Seed: 1,
	}, watch)
	if len(watch) > 0 {
		if stats, stopped, readErr = ingest.Read(c.Context(), inputs, o, detector); stopped {
			return errors.New("stopped before the input was read again")
		}
	}
	for i, lag := range detector.Finish() {
		found[i].Lag = lag
	}
	if f.format == "json" {
		err = writeLagsJSON(a.out, found, f, d)
	} else {
		err = writeLags(a.out, found, f, d)
	}
	if err != nil {
		return err
	}
	return verdict(stats, readErr, "", nil)
}

// neededWindow is how wide windows must be for 100 samples at the threshold, in seconds: 30 would tell, 100 tell
// well.
func (f *lagFlags) neededWindow(d *analyze.Diagnosis) float64 {
	threshold := d.Threshold.Rate
	if threshold == 0 {
		threshold = d.Threshold.Share * d.Totals.MeanRate
	}
	return 100 * float64(f.every) / threshold
}

func writeLags(w io.Writer, found []foundLag, f *lagFlags, d *analyze.Diagnosis) error {
	var b strings.Builder
	fmt.Fprintf(&b, "A detector with windows of %v, 1 request in %d, %d counters, publishing after %v:\n", f.window, f.every, f.counters, f.publish)
	if len(found) == 0 {
		fmt.Fprintln(&b, "no key was hot at a known time")
	}
	for _, l := range found {
		fmt.Fprintf(&b, "%s: %s\n", formats.Elide(formats.KeyText(l.key.Key), 60), lagText(&l, f, d))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func lagText(l *foundLag, f *lagFlags, d *analyze.Diagnosis) string {
	level := "hot as the input begins"
	switch {
	case l.Reached:
		level = fmt.Sprintf("at its level of %.4g req/s from %s", l.Level, tenths(l.PlateauAt))
	case !l.watch.Episode.FromStart:
		level = "its level was not reached within ten minutes"
	}
	switch {
	case l.Promoted && l.Reached:
		late := float64(l.PromotedAt-l.PlateauAt) / float64(time.Second)
		if late < 0 {
			return fmt.Sprintf("%s; promoted at %s, %.1f s before", level, tenths(l.PromotedAt), -late)
		}
		return fmt.Sprintf("%s; promoted at %s, %.1f s later", level, tenths(l.PromotedAt), late)
	case l.Promoted:
		return fmt.Sprintf("%s; promoted at %s", level, tenths(l.PromotedAt))
	case l.Deciding == 0:
		return fmt.Sprintf("%s; never promoted: no window has 30 samples at the threshold; windows of %.3g s would have 100",
			level, f.neededWindow(d))
	}
	return fmt.Sprintf("%s; never promoted in %d windows, of which %d could tell", level, l.Windows, l.Deciding)
}

// tenths is a time of day to a tenth of a second.
func tenths(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04:05.0") + " UTC" }

// lagJSON is one key in the JSON of detect-lag.
type lagJSON struct {
	Key          formats.Bytes `json:"key"`
	EpisodeStart string        `json:"episode_start"`
	EpisodeEnd   string        `json:"episode_end"`
	Level        float64       `json:"level"`
	PlateauAt    *string       `json:"plateau_at"`
	PromotedAt   *string       `json:"promoted_at"`
	LagSeconds   *float64      `json:"lag_seconds"`
	Windows      int           `json:"windows"`
	Deciding     int           `json:"deciding_windows"`
}

func writeLagsJSON(w io.Writer, found []foundLag, f *lagFlags, d *analyze.Diagnosis) error {
	out := struct {
		Window       float64   `json:"window_seconds"`
		Every        int       `json:"sample"`
		Publish      float64   `json:"publish_delay_seconds"`
		Counters     int       `json:"counters"`
		NeededWindow float64   `json:"needed_window_seconds"`
		Keys         []lagJSON `json:"keys"`
	}{f.window.Seconds(), f.every, f.publish.Seconds(), f.counters, f.neededWindow(d), []lagJSON{}}
	for _, l := range found {
		key := lagJSON{
			Key: formats.NewBytes(l.key.Key), EpisodeStart: stampText(l.watch.Episode.Start), EpisodeEnd: stampText(l.watch.Episode.End),
			Level: l.Level, Windows: l.Windows, Deciding: l.Deciding,
		}
		if l.Reached {
			at := stampText(l.PlateauAt)
			key.PlateauAt = &at
		}
		if l.Promoted {
			at := stampText(l.PromotedAt)
			key.PromotedAt = &at
		}
		if l.Reached && l.Promoted {
			lag := float64(l.PromotedAt-l.PlateauAt) / float64(time.Second)
			key.LagSeconds = &lag
		}
		out.Keys = append(out.Keys, key)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
