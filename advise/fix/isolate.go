package fix

import (
	"fmt"

	"keyskew/advise/whatif"
	"keyskew/ingest/request"
)

// Isolate gives the key a partition of its own.
var Isolate = Fix{
	ID:    "isolate",
	Title: "Give the key a shard of its own",
	Text: "The key's slot moves to an empty shard, or the key to an instance of its own. Wins where no other " +
		"remedy applies (a lock, a value that the last writer wins, an ordered stream) and one shard can carry " +
		"the key: its neighbours are free of it at once. Costs a shard. Never splits the key: when it alone is " +
		"more than a shard can serve, only its neighbours are saved. Not onto a shard with load of its own.",
	Source:   "Redis Cluster specification, \"Live reconfiguration\" (slots move, a key never splits)",
	Evaluate: isolate,
}

func isolate(c Case) Evaluation {
	k := c.Load
	if c.Key.Algebra&request.TogetherKeys != 0 {
		return Evaluation{Reason: "it is used in commands or scripts together with other keys, which must stay on its shard"}
	}
	own := k.Load()
	moved := own + c.Together
	rest := max(0, c.home().Load-moved)
	if rest < c.home().Load/100 {
		return Evaluation{Reason: fmt.Sprintf("it is alone already: the other keys of %s have %s of its %s req/s", c.where(), Number(rest), Number(c.home().Load))}
	}
	if c.known() && moved > c.room() {
		return Evaluation{Reason: fmt.Sprintf(
			"it alone needs %s of a shard (target %s): its neighbours' %s req/s would be saved, the key would not",
			Percent(moved/c.Cluster.Capacity), Percent(c.Target), Number(rest))}
	}
	k.Other += c.Together
	e := Evaluation{
		Feasible: true,
		Title:    "Give it a shard of its own",
		After:    c.Cluster.Apply(k, whatif.Remedy{Own: true}, nil),
		Residual: own,
		Costs: []string{
			"one more shard, for this key alone",
			fmt.Sprintf("the key itself gets no faster than one shard: it uses %s there", c.level(moved)),
		},
		NotIf: []string{"the shard that it moves to has load of its own: the key would melt that one"},
	}
	if c.Key.Slot >= 0 && !c.Cluster.Open {
		e.Title = fmt.Sprintf("Move slot %d to a shard of its own", c.Key.Slot)
		e.Params.MoveSlots = []int{c.Key.Slot}
		e.Assumed = append(e.Assumed, "keys of the same slot that are not listed have little load; they move along")
	}
	if c.TogetherKeys > 0 {
		e.Costs = append(e.Costs, fmt.Sprintf("%s of the same slot move along, with %s req/s", plural(c.TogetherKeys, "listed key"), Number(c.Together)))
	}
	if !c.known() {
		e.Assumed = append(e.Assumed, fmt.Sprintf("one shard can carry its %s req/s (the capacity is unknown: set --capacity)", Number(moved)))
	}
	e.Passes = c.passes(e.After)
	switch {
	case e.Passes:
	case c.known():
		e.Reason = fmt.Sprintf("without it %s would still run at %s", c.where(), c.level(rest))
	default:
		e.Reason = fmt.Sprintf("all %s req/s of it stay on one shard; %s keeps %s req/s", Number(own), c.where(), Number(rest))
	}
	return e
}
