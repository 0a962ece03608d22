// Package request holds the leaf vocabulary of the pipeline: a batch of requests as columns, the sinks
// that take batches, and the tally of what an input held and what of it could not be used. It imports
// nothing of ours, so that the crew that reads (ingest) and the crew that counts (analyze) can work
// without knowing each other.
package request

import "github.com/zeebo/xxh3"

// Batch is a few thousand rows as columns. A row is one touch of one key, or a command without a key.
// Columns that the input does not have are nil, and whatever needs them says "not in this input".
// A batch is reused by its owner: whoever keeps a key copies it.
type Batch struct {
	// Arena holds the key bytes of all rows, end to end; key i ends at End[i].
	Arena []byte
	End   []uint32
	// Hash is Hash(key).
	Hash []uint64
	// Class is the number of the row's class, what it has in common with others: see ClassOf and Number.
	Class []uint32
	// Names are the names of the commands of the classes. It only grows while an input is read.
	Names []string
	// Offset is where the row's record begins in the unpacked input, in bytes (or rows).
	Offset []int64
	// Size is the payload in bytes that the request carries for this key: the decoded length of its
	// key and of the arguments that belong to it. Reply sizes are not known.
	Size []uint64
	// Time is in nanoseconds since 1970 UTC; nil when the input has no time.
	Time []int64
	// Weight is how many requests the row stands for; nil means 1 each.
	Weight []uint64
	// Client is a hash of the client's host (without its port), 0 where it is not known; nil when the
	// input has no clients.
	Client []uint64
	// Status is the response's HTTP status, 0 where it is not known.
	Status []uint16
	// Latency is how long the request took in nanoseconds, -1 where it is not known.
	Latency []int64
	// Cache says whether a cache in front answered.
	Cache []CacheResult
	// TTL is the lifetime that a write gives its value in milliseconds, -1 where it gives none.
	TTL []int64
	// Partition and Tenant are numbers of labels that the input itself names, such as the server that
	// answered; they index PartitionNames and TenantNames, which only grow. Number 0 is "" (not known).
	Partition, Tenant           []uint32
	PartitionNames, TenantNames []string

	classes *Classes
}

// CacheResult says whether a cache answered a request.
type CacheResult uint8

// The results of a cache.
const (
	CacheUnknown CacheResult = iota
	CacheMiss
	CacheHit
)

// Columns says which optional columns a batch has.
type Columns uint16

// The optional columns.
const (
	TimeColumn Columns = 1 << iota
	WeightColumn
	ClientColumn
	StatusColumn
	LatencyColumn
	CacheColumn
	TTLColumn
	PartitionColumn
	TenantColumn
)

// Row is one row, for Append.
type Row struct {
	Key     []byte
	Hash    uint64 // 0 lets Append compute it
	Flags   Flags
	Op      Op
	Command uint16
	Algebra Algebra
	Offset  int64
	Size    uint64
	Time    int64
	Weight  uint64
	Client  uint64

	Keys              uint16
	Status            uint16
	Latency           int64
	Cache             CacheResult
	TTL               int64
	Partition, Tenant uint32
}

// Hash is the hash of a key's bytes that every table and sketch uses: xxh3, 64 bits, no seed, so that
// every run and every machine agrees.
func Hash(key []byte) uint64 { return xxh3.Hash(key) }

// HashString is Hash for a string.
func HashString(key string) uint64 { return xxh3.HashString(key) }

// NewBatch returns an empty batch with room for n rows and the given optional columns.
func NewBatch(n int, c Columns) *Batch {
	b := &Batch{
		classes: &Classes{numbers: map[Class]uint32{}},

		Arena:  make([]byte, 0, 32*n),
		End:    make([]uint32, 0, n),
		Hash:   make([]uint64, 0, n),
		Class:  make([]uint32, 0, n),
		Offset: make([]int64, 0, n),
		Size:   make([]uint64, 0, n),
	}
	b.Time = column[int64](c, TimeColumn, n)
	b.Weight = column[uint64](c, WeightColumn, n)
	b.Client = column[uint64](c, ClientColumn, n)
	b.Status = column[uint16](c, StatusColumn, n)
	b.Latency = column[int64](c, LatencyColumn, n)
	b.Cache = column[CacheResult](c, CacheColumn, n)
	b.TTL = column[int64](c, TTLColumn, n)
	b.Partition = column[uint32](c, PartitionColumn, n)
	b.Tenant = column[uint32](c, TenantColumn, n)
	return b
}

