package advise

import (
	"fmt"
	"math"
	"slices"

	"keyskew/advise/fix"
	"keyskew/advise/store"
	"keyskew/advise/whatif"
	"keyskew/analyze"
)

// Options say what is known beside the diagnosis. Zero values mean the defaults.
type Options struct {
	// Store is the store profile; store.Redis by default.
	Store store.Profile
	// Target is the utilisation that a partition is to stay under; 0.70 by default.
	Target float64
	// TTL of cached copies in seconds; 1 by default.
	TTL float64
	// Servers is the number of application servers; 0 when unknown.
	Servers int
	// L0 is the p99 at low load in milliseconds; 1 by default.
	L0 float64
	// Place maps a key to the index of its partition in Diagnosis.Partitions.List, negative when none
	// owns it; nil when the partitioner is unknown.
	Place func(key []byte) int
}

// Defaults of Options.
const (
	DefaultTarget = 0.70
	DefaultTTL    = 1.0 // seconds
	DefaultL0     = 1.0 // milliseconds
)

// MaxKeys is how many hot keys, and MaxPolled how many polled ones, get a recommendation.
const (
	MaxKeys   = 10
	MaxPolled = 3
)

func (o Options) withDefaults() Options {
	if o.Store.ID == "" {
		o.Store = store.Redis
	}
	if !(o.Target > 0 && o.Target <= 1) {
		o.Target = DefaultTarget
	}
	if !(o.TTL > 0) || math.IsInf(o.TTL, 0) {
		o.TTL = DefaultTTL
	}
	if !(o.L0 > 0) || math.IsInf(o.L0, 0) {
		o.L0 = DefaultL0
	}
	return o
}

// Advise makes the plan. For every hot key cache, split, replicate and isolate are evaluated, each checked
// with the load model in the window with the highest load on any partition; what is not chosen is
// rejected with numbers. An input without time has no rates to size by: its plan is empty.
func Advise(d *analyze.Diagnosis, o Options) *Plan {
	o = o.withDefaults()
	plan := &Plan{}
	if !d.Totals.Timed {
		return plan
	}
	p := planner{d: d, o: o, peak: peakState(d)}
	p.start = p.peak.cluster
	var fine, polled []Recommendation
	hot := 0
	for _, k := range d.Keys {
		switch {
		case k.Class == analyze.PollClass && len(polled) < MaxPolled:
			polled = append(polled, Recommendation{
				ID: "KS190", Fix: Nothing, Key: k.Key, Partition: k.Partition, Confidence: "high",
				Title: "Nothing to fix: idle pollers; they are in no rate and no share",
			})
		case k.Class != analyze.PollClass && k.Hot && hot < MaxKeys:
			hot++
			if r := p.recommend(k); r.Fix == Nothing {
				fine = append(fine, r)
			} else {
				plan.Recommendations = append(plan.Recommendations, r)
			}
		}
	}
	if hot == 0 {
		fine = p.largest()
	}
	plan.Recommendations = slices.Concat(plan.Recommendations, fine, polled)
	return plan
}

// Nothing is the Fix of a recommendation that says that nothing needs to be done, or that none of the
// remedies helps.
const Nothing = "nothing"

// planner carries the state that the recommendations so far leave.
type planner struct {
	d     *analyze.Diagnosis
	o     Options
	start whatif.Cluster // at the peak, before any remedy
	peak  state
}

