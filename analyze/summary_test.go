package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"keyskew/analyze/partition"
	"keyskew/ingest/request"
)

const start = 1_700_000_000 * int64(time.Second)

// drawRows draws requests whose offsets rise and whose times mostly do, by so few commands that all are
// told apart.
func drawRows(t *rapid.T, most int) []row { return drawRowsOf(t, most, kindSlots) }

func drawRowsOf(t *rapid.T, most, commands int) []row {
	n := rapid.IntRange(0, most).Draw(t, "rows")
	keys := rapid.IntRange(1, 40).Draw(t, "keys")
	step := rapid.SampledFrom([]int64{1e6, 1e8, 1e9, 60e9}).Draw(t, "step")
	gap := rapid.SampledFrom([]int64{40, 1 << 18, 1 << 21}).Draw(t, "gap")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	rows := make([]row, n)
	at, offset := start, int64(0)
	for i := range rows {
		at += rng.Int64N(step)
		offset += 30 + rng.Int64N(gap)
		when := at
		if rng.IntN(10) == 0 {
			when -= rng.Int64N(5 * step) // late
		}
		key := rng.IntN(keys)
		rows[i] = row{
			key: fmt.Sprintf("{%d}key:%d", key%3, key), at: when, offset: offset,
			op: request.Op(rng.IntN(request.Ops)), command: uint16(rng.IntN(commands)),
			noKey: rng.IntN(20) == 0, inner: rng.IntN(8) == 0, size: rng.Uint64N(100), client: rng.Uint64N(5),
		}
	}
	return rows
}

func layoutOf(t testing.TB, shards int) *partition.Layout {
	t.Helper()
	if shards == 0 {
		return nil
	}
	l, err := partition.Partitioners()[0].Even(shards)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Everything that is exact equals a plain recount.
func TestCountsEqualARecount(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawRows(rt, 400)
		most := rapid.SampledFrom([]uint64{1, 50, openRows}).Draw(rt, "most open rows")
		s := collectOpen(t, config(), most, rows, true, rapid.SliceOfN(rapid.IntRange(1, 100), 0, 6).Draw(rt, "chunks")...)

		type truth struct {
			reads, writes, polls, other uint64
			first, last                 int64
			seconds                     map[int64]uint64
		}
		keys := map[string]*truth{}
		windows := map[int64]uint64{}
		var commands, keyless uint64
		for _, r := range rows {
			if !r.inner {
				commands++
			}
			if r.noKey {
				if !r.inner {
					keyless++
				}
				continue
			}
			k := keys[r.key]
			if k == nil {
				k = &truth{first: r.at, last: r.at, seconds: map[int64]uint64{}}
				keys[r.key] = k
			}
			k.first, k.last = min(k.first, r.at), max(k.last, r.at)
			switch r.op {
			case request.Read:
				k.reads++
			case request.Write:
				k.writes++
			case request.Poll:
				k.polls++
			default:
				k.other++
			}
			if r.op != request.Poll {
				k.seconds[r.at/1e9]++
			}
			windows[floorDiv(r.at, s.windows.width())]++
		}
		if s.begun != commands || s.keyless != keyless {
			rt.Fatalf("commands %d keyless %d, want %d and %d", s.begun, s.keyless, commands, keyless)
		}
		if s.keys.Len() != len(keys) {
			rt.Fatalf("%d keys, want %d", s.keys.Len(), len(keys))
		}
		for e := range s.keys.All() {
			want := keys[string(e.Key)]
			lower, upper := s.keys.Bounds(e)
			sum := want.reads + want.writes + want.polls + want.other
			if lower != sum || upper != sum {
				rt.Fatalf("%q: %d to %d, want %d", e.Key, lower, upper, sum)
			}
			v := s.statsOf(&e)
			if v.Writes != want.writes || v.Polls != want.polls || v.Other != want.other ||
				v.First != want.first || v.Last != want.last {
				rt.Fatalf("%q: %+v, want %+v", e.Key, v, want)
			}
			var peak uint64
			for _, n := range want.seconds {
				peak = max(peak, n)
			}
			if v.Peak > peak {
				rt.Fatalf("%q: peak %d above the true %d", e.Key, v.Peak, peak)
			}
			var named uint64
			for _, c := range v.Commands {
				named += c.Count
			}
			if named > sum {
				rt.Fatalf("%q: %d touches by command of %d", e.Key, named, sum)
			}
		}
		for at, want := range windows {
			c := s.windows.cells[at]
			if c == nil || c.total.Requests != want {
				rt.Fatalf("window %d: %+v, want %d", at, c, want)
			}
		}
	})
}

