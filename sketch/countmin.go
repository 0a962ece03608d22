package sketch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"keyskew/sketch/prefetch"
)

// CountMin bounds the weight of any key from above, after Cormode and Muthukrishnan (2005, "An improved
// data stream summary: the count-min sketch and its applications", Journal of Algorithms 55(1), 58-75). Rows are plain,
// not updated conservatively, so that sketches merge by addition. Cells saturate.
type CountMin struct {
	depth, width int
	cells        []uint64 // row by row; nil while nothing was added
	n            uint64
}

// The limits of NewCountMin.
const (
	maxDepth   = 64
	limitCells = 1 << 32
)

// NewCountMin returns an empty sketch of depth rows (1 to 64) of width cells (a power of two), 8
// bytes each, which are only made when something is added.
func NewCountMin(depth, width int) (*CountMin, error) {
	if depth < 1 || depth > maxDepth {
		return nil, fmt.Errorf("sketch: Count-Min of %d rows: want 1 to %d", depth, maxDepth)
	}
	if width < 1 || width&(width-1) != 0 || width > limitCells/depth {
		return nil, fmt.Errorf("sketch: Count-Min rows of %d cells: want a power of two, at most %d cells in all", width, limitCells)
	}
	return &CountMin{depth: depth, width: width}, nil
}

// CountMinSize returns the smallest width and depth that keep the error of an estimate within
// epsilon N with probability 1-delta: ceil(e/epsilon) and ceil(ln 1/delta), section 3 of the paper.
// Both arguments lie between 0 and 1. The width may have to be rounded up for NewCountMin.
func CountMinSize(epsilon, delta float64) (width, depth int) {
	size := func(x float64) int { return int(min(max(math.Ceil(x), 1), math.MaxInt32)) }
	return size(math.E / epsilon), size(math.Log(1 / delta))
}

// row is the index of a hash's cell in row i. Each row mixes the whole hash anew.
func (c *CountMin) row(i int, hash uint64) int {
	const gamma = 0x9e3779b97f4a7c15 // the odd increment of SplitMix64
	return i*c.width + int(splitmix(hash+uint64(i+1)*gamma)&uint64(c.width-1))
}

// Add counts weight n for a key's hash.
func (c *CountMin) Add(hash, n uint64) {
	if c.cells == nil {
		c.cells = make([]uint64, c.depth*c.width)
	}
	for i := range c.depth {
		cell := &c.cells[c.row(i, hash)]
		*cell = addSat(*cell, n)
	}
	c.n = addSat(c.n, n)
}

// Feeder adds many keys to a sketch, which is larger than the nearest caches: each key's cells are fetched
// while the keys before it are counted. Flush counts the last ones.
type Feeder struct {
	sketch *CountMin
	queue  [8]struct {
		n     uint64
		cells [maxFed]uint32
	}
	at   int // next place of the queue
	room [maxFed]uintptr
}

// maxFed is the most rows of a sketch that a Feeder fetches cells for.
const maxFed = 8

// NewFeeder returns a feeder for a sketch of at most 8 rows, which must be nobody else's until Flush.
func NewFeeder(c *CountMin) *Feeder { return &Feeder{sketch: c} }

// Add counts weight n for a key's hash, a little later.
func (f *Feeder) Add(hash, n uint64) {
	c := f.sketch
	if c.cells == nil {
		c.cells = make([]uint64, c.depth*c.width)
	}
	q := &f.queue[f.at]
	f.count(q.n, &q.cells)
	q.n = n
	for i := range c.depth {
		at := c.row(i, hash)
		q.cells[i] = uint32(at)
		f.room[i] = prefetch.At(&c.cells[at])
	}
	prefetch.Lines(f.room[:c.depth])
	f.at = (f.at + 1) % len(f.queue)
}

func (f *Feeder) count(n uint64, cells *[maxFed]uint32) {
	if n == 0 {
		return
	}
	c := f.sketch
	for _, at := range cells[:c.depth] {
		c.cells[at] = addSat(c.cells[at], n)
	}
	c.n = addSat(c.n, n)
}

// Flush counts what is still on its way.
func (f *Feeder) Flush() {
	for i := range f.queue {
		q := &f.queue[i]
		f.count(q.n, &q.cells)
		q.n = 0
	}
}

