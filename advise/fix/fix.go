// Package fix holds the remedies for a hot key, one file each: what a remedy does, how large it must be,
// what it costs and when not to take it.
//
// A Case enters (one key, its load and its cluster in one window), an Evaluation leaves: whether the
// remedy can be done, whether it brings the key's partitions under the target, and with what sizes, or
// why not, in numbers. Every size is checked with the load model before it is returned.
package fix

import (
	"fmt"
	"math"

	"keyskew/advise/store"
	"keyskew/advise/whatif"
	"keyskew/analyze"
)

// Fix is one remedy.
type Fix struct {
	ID, Title string
	// Text says when it wins, what it costs and when not to take it.
	Text string
	// Source is where the remedy or its sizing is from.
	Source   string
	Evaluate func(Case) Evaluation
}

// All lists the remedies that are evaluated for every hot key.
func All() []Fix { return []Fix{Cache, Split, Replicate, Isolate} }

// Find returns the remedy with that ID.
func Find(id string) (Fix, bool) {
	for _, f := range All() {
		if f.ID == id {
			return f, true
		}
	}
	return Fix{}, false
}

// Case is one key in the window in which remedies are tried.
type Case struct {
	Key analyze.Key
	// Load is the key's load in the window; Load.Partition must be an index of Cluster.Partitions.
	Load    whatif.Key
	Cluster whatif.Cluster
	// Together is the load of the listed keys that share the key's slot, and TogetherKeys their number:
	// they move with it.
	Together     float64
	TogetherKeys int
	Store        store.Profile
	// Target is the utilisation that a partition is to stay under, 0 to 1.
	Target float64
	// TTL of a cached copy in seconds.
	TTL float64
	// Servers is the number of application servers; 0 when unknown, then one is assumed.
	Servers int
	// Limit, where the capacity is unknown, is the load from which a key is hot on one partition; 0 when
	// that is unknown too.
	Limit float64
	// Place maps a key to the index of its partition, negative when none owns it; nil when unknown.
	Place func(key []byte) int
}

// Params sizes a remedy; only what the remedy uses is set.
type Params struct {
	Slots     int
	SlotNames [][]byte
	Copies    int
	CopyNames [][]byte
	TTL       float64 // seconds
	MoveSlots []int
}

// Evaluation is what a remedy would do in a case.
type Evaluation struct {
	// Feasible says that it can be done; then all but Reason is set.
	Feasible bool
	// Passes says that it brings the key's partitions under the target, or, where the capacity is
	// unknown, that it leaves the key below the limit or at half its load on every partition, and
	// that no partition becomes busier than the busiest was.
	Passes bool
	// Reason says why it is not feasible or does not pass.
	Reason string
	// Title is one line: what to do. It does not name the key.
	Title  string
	Params Params
	After  whatif.Cluster
	// Residual is the load left on the key and its parts, all together.
	Residual              float64
	Costs, NotIf, Assumed []string
}

// maxPieces is how many slots or copies are at most advised: beyond it a key needs another design.
const maxPieces = 128

// defaultPieces is how many are advised where neither capacity nor limit tells.
const defaultPieces = 8

func (c Case) known() bool { return c.Cluster.Capacity > 0 }

// room is what a partition is to carry at most, where the capacity is known.
func (c Case) room() float64 { return c.Target * c.Cluster.Capacity }

// goal is what the key is to put on one partition at most, where the capacity is unknown: less than
// makes it hot, or half of what it is.
func (c Case) goal() float64 {
	if c.Limit < c.Load.Load() {
		return max(c.Limit, c.Load.Load()/2)
	}
	return c.Load.Load() / 2
}

func (c Case) home() whatif.Partition { return c.Cluster.Partitions[c.Load.Partition] }

// single reports that there is no other partition that pieces could go to.
func (c Case) single() bool { return c.Cluster.Hashed() == 1 && !c.Cluster.Open }

// where names the key's partition.
func (c Case) where() string {
	if c.Cluster.Open {
		return "the captured node"
	}
	return "shard " + Escape(c.home().ID)
}

// level is a load as people read it here: of the capacity where that is known.
func (c Case) level(load float64) string {
	if c.known() {
		return Percent(load / c.Cluster.Capacity)
	}
	return Number(load) + " req/s"
}

// bound is the refreshes per second that the servers' caches need.
func (c Case) bound() float64 { return float64(max(1, c.Servers)) / c.TTL }

// passes judges a state that a remedy leaves.
func (c Case) passes(after whatif.Cluster) bool {
	if busiest(after) > busiest(c.Cluster)*(1+1e-9) {
		return false
	}
	if !c.known() {
		return c.heaviest(after) <= c.goal()*(1+1e-9)
	}
	for i, p := range after.Partitions {
		overBefore := i < len(c.Cluster.Partitions) && i != c.Load.Partition && c.Cluster.Partitions[i].Load > c.room()
		if !p.Uncaptured && p.Load > c.room() && !overBefore {
			return false
		}
	}
	return true
}

