package sketch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// part is a table with the truth about what went into it.
type part struct {
	h     *HeavyHitters[tally]
	truth map[string]uint64
	keep  int // smallest keep of any Compact
}

func newPart() part {
	return part{h: NewHeavyHitters[tally](), truth: make(map[string]uint64), keep: math.MaxInt32}
}

func (p part) add(key string, hash, n uint64, at int64) {
	addTally(p.h, []byte(key), hash, n, at)
	p.truth[key] += n
}

// TestBoundsAlwaysHold runs random adds, compactions with pins and merges over several tables.
func TestBoundsAlwaysHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few hash values force collisions.
		mask := rapid.SampledFrom([]uint64{math.MaxUint64, 7, 0, 7 << 61}).Draw(t, "mask")
		hash := func(k string) uint64 { return hashOf(k) & mask }
		parts := make([]part, 3)
		for i := range parts {
			parts[i] = newPart()
		}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			p := &parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")]
			switch rapid.IntRange(0, 9).Draw(t, "op") {
			case 0:
				keep := rapid.IntRange(0, 12).Draw(t, "keep")
				pin := rapid.IntRange(0, 20).Draw(t, "pin")
				before := p.h.Len()
				if before > keep {
					p.keep = min(p.keep, keep)
				}
				pins := 0
				isPinned := func(e Entry[tally]) bool { return string(e.Key) < name(pin) }
				for e := range p.h.All() {
					if isPinned(e) {
						pins++
					}
				}
				p.h.Compact(keep, isPinned, nil)
				if got := p.h.Len(); got > max(keep, min(before, keep+pins)) {
					t.Fatalf("%d of %d entries left, keep %d, %d pins", got, before, keep, pins)
				}
				for e := range p.h.All() {
					if isPinned(e) {
						pins--
					}
				}
				if pins != 0 {
					t.Fatalf("%d pinned entries dropped", pins)
				}
			case 1:
				o := &parts[rapid.IntRange(0, len(parts)-1).Draw(t, "other")]
				if o == p {
					continue
				}
				was := encodeHH(o.h)
				p.h.Merge(o.h, mergeTally)
				if encodeHH(o.h) != was {
					t.Fatalf("Merge changed its argument")
				}
				for k, f := range o.truth {
					p.truth[k] += f
				}
				p.keep = min(p.keep, o.keep)
				*o = newPart()
			default:
				k := name(rapid.IntRange(0, 40).Draw(t, "key"))
				p.add(k, hash(k), rapid.Uint64Range(0, 30).Draw(t, "n"), rapid.Int64().Draw(t, "at"))
			}
			checkBounds(t, p.h, p.truth, hash)
			if n := p.h.N(); p.h.Offset() > n/uint64(p.keep+1) {
				t.Fatalf("offset %d of N %d at keep %d", p.h.Offset(), n, p.keep)
			}
			c := p.h.Clone()
			if encodeHH(c) != encodeHH(p.h) {
				t.Fatalf("a clone has other bytes")
			}
		}
	})
}

// TestIsSpaceSavingShifted: compacted after every Add, k entries are Space-Saving with k+1 counters
// less its smallest count (Agarwal et al. 2012).
func TestIsSpaceSavingShifted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 8).Draw(t, "k")
		h, s := NewHeavyHitters[tally](), NewSpaceSaving(k+1)
		truth := make(map[string]uint64)
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			key := name(rapid.IntRange(0, 20).Draw(t, "key"))
			w := rapid.Uint64Range(1, 5).Draw(t, "w")
			addTally(h, []byte(key), hashOf(key), w, 0)
			h.Compact(k, nil, nil)
			s.Add([]byte(key), w)
			truth[key] += w
		}
		checkBounds(t, h, truth, hashOf)
		if h.Offset() != s.Min() || h.N() != s.N() || h.Offset() > h.N()/uint64(k+1) {
			t.Fatalf("offset %d, smallest count %d, N %d and %d", h.Offset(), s.Min(), h.N(), s.N())
		}
		for e := range h.All() {
			_, upper := h.Bounds(e)
			if c, ok := s.Get(e.Key); !ok || c.Count != upper {
				t.Fatalf("%q: upper %d, Space-Saving %v", e.Key, upper, c)
			}
		}
		for key, f := range truth {
			if _, ok := h.Find([]byte(key), hashOf(key)); !ok && f > h.N()/uint64(k+1) {
				t.Fatalf("%q of weight %d of %d missing", key, f, h.N())
			}
		}
	})
}