// recommend decides for one hot key and, where a remedy is chosen, applies it.
func (p *planner) recommend(k analyze.Key) Recommendation {
	s, atPeak := p.peak.find(k)
	if !atPeak {
		s = ownState(p.d, k)
	}
	c := p.makeCase(k, s)
	r := Recommendation{
		ID: findingID(k.Class), Key: k.Key, Partition: k.Partition,
		Before: c.Cluster.Outcome(p.o.L0), Residual: c.Load.Load(),
	}
	r.After = r.Before
	if c.Load.Load() <= 0 || len(c.Cluster.Partitions) == 0 {
		r.Fix, r.Confidence = Nothing, "low"
		r.Title = "No load of it is known in any window: nothing can be sized"
		for _, f := range fix.All() {
			r.Rejected = append(r.Rejected, Rejection{f.ID, "it has 0 req/s in the windows that are known"})
		}
		return r
	}
	tried := make([]option, 0, 4)
	for _, f := range fix.All() {
		e := f.Evaluate(c)
		tried = append(tried, option{f.ID, e, e.After.Outcome(p.o.L0), e.After.Touched(c.Cluster, c.Load.Partition)})
	}
	var chosen *option
	why := p.needless(&r, c)
	if why == "" {
		chosen = choose(k.Class, c.Cluster.Partitions[c.Load.Partition].Load, tried)
	}
	if chosen == nil {
		r.Fix = Nothing
		if why == "" {
			r.Title, why = hopeless(k), "relieves it too little"
			r.Confidence = "low"
		}
	} else {
		e := chosen.e
		r.Fix, r.Title, r.Params, r.After, r.Residual = chosen.id, e.Title, e.Params, chosen.after, e.Residual
		r.Costs, r.NotIf, r.Assumed = e.Costs, e.NotIf, e.Assumed
		r.Confidence = p.confidence(k, c, chosen)
		if !e.Passes {
			r.Costs = append(r.Costs, p.short(c, e))
		}
		if k.Class != analyze.ReadClass && overwritten(k) {
			r.Costs = append(r.Costs, "the other way: write it less often (coalesce or buffer its writes in the application)")
		}
		if atPeak {
			p.apply(k, chosen)
		}
	}
	if p.d.Capacity.Kind == analyze.Assumed && c.Cluster.Capacity > 0 {
		r.Assumed = append(r.Assumed, fmt.Sprintf("a shard serves %s req/s, a planning figure (set --capacity)", fix.Number(c.Cluster.Capacity)))
		if home := c.Cluster.Partitions[c.Load.Partition].Load; r.Fix != Nothing && home <= p.o.Target*c.Cluster.Capacity {
			r.Confidence = "low"
			r.Assumed = append(r.Assumed, fmt.Sprintf("by that figure %s is at %s, and nothing needs to be done yet", where(c), fix.Percent(home/c.Cluster.Capacity)))
		}
	}
	if !atPeak {
		r.Assumed = append(r.Assumed, "sized at this key's own peak, which is not the window of the highest load: the other remedies are not counted in")
	}
	for i := range tried {
		if chosen == nil || tried[i].id != chosen.id {
			r.Rejected = append(r.Rejected, Rejection{tried[i].id, reason(c, &tried[i], chosen, why)})
		}
	}
	if own := c.Load.Load(); c.Cluster.Capacity > 0 && own > c.Cluster.Capacity {
		r.Rejected = append(r.Rejected, Rejection{"shards", fmt.Sprintf(
			"however many shards there are, the one with this key needs %s of its capacity for it alone", fix.Percent(own/c.Cluster.Capacity))})
	}
	return r
}

// apply makes the chosen remedy part of the state that later keys are tried in.
func (p *planner) apply(k analyze.Key, chosen *option) {
	p.peak.cluster = chosen.e.After
	delete(p.peak.keys, string(k.Key))
	if chosen.id != "isolate" || k.Slot < 0 {
		return
	}
	for _, other := range p.d.Keys {
		if l, ok := p.peak.keys[string(other.Key)]; ok && other.Slot == k.Slot {
			l.Partition = len(p.peak.cluster.Partitions) - 1
			p.peak.keys[string(other.Key)] = l
		}
	}
}

// short says how a chosen remedy falls short.
func (p *planner) short(c fix.Case, e fix.Evaluation) string {
	if c.Cluster.Capacity > 0 {
		return "not enough by itself: " + e.Reason
	}
	return "whether it is enough cannot be told without --capacity: " + e.Reason
}

func findingID(c analyze.Class) string {
	switch c {
	case analyze.ReadClass:
		return "KS101"
	case analyze.WriteClass:
		return "KS102"
	default:
		return "KS103"
	}
}

// makeCase puts together what the remedies need to know.
func (p *planner) makeCase(k analyze.Key, s state) fix.Case {
	c := fix.Case{
		Key: k, Load: s.load, Cluster: s.cluster, Store: p.o.Store, Target: p.o.Target, TTL: p.o.TTL,
		Servers: p.o.Servers, Limit: p.d.Threshold.Share * s.cluster.Requests, Place: p.o.Place,
	}
	if k.Slot < 0 {
		return c
	}
	for _, other := range p.d.Keys {
		if other.Slot != k.Slot || string(other.Key) == string(k.Key) {
			continue
		}
		if l, ok := s.keys[string(other.Key)]; ok && l.Partition == s.load.Partition {
			c.Together += l.Load()
			c.TogetherKeys++
		}
	}
	c.Together = min(c.Together, max(0, s.home()-s.load.Load()))
	return c
}

// littleLoad is a rate, in requests per second, that burdens no store by itself: without a capacity, a
// key below it is popular, but no trouble.
const littleLoad = 10

