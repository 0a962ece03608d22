package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"keyskew/ingest/request"
	"keyskew/sketch"
)

const (
	// untimed is the second of records without a time.
	untimed = math.MinInt64
	// regionBits fixes the regions: aligned stretches of 1 MiB of an unpacked input. A record belongs
	// to the region in which it begins. Everything that a limit decides is decided at the end of a
	// region, by what does not depend on chunks either, so no answer depends on how the input was cut.
	regionBits = 20
	// idleSeconds and idleRows bound what stays open for records that come late, besides the seconds
	// that the current region touched. A second that is closed too early is merged in several parts:
	// then a key's peak second is a lower bound.
	idleSeconds, idleRows = 64, 16_384
	// openRows bounds the rows of the open seconds altogether at the end of a region. Above it the
	// pieces of each second become one, in which a key counts as a row for each kind; if more than half
	// of the bound is left, seconds that are not complete are closed too, and their lists of keys are
	// bounds.
	openRows = 524_288
)

// Collector takes the batches of all inputs and builds their Summary. It is a request.Folder: sinks count
// the rows of their chunks exactly, by key and second, in parallel; Fold hands what they counted to the open
// seconds, one chunk after the other. So each row is looked up in one small table of one chunk, and each
// key of a chunk once in the table of the summary.
type Collector struct {
	sum    *Summary
	open   map[int64]*openSecond
	input  int
	region int64
	begun  bool
	most   uint64 // openRows, but in tests
	room   closing
	// answered are the pieces of the region at hand whose rows may be retries, of what refused remembers.
	answered []*piece
	refused  refusals

	mu    sync.Mutex
	sinks []*chunkSink
	free  []*piece
	freed int // entries that free has room for
}

// openSecond is a second, or all that has no time, that may get further rows.
type openSecond struct {
	pieces []*piece // in file order
	// rows is how many rows it had since its pieces became one, and the entries of that one.
	rows    uint64
	touched bool // by the region at hand
}

// NewCollector returns a collector for a configuration.
func NewCollector(c Config) (*Collector, error) {
	sum, err := NewSummary(c)
	if err != nil {
		return nil, err
	}
	return &Collector{
		sum: sum, open: map[int64]*openSecond{}, most: openRows,
		refused: refusals{within: int64(retryWithin) / sum.config.base()},
	}, nil
}

// chunkSink counts one chunk, in pieces: one for each second of each region.
type chunkSink struct {
	c       *Collector
	input   int
	base    int64
	columns request.Columns
	clients clients
	parts   []part
	pieces  map[int64]*piece // that may get further rows, by second
	last    *piece           // of the last row
	found   [group]uint32

	numbers *request.Classes // whose classes kinds translates, as many as they are
	kinds   []kind
}

// clients gathers the clients of a sink. Those that it has seen before, in this chunk or an earlier one,
// are counted already; it remembers the latest few.
type clients struct {
	latest uint64
	recent [1024]uint64
	fresh  []uint64
}

func (c *clients) add(column []uint64) {
	for _, client := range column {
		if client == c.latest || client == 0 {
			continue
		}
		c.latest = client
		if at := &c.recent[client%uint64(len(c.recent))]; *at != client {
			*at = client
			c.fresh = append(c.fresh, client)
		}
	}
}

func (c *clients) fold(to *sketch.Distinct) {
	for _, client := range c.fresh {
		to.Add(client)
	}
	c.fresh = c.fresh[:0]
}

// part is a piece, its region, and whose numbers its classes have.
type part struct {
	region  int64
	numbers *request.Classes
	*piece
}

// NewSink returns a sink for the next chunk of an input. It may be called from any goroutine.
func (c *Collector) NewSink(input int) request.Sink {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.sinks); n > 0 {
		s := c.sinks[n-1]
		c.sinks = c.sinks[:n-1]
		s.input = input
		return s
	}
	return &chunkSink{c: c, input: input, base: c.sum.config.base(), pieces: map[int64]*piece{}}
}

// Add counts a batch, run by run: rows of one region and second.
func (s *chunkSink) Add(b *request.Batch) {
	s.columns |= b.Columns()
	s.clients.add(b.Client)
	for from := 0; from < b.Len(); {
		region, second := b.Offset[from]>>regionBits, int64(untimed)
		to := b.Len()
		if b.Offset[to-1]>>regionBits != region {
			to = from + 1
			for b.Offset[to]>>regionBits == region {
				to++
			}
		}
		if b.Time != nil {
			second = floorDiv(b.Time[from], s.base)
			begin := second * s.base
			for i, ns := range b.Time[from:to] {
				if uint64(ns-begin) >= uint64(s.base) {
					to = from + i
					break
				}
			}
		}
		s.piece(b, region, second).add(b, uint32(s.input), from, to, &s.found)
		from = to
	}
}

// piece returns the piece of a second of a region.
func (s *chunkSink) piece(b *request.Batch, region, second int64) *piece {
	var p *piece
	if n := len(s.parts); n > 0 && s.parts[n-1].region == region && s.parts[n-1].numbers == b.Classes() {
		if s.last.second == second {
			return s.last
		}
		p = s.pieces[second]
	} else {
		clear(s.pieces)
	}
	if p == nil {
		p = s.c.newPiece()
		p.reset(second, b.Time != nil)
		p.sampled = s.c.sum.config.Sampled
		s.pieces[second] = p
		s.parts = append(s.parts, part{region, b.Classes(), p})
	}
	s.last = p
	return p
}

