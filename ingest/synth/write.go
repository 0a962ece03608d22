package synth

import (
	"io"
	"math/rand/v2"
	"time"
)

const bufferSize = 64 << 10

// generator is one run of Write.
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

	// Ready-made pieces of lines.
	viralQuoted, counterQuoted string
	tagPrefix                  string // with its opening quote
	clients, pollers           []string
	second                     int64 // whose digits are in prefix
	prefix                     []byte

	buf []byte // not yet written to w
}

// Write writes the capture to w and returns what it holds. It needs about 16 bytes for each key of the
// Config, whatever the number of requests. The only errors are those of Validate and of w; no truth
// comes with an error.
func Write(w io.Writer, c Config) (Truth, error) {
	if err := c.Validate(); err != nil {
		return Truth{}, err
	}
	g := newGenerator(w, c)
	if err := g.run(); err != nil {
		return Truth{}, err
	}
	g.summary()
	return g.truth, nil
}

func newGenerator(w io.Writer, c Config) *generator {
	g := &generator{
		c:             c,
		w:             w,
		rng:           rand.NewPCG(c.Seed, 0x6b6579736b6577), // "keyskew"
		keys:          newZipf(c.Keys, c.Zipf),
		background:    make([]touches, c.Keys),
		viralQuoted:   quoted(c.Viral.Key),
		counterQuoted: quoted(c.Counter.Key),
		clients:       addresses(0, c.Clients),
		pollers:       addresses(1, c.Pollers),
		buf:           make([]byte, 0, bufferSize+4096),
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
		q := quoted("{" + c.HashTag.Tag + "}:")
		g.tagPrefix = q[:len(q)-1]
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

	g.buf = append(g.buf, "OK\n"...)
	for i := range c.Requests {
		elapsed += float64(exponential(g.rng.Uint64()) * gap)
		now = int64(elapsed)
		if err := g.poll(start, now); err != nil {
			return err
		}
		if i == 0 && g.truth.Polls == 0 {
			g.truth.First = time.UnixMicro(start + now).UTC()
		}
		extra := g.rng.Uint64() // its halves choose the client, and read or write
		g.appendTime(start + now)
		g.buf = append(g.buf, g.clients[uint64(uint32(extra))*uint64(len(g.clients))>>32]...)
		switch kind := unit(g.rng.Uint64()); {
		case kind < counterTo:
			g.counter.add(true)
			g.truth.Writes++
			g.buf = append(append(g.buf, ` "INCR" `...), g.counterQuoted...)
		case kind < tagTo:
			write := extra>>32 < otherWrites
			g.verb(write)
			g.tag(write)
			g.value(write)
		case kind < orderTo:
			g.verb(true)
			g.order((start + now) / 1000)
			g.value(true)
		case kind < multiTo:
			g.buf = append(g.buf, ` "MGET"`...)
			for range 3 {
				g.truth.Reads++
				g.buf = append(g.buf, ' ')
				g.key(false)
			}
		case kind < viralTo && now >= viralStart && (now < viralEnd || c.Viral.Length == 0):
			write := extra>>32 < viralWrites
			g.verb(write)
			g.viral.add(write)
			g.buf = append(g.buf, g.viralQuoted...)
			g.value(write)
		default:
			write := extra>>32 < otherWrites
			g.verb(write)
			g.key(write)
			g.value(write)
		}
		if err := g.endLine(); err != nil {
			return err
		}
	}
	if c.Requests > 0 {
		g.truth.Last = time.UnixMicro(start + now).UTC()
	}
	g.truth.Commands = c.Requests + g.truth.Polls
	g.truth.Requests = g.truth.Reads + g.truth.Writes + g.truth.Polls
	return g.flush()
}

// chance is a probability as a share of 2^32.
func chance(p float64) uint64 { return uint64(float64(p * (1 << 32))) }

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
		if g.truth.Polls == 0 {
			g.truth.First = time.UnixMicro(start + at).UTC()
		}
		g.appendTime(start + at)
		g.buf = append(g.buf, g.pollers[g.truth.Polls%n]...)
		g.buf = append(g.buf, ` "BLPOP" "`+Queue+`" "1"`...)
		g.truth.Polls++
		if err := g.endLine(); err != nil {
			return err
		}
	}
}

func (g *generator) endLine() error {
	g.buf = append(g.buf, '\n')
	if len(g.buf) < bufferSize {
		return nil
	}
	return g.flush()
}

func (g *generator) flush() error {
	n, err := g.w.Write(g.buf)
	g.truth.Bytes += int64(n)
	g.buf = g.buf[:0]
	return err
}
