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
}

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
}

// Hash is the hash of a key's bytes that every table and sketch uses: xxh3, 64 bits, no seed, so that
// every run and every machine agrees.
func Hash(key []byte) uint64 { return xxh3.Hash(key) }

// HashString is Hash for a string.
func HashString(key string) uint64 { return xxh3.HashString(key) }

// NewBatch returns an empty batch with room for n rows and the Time and Client columns in use as asked.
func NewBatch(n int, timed, clients bool) *Batch {
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
	if timed {
		b.Time = make([]int64, 0, n)
	}
	if clients {
		b.Client = make([]uint64, 0, n)
	}
	return b
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
	if b.Time != nil {
		b.Time = append(b.Time, r.Time)
	}
	if b.Weight != nil {
		b.Weight = append(b.Weight, r.Weight)
	}
	if b.Client != nil {
		b.Client = append(b.Client, r.Client)
	}
}

// Reset empties the batch and keeps its storage. Names stays: it belongs to the input.
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
	if b.Time != nil {
		b.Time = b.Time[:0]
	}
	if b.Weight != nil {
		b.Weight = b.Weight[:0]
	}
	if b.Client != nil {
		b.Client = b.Client[:0]
	}
}
