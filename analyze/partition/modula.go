package partition

import (
	"fmt"
	"io"
	"slices"
	"strconv"
)

var modula = Partitioner{
	ID:         "modula",
	Title:      "memcached clients, modula",
	Text:       "server = hash(key) mod servers, the default of libmemcached. The hash is one_at_a_time unless it is named; weights are ignored.",
	Source:     memcachedSource,
	Encodings:  []Encoding{encUTF8},
	Params:     []Param{hashParam, extractParam},
	Shards:     "server",
	Topologies: []string{"server-list"},
	build: func(o Options) (plan, error) {
		servers := make([]Server, o.Shards)
		for i := range servers {
			servers[i] = Server{Addr: strconv.Itoa(i), Weight: 1}
		}
		return buildServers(o, servers, "one_at_a_time", func(p pool) (plan, error) {
			p.servers = slices.Clone(p.servers)
			for i := range p.servers {
				p.servers[i].Weight = 1
			}
			return planModula(p)
		})
	},
}

// planModula gives a server of weight w the turns of w servers.
func planModula(p pool) (plan, error) {
	total := totalWeight(p.servers)
	if total > 1<<20 {
		return plan{}, fmt.Errorf("weights of %d in all: at most %d", total, 1<<20)
	}
	parts, err := serverPartitions(p.servers, func(i int) float64 { return float64(p.servers[i].Weight) / float64(total) })
	if err != nil {
		return plan{}, err
	}
	var turns []int16
	for i, s := range p.servers {
		for range s.Weight {
			turns = append(turns, int16(i))
		}
	}
	sum, part := p.hash.sum, p.part
	return plan{
		title: fmt.Sprintf("modula (%s), %s", p.hash.name, count(len(parts), "server")),
		parts: parts,
		place: func(key []byte) int { return int(turns[sum(part(key))%uint32(len(turns))]) },
		shape: func(w io.Writer) {
			for _, s := range p.servers {
				fmt.Fprintln(w, s.Weight)
			}
		},
	}, nil
}
