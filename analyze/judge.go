package analyze

import (
	"fmt"
	"strings"
)

// judge decides the severity and numbers the findings.
//
// Only a given or hard capacity can make the verdict critical. Without one, what a single server shows
// is what it served, not what it was asked for: shares decide, and can at most warn.
func (d *diagnoser) judge() {
	out := d.out
	if d.s.total.Requests == 0 {
		out.Severity = Insufficient
		return
	}
	for i := range out.Keys[:out.HotKeys] {
		out.Findings = append(out.Findings, d.keyFinding(&out.Keys[i]))
	}
	d.partitionFindings()
	d.pollFinding()
	d.orderFindings()
	d.skewFindings()
	if p := out.Plateau; p != nil {
		out.Findings = append(out.Findings, Finding{
			ID: "KS203", Severity: Info,
			Title: fmt.Sprintf("the rate stood within 5%% of its highest in %d of %d windows: a limit of the server, or of the load itself", p.Windows, p.Of),
		})
	}
	if d.o.Filtered {
		out.Warnings = append(out.Warnings, Warning{
			About: "capacity", Text: "with --match or --where it is not known what the servers carried: nothing is held against a capacity, and shares do not warn",
			Remedy: "leave the filter out",
		})
	}
	out.Severity = OK
	for _, f := range out.Findings {
		if judges(f.ID) {
			out.Severity = worse(out.Severity, f.Severity)
		}
	}
	if out.Severity == OK && float64(d.served)*out.Threshold.Share < minTouches*d.spread() && !out.Capacity.Firm() {
		out.Severity = Insufficient
		out.Warnings = append(out.Warnings, Warning{
			About: "verdict",
			Text: fmt.Sprintf("too few requests (%s) to clear a key of more than %.3g%% of them", thousands(float64(d.served)),
				100*out.Threshold.Share),
			Remedy: fmt.Sprintf("capture at least %s requests", thousands(minTouches*d.spread()/out.Threshold.Share)),
		})
	}
	if d.s.timed && d.s.end()-d.s.first < int64(minCovered*1e9) {
		out.Warnings = append(out.Warnings, Warning{
			About: "rates", Text: "the input covers less than 0.1 s: rates are taken over 0.1 s and may be too low",
			Remedy: "capture longer",
		})
		if out.Severity == OK {
			out.Severity = Insufficient
		}
	}
	if out.Severity == OK && out.Capacity.Firm() && !d.s.timed {
		out.Severity = Insufficient
		out.Warnings = append(out.Warnings, Warning{
			About: "capacity", Text: "the input has no time, so no rate can be held against the capacity",
			Remedy: "use an input with timestamps",
		})
	}
}

// judges reports whether a finding speaks of this input as it is placed: not what was left out, nor what the
// order of keys or their popularity would mean for other stores or more shards.
func judges(id string) bool {
	return id != "KS190" && !strings.HasPrefix(id, "KS3") && !strings.HasPrefix(id, "KS4")
}

func worse(a, b Severity) Severity {
	for _, s := range []Severity{Critical, Warn, Info} {
		if a == s || b == s {
			return s
		}
	}
	return a
}

func (d *diagnoser) keyFinding(k *Key) Finding {
	f := Finding{Severity: Info, Target: string(k.Key)}
	switch k.Class {
	case ReadClass:
		f.ID, f.Title = "KS101", "read-hot key"
	case WriteClass:
		f.ID, f.Title = "KS102", "write-hot key"
	default:
		f.ID, f.Title = "KS103", "hot key, read and written"
	}
	if d.o.Filtered { // a share of what was chosen says nothing of the whole
		return f
	}
	if d.out.Capacity.Firm() {
		switch use := k.Peak.Lower / d.out.Capacity.Value; {
		case use >= fullUtilisation:
			f.Severity = Critical
		case use >= busyUtilisation:
			f.Severity = Warn
		}
	} else if big := k.Share >= bigShare || k.Peak.Lower >= bigShare*d.peakTotal() && d.peakTotal() > 0; big &&
		(!d.s.timed || k.Peak.Upper >= littleLoad) {
		f.Severity = Warn
	}
	return f
}

// thousands prints a number with separators.
func thousands(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func (d *diagnoser) peakTotal() float64 {
	if !d.s.timed {
		return 0
	}
	return d.out.Totals.PeakRate
}

// partitionFindings reports full and uneven partitions. Without a layout the input is one partition.
func (d *diagnoser) partitionFindings() {
	out := d.out
	p := out.Partitions
	if p == nil {
		if !out.Capacity.Firm() || !d.s.timed {
			return
		}
		if use := out.Totals.CommandRatePeak / out.Capacity.Value; use >= busyUtilisation {
			out.Findings = append(out.Findings, Finding{
				ID: "KS202", Severity: grade(use),
				Title: fmt.Sprintf("the node ran at %.0f%% of its capacity", 100*use),
			})
		}
		return
	}
	if p.Captured < 2 {
		missing := len(p.List) - p.Captured
		if missing > 0 {
			out.Warnings = append(out.Warnings, Warning{
				About:  "partitions",
				Text:   fmt.Sprintf("slots %s seen; %d of %d shards not captured, so shards are not compared", p.SlotRanges, missing, len(p.List)),
				Remedy: "capture every primary and pass all files",
			})
		}
	}
	firm := out.Capacity.Firm()
	for _, part := range p.List {
		if firm && part.HasUtilisation && part.Utilisation >= busyUtilisation {
			out.Findings = append(out.Findings, Finding{
				ID: "KS202", Severity: grade(part.Utilisation), Target: part.ID,
				Title: fmt.Sprintf("shard %s ran at %.0f%% of its capacity", part.ID, 100*part.Utilisation),
			})
		}
	}
	if p.Captured >= 2 && p.PMR >= hotPMR && float64(d.served)/float64(p.Captured) >= trustedMean {
		severity := Info
		if !firm && !d.o.Filtered {
			severity = Warn
		}
		busiest := p.List[p.Busiest]
		out.Findings = append(out.Findings, Finding{
			ID: "KS201", Severity: severity, Target: busiest.ID,
			Title: fmt.Sprintf("shard %s has %.1f%% of the requests and %.1f%% of the keys: %.2f times its fair share",
				busiest.ID, 100*busiest.RequestShare, 100*busiest.KeyShare, p.PMR),
		})
	}
}

func grade(use float64) Severity {
	if use >= fullUtilisation {
		return Critical
	}
	return Warn
}

// pollFinding names the keys whose blocking commands were left out of every rate and share.
func (d *diagnoser) pollFinding() {
	for _, k := range d.out.Keys {
		if k.Class == PollClass && float64(k.Polls) >= polledShare*float64(d.out.Totals.Requests) {
			d.out.Findings = append(d.out.Findings, Finding{
				ID: "KS190", Severity: Info, Target: string(k.Key),
				Title: fmt.Sprintf("%d blocking commands by idle consumers, in no rate or share", k.Polls),
			})
		}
	}
}
