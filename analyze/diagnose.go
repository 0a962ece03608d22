package analyze

import (
	"cmp"
	"slices"
	"time"

	"keyskew/analyze/episode"
	"keyskew/analyze/partition"
	"keyskew/sketch"
)

// Thresholds of the diagnosis. They are judgement, printed beside the answer.
const (
	// hotCapacity: a key is hot from this part of a firm capacity.
	hotCapacity = 0.20
	// hotShare: without a firm capacity, from this share of all requests, or hotFairShare of a
	// partition's fair share if that is more.
	hotShare, hotFairShare = 0.01, 0.20
	// minTouches is the fewest requests that decide anything.
	minTouches = episode.MinExpected
	// bigShare: a key that takes this much of everything asks for a decision whatever the capacity.
	bigShare = 0.10
	// littleLoad is a rate, in requests per second, that asks for no decision whatever its share.
	littleLoad = 10
	// busyUtilisation and fullUtilisation grade a partition under a firm capacity.
	busyUtilisation, fullUtilisation = 0.70, 0.95
	// hotPMR is the peak-to-mean ratio from which partitions are uneven, if each has trustedMean
	// requests on average: with fewer, chance alone gives 1.5 over 16,384 slots.
	hotPMR, trustedMean = 1.5, 1000
	// classShare makes a key read or write, pollShare a polled one.
	classShare, pollShare = 0.80, 0.50
	// minCovered is the shortest time that a rate is taken over, in seconds.
	minCovered = 0.1
	// polledShare of all touches makes polls worth a finding.
	polledShare = 0.01
)

// Options are the questions to a summary.
type Options struct {
	// Top is how many keys to list at least.
	Top      int
	Capacity Capacity
	// Layout to answer for; nil for none. Loads are measured if it is the one the input was read with.
	Layout *partition.Layout
	// SampleEvery says that the input holds 1 request in so many: rates and counts are scaled up, with
	// the interval of the sampling. 0 and 1 mean that it holds all.
	SampleEvery int
	// PowerLawTest is how many synthetic sets the power law of the counts is tested with; 0 for no test.
	PowerLawTest int
	// Filtered says that requests were left out by key or field. Capacity is then no measure.
	Filtered bool
}

// Diagnose computes the answer. It leaves the summary as it is.
func Diagnose(s *Summary, o Options) *Diagnosis {
	if o.Filtered {
		o.Capacity = Capacity{Kind: Unknown}
	}
	d := &diagnoser{s: s, o: o, out: &Diagnosis{Capacity: o.Capacity, Filtered: o.Filtered}}
	d.totals()
	d.threshold()
	d.findPeak()
	d.keys()
	d.groups()
	if o.Layout != nil {
		d.partitions()
	}
	d.windows()
	d.episodes()
	d.spikes()
	d.skew()
	d.order()
	if !o.Capacity.Firm() && !o.Filtered { // with a capacity it is known how full it ran
		d.out.Plateau = plateau(d.out.Windows)
	}
	d.scaleUp()
	d.judge()
	return d.out
}

type diagnoser struct {
	s   *Summary
	o   Options
	out *Diagnosis
	// served is all touches without polls.
	served uint64
}

func (d *diagnoser) totals() {
	s, t := d.s, &d.out.Totals
	t.Requests, t.Commands = s.total.Requests, s.begun
	t.Reads, t.Writes, t.Polls = s.total.Reads, s.total.Writes, s.total.Polls
	t.Other = t.Requests - t.Reads - t.Writes - t.Polls
	t.Keyless, t.Bytes = s.keyless, s.bytes
	d.served = s.total.served()
	t.Exact = s.keys.Offset() == 0
	t.Guarantee = s.keys.Offset()
	if t.Exact {
		t.Distinct = sketch.Exact(float64(s.keys.Len()))
	} else {
		t.Distinct = s.distinct.Estimate()
		t.Distinct.Lower = max(t.Distinct.Lower, float64(s.keys.Len()))
		t.Distinct.Value = max(t.Distinct.Value, t.Distinct.Lower)
		t.Distinct.Upper = max(t.Distinct.Upper, t.Distinct.Value)
	}
	t.Clients = s.clients.Estimate()
	for i, n := range s.commands {
		if n > 0 {
			t.ByCommand = append(t.ByCommand, CommandCount{s.names[i], n})
		}
	}
	sortCommands(t.ByCommand)
	t.Timed, t.First, t.Last = s.timed, s.first, s.last
	if !s.timed {
		return
	}
	t.Seconds = max(minCovered, float64(s.end()-s.first)/float64(time.Second))
	t.MeanRate = float64(d.served) * d.every() / t.Seconds
	for sec := range s.windows.seconds() {
		seconds := d.covered(sec.at)
		if rate := float64(sec.total.served()) / seconds; rate > t.PeakRate {
			t.PeakRate, t.PeakAt = rate, sec.at*s.config.base()
		}
		t.CommandRatePeak = max(t.CommandRatePeak, float64(sec.total.Work)/workUnits/seconds)
	}
}

