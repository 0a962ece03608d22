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
			b.Append(request.Row{
				Key: strconv.AppendUint([]byte("t7:key:"), z.Uint64()*7919%uint64(keys), 10), Flags: request.BeginsCommand, Op: op,
				Command: command, Offset: int64(i) * 80, Size: 20, Time: start + int64(i)*10_000, Client: uint64(1 + i%50),
			})
			i++
		}
		out = append(out, b)
	}
	return out
}

// cloned copies batches: a collector keeps the storage of those it is given.
func cloned(batches []*request.Batch) []*request.Batch {
	out := make([]*request.Batch, len(batches))
	for i, b := range batches {
		c := *b
		c.Command = append([]uint16(nil), b.Command...) // the only column that a collector changes
		out[i] = &c
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
				batches := cloned(batches)
				cfg := config()
				cfg.KeyBudget = 600_000
				c, err := NewCollector(cfg)
				if err != nil {
					b.Fatal(err)
				}
				for from := 0; from < len(batches); from += 4 {
					s := c.NewSink(0)
					for _, batch := range batches[from : from+4] {
						rows += batch.Len()
						lent := *batch // the sink takes the storage of what it is given
						s.Add(&lent)
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
