// Package requesttest helps to test decoders: batches come in and are kept as rows that can be compared,
// and what every decoder promises (package request) is checked on the way. Only tests import it.
package requesttest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"keyskew/ingest/request"
)

// Row is one row of a batch, copied out and with its names. Columns that the batch lacks have the value
// that says "not known": -1 for Latency and TTL, 0 for the others.
type Row struct {
	Key, Command      string
	Flags             request.Flags
	Op                request.Op
	Algebra           request.Algebra
	Offset            int64
	Size, Weight      uint64
	Time              int64
	Client            uint64
	Status            uint16
	Latency           int64
	Cache             request.CacheResult
	TTL               int64
	Partition, Tenant string
}

// HasKey says that the row touches a key.
func (r Row) HasKey() bool { return r.Flags&request.NoKey == 0 }

// Rows is a sink that copies. It checks that keys are no longer than is kept and carry their hash.
type Rows struct {
	T    testing.TB
	List []Row
}

// Add copies the rows of a batch.
func (r *Rows) Add(b *request.Batch) {
	for i := range b.Len() {
		key, c := b.Key(i), b.ClassOf(i)
		if len(key) > request.MaxKey {
			r.T.Errorf("a key of %d bytes", len(key))
		}
		if c.Flags&request.NoKey == 0 && b.Hash[i] != request.Hash(key) {
			r.T.Errorf("key %q: not its hash", key)
		}
		r.List = append(r.List, Row{
			Key: string(key), Command: b.Names[c.Command], Flags: c.Flags, Op: c.Op,
			Algebra: c.Algebra, Offset: b.Offset[i], Size: b.Size[i], Weight: b.WeightOf(i),
			Time: at(b.Time, i, 0), Client: at(b.Client, i, 0), Status: at(b.Status, i, 0),
			Latency: at(b.Latency, i, -1), Cache: at(b.Cache, i, 0), TTL: at(b.TTL, i, -1),
			Partition: named(b.PartitionNames, b.Partition, i), Tenant: named(b.TenantNames, b.Tenant, i),
		})
	}
}

func at[T any](column []T, i int, missing T) T {
	if column == nil {
		return missing
	}
	return column[i]
}

func named(names []string, column []uint32, i int) string {
	if column == nil {
		return ""
	}
	return names[column[i]]
}

// Keys are the keys of all rows that have one.
func (r *Rows) Keys() []string {
	out := []string{}
	for _, x := range r.List {
		if x.HasKey() {
			out = append(out, x.Key)
		}
	}
	return out
}

// Commands is the number of commands that begin.
func (r *Rows) Commands() (n int64) {
	for _, x := range r.List {
		if x.Flags&request.BeginsCommand != 0 {
			n++
		}
	}
	return n
}

// ByKey is what Count and Top count by to count keys.
func ByKey(x Row) string { return x.Key }

// Count counts the rows that have a key by what by says of them, with their weights.
func (r *Rows) Count(by func(Row) string) map[string]uint64 {
	counts := map[string]uint64{}
	for _, x := range r.List {
		if x.HasKey() {
			counts[by(x)] += x.Weight
		}
	}
	return counts
}

// Top returns the total of Count, how many different texts there are, and the n most frequent of them,
// each as "text count", the smaller text first of equals.
func (r *Rows) Top(n int, by func(Row) string) (total uint64, distinct int, top []string) {
	counts := r.Count(by)
	for text, n := range counts {
		top = append(top, text)
		total += n
	}
	slices.SortFunc(top, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	top = top[:min(n, len(top))]
	for i, text := range top {
		top[i] = fmt.Sprint(text, " ", counts[text])
	}
	return total, len(counts), top
}
