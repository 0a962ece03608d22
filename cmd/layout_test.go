package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"keyskew/analyze/partition"
)

// The flags make the layout that they describe, or say why there is none.
func TestLayoutFlags(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"nodes.txt":   "07c37dfeb235213a872192d90877d0cd55635b91 127.0.0.1:7000 master - 0 0 1 connected 0-16383\n",
		"topics.txt":  "Topic: orders\tPartitionCount: 3\nTopic: users\tPartitionCount: 5\n",
		"servers.txt": "10.0.0.1:11211\n10.0.0.2:11211\n",
		"broken.txt":  "07c37dfeb235213a872192d90877d0cd55635b91 127.0.0.1:7000 master\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ args, want string }{ // the title of the layout, "" for none, or a part of the error
		{"", ""},
		{"--partitioner redis-cluster", ""},
		{"--shards 8", "Redis Cluster, 8 even slot ranges"},
		{"--shards 8 --key-encoding hex", "Redis Cluster, 8 even slot ranges"},
		{"--topology nodes.txt", "Redis Cluster, 1 shard from the topology file"},
		{"--shards 12 --partitioner kafka-murmur2", "Kafka, murmur2 (Java clients), 12 partitions"},
		{"--topology topics.txt --partitioner kafka-crc32,topic=users --key-encoding int64", "Kafka, CRC-32 (librdkafka), 5 partitions of the topic users"},
		{"--topology servers.txt", "ketama with weights (md5), 2 servers"},
		{"--topology servers.txt --partitioner modula,hash=crc", "modula (crc), 2 servers"},
		{"--shards 3 --partitioner cassandra --key-encoding int32:utf8", "Cassandra, 3 nodes, 3 tokens"},
		{"--partitioner explicit", "partitions named by the input"},

		{"--shards 3 --topology nodes.txt", "--shards and --topology exclude each other"},
		{"--shards 3 --topology no-such.txt", "--shards and --topology exclude each other"},
		{"--topology no-such.txt", "no-such.txt: no such file"},
		{"--topology broken.txt", "broken.txt: as CLUSTER NODES text: line 1: "},
		{"--topology topics.txt", "topics.txt: the topology file has 2 topics; choose one with the parameter topic: orders, users"},
		{"--topology nodes.txt --partitioner kafka-crc32", "--partitioner: kafka-crc32 cannot use a topology file of the kind cluster-nodes; it takes kafka-topics"},
		{"--topology nodes.txt --key-encoding int32", "nodes.txt: redis-cluster has no key encoding \"int32\""},
		{"--partitioner kafka-crc32", "--partitioner: kafka-crc32 needs the number of partitions, or a topology file (kafka-topics)"},
		{"--partitioner ketama --shards 3", "--partitioner: ketama needs a topology file (server-list)"},
		{"--partitioner dynamodb --shards 3", "--partitioner: dynamodb cannot be computed: "},
		{"--partitioner explicit --shards 3", "--partitioner: explicit takes no number of shards"},
		{"--key-encoding int64", "--key-encoding says what is hashed to find a key's shard: it needs --shards or --topology"},
		{"--shards 5000", "--shards: 5000 shards: between 1 and 4096"},
		{"--shards -1", "--shards: -1 shards"},
	} {
		var f layoutFlags
		c := &cobra.Command{}
		f.register(c)
		if err := c.ParseFlags(strings.Fields(tt.args)); err != nil {
			t.Fatalf("%s: %v", tt.args, err)
		}
		l, err := f.layout()
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case l != nil:
			got = l.Title
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want) || tt.want == "") {
			t.Errorf("%s: %q, want %q", tt.args, got, tt.want)
		}
	}
}

// Every partitioner is offered, listed and explained; a wrong one names them all.
func TestPartitionersAreOffered(t *testing.T) {
	list := mustRun(t, nil, "list", "partitioners")
	offered := run(t, nil, "__complete", "--partitioner", "").out
	for _, p := range partition.Partitioners() {
		for where, text := range map[string]string{
			"list": list, "the completion": offered, "the flag's error": run(t, nil, "--partitioner", "dice", "x.log").err,
			"explain": mustRun(t, nil, "explain", p.ID),
		} {
			if !strings.Contains(text, p.ID) {
				t.Errorf("%s does not name %s", where, p.ID)
			}
		}
	}
	for _, e := range partition.Encodings() {
		if !strings.Contains(mustRun(t, nil, "list", "key-encodings"), e.ID) || !strings.Contains(mustRun(t, nil, "explain", e.ID), e.Title) {
			t.Errorf("%s is not listed or explained", e.ID)
		}
	}
}
