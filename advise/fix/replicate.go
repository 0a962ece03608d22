package fix

import (
	"fmt"

	"keyskew/advise/whatif"
	"keyskew/ingest/request"
)

// Replicate keeps several copies under different names.
var Replicate = Fix{
	ID:    "replicate",
	Title: "Keep copies of the key",
	Text: "Every write goes to n copies of the key on different shards, a read takes any one. Wins for " +
		"read-hot keys where the application may not keep stale data itself, and writes are few. Costs n writes " +
		"per write, and copies differ for a moment. Not when the writes alone fill a shard: every copy takes " +
		"them all.",
	Source:   "copies = ceil(R / (u C - W)); per copy R/n + W, in all R + n W",
	Evaluate: replicate,
}

// Copies is the number of copies that a key with these reads and writes per second needs so that each
// takes at most the share target of capacity; false when the writes alone are that much.
func Copies(reads, writes, capacity, target float64) (int, bool) {
	if !finite(reads, writes, capacity, target) || writes >= capacity*target {
		return 0, false
	}
	return ceilInt(reads / (capacity*target - writes)), true
}

func replicate(c Case) Evaluation {
	k := c.Load
	if k.Reads < k.Load()/20 {
		return Evaluation{Reason: fmt.Sprintf("nothing to spread: %s of its %s req/s are reads, and every copy would take all %s writes/s",
			Number(k.Reads), Number(k.Load()), Number(k.Writes))}
	}
	if c.single() {
		return Evaluation{Reason: fmt.Sprintf("there is one shard: all copies, with %s reads/s, would stay there", Number(k.Reads))}
	}
	n, assumed, ok := c.copies()
	if !ok {
		return Evaluation{Reason: fmt.Sprintf("its %s writes/s go to every copy, and leave no room below %s", Number(k.Writes), c.replicaRoom())}
	}
	if n > maxPieces {
		return Evaluation{Reason: fmt.Sprintf("its %s reads/s and %s writes/s need %s copies, more than %d", Number(k.Reads), Number(k.Writes), Number(float64(n)), maxPieces)}
	}
	t := c.size(c.capPieces(n), func(n int) whatif.Remedy { return whatif.Remedy{Copies: n} })
	piece, _ := k.Piece(whatif.Remedy{Copies: t.n})
	e := Evaluation{
		Feasible: true,
		Passes:   t.passes,
		Title:    fmt.Sprintf("Keep %d copies of it, write all, read any one", t.n),
		Params:   Params{Copies: t.n, CopyNames: t.names},
		After:    t.after,
		Residual: piece * float64(t.n),
		Costs: []string{
			fmt.Sprintf("every write goes to %d copies: %s writes/s become %s", t.n, Number(k.Writes), Number(k.Writes*float64(t.n))),
			"copies differ until the last one is written",
		},
		NotIf:   []string{"a reader must see the last write", "writes depend on the value they replace (counters, locks)"},
		Assumed: append(assumed, c.placing("copies")...),
	}
	if c.Key.Algebra&request.TogetherKeys != 0 {
		e.NotIf = append(e.NotIf, "its commands name other keys too: those would need copies beside each copy")
	}
	e.NotIf = append(e.NotIf, c.tagBroken("copies")...)
	if !e.Passes {
		e.Reason = fmt.Sprintf("%d copies take %s req/s each (%s writes go to every one): %s", t.n, Number(piece), Number(k.Writes), c.still(t.after))
	}
	return e
}

// copies is the number of copies to begin with.
func (c Case) copies() (n int, assumed []string, ok bool) {
	k := c.Load
	switch {
	case c.known():
		n, ok = Copies(k.Reads, k.Writes, c.Cluster.Capacity, c.Target)
		return n, nil, ok
	case c.Limit > k.Writes:
		n, ok = Copies(k.Reads, k.Writes, c.Limit, 1)
		return n, []string{fmt.Sprintf(
			"as many copies as bring the key below the hot threshold of %s req/s on each shard, or one per shard (the capacity is unknown: set --capacity)", Number(c.Limit))}, ok
	case c.goal() > k.Writes:
		return defaultPieces, []string{fmt.Sprintf("%d copies, or one per shard (the capacity is unknown: set --capacity)", defaultPieces)}, true
	default:
		return 0, nil, false
	}
}

func (c Case) replicaRoom() string {
	if c.known() {
		return fmt.Sprintf("the %s req/s that a shard is to carry", Number(c.room()))
	}
	return fmt.Sprintf("%s req/s a shard", Number(c.goal()))
}
