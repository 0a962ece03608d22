// Package partition says which partition (shard) a key belongs to: partitioners, one file each, and
// readers of topology files. Keys enter, partition indexes leave. A key that no partition owns gets -1,
// never partition 0.
//
//  1. ReadTopology reads what a topology file says into a Map; its kind is recognised by content.
//  2. Partitioner.Layout makes a Layout of a number of shards or of a Map.
//  3. Layout.Of places keys: the key's text becomes bytes (its encoding), the bytes a hash or a place in an
//     order, and that a partition.
package partition

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// MaxPartitions is the largest number of partitions of a layout.
const MaxPartitions = 4096

// Layout maps keys to partitions. It may be used from several goroutines at once.
type Layout struct {
	// Partitioner is the ID in Partitioners; Title says it in words ("Redis Cluster, 8 even slot ranges").
	Partitioner, Title string
	// Partitions is empty for the explicit partitioner: only the input knows its partitions.
	Partitions []Partition

	place   func(key []byte) int
	encode  encoder   // nil where a key's text is hashed as it is
	scratch sync.Pool // *[]byte, for encode
	owner   []int16   // owner[slot] is the partition that owns a Redis Cluster slot, -1 for none
	id      string
}

// Partition is one shard of a layout.
type Partition struct {
	ID string
	// Node is the server that holds it, "" where it is not known or is the partition itself.
	Node string
	// Fair is its share of the key space: owned slots over all slots, its arcs of a ring, its part of the
	// hash range. Ranges of keys have no such measure: there each partition's is the same.
	Fair float64
	// Slots are the Redis Cluster slots it owns, first and last included, ascending; nil for other
	// partitioners.
	Slots []Range
}

// Range is a run of slots, both ends included.
type Range struct{ First, Last int }

// String returns "0-5460", or "7" for a single slot.
func (r Range) String() string {
	if r.First == r.Last {
		return strconv.Itoa(r.First)
	}
	return strconv.Itoa(r.First) + "-" + strconv.Itoa(r.Last)
}

// Of returns the index of the key's partition in Partitions, or -1 where nobody owns the key: a gap of the
// topology, a key that its encoding cannot be read as, or a key that the client sends anywhere.
func (l *Layout) Of(key []byte) int {
	if l.encode == nil {
		return l.place(key)
	}
	buf, _ := l.scratch.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	at := -1
	encoded, ok := l.encode((*buf)[:0], key)
	if ok {
		at = l.place(encoded)
	}
	*buf = encoded
	l.scratch.Put(buf)
	return at
}

// OfSlot returns the index of the partition that owns a Redis Cluster slot, or -1.
func (l *Layout) OfSlot(slot int) int {
	if slot < 0 || slot >= len(l.owner) {
		return -1
	}
	return int(l.owner[slot])
}

// BySlot reports whether OfSlot(Slot(key)) is Of(key) for every key.
func (l *Layout) BySlot() bool { return l.owner != nil && l.encode == nil }

// ID names the layout: two layouts with the same ID send every key to the same partition of the same
// name.
func (l *Layout) ID() string { return l.id }

// plan is what a partitioner decides on; Layout adds the rest.
type plan struct {
	title string
	parts []Partition
	place func(key []byte) int
	owner []int16
	// shape tells apart what the names of the partitions and the options do not: slots, points, ranges;
	// nil where there is nothing else.
	shape func(w io.Writer)
}

// newLayout completes a plan. The ID is a digest: a ring of thousands of tokens is part of it.
func newLayout(p Partitioner, o Options, plan plan) *Layout {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", p.ID, o.Encoding)
	for _, name := range sortedKeys(o.Params) {
		fmt.Fprintf(h, " %q=%q", name, o.Params[name])
	}
	for _, part := range plan.parts {
		fmt.Fprintf(h, "\n%q", part.ID)
	}
	io.WriteString(h, "\n")
	if plan.shape != nil {
		plan.shape(h)
	}
	return &Layout{
		Partitioner: p.ID, Title: plan.title, Partitions: plan.parts, place: plan.place, owner: plan.owner,
		id: p.ID + "/" + hex.EncodeToString(h.Sum(nil)[:16]),
	}
}

// numbered makes n partitions of equal shares, called 0 to n-1.
func numbered(n int) []Partition {
	parts := make([]Partition, n)
	for i := range parts {
		parts[i] = Partition{ID: strconv.Itoa(i), Fair: 1 / float64(n)}
	}
	return parts
}

// distinct numbers names that occur twice, so that every partition has a name of its own.
func distinct(parts []Partition) {
	seen := map[string]bool{}
	for _, p := range parts {
		seen[p.ID] = true
	}
	used := map[string]bool{}
	for i := range parts {
		id := parts[i].ID
		for n := i; used[id] || id != parts[i].ID && seen[id]; n++ {
			id = fmt.Sprintf("%s#%d", parts[i].ID, n)
		}
		used[id] = true
		parts[i].ID = id
	}
}

// count says a number of things: "1 shard", "3 shards".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// joined lists words for an error: "a, b or c".
func joined(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}