// TestBatchedGuarantee fills the table to 2k before each Compact, as a long input does.
func TestBatchedGuarantee(t *testing.T) {
	const k = 500
	stream := zipf(7, 200_000, 50_000)
	truth := exactCounts(stream)
	h := NewHeavyHitters[tally]()
	for _, key := range stream {
		addTally(h, key, hashOf(string(key)), 1, 0)
		if h.Len() > 2*k {
			h.Compact(k, nil, nil)
		}
	}
	checkBounds(t, h, truth, hashOf)
	if h.Offset() == 0 || h.Offset() > h.N()/(k+1) {
		t.Errorf("offset %d, N/(k+1) %d", h.Offset(), h.N()/(k+1))
	}
	for key, f := range truth {
		if _, ok := h.Find([]byte(key), hashOf(key)); !ok && f > h.N()/(k+1) {
			t.Errorf("%s with %d of %d missing", key, f, h.N())
		}
	}
	equal(t, "hottest key", string(h.Top(1)[0].Key), "key:1")
}

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := make([]*HeavyHitters[tally], 3)
		for i := range parts {
			parts[i] = NewHeavyHitters[tally]()
			for range rapid.IntRange(0, 30).Draw(t, "adds") {
				k := name(rapid.IntRange(0, 20).Draw(t, "key"))
				n := rapid.OneOf(rapid.Uint64Range(1, 9), rapid.Uint64Range(math.MaxUint64-3, math.MaxUint64)).Draw(t, "n")
				addTally(parts[i], []byte(k), hashOf(k), n, rapid.Int64().Draw(t, "at"))
			}
			parts[i].Compact(rapid.IntRange(0, 20).Draw(t, "keep"), nil, nil)
		}
		merged := func(hs ...*HeavyHitters[tally]) *HeavyHitters[tally] {
			m := NewHeavyHitters[tally]()
			for _, h := range hs {
				m.Merge(h, mergeTally)
			}
			return m
		}
		a, b, c := parts[0], parts[1], parts[2]
		left := encodeHH(merged(merged(a, b), c))
		if left != encodeHH(merged(a, merged(b, c))) {
			t.Fatalf("not associative")
		}
		if left != encodeHH(merged(c, a, b)) {
			t.Fatalf("not commutative")
		}
		into := a.Clone()
		into.Merge(NewHeavyHitters[tally](), mergeTally)
		if encodeHH(into) != encodeHH(a) || encodeHH(merged(a)) != encodeHH(a) {
			t.Fatalf("empty is not the identity")
		}
	})
}

func TestTopIsSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := NewHeavyHitters[tally]()
		for range rapid.IntRange(0, 80).Draw(t, "adds") {
			k := name(rapid.IntRange(0, 40).Draw(t, "key"))
			addTally(h, []byte(k), hashOf(k), rapid.Uint64Range(1, 4).Draw(t, "n"), 0)
			if h.Len() > 20 {
				h.Compact(15, func(e Entry[tally]) bool { return e.Key[1] == '1' }, nil)
			}
		}
		all := slices.Collect(h.All())
		slices.SortFunc(all, func(a, b Entry[tally]) int {
			al, au := h.Bounds(a)
			bl, bu := h.Bounds(b)
			return cmp.Or(cmp.Compare(bu, au), cmp.Compare(bl, al), bytes.Compare(a.Key, b.Key))
		})
		n := rapid.IntRange(-1, 50).Draw(t, "top")
		same := func(a, b Entry[tally]) bool {
			return bytes.Equal(a.Key, b.Key) && a.G == b.G && a.Cov == b.Cov && a.Value == b.Value
		}
		if got := h.Top(n); !slices.EqualFunc(got, all[:max(0, min(n, len(all)))], same) {
			t.Fatalf("Top(%d) = %v of %v", n, got, all)
		}
	})
}

func TestCompactDropsAllTies(t *testing.T) {
	h := NewHeavyHitters[tally]()
	for key, n := range map[string]uint64{"a": 9, "b": 5, "c": 5, "d": 5, "e": 1} {
		addTally(h, []byte(key), hashOf(key), n, 0)
	}
	h.Compact(2, func(e Entry[tally]) bool { return string(e.Key) == "e" }, nil)
	equal(t, "entries", h.Len(), 2)
	equal(t, "offset", h.Offset(), 5)
	a, _ := h.Find([]byte("a"), hashOf("a"))
	e, ok := h.Find([]byte("e"), hashOf("e"))
	equal(t, "pinned stays", ok, true)
	equal(t, "a", [2]uint64{a.G, a.Cov}, [2]uint64{4, 5})
	equal(t, "e", [2]uint64{e.G, e.Cov}, [2]uint64{0, 1})
	lower, upper := h.Bounds(e)
	equal(t, "bounds of e", [2]uint64{lower, upper}, [2]uint64{1, 5})
}