func (c *Collector) newPiece() *piece {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.free)
	if n == 0 {
		return &piece{}
	}
	p := c.free[n-1]
	c.free = c.free[:n-1]
	c.freed -= cap(p.entries)
	return p
}

// freeEntries is what is kept for reuse beside as much as the last second took, in entries over all free
// pieces; one piece is kept whatever its size.
const freeEntries = 1 << 15

func (c *Collector) recycle(pieces []*piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	most := freeEntries
	for _, p := range pieces {
		most += cap(p.entries)
	}
	for _, p := range pieces {
		if len(c.free) == 0 || c.freed+cap(p.entries) <= most {
			c.freed += cap(p.entries)
			c.free = append(c.free, p)
		}
	}
}

// Fold hands a finished chunk to the open seconds. Chunks come in input order.
func (c *Collector) Fold(sink request.Sink) error {
	s, ok := sink.(*chunkSink)
	if !ok || s.c != c {
		return fmt.Errorf("analyze: a sink that this collector did not make (%T)", sink)
	}
	s.clients.fold(c.sum.clients)
	c.sum.columns |= s.columns
	for _, p := range s.parts {
		c.take(s, p)
	}
	s.columns, s.parts, s.last = 0, s.parts[:0], nil
	clear(s.pieces)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sinks = append(c.sinks, s)
	return nil
}

// take adds a piece to its second.
func (c *Collector) take(s *chunkSink, p part) {
	if c.begun && (p.region != c.region || s.input != c.input) {
		c.endRegion()
	}
	c.begun, c.input, c.region = true, s.input, p.region
	if s.numbers != p.numbers || len(s.kinds) < len(p.classes) {
		s.numbers, s.kinds = p.numbers, c.sum.kindsOf(p.classes, p.names)
	}
	p.kinds = s.kinds
	o := c.open[p.second]
	if o == nil {
		o = &openSecond{}
		c.open[p.second] = o
	}
	if p.timed && len(p.answers) > 0 {
		c.answered = append(c.answered, p.piece)
	}
	o.pieces = append(o.pieces, p.piece)
	o.rows += p.rows
	o.touched = true
}

// endRegion closes the oldest of the seconds that the region did not touch while there are too many of
// them, and more while too many rows are open. What has no time is closed at once: none of it is asked by
// the second.
func (c *Collector) endRegion() {
	c.endAnswers()
	if o := c.open[untimed]; o != nil {
		c.close(untimed)
	}
	if len(c.open) == 0 {
		return
	}
	rows, idle, waiting := c.count()
	if rows > c.most {
		for _, o := range c.open {
			c.join(o)
		}
		if rows, idle, waiting = c.count(); rows <= c.most/2 {
			rows = 0
		}
	} else {
		rows = 0
	}
	if rows == 0 && idle <= idleSeconds && waiting <= idleRows {
		c.untouch()
		return
	}
	order := slices.SortedFunc(maps.Keys(c.open), func(a, b int64) int {
		if x, y := c.open[a].touched, c.open[b].touched; x != y {
			if x {
				return 1
			}
			return -1
		}
		return cmp.Compare(a, b)
	})
	for _, second := range order {
		o := c.open[second]
		tooIdle := idle > idleSeconds || waiting > idleRows
		if !(tooIdle && !o.touched) && rows <= c.most/2 {
			break
		}
		if !o.touched {
			idle--
			waiting -= o.rows
		}
		rows -= min(rows, o.rows)
		c.close(second)
	}
	c.untouch()
}

// endAnswers finds the retries of the region.
func (c *Collector) endAnswers() {
	c.refused.retries(c.answered)
	clear(c.answered)
	c.answered = c.answered[:0]
}

// count returns the rows of the open seconds, and of those that the region did not touch how many they are
// and their rows.
func (c *Collector) count() (rows uint64, idle int, waiting uint64) {
	for _, o := range c.open {
		rows += o.rows
		if !o.touched {
			idle++
			waiting += o.rows
		}
	}
	return rows, idle, waiting
}

func (c *Collector) untouch() {
	for _, o := range c.open {
		o.touched = false
	}
}

// join makes the pieces of a second one.
func (c *Collector) join(o *openSecond) {
	if len(o.pieces) > 1 {
		p := c.newPiece()
		p.reset(o.pieces[0].second, o.pieces[0].timed)
		for _, from := range o.pieces {
			p.join(from, c.sum.kinds)
		}
		c.recycle(o.pieces)
		o.pieces = append(o.pieces[:0], p)
	}
	o.rows = uint64(len(o.pieces[0].entries))
}

func (c *Collector) close(second int64) {
	o := c.open[second]
	delete(c.open, second)
	c.sum.add(o.pieces, &c.room)
	c.recycle(o.pieces)
}

// Keys is how many keys are counted so far, without those of the open seconds that are new.
func (c *Collector) Keys() int { return c.sum.keys.Len() }

// Finish closes what is open and returns the summary. The collector is spent.
func (c *Collector) Finish() *Summary {
	c.endAnswers()
	for _, second := range slices.Sorted(maps.Keys(c.open)) {
		c.close(second)
	}
	c.free, c.sinks, c.room = nil, nil, closing{}
	c.sum.settle()
	return c.sum
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