func column[T any](have, want Columns, n int) []T {
	if have&want == 0 {
		return nil
	}
	return make([]T, 0, n)
}

// Len is the number of rows.
func (b *Batch) Len() int { return len(b.End) }

// Key returns the key bytes of row i; they live until Reset.
func (b *Batch) Key(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = b.End[i-1]
	}
	return b.Arena[start:b.End[i]:b.End[i]]
}

// Columns are the optional columns that the batch has.
func (b *Batch) Columns() (c Columns) {
	for _, have := range []struct {
		is     bool
		column Columns
	}{
		{b.Time != nil, TimeColumn}, {b.Weight != nil, WeightColumn}, {b.Client != nil, ClientColumn},
		{b.Status != nil, StatusColumn}, {b.Latency != nil, LatencyColumn}, {b.Cache != nil, CacheColumn},
		{b.TTL != nil, TTLColumn}, {b.Partition != nil, PartitionColumn}, {b.Tenant != nil, TenantColumn},
	} {
		if have.is {
			c |= have.column
		}
	}
	return c
}

// WeightOf returns how many requests row i stands for.
func (b *Batch) WeightOf(i int) uint64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[i]
}

// Append adds a row and copies its key.
func (b *Batch) Append(r *Row) {
	b.Arena = append(b.Arena, r.Key...)
	b.End = append(b.End, uint32(len(b.Arena)))
	hash := r.Hash
	if hash == 0 && r.Flags&NoKey == 0 {
		hash = Hash(r.Key)
	}
	b.Hash = append(b.Hash, hash)
	b.Class = append(b.Class, b.Number(Class{r.Command, r.Keys, r.Op, r.Flags, r.Algebra}))
	b.Offset = append(b.Offset, r.Offset)
	b.Size = append(b.Size, r.Size)
	add(&b.Time, r.Time)
	add(&b.Weight, r.Weight)
	add(&b.Client, r.Client)
	add(&b.Status, r.Status)
	add(&b.Latency, r.Latency)
	add(&b.Cache, r.Cache)
	add(&b.TTL, r.TTL)
	add(&b.Partition, r.Partition)
	add(&b.Tenant, r.Tenant)
}

// AppendTouch is Append for the commonest row, a key touched by a command of its own, in a batch that has
// the Time and Client columns and no other optional one. class is the number of its class.
func (b *Batch) AppendTouch(key []byte, class uint32, ns, offset int64, size, client uint64) {
	b.Arena = append(b.Arena, key...)
	b.End = append(b.End, uint32(len(b.Arena)))
	b.Hash = append(b.Hash, Hash(key))
	b.Class = append(b.Class, class)
	b.Offset = append(b.Offset, offset)
	b.Size = append(b.Size, size)
	b.Time = append(b.Time, ns)
	b.Client = append(b.Client, client)
}

// add appends to an optional column if the batch has it.
func add[T any](column *[]T, v T) {
	if *column != nil {
		*column = append(*column, v)
	}
}

// Reset empties the batch and keeps its storage. The lists of names and classes stay: they belong to the
// input.
func (b *Batch) Reset() {
	b.Arena = b.Arena[:0]
	b.End = b.End[:0]
	b.Hash = b.Hash[:0]
	b.Class = b.Class[:0]
	b.Offset = b.Offset[:0]
	b.Size = b.Size[:0]
	b.Time, b.Weight, b.Client = b.Time[:0], b.Weight[:0], b.Client[:0]
	b.Status, b.Latency, b.Cache, b.TTL = b.Status[:0], b.Latency[:0], b.Cache[:0], b.TTL[:0]
	b.Partition, b.Tenant = b.Partition[:0], b.Tenant[:0]
}
