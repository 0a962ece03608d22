package sketch

import "testing"

// benchmarkAdd runs add over a Zipf(1) stream of a million draws from 500,000 keys.
func benchmarkAdd(b *testing.B, add func(key []byte, hash uint64, i int)) {
	stream := zipf(1, 1_000_000, 500_000)
	hashes := make([]uint64, len(stream))
	for i, key := range stream {
		hashes[i] = hashOf(string(key))
		add(key, hashes[i], i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i = (i + 1) % len(stream) {
		add(stream[i], hashes[i], i)
	}
}

func BenchmarkHeavyHittersAdd(b *testing.B) {
	h := NewHeavyHitters[tally]()
	benchmarkAdd(b, func(key []byte, hash uint64, _ int) { h.Add(key, hash, 1).count++ })
}

func BenchmarkHeavyHittersAddCompact(b *testing.B) {
	h := NewHeavyHitters[tally]()
	benchmarkAdd(b, func(key []byte, hash uint64, _ int) {
		h.Add(key, hash, 1).count++
		if h.Len() > 32768 {
			h.Compact(16384, nil, nil)
		}
	})
}

func BenchmarkHeavyHittersCompact(b *testing.B) {
	full := NewHeavyHitters[tally]()
	benchmarkFill(full)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		h := full.Clone()
		b.StartTimer()
		h.Compact(16384, nil, nil)
	}
}

func benchmarkFill(h *HeavyHitters[tally]) {
	for _, key := range zipf(1, 1_000_000, 500_000) {
		h.Add(key, hashOf(string(key)), 1).count++
	}
}

func BenchmarkSpaceSavingAdd(b *testing.B) {
	s := NewSpaceSaving(1024)
	benchmarkAdd(b, func(key []byte, _ uint64, _ int) { s.Add(key, 1) })
}

func BenchmarkCountMinAdd(b *testing.B) {
	c, err := NewCountMin(4, 1<<16)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkAdd(b, func(_ []byte, hash uint64, _ int) { c.Add(hash, 1) })
}

func BenchmarkDistinctAdd(b *testing.B) {
	d, err := NewDistinct(14)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkAdd(b, func(_ []byte, hash uint64, _ int) { d.Add(hash) })
}

func BenchmarkKeySampleAdd(b *testing.B) {
	s := NewKeySample(16384)
	benchmarkAdd(b, func(key []byte, hash uint64, i int) {
		if s.Wants(hash) {
			s.Add(key, hash, Sighting{Time: int64(i)}, i%8 == 0)
		}
	})
}
