package analyze

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"keyskew/ingest/request"
)

// zipfBatches are batches of n rows at 100,000 a second over many keys of Zipf popularity.
func zipfBatches(n, keys int) []*request.Batch {
	rng := rand.New(rand.NewPCG(1, 1))
	z := rand.NewZipf(rng, 1.0001, 1, uint64(keys-1))
	var out []*request.Batch
	for i := 0; i < n; {
		b := request.NewBatch(1024, request.TimeColumn|request.ClientColumn)
		b.Names = testNames
		for range 1024 {
			op, command := request.Read, uint16(1)
			if rng.IntN(5) == 0 {
				op, command = request.Write, 2
			}
			b.Append(&request.Row{
				Key: strconv.AppendUint([]byte("t7:key:"), z.Uint64()*7919%uint64(keys), 10), Flags: request.BeginsCommand, Op: op,
				Command: command, Offset: int64(i) * 80, Size: 20, Time: start + int64(i)*10_000, Client: uint64(1 + i%50),
			})
			i++
		}
		out = append(out, b)
	}
	return out
}

// BenchmarkCollector counts rows into a summary, all of it.
func BenchmarkCollector(b *testing.B) {
	for _, keys := range []int{10_000, 1_000_000} {
		b.Run(strconv.Itoa(keys), func(b *testing.B) {
			batches := zipfBatches(1<<20, keys)
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				cfg := config()
				cfg.KeyBudget = 600_000
				c, err := NewCollector(cfg)
				if err != nil {
					b.Fatal(err)
				}
				for from := 0; from < len(batches); from += 14 {
					s := c.NewSink(0)
					for _, batch := range batches[from:min(from+14, len(batches))] {
						rows += batch.Len()
						s.Add(batch)
					}
					if err := c.Fold(s); err != nil {
						b.Fatal(err)
					}
				}
				c.Finish()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
		})
	}
}

// BenchmarkClose merges the seconds of an input with a million keys, all of them known, into a summary.
func BenchmarkClose(b *testing.B) {
	batches := zipfBatches(1<<22, 1_000_000)
	cfg := config()
	cfg.KeyBudget = 857_000
	c, err := NewCollector(cfg)
	if err != nil {
		b.Fatal(err)
	}
	var parts [][]*piece
	entries, rows := 0, 0
	for from := 0; from < len(batches); from += 13 {
		s := c.NewSink(0).(*chunkSink)
		for _, batch := range batches[from:min(from+13, len(batches))] {
			s.Add(batch)
			rows += batch.Len()
		}
		for _, p := range s.parts {
			p.kinds = c.sum.kindsOf(p.classes, p.names)
			entries += len(p.entries)
			if n := len(parts); n > 0 && parts[n-1][0].second == p.second {
				parts[n-1] = append(parts[n-1], p.piece)
			} else {
				parts = append(parts, []*piece{p.piece})
			}
		}
	}
	for _, p := range parts {
		c.sum.add(p, &c.room)
	}
	b.ResetTimer()
	for b.Loop() {
		c.sum.timed = false // as if it came later, in order
		for _, p := range parts {
			c.sum.add(p, &c.room)
		}
	}
	per := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(per/float64(entries), "ns/entry")
	b.ReportMetric(per/float64(rows), "ns/row")
	b.ReportMetric(float64(entries)/float64(rows), "entries/row")
	b.ReportMetric(float64(c.sum.keys.Len()), "keys")
}

// BenchmarkPieces counts rows in the pieces of their chunks.
func BenchmarkPieces(b *testing.B) {
	batches := zipfBatches(1<<21, 1_000_000)
	c, err := NewCollector(config())
	if err != nil {
		b.Fatal(err)
	}
	rows := 0
	for _, batch := range batches {
		rows += batch.Len()
	}
	b.ReportAllocs()
	for b.Loop() {
		for from := 0; from < len(batches); from += 13 {
			s := c.NewSink(0).(*chunkSink)
			for _, batch := range batches[from:min(from+13, len(batches))] {
				s.Add(batch)
			}
			for _, p := range s.parts {
				c.recycle([]*piece{p.piece})
			}
			s.parts = s.parts[:0]
			s.clients.fold(c.sum.clients)
			c.sinks = append(c.sinks, s)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}
