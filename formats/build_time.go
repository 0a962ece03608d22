package formats

import (
	"time"

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