func TestSaturation(t *testing.T) {
	h := NewHeavyHitters[tally]()
	const top = math.MaxUint64
	addTally(h, []byte("a"), 1, top-1, 0)
	addTally(h, []byte("a"), 1, 5, 0)
	addTally(h, []byte("b"), 2, 7, 0)
	equal(t, "N", h.N(), top)
	e, _ := h.Find([]byte("a"), 1)
	lower, upper := h.Bounds(e)
	equal(t, "a", [2]uint64{lower, upper}, [2]uint64{top, top})
	h.Compact(1, nil, nil)
	h.Merge(h.Clone(), mergeTally)
	e, _ = h.Find([]byte("a"), 1)
	lower, upper = h.Bounds(e)
	equal(t, "a doubled", [2]uint64{lower, upper}, [2]uint64{top, top})
	h.Compact(0, nil, nil)
	equal(t, "offset", h.Offset(), top)
	equal(t, "entries", h.Len(), 0)
}

// TestOddKeys: the empty key, NUL bytes and keys longer than an arena chunk, through growth, Compact,
// Clone and the encoding.
func TestOddKeys(t *testing.T) {
	keys := []string{"", "\x00", "\x00\x00", "a\x00b", "\xff\xfe", strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20) + "y",
		strings.Repeat("z", chunkSize), strings.Repeat("z", chunkSize-1)}
	h := NewHeavyHitters[tally]()
	truth := make(map[string]uint64)
	add := func(key string, n uint64) {
		addTally(h, []byte(key), hashOf(key), n, 0)
		truth[key] += n
	}
	for i, key := range keys {
		add(key, uint64(100+i))
		for j := range 3 * slabSize / len(keys) {
			add(name(i*100_000+j), uint64(1+j%2))
		}
	}
	checkBounds(t, h, truth, hashOf)
	full, used := h.Bytes(), h.Used()
	h.Compact(len(keys)+1, nil, nil)
	equal(t, "entries after Compact", h.Len(), len(keys))
	checkBounds(t, h, truth, hashOf)
	if h.Used() >= used || h.Bytes() > full {
		t.Errorf("after Compact the keys take %d bytes of %d, before %d of %d", h.Used(), h.Bytes(), used, full)
	}
	clone := h.Clone()
	add("", 1)
	add("after the clone", 1)
	if _, ok := clone.Find([]byte("after the clone"), hashOf("after the clone")); ok {
		t.Error("a clone sees later keys")
	}
	addTally(clone, []byte("in the clone"), hashOf("in the clone"), 1, 0)
	checkBounds(t, h, truth, hashOf)
	got, rest, err := DecodeHeavyHitters(h.AppendBinary(nil, appendTally), 100, decodeTally)
	if err != nil || len(rest) > 0 {
		t.Fatal(err, len(rest))
	}
	checkBounds(t, got, truth, hashOf)
}

// What Compact lets go is filled again before the table takes more memory.
func TestCompactLeavesRoom(t *testing.T) {
	h := NewHeavyHitters[tally]()
	fill := func(round int) {
		for i := range 5 * slabSize {
			key := name(round*1_000_000 + i)
			addTally(h, []byte(key), hashOf(key), 1, 0)
		}
	}
	fill(1)
	full := h.Bytes()
	for round := range 4 {
		h.Compact(100, nil, nil)
		equal(t, "entries", h.Len(), 0) // all tied
		fill(2 + round)
	}
	if h.Bytes() > full+chunkSize {
		t.Errorf("filled again the table takes %d bytes, before %d", h.Bytes(), full)
	}
}

// TestCloneIsIndependent adds to both sides of a Clone, which share key bytes.
func TestCloneIsIndependent(t *testing.T) {
	left := newPart()
	left.add("both", hashOf("both"), 1, 0)
	right := newPart()
	right.h = left.h.Clone()
	right.truth["both"] = 1
	for i := range 100 {
		l, r := "l"+name(i), "r"+name(i)
		left.add(l, hashOf(l), 1, 0)
		right.add(r, hashOf(r), 2, 0)
		left.add("both", hashOf("both"), 1, 0)
	}
	checkBounds(t, left.h, left.truth, hashOf)
	checkBounds(t, right.h, right.truth, hashOf)
	left.h.Compact(1, nil, nil)
	checkBounds(t, right.h, right.truth, hashOf)
}

