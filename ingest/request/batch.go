// Package request holds the leaf vocabulary of the pipeline: a batch of requests as columns, the sinks
// that take batches, and the tally of what an input held and what of it could not be used. It imports
// nothing of ours, so that the crew that reads (ingest) and the crew that counts (analyze) can work
// without knowing each other.
package request

import "github.com/zeebo/xxh3"

// Flags qualify one row of a batch.
type Flags uint8

const (
	// BeginsCommand marks the row at which a server command counts: a 3-key MGET is one command and
	// three rows, a call inside a script is a row of its script's command.
	BeginsCommand Flags = 1 << iota
	// NoKey marks a row that touches no key (PING, SCAN). Without BeginsCommand it only names a command
	// that counts at the row behind it: an EVAL, whose keys are those of its calls.
	NoKey
)

// Batch is a few thousand rows as columns. A row is one touch of one key, or a command without a key.
// Columns that the input does not have are nil, and whatever needs them says "not in this input".
// A batch is reused by its owner: whoever keeps a key copies it.
type Batch struct {
	// Arena holds the key bytes of all rows, end to end; key i ends at End[i].
	Arena []byte
	End   []uint32
	// Hash is Hash(key).
	Hash  []uint64
	Flags []Flags
	Op    []Op
	// Command indexes Names. Names only grows while an input is read.
	Command []uint16
	Names   []string
	Algebra []Algebra
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
	// Keys is the number of keys of the row's command, each of which has a row: the work of the command
	// is divided among them. 1 (and a batch without the column): the command counts whole at the row
	// that begins it.
	Keys []uint16
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
	KeysColumn
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
		Arena:   make([]byte, 0, 32*n),
		End:     make([]uint32, 0, n),
		Hash:    make([]uint64, 0, n),
		Flags:   make([]Flags, 0, n),
		Op:      make([]Op, 0, n),
		Command: make([]uint16, 0, n),
		Algebra: make([]Algebra, 0, n),
		Offset:  make([]int64, 0, n),
		Size:    make([]uint64, 0, n),
	}
	b.Time = column[int64](c, TimeColumn, n)
	b.Weight = column[uint64](c, WeightColumn, n)
	b.Client = column[uint64](c, ClientColumn, n)
	b.Keys = column[uint16](c, KeysColumn, n)
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

// Take moves the rows of o here, without copying them. o keeps its columns and names, and gets the storage
// that was here, if it has the same columns, else new storage. What was in b before is lost.
func (b *Batch) Take(o *Batch) {
	columns := o.Columns()
	if b.End == nil || b.Columns() != columns {
		*b = *NewBatch(cap(o.End), columns)
	}
	b.Reset()
	b.Names, b.PartitionNames, b.TenantNames = o.Names, o.PartitionNames, o.TenantNames
	*b, *o = *o, *b
}

// Columns are the optional columns that the batch has.
func (b *Batch) Columns() (c Columns) {
	for _, have := range []struct {
		is     bool
		column Columns
	}{
		{b.Time != nil, TimeColumn}, {b.Weight != nil, WeightColumn}, {b.Client != nil, ClientColumn},
		{b.Keys != nil, KeysColumn},
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
func (b *Batch) Append(r Row) {
	b.Arena = append(b.Arena, r.Key...)
	b.End = append(b.End, uint32(len(b.Arena)))
	if r.Hash == 0 && r.Flags&NoKey == 0 {
		r.Hash = Hash(r.Key)
	}
	b.Hash = append(b.Hash, r.Hash)
	b.Flags = append(b.Flags, r.Flags)
	b.Op = append(b.Op, r.Op)
	b.Command = append(b.Command, r.Command)
	b.Algebra = append(b.Algebra, r.Algebra)
	b.Offset = append(b.Offset, r.Offset)
	b.Size = append(b.Size, r.Size)
	add(&b.Time, r.Time)
	add(&b.Weight, r.Weight)
	add(&b.Client, r.Client)
	add(&b.Keys, r.Keys)
	add(&b.Status, r.Status)
	add(&b.Latency, r.Latency)
	add(&b.Cache, r.Cache)
	add(&b.TTL, r.TTL)
	add(&b.Partition, r.Partition)
	add(&b.Tenant, r.Tenant)
}

// AppendTouch is Append for the commonest row, a key touched by a command of its own, in a batch that has
// the Time and Client columns and, of the other optional ones, at most Keys.
func (b *Batch) AppendTouch(key []byte, command uint16, op Op, a Algebra, ns, offset int64, size, client uint64) {
	b.Arena = append(b.Arena, key...)
	b.End = append(b.End, uint32(len(b.Arena)))
	b.Hash = append(b.Hash, Hash(key))
	b.Flags = append(b.Flags, BeginsCommand)
	b.Op = append(b.Op, op)
	b.Command = append(b.Command, command)
	b.Algebra = append(b.Algebra, a)
	b.Offset = append(b.Offset, offset)
	b.Size = append(b.Size, size)
	b.Time = append(b.Time, ns)
	b.Client = append(b.Client, client)
	add(&b.Keys, 1)
}

// add appends to an optional column if the batch has it.
func add[T any](column *[]T, v T) {
	if *column != nil {
		*column = append(*column, v)
	}
}

// Reset empties the batch and keeps its storage. The lists of names stay: they belong to the input.
func (b *Batch) Reset() {
	b.Arena = b.Arena[:0]
	b.End = b.End[:0]
	b.Hash = b.Hash[:0]
	b.Flags = b.Flags[:0]
	b.Op = b.Op[:0]
	b.Command = b.Command[:0]
	b.Algebra = b.Algebra[:0]
	b.Offset = b.Offset[:0]
	b.Size = b.Size[:0]
	b.Time, b.Weight, b.Client = b.Time[:0], b.Weight[:0], b.Client[:0]
	b.Keys = b.Keys[:0]
	b.Status, b.Latency, b.Cache, b.TTL = b.Status[:0], b.Latency[:0], b.Cache[:0], b.TTL[:0]
	b.Partition, b.Tenant = b.Partition[:0], b.Tenant[:0]
}
