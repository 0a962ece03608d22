package partition

import (
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// defaultPort is the port of memcached that clients leave out of the names of points.
const defaultPort = "11211"

var (
	hashParam = Param{"hash", "the hash of the key, by its name in libmemcached and twemproxy: one_at_a_time, md5, crc, crc32, crc32a, crc16, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, hsieh, murmur, murmur3, jenkins"}
	nameParam = Param{"names", "what the points of the ring are called: short leaves out the port 11211, as libmemcached and twemproxy do; full does not (libketama); spymemcached puts a / before the address"}
)

var memcachedSource = "libmemcached 1.1.4, hosts.cc, hash.cc and libhashkit; twemproxy, nc_ketama.c, nc_modula.c"

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

var ketama = Partitioner{
	ID:         "ketama",
	Title:      "memcached clients, ketama with weights",
	Text:       "A ring of MD5 points, 160 for each server of average weight: ketama_weighted of libmemcached (hash md5), ketama of libketama and spymemcached (names=full and names=spymemcached), and the distribution ketama of twemproxy (hash=fnv1a_64 unless its pool says otherwise). Shares of the ring are uneven: compare with them, not with 1/N.",
	Source:     memcachedSource,
	Encodings:  []Encoding{encUTF8},
	Params:     []Param{hashParam, nameParam, extractParam},
	Topologies: []string{"server-list"},
	build: func(o Options) (plan, error) {
		return buildServers(o, nil, "md5", planKetama)
	},
}

var ketamaPlain = Partitioner{
	ID:         "ketama-plain",
	Title:      "memcached clients, ketama without weights",
	Text:       "The consistent distribution of libmemcached: a ring of 100 points for each server, weights ignored; points and keys are hashed with one_at_a_time unless the hash is named. Shares of the ring are uneven: compare with them, not with 1/N.",
	Source:     memcachedSource,
	Encodings:  []Encoding{encUTF8},
	Params:     []Param{hashParam, nameParam, extractParam},
	Topologies: []string{"server-list"},
	build: func(o Options) (plan, error) {
		return buildServers(o, nil, "one_at_a_time", planKetamaPlain)
	},
}

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

func planKetama(p pool) (plan, error) {
	parts, err := serverPartitions(p.servers, func(int) float64 { return 0 })
	if err != nil {
		return plan{}, err
	}
	total := float32(totalWeight(p.servers))
	var points []point
	for i, s := range p.servers {
		// The clients compute this in single precision. The conversions keep machines with fused
		// multiply-add from rounding otherwise.
		share := float32(s.Weight) / total
		n := float32(float32(float32(share*160)/4) * float32(len(p.servers)))
		for j := range int(math.Floor(float64(float32(float64(n) + 0.0000000001)))) {
			sum := md5.Sum([]byte(s.pointName(p.names) + "-" + strconv.Itoa(j)))
			for k := 0; k < md5.Size; k += 4 {
				points = append(points, point{uint64(binary.LittleEndian.Uint32(sum[k:])), int16(i)})
			}
		}
	}
	return planRing(p, parts, points, "ketama with weights")
}

func planKetamaPlain(p pool) (plan, error) {
	parts, err := serverPartitions(p.servers, func(int) float64 { return 0 })
	if err != nil {
		return plan{}, err
	}
	var points []point
	for i, s := range p.servers {
		for j := range 100 {
			name := s.pointName(p.names) + "-" + strconv.Itoa(j)
			points = append(points, point{uint64(p.hash.sum([]byte(name))), int16(i)})
		}
	}
	return planRing(p, parts, points, "ketama without weights")
}

func planRing(p pool, parts []Partition, points []point, title string) (plan, error) {
	if len(points) == 0 {
		return plan{}, errors.New("no server has a point on the ring")
	}
	r := newRing(points, 32)
	r.share(parts)
	sum, part := p.hash.sum, p.part
	return plan{
		title: fmt.Sprintf("%s (%s), %s", title, p.hash.name, count(len(parts), "server")),
		parts: parts,
		place: func(key []byte) int { return r.of(uint64(sum(part(key)))) },
		shape: r.shape,
	}, nil
}
