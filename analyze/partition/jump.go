package partition

import (
	"github.com/cespare/xxhash/v2"
)

var jump = Partitioner{
	ID:        "jump",
	Title:     "jump consistent hash",
	Text:      "shard = jump(xxHash64(key), N): each added shard takes only 1/N of the keys from the others.",
	Source:    "Lamping, Veach (2014), \"A Fast, Minimal Memory, Consistent Hash Algorithm\", arXiv:1406.2294, figure 1",
	Encodings: []Encoding{encUTF8, encInt32, encInt64, encUUID, encHex, encBase64},
	Params:    []Param{extractParam},
	Shards:    "shard",
	build: func(o Options) (plan, error) {
		part, err := o.extractor()
		if err != nil {
			return plan{}, err
		}
		return plan{
			title: "jump consistent hash, " + count(o.Shards, "shard"),
			parts: numbered(o.Shards),
			place: func(key []byte) int { return jumpHash(xxhash.Sum64(part(key)), o.Shards) },
		}, nil
	},
}

// jumpHash is the algorithm of the paper: each step jumps to the next number of buckets at which the key
// would move.
func jumpHash(key uint64, buckets int) int {
	b, j := int64(-1), int64(0)
	for j < int64(buckets) {
		b = j
		key = key*2862933555777941757 + 1
		j = int64(float64(b+1) * (float64(1<<31) / float64(key>>33+1)))
	}
	return int(b)
}
