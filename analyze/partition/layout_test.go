package partition

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// sample is one layout of every partitioner, and of every encoding and kind of topology that changes how
// keys are placed.
func sample(t testing.TB) []*Layout {
	const shardsJSON = `{"Shards":[{"ShardId":"s0","HashKeyRange":{"StartingHashKey":"0","EndingHashKey":"99"}},` +
		`{"ShardId":"s1","HashKeyRange":{"StartingHashKey":"100","EndingHashKey":"340282366920938463463374607431768211455"}}]}`
	const chunks = `{"min":{"a":{"$minKey":1}},"max":{"a":5},"shard":"s0"} {"min":{"a":5},"max":{"a":{"$maxKey":1}},"shard":"s1"}`
	return []*Layout{
		layout(t, "redis-cluster", 8, "", ""), layout(t, "redis-cluster", 8, "", "base64"),
		layout(t, "redis-cluster", 0, "a\t0-99\nb\t200-16383\n", ""),
		layout(t, "explicit", 0, "", ""),
		layout(t, "kafka-murmur2", 12, "", ""), layout(t, "kafka-murmur2", 12, "", "int64"), layout(t, "kafka-murmur2", 12, "", "uuid"),
		layout(t, "kafka-crc32", 12, "", ""), layout(t, "kafka-fnv1a", 12, "", ""), layout(t, "kafka-fnv1a-reference", 12, "", "hex"),
		layout(t, "mod-crc32", 7, "", ""), layout(t, "mod-crc32,extract=tag", 7, "", ""), layout(t, "mod-crc32,extract=[0-9]+", 7, "", ""),
		layout(t, "mod-fnv1a-32", 7, "", ""), layout(t, "mod-fnv1a-64", 7, "", ""), layout(t, "mod-xxh64", 7, "", ""),
		layout(t, "mod-md5", 7, "", ""), layout(t, "mod-sha1", 7, "", ""), layout(t, "mod-int", 7, "", ""),
		layout(t, "jump", 7, "", ""), layout(t, "rendezvous", 7, "", ""),
		layout(t, "modula", 7, "", ""), layout(t, "ketama", 0, weightedServers, ""), layout(t, "ketama-plain", 0, threeServers, ""),
		layout(t, "twemproxy,pool=p", 0, "p:\n  listen: 1:2\n  hash_tag: '[]'\n  servers:\n   - a.b:1:1\n   - /tmp/x:2 name\n", ""),
		layout(t, "mcrouter", 7, "", ""), layout(t, "mcrouter,hash=ConstShard", 7, "", ""),
		layout(t, "cassandra", 7, "", ""), layout(t, "cassandra", 7, "", "int32:utf8"), layout(t, "cassandra", 0, "-100\ta\n77\tb\n", ""),
		layout(t, "scylla,cores=4", 7, "", ""),
		layout(t, "ranges", 0, "\tg\tlow\nm\tz\tmiddle\tn1\nz\t\tlow\n", ""),
		layout(t, "elasticsearch", 7, "", ""),
		layout(t, "mongodb-hashed", 7, "", ""), layout(t, "mongodb-hashed", 7, "", "int64"), layout(t, "mongodb-hashed", 0, chunks, "decimal"),
		layout(t, "postgres-hash", 7, "", ""), layout(t, "postgres-hash", 7, "", "int64"), layout(t, "citus-hash", 7, "", ""),
		layout(t, "kinesis", 7, "", ""), layout(t, "kinesis", 0, shardsJSON, ""),
	}
}

// Every partitioner is in the sample, so that the tests below speak for all of them.
func TestSampleIsComplete(t *testing.T) {
	have := map[string]bool{}
	for _, l := range sample(t) {
		have[l.Partitioner] = true
	}
	for _, p := range Partitioners() {
		if have[p.ID] == (p.Refusal != "") {
			t.Errorf("%s: in the sample: %v, refused: %q", p.ID, have[p.ID], p.Refusal)
		}
	}
}

