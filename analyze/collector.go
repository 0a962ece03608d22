package analyze

import (
	"cmp"
	"fmt"
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
	// region, so no answer depends on how the input was cut into chunks.
	regionBits = 20
	// idleSeconds and idleKeys bound what stays open for records that come late, besides the seconds
	// that the current region touched. A second that is closed too early is merged in several parts:
	// then a key's peak second is a lower bound.
	idleSeconds, idleKeys = 64, 8_192
	// openKeys bounds the open seconds altogether at the end of a region: above it also those that are
	// not complete are closed, and their lists of keys are bounds.
	openKeys = 262_144
)

// Collector takes the batches of all inputs and builds their Summary. It is a request.Folder: sinks gather
// the batches of their chunks, in parallel; Fold counts them, one chunk after the other, in the open
// seconds. So each request is looked up in one table of one second, and each second's keys once in the
// tables of the summary.
type Collector struct {
	sum    *Summary
	open   map[int64]*piece // by second
	last   *piece           // of the last row
	input  int
	region int64
	begun  bool
	free   []*piece
	freed  int // entries that free has room for
	at     [group]uint32

	mu      sync.Mutex
	sinks   []*chunkSink
	batches []*request.Batch
}

// NewCollector returns a collector for a configuration.
func NewCollector(c Config) (*Collector, error) {
	sum, err := NewSummary(c)
	if err != nil {
		return nil, err
	}
	return &Collector{sum: sum, open: map[int64]*piece{}}, nil
}

// chunkSink gathers one chunk.
type chunkSink struct {
	c       *Collector
	input   int
	names   []string
	batches []*request.Batch
	clients *sketch.Distinct
	client  uint64
	// byCommand counts touches and keyless commands by command.
	byCommand []uint64
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
	return &chunkSink{c: c, input: input, clients: newDistinct(distinctPrecision)}
}

// Add takes a batch, and counts what does not depend on the order.
func (s *chunkSink) Add(b *request.Batch) {
	s.names = b.Names
	for len(s.byCommand) < len(b.Names) {
		s.byCommand = append(s.byCommand, 0)
	}
	for i, command := range b.Command {
		s.byCommand[command] = saturate(s.byCommand[command], b.WeightOf(i))
	}
	for _, client := range b.Client {
		if client != s.client && client != 0 {
			s.client = client
			s.clients.Add(client)
		}
	}
	mine := s.c.newBatch()
	mine.Take(b)
	s.batches = append(s.batches, mine)
}

func (c *Collector) newBatch() *request.Batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.batches); n > 0 {
		b := c.batches[n-1]
		c.batches = c.batches[:n-1]
		return b
	}
	return &request.Batch{}
}

// Fold counts a finished chunk. Chunks come in input order.
func (c *Collector) Fold(sink request.Sink) error {
	s, ok := sink.(*chunkSink)
	if !ok || s.c != c {
		return fmt.Errorf("analyze: a sink that this collector did not make (%T)", sink)
	}
	translate := c.sum.translate(s.names)
	for command, n := range s.byCommand {
		c.sum.commands[translate[command]] = saturate(c.sum.commands[translate[command]], n)
	}
	clear(s.byCommand)
	s.byCommand, s.names = s.byCommand[:0], nil // the next input may know fewer commands
	if err := c.sum.clients.Merge(s.clients); err != nil {
		return err
	}
	s.clients, s.client = newDistinct(distinctPrecision), 0
	for _, b := range s.batches {
		for i, command := range b.Command {
			b.Command[i] = translate[command]
		}
		c.add(s.input, b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.batches = append(c.batches, s.batches...)
	s.batches = s.batches[:0]
	c.sinks = append(c.sinks, s)
	return nil
}

// add counts a batch, run by run: rows of one region and second.
func (c *Collector) add(input int, b *request.Batch) {
	base := c.sum.config.base()
	c.sum.columns |= b.Columns()
	for from := 0; from < b.Len(); {
		region, second := b.Offset[from]>>regionBits, int64(untimed)
		begin, end := int64(math.MinInt64), int64(math.MaxInt64)
		if b.Time != nil {
			second = floorDiv(b.Time[from], base)
			begin = second * base
			end = begin + base
		}
		to := from + 1
		for to < b.Len() && b.Offset[to]>>regionBits == region && (b.Time == nil || b.Time[to] >= begin && b.Time[to] < end) {
			to++
		}
		if c.begun && (region != c.region || input != c.input) {
			c.endRegion()
		}
		c.begun, c.input, c.region = true, input, region
		p := c.last
		if p == nil || p.second != second {
			p = c.second(second, b.Time != nil)
			c.last = p
		}
		p.touched = true
		p.add(b, input, from, to, &c.at)
		from = to
	}
}

// second returns the open second, and opens it if need be.
func (c *Collector) second(at int64, timed bool) *piece {
	p := c.open[at]
	if p != nil {
		return p
	}
	if n := len(c.free); n > 0 {
		p = c.free[n-1]
		c.free = c.free[:n-1]
		c.freed -= cap(p.hot)
	} else {
		p = &piece{}
	}
	p.reset(at, timed)
	c.open[at] = p
	return p
}

// freeEntries bounds what is kept for reuse, in entries over all free pieces; one piece is kept whatever
// its size.
const freeEntries = 1 << 15

func (c *Collector) recycle(p *piece) {
	if len(c.free) == 0 || c.freed+cap(p.hot) <= freeEntries {
		c.freed += cap(p.hot)
		c.free = append(c.free, p)
	}
}

// endRegion closes the oldest of the seconds that the region did not touch while there are too many of
// them, and more while too many keys are open.
func (c *Collector) endRegion() {
	seconds := make([]*piece, 0, len(c.open))
	keys, idle, waiting := 0, 0, 0
	for _, p := range c.open {
		seconds = append(seconds, p)
		keys += p.len()
		if !p.touched {
			idle++
			waiting += p.len()
		}
	}
	slices.SortFunc(seconds, func(a, b *piece) int {
		if a.touched != b.touched {
			if a.touched {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.second, b.second)
	})
	for _, p := range seconds {
		tooIdle := idle > idleSeconds || waiting > idleKeys
		if !(tooIdle && !p.touched) && keys <= openKeys {
			break
		}
		if !p.touched {
			idle--
			waiting -= p.len()
		}
		keys -= p.len()
		c.close(p)
	}
	for _, p := range c.open {
		p.touched = false
	}
}

func (c *Collector) close(p *piece) {
	delete(c.open, p.second)
	if c.last == p {
		c.last = nil
	}
	c.sum.add(p)
	c.recycle(p)
}

// Keys is how many keys are counted so far, without those of the open seconds that are new.
func (c *Collector) Keys() int { return c.sum.keys.Len() }

// Finish closes what is open and returns the summary. The collector is spent.
func (c *Collector) Finish() *Summary {
	seconds := make([]*piece, 0, len(c.open))
	for _, p := range c.open {
		seconds = append(seconds, p)
	}
	slices.SortFunc(seconds, func(a, b *piece) int { return cmp.Compare(a.second, b.second) })
	for _, p := range seconds {
		c.close(p)
	}
	return c.sum
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
