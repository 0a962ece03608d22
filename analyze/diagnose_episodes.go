package analyze

import (
	"cmp"
	"slices"
	"time"

	"keyskew/analyze/episode"
	"keyskew/ingest/request"
)

// mostEpisodes is how many episodes of a key are kept, those with the highest peaks.
const mostEpisodes = 100

// rule is what makes a key hot in a window.
func (d *diagnoser) rule() episode.Rule {
	return episode.Rule{Rate: d.out.Threshold.Rate, Share: d.out.Threshold.Share, Sampled: d.o.SampleEvery > 1, Together: d.spread()}
}

// sighting is a hot key listed in a window.
type sighting struct {
	window int
	count  episode.Count
}

// hotSecond is a second of a coarse window that was kept whole, in which a key was hot or not.
type hotSecond struct {
	at   int64
	rate float64
	hot  bool
}

// episodes says when the hot keys were hot.
func (d *diagnoser) episodes() {
	s := d.s.windows
	hot := d.out.Keys[:d.out.HotKeys]
	if !d.s.timed || len(hot) == 0 {
		return
	}
	place := make([]int32, len(s.names.keys))
	for k := range hot {
		if number, ok := s.names.numbers[string(hot[k].Key)]; ok {
			place[number] = int32(k + 1)
		}
	}
	at, timeline := d.timeline()
	cuts := make([]float64, len(at))
	listed := make([][]sighting, len(hot))
	for w, i := range at {
		c := s.cells[i]
		cuts[w] = float64(c.cut)
		for _, it := range c.list {
			if k := place[it.key]; k > 0 {
				n := episode.Count{Lower: float64(it.Requests), Upper: float64(c.upper(it))}
				listed[k-1] = append(listed[k-1], sighting{w, n})
			}
		}
	}
	seconds := d.hotSeconds(place, len(hot))
	counts := make([]episode.Count, len(at))
	for k := range hot {
		key := &hot[k]
		// Where a key is not listed it has at most the window's cut-off, and in all what is left of it.
		rest := 0.0
		if e, ok := d.s.keys.Find(key.Key, request.Hash(key.Key)); ok {
			_, upper := d.bounds(e)
			rest = float64(upper)
		}
		for _, see := range listed[k] {
			rest -= see.count.Lower
		}
		for w := range counts {
			counts[w] = episode.Count{Upper: max(0, min(cuts[w], rest))}
		}
		for _, see := range listed[k] {
			counts[see.window] = see.count
		}
		key.Episodes, key.Undecided = timeline.Episodes(counts)
		key.Episodes = d.withSeconds(key, seconds[k])
		key.EpisodeCount = len(key.Episodes)
		for _, e := range key.Episodes {
			key.HotSeconds += float64(e.End-e.Start-e.Gap) / float64(time.Second)
		}
		key.Episodes = highest(key.Episodes)
	}
}

// window is a stretch of the input as far as the input covers it.
func (d *diagnoser) window(start, width int64, total uint64) episode.Window {
	return episode.Window{
		Start: max(start, d.s.first), End: max(min(start+width, d.s.end()), max(start, d.s.first)+1),
		Seconds: d.coveredOf(start, width), Total: float64(total),
	}
}

// hotSeconds returns, for each hot key, the seconds of coarse windows that list it, in order of time.
func (d *diagnoser) hotSeconds(place []int32, keys int) [][]hotSecond {
	out := make([][]hotSecond, keys)
	if d.s.windows.rung == 0 {
		return out // every window is a second
	}
	rule, last := d.rule(), make([]int64, keys)
	for sec := range d.s.windows.seconds() {
		levels := rule.Levels(float64(sec.total.served()), d.covered(sec.at))
		for _, it := range sec.list {
			k := int(place[it.key]) - 1
			if k < 0 || len(out[k]) > 0 && last[k] == sec.at {
				continue // the busiest second of a window may be the one with its largest key
			}
			last[k] = sec.at
			n := float64(it.Requests)
			out[k] = append(out[k], hotSecond{sec.at, n / d.covered(sec.at), levels.Decides() && n >= levels.Promote})
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b hotSecond) int { return cmp.Compare(a.at, b.at) })
	}
	return out
}

