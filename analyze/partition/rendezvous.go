package partition

import (
	"github.com/cespare/xxhash/v2"
)

var rendezvous = Partitioner{
	ID:         "rendezvous",
	Title:      "rendezvous hashing (highest random weight)",
	Text:       "Each server scores xxHash64(name, a zero byte, key); the highest score has the key, the first server on a tie. Implementations differ in hash and score: this is keyskew's own, for the question what rendezvous hashing would do.",
	Source:     "Thaler, Ravishankar (1998), \"Using name-based mappings to increase hit rates\", IEEE/ACM Transactions on Networking 6(1)",
	Encodings:  []Encoding{encUTF8, encHex, encBase64},
	Params:     []Param{extractParam},
	Shards:     "shard",
	Topologies: []string{"server-list"},
	build: func(o Options) (plan, error) {
		part, err := o.extractor()
		if err != nil {
			return plan{}, err
		}
		parts := numbered(o.Shards)
		if o.Map != nil {
			if parts, err = serverPartitions(o.Map.Pools[0].Servers, nil); err != nil {
				return plan{}, err
			}
		}
		started := make([]xxhash.Digest, len(parts))
		for i, p := range parts {
			started[i].Reset()
			started[i].WriteString(p.ID)
			started[i].Write([]byte{0})
		}
		return plan{
			title: "rendezvous hashing, " + count(len(parts), "server"),
			parts: parts,
			place: func(key []byte) int {
				at, highest := 0, uint64(0)
				for i := range started {
					d := started[i]
					d.Write(part(key))
					if score := d.Sum64(); i == 0 || score > highest {
						at, highest = i, score
					}
				}
				return at
			},
		}, nil
	},
}
