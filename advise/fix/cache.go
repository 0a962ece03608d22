package fix

import (
	"fmt"
	"math"

	"keyskew/advise/whatif"
	"keyskew/ingest/request"
)

// Cache keeps a local copy in the application.
var Cache = Fix{
	ID:    "cache",
	Title: "Cache the key in the application",
	Text: "Each application server keeps the value for a short time and refreshes it with one request at a " +
		"time (single flight), so that a key read at any rate costs the store at most servers / TTL reads a " +
		"second. Wins for read-hot keys: it takes load away instead of moving it. Costs staleness up to the " +
		"TTL and an entry in every process. Does nothing for writes. Not when a reader must see the last " +
		"write.",
	Source: "Residual R/(1 + R TTL/A) of Poisson readers on A servers (renewal argument: a miss, then TTL " +
		"without one); bound A/TTL",
	Evaluate: cache,
}

// CacheResidual is what A servers that cache for ttl seconds leave of reads per second: the rate to expect
// with independent (Poisson) readers and single flight, and the bound that no reader pattern passes.
func CacheResidual(reads float64, servers int, ttl float64) (expected, bound float64) {
	a := float64(max(1, servers))
	if !(ttl > 0) {
		return reads, reads
	}
	return reads / (1 + reads*ttl/a), min(reads, a/ttl)
}

func cache(c Case) Evaluation {
	k := c.Load
	expected, bound := CacheResidual(k.Reads, c.Servers, c.TTL)
	saved := k.Reads - bound
	switch {
	case k.Reads == 0:
		return Evaluation{Reason: fmt.Sprintf("nothing to take: none of its %s req/s are reads", Number(k.Load()))}
	case saved <= 0:
		return Evaluation{Reason: fmt.Sprintf(
			"takes nothing: %s refreshing every %s may read %s times a second, it has %s reads/s now",
			plural(max(1, c.Servers), "server"), Seconds(c.TTL), Number(c.bound()), Number(k.Reads))}
	}
	r := whatif.Remedy{Cached: true, ReadBound: bound}
	e := Evaluation{
		Feasible: true,
		Title:    fmt.Sprintf("Cache it in the application for %s, one refresh per server", Seconds(c.TTL)),
		Params:   Params{TTL: c.TTL},
		After:    c.Cluster.Apply(k, r, nil),
		Residual: bound + k.Writes + k.Other,
		Costs: []string{
			fmt.Sprintf("readers see data up to %s old", Seconds(c.TTL)),
			"one entry in each application process",
		},
		NotIf:   []string{"a reader must see the last write"},
		Assumed: c.serversAssumed(),
	}
	if expected < 0.95*bound {
		e.Assumed = append(e.Assumed, fmt.Sprintf("refreshes at their bound of %s/s; about %s/s with independent readers", Number(bound), Number(expected)))
	}
	if c.byPart() {
		e.Assumed = append(e.Assumed, "reads ask for the same thing: each other field, member or range is a cache entry of its own")
	}
	e.Passes = c.passes(e.After)
	if !e.Passes {
		e.Reason = fmt.Sprintf("takes %s of its %s req/s (%s), %s are writes: %s",
			Number(saved), Number(k.Load()), Percent(saved/k.Load()), Number(k.Writes), c.still(e.After))
	}
	return e
}

// still says what a remedy that does not pass leaves.
func (c Case) still(after whatif.Cluster) string {
	before, now := busiest(c.Cluster), busiest(after)
	switch home := after.Partitions[c.Load.Partition].Load; {
	case c.known() && home > c.room():
		return fmt.Sprintf("leaves %s at %s", c.where(), c.level(home))
	case now > before:
		return fmt.Sprintf("raises the busiest shard from %s to %s", c.level(before), c.level(now))
	case c.known():
		return fmt.Sprintf("another shard would run at %s", c.level(now))
	default:
		return fmt.Sprintf("leaves %s req/s of it on one shard", Number(c.heaviest(after)))
	}
}

func (c Case) serversAssumed() []string {
	if c.Servers > 0 {
		return nil
	}
	return []string{fmt.Sprintf("1 application server (set --servers): each more adds up to %s/s", Number(1/c.TTL))}
}

// byPart reports that commands on the key name a member, field or offset.
func (c Case) byPart() bool {
	for _, t := range c.Key.Algebra.Tags() {
		if t.Split == request.ByPart {
			return true
		}
	}
	return false
}

// finite guards the sizes against inputs that are no rates.
func finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			return false
		}
	}
	return true
}
