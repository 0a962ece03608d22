// Package whatif is the load model: it answers what a cluster's partitions would carry, and how slow
// they would be, if a remedy were applied to a key.
//
// The loads of one short window enter (a Cluster), and a Remedy for a Key; the changed Cluster leaves,
// and its Outcome: load and utilisation per partition, peak to mean, ceiling, p99 and failing share.
// Nothing here knows which remedy is wise; it only does the sums. Loads are commands per second.
package whatif

import (
	"slices"

	"keyskew/sketch"
)

// Cluster is the load of one window. A minute's mean hides saturation, so the window should be about
// a second.
type Cluster struct {
	Partitions []Partition
	// Elsewhere is load on partitions that are not listed: those of a cluster of which one node was
	// captured, or hash space that no listed partition owns.
	Elsewhere float64
	// Open says that Partitions is one captured node of an unknown number: what is placed by hash is
	// assumed to land on a different node each time.
	Open bool
	// Capacity of one partition in commands per second; 0 when unknown.
	Capacity float64
	// Requests is the client requests per second that cause the load; it does not change when a remedy
	// makes more or fewer commands of them.
	Requests float64
	fans     []fanOut
}

// fanOut is client requests that each need a command on every one of several partitions.
type fanOut struct {
	requests float64
	on       []int
}

// Partition is one partition (shard).
type Partition struct {
	ID   string
	Load float64
	// Fair is its fair share of the load (owned slots, ring share), in any unit; equal values when
	// even.
	Fair float64
	// Uncaptured partitions were not in the input: their own load is unknown, Load is only what
	// remedies put there.
	Uncaptured bool
	// Own partitions were added for one key: nothing else is placed there. They stand last.
	Own bool
	// shadow is the part of Load that no client request of its own stands behind: the commands of
	// fan-outs, and refreshes of caches (the readers are served from the cache).
	shadow float64
}

// Key is one key's load in the window. Other is neither read nor write (WATCH).
type Key struct {
	Reads, Writes, Other float64
	// Partition is its index in Cluster.Partitions.
	Partition int
}

// Load is all of a key's load.
func (k Key) Load() float64 { return k.Reads + k.Writes + k.Other }

// Remedy is what is done to a key. Cached combines with the others; of Slots, Copies and Own at most
// one is used, in that order.
type Remedy struct {
	// Cached caps the reads that reach the store at ReadBound per second: each of A servers refreshes
	// its local copy once per TTL, so A/TTL.
	Cached    bool
	ReadBound float64
	// Slots divides the writes over that many sub-keys; every read reads all of them.
	Slots int
	// Copies sends every write to that many copies; a read takes any one of them.
	Copies int
	// Own gives the key a new partition of its own.
	Own bool
}

// Piece is the load of one sub-key or copy under the remedy, and their number.
func (k Key) Piece(r Remedy) (load float64, n int) {
	p := k.pieces(r)
	return p.load, p.n
}

// pieces is what a remedy makes of a key: n pieces with this load each, of which shadow has no client
// request of its own, and the client requests that need all pieces.
type pieces struct {
	n                 int
	load, shadow, fan float64
}

func (k Key) pieces(r Remedy) pieces {
	refresh := 0.0
	if r.Cached {
		refresh = min(k.Reads, r.ReadBound)
		k.Reads = 0
	}
	switch {
	case r.Slots > 1:
		n, each := float64(r.Slots), k.Reads+k.Other
		return pieces{n: r.Slots, load: k.Writes/n + each + refresh, shadow: each + refresh, fan: each}
	case r.Copies > 1:
		n := float64(r.Copies)
		return pieces{
			n: r.Copies, load: k.Writes + (k.Reads+k.Other+refresh)/n, shadow: k.Writes + refresh/n, fan: k.Writes,
		}
	default:
		return pieces{n: 1, load: k.Load() + refresh, shadow: refresh}
	}
}

// Apply returns the cluster with the remedy in place. Pieces are put on the partitions that place
// lists, an index per piece, negative meaning elsewhere; nil lets Spread decide. A key whose partition
// is not listed changes nothing.
func (c Cluster) Apply(k Key, r Remedy, place []int) Cluster {
	if k.Partition < 0 || k.Partition >= len(c.Partitions) {
		return c
	}
	p := k.pieces(r)
	c.Partitions = slices.Clone(c.Partitions)
	home := &c.Partitions[k.Partition]
	home.Load = max(0, home.Load-k.Load())
	switch {
	case p.n == 1 && r.Own:
		c.Partitions = append(c.Partitions, Partition{ID: "new", Load: p.load, Fair: c.meanFair(), Own: true, shadow: p.shadow})
		return c
	case p.n == 1:
		place = []int{k.Partition}
	case place == nil:
		place = c.Spread(p.n, k.Partition)
	}
	on := make([]int, 0, p.n)
	for i := range p.n {
		if i < len(place) && place[i] >= 0 && place[i] < len(c.Partitions) {
			at := &c.Partitions[place[i]]
			at.Load += p.load
			at.shadow += p.shadow
			on = append(on, place[i])
		} else {
			c.Elsewhere += p.load
		}
	}
	if p.fan > 0 {
		c.fans = append(slices.Clip(c.fans), fanOut{p.fan, on})
	}
	return c
}

// Hashed is the number of partitions that keys are placed on; the others are Own.
func (c Cluster) Hashed() int {
	n := len(c.Partitions)
	for n > 0 && c.Partitions[n-1].Own {
		n--
	}
	return n
}

