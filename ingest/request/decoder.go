package request

// MaxLine is the longest line that is read whole, in bytes. Of a longer one the head is decoded and
// the rest is counted: a 512 MiB SET prints up to 2 GiB on one line.
const MaxLine = 4 << 20

// MaxKey is how many bytes of a key are kept. A longer key keeps its first MaxKey-16 bytes followed by
// 16 hex digits of the hash of all its bytes, so that two long keys stay two.
const MaxKey = 4096

// Block is a run of whole records of one input.
type Block struct {
	// Data holds whole lines, each with its line end (the last line of the input may lack it).
	Data []byte
	// Offset is where Data begins in the unpacked input.
	Offset int64
	// Dropped is how many bytes were left out at the end of Data, before the line end, because the
	// line is longer than MaxLine; such a block holds that one line.
	Dropped int64
	// Last is set when nothing follows: a last line without its line end may be cut off.
	Last bool
}

// Decoder turns blocks into batches. Blocks are independent of each other: a decoder keeps nothing
// between two calls that could change what it makes of the next block, so any worker may decode any
// block. It counts every line in the tally and hands full batches to the sink.
type Decoder interface {
	Decode(Block, Sink, *Tally)
}
