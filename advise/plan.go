// Package advise turns a diagnosis into a plan: which remedy for which key, how large, what it costs,
// what the load looks like before and after, and why the other remedies were not chosen.
package advise

import (
	"keyskew/advise/fix"
	"keyskew/advise/whatif"
)

// Plan holds the recommendations, the most useful first. Each builds on those in front of it: its Before
// is the state that they leave. Only a key whose own peak lies in another window is sized there by itself;
// its Assumed says so.
type Plan struct {
	Recommendations []Recommendation
}

// Recommendation is one remedy for one key, sized.
type Recommendation struct {
	// ID of the finding it answers: KS101 read-hot, KS102 write-hot, KS103 mixed key, KS190 idle
	// pollers; "" where no key is hot.
	ID string
	// Fix is the ID of the remedy: "cache", "split", "replicate", "isolate" or "nothing".
	Fix string
	// Title is one line: what to do, with numbers. It does not name the key, and holds nothing that
	// could not be printed; so do all texts here.
	Title     string
	Key       []byte
	Partition string
	Params    Params
	Before    Outcome
	After     Outcome
	Residual  float64 // requests per second left on the key
	// Headroom is how many times the key's load may grow before its partition is full, where nothing
	// needs to be done; 0 when unknown.
	Headroom   float64
	Costs      []string
	NotIf      []string
	Assumed    []string
	Rejected   []Rejection
	Confidence string // "high", "medium" or "low"
}

// Params sizes a remedy; only what the remedy uses is set.
type Params = fix.Params

// Outcome is the load model's answer for one state of the cluster. Nil means unknown.
type Outcome = whatif.Outcome

// PartitionLoad is one partition in an outcome.
type PartitionLoad = whatif.PartitionLoad

// Rejection is a remedy that was evaluated and not chosen. Beside the four, Fix may be "shards": more
// partitions.
type Rejection struct {
	Fix, Reason string
}