// heaviest is the largest load that the key and its parts put on one partition.
func (c Case) heaviest(after whatif.Cluster) float64 {
	most := 0.0
	for i, p := range after.Partitions {
		rest := 0.0
		if i < len(c.Cluster.Partitions) {
			rest = c.Cluster.Partitions[i].Load
		}
		if i == c.Load.Partition {
			rest = max(0, rest-c.Load.Load())
		}
		most = max(most, p.Load-rest)
	}
	return most
}

func (c Case) touched(after whatif.Cluster) float64 {
	return after.Touched(c.Cluster, c.Load.Partition)
}

func busiest(c whatif.Cluster) float64 {
	most := 0.0
	for _, p := range c.Partitions {
		if !p.Uncaptured {
			most = max(most, p.Load)
		}
	}
	return most
}

// trial is one size of a remedy that makes pieces, tried.
type trial struct {
	n      int
	names  [][]byte
	after  whatif.Cluster
	passes bool
}

// size tries a remedy with n pieces and, where the capacity is known, with more until it passes: pieces
// land unevenly, and a receiving partition has a load of its own. It stops when the cluster as a whole
// would be over the target.
func (c Case) size(n int, remedy func(n int) whatif.Remedy) trial {
	var best trial
	last := n
	if c.known() {
		last = min(maxPieces, n+64)
	}
	for ; n <= last; n++ {
		names, at := c.names(n)
		t := trial{n: n, names: names, after: c.Cluster.Apply(c.Load, remedy(n), at)}
		t.passes = c.passes(t.after)
		if best.n == 0 || t.passes || c.touched(t.after) < c.touched(best.after) {
			best = t
		}
		if t.passes || c.known() && !c.Cluster.Open && total(t.after) > c.room()*float64(t.after.Hashed()) {
			break
		}
	}
	return best
}

func total(c whatif.Cluster) float64 {
	sum := c.Elsewhere
	for _, p := range c.Partitions {
		sum += p.Load
	}
	return sum
}

// names makes the names of n pieces and where they land; places are nil when unknown.
func (c Case) names(n int) (names [][]byte, at []int) {
	if long(c.Key.Key) {
		return nil, nil
	}
	if c.Place == nil || c.Cluster.Open {
		names, _, _ = SubKeys(c.Key.Key, c.Store.HashTags, n, 1, func([]byte) int { return 0 })
		return names, nil
	}
	to := c.receivers()
	index := make(map[int]int, len(to))
	for i, p := range to {
		index[p] = i
	}
	names, at, _ = SubKeys(c.Key.Key, c.Store.HashTags, n, len(to), func(name []byte) int {
		if i, ok := index[c.Place(name)]; ok {
			return i
		}
		return -1
	})
	for i, j := range at {
		if j >= 0 {
			at[i] = to[j]
		}
	}
	return names, at
}

// receivers lists the partitions that pieces are put on. Those that are busy themselves are spared, so
// that one hot key is not divided onto another: they are over the target or, where the capacity is
// unknown, a quarter above the mean.
func (c Case) receivers() []int {
	load := make([]float64, c.Cluster.Hashed())
	mean := 0.0
	for i := range load {
		load[i] = c.Cluster.Partitions[i].Load
		if i == c.Load.Partition {
			load[i] -= c.Load.Load()
		}
		mean += load[i] / float64(len(load))
	}
	most := 1.25 * mean
	if c.known() {
		most = c.room()
	}
	var to, all []int
	for i := range load {
		all = append(all, i)
		if load[i] <= most*(1+1e-9) {
			to = append(to, i)
		}
	}
	if len(to) == 0 {
		return all
	}
	return to
}

// capPieces keeps a number of pieces within reason; where the layout is known and the capacity is not,
// more pieces than partitions do not help.
func (c Case) capPieces(n int) int {
	most := maxPieces
	if !c.known() && !c.Cluster.Open {
		most = min(most, len(c.receivers()))
	}
	return max(2, min(n, most))
}

// assumptions about where pieces land.
func (c Case) placing(pieces string) []string {
	var out []string
	switch {
	case c.Cluster.Open:
		out = append(out, fmt.Sprintf("the capture is one node of several, and the %s land on different ones (name the layout: --shards or --topology)", pieces))
	case long(c.Key.Key):
		out = append(out, fmt.Sprintf("the key is too long to name its %s: they are put as unevenly as 95%% of hashings do at most", pieces))
	case c.Place == nil:
		out = append(out, fmt.Sprintf("where a piece lands is unknown: the %s are put as unevenly as 95%% of hashings do at most", pieces))
	default:
		if spared := c.Cluster.Hashed() - len(c.receivers()); spared > 0 {
			out = append(out, fmt.Sprintf("the names spare %s that %s busy already", plural(spared, "shard"), isAre(spared)))
		}
	}
	for _, p := range c.Cluster.Partitions {
		if p.Uncaptured {
			return append(out, "the shards that were not captured have room")
		}
	}
	return out
}

// ceilInt is a quotient rounded up, as an int that cannot wrap. A quotient that is a whole number but
// for rounding is taken as that number.
func ceilInt(x float64) int {
	if !(x > 0) {
		return 0
	}
	if x > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(math.Ceil(x * (1 - 1e-12)))
}
