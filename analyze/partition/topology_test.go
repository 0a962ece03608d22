package partition

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"keyskew/golden"
)

func corpus(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(golden.Corpus(t, "topology", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// of makes the layout of a topology file with the partitioner that it is for, and says what is in it.
func of(t *testing.T, spec, text string) string {
	t.Helper()
	m, err := ReadTopology([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	id, params, _ := strings.Cut(spec, ",")
	if id == "" {
		id = m.Default
	}
	if params != "" {
		id += "," + params
	}
	return m.Kind + " " + describe(layout(t, id, 0, text, ""))
}

func describe(l *Layout) string {
	out := []string{l.Partitioner}
	for _, p := range l.Partitions {
		text := p.ID
		if p.Node != "" {
			text += "@" + p.Node
		}
		switch {
		case l.owner != nil:
			var ranges []string
			for _, r := range p.Slots {
				ranges = append(ranges, r.String())
			}
			text += "=" + strings.Join(ranges, ",")
		case p.Fair != 1/float64(len(l.Partitions)):
			text += fmt.Sprintf("=%.4f", p.Fair)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// Every topology file of the corpus is read as what it is.
func TestTopologyCorpus(t *testing.T) {
	const redis = "cluster-nodes redis-cluster "
	const nine = redis + "127.0.0.1:7479=0-10000 127.0.0.1:7481=10001-16383"
	for _, tt := range []struct{ file, spec, want string }{
		{"cluster_nodes_hostnames.txt", "", redis + "127.0.0.1:30001=0-5460 127.0.0.1:30002=5461-10922 127.0.0.1:30003=10923-16383"},
		{"cluster_nodes_after_reshard_noaddr.txt", "", redis + "97a3a646=0-5959,10922-11422 127.0.0.1:7001=5960-10921 127.0.0.1:7002=11423-16383"},
		{"cluster_nodes_after_reshard_3ranges_2016.txt", "", redis + "127.0.0.1:7002=0-998,5461-6461,10923-16383 127.0.0.1:7000=999-5460 127.0.0.1:7001=6462-10922"},
		{"cluster_nodes_lettuce_nodesWithBusPort.txt", "", redis + "127.0.0.1:7379=0-11999 127.0.0.1:7380=12000-16383"},
		{"cluster_nodes_lettuce_nodes.txt", "", redis + "127.0.0.1:7379=0-6999,7001-7999,12001 127.0.0.1:7381=7000,12000,12002-16383 127.0.0.1:7380=8000-11999"},
		{"cluster_nodes_redispy_failed.txt", "", redis + "172.17.0.7:7005=0-5460 172.17.0.7:7003=5461-10922 172.17.0.7:7004=10923-16383"},
		{"cluster_nodes_with_empty_master.txt", "", redis + "127.0.0.1:7000=0-5959,10922-11422 127.0.0.1:7001=5960-10921 127.0.0.1:7005=11423-16383"},
		{"nodesconf_ssl-test-cluster_node-7479.conf", "", nine},
		{"nodesconf_ssl-test-cluster_node-7480.conf", "", nine},
		{"nodesconf_ssl-test-cluster_node-7481.conf", "", nine},
		{"cluster_slots_az_metadata.txt", "", "cluster-slots redis-cluster 127.0.0.1:30001=0-5460 127.0.0.1:30002=5461-10922 127.0.0.1:30003=10923-16383"},
		{"kafka_describe_1x_nospaces.txt", "", "kafka-topics kafka-murmur2 0@broker 5"},
		{"kafka_describe_39_elr.txt", "kafka-crc32", "kafka-topics kafka-crc32 0@broker 1 1@broker 2 2@broker 3"},
		{"ketama_ketama.two.servers.txt", "modula", "server-list modula 10.0.1.1:11211 10.0.1.2:11211 10.0.1.7:11211 10.0.1.8:11211"},
		{"ketama_ketama.two.servers.txt", "", "server-list ketama 10.0.1.1:11211=0.4003 10.0.1.2:11211=0.1847 10.0.1.7:11211=0.3385 10.0.1.8:11211=0.0765"},
		// 3074457345618258602 lies in no row: that sixth of the ring, less what the other tokens of its node
		// have, is nobody's. The column Owns says 33.33, 50.00 and 16.67 percent.
		{"nodetool_ring_3nodes_owns.txt", "", "nodetool-ring cassandra 192.168.1.93=0.3333 192.168.1.95=0.5000 192.168.1.94=0.1111"},
		{"twemproxy_nutcracker.leaf.yml", "", "twemproxy twemproxy 127.0.0.1:11212=0.5238 127.0.0.1:11213=0.4762"},
		{"twemproxy_nutcracker.yml", ",pool=alpha", "twemproxy twemproxy 127.0.0.1:6379"},
		{"mcrouter_test_wch3.json", ",hash=Ch3", "mcrouter mcrouter 127.0.0.1:11610 127.0.0.1:11611 127.0.0.1:11612 127.0.0.1:11613 127.0.0.1:11614 127.0.0.1:11615 127.0.0.1:11616 127.0.0.1:11617"},
		{"mcrouter_test_const_shard_hash.json", "", "mcrouter mcrouter 127.0.0.1:11610 127.0.0.1:11611"},
		{"mcrouter_test_ascii.json", ",pool=A-wildcard", "mcrouter mcrouter 127.0.0.1:11510 127.0.0.1:11511 127.0.0.1:11512"},
		{"mcrouter_routing_prefix_test_ascii.json", ",pool=C.wildcard", "mcrouter mcrouter localhost:12347"},
	} {
		if got := of(t, tt.spec, corpus(t, tt.file)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.file, got, tt.want)
		}
	}
	if l := layout(t, "kafka-murmur2", 0, corpus(t, "kafka_describe_2x_3brokers_tabs.txt"), ""); len(l.Partitions) != 50 ||
		l.Partitions[10].Node != "broker 0" || l.Partitions[11].Node != "" {
		t.Errorf("%d partitions, of which %+v and %+v", len(l.Partitions), l.Partitions[10], l.Partitions[11])
	}
	if l := layout(t, "cassandra", 0, corpus(t, "nodetool_ring_3nodes_owns.txt"), ""); !strings.Contains(l.Title, "3 nodes, 9 tokens (1 without a node") {
		t.Error(l.Title)
	}
	tagged := layout(t, "twemproxy,pool=beta", 0, corpus(t, "twemproxy_nutcracker.yml"), "")
	if tagged.Of([]byte("{a}:1")) != tagged.Of([]byte("a")) || tagged.Partitions[0].ID != "server1" {
		t.Errorf("the hash tag or the names of %s are lost: %+v", tagged.Title, tagged.Partitions)
	}
}

// What must be chosen or cannot be placed is said.
func TestTopologyChoice(t *testing.T) {
	for _, tt := range []struct{ file, spec, want string }{
		{"twemproxy_nutcracker.yml", "twemproxy", "the topology file has 5 pools; choose one with the parameter pool: alpha, beta, delta, gamma, omega"},
		{"twemproxy_nutcracker.yml", "twemproxy,pool=zeta", "pool=zeta: the topology file has alpha, beta"},
		{"mcrouter_test_wch3.json", "mcrouter", "the hash WeightedCh3 of mcrouter is not computed here"},
		{"kafka_describe_39_elr.txt", "kafka-murmur2,topic=x", "topic=x: the topology file has orders"},
		{"kafka_describe_39_elr.txt", "redis-cluster", "redis-cluster cannot use a topology file of the kind kafka-topics"},
	} {
		p, params, err := ParseSpec(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ReadTopology([]byte(corpus(t, tt.file)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Layout(Options{Map: m, Params: params}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v, want %q", tt.file, tt.spec, err, tt.want)
		}
	}
}

const (
	nodeA = "07c37dfeb235213a872192d90877d0cd55635b91"
	nodeB = "67ed2db8d677e59ec4a4cefb06858cf2a1a89fa1"
)

// topologySamples are small files of every kind, and what is made of them.
func topologySamples() []struct{ spec, text, want string } {
	node := func(id, slots string) string { return id + " 127.0.0.1:7000 master - 0 0 1 connected " + slots }
	return []struct{ spec, text, want string }{
		{"", node(nodeA, "0-5 7 [8->-x]"), "cluster-nodes redis-cluster 127.0.0.1:7000=0-5,7"},
		{"", "127.0.0.1:7000> CLUSTER NODES\r\n" + node(nodeA, "0-5") + "\r\n" + node(nodeB, "6") + "\r\n",
			"cluster-nodes redis-cluster 127.0.0.1:7000=0-5 127.0.0.1:7000#1=6"},
		{"", `[[0,99,["10.0.0.1",7000,"` + nodeA + `",["hostname","a"]],["10.0.0.2",7000]],[200,299,["",7000,"` + nodeB + `"]],[100,150,["10.0.0.1",7000,"` + nodeA + `"]]]`,
			"cluster-slots redis-cluster 10.0.0.1:7000=0-99,100-150 67ed2db8=200-299"},
		{"", "1) 1) (integer) 0\n   2) (integer) 99\n   3) 1) \"10.0.0.1\"\n      2) (integer) 7000\n", "cluster-slots redis-cluster 10.0.0.1:7000=0-99"},
		{"", `[{"slots":[0,9,20,29],"nodes":[{"id":"b","port":7001,"ip":"10.0.0.2","role":"replica","health":"online"},` +
			`{"id":"a","port":7000,"ip":"10.0.0.1","role":"master","health":"online"}]},{"slots":[],"nodes":[{"port":1,"ip":"x"}]}]`,
			"cluster-shards redis-cluster 10.0.0.1:7000=0-9,20-29"},
		{"", "1) 1) \"slots\"\n   2) 1) (integer) 0\n      2) (integer) 9\n   3) \"nodes\"\n   4) 1)  1) \"id\"\n          2) \"a\"\n          3) \"tls-port\"\n" +
			"          4) (integer) 7000\n          5) \"ip\"\n          6) \"10.0.0.1\"\n          7) \"role\"\n          8) \"master\"\n          9) \"health\"\n         10) \"online\"\n",
			"cluster-shards redis-cluster 10.0.0.1:7000=0-9"},
		{"", "# by hand\nredis-a\t0-99, 200\nredis-b\t100\n", "slot-map redis-cluster redis-a=0-99,200 redis-b=100"},
		{"", "Topic: a\tTopicId: x\tPartitionCount: 2\n\tTopic: a\tPartition: 1\tLeader: none\n\tTopic: a\tPartition: 0\tLeader: 7\n", "kafka-topics kafka-murmur2 0@broker 7 1"},
		{"modula", "10.0.0.1:11211\n[::1]:11212 5\ncache.example.com\n", "server-list modula 10.0.0.1:11211 [::1]:11212 cache.example.com"},
		{"", "p:\n  listen: 127.0.0.1:1\n  hash: md5\n  distribution: modula\n  servers:\n    - 10.0.0.1:11211:1\n    - 10.0.0.2:11211:3 two\n",
			"twemproxy twemproxy 10.0.0.1:11211=0.2500 two=0.7500"},
		{"", "// pools\n{\"pools\":{\"A\":{\"servers\":[\"10.0.0.1:5000\",\"[::1]:5000:ascii:plain\",]}},\"route\":\"PoolRoute|A\"}", "mcrouter mcrouter 10.0.0.1:5000 [::1]:5000:ascii:plain"},
		{"", "Datacenter: dc1\n==========\nAddress  Rack  Status State  Load  Owns  Token\n  5\n10.0.0.1  r1  Up  Normal  1 KB  50.00%  -9223372036854775808\n10.0.0.2  r1  Down  Leaving  ?  ?  0\n" +
			"10.0.0.3  r1  Up  Joining  1 KB  ?  9\n10.0.0.1  r1  Up  Normal  1 KB  50.00%  5\n", "nodetool-ring cassandra 10.0.0.1 10.0.0.2"},
		{"", "Schema Version:1\nTokenRange:\n\tTokenRange(start_token:0, end_token:-9223372036854775808,\n  endpoints:[10.0.0.1, 10.0.0.2], rpc_endpoints:[])\n" +
			"\tTokenRange(start_token:-9223372036854775808, end_token:0endpoints:[10.0.0.2]rpc_endpoints:[])\n", "nodetool-describering cassandra 10.0.0.1 10.0.0.2"},
		{"scylla,cores=2", "-9223372036854775808\ta\n0\tb\n", "token-map scylla a/0@a a/1@a b/0@b b/1@b"},
		{"", "\tm\tr1\trs1\nm\t\tr2\n", "key-ranges ranges r1@rs1 r2"},
		{"", `{"min":{"a":{"$minKey":1}},"max":{"a":{"$numberLong":"0"}},"shard":"s0"}` + "\n" + `{"min":{"a":0},"max":{"a":{"$maxKey":1}},"shard":"s1"}`, "mongodb-chunks mongodb-hashed s0 s1"},
		{"", `[{"ns":"d.c","min":{"a":{"$minKey":1}},"max":{"a":{"$maxKey":1}},"shard":"s0"}]`, "mongodb-chunks mongodb-hashed s0"},
		{"", `{"StreamDescription":{"Shards":[{"ShardId":"closed","HashKeyRange":{"StartingHashKey":"0","EndingHashKey":"9"},"SequenceNumberRange":{"EndingSequenceNumber":"1"}},` +
			`{"ShardId":"s","HashKeyRange":{"StartingHashKey":"0","EndingHashKey":"170141183460469231731687303715884105727"}}]}}`, "kinesis-shards kinesis s=0.5000"},
	}
}

func TestTopologySamples(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range topologySamples() {
		got := of(t, tt.spec, tt.text)
		if got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
		kind, _, _ := strings.Cut(got, " ")
		seen[kind] = true
		if again := of(t, tt.spec, "\ufeff"+tt.text); again != got {
			t.Errorf("%q with a byte order mark: %s", tt.text, again)
		}
	}
	for _, kind := range Topologies() {
		if !seen[kind.ID] {
			t.Errorf("no sample of %s", kind.ID)
		}
	}
}

// Damaged files are refused with the line, or the entry of a JSON document, and the reason.
func TestDamagedTopologies(t *testing.T) {
	line := func(slots string) string { return nodeA + " 127.0.0.1:7000 master - 0 0 1 connected " + slots }
	const ringHead = "Address  Rack  Status State  Load  Owns  Token\n"
	const twem = "p:\n  listen: 127.0.0.1:1\n"
	for text, want := range map[string]string{
		"":                                   "empty",
		" \n\r\n":                            "empty",
		"what is this":                       "not a topology file",
		"GET / HTTP/1.1":                     "not a topology file",
		line(""):                             "owns a slot",
		line("0-16384"):                      "line 1: \"0-16384\" is no range",
		line("9-3"):                          "no range",
		line("x"):                            "no slot",
		line("-5"):                           "no slot",
		line("5-"):                           "no range",
		line("0-100") + "\n" + line("50-90"): "slot 50 belongs to both",
		line("0-100")[:60]:                   "line 1: this is no node line",
		line("0-100") + "\nrubbish":          "line 2: this is no node line",
		"\xff\xfe\n" + line("0-5"):           "line 1",

		"0\n5460\n127.0.0.1\n30001\n":                                  "redis-cli leaves out the nesting when its output is no terminal; use redis-cli --json cluster slots",
		"0\n5460\n\n17391\n7a390626e0e2ded564a96c7bebc23ff10cc0c1d6\n": "use redis-cli --json cluster slots",
		"slots\n0\n5460\nnodes\n":                                      "use redis-cli --json cluster shards",
		`[[0,5460,["127.0.0.1",30001`:                                  "line 1: unexpected EOF",
		"[[0,\n5460,\n[\"a\",1]],\n[1,":                                "line 4: unexpected EOF",
		`[[0,5460]]`:                                                   "range 1: want first slot, last slot and nodes",
		`[[0,99999,["a",1]]]`:                                          "range 1: \"0-99999\" is no range of slots",
		`[[0,9,["a",1]],[5,12,["b",1]]]`:                               "slot 5 belongs to both",
		`[[0,9,[null,1]]]`:                                             "range 1: its first node has neither address nor ID",
		`[[0,9,["a",1]]] trailing`:                                     "line 1: there is more behind the reply",
		"1) 1) (integer) 0\n   2) (integer) 9\n   4) 1) \"a\"":         "line 3: ",
		"1) 1) (integer) 0\n      2) (integer) 9":                      "line 2: ",
		"1) 1) (integer) 0\n   2) \"unfinished":                        "line 2: \"unfinished is no string",
		"1) 1) (integer) 0\n   2) ":                                    "line 2: a place without a value",
		"1) 1) (integer) 0\nrubbish":                                   "line 2: \"rubbish\" has no place in the reply",
		`[{"slots":[0],"nodes":[]}]`:                                   "shard 1: its slots are no pairs",
		`[{"slots":[0,1],"nodes":[]}]`:                                 "shard 1: none of its nodes has an address",
		`[{"slots":[0,1],"nodes":[{"ip":"a","port":1}`:                 "unexpected EOF",
		"a\t0-5\nb\t4-7":                                               "slot 4 belongs to both a and b",
		"a\t0-5\nb\t16384":                                             "line 2: \"16384\" is no slot",
		"a\t0-5\n\t7":                                                  "line 2: no name before the slots",
		"a\t0-5\nb":                                                    "line 2: \"\" is no slot",

		"Topic: a\tPartition: 0\tLeader: 1":                                               "line 1: no line with the PartitionCount of the topic a",
		"Topic: a\tPartitionCount: 0":                                                     "line 1: PartitionCount is \"0\"",
		"Topic: a\tPartitionCount: 99999999999999999999":                                  "line 1: PartitionCount",
		"Topic: a\tPartitionCount: 2\n\tTopic: a\tPartition: 2\tLeader: 1":                "line 2: \"2\" is no partition of the topic a, which has 2",
		"Topic: a\tPartitionCount: 2\n\tTopic: a\tPartition: 1\n\tTopic: a\tPartition: 1": "line 3: partition 1 of the topic a is in line 2 already",
		"Topic: a\tPartitionCount: 2\nTopic: a\tPartitionCount: 2":                        "line 2: the topic a begins again",
		"Topic: a\tPartitionCount: 2\nrubbish":                                            "line 2: this is no line of kafka-topics",

		"10.0.0.1:11211 600\n10.0.0.2:11211 x":                   "line 2: \"x\" is no weight",
		"10.0.0.1:11211 0":                                       "line 1: \"0\" is no weight",
		"10.0.0.1:11211\n10.0.0.1:11211":                         "line 2: the server 10.0.0.1:11211 is in line 1 already",
		"10.0.0.1:11211\nten servers more":                       "line 2: \"ten servers more\" is no server",
		twem + "  servers:\n":                                    "the pool p has no servers",
		twem + "  servers:\n  - 10.0.0.1:11211\n":                "line 4: the pool p: \"10.0.0.1:11211\" is no server",
		twem + "  servers:\n  - 10.0.0.1:1:0\n":                  "line 4: the pool p: \"0\" is no weight",
		twem + "  hash: sha\n  servers:\n  - a.b:1:1\n":          "line 3: the pool p: hash=sha",
		twem + "  distribution: dice\n  servers:\n  - a.b:1:1\n": "line 3: the distribution of the pool p is \"dice\"",
		twem + "  hash_tag: '{'\n  servers:\n  - a.b:1:1\n":      "the hash_tag of the pool p is \"{\"",
		twem + "  servers:\n  - [\n":                             "line 4",
		"servers: [\nlisten: {":                                  "line 2",
		`{"pools":{"A":{"servers":["127.0.0.1"`:                  "line 1",
		"{\"pools\":\n{\"A\":\n{\"servers\":[7]}}}":              "the pool A: \"\" is no server",
		`{"pools":{"A":{"servers":["nobody"]}}}`:                 "the pool A: \"nobody\" is no server",
		`{"pools":{"A":{"inherit":"B"}}}`:                        "no pool with servers in it",

		ringHead: "none of its 0 rows owns a token",
		ringHead + "10.0.0.1 r1 Up Normal 1 KB 50.00% x":                                                               "line 2: \"x\" is no token",
		ringHead + "10.0.0.1 r1 Up Normal 1 KB 50.00% 99999999999999999999":                                            "line 2: \"99999999999999999999\" is no token",
		ringHead + "10.0.0.1 r1 Up Normal 1 KB 50.00% 5\n10.0.0.2 r1 Up Normal 1 KB 50.00% 5":                          "line 3: the token 5 is in line 2 already",
		ringHead + "10.0.0.1 r1 Up Nor":                                                                                "line 2: this is no row of the ring",
		ringHead + "10.0.0.1 r1 Up Joining 1 KB 50.00% 5":                                                              "none of its 1 row owns a token",
		"TokenRange(start_token:5, end_token:9, endpo":                                                                 "line 1: this range has no end_token, or no endpoints",
		"\nTokenRange(start_token:5, end_token:9, endpoints:[a])":                                                      "line 2: no range ends at 5",
		"TokenRange(start_token:9, end_token:9, endpoints:[a])\nTokenRange(start_token:9, end_token:9, endpoints:[a])": "line 2: the token 9 is in line 1 already",
		"5\ta\nx\tb": "line 2: \"x\" is no token",
		"5\ta\n6":    "line 2: the token 6 has no node",

		"a\tb\tp\nb\tc":         "line 2: 2 columns",
		"a\tb\tp\tn\tx":         "line 1: 5 columns",
		"b\ta\tp":               "line 1: the range begins at \"b\" and ends before it",
		"a\tb\tp\nb\\xZZ\tc\tp": "line 2: \"\\\\xZZ\" is no byte",
		"a\\\tb\tp":             "line 1: a lone backslash",
		"a\tb\t \tn":            "line 1: the range has no partition",

		`{"min":{"a":0},"max":{"a":1}} {"shard":`:                                                                                       "line 1: a chunk without a shard",
		`{"min":{"a":0},"max":{"a":1},"shard":"s"}` + "\n" + `{"min":{"a":`:                                                             "line 2: unexpected EOF",
		`{"min":{"a":0,"b":1},"max":{"a":1},"shard":"s"}`:                                                                               "line 1: min: want one field",
		`{"min":{"a":"x"},"max":{"a":1},"shard":"s"}`:                                                                                   "line 1: min: \"x\" is no hash",
		`{"min":{"a":0},"max":{"a":{"$minKey":1}},"shard":"s"}`:                                                                         "line 1: max: ",
		`{"min":{"a":5},"max":{"a":5},"shard":"s"}`:                                                                                     "line 1: the chunk ends at 5, before it begins",
		`{"min":{"a":0},"max":{"a":9},"shard":"s"} {"min":{"a":5},"max":{"a":12},"shard":"t"}`:                                          "ranges of s and t overlap",
		`{"ns":"x","min":{"a":0},"max":{"a":9},"shard":"s"} {"ns":"y","min":{"a":9},"max":{"a":12},"shard":"t"}`:                        "line 1: a chunk of another collection",
		`[{"min":{"a":0},"max":{"a":9},"shard":"s"}`:                                                                                    "line 1: ",
		`{"Shards":[{"HashKeyRange"`:                                                                                                    "line 1: unexpected end",
		`{"Shards":[{"ShardId":"s","HashKeyRange":{"StartingHashKey":"0"}}]}`:                                                           "shard 1: want a ShardId",
		`{"Shards":[{"ShardId":"s","HashKeyRange":{"StartingHashKey":"9","EndingHashKey":"5"}}]}`:                                       "shard 1: want a ShardId",
		`{"Shards":[{"ShardId":"s","HashKeyRange":{"StartingHashKey":"0","EndingHashKey":"340282366920938463463374607431768211456"}}]}`: "shard 1: want a ShardId",
		`{"Shards":[],"HashKeyRange":0}`:                                                                                                "no open shard in it",
	} {
		if m, err := ReadTopology([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v %v, want an error with %q", text, m, err, want)
		}
	}
	if _, err := ReadTopology([]byte("a\tm\tp\nb\tz\tq")); err != nil {
		t.Fatal(err)
	}
	m, err := ReadTopology([]byte("a\tm\tp\nb\tz\tq"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ranges.Layout(Options{Map: m}); err == nil || !strings.Contains(err.Error(), `ranges of p and q overlap at the key "b"`) {
		t.Errorf("overlapping ranges: %v", err)
	}
}

// fuzzTopology gives one reader any text, also such as it would not be asked to read, and holds what it
// accepts to the laws of layouts.
func fuzzTopology(f *testing.F, kind Topology, specs ...string) {
	for _, s := range topologySamples() {
		f.Add([]byte(s.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		kind.is(text)
		if len(strings.TrimSpace(string(text))) == 0 {
			return // ReadTopology asks no reader
		}
		m := &Map{Kind: kind.ID, Default: kind.Default}
		if err := kind.parse(text, m); err != nil {
			return
		}
		for _, spec := range specs {
			p, params, err := ParseSpec(spec)
			if err != nil {
				t.Fatal(err)
			}
			l, err := p.Layout(Options{Map: m, Params: params})
			if err != nil {
				continue
			}
			names := map[string]bool{}
			for _, part := range l.Partitions {
				if part.ID == "" || names[part.ID] || !(part.Fair >= 0 && part.Fair <= 1+1e-9) {
					t.Fatalf("%s: partition %+v", l.Title, part)
				}
				names[part.ID] = true
			}
			for _, key := range keysOfAllKinds {
				if at := l.Of(key); at < -1 || at >= len(l.Partitions) {
					t.Fatalf("%s: %q goes to %d of %d", l.Title, key, at, len(l.Partitions))
				}
			}
			for slot := -1; l.BySlot() && slot <= Slots; slot++ {
				if at := l.OfSlot(slot); at >= len(l.Partitions) {
					t.Fatalf("slot %d belongs to partition %d of %d", slot, at, len(l.Partitions))
				}
			}
		}
	})
}

func FuzzClusterNodes(f *testing.F)  { fuzzTopology(f, clusterNodes, RedisCluster) }
func FuzzClusterSlots(f *testing.F)  { fuzzTopology(f, clusterSlots, RedisCluster) }
func FuzzClusterShards(f *testing.F) { fuzzTopology(f, clusterShards, RedisCluster) }
func FuzzSlotMap(f *testing.F)       { fuzzTopology(f, slotMap, RedisCluster) }
func FuzzKafkaTopics(f *testing.F)   { fuzzTopology(f, kafkaTopics, "kafka-murmur2", "kafka-crc32") }
func FuzzServerList(f *testing.F) {
	fuzzTopology(f, serverList, "ketama", "ketama-plain", "modula", "rendezvous")
}
func FuzzTwemproxy(f *testing.F)            { fuzzTopology(f, twemproxyConfig, "twemproxy", "twemproxy,pool=p") }
func FuzzMcrouter(f *testing.F)             { fuzzTopology(f, mcrouterConfig, "mcrouter", "mcrouter,hash=Ch3") }
func FuzzNodetoolRing(f *testing.F)         { fuzzTopology(f, nodetoolRing, "cassandra", "scylla,cores=3") }
func FuzzNodetoolDescribeRing(f *testing.F) { fuzzTopology(f, nodetoolDescribeRing, "cassandra") }
func FuzzTokenMap(f *testing.F)             { fuzzTopology(f, tokenMap, "cassandra", "scylla,cores=3") }
func FuzzKeyRanges(f *testing.F)            { fuzzTopology(f, keyRanges, "ranges") }
func FuzzMongoChunks(f *testing.F)          { fuzzTopology(f, mongoChunks, "mongodb-hashed") }
func FuzzKinesisShards(f *testing.F)        { fuzzTopology(f, kinesisShards, "kinesis") }

// Whatever is given as a topology file, it is read or refused.
func FuzzReadTopology(f *testing.F) {
	for _, s := range topologySamples() {
		f.Add([]byte(s.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ReadTopology(text)
		if err != nil {
			return
		}
		if p, ok := Find(m.Default); !ok || !strings.Contains(strings.Join(p.Topologies, " "), m.Kind) {
			t.Fatalf("%s is for %q, which does not take it", m.Kind, m.Default)
		}
	})
}
