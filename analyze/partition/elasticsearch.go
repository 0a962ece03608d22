package partition

import (
	"fmt"
	"math/bits"
)

var elasticsearch = Partitioner{
	ID:        "elasticsearch",
	Title:     "Elasticsearch, OpenSearch",
	Text:      "shard = (murmur3 of the routing value, or of _id, in UTF-16) mod routing shards / (routing shards / shards). An index made before version 7.0, or one that was split, has its own number of routing shards. Indexes with routing_partition_size spread a routing value over several shards and are not placed by this rule; a search without routing reaches every shard.",
	Source:    "Elasticsearch, IndexRouting.java, Murmur3HashFunction.java, MetadataCreateIndexService.java (calculateNumRoutingShards)",
	Encodings: []Encoding{encUTF8.as(appendUTF16)},
	Params:    []Param{{"routing_shards", "index.number_of_routing_shards, a multiple of the shards; the shards themselves before version 7.0"}},
	Shards:    "shard",
	build: func(o Options) (plan, error) {
		// From 7.0 on an index can be split, up to 1024 shards, and at least once.
		n := o.Shards
		routing, err := o.number("routing_shards", n<<max(1, 10-bits.Len(uint(n-1))), n, 1<<20)
		if err != nil {
			return plan{}, err
		}
		if routing%n != 0 {
			return plan{}, fmt.Errorf("routing_shards=%d is no multiple of %s", routing, count(n, "shard"))
		}
		factor := routing / n
		return plan{
			title: fmt.Sprintf("Elasticsearch, %s, %d routing shards", count(n, "shard"), routing),
			parts: numbered(n),
			place: func(key []byte) int {
				at := int(int32(murmur3(key, 0))) % routing
				if at < 0 {
					at += routing
				}
				return at / factor
			},
		}, nil
	},
}
