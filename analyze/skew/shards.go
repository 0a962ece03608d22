package skew

// Growth is what another number of shards would change while the popularity of the keys stays as it is.
type Growth struct {
	// Shards is Times as many as now.
	Times, Shards int
	// Fair is one shard's fair share of the requests, Ratio the largest key's share over it: from 1 on the
	// key alone is more than a shard's part.
	Fair, Ratio float64
	// Gain is the ceiling over the ceiling now; Ceiling in requests per second, 0 without a capacity.
	Gain, Ceiling float64
}

// growthTimes are the numbers of shards that are compared, as multiples of the number now.
var growthTimes = [...]int{1, 2, 4, 16}

// Growths says what more shards bring, when one key has a share p of the requests, which stays on one
// shard, and all others are spread evenly: its shard has p + (1-p)/M, so M shards serve at most
// C/(p + (1-p)/M) requests per second, and any number C/p. Real keys are never spread more evenly than
// that, so it is an upper bound. capacity may be 0.
func Growths(p float64, shards int, capacity float64) []Growth {
	shards = max(shards, 1)
	busiest := func(m int) float64 { return p + (1-p)/float64(m) }
	out := make([]Growth, len(growthTimes))
	for i, times := range growthTimes {
		m := times * shards
		out[i] = Growth{
			Times: times, Shards: m, Fair: 1 / float64(m), Ratio: p * float64(m),
			Gain: busiest(shards) / busiest(m), Ceiling: capacity / busiest(m),
		}
	}
	return out
}
