package analyze

// FindingKind documents one kind of finding.
type FindingKind struct{ ID, Title, Text string }

// FindingKinds lists every kind of finding, by ID.
func FindingKinds() []FindingKind {
	return []FindingKind{
		{"KS101", "read-hot key", "One key takes at least 1% of all requests (or 20% of a partition's fair share, if that is more; or 20% of the capacity, where one is given), over the whole input or in some window, and at least 80% of them read it. Hashing puts a key on one shard, whatever the number of shards: reads are taken away by caching or by copies."},
		{"KS102", "write-hot key", "A hot key of which at least 80% of the requests write. Caching does not help writes. If what is written can be put together again (counters, sets, lists), the key can be split."},
		{"KS103", "hot key, read and written", "A hot key with neither 80% reads nor 80% writes."},
		{"KS190", "polls left out", "Blocking commands (BLPOP, XREAD BLOCK) show when they are issued, not when they are served, so an idle consumer looks busy. They are counted, and left out of every rate and share."},
		{"KS201", "uneven shards", "The busiest shard has at least 1.5 times its fair share of the requests, its fair share being its part of the slots, with at least 1,000 requests a shard. Compare its share of the keys: where that is fair, a few hot keys are the reason; where it is not, it owns too many keys."},
		{"KS202", "shard near its capacity", "A shard's busiest second came to 70% or more (95%: critical) of the capacity that was given."},
		{"KS203", "ran at its limit", "For a third of the time or more the rate stood within 5% of its highest, while the rest lay clearly lower: the server may have served what it could, or the load itself was level. A server's own capture cannot tell: it does not show what it was asked for. Medium confidence."},
		{"KS301", "time-ordered keys", "New keys of a family arrive in the order of their names: sequences, times, UUIDs of version 1, 6 and 7, ULIDs, Snowflakes and the like. A store that keeps ranges of keys together (HBase, Bigtable, Spanner, CockroachDB, TiDB, MongoDB with ranged sharding) writes all of them to one range, however many nodes there are. Stores that hash keys (Redis Cluster, Memcached, DynamoDB and Cassandra partition keys, MongoDB with hashed sharding) spread them. Cure: put a hash or a reversed part in front, or use random ids. Judged on at least 50 keys of a sample, the second half of them held against the first: rank correlation 0.6 or more, and 80% of them in one of ten ranges; or an id whose decoded time rises with the time of its record."},
		{"KS302", "partly time-ordered keys", "As KS301, with a rank correlation of 0.4 or more and 40% of the new keys in one of ten ranges; or a few sequences that take turns."},
		{"KS401", "key above the popularity of the others", "The largest keys follow Zipf's law, and this one has at least twice what the law gives its place. It is not the usual popularity: something draws requests to this key. It is left out of the fit."},
		{"KS402", "more shards help little", "One key stays on one shard. With a share p of the requests on it, M shards serve at most C/(p + (1-p)/M) requests per second and any number at most C/p, with C the capacity of one. Here four times as many shards serve less than twice as much. Cache, copy or split the key instead."},
		{"KS501", "lines that could not be read", "Some lines of an input are no requests and no known banner. They are counted by reason, with the first line numbers, and are in no figure."},
	}
}
