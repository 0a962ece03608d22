package synth

import (
	"io"
	"math/rand/v2"
	"time"
)

const bufferSize = 64 << 10

// generator is one run of Format.Write.
type generator struct {
	c     Config
	w     io.Writer
	rng   *rand.PCG
	truth Truth

	keys       zipf
	background []touches // by rank
	idStep     uint64    // the id of a rank is (idStep*rank + idFirst) mod Keys
	idFirst    uint64
	tenants    zipf
	tenantSalt uint64

	viral, counter touches
	tagged         []touches
	ms, seq        int64 // of the last time-ordered key

	f     Format
	line  func([]byte, *command) []byte
	cmd   command   // the one being made
	names [3][]byte // storage for its keys
	first int64     // when the first command was, in microseconds since 1970

	viralSpelled, counterSpelled, tagSpelled, queueSpelled []byte

	buf []byte // not yet written to w
}

func newGenerator(w io.Writer, c Config, f Format) *generator {
	g := &generator{
		c:          c,
		w:          w,
		rng:        rand.NewPCG(c.Seed, 0x6b6579736b6577), // "keyskew"
		keys:       newZipf(c.Keys, c.Zipf),
		background: make([]touches, c.Keys),

		f:              f,
		line:           f.lines(c),
		viralSpelled:   []byte(f.spell(c.Viral.Key)),
		counterSpelled: []byte(f.spell(c.Counter.Key)),
		tagSpelled:     []byte(f.spell(c.HashTag.prefix())),
		queueSpelled:   []byte(f.spell(Queue)),
		buf:            make([]byte, 0, bufferSize+4096),
	}
	n := uint64(c.Keys)
	// A step near n divided by the golden ratio sends neighbouring ranks far apart.
	g.idStep = max(1, uint64(float64(float64(n)*0.618)))
	for gcd(g.idStep, n) != 1 {
		g.idStep++
	}
	g.idFirst = g.rng.Uint64() % n
	if c.Tenants > 0 {
		g.tenants = newZipf(c.Tenants, 1)
		g.tenantSalt = g.rng.Uint64()
		g.truth.Tenants = make([]int64, c.Tenants)
	}
	if c.HashTag.Share > 0 {
		g.tagged = make([]touches, c.HashTag.Keys)
	}
	return g
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// run writes all lines.
func (g *generator) run() error {
	c := &g.c
	start := c.Start.UnixMicro()
	gap := 1e6 / c.Rate
	elapsed := 0.0 // microseconds
	now := int64(0)

	counterTo := c.Counter.Share
	tagTo := counterTo + c.HashTag.Share
	orderTo := tagTo + c.TimeOrdered
	multiTo := orderTo + c.MultiKey
	viralTo := multiTo + c.Viral.Share
	viralStart := c.Viral.Onset.Microseconds()
	viralEnd := viralStart + c.Viral.Length.Microseconds()
	viralWrites, otherWrites := chance(c.Viral.Writes), chance(c.Writes)

	g.buf = append(g.buf, g.f.head...)
	for range c.Requests {
		elapsed += float64(exponential(g.rng.Uint64()) * gap)
		now = int64(elapsed)
		if g.f.redis {
			if err := g.poll(start, now); err != nil {
				return err
			}
		}
		extra := g.rng.Uint64() // its halves choose the client, and read or write
		g.cmd.micros = start + now
		g.cmd.client = int(uint64(uint32(extra)) * uint64(c.Clients) >> 32)
		switch kind := unit(g.rng.Uint64()); {
		case kind < counterTo:
			g.counter.add(true)
			g.is(true)
			g.cmd.op = incr
			g.cmd.keys[0], g.cmd.size = g.counterSpelled, counterSize
		case kind < tagTo:
			write := extra>>32 < otherWrites
			g.tag(write)
			g.is(write)
		case kind < orderTo:
			g.order((start + now) / 1000)
			g.is(true)
		case kind < multiTo:
			if err := g.several(); err != nil {
				return err
			}
			continue
		case kind < viralTo && now >= viralStart && (now < viralEnd || c.Viral.Length == 0):
			write := extra>>32 < viralWrites
			g.viral.add(write)
			g.cmd.keys[0], g.cmd.size = g.viralSpelled, viralSize
			g.is(write)
		default:
			write := extra>>32 < otherWrites
			g.key(0, write)
			g.is(write)
		}
		if g.cmd.op == set {
			g.cmd.value = g.rng.Uint64()
		}
		if err := g.write(); err != nil {
			return err
		}
	}
	g.truth.Requests = g.truth.Reads + g.truth.Writes + g.truth.Polls
	if g.truth.Commands > 0 {
		g.truth.First, g.truth.Last = g.time(g.first), g.time(g.cmd.micros)
	}
	return g.flush()
}

// Sizes of the values of the planted keys in bytes: a post of a few paragraphs, a number.
const (
	viralSize   = 1800
	counterSize = 8
)

// chance is a probability as a share of 2^32.
func chance(p float64) uint64 { return uint64(float64(p * (1 << 32))) }

// is makes the command a get or a set, and counts it.
func (g *generator) is(write bool) {
	if write {
		g.truth.Writes++
		g.cmd.op = set
	} else {
		g.truth.Reads++
		g.cmd.op = get
	}
}

// several writes a read of three keys: one command, or three where there is no such command.
func (g *generator) several() error {
	g.truth.Reads += 3
	if g.f.redis {
		for i := range g.cmd.keys {
			g.key(i, false)
		}
		g.cmd.op = mget
		return g.write()
	}
	g.cmd.op = get
	for range g.cmd.keys {
		g.key(0, false)
		if err := g.write(); err != nil {
			return err
		}
	}
	return nil
}

// poll writes the polls that are due: those of all pollers are evenly spaced.
func (g *generator) poll(start, now int64) error {
	n := int64(g.c.Pollers)
	if n == 0 {
		return nil
	}
	for {
		at := g.truth.Polls/n*1_000_000 + g.truth.Polls%n*1_000_000/n
		if at > now {
			return nil
		}
		g.cmd.op, g.cmd.micros, g.cmd.client = poll, start+at, int(g.truth.Polls%n)
		g.cmd.keys[0] = g.queueSpelled
		g.truth.Polls++
		if err := g.write(); err != nil {
			return err
		}
	}
}

// write writes the command, and counts it.
func (g *generator) write() error {
	if g.truth.Commands == 0 {
		g.first = g.cmd.micros
	}
	g.truth.Commands++
	if g.buf = g.line(g.buf, &g.cmd); len(g.buf) < bufferSize {
		return nil
	}
	return g.flush()
}

// time is a time as the format can say it.
func (g *generator) time(micros int64) time.Time {
	return time.UnixMicro(micros - micros%g.f.step.Microseconds()).UTC()
}

func (g *generator) flush() error {
	n, err := g.w.Write(g.buf)
	g.truth.Bytes += int64(n)
	g.buf = g.buf[:0]
	return err
}
