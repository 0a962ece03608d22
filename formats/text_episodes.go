package formats

import (
	"fmt"
	"strings"
	"time"
)

const (
	// mostWhen is of how many keys text says when they were hot.
	mostWhen = 5
	// fewEpisodes are listed one by one.
	fewEpisodes = 3
)

// episodes says when the hot keys were hot.
func (p *printer) episodes() {
	list := p.episodeSentences()
	if len(list) == 0 {
		return
	}
	p.section("WHEN", "times in UTC")
	for _, s := range list {
		p.para(markWidth, "", 0, s)
	}
}

func (p *printer) episodeSentences() []string {
	var out []string
	more := 0
	keys, hot := p.listed()
	for _, k := range keys[:min(hot, len(keys))] {
		switch {
		case k.Episodes == nil:
		case len(out) == mostWhen:
			more++
		default:
			out = append(out, p.short(k.Key, proseKey)+": "+strings.Join(episodeFacts(p.r, k), "; ")+".")
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("… and %s more: --format json", group(more)))
	}
	return out
}

// episodeFacts says of a hot key when it began, peaked and ended.
func episodeFacts(r *Report, k *Key) []string {
	var out []string
	bursts := k.HotIn != nil && *k.HotIn == "peak"
	n := len(k.Episodes)
	if k.EpisodeCount != nil && n > 0 {
		n = max(n, *k.EpisodeCount)
	}
	switch {
	case n == 0 && bursts: // said below
	case n == 0:
		out = append(out, "hot over the whole input, though no window alone can tell")
	case n == 1:
		e := &k.Episodes[0]
		out = append(out, oneEpisode(r, e), peakText(r, e))
		if e.Dips > 0 {
			out = append(out, plural(uint64(e.Dips), "dip")+" in between")
		}
		if e.GapSeconds > 0 {
			out = append(out, span(e.GapSeconds)+" of it without any request")
		}
	default:
		s := fmt.Sprintf("hot %s times", group(n))
		if k.HotSeconds != nil {
			s += ", " + span(*k.HotSeconds) + " in all"
		}
		highest := &k.Episodes[0]
		var each []string
		for i := range k.Episodes {
			e := &k.Episodes[i]
			each = append(each, r.clock(e.Start)+"–"+r.clock(e.End))
			if e.PeakRate > highest.PeakRate {
				highest = e
			}
		}
		if n <= fewEpisodes && len(each) == n {
			s += " (" + strings.Join(each, ", ") + ")"
		} else {
			if len(each) < n {
				s += ", the highest"
			}
			s += " between " + r.clock(k.Episodes[0].Start) + " and " + r.clock(k.Episodes[len(each)-1].End)
		}
		out = append(out, s, peakText(r, highest))
	}
	if bursts {
		out = append(out, fmt.Sprintf("over the threshold in %s of %s, not over the whole input", group(k.HotWindows), windowsText(r, k.Windows)))
	}
	if k.UndecidedWindows != nil && *k.UndecidedWindows > 0 {
		out = append(out, fmt.Sprintf("in %s it is below the keys that are listed, and may have been hot longer", windowsText(r, *k.UndecidedWindows)))
	}
	return out
}

// windowsText counts windows, which are seconds where they are that wide.
func windowsText(r *Report, n int) string {
	if r.Windows != nil && r.Windows.WidthSeconds == 1 {
		return plural(uint64(max(n, 0)), "second")
	}
	return plural(uint64(max(n, 0)), "window")
}

func oneEpisode(r *Report, e *Episode) string {
	length := ""
	from, errFrom := time.Parse(time.RFC3339Nano, e.Start)
	to, errTo := time.Parse(time.RFC3339Nano, e.End)
	if errFrom == nil && errTo == nil {
		length = " (" + span(to.Sub(from).Round(time.Second/10).Seconds()) + ")"
	}
	begun := e.FromStart && e.RampStart == e.Start
	s := "hot from " + r.clock(e.Start)
	if begun {
		s += " or earlier"
	}
	s += " to " + r.clock(e.End)
	if e.ToEnd {
		s += " or later"
	}
	if begun && e.ToEnd {
		s = "hot all the time, " + r.clock(e.Start) + "–" + r.clock(e.End)
	}
	s += length
	if e.RampStart != e.Start {
		s += ", rising since " + r.clock(e.RampStart)
		if e.FromStart {
			s += " or earlier"
		}
	}
	if e.StartWithinSeconds > 1 {
		s += ", known to " + span(e.StartWithinSeconds)
	}
	return s
}

func peakText(r *Report, e *Episode) string {
	return fmt.Sprintf("most at %s, %s req/s", r.clock(e.PeakAt), about(e.PeakRate))
}
