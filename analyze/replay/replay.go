// Package replay runs a live detector of hot keys over recorded requests, to see how late it would have been: it
// samples 1 request in N, counts them in a Space-Saving summary (Metwally et al. 2005) per window, promotes the
// keys whose lower bound passes the threshold when the window closes, and publishes that after a delay.
//
// What it is held against is the time at which the key had reached the level that it then kept.
package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"keyskew/analyze/episode"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// Config is the detector.
type Config struct {
	Window  time.Duration // above 0
	Publish time.Duration // from the end of a window to when its promotions are acted on
	Every   int           // samples 1 request in so many, at random
	// Counters of the Space-Saving summary.
	Counters int
	// Share of the requests of a window from which a key is hot, or Rate in requests per second if above 0.
	Share, Rate float64
	Seed        uint64 // of the sampling
}

// Watch is a key and the episode to look at.
type Watch struct {
	Key     []byte
	Episode episode.Episode
}

// Lag is how late the detector was for one watched key. Times are in ns.
type Lag struct {
	// Level is the key's rate once it was hot: the median over the seconds of the episode, of its first ten
	// minutes.
	Level float64
	// PlateauAt is from when on the key had nine tenths of it for a second, to a tenth of a second; valid when
	// Reached. An episode that began with the input has no such time.
	PlateauAt int64
	Reached   bool
	// PromotedAt is when the promotion was published; valid when Promoted.
	PromotedAt int64
	Promoted   bool
	// Windows of the detector during the episode, up to the one that promoted; Deciding counts those with
	// enough samples to tell.
	Windows, Deciding int
}

const (
	// bin is the resolution of the plateau, binsASecond of them.
	bin         = int64(time.Second) / binsASecond
	binsASecond = 10
	// lead is how long before the ramp a key is followed, follow how long after.
	lead   = int64(10 * time.Second)
	follow = int64(10 * time.Minute)
	// plateauPart of the level is the plateau.
	plateauPart = 0.9
)

// Replay is a run of the detector. It is a request.Folder: requests are taken in the order of the input, as
// they would have come; one that is late counts when it comes.
type Replay struct {
	c       Config
	rule    episode.Rule
	rng     *rand.Rand
	skip    uint64 // requests to the next sample
	counter *sketch.SpaceSaving
	open    bool
	window  int64 // number of the open window
	samples uint64

	watch []*watched
	byKey map[string]*watched
}

type watched struct {
	Watch
	from int64    // of the first bin
	bins []uint32 // requests
	lag  Lag
}

// New returns a detector before its first request. Of keys that are watched twice the last counts.
func New(c Config, watch []Watch) *Replay {
	r := &Replay{
		c: c, rule: episode.Rule{Rate: c.Rate, Share: c.Share, Sampled: c.Every > 1},
		rng: rand.New(rand.NewPCG(c.Seed, c.Seed)), byKey: map[string]*watched{},
	}
	for _, w := range watch {
		from := floorDiv(w.Episode.RampStart-lead, bin) * bin
		to := min(w.Episode.End, w.Episode.RampStart+follow)
		out := &watched{Watch: w, from: from, bins: make([]uint32, max(0, (to-from)/bin+1))}
		r.watch = append(r.watch, out)
		r.byKey[string(w.Key)] = out
	}
	r.skip = r.gap()
	return r
}

// gap draws how many requests are passed over before the next sample.
func (r *Replay) gap() uint64 {
	if r.c.Every <= 1 {
		return 0
	}
	return uint64(math.Log(1-r.rng.Float64()) / math.Log(1-1/float64(r.c.Every)))
}

// sampled returns how many of n requests are in the sample.
func (r *Replay) sampled(n uint64) (in uint64) {
	if r.c.Every <= 1 {
		return n
	}
	for r.skip < n {
		n -= r.skip + 1
		in++
		r.skip = r.gap()
	}
	r.skip -= n
	return in
}

// rows are the requests of a chunk, until its turn comes.
type rows struct {
	arena   []byte
	end     []int
	time    []int64
	weights []uint64
}

// NewSink returns a sink for one chunk.
func (r *Replay) NewSink(int) request.Sink { return &rows{} }

// Add keeps the requests that have a time and a key, and are no polls.
func (s *rows) Add(b *request.Batch) {
	if b.Time == nil {
		return
	}
	for i := range b.Len() {
		if c := b.ClassOf(i); c.Flags&request.NoKey != 0 || c.Op == request.Poll {
			continue
		}
		s.arena = append(s.arena, b.Key(i)...)
		s.end = append(s.end, len(s.arena))
		s.time = append(s.time, b.Time[i])
		s.weights = append(s.weights, b.WeightOf(i))
	}
}

// Fold replays the requests of a sink.
func (r *Replay) Fold(sink request.Sink) error {
	s := sink.(*rows)
	from := 0
	for i, end := range s.end {
		r.add(s.arena[from:end], s.time[i], s.weights[i])
		from = end
	}
	return nil
}

func (r *Replay) add(key []byte, at int64, weight uint64) {
	if n := floorDiv(at, int64(r.c.Window)); !r.open || n > r.window {
		r.close()
		r.open, r.window, r.samples = true, n, 0
		r.counter = sketch.NewSpaceSaving(r.c.Counters)
	}
	if w := r.byKey[string(key)]; w != nil {
		if i := floorDiv(at-w.from, bin); i >= 0 && i < int64(len(w.bins)) {
			w.bins[i] = uint32(min(math.MaxUint32, uint64(w.bins[i])+weight))
		}
	}
	if n := r.sampled(weight); n > 0 {
		r.counter.Add(key, n)
		r.samples += n
	}
}

// close promotes the keys of the open window.
func (r *Replay) close() {
	if !r.open {
		return
	}
	start := r.window * int64(r.c.Window)
	end := start + int64(r.c.Window)
	levels := r.rule.Levels(float64(r.samples), r.c.Window.Seconds()/float64(max(1, r.c.Every)))
	for _, w := range r.watch {
		if w.lag.Promoted || end <= w.Episode.RampStart || start >= w.Episode.End {
			continue
		}
		w.lag.Windows++
		if !levels.Decides() {
			continue
		}
		w.lag.Deciding++
		if c, ok := r.counter.Get(w.Key); ok && float64(c.Count-c.Err) >= levels.Promote {
			w.lag.Promoted, w.lag.PromotedAt = true, end+int64(r.c.Publish)
		}
	}
}

// Finish closes the last window and returns the lags, in the order of the watched keys.
func (r *Replay) Finish() []Lag {
	r.close()
	r.open = false
	out := make([]Lag, len(r.watch))
	for i, w := range r.watch {
		w.plateau()
		out[i] = w.lag
	}
	return out
}

// plateau finds from when on the key had its level.
func (w *watched) plateau() {
	// sums[i] is what bins i to i+binsASecond hold: a second.
	sums := make([]float64, max(0, len(w.bins)-binsASecond+1))
	for i := range sums {
		for _, n := range w.bins[i : i+binsASecond] {
			sums[i] += float64(n)
		}
	}
	first := int((w.Episode.Start - w.from) / bin)
	if first >= len(sums) {
		return
	}
	hot := slices.Sorted(slices.Values(sums[first:]))
	w.lag.Level = hot[len(hot)/2]
	if w.Episode.FromStart {
		return
	}
	for i, n := range sums {
		if n >= plateauPart*w.lag.Level && n > 0 {
			w.lag.PlateauAt, w.lag.Reached = w.from+int64(i)*bin, true
			return
		}
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
