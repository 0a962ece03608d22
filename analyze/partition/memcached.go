package partition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// defaultPort is the port of memcached that clients leave out of the names of points.
const defaultPort = "11211"

var (
	hashParam = Param{"hash", "the hash of the key, by its name in libmemcached and twemproxy: one_at_a_time, md5, crc, crc32, crc32a, crc16, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, hsieh, murmur, murmur3, jenkins"}
	nameParam = Param{"names", "what the points of the ring are called: short leaves out the port 11211, as libmemcached and twemproxy do; full does not (libketama); spymemcached puts a / before the address"}
)

const memcachedSource = "libmemcached 1.1.4, hosts.cc, hash.cc and libhashkit; twemproxy, nc_ketama.c, nc_modula.c"

// pool is a list of servers with all that decides where a key goes.
type pool struct {
	servers []Server
	hash    keyHash
	part    extractor
	names   string
}

// buildServers reads the parameters that these partitioners share. servers are those of no topology file.
func buildServers(o Options, servers []Server, hash string, layOut func(pool) (plan, error)) (plan, error) {
	if o.Map != nil {
		servers = o.Map.Pools[0].Servers
	}
	if name := o.Params["hash"]; name != "" {
		hash = name
	}
	p := pool{servers: servers}
	var err error
	if p.hash, err = findHash(hash); err != nil {
		return plan{}, err
	}
	if p.part, err = o.extractor(); err != nil {
		return plan{}, err
	}
	p.names = o.Params["names"]
	if !slices.Contains([]string{"", "short", "full", "spymemcached"}, p.names) {
		return plan{}, fmt.Errorf("names=%s: want short, full or spymemcached", p.names)
	}
	return layOut(p)
}

func findHash(name string) (keyHash, error) {
	var names []string
	for _, h := range keyHashes() {
		if h.name == name {
			return h, nil
		}
		names = append(names, h.name)
	}
	return keyHash{}, fmt.Errorf("hash=%s: want one of %s", name, strings.Join(names, ", "))
}

// serverPartitions makes a partition of each server; share is its part of the keys, nil for equal parts.
func serverPartitions(servers []Server, share func(i int) float64) ([]Partition, error) {
	if len(servers) == 0 {
		return nil, errors.New("no server in it")
	}
	if len(servers) > MaxPartitions {
		return nil, fmt.Errorf("%d servers: at most %d can be told apart", len(servers), MaxPartitions)
	}
	parts := make([]Partition, len(servers))
	for i, s := range servers {
		parts[i] = Partition{ID: s.label(), Fair: 1 / float64(len(servers))}
		if share != nil {
			parts[i].Fair = share(i)
		}
	}
	distinct(parts)
	return parts, nil
}

func totalWeight(servers []Server) (total int) {
	for _, s := range servers {
		total += s.Weight
	}
	return total
}
