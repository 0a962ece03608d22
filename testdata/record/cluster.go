package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The three nodes of the cluster and the slots of each.
var clusterNodes = []struct{ port, first, last int }{
	{7000, 0, 5460}, {7001, 5461, 10922}, {7002, 10923, 16383},
}

const clusterLength = 5 * time.Second

func recordCluster(ctx context.Context, out string, seed uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var controls []*client
	for i, n := range clusterNodes {
		dir, err := os.MkdirTemp("", "record")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s, err := startServer(ctx, dir, n.port, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf")
		if err != nil {
			return err
		}
		defer s.stop()
		c, err := dial(s.addr, "127.0.0.1")
		if err != nil {
			return err
		}
		controls = append(controls, c)
		for _, args := range [][]string{
			{"CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(n.first), strconv.Itoa(n.last)},
			{"CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i + 1)},
		} {
			if _, err := c.ask(args...); err != nil {
				return err
			}
		}
	}
	for _, n := range clusterNodes[1:] {
		if _, err := controls[0].ask("CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(n.port)); err != nil {
			return err
		}
	}
	for _, c := range controls {
		if err := waitForCluster(ctx, c); err != nil {
			return err
		}
	}

	file, err := create(filepath.Join(out, "cluster-node1.monitor.log.gz"))
	if err != nil {
		return err
	}
	done, err := monitor(fmt.Sprintf("127.0.0.1:%d", clusterNodes[0].port), file)
	if err != nil {
		return err
	}
	const hosts = 4
	var from, addrs []string
	for _, n := range clusterNodes {
		for host := range hosts {
			from = append(from, fmt.Sprintf("127.0.0.%d", 11+host))
			addrs = append(addrs, fmt.Sprintf("127.0.0.1:%d", n.port))
		}
	}
	events := schedule(seed, clusterLength, hosts, clusterLoad(seed))
	var commands [3]int
	for i, e := range events { // to the node that has the slot
		s := slot(e.commands[0][1])
		for node, n := range clusterNodes {
			if s >= n.first && s <= n.last {
				events[i].client += node * hosts
				commands[node]++
			}
		}
	}
	if err := drive(ctx, events, from, addrs); err != nil {
		return err
	}
	nodes, err := controls[0].ask("CLUSTER", "NODES")
	if err != nil {
		return err
	}
	if _, err := controls[0].ask("ECHO", sentinel); err != nil {
		return err
	}
	if err := <-done; err != nil {
		return err
	}
	for _, c := range controls {
		errors, err := c.ask("INFO", "errorstats")
		if err != nil {
			return err
		}
		if strings.Contains(errors, "errorstat_") {
			return fmt.Errorf("a node answered with errors: %s", errors)
		}
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "cluster-nodes.txt"), []byte(nodes), 0o644); err != nil {
		return err
	}
	text := fmt.Sprintf(`# cluster

A recording of a real Redis Cluster of three nodes under a made-up load: `+"`go run ./testdata/record -cluster -seed %d`"+`.

- `+"`cluster-node1.monitor.log.gz`"+`: what MONITOR printed on the node at port 7000, which serves slots 0 to 5460.
- `+"`cluster-nodes.txt`"+`: CLUSTER NODES, asked of that node.

The load is GET and SET of 3,000 keys, a fifth of them with a hash tag, Zipf with s = 0.6; no key is hot.
The three nodes got %d, %d and %d commands in %d s; the captures of the last two were not kept.
`, seed, commands[0], commands[1], commands[2], int(clusterLength.Seconds()))
	return os.WriteFile(filepath.Join(out, "cluster.md"), []byte(text), 0o644)
}

// waitForCluster waits until a node knows all others and finds all slots served.
func waitForCluster(ctx context.Context, c *client) error {
	for ctx.Err() == nil {
		info, err := c.ask("CLUSTER", "INFO")
		if err != nil {
			return err
		}
		if field(info, "cluster_state") == "ok" && field(info, "cluster_known_nodes") == strconv.Itoa(len(clusterNodes)) &&
			field(info, "cluster_slots_ok") == "16384" {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return ctx.Err()
}

// clusterLoad is plain Zipf traffic on 3,000 keys, some with hash tags, without a hot key.
func clusterLoad(seed uint64) []source {
	const keys = 3000
	ranks := newPopularity(keys, 0.6)
	ids := rand.New(rand.NewPCG(seed, 1<<32)).Perm(keys)
	return []source{steady(2000, func(r *rand.Rand) [][]string {
		id := ids[ranks.rank(r)]
		key := "user:" + strconv.Itoa(id)
		if id%5 == 0 {
			key = "{user:" + strconv.Itoa(id) + "}:cart"
		}
		if r.IntN(5) == 0 {
			return [][]string{{"SET", key, strconv.Itoa(r.IntN(1000))}}
		}
		return [][]string{{"GET", key}}
	})}
}

// slot is the slot of a key (Redis Cluster specification): CRC-16/XMODEM of its hash tag, modulo 16384.
func slot(key string) int {
	if _, rest, ok := strings.Cut(key, "{"); ok {
		if tag, _, ok := strings.Cut(rest, "}"); ok && tag != "" {
			key = tag
		}
	}
	crc := uint16(0)
	for _, b := range []byte(key) {
		crc ^= uint16(b) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
	}
	return int(crc % 16384)
}