// withSeconds puts the peaks of episodes where the seconds show them, and adds those that no window shows:
// a second in which the key was hot while its window, as a whole, was not.
func (d *diagnoser) withSeconds(k *Key, seconds []hotSecond) []episode.Episode {
	base := d.s.config.base()
	list := k.Episodes
	inside := func(at int64) *episode.Episode {
		i, ok := slices.BinarySearchFunc(list, at, func(e episode.Episode, at int64) int {
			switch {
			case e.End <= at:
				return -1
			case e.Start > at:
				return 1
			}
			return 0
		})
		if !ok {
			return nil
		}
		return &list[i]
	}
	var bursts []episode.Episode
	for _, sec := range seconds {
		w := d.window(sec.at*base, base, 0)
		if e := inside(w.Start); e != nil {
			if sec.rate > e.PeakRate {
				e.PeakAt, e.PeakRate = w.Start, sec.rate
			}
			continue
		}
		if !sec.hot {
			continue
		}
		if n := len(bursts); n > 0 && bursts[n-1].End == w.Start {
			b := &bursts[n-1]
			if b.End = w.End; sec.rate > b.PeakRate {
				b.PeakAt, b.PeakRate = w.Start, sec.rate
			}
			continue
		}
		bursts = append(bursts, episode.Episode{
			Start: w.Start, RampStart: w.Start, End: w.End, PeakAt: w.Start, Within: w.End - w.Start, PeakRate: sec.rate,
		})
	}
	// Of every key the busiest second is known, whatever the windows keep.
	busiest := d.window(k.PeakAt, base, 0).Start
	if e := inside(busiest); e != nil && k.Peak.Value > e.PeakRate {
		e.PeakAt, e.PeakRate = busiest, k.Peak.Value
	}
	list = append(list, bursts...)
	slices.SortFunc(list, byStart)
	return list
}

func byStart(a, b episode.Episode) int { return cmp.Compare(a.Start, b.Start) }

// highest keeps the episodes with the highest peaks, in order of time.
func highest(list []episode.Episode) []episode.Episode {
	if len(list) <= mostEpisodes {
		return list
	}
	slices.SortFunc(list, func(a, b episode.Episode) int {
		return cmp.Or(cmp.Compare(b.PeakRate, a.PeakRate), byStart(a, b))
	})
	list = list[:mostEpisodes]
	slices.SortFunc(list, byStart)
	return list
}

// timeline returns the windows, in order of time, as far as they tell when a key is hot.
func (d *diagnoser) timeline() (at []int64, t *episode.Timeline) {
	s := d.s.windows
	at = s.at()
	windows := make([]episode.Window, len(at))
	for w, i := range at {
		windows[w] = d.window(i*s.width(), s.width(), s.cells[i].total.served())
	}
	return at, episode.NewTimeline(d.rule(), windows)
}

// hotWindows counts, per key, the windows in which it passed the threshold, and how many windows could
// tell, by themselves or taken together. In a coarse window its two busiest seconds speak too.
func (d *diagnoser) hotWindows() (hot map[string]int, deciding int) {
	s, rule := d.s.windows, d.rule()
	at, timeline := d.timeline()
	hotIn := make([]int, len(s.names.keys)) // windows
	upTo := make([]int, len(s.names.keys))  // windows that are counted already
	look := func(list []item, levels episode.Levels, w int) {
		for _, it := range list {
			if float64(it.Requests) >= levels.Promote && upTo[it.key] <= w {
				upTo[it.key] = w + 1
				hotIn[it.key]++
			}
		}
	}
	together := map[uint32]float64{}
	timeline.Stretches(func(first, last int, levels episode.Levels) {
		switch {
		case !levels.Decides():
		case first == last:
			look(s.cells[at[first]].list, levels, first)
		default:
			clear(together)
			for w := first; w <= last; w++ {
				for _, it := range s.cells[at[w]].list {
					together[it.key] += float64(it.Requests)
				}
			}
			for key, n := range together {
				if n >= levels.Promote {
					upTo[key] = last + 1
					hotIn[key] += last - first + 1
				}
			}
		}
		for w := first; w <= last; w++ {
			decides := levels.Decides()
			for _, sec := range []*second{s.cells[at[w]].busyTotal, s.cells[at[w]].busyKey} {
				if sec == nil {
					continue
				}
				if levels := rule.Levels(float64(sec.total.served()), d.covered(sec.at)); levels.Decides() {
					look(sec.list, levels, w)
					decides = true
				}
			}
			if decides {
				deciding++
			}
		}
	})
	hot = map[string]int{}
	for key, n := range hotIn {
		if n > 0 {
			hot[s.names.text(uint32(key))] = n
		}
	}
	return hot, deciding
}
