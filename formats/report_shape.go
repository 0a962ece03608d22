package formats

// Skew of the key popularity. What was not fitted is null.
type Skew struct {
	// Verdict is "zipf", "zipf-like", "not-zipf", "no-skew", "flat-head" or "insufficient".
	Verdict string `json:"verdict"`
	// Shape of what is not Zipf's: "exponential" or "flattened head".
	Shape *string `json:"shape"`
	// Extrapolates is set when the law may hold for keys beyond the fitted ranks.
	Extrapolates bool `json:"extrapolates"`
	// S is the exponent of Zipf's law with its 95% interval.
	S      *Estimate `json:"s"`
	SError *float64  `json:"s_error"` // standard error of S
	// Ranks is the number of ranks that were fitted, UsableRanks of those that are known well enough.
	Ranks       *int     `json:"ranks"`
	UsableRanks int      `json:"usable_ranks"`
	KS          *float64 `json:"ks"` // largest difference of the fitted and the observed distribution
	// Curvature of the fit in ln rank; ExponentialZ below -1.96 says that an exponential fits better;
	// HeadMass is the share of the fitted ranks over what the law gives them among all keys.
	Curvature    *float64 `json:"curvature"`
	ExponentialZ *float64 `json:"exponential_z"`
	HeadMass     *float64 `json:"head_mass"`
	// UniformP is the probability that keys that are all alike have such a largest one.
	UniformP *float64 `json:"uniform_p"`
	// Removed are the keys that stand out of the fit and were left out of it, RemovedRatios their counts
	// over what the fit gives their places.
	Removed       []Bytes   `json:"removed"`
	RemovedRatios []float64 `json:"removed_ratios"`
	// FittedTop is the count that the fit gives rank 1.
	FittedTop    *float64  `json:"fitted_top"`
	TopKeyShare  float64   `json:"top_key_share"`
	Top100Share  *Estimate `json:"top_100_share"`
	Top1PctShare *Estimate `json:"top_1pct_share"`
	// RegressionS is the exponent by least squares over all ranks. It is biased, and here for comparison with
	// tools that report it.
	RegressionS *float64     `json:"regression_s"`
	PowerLaw    *PowerLaw    `json:"power_law"`
	MoreShards  []MoreShards `json:"more_shards" jsonschema:"nullable"`
	// Points are rank and count, thinned towards the rare keys.
	Points []Point `json:"points"`
}

// PowerLaw is a power law of the counts of all keys: as many keys have x requests as x^-Alpha says, from XMin
// up.
type PowerLaw struct {
	Alpha      float64 `json:"alpha"`
	AlphaError float64 `json:"alpha_error"`
	XMin       uint64  `json:"xmin"`
	Keys       int     `json:"keys"`
	KS         float64 `json:"ks"`
	// P is the p-value of --power-law-test; below 0.1 the law is refused.
	P *float64 `json:"p"`
}

// MoreShards is what Times as many shards would change.
type MoreShards struct {
	Times     int     `json:"times"`
	Shards    int     `json:"shards"`
	FairShare float64 `json:"fair_share"`
	// TopKeyRatio is the largest key's share over the fair share.
	TopKeyRatio float64 `json:"top_key_ratio"`
	// Gain is how many times more could be served at most, Ceiling that in commands per second.
	Gain    float64  `json:"gain"`
	Ceiling *float64 `json:"ceiling"`
}

// Order is the verdict on one family of keys; all keys together are the family "*", which comes last.
type Order struct {
	Family string `json:"family"` // escaped as keys are in text
	// Kind is what the first part that varies is: an id that holds a time ("UUID v7", "Unix seconds", ...),
	// "sequence", "number", "hex", "id" or "name".
	Kind string `json:"kind"`
	// Verdict is "time-ordered", "partly", "possible" (as these, but it is not known which requests write),
	// "contains-time", "no" or "insufficient".
	Verdict string `json:"verdict"`
	// Written is set when Sample counts keys that were seen being written, in the order of the writes.
	Written bool `json:"written"`
	// Rho is the rank correlation of arrival and key in the later half, MaxShare the largest share of it in
	// one of ten ranges of the earlier half.
	Rho      *float64 `json:"rho"`
	MaxShare *float64 `json:"max_share"`
	// Range is where new keys go: "last", "first", "interior" or "moving".
	Range *string `json:"range"`
	// Hurts lists what suffers: "byte-ranges" (ranges of strings), "number-ranges" (of integers).
	Hurts           []string `json:"hurts"`
	EffectiveRanges *float64 `json:"effective_ranges"`
	Records         *int     `json:"records"`      // keys that were larger than all before; ln Sample at random
	NewKeyRate      *float64 `json:"new_key_rate"` // written for the first time, per second
	// DecodedAwaySeconds is the median distance of the times in the ids to those of the requests.
	DecodedAwaySeconds *float64 `json:"decoded_away_seconds"`
	// Sample is how many keys were looked at, of Keys in the sample of all keys.
	Sample int `json:"sample"`
	Keys   int `json:"keys"`
	// Points are arrival and place in the order of keys, both from 0 to 1.
	Points []Point `json:"points"`
}
