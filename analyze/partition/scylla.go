package partition

import (
	"fmt"
	"io"
	"math/bits"
	"strconv"
)

var scylla = Partitioner{
	ID:         "scylla",
	Title:      "ScyllaDB, nodes and their cores",
	Text:       "The node as in cassandra; in it, the core (called shard there) = (token + 2^63, its 12 highest bits dropped) x cores / 2^64. Tables with tablets are placed otherwise: give their tablets as a token-map.",
	Source:     "ScyllaDB, dht/token-sharding.cc (biased-token-round-robin); scylladb/python-driver, ShardingInfo",
	Encodings:  cassandraEncodings,
	Composite:  true,
	Params:     []Param{{"cores", "the cores of each node that serve requests (SCYLLA_NR_SHARDS), 1 to 1024"}, {"ignore_msb", "the bits that are dropped (murmur3_partitioner_ignore_msb_bits), 12"}},
	Shards:     "node",
	Topologies: tokenKinds,
	build: func(o Options) (plan, error) {
		cores, err := o.number("cores", 0, 1, 1024)
		if err != nil {
			return plan{}, err
		}
		if cores == 0 {
			return plan{}, fmt.Errorf("scylla needs the parameter cores: scylla,cores=8")
		}
		ignore, err := o.number("ignore_msb", 12, 0, 63)
		if err != nil {
			return plan{}, err
		}
		r, nodes, err := tokenRing(o)
		if err != nil {
			return plan{}, err
		}
		if len(nodes)*cores > MaxPartitions {
			return plan{}, fmt.Errorf("%d nodes with %d cores: at most %d can be told apart", len(nodes), cores, MaxPartitions)
		}
		parts := make([]Partition, 0, len(nodes)*cores)
		for _, node := range nodes {
			for core := range cores {
				parts = append(parts, Partition{ID: node.ID + "/" + strconv.Itoa(core), Node: node.ID, Fair: node.Fair / float64(cores)})
			}
		}
		return plan{
			title: fmt.Sprintf("ScyllaDB, %s, %s each", ringTitle(r, nodes), count(cores, "core")),
			parts: parts,
			place: func(key []byte) int {
				at := place(token(key))
				node := r.of(at)
				if node < 0 {
					return -1
				}
				core, _ := bits.Mul64(at<<ignore, uint64(cores))
				return node*cores + int(core)
			},
			shape: func(w io.Writer) { r.shape(w) },
		}, nil
	},
}