func sortCommands(c []CommandCount) {
	slices.SortFunc(c, func(a, b CommandCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
}

// every is how many requests one of the input stands for.
func (d *diagnoser) every() float64 { return float64(max(1, d.o.SampleEvery)) }

// covered is what the counts of a window of the finest width are divided by for a rate: the seconds that
// the input covers of it, over every. Cf. seconds.
func (d *diagnoser) covered(at int64) float64 {
	base := d.s.config.base()
	return d.coveredOf(at*base, base)
}

func (d *diagnoser) coveredOf(start, width int64) float64 { return d.seconds(start, width) / d.every() }

// seconds is how much of a window the input covers: the first and last are rated over what they cover,
// unless that is under half of them and the input has whole ones.
func (d *diagnoser) seconds(start, width int64) float64 {
	whole := float64(width) / float64(time.Second)
	from, to := max(start, d.s.first), min(start+width, d.s.end())
	seconds := max(minCovered, float64(to-from)/float64(time.Second))
	if from == start && to == start+width {
		return whole
	}
	if seconds < whole/2 && d.s.end()-d.s.first >= 2*width {
		return whole
	}
	return min(whole, seconds)
}

func (d *diagnoser) threshold() {
	t := &d.out.Threshold
	t.Share = hotShare
	if d.o.Layout != nil {
		if n := len(d.o.Layout.Partitions); n > 0 {
			t.Share = max(hotShare, hotFairShare/float64(n))
		}
	}
	if d.o.Capacity.Firm() {
		t.Rate = hotCapacity * d.o.Capacity.Value
	}
}

// hotInAll reports whether a key with so many requests passes the threshold over the whole input, of which
// minTouches requests are needed. What was sampled decides by its lower bound; one is how many requests were
// drawn together.
func (d *diagnoser) hotInAll(count uint64, one float64) bool {
	level := d.out.Threshold.Share * float64(d.served)
	if d.out.Threshold.Rate > 0 {
		level = d.out.Threshold.Rate * d.out.Totals.Seconds / d.every()
	}
	if float64(count) < max(level, minTouches*one) {
		return false
	}
	return d.o.SampleEvery <= 1 || one*episode.GarwoodLower(float64(count)/one) >= level
}

// effort is what a load is measured in: commands where a capacity is known, which is one of commands, a
// command with several keys divided among them; else requests.
func (d *diagnoser) effort(l *load) uint64 {
	if d.o.Capacity.Value > 0 {
		return l.Work
	}
	return times(l.served(), workUnits)
}

// findPeak finds the finest window in which some partition carried its highest load.
func (d *diagnoser) findPeak() {
	if !d.s.timed {
		return
	}
	measured := d.measured()
	var best *second
	var most float64
	for sec := range d.s.windows.seconds() {
		work := d.effort(&sec.total)
		if measured && sec.parts != nil {
			work = 0
			for i := range sec.parts {
				work = max(work, d.effort(&sec.parts[i]))
			}
		}
		if rate := float64(work) / d.covered(sec.at); best == nil || rate > most {
			best, most = sec, rate
		}
	}
	if best == nil {
		return
	}
	seconds := d.covered(best.at)
	rate := func(work uint64) float64 { return float64(work) / workUnits / seconds }
	p := &PeakWindow{Start: best.at * d.s.config.base(), Seconds: seconds * d.every()}
	loads := 1
	if d.o.Layout != nil {
		loads = len(d.o.Layout.Partitions)
	}
	p.Loads = make([]float64, loads)
	var listed float64
	for _, it := range best.list {
		key := []byte(d.s.windows.names.text(it.key))
		at := 0
		if d.o.Layout != nil {
			if at = d.o.Layout.Of(key); at < 0 {
				continue
			}
		}
		load := rate(d.effort(&load{Requests: it.Requests, Work: it.Work}))
		listed += load
		p.Loads[at] += load
		part := load / float64(max(1, it.Requests))
		p.Keys = append(p.Keys, PeakKey{
			Key: key, Partition: at,
			Reads: float64(it.Reads) * part, Writes: float64(it.Writes) * part,
			Other: float64(it.Requests-it.Reads-it.Writes) * part,
		})
	}
	slices.SortFunc(p.Keys, func(a, b PeakKey) int {
		return cmp.Or(cmp.Compare(b.Rate(), a.Rate()), slices.Compare(a.Key, b.Key))
	})
	switch {
	case d.o.Layout == nil:
		p.Loads[0] = rate(d.effort(&best.total))
	case measured && best.parts != nil:
		for i := range best.parts {
			p.Loads[i] = rate(d.effort(&best.parts[i]))
		}
	default: // the keys that are not listed, by key share
		for i, part := range d.o.Layout.Partitions {
			p.Loads[i] += (rate(d.effort(&best.total)) - listed) * part.Fair
		}
	}
	d.out.Peak = p
}

// Rate is the key's requests per second.
func (k PeakKey) Rate() float64 { return k.Reads + k.Writes + k.Other }

// measured reports whether loads were counted for the layout asked for.
func (d *diagnoser) measured() bool {
	return d.o.Layout != nil && d.s.parts != nil && d.s.config.Layout.ID() == d.o.Layout.ID()
}

// windows fills in the load over time.
func (d *diagnoser) windows() {
	s := d.s.windows
	if !d.s.timed || len(s.cells) == 0 {
		return
	}
	w := &Windows{Seconds: float64(s.width()) / float64(time.Second)}
	at := s.at()
	for _, i := range at {
		w.Start = append(w.Start, i*s.width())
		w.Total = append(w.Total, float64(s.cells[i].total.served())/d.coveredOf(i*s.width(), s.width()))
	}
	if d.measured() && s.cells[at[0]].parts != nil {
		w.Partitions = make([][]float64, len(d.s.parts))
		for part := range w.Partitions {
			w.Partitions[part] = make([]float64, len(at))
			for n, i := range at {
				load := s.cells[i].parts[part].served()
				w.Partitions[part][n] = float64(load) / d.coveredOf(i*s.width(), s.width())
			}
		}
	}
	const series = 20
	w.Keys = make([][]float64, min(series, len(d.out.Keys)))
	byKey := make(map[string]int, len(w.Keys))
	for k := range w.Keys {
		w.Keys[k] = make([]float64, len(at))
		byKey[string(d.out.Keys[k].Key)] = k
	}
	for n, i := range at {
		seconds := d.coveredOf(i*s.width(), s.width())
		for _, it := range s.cells[i].list {
			if k, ok := byKey[s.names.text(it.key)]; ok {
				w.Keys[k][n] = float64(it.Requests) / seconds
			}
		}
	}
	d.out.Windows = w
}

// Rules for a plateau: so many windows, and this part of all, within plateauBand of the highest, while
// the rest lies lower.
const (
	plateauWindows = 10
	plateauPart    = 0.30
	plateauBand    = 0.95
	plateauRest    = 0.80
)

// plateau finds a rate that the input did not exceed for long. A steady load has no plateau: there must
// be a tenth of the windows below, and half of those clearly below.
func plateau(w *Windows) *Plateau {
	if w == nil || len(w.Total) < plateauWindows {
		return nil
	}
	highest := slices.Max(w.Total)
	var at, low, rest int
	for _, rate := range w.Total {
		switch {
		case rate >= plateauBand*highest:
			at++
		case rate <= plateauRest*highest:
			low++
			rest++
		default:
			rest++
		}
	}
	n := len(w.Total)
	if at < plateauWindows || float64(at) < plateauPart*float64(n) || 10*rest < n || 2*low < rest {
		return nil
	}
	return &Plateau{Rate: highest, Windows: at, Of: n}
}