// Estimate returns an upper bound on the weight of a key. It exceeds the truth by more than epsilon N
// with probability delta at most, as ErrorBound gives them, over keys chosen without regard to
// their hashes.
func (c *CountMin) Estimate(hash uint64) uint64 {
	if c.cells == nil {
		return 0
	}
	least := uint64(math.MaxUint64)
	for i := range c.depth {
		least = min(least, c.cells[c.row(i, hash)])
	}
	return least
}

// N is the total weight added.
func (c *CountMin) N() uint64 { return c.n }

// ErrorBound returns the epsilon and delta that the sketch's size gives.
func (c *CountMin) ErrorBound() (epsilon, delta float64) {
	return math.E / float64(c.width), math.Exp(-float64(c.depth))
}

// Merge adds other, which it leaves as it is. Sketches of unlike sizes are refused with ErrUnlike.
func (c *CountMin) Merge(other *CountMin) error {
	if c.depth != other.depth || c.width != other.width {
		return fmt.Errorf("%w: Count-Min %dx%d and %dx%d", ErrUnlike, c.depth, c.width, other.depth, other.width)
	}
	c.n = addSat(c.n, other.n)
	if c.cells == nil {
		c.cells = slices.Clone(other.cells)
		return nil
	}
	for i, v := range other.cells {
		c.cells[i] = addSat(c.cells[i], v)
	}
	return nil
}

// Clone returns an independent copy.
func (c *CountMin) Clone() *CountMin {
	d := *c
	d.cells = slices.Clone(c.cells)
	return &d
}

// AppendBinary appends the sketch to dst: cells as varints, each run of empty ones as a 0 and its length.
func (c *CountMin) AppendBinary(dst []byte) []byte {
	return appendFrame(dst, tagCountMin, func(b []byte) []byte {
		b = append(b, byte(c.depth), byte(bits.TrailingZeros(uint(c.width))))
		b = binary.AppendUvarint(b, c.n)
		if c.n == 0 {
			return b
		}
		for i := 0; i < len(c.cells); {
			run := i
			for run < len(c.cells) && c.cells[run] == 0 {
				run++
			}
			if run > i {
				b = append(b, 0)
				b = binary.AppendUvarint(b, uint64(run-i))
				i = run
				continue
			}
			b = binary.AppendUvarint(b, c.cells[i])
			i++
		}
		return b
	})
}

// DecodeCountMin reads a sketch of at most maxCells cells from the start of src and returns it with what
// follows it.
func DecodeCountMin(src []byte, maxCells int) (c *CountMin, rest []byte, err error) {
	r, rest, err := openFrame(src, tagCountMin)
	if err != nil {
		return nil, nil, err
	}
	depth, exponent := r.byte(), r.byte()
	n := r.uvarint()
	if r.err != nil {
		return nil, nil, r.err
	}
	if exponent > 32 {
		return nil, nil, fmt.Errorf("%w: Count-Min rows of 2^%d cells", ErrDamaged, exponent)
	}
	c, err = NewCountMin(int(depth), 1<<exponent)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if size := uint64(depth) << exponent; size > uint64(max(maxCells, 0)) {
		r.tooLarge(size, maxCells)
	}
	c.n = n
	if n > 0 && r.err == nil {
		c.readCells(r)
	}
	if err := r.done(); err != nil {
		return nil, nil, err
	}
	return c, rest, nil
}

// readCells reads all cells. Each row holds the whole weight, which also refuses damage that a
// checksum made to fit would hide.
func (c *CountMin) readCells(r *reader) {
	c.cells = make([]uint64, c.depth*c.width)
	gap := false
	for i := 0; i < len(c.cells) && r.err == nil; {
		v := r.uvarint()
		if v > 0 {
			c.cells[i] = v
			i++
			gap = false
			continue
		}
		run := r.uvarint()
		if run == 0 || gap || run > uint64(len(c.cells)-i) {
			r.fail("run of %d empty cells", run)
			return
		}
		i += int(run)
		gap = true
	}
	for row := range slices.Chunk(c.cells, c.width) {
		var sum uint64
		for _, v := range row {
			sum = addSat(sum, v)
		}
		if sum != c.n {
			r.fail("a row of weight %d in a sketch of %d", sum, c.n)
			return
		}
	}
}
