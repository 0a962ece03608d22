package formats

import (
	"strings"
	"testing"
)

func TestEpisodeFacts(t *testing.T) {
	at := func(n int) string { return stamp(second(n)) }
	whole := Episode{Start: at(0), RampStart: at(0), PeakAt: at(30), End: at(300), PeakRate: 1234, StartWithinSeconds: 1, FromStart: true, ToEnd: true}
	early := Episode{Start: at(5), RampStart: at(5), PeakAt: at(6), End: at(10), PeakRate: 50, StartWithinSeconds: 1, FromStart: true, Ended: true}
	ramped := Episode{Start: at(50), RampStart: at(40), PeakAt: at(60), End: at(122), PeakRate: 80.5, StartWithinSeconds: 10, Ended: true}
	late := Episode{Start: at(200), RampStart: at(200), PeakAt: at(201), End: at(300), PeakRate: 60, StartWithinSeconds: 1, ToEnd: true}
	fromRamp := Episode{Start: at(9), RampStart: at(0), PeakAt: at(9), End: at(10), PeakRate: 70, StartWithinSeconds: 1, FromStart: true, Ended: true}
	for _, tt := range []struct {
		key  Key
		want string
	}{
		{Key{Episodes: []Episode{whole}}, "hot all the time, 12:00:00–12:05:00 (5 min); most at 12:00:30, 1,230 req/s"},
		{Key{Episodes: []Episode{early}}, "hot from 12:00:05 or earlier to 12:00:10 (5 s); most at 12:00:06, 50 req/s"},
		{Key{Episodes: []Episode{ramped}}, "hot from 12:00:50 to 12:02:02 (1 min 12 s), rising since 12:00:40, known to 10 s; most at 12:01:00, 80.5 req/s"},
		{Key{Episodes: []Episode{late}}, "hot from 12:03:20 to 12:05:00 or later (1 min 40 s); most at 12:03:21, 60 req/s"},
		{Key{Episodes: []Episode{fromRamp}}, "hot from 12:00:09 to 12:00:10 (1 s), rising since 12:00:00 or earlier; most at 12:00:09, 70 req/s"},
		{
			Key{Episodes: []Episode{early, ramped}, EpisodeCount: ref(2), HotSeconds: ref(77.0)},
			"hot 2 times, 1 min 17 s in all (12:00:05–12:00:10, 12:00:50–12:02:02); most at 12:01:00, 80.5 req/s",
		},
		{
			Key{Episodes: []Episode{early, ramped, late}, EpisodeCount: ref(120), HotSeconds: ref(600.0)},
			"hot 120 times, 10 min in all, the highest between 12:00:05 and 12:05:00; most at 12:01:00, 80.5 req/s",
		},
		{
			Key{Episodes: []Episode{fromRamp}, HotIn: ref("peak"), HotWindows: 1, Windows: 300},
			"hot from 12:00:09 to 12:00:10 (1 s), rising since 12:00:00 or earlier; most at 12:00:09, 70 req/s; over the threshold in 1 of 300 seconds, not over the whole input",
		},
		{Key{Episodes: []Episode{}, EpisodeCount: ref(0)}, "hot over the whole input, though no window alone can tell"},
		{Key{Episodes: []Episode{}, HotIn: ref("peak"), HotWindows: 2, Windows: 9}, "over the threshold in 2 of 9 seconds, not over the whole input"},
		{
			Key{Episodes: []Episode{late}, UndecidedWindows: ref(1)},
			"hot from 12:03:20 to 12:05:00 or later (1 min 40 s); most at 12:03:21, 60 req/s; in 1 second it is below the keys that are listed, and may have been hot longer",
		},
	} {
		r := &Report{Windows: &Windows{WidthSeconds: 1}}
		if got := strings.Join(episodeFacts(r, &tt.key), "; "); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// What an older report has not, is not said.
func TestEpisodesOfOlderReports(t *testing.T) {
	c, d, p := oneNode()
	r := Build(c, d, p)
	for i := range r.Keys {
		r.Keys[i].Episodes, r.Keys[i].EpisodeCount, r.Keys[i].HotSeconds, r.Keys[i].UndecidedWindows = nil, nil, nil, nil
	}
	var b strings.Builder
	if err := Text(&b, r, TextOptions{}); err != nil || strings.Contains(b.String(), "WHEN") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