// In time order, with no window closed in parts, the peak second of a key is exact.
func TestPeakIsExactInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawRows(rt, 300)
		slices.SortStableFunc(rows, func(a, b row) int { return int(a.at - b.at) })
		for i := range rows {
			rows[i].offset = int64(i) * 50
		}
		s := collect(t, config(), rows, true)
		want := map[string]map[int64]uint64{}
		for _, r := range rows {
			if r.noKey || r.op == request.Poll {
				continue
			}
			if want[r.key] == nil {
				want[r.key] = map[int64]uint64{}
			}
			want[r.key][r.at/1e9]++
		}
		for e := range s.keys.All() {
			var peak uint64
			for _, n := range want[string(e.Key)] {
				peak = max(peak, n)
			}
			if e.Value.peak != peak {
				rt.Fatalf("%q: peak %d, want %d", e.Key, e.Value.peak, peak)
			}
		}
	})
}

// The state does not depend on how the input was cut into chunks.
func TestChunksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawRowsOf(rt, 400, len(testNames))
		timed := rapid.Bool().Draw(rt, "timed")
		c := config()
		c.Layout = layoutOf(t, rapid.IntRange(0, 5).Draw(rt, "shards"))
		cuts := rapid.SliceOfN(rapid.IntRange(1, 60), 0, 20)
		most := rapid.SampledFrom([]uint64{1, 30, 150, openRows}).Draw(rt, "most open rows")
		one := dump(collectOpen(t, c, most, rows, timed))
		two := dump(collectOpen(t, c, most, rows, timed, cuts.Draw(rt, "chunks")...))
		if one != two {
			rt.Fatalf("two cuts, two states:\n%s\n\n%s", one, two)
		}
	})
}

// Merging the summaries of parts that share no second, in any order and grouping, gives the state of
// one reading.
func TestMergeOfParts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawRows(rt, 300)
		slices.SortStableFunc(rows, func(a, b row) int { return int(a.at - b.at) })
		c := config()
		c.Layout = layoutOf(t, rapid.IntRange(0, 5).Draw(rt, "shards"))
		whole := dump(collect(t, c, rows, true))

		parts := make([][]row, rapid.IntRange(1, 5).Draw(rt, "parts"))
		for _, r := range rows {
			i := int(r.at/1e9) % len(parts)
			parts[i] = append(parts[i], r)
		}
		var sums []*Summary
		for _, p := range parts {
			sums = append(sums, collect(t, c, p, true))
		}
		empty, err := NewSummary(config())
		if err != nil {
			rt.Fatal(err)
		}
		sums = append(sums, empty)
		for len(sums) > 1 { // merge a random one into another
			i := rapid.IntRange(0, len(sums)-1).Draw(rt, "into")
			j := rapid.IntRange(0, len(sums)-2).Draw(rt, "from")
			if j >= i {
				j++
			}
			before := dump(sums[j])
			if err := sums[i].Merge(sums[j]); err != nil {
				rt.Fatal(err)
			}
			if dump(sums[j]) != before {
				rt.Fatal("Merge changed its argument")
			}
			sums = slices.Delete(sums, j, j+1)
		}
		if got := dump(sums[0]); got != whole {
			rt.Fatalf("merged:\n%s\n\nread at once:\n%s", got, whole)
		}
	})
}

// Merge commutes whatever the parts share.
func TestMergeCommutes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawRows(rt, 200), drawRows(rt, 200)
		merged := func(x, y []row) string {
			s := collect(t, config(), x, true)
			if err := s.Merge(collect(t, config(), y, true)); err != nil {
				rt.Fatal(err)
			}
			return dump(s)
		}
		if merged(a, b) != merged(b, a) {
			rt.Fatal("a+b differs from b+a")
		}
	})
}

