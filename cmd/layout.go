package cmd

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"keyskew/analyze/partition"
)

// layoutFlags say how keys are placed on shards, as given.
type layoutFlags struct {
	shards      int
	topology    string
	partitioner placement
	encoding    string
}

// placement is a flag for a partitioner and its parameters, ID[,name=value]...
type placement struct {
	text   string
	params map[string]string
}

func (p *placement) String() string { return p.text }

func (p *placement) Type() string { return "ID" }

func (p *placement) Set(s string) error {
	_, params, err := partition.ParseSpec(s)
	if err != nil {
		return err
	}
	p.text, p.params = s, params
	return nil
}

func (f *layoutFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.IntVar(&f.shards, "shards", 0, "number of shards, `N` even ranges of the key space")
	fs.StringVar(&f.topology, "topology", "", "`FILE` that says which shard owns what: CLUSTER NODES text and others (keyskew list topologies)")
	fs.Var(&f.partitioner, "partitioner", "how keys are placed, as `ID[,NAME=VALUE]`... (keyskew list partitioners); redis-cluster, or what the topology is for, when not given")
	fs.StringVar(&f.encoding, "key-encoding", "", "the bytes that the text of a key stands for (`ID`; keyskew list key-encodings); with : between the columns of a composite key")
	group(fs, "Cluster", "shards", "topology", "partitioner", "key-encoding")
	var partitioners, encodings []string
	for _, p := range partition.Partitioners() {
		partitioners = append(partitioners, p.ID)
	}
	for _, e := range partition.Encodings() {
		encodings = append(encodings, e.ID)
	}
	complete(c, "partitioner", partitioners)
	complete(c, "key-encoding", encodings)
}

// layout makes the layout that the flags describe, nil where they name no shards.
func (f *layoutFlags) layout() (*partition.Layout, error) {
	o := partition.Options{Shards: f.shards, Encoding: f.encoding, Params: f.partitioner.params}
	if f.shards != 0 && f.topology != "" {
		return nil, errors.New("--shards and --topology exclude each other: the topology says how many shards there are")
	}
	spec := f.partitioner.text
	if f.topology != "" {
		text, err := os.ReadFile(f.topology)
		if err != nil {
			return nil, err
		}
		if o.Map, err = partition.ReadTopology(text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.topology, err)
		}
		if spec == "" {
			spec = o.Map.Default
		}
	}
	if spec == "" {
		spec = partition.RedisCluster
	}
	p, _, err := partition.ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if f.shards == 0 && o.Map == nil && p.ID == partition.RedisCluster {
		if f.encoding != "" {
			return nil, errors.New("--key-encoding says what is hashed to find a key's shard: it needs --shards or --topology")
		}
		return nil, nil
	}
	l, err := p.Layout(o)
	if err != nil {
		flag := "--shards"
		switch {
		case f.partitioner.text != "":
			flag = "--partitioner"
		case o.Map != nil:
			flag = f.topology
		}
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if len(l.Partitions) == 0 {
		return nil, fmt.Errorf("--partitioner: the load by %s is not counted yet", l.Title)
	}
	return l, nil
}