// needless fills in a recommendation of nothing where that is the answer: the partition is fine, or it
// would not be even without the key. It returns why, "" where a remedy is wanted. Only a firm
// capacity can say so.
func (p *planner) needless(r *Recommendation, c fix.Case) string {
	if own := c.Load.Load(); p.d.Capacity.Value == 0 && own < littleLoad {
		r.Title = fmt.Sprintf("Nothing needed: %s req/s are no burden for a store", fix.Number(own))
		r.Confidence = "high"
		return fmt.Sprintf("not needed: it has %s req/s at its peak", fix.Number(own))
	}
	if !p.d.Capacity.Firm() || c.Cluster.Capacity <= 0 {
		return ""
	}
	home, own := c.Cluster.Partitions[c.Load.Partition].Load, c.Load.Load()
	capacity := c.Cluster.Capacity
	rest := home - own
	switch {
	case home <= p.o.Target*capacity:
		r.Headroom = headroom(home, own, capacity)
		r.Title = fmt.Sprintf("Nothing needed%s: %s is at %s, ok to %s× of this key's load", p.after(c), where(c), fix.Percent(home/capacity), times(r.Headroom))
		r.Confidence = "high"
		return fmt.Sprintf("not needed: %s is at %s, below the target of %s", where(c), fix.Percent(home/capacity), fix.Percent(p.o.Target))
	case rest > p.o.Target*capacity && own <= p.o.Target*capacity:
		left := rest - p.otherHot(c)
		// A cache ends a saturation within the hour; it is worth having though the shard stays too full.
		rescued := c.Key.Class == analyze.ReadClass && home >= whatif.SaturatedAt*capacity && left < whatif.SaturatedAt*capacity
		if left > p.o.Target*capacity && !rescued {
			r.Title = fmt.Sprintf("Rebalance or add shards: without its hot keys %s would still be at %s", where(c), fix.Percent(left/capacity))
			r.Confidence = "medium"
			return fmt.Sprintf("does not help enough: without its hot keys %s would still be at %s", where(c), fix.Percent(left/capacity))
		}
	}
	return ""
}

// after says that a partition is fine only through the remedies so far.
func (p *planner) after(c fix.Case) string {
	if i := c.Load.Partition; i < len(p.start.Partitions) && p.start.Partitions[i].Load > p.o.Target*c.Cluster.Capacity {
		return " once the remedies above are in place"
	}
	return ""
}

// otherHot is the load of the other hot keys on the key's partition, in the state that the remedies so
// far leave.
func (p *planner) otherHot(c fix.Case) float64 {
	sum := 0.0
	for _, k := range p.d.Keys {
		if !k.Hot || string(k.Key) == string(c.Key.Key) {
			continue
		}
		if l, ok := p.peak.keys[string(k.Key)]; ok && l.Partition == c.Load.Partition {
			sum += l.Load()
		}
	}
	return sum
}

// headroom is how many times own may grow until home is at its capacity.
func headroom(home, own, capacity float64) float64 {
	if own <= 0 {
		return 0
	}
	return max(0, (capacity-(home-own))/own)
}

// times writes a multiple, rounded down: it is a promise.
func times(x float64) string {
	if x >= 10 {
		return fix.Number(math.Floor(x))
	}
	return fix.Number(math.Floor(x*10) / 10)
}

func where(c fix.Case) string {
	if c.Cluster.Open {
		return "the captured node"
	}
	return "shard " + fix.Escape(c.Cluster.Partitions[c.Load.Partition].ID)
}

// largest says of the largest key, where none is hot, how far it may grow.
func (p *planner) largest() []Recommendation {
	if len(p.d.Keys) == 0 || p.d.Keys[0].Class == analyze.PollClass {
		return nil
	}
	k := p.d.Keys[0]
	r := Recommendation{Fix: Nothing, Key: k.Key, Partition: k.Partition, Confidence: "medium", Title: "No key is hot: no key needs a remedy"}
	s, ok := p.peak.find(k)
	if !ok {
		s = ownState(p.d, k)
	}
	r.Before = s.cluster.Outcome(p.o.L0)
	r.After = r.Before
	r.Residual = s.load.Load()
	if p.d.Capacity.Firm() && s.cluster.Capacity > 0 {
		r.Confidence = "high"
		if home := s.home(); home > 0 && home <= p.o.Target*s.cluster.Capacity {
			r.Headroom = headroom(home, s.load.Load(), s.cluster.Capacity)
			r.Title += fmt.Sprintf("; the largest may grow %s× before its shard is full", times(r.Headroom))
		}
	}
	return []Recommendation{r}
}

// option is a remedy, evaluated.
type option struct {
	id    string
	e     fix.Evaluation
	after whatif.Outcome
	// touched is the highest load on the partitions that it changes.
	touched float64
}
