package episode

// Window is a stretch of the input with requests.
type Window struct {
	Start, End int64 // ns
	// Seconds that the input covers of it; of a sample, 1 request in q, divided by q.
	Seconds float64
	// Total is the requests of all keys.
	Total float64
}

// Count bounds the requests of a key in a window.
type Count struct{ Lower, Upper float64 }

// Episode is a stretch in which a key was hot.
type Episode struct {
	// Start is the beginning of the first window that made it hot, End the end of the last at the lower
	// threshold or above. RampStart is the beginning of the windows at the lower threshold or above that
	// lead up to Start without a break. PeakAt is the beginning of its busiest window. All in ns.
	Start, End, RampStart, PeakAt int64
	// Within is the width of the first window, which may be several that tell together: the key became hot in it.
	Within int64
	// PeakRate is the requests per second in the busiest window, by the lower bound.
	PeakRate float64
	// Dips counts how often it fell below the lower threshold in between.
	Dips int
	// Gap is the time in between without any request, in ns.
	Gap int64
	// FromStart says that no window before the ramp can tell: it may have begun earlier.
	FromStart bool
	// ToEnd says that no window after it can tell: it may have lasted longer.
	ToEnd bool
	// Ended says that three windows in a row below the lower threshold came after.
	Ended bool
}

// Timeline is the windows of an input under a rule, those that cannot tell widened.
type Timeline struct {
	windows []Window
	steps   []step
	// opening and closing are the first and the last step that tell; -1 where none does.
	opening, closing int
}

// step is a window, or several that tell together what none does alone.
type step struct {
	first, last int // windows
	levels      Levels
	// gap before it, in ns.
	gap int64
}

// NewTimeline prepares windows, which are in order of time and do not overlap. Windows with too few
// requests to tell are taken together with those of the kind that follow, up to a window that tells by itself:
// a busy window keeps its bounds. Where there is little traffic some windows are empty by chance, so gaps are
// no bounds.
func NewTimeline(r Rule, windows []Window) *Timeline {
	t := &Timeline{windows: windows, opening: -1, closing: -1}
	for i := 0; i < len(windows); {
		s := step{first: i, last: i}
		if i > 0 {
			s.gap = windows[i].Start - windows[i-1].End
		}
		total, seconds := windows[i].Total, windows[i].Seconds
		s.levels = r.Levels(total, seconds)
		for i++; i < len(windows) && !s.levels.Decides(); i++ {
			w := windows[i]
			if r.Levels(w.Total, w.Seconds).Decides() {
				break
			}
			total, seconds = total+w.Total, seconds+w.Seconds
			s.levels, s.last = r.Levels(total, seconds), i
		}
		if s.levels.Decides() {
			if t.closing = len(t.steps); t.opening < 0 {
				t.opening = t.closing
			}
		}
		t.steps = append(t.steps, s)
	}
	return t
}

// Stretches calls f with the first and last window of each stretch of windows that are taken together, in order
// of time, and its thresholds; most are one window.
func (t *Timeline) Stretches(f func(first, last int, l Levels)) {
	for _, s := range t.steps {
		f(s.first, s.last, s.levels)
	}
}

// state of a key in a step.
type state int

const (
	unclear state = iota // too few requests, or neither bound says
	below                // certainly below the lower threshold
	warm                 // certainly at the lower threshold or above
	hot                  // certainly at the upper threshold or above
)

func (s *step) state(c Count) state {
	switch l := &s.levels; {
	case !l.Decides():
		return unclear
	case c.Lower >= l.Promote:
		return hot
	case c.Lower >= l.Lower:
		return warm
	case c.Upper < l.Demote:
		return below
	}
	return unclear
}

// Episodes returns the episodes of a key, of which the counts are given for every window, in order of time.
// Undecided counts the windows in which it lies between the bounds of its count whether it is below the lower
// threshold: they neither begin nor end an episode.
func (t *Timeline) Episodes(counts []Count) (list []Episode, undecided int) {
	var e *Episode
	low, rampFrom := 0, -1 // windows below in a row; the step in which the ramp begins
	var gap int64          // since the last step of the episode
	var dips int
	var dipping bool
	for i := range t.steps {
		s := &t.steps[i]
		c := Count{}
		for w := s.first; w <= s.last; w++ {
			c.Lower, c.Upper = c.Lower+counts[w].Lower, c.Upper+counts[w].Upper
		}
		now := s.state(c)
		if now == unclear && s.levels.Decides() && c.Upper > c.Lower {
			undecided += s.last - s.first + 1
		}
		if e == nil {
			switch {
			case now < warm:
				rampFrom = -1
			case rampFrom < 0 || s.gap > 0:
				rampFrom = i
			}
			if now == hot {
				list = append(list, Episode{
					Start: t.windows[s.first].Start, Within: t.windows[s.last].End - t.windows[s.first].Start,
					RampStart: t.windows[t.steps[rampFrom].first].Start, FromStart: rampFrom == t.opening,
				})
				e = &list[len(list)-1]
				low, gap, dips, dipping = 0, 0, 0, false
				t.extend(e, i, counts)
			}
			continue
		}
		gap += s.gap
		switch {
		case now >= warm:
			e.Gap, e.Dips = e.Gap+gap, dips
			low, gap, dipping = 0, 0, false
			t.extend(e, i, counts)
		case now == below:
			if !dipping {
				dips, dipping = dips+1, true
			}
			if low++; low == windowsBelow {
				e.Ended = true
				e, rampFrom = nil, -1
			}
		default:
			low = 0
		}
	}
	return list, undecided
}

// extend takes a step into an episode.
func (t *Timeline) extend(e *Episode, i int, counts []Count) {
	s := &t.steps[i]
	e.End, e.ToEnd = t.windows[s.last].End, i == t.closing
	for w := s.first; w <= s.last; w++ {
		if rate := counts[w].Lower / t.windows[w].Seconds; rate > e.PeakRate {
			e.PeakRate, e.PeakAt = rate, t.windows[w].Start
		}
	}
}
