package partition

import (
	"encoding/binary"
	"fmt"
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