var keysOfAllKinds = [][]byte{
	{}, []byte("a"), []byte("user:1001"), []byte("{tag}:1"), []byte("[tag]:1"), []byte("café"), []byte("\xff\xfe\x00"), []byte("42"), []byte("7:name"),
	[]byte("-9223372036854775808"), []byte("00010203-0405-0607-0809-0a0b0c0d0e0f"), []byte("deadbeef"), []byte("AAECAw=="),
	[]byte("/a/b/c|#|d"), []byte("b:3:meh"), []byte(strings.Repeat("long key ", 300)),
}

// A key's partition is one of the layout's, or -1; it is the same every time, from any goroutine.
func TestOfLaws(t *testing.T) {
	layouts := sample(t)
	rapid.Check(t, func(t *rapid.T) {
		key := []byte(rapid.OneOf(rapid.String(), rapid.StringMatching(`-?[0-9]{1,19}`), rapid.StringMatching(`[0-9a-f]{0,40}`)).Draw(t, "key"))
		for _, l := range layouts {
			at := l.Of(key)
			if at < -1 || at >= len(l.Partitions) {
				t.Fatalf("%s: %q goes to %d of %d", l.Title, key, at, len(l.Partitions))
			}
			if again := l.Of(slices.Clone(key)); again != at {
				t.Fatalf("%s: %q goes to %d, then to %d", l.Title, key, at, again)
			}
			if l.BySlot() && l.OfSlot(Slot(key)) != at {
				t.Fatalf("%s: %q goes to %d, its slot to %d", l.Title, key, at, l.OfSlot(Slot(key)))
			}
		}
	})
	for _, l := range layouts {
		var want, got [16]int
		for i, key := range keysOfAllKinds {
			want[i] = l.Of(key)
		}
		var wg sync.WaitGroup
		for i, key := range keysOfAllKinds {
			wg.Go(func() { got[i] = l.Of(key) })
		}
		wg.Wait()
		if got != want {
			t.Errorf("%s: %v from goroutines, %v from one", l.Title, got, want)
		}
	}
}

// Fair shares are those that random keys get, wherever the hash decides; they add up to 1 where nothing is
// left out.
func TestFairShares(t *testing.T) {
	const n = 60000
	for _, l := range sample(t) {
		var sum float64
		for _, p := range l.Partitions {
			sum += p.Fair
		}
		counts, placed := make([]int, len(l.Partitions)), 0
		for i := range n {
			if at := l.Of(fmt.Appendf(nil, "%d", i)); at >= 0 {
				counts[at]++
				placed++
			}
		}
		if sum > 1+1e-9 || placed == n && sum < 1-1e-9 {
			t.Errorf("%s: fair shares add up to %v", l.Title, sum)
		}
		if placed < n/2 || l.Partitioner == "ranges" {
			continue
		}
		for i, p := range l.Partitions {
			if share := float64(counts[i]) / n; math.Abs(share-p.Fair) > 0.012 {
				t.Errorf("%s: %s has %.4f of the keys and a fair share of %.4f", l.Title, p.ID, share, p.Fair)
			}
		}
	}
}

// ID tells layouts apart that place some key elsewhere.
func TestLayoutID(t *testing.T) {
	seen := map[string]*Layout{}
	for _, l := range sample(t) {
		if other := seen[l.ID()]; other != nil {
			t.Errorf("%s and %s have the same ID", l.Title, other.Title)
		}
		seen[l.ID()] = l
	}
	for _, l := range sample(t) {
		if seen[l.ID()] == nil {
			t.Errorf("%s has another ID when it is made again", l.Title)
		}
	}
	same := func(a, b *Layout, want bool) {
		t.Helper()
		if (a.ID() == b.ID()) != want {
			t.Errorf("%s (%s) and %s (%s): the same: %v, want %v", a.Title, a.ID(), b.Title, b.ID(), !want, want)
		}
	}
	same(layout(t, "kafka-murmur2", 12, "", ""), layout(t, "kafka-murmur2", 12, "", "utf8"), true)
	same(layout(t, "kafka-murmur2", 12, "", ""), layout(t, "kafka-murmur2", 13, "", ""), false)
	same(layout(t, "cassandra", 0, "1\ta\n2\tb\n", ""), layout(t, "cassandra", 0, "2\tb\n1\ta\n", ""), false) // other indexes
	same(layout(t, "cassandra", 0, "1\ta\n2\tb\n", ""), layout(t, "cassandra", 0, "1\ta\n3\tb\n", ""), false)
	same(layout(t, "redis-cluster", 0, "a\t0-9\nb\t10-99\n", ""), layout(t, "redis-cluster", 0, "a\t0-8\nb\t9-99\n", ""), false)
	same(layout(t, "redis-cluster", 0, "a\t0-9\nb\t10-99\n", ""), layout(t, "redis-cluster", 0, "b\t10-99\na\t0-9\n", ""), true)
	same(layout(t, "ketama", 0, threeServers, ""), layout(t, "ketama", 0, weightedServers, ""), false)
	same(layout(t, "ketama", 0, threeServers, ""), layout(t, "ketama,names=full", 0, threeServers, ""), false)
	same(layout(t, "modula", 0, threeServers, ""), layout(t, "modula", 0, weightedServers, ""), true) // weights are ignored
}