func TestMergeRefusesUnlikeConfigurations(t *testing.T) {
	a, _ := NewSummary(config())
	other := config()
	other.Window = 10 * time.Second
	b, err := NewSummary(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Merge(b); err == nil {
		t.Error("windows of 1 s and 10 s were merged")
	}
}

func TestMergeOfUnlikeLayoutsDropsLoads(t *testing.T) {
	rows := []row{{key: "a", at: start, op: request.Read}, {key: "b", at: start, op: request.Read}}
	c2, c3 := config(), config()
	c2.Layout, c3.Layout = layoutOf(t, 2), layoutOf(t, 3)
	s := collect(t, c2, rows, true)
	if err := s.Merge(collect(t, c3, rows, true)); err != nil {
		t.Fatal(err)
	}
	d := Diagnose(s, Options{Top: 5, Layout: layoutOf(t, 3), Capacity: Capacity{Kind: Unknown}})
	if d.Partitions == nil || d.Partitions.Measured {
		t.Fatalf("%+v: want estimated loads", d.Partitions)
	}
	var sum uint64
	for _, p := range d.Partitions.List {
		sum += p.Requests
	}
	if sum != 4 {
		t.Errorf("%d requests on the shards, want 4: slots are always counted", sum)
	}
}

// Above the key budget every bound holds the truth and every key above the guarantee is listed.
func TestBoundsAboveTheBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	truth := map[string]uint64{}
	var rows []row
	for i := range 200_000 {
		key := fmt.Sprintf("cold:%d", rng.IntN(60_000))
		if rng.IntN(4) == 0 {
			key = fmt.Sprintf("hot:%d", rng.IntN(20))
		}
		truth[key]++
		rows = append(rows, row{key: key, at: start + int64(i)*1e6, offset: int64(i) * 60, op: request.Read})
	}
	s := collect(t, config(), rows, true)
	if s.keys.Len() > MinKeyBudget || s.keys.Offset() == 0 {
		t.Fatalf("%d keys with offset %d: the budget of %d was not applied", s.keys.Len(), s.keys.Offset(), MinKeyBudget)
	}
	for e := range s.keys.All() {
		lower, upper := s.keys.Bounds(e)
		if n := truth[string(e.Key)]; lower > n || upper < n {
			t.Errorf("%q: %d to %d, truth %d", e.Key, lower, upper, n)
		}
	}
	for key, n := range truth {
		if _, ok := s.keys.Find([]byte(key), request.HashString(key)); !ok && n > s.keys.Absent() {
			t.Errorf("%q has %d requests, above the guarantee of %d, and is not listed", key, n, s.keys.Absent())
		}
		if est := s.Count([]byte(key)); est.Lower > float64(n) || est.Upper < float64(n) {
			t.Errorf("Count(%q) = %+v, truth %d", key, est, n)
		}
	}
}

// One wild timestamp costs one window, and the width depends on the windows alone.
func TestWindowsWiden(t *testing.T) {
	var rows []row
	for i := range 9000 {
		rows = append(rows, row{key: fmt.Sprint("k", i%50), at: start + int64(i)*1e9, offset: int64(i) * 40, op: request.Read})
	}
	rows = append(rows, row{key: "wild", at: 5, offset: 1 << 30, op: request.Read})
	s := collect(t, config(), rows, true)
	if got := time.Duration(s.windows.width()); got != 10*time.Second {
		t.Errorf("width %v, want 10s", got)
	}
	if n := len(s.windows.cells); n != 901 {
		t.Errorf("%d windows, want 901", n)
	}
	if n := len(s.blocks.cells); n > 64 {
		t.Errorf("%d blocks, more than 64", n)
	}
	shuffled := slices.Clone(rows)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	o := collect(t, config(), shuffled, true)
	if o.windows.width() != s.windows.width() || len(o.windows.cells) != len(s.windows.cells) {
		t.Error("the windows depend on the order")
	}
}

// A key's upper bound in a window holds its true count, listed or not.
func TestWindowListBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	truth := map[int64]map[string]uint64{}
	var rows []row
	for i := range 60_000 {
		key := fmt.Sprintf("k%d", int(rng.ExpFloat64()*200))
		at := start + int64(i)*2e8 + rng.Int64N(3e9)
		w := floorDiv(at, 10e9)
		if truth[w] == nil {
			truth[w] = map[string]uint64{}
		}
		truth[w][key]++
		rows = append(rows, row{key: key, at: at, offset: int64(i) * 90, op: request.Read})
	}
	s := collect(t, config(), rows, true)
	if s.windows.width() != 10e9 {
		t.Fatalf("width %d", s.windows.width())
	}
	s.Compact()
	for at, c := range s.windows.cells {
		listed := map[string]bool{}
		for _, it := range c.list {
			key := s.windows.names.text(it.key)
			listed[key] = true
			if n := truth[at][key]; it.Requests > n || c.upper(it) < n {
				t.Errorf("window %d %q: %d to %d, truth %d", at, key, it.Requests, c.upper(it), n)
			}
		}
		for key, n := range truth[at] {
			if !listed[key] && n > c.cut {
				t.Errorf("window %d: %q has %d, is not listed, cut-off %d", at, key, n, c.cut)
			}
		}
	}
}