// TestCollidingHashes: keys crafted to one hash stay apart.
func TestCollidingHashes(t *testing.T) {
	h := NewHeavyHitters[tally]()
	truth := make(map[string]uint64)
	same := func(string) uint64 { return 0xdeadbeef }
	for i := range 300 {
		addTally(h, []byte(name(i)), same(""), uint64(i+1), 0)
		truth[name(i)] = uint64(i + 1)
	}
	checkBounds(t, h, truth, same)
	h.Compact(100, nil, nil)
	checkBounds(t, h, truth, same)
	equal(t, "entries", h.Len(), 100)
	if _, ok := h.Find([]byte("other"), same("")); ok {
		t.Error("found a key that was not added")
	}
}

// TestMemory holds the table to its entries, keys and an index of at most 12 bytes a key.
func TestMemory(t *testing.T) {
	const n = 100_000
	h := NewHeavyHitters[tally]()
	keyBytes := 0
	for i := range n {
		key := name(i)
		keyBytes += len(key)
		h.Add([]byte(key), hashOf(key), 1)
	}
	const entry = 24 + 16 + 16 // hash and key, counter, payload
	limit := n*(entry+12) + keyBytes + chunkSize + slabSize*entry
	if got := h.Bytes(); got > limit || got < n*entry+keyBytes {
		t.Errorf("%d bytes for %d keys, want at most %d", got, n, limit)
	}
	equal(t, "allocations of Add", testing.AllocsPerRun(100, func() { h.Add([]byte("k77"), hashOf("k77"), 1) }), 0)
}

// Next and AddAt together do what Add does, also with colliding hashes and stale or useless hints, in
// groups of any size.
func TestAddAtIsAdd(t *testing.T) {
	name := func(k int) []byte { return bytes.Repeat([]byte{byte(k)}, 1+k%30) }
	hash := func(k int) uint64 { return uint64(k%7) << 60 } // many keys share a hash
	rapid.Check(t, func(t *rapid.T) {
		one, two := NewHeavyHitters[uint64](), NewHeavyHitters[uint64]()
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			list := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 100).Draw(t, "keys")
			sizes := rapid.IntRange(1, Group)
			var l Lookups
			sought, added := 0, 0
			for added < len(list) {
				n := min(sizes.Draw(t, "size"), len(list)-sought)
				ahead := list[sought : sought+n]
				sought += n
				for _, hint := range two.Next(&l, n, func(i int) uint64 { return hash(ahead[i]) }) {
					k := list[added]
					added++
					_, had := one.Find(name(k), hash(k))
					*one.Add(name(k), hash(k), uint64(k)) += 1
					v, row, isNew := two.AddAt(hint, name(k), hash(k), uint64(k))
					*v += 1
					if key, same := two.Row(row); string(key) != string(name(k)) || same != v {
						t.Fatalf("row %d is that of %q", row, key)
					}
					if isNew == had {
						t.Fatalf("key %d: new %v, but the other table had it: %v", k, isNew, had)
					}
				}
			}
		}
		encode := func(dst []byte, v *uint64) []byte { return binary.LittleEndian.AppendUint64(dst, *v) }
		if !bytes.Equal(one.AppendBinary(nil, encode), two.AppendBinary(nil, encode)) {
			t.Fatal("AddAt and Add disagree")
		}
	})
}

// What Compact drops is handed on whole: nothing of the weight is lost.
func TestCompactHandsOnWhatItDrops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := NewHeavyHitters[uint64]()
		truth, left := map[string]uint64{}, map[string]uint64{}
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			for _, k := range rapid.SliceOfN(rapid.IntRange(0, 40), 1, 80).Draw(t, "keys") {
				key := strings.Repeat(strconv.Itoa(k), 1+k%9)
				*h.Add([]byte(key), hashOf(key), 1) += 1
				truth[key]++
			}
			h.Compact(rapid.IntRange(0, 20).Draw(t, "keep"), nil, func(e *Entry[uint64]) {
				if e.G+e.Cov != e.Value {
					t.Fatalf("%q: weight %d, payload %d", e.Key, e.G+e.Cov, e.Value)
				}
				left[string(e.Key)] += e.Value
			})
		}
		for e := range h.All() {
			left[string(e.Key)] += e.G + e.Cov
		}
		if !maps.Equal(truth, left) {
			t.Fatalf("counted %v, of %v", left, truth)
		}
	})
}

// A feeder counts what Add counts.
func TestFeederIsAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, two := newCountMin(t, 4, 64), newCountMin(t, 4, 64)
		f := NewFeeder(two)
		for _, x := range rapid.SliceOf(rapid.Uint64()).Draw(t, "hashes") {
			one.Add(x, x%5)
			f.Add(x, x%5)
			if x%11 == 0 {
				f.Flush()
			}
		}
		f.Flush()
		if !bytes.Equal(one.AppendBinary(nil), two.AppendBinary(nil)) {
			t.Fatal("the feeder and Add disagree")
		}
	})
}
