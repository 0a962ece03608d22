// Package partition says which partition (shard) a key belongs to: partitioners, one file each, and
// readers of topology files. Keys enter, partition indexes leave. A key that no partition owns gets -1,
// never partition 0.
package partition

import (
	"fmt"
	"strings"
)

// MaxPartitions is the largest number of partitions of a layout.
const MaxPartitions = 4096

// Layout maps keys to partitions.
type Layout struct {
	// Partitioner is the ID in Partitioners; Title says it in words ("Redis Cluster, 8 even slot ranges").
	Partitioner, Title string
	Partitions         []Partition
	// owner[slot] is the partition that owns a slot, -1 for none.
	owner []int16
}

// Partition is one shard of a layout.
type Partition struct {
	ID string
	// Fair is its share of the key space: owned slots over all slots.
	Fair float64
	// Slots are the ranges it owns, first and last included, ascending.
	Slots []Range
}

// Range is a run of slots, both ends included.
type Range struct{ First, Last int }

// String returns "0-5460", or "7" for a single slot.
func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// Of returns the index of the key's partition, or -1.
func (l *Layout) Of(key []byte) int { return l.OfSlot(Slot(key)) }

// OfSlot returns the index of the partition that owns a slot, or -1.
func (l *Layout) OfSlot(slot int) int {
	if slot < 0 || slot >= len(l.owner) {
		return -1
	}
	return int(l.owner[slot])
}

// ID names the layout: two layouts with the same ID send every key to the same partition of the same
// name.
func (l *Layout) ID() string {
	var b strings.Builder
	b.WriteString(l.Partitioner)
	for _, p := range l.Partitions {
		fmt.Fprintf(&b, ";%q", p.ID)
		for _, r := range p.Slots {
			b.WriteByte(' ')
			b.WriteString(r.String())
		}
	}
	return b.String()
}

// Partitioner is one way to place keys. It documents itself.
type Partitioner struct {
	ID, Title, Text, Source string
	// Even divides the key space evenly over n partitions, as the store's own tools do.
	Even func(n int) (*Layout, error)
}

// Partitioners lists every partitioner.
func Partitioners() []Partitioner {
	return []Partitioner{redisCluster}
}

// Find returns the partitioner with an ID.
func Find(id string) (Partitioner, bool) {
	for _, p := range Partitioners() {
		if p.ID == id {
			return p, true
		}
	}
	return Partitioner{}, false
}

// Topology is one kind of topology file.
type Topology struct {
	ID, Title, Text, Source string
	Parse                   func(text []byte) (*Layout, error)
}

// Topologies lists every kind of topology file that can be read.
func Topologies() []Topology {
	return []Topology{clusterNodes}
}

// ParseTopology reads a topology file of any known kind.
func ParseTopology(text []byte) (*Layout, error) {
	var reasons []string
	for _, t := range Topologies() {
		l, err := t.Parse(text)
		if err == nil {
			return l, nil
		}
		reasons = append(reasons, fmt.Sprintf("as %s: %v", t.Title, err))
	}
	return nil, fmt.Errorf("not a topology file that is known here (%s)", strings.Join(reasons, "; "))
}