// Touched is the highest load among the partition home and those that carry more than before: what a
// remedy for a key of home is judged by, whatever happens on other partitions.
func (c Cluster) Touched(before Cluster, home int) float64 {
	most := 0.0
	for i, p := range c.Partitions {
		if !p.Uncaptured && (i == home || i >= len(before.Partitions) || p.Load > before.Partitions[i].Load) {
			most = max(most, p.Load)
		}
	}
	return most
}

func (c Cluster) meanFair() float64 {
	sum := 0.0
	for _, p := range c.Partitions {
		sum += p.Fair
	}
	return sum / float64(len(c.Partitions))
}

// Spread lists partitions for n pieces when it is not known which piece lands where. In an Open cluster
// one piece stays at home and the others go elsewhere. Else the busiest partition gets as many pieces
// as hashing gives the fullest one at most, with probability 95%, and the others share the rest evenly.
func (c Cluster) Spread(n, home int) []int {
	m := c.Hashed()
	place := make([]int, n)
	if c.Open {
		for i := range place {
			place[i] = -1
		}
		place[0] = home
		return place
	}
	busiest := 0
	for i, p := range c.Partitions[:m] {
		if p.Load > c.Partitions[busiest].Load {
			busiest = i
		}
	}
	worst := Fullest95(n, m)
	for i := range place {
		place[i] = busiest
		if i >= worst && m > 1 {
			place[i] = (busiest + 1 + (i-worst)%(m-1)) % m
		}
	}
	return place
}

// Outcome is the load model's answer for one state of the cluster. Nil means unknown.
type Outcome struct {
	MaxLoad        float64 // requests per second on the busiest partition
	MaxUtilisation *float64
	// PMR is the highest share of the load divided by its fair share; nil with fewer than two
	// captured partitions.
	PMR *float64
	// Ceiling is the client requests per second of this mix at which the busiest partition is full.
	Ceiling *float64
	// P99Worst and P99Cluster in milliseconds; nil when unknown or when there is none because requests
	// time out (then Saturated).
	P99Worst, P99Cluster *float64
	// Saturated is set from utilisation SaturatedAt on, where p99 figures are inside the model's error.
	Saturated bool
	// FailingShare is the range of requests that fail: shedding to unbounded queues, of which Value
	// is the worse; nil when unknown.
	FailingShare  *sketch.Estimate
	OpsPerRequest float64
	Partitions    []PartitionLoad
}

// PartitionLoad is one partition in an outcome.
type PartitionLoad struct {
	ID          string
	Load        float64 // requests per second
	Utilisation *float64
}

// Outcome computes what the cluster's loads mean. l0 is the p99 at low load, in milliseconds; the
// cluster's p99 is over all commands.
func (c Cluster) Outcome(l0 float64) Outcome {
	var o Outcome
	all, captured, fair := c.Elsewhere, 0.0, 0.0
	listed := 0
	for _, p := range c.Partitions {
		all += p.Load
		pl := PartitionLoad{ID: p.ID, Load: p.Load}
		if !p.Uncaptured {
			listed++
			captured += p.Load
			fair += p.Fair
			o.MaxLoad = max(o.MaxLoad, p.Load)
			if c.Capacity > 0 {
				pl.Utilisation = new(p.Load / c.Capacity)
			}
		}
		o.Partitions = append(o.Partitions, pl)
	}
	if c.Requests > 0 {
		o.OpsPerRequest = all / c.Requests
	}
	if listed > 1 && captured > 0 && fair > 0 {
		pmr := 0.0
		for _, p := range c.Partitions {
			if !p.Uncaptured && p.Fair > 0 {
				pmr = max(pmr, p.Load/captured*fair/p.Fair)
			}
		}
		o.PMR = &pmr
	}
	if c.Capacity <= 0 || listed == 0 {
		return o
	}
	rho := o.MaxLoad / c.Capacity
	o.MaxUtilisation = &rho
	o.Saturated = rho >= SaturatedAt
	if o.MaxLoad > 0 {
		o.Ceiling = new(c.Requests / rho)
	}
	if c.Requests > 0 {
		o.FailingShare = c.failing()
	}
	if l0 > 0 {
		var util, weight []float64
		for _, p := range o.Partitions {
			if p.Utilisation != nil {
				util, weight = append(util, *p.Utilisation), append(weight, p.Load)
			}
		}
		o.P99Worst = known(P99(l0, rho))
		o.P99Cluster = known(MixtureP99(l0, util, weight))
	}
	return o
}

// failing is the share of client requests that fail. A partition at or above its capacity has no steady
// state. Of its requests the share 1-1/rho fails when the excess is shed, all of them when queues are
// unbounded. A request that needs several partitions fails when any of them fails it.
func (c Cluster) failing() *sketch.Estimate {
	serves := make([]float64, len(c.Partitions)) // the share that is served when the excess is shed
	var shed, lost float64
	for i, p := range c.Partitions {
		serves[i] = 1
		if p.Uncaptured || p.Load < c.Capacity {
			continue
		}
		serves[i] = c.Capacity / p.Load
		direct := max(0, p.Load-p.shadow)
		shed += direct * (1 - serves[i])
		lost += direct
	}
	for _, f := range c.fans {
		served, safe := 1.0, true
		for _, i := range f.on {
			served *= serves[i]
			safe = safe && (c.Partitions[i].Uncaptured || c.Partitions[i].Load < c.Capacity)
		}
		if !safe {
			shed += f.requests * (1 - served)
			lost += f.requests
		}
	}
	lower, upper := min(1, shed/c.Requests), min(1, lost/c.Requests)
	return &sketch.Estimate{Value: upper, Lower: lower, Upper: upper}
}

func known(x float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &x
}