// A sink that is used again does not remember the commands of an input that knew more of them.
func TestSinkForgetsCommands(t *testing.T) {
	c, err := NewCollector(config())
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{{"?", "A", "B", "C"}, {"GET"}} {
		b := request.NewBatch(1, request.TimeColumn)
		b.Names = names
		b.Append(&request.Row{Key: []byte("k"), Flags: request.BeginsCommand, Op: request.Read, Command: uint16(len(names) - 1)})
		s := c.NewSink(0)
		s.Add(b)
		if err := c.Fold(s); err != nil {
			t.Fatal(err)
		}
	}
	d := Diagnose(c.Finish(), Options{Top: 1, Capacity: Capacity{Kind: Unknown}})
	if len(d.Totals.ByCommand) != 2 || d.Totals.ByCommand[0].Count != 1 {
		t.Errorf("%+v, want one C and one GET", d.Totals.ByCommand)
	}
}

// In steady state nothing is allocated per row: a second with four times the rows costs as many
// allocations, which are those of its windows.
func TestRowsAllocateNothing(t *testing.T) {
	perSecond := func(rows int) float64 {
		c, err := NewCollector(config())
		if err != nil {
			t.Fatal(err)
		}
		b := request.NewBatch(1024, request.TimeColumn|request.ClientColumn)
		b.Names = testNames
		second := int64(0)
		return testing.AllocsPerRun(20, func() {
			second++
			s := c.NewSink(0)
			for i := range rows {
				key := [...]byte{'k', 'e', 'y', byte('a' + i%20), byte('a' + i/20%20), byte('a' + i%7)}
				b.Append(&request.Row{
					Key: key[:], Flags: request.BeginsCommand, Op: request.Op(1 + i%2), Command: uint16(1 + i%2),
					Offset: second<<regionBits + int64(i), Time: start + second*1e9 + int64(i), Client: uint64(1 + i%9),
				})
				if b.Len() == 1024 || i == rows-1 {
					s.Add(b)
					b.Reset()
				}
			}
			if err := c.Fold(s); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := perSecond(16_384), perSecond(4*16_384)
	if many > few+4 {
		t.Errorf("%v allocations for 65,536 rows, %v for 16,384", many, few)
	}
}

// A layout that has no slots is counted key by key, and estimated so for a summary that was read for
// another one.
func TestLoadsWithoutSlots(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawRows(rt, 300)
		p, _, err := partition.ParseSpec("kafka-murmur2")
		if err != nil {
			rt.Fatal(err)
		}
		l, err := p.Layout(partition.Options{Shards: rapid.IntRange(1, 7).Draw(rt, "shards")})
		if err != nil {
			rt.Fatal(err)
		}
		want := make([]uint64, len(l.Partitions))
		keys := map[string]bool{}
		for _, r := range rows {
			if !r.noKey {
				keys[r.key] = true
				if r.op != request.Poll {
					want[l.Of([]byte(r.key))]++
				}
			}
		}
		for _, layout := range []*partition.Layout{l, nil, layoutOf(t, 3)} {
			c := config()
			c.Layout = layout
			d := Diagnose(collect(t, c, rows, true), Options{Top: 50, Layout: l, Capacity: Capacity{Kind: Unknown}})
			if d.Partitions.Measured != (layout == l) {
				rt.Fatalf("measured: %v", d.Partitions.Measured)
			}
			for i, part := range d.Partitions.List {
				if part.Requests != want[i] {
					rt.Fatalf("partition %s: %d requests, want %d", part.ID, part.Requests, want[i])
				}
			}
			for _, k := range d.Keys {
				if k.Slot != -1 || k.Partition != l.Partitions[l.Of(k.Key)].ID {
					rt.Fatalf("%q: slot %d, partition %s", k.Key, k.Slot, k.Partition)
				}
			}
		}
	})
}
