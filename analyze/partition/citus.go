package partition

import (
	"fmt"
	"math"
)

var citus = Partitioner{
	ID:        "citus-hash",
	Title:     "Citus hash-distributed table",
	Text:      "hash(distribution column) as a signed 32-bit number lies in the range of one shard. A number of shards divides the 32 bits evenly, as create_distributed_table does. Text is hashed as hashtext does, numbers as hashint8 does.",
	Source:    "PostgreSQL, hashfn.c; Citus, create_shards.c (CreateShardsWithRoundRobinPolicy)",
	Encodings: pgEncodings,
	Shards:    "shard",
	build: func(o Options) (plan, error) {
		hash, n := pgHasher(o.Encoding), o.Shards
		width := uint64(1<<32) / uint64(n)
		parts := numbered(n)
		for i := range parts {
			parts[i].Fair = float64(width) / (1 << 32)
		}
		parts[n-1].Fair = 1 - float64(n-1)*float64(width)/(1<<32)
		return plan{
			title: fmt.Sprintf("Citus, %s", count(n, "even hash range")),
			parts: parts,
			place: func(key []byte) int {
				_, c := hash(key, 0)
				return min(int(uint64(uint32(int64(int32(c))-math.MinInt32))/width), n-1)
			},
		}, nil
	},
}
