package partition

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The seed of hash partitions (HASH_PARTITION_SEED) and the constant of hash_combine64.
const (
	pgPartitionSeed = 0x7A5B22367996DCFD
	pgCombine       = 0x49a0f4dd15e5a8e3
)

var pgEncodings = []Encoding{encUTF8, encInt32, encInt64, encUUID, encHex}

var postgres = Partitioner{
	ID:        "postgres-hash",
	Title:     "PostgreSQL hash partitions",
	Text:      "PARTITION BY HASH of one column, one partition for each remainder of one modulus: remainder = hash of the value, combined, mod N. Text is hashed by its bytes, as in every deterministic collation; int2, int4 and int8 alike.",
	Source:    "PostgreSQL, partbounds.c (compute_partition_hash_value), hashfn.c, hashfunc.c",
	Encodings: pgEncodings,
	Shards:    "partition",
	build: func(o Options) (plan, error) {
		hash, n := pgHasher(o.Encoding), uint64(o.Shards)
		return plan{
			title: fmt.Sprintf("PostgreSQL hash partitions, modulus %d", n),
			parts: numbered(o.Shards),
			place: func(key []byte) int {
				b, c := hash(key, pgPartitionSeed)
				return int(((uint64(b)<<32 | uint64(c)) + pgCombine) % n)
			},
		}, nil
	},
}

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

// pgHasher returns the hash function of a column's type.
func pgHasher(encoding string) func(key []byte, seed uint64) (b, c uint32) {
	switch encoding {
	case encInt32.ID:
		return func(key []byte, seed uint64) (b, c uint32) {
			return pgHashInt(int64(int32(binary.BigEndian.Uint32(key))), seed)
		}
	case encInt64.ID:
		return func(key []byte, seed uint64) (b, c uint32) {
			return pgHashInt(int64(binary.BigEndian.Uint64(key)), seed)
		}
	}
	return pgHash
}
