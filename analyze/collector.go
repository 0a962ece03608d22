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

// Collector takes the batches of all inputs and builds their Summary. It is a request.Folder.
type Collector struct {
	sum    *Summary
	open   map[int64]*piece // by second
	input  int
	region int64
	begun  bool

	mu    sync.Mutex
	sinks []*chunkSink
	free  []*piece
	freed int // entries that free has room for
}

// NewCollector returns a collector for a configuration.
func NewCollector(c Config) (*Collector, error) {
	sum, err := NewSummary(c)
	if err != nil {
		return nil, err
	}
	return &Collector{sum: sum, open: map[int64]*piece{}}, nil
}

// chunkSink counts one chunk, exactly, in pieces.
type chunkSink struct {
	c       *Collector
	input   int
	names   []string
	pieces  []*piece // in order of appearance
	current *piece
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

// Add counts a batch.
func (s *chunkSink) Add(b *request.Batch) {
	s.names = b.Names
	base := s.c.sum.config.base()
	for len(s.byCommand) < len(b.Names) {
		s.byCommand = append(s.byCommand, 0)
	}
	for i := range b.Len() {
		region := b.Offset[i] >> regionBits
		second := int64(untimed)
		if b.Time != nil {
			second = floorDiv(b.Time[i], base)
		}
		p := s.current
		if p == nil || p.second != second || p.region != region {
			p = s.piece(region, second, b.Time != nil)
			s.current = p
		}
		p.add(b, i)
		s.byCommand[b.Command[i]] = saturate(s.byCommand[b.Command[i]], b.WeightOf(i))
		if b.Client != nil && b.Client[i] != s.client {
			s.client = b.Client[i]
			if s.client != 0 {
				s.clients.Add(s.client)
			}
		}
	}
}

// recentPieces is how far back a piece is looked for: enough for inputs whose records are a few seconds
// out of order; beyond it a second piece of the same second is begun, which joins the first one later.
const recentPieces = 8

func (s *chunkSink) piece(region, second int64, timed bool) *piece {
	for i := len(s.pieces) - 1; i >= max(0, len(s.pieces)-recentPieces); i-- {
		if p := s.pieces[i]; p.region == region && p.second == second {
			return p
		}
	}
	p := s.c.newPiece()
	p.reset(s.input, region, second, timed)
	s.pieces = append(s.pieces, p)
	return p
}

func (c *Collector) newPiece() *piece {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free); n > 0 {
		p := c.free[n-1]
		c.free = c.free[:n-1]
		c.freed -= cap(p.entries)
		return p
	}
	return &piece{}
}

// freeEntries bounds what is kept for reuse, in entries over all free pieces.
const freeEntries = 1 << 13

func (c *Collector) recycle(p *piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed+cap(p.entries) <= freeEntries {
		c.freed += cap(p.entries)
		c.free = append(c.free, p)
	}
}

// Fold adds a finished chunk. Chunks come in input order.
func (c *Collector) Fold(sink request.Sink) error {
	s, ok := sink.(*chunkSink)
	if !ok || s.c != c {
		return fmt.Errorf("analyze: a sink that this collector did not make (%T)", sink)
	}
	translate := c.sum.translate(s.names)
	for _, p := range s.pieces {
		if c.begun && (p.region != c.region || p.input != c.input) {
			c.endRegion()
		}
		c.begun, c.input, c.region = true, p.input, p.region
		o := c.open[p.second]
		if o == nil {
			o = c.newPiece()
			o.reset(p.input, p.region, p.second, p.timed)
			c.open[p.second] = o
		}
		o.touched = true
		o.join(p, translate)
		c.recycle(p)
	}
	for command, n := range s.byCommand {
		c.sum.commands[translate[command]] = saturate(c.sum.commands[translate[command]], n)
	}
	clear(s.byCommand)
	if err := c.sum.clients.Merge(s.clients); err != nil {
		return err
	}
	s.clients = newDistinct(distinctPrecision)
	s.pieces, s.current, s.client = s.pieces[:0], nil, 0
	c.mu.Lock()
	c.sinks = append(c.sinks, s)
	c.mu.Unlock()
	return nil
}

// endRegion closes the oldest of the seconds that the region did not touch while there are too many of
// them, and more while too many keys are open.
func (c *Collector) endRegion() {
	seconds := make([]*piece, 0, len(c.open))
	keys, idle, waiting := 0, 0, 0
	for _, p := range c.open {
		seconds = append(seconds, p)
		keys += len(p.entries)
		if !p.touched {
			idle++
			waiting += len(p.entries)
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
			waiting -= len(p.entries)
		}
		keys -= len(p.entries)
		c.close(p)
	}
	for _, p := range c.open {
		p.touched = false
	}
}

func (c *Collector) close(p *piece) {
	delete(c.open, p.second)
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
