package store

import "keyskew/analyze"

// Redis is Redis and Valkey, alone or as a cluster: commands run on one thread per node.
var Redis = Profile{
	ID:          "redis",
	Aliases:     []string{"valkey"},
	Title:       "Redis, Valkey",
	PlanningOps: 100_000,
	Kind:        analyze.Assumed,
	Source: "redis.io, \"Redis benchmark\": about 72,000 to 188,000 simple commands/s on one node without " +
		"pipelining, ten times that with 16 commands a batch; scripts and O(N) commands far fewer",
	Unit:        "hash slot",
	NeverSplits: "a key, and a slot: moving the slot only takes it away from its neighbours",
	HashTags:    true,
}
