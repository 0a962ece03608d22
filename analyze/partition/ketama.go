package partition

import (
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

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
