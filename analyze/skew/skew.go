package skew

import "keyskew/sketch"

// Usable ranks: at most MaxRanks, the largest first, each with minCount requests or more (the counts below
// are biased by their own noise: Corral, Serra and Ferrer-i-Cancho 2019, arXiv 1908.01398) and known to
// within maxError of them. minRanks are needed.
const (
	MaxRanks = 256
	minCount = 30
	maxError = 0.05
	minRanks = 20
)

// Thresholds of the verdict. They are judgement: with a hundred thousand requests every test refuses every
// law, so the size of the deviation decides and not its probability.
const (
	uniformP     = 0.001 // above it the keys may all be alike
	flatS        = 0.3   // below it the head is flat
	badKS        = 0.05  // above it Zipf's law does not fit
	badZ         = -1.96 // below it an exponential fits better
	flattened    = 0.05  // curvature from which the head is called flattened
	fewInHead    = 0.67  // head mass between which the law may hold beyond the fitted ranks
	manyInHead   = 1.5
	goodKS       = 0.02 // up to it, with little curvature, it is Zipf's law
	goodCurve    = 0.03
	strictSpikes = 2 // from this ratio a spike is worth telling: on natural data 1.3 shows up by itself
)

// Verdict is what kind of popularity the keys have.
type Verdict string

// The verdicts.
const (
	Zipf         Verdict = "zipf"
	ZipfLike     Verdict = "zipf-like"
	NotZipf      Verdict = "not-zipf"
	NoSkew       Verdict = "no-skew"
	FlatHead     Verdict = "flat-head"
	Insufficient Verdict = "insufficient"
)

// The shapes that are not Zipf's.
const (
	ExponentialShape = "exponential"
	FlattenedShape   = "flattened head"
)

// Input is what was counted.
type Input struct {
	// Top are bounds on the requests of the largest keys, by upper bound, falling; more than MaxRanks are
	// not looked at.
	Top []sketch.Estimate
	// Requests is the number of all requests, Distinct that of all keys.
	Requests float64
	Distinct sketch.Estimate
	// Blocks are the requests of the same keys in each block of time; nil without times.
	Blocks [][]float64
}

// Result is the answer. Fit, Curvature, ExponentialZ and HeadMass are of the usable ranks without the
// spikes, and zero where there are too few.
type Result struct {
	Verdict Verdict
	// Shape says how a popularity that is not Zipf's looks, "" where nothing fits.
	Shape string
	// Extrapolates is set when the law may hold for the ranks that were not fitted too.
	Extrapolates bool
	// Usable is the number of usable ranks, spikes included.
	Usable       int
	Fit          Fit
	Lower, Upper float64 // 95% interval of Fit.S
	Spikes       []Spike
	// UniformP is the probability that keys that are all alike have such a largest one.
	UniformP     float64
	Curvature    float64
	ExponentialZ float64
	HeadMass     float64
}

// Stands reports whether a spike is worth telling.
func (s Spike) Stands() bool { return s.Ratio >= strictSpikes }

// Analyze fits the counts and judges the fit.
func Analyze(in Input) Result {
	r := Result{Verdict: Insufficient, Usable: usable(in.Top)}
	if r.Usable < minRanks {
		return r
	}
	counts := make([]float64, r.Usable)
	for i := range counts {
		counts[i] = in.Top[i].Value
	}
	var rest []float64
	r.Fit, r.Spikes, rest = Without(counts)
	r.Lower, r.Upper = Interval(r.Fit, rest, in.blocks(r.Usable, r.Spikes), len(r.Spikes))
	_, _, r.UniformP = Uniform(in.Requests, in.Distinct.Lower, in.Top[0].Lower)
	r.Curvature = Curvature(rest)
	r.ExponentialZ = Exponential(rest, r.Fit)
	others, keys := in.Requests, in.Distinct.Value-float64(len(r.Spikes))
	for _, s := range r.Spikes {
		others -= counts[s.Index]
	}
	r.HeadMass = HeadMass(r.Fit, others, keys)
	r.judge()
	return r
}

// judge gives the verdict, the first that applies.
func (r *Result) judge() {
	curve := max(r.Curvature, -r.Curvature)
	switch {
	case r.UniformP > uniformP:
		r.Verdict = NoSkew
	case r.Fit.S < flatS:
		r.Verdict = FlatHead
	case r.Fit.KS > badKS || r.ExponentialZ < badZ:
		r.Verdict = NotZipf
		switch {
		case r.ExponentialZ < badZ:
			r.Shape = ExponentialShape
		case r.Curvature > flattened:
			r.Shape = FlattenedShape
		}
	case r.HeadMass < fewInHead || r.HeadMass > manyInHead:
		r.Verdict = ZipfLike
	case r.Fit.KS <= goodKS && curve <= goodCurve:
		r.Verdict, r.Extrapolates = Zipf, true
	default:
		r.Verdict, r.Extrapolates = ZipfLike, true
	}
}

// usable is the number of the largest keys that are counted well enough.
func usable(top []sketch.Estimate) int {
	n := 0
	for n < len(top) && n < MaxRanks && top[n].Value >= minCount && top[n].Upper-top[n].Lower <= maxError*top[n].Value {
		n++
	}
	return n
}

// blocks are the counts per block of the usable ranks without the spikes.
func (in Input) blocks(n int, spikes []Spike) [][]float64 {
	set := make([]int, len(spikes))
	for i, s := range spikes {
		set[i] = s.Index
	}
	out := make([][]float64, len(in.Blocks))
	for i, b := range in.Blocks {
		out[i] = remove(b[:n], set)
	}
	return out
}
