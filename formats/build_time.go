package formats

import (
	"time"

	"keyskew/analyze"
	"keyskew/analyze/episode"
)

// buildEpisodes lists when a hot key was hot; an empty list where no window tells.
func buildEpisodes(list []episode.Episode) []Episode {
	out := []Episode{}
	for _, e := range list {
		out = append(out, Episode{
			Start: stamp(e.Start), StartWithinSeconds: float64(e.Within) / float64(time.Second), RampStart: stamp(e.RampStart),
			PeakAt: stamp(e.PeakAt), End: stamp(e.End), PeakRate: e.PeakRate,
			Dips: e.Dips, GapSeconds: float64(e.Gap) / float64(time.Second),
			FromStart: e.FromStart, ToEnd: e.ToEnd, Ended: e.Ended,
		})
	}
	return out
}

// buildSpikes lists where the total load jumped; nil where that was not looked for.
func buildSpikes(list []analyze.Spike) []Spike {
	if list == nil {
		return nil
	}
	out := []Spike{}
	for _, s := range list {
		spike := Spike{
			Start: stamp(s.Start), PeakAt: stamp(s.PeakAt), End: stamp(s.End), Baseline: s.Baseline, Peak: s.Peak,
			Extra: s.Extra, Ended: s.Ended, ExplainedBy: []Explanation{}, Reads: s.Reads, Writes: s.Writes,
		}
		for _, e := range s.Keys {
			spike.ExplainedBy = append(spike.ExplainedBy, Explanation{NewBytes(e.Key), e.Part, e.Before, e.During})
			spike.Explained = min(1, spike.Explained+e.Part)
		}
		out = append(out, spike)
	}
	return out
}
