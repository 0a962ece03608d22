package partition

import "fmt"

var poolParam = Param{"pool", "the pool, where the topology file describes several"}

var twemproxy = Partitioner{
	ID:         "twemproxy",
	Title:      "twemproxy (nutcracker)",
	Text:       "A pool of a nutcracker.yml: its hash (fnv1a_64 unless named), its distribution (ketama or modula; random is refused) and its hash_tag. Ejected servers are not known here: the ring is that of all servers alive.",
	Source:     "twemproxy, nc_server.c (server_pool_idx), nc_conf.c (conf_add_server), nc_ketama.c, nc_modula.c",
	Encodings:  []Encoding{encUTF8},
	Params:     []Param{poolParam},
	Topologies: []string{"twemproxy"},
	build: func(o Options) (plan, error) {
		chosen, err := o.Map.pool(o.Params["pool"])
		if err != nil {
			return plan{}, err
		}
		p := pool{servers: chosen.Servers, part: wholeKey}
		hash := chosen.Hash
		if hash == "" {
			hash = "fnv1a_64"
		}
		if p.hash, err = findHash(hash); err != nil {
			return plan{}, err
		}
		if chosen.HashTag != "" {
			p.part = between(chosen.HashTag[0], chosen.HashTag[1])
		}
		var out plan
		switch chosen.Distribution {
		case "", "ketama":
			out, err = planKetama(p)
		case "modula":
			out, err = planModula(p)
		default:
			return plan{}, fmt.Errorf("the pool %s sends keys to servers at random: no key has a server", chosen.Name)
		}
		out.title = fmt.Sprintf("twemproxy pool %s, %s", chosen.Name, out.title)
		return out, err
	},
}
