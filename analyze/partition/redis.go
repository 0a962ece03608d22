package partition

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// RedisCluster is the ID of the Redis Cluster partitioner.
const RedisCluster = "redis-cluster"

// Slots is the number of hash slots of a Redis or Valkey Cluster.
const Slots = 16384

var redisCluster = Partitioner{
	ID:         RedisCluster,
	Title:      "Redis Cluster",
	Text:       "slot = CRC16(hash tag or key) mod 16384; a shard owns ranges of slots. A number of shards divides the slots as redis-cli --cluster create divides them.",
	Source:     "Redis Cluster specification, \"Key distribution model\" and \"Hash tags\"",
	Encodings:  []Encoding{encUTF8, encHex, encBase64},
	Shards:     "shard",
	Topologies: []string{"cluster-nodes", "cluster-slots", "cluster-shards", "slot-map"},
	build: func(o Options) (plan, error) {
		if o.Map != nil {
			title := fmt.Sprintf("Redis Cluster, %s from the topology file", count(len(o.Map.Slots), "shard"))
			return slotPlan(title, o.Map.Slots)
		}
		return evenSlots(o.Shards)
	},
}

// crcTables has, for n zero bytes behind a byte, the remainder of CRC-16/XMODEM: polynomial 0x1021, initial
// value 0, not reflected.
var crcTables = func() (t [8][256]uint16) {
	for i := range t[0] {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		t[0][i] = crc
	}
	for n := 1; n < len(t); n++ {
		for i := range t[n] {
			crc := t[n-1][i]
			t[n][i] = crc<<8 ^ t[0][crc>>8]
		}
	}
	return t
}()

// crc16 takes eight bytes at a time, whose look-ups do not wait for each other ("slicing": Kounavis and Berry
// 2005, "A systematic approach to building high performance software-based CRC generators"); the plain form
// is the loop over what is left.
func crc16(b []byte) uint16 {
	var crc uint16
	t := &crcTables
	for ; len(b) >= 8; b = b[8:] {
		crc = t[7][byte(crc>>8)^b[0]] ^ t[6][byte(crc)^b[1]] ^ t[5][b[2]] ^ t[4][b[3]] ^
			t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]]
	}
	for _, c := range b {
		crc = crc<<8 ^ t[0][byte(crc>>8)^c]
	}
	return crc
}

// HashTag returns the part of a key that decides its slot: what lies between the first { and the first
// } after it, when that is not empty; else the whole key. tagged says which.
func HashTag(key []byte) (part []byte, tagged bool) {
	open := bytes.IndexByte(key, '{')
	if open < 0 {
		return key, false
	}
	length := bytes.IndexByte(key[open+1:], '}')
	if length <= 0 {
		return key, false
	}
	return key[open+1 : open+1+length], true
}

// Slot returns the Redis Cluster hash slot of a key, 0 to 16383.
func Slot(key []byte) int {
	part, _ := HashTag(key)
	return int(crc16(part)) & (Slots - 1)
}

func evenSlots(n int) (plan, error) {
	parts := make([]Partition, n)
	per := float64(Slots) / float64(n)
	first, cursor := 0, 0.0
	for i := range parts {
		last := int(math.Round(cursor + per - 1))
		if i == n-1 {
			last = Slots - 1
		}
		parts[i] = Partition{ID: strconv.Itoa(i), Slots: []Range{{first, last}}}
		first = last + 1
		cursor += per
	}
	title := fmt.Sprintf("Redis Cluster, %d even slot ranges", n)
	if n == 1 {
		title = "Redis Cluster, one shard with all slots"
	}
	return slotPlan(title, parts)
}

// slotPlan fills in the owner of every slot and each partition's fair share.
func slotPlan(title string, given []Partition) (plan, error) {
	parts, owner := slices.Clone(given), make([]int16, Slots)
	for i := range owner {
		owner[i] = -1
	}
	for i := range parts {
		owned := 0
		for _, r := range parts[i].Slots {
			for s := r.First; s <= r.Last; s++ {
				if owner[s] >= 0 {
					return plan{}, fmt.Errorf("slot %d belongs to both %s and %s", s, parts[owner[s]].ID, parts[i].ID)
				}
				owner[s] = int16(i)
				owned++
			}
		}
		parts[i].Fair = float64(owned) / Slots
	}
	return plan{
		title: title, parts: parts, owner: owner,
		place: func(key []byte) int { return int(owner[Slot(key)]) },
		shape: func(w io.Writer) {
			for _, p := range parts {
				fmt.Fprintln(w, p.Slots)
			}
		},
	}, nil
}