func TestImpossibleLayouts(t *testing.T) {
	nodes := &Map{Kind: "cluster-nodes"}
	for _, tt := range []struct {
		spec string
		o    Options
		want string
	}{
		{"dynamodb", Options{Shards: 3}, "dynamodb cannot be computed: the hash of the partition key is internal"},
		{"cosmosdb", Options{}, "cosmosdb cannot be computed: "}, {"firestore", Options{}, "firestore cannot be computed: "},
		{"spanner", Options{Map: nodes}, "spanner cannot be computed: "},
		{"kafka-murmur2", Options{}, "kafka-murmur2 needs the number of partitions, or a topology file (kafka-topics)"},
		{"jump", Options{}, "jump needs the number of shards"},
		{"ketama", Options{Shards: 3}, "ketama needs a topology file (server-list): a number of shards does not say where keys are"},
		{"ranges", Options{Shards: 3}, "ranges needs a topology file (key-ranges)"},
		{"kafka-murmur2", Options{Shards: 3, Map: nodes}, "exclude each other"},
		{"kafka-murmur2", Options{Map: nodes}, "kafka-murmur2 cannot use a topology file of the kind cluster-nodes; it takes kafka-topics"},
		{"cassandra", Options{Map: nodes}, "it takes nodetool-ring, nodetool-describering or token-map"},
		{"jump", Options{Map: nodes}, "jump takes no topology file"},
		{"explicit", Options{Shards: 3}, "explicit takes no number of shards: the input names them"},
		{"kafka-murmur2", Options{Shards: MaxPartitions + 1}, "between 1 and 4096"},
		{"kafka-murmur2", Options{Shards: -1}, "between 1 and 4096"},
		{"kafka-murmur2", Options{Shards: 3, Encoding: "int128"}, `kafka-murmur2 has no key encoding "int128"; what it has: utf8, int32`},
		{"kafka-murmur2", Options{Shards: 3, Encoding: "int32:utf8"}, "kafka-murmur2 has no keys of several columns"},
		{"cassandra", Options{Shards: 3, Encoding: "int32:decimal"}, `cassandra has no key encoding "decimal"`},
		{"elasticsearch", Options{Shards: 3, Encoding: "int32"}, `elasticsearch has no key encoding "int32"`},
		{"elasticsearch,routing_shards=7", Options{Shards: 3}, "routing_shards=7 is no multiple of 3 shards"},
		{"elasticsearch,routing_shards=x", Options{Shards: 3}, "routing_shards=x: want a number from 3 to"},
		{"modula,hash=sha", Options{Shards: 3}, "hash=sha: want one of one_at_a_time"},
		{"mod-crc32,extract=(", Options{Shards: 3}, "extract=(: error parsing regexp"},
		{"scylla", Options{Shards: 3}, "scylla needs the parameter cores"},
		{"scylla,cores=1024", Options{Shards: 5}, "5 nodes with 1024 cores: at most 4096"},
		{"kafka-murmur2,topic=a", Options{Shards: 3}, "topic=a: there is no topology file"},
		{"mcrouter,pool=a", Options{Shards: 3}, "pool=a: there is no topology file"},
		{"mcrouter,hash=WeightedCh3", Options{Shards: 3}, "the hash WeightedCh3 of mcrouter is not computed here"},
	} {
		p, params, err := ParseSpec(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		tt.o.Params = params
		if _, err := p.Layout(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %+v: %v, want %q", tt.spec, tt.o, err, tt.want)
		}
	}
}

func TestParseSpec(t *testing.T) {
	p, params, err := ParseSpec("mod-crc32,extract=^a{1,2},b=c")
	if err != nil || p.ID != "mod-crc32" || params["extract"] != "^a{1,2},b=c" {
		t.Errorf("%s %v %v", p.ID, params, err)
	}
	for spec, want := range map[string]string{
		"": "want one of redis-cluster, explicit, kafka-murmur2", "dice": "want one of redis-cluster",
		"modula,hash": `"hash" is no parameter`, "modula,hash=": `"hash=" is no parameter`, "modula,hash=crc,hash=md5": "hash is given twice",
		"modula,seed=1": `modula has no parameter "seed"; what it has: hash, extract`, "kinesis,seed=1": `kinesis has no parameters, so no "seed"`,
	} {
		if _, _, err := ParseSpec(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
}

func TestExtract(t *testing.T) {
	whole := layout(t, "mod-crc32", 1000, "", "")
	for spec, keys := range map[string][2]string{
		"mod-crc32,extract=tag":          {"a{b}c", "b"},
		"mod-crc32,extract=[0-9]+":       {"user:1001:cart:7", "1001"},
		"mod-crc32,extract=^[^:]*:[^:]*": {"user:1001:cart:7", "user:1001"},
		"mod-crc32,extract=z":            {"abc", "abc"},
	} {
		if got, want := layout(t, spec, 1000, "", "").Of([]byte(keys[0])), whole.Of([]byte(keys[1])); got != want {
			t.Errorf("%s: %q goes to %d, %q to %d", spec, keys[0], got, keys[1], want)
		}
	}
}

func TestRanges(t *testing.T) {
	l := layout(t, "ranges", 0, "m\tz\tmiddle\tn1\n\tg\tlow\nz\\xff\t\tlow\n", "")
	for key, want := range map[string]string{
		"": "low", "a": "low", "fzz": "low", "g": "", "h": "", "m": "middle", "yyy": "middle", "z": "", "zz": "", "z\xff": "low", "z\xff\xff": "low",
	} {
		at, got := l.Of([]byte(key)), ""
		if at >= 0 {
			got = l.Partitions[at].ID
		}
		if got != want {
			t.Errorf("%q goes to %q, want %q", key, got, want)
		}
	}
	if l.Partitions[1].Node != "n1" {
		t.Errorf("%+v has no node", l.Partitions[1])
	}
}

// The hash ranges of a topology leave gaps where shards are missing.
func TestHashRanges(t *testing.T) {
	r, parts, err := newHashRanges([]HashRange{
		{wide{0, 200}, wide{1, 0}, "b"}, {wide{0, 0}, wide{0, 99}, "a"}, {wide{2, 5}, wide{2, 5}, "a"},
	}, math.Pow(2, 128))
	if err != nil || len(parts) != 2 || parts[0].ID != "a" {
		t.Fatalf("%+v %v", parts, err)
	}
	for hash, want := range map[wide]int{
		{0, 0}: 0, {0, 99}: 0, {0, 100}: -1, {0, 199}: -1, {0, 200}: 1, {0, math.MaxUint64}: 1, {1, 0}: 1, {1, 1}: -1,
		{2, 4}: -1, {2, 5}: 0, {2, 6}: -1, {math.MaxUint64, math.MaxUint64}: -1,
	} {
		if got := r.of(hash); got != want {
			t.Errorf("%v belongs to %d, want %d", hash, got, want)
		}
	}
	if _, _, err := newHashRanges([]HashRange{{wide{0, 0}, wide{0, 9}, "a"}, {wide{0, 9}, wide{0, 20}, "b"}}, 1); err == nil {
		t.Error("overlapping ranges were accepted")
	}
}

func BenchmarkOf(b *testing.B) {
	for _, l := range sample(b) {
		b.Run(l.Partitioner, func(b *testing.B) {
			key := []byte("user:1001:session")
			if l.encode != nil {
				for _, candidate := range keysOfAllKinds[1:] { // one that the encoding can be
					if l.Of(candidate) >= 0 {
						key = candidate
						break
					}
				}
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(key)))
			for b.Loop() {
				l.Of(key)
			}
		})
	}
}
