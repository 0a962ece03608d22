package fix_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keyskew/advise/fix"
	"keyskew/advise/store"
	"keyskew/advise/whatif"
	"keyskew/analyze"
	"keyskew/ingest/request"
)

func TestTable(t *testing.T) {
	var ids []string
	for _, f := range fix.All() {
		ids = append(ids, f.ID)
		if f.Title == "" || f.Source == "" || f.Evaluate == nil {
			t.Errorf("%s lacks title, source or function", f.ID)
		}
		for _, word := range []string{"Wins ", "Costs ", "Not "} {
			if !strings.Contains(f.Text, word) && !strings.Contains(f.Text, strings.ToLower(word)) {
				t.Errorf("%s: its text does not say %q", f.ID, word)
			}
		}
		if got, ok := fix.Find(f.ID); !ok || got.ID != f.ID {
			t.Errorf("Find(%s) = %s, %v", f.ID, got.ID, ok)
		}
		// Whatever the case, a remedy says what it does or why not.
		for _, k := range []whatif.Key{{Reads: 900, Writes: 100}, {Reads: 100, Writes: 900}, {Other: 1000}} {
			for _, capacity := range []float64{0, 100, 1000, 1e6} {
				c := testCase("k", request.Sum, k, 4, 500, capacity)
				e := f.Evaluate(c)
				switch {
				case !e.Feasible && (e.Reason == "" || !strings.ContainsAny(e.Reason, "0123456789")):
					t.Errorf("%s: rejected without a number: %q", f.ID, e.Reason)
				case e.Feasible && !e.Passes && e.Reason == "":
					t.Errorf("%s: does not pass, without a reason", f.ID)
				case e.Feasible && (e.Title == "" || e.Costs == nil || e.NotIf == nil):
					t.Errorf("%s: no title, costs or limits: %+v", f.ID, e)
				}
			}
		}
	}
	if !slices.Equal(ids, []string{"cache", "split", "replicate", "isolate"}) {
		t.Errorf("remedies are %v", ids)
	}
	if _, ok := fix.Find("pray"); ok {
		t.Error("found a remedy that does not exist")
	}
}

// testCase puts a key on partition 1 of m, each of which has rest req/s of other keys.
func testCase(key string, algebra request.Algebra, k whatif.Key, m int, rest, capacity float64) fix.Case {
	c := fix.Case{
		Key: analyze.Key{Key: []byte(key), Algebra: algebra, Slot: 77}, Store: store.Redis,
		Target: 0.7, TTL: 1, Place: func(b []byte) int { return fnvMod(b, m) },
	}
	k.Partition = 1 % m
	c.Load = k
	c.Cluster.Capacity = capacity
	for i := range m {
		c.Cluster.Partitions = append(c.Cluster.Partitions, whatif.Partition{ID: fmt.Sprint(i), Load: rest, Fair: 1})
	}
	c.Cluster.Partitions[k.Partition].Load += k.Load()
	c.Cluster.Requests = float64(m)*rest + k.Load()
	return c
}

func fnvMod(b []byte, m int) int {
	h := fnv.New32a()
	h.Write(b)
	return int(h.Sum32() % uint32(m))
}

func TestSizes(t *testing.T) {
	for _, v := range []struct {
		w, c, u float64
		n       int
	}{
		{20000, 1000, 0.7, 29}, {50000, 1000, 0.7, 72}, {200000, 150000, 0.7, 2}, {30000, 1000, 0.5, 60},
		{0, 1000, 0.7, 0}, {7000, 1000, 0.7, 10}, {1e300, 1, 0.5, math.MaxInt32}, {math.NaN(), 1, 1, 0}, {1, 0, 0.7, 0},
	} {
		if n := fix.SplitSlots(v.w, v.c, v.u); n != v.n {
			t.Errorf("slots for %v/s at %v × %v: %d, want %d", v.w, v.c, v.u, n, v.n)
		}
	}
	for _, v := range []struct {
		r, w, c, u float64
		n          int
		ok         bool
	}{
		{200000, 0, 150000, 0.7, 2, true}, {500000, 1000, 150000, 0.7, 5, true}, {500000, 110000, 150000, 0.7, 0, false},
		{1, 105000, 150000, 0.7, 0, false}, {math.Inf(1), 0, 1, 1, 0, false},
	} {
		if n, ok := fix.Copies(v.r, v.w, v.c, v.u); n != v.n || ok != v.ok {
			t.Errorf("copies for %v reads, %v writes: %d %v, want %d %v", v.r, v.w, n, ok, v.n, v.ok)
		}
	}
	for _, v := range []struct{ r, ttl, bound, expected float64 }{
		{200000, 1, 200, 199.8002}, {200000, 5, 40, 39.992}, {100, 1, 100, 66.6667}, {1000, 1, 200, 166.6667},
	} {
		expected, bound := fix.CacheResidual(v.r, 200, v.ttl)
		if math.Abs(bound-v.bound) > 1e-9 || math.Abs(expected-v.expected) > 1e-4 {
			t.Errorf("cache of %v reads, TTL %v: %v and %v, want %v and %v", v.r, v.ttl, expected, bound, v.expected, v.bound)
		}
	}
}

func TestSubKeys(t *testing.T) {
	names, at, tried := fix.SubKeys([]byte("post:42:likes"), true, 32, 8, func(b []byte) int { return fnvMod(b, 8) })
	var want []string
	for i := range 30 {
		want = append(want, fmt.Sprintf("post:42:likes#%d", i))
	}
	want = append(want, "post:42:likes#34", "post:42:likes#35")
	held := make([]int, 8)
	for i, name := range names {
		if i >= len(want) || string(name) != want[i] {
			t.Fatalf("name %d is %q", i, name)
		}
		held[at[i]]++
	}
	if tried != 36 || len(names) != 32 || !slices.Equal(held, []int{4, 4, 4, 4, 4, 4, 4, 4}) {
		t.Errorf("%d tried, %d names, held %v", tried, len(names), held)
	}
	// Without choosing, the first 32 land 5 4 4 5 3 4 4 3.
	plain := make([]int, 8)
	for i := range 32 {
		plain[fnvMod(fmt.Appendf(nil, "post:42:likes#%d", i), 8)]++
	}
	if !slices.Equal(plain, []int{5, 4, 4, 5, 3, 4, 4, 3}) {
		t.Errorf("plain %v", plain)
	}
}

func TestSubKeyNames(t *testing.T) {
	for key, want := range map[string]string{
		"post:48":              "post:48#0",
		"{t42}:hits":           "{t42#0}:hits",
		"":                     "#0",
		"{a":                   "{a#0",
		"{}":                   "{}#0",
		"foo{}{bar}":           "foo{}{bar}#0",
		"foo{{bar}}zap":        "foo{{bar#0}}zap",
		"foo{bar}{zap}":        "foo{bar#0}{zap}",
		"a}{b}":                "a}{b#0}",
		"\x00\xff{\x80}\n":     "\x00\xff{\x80#0}\n",
		"{user1000}.following": "{user1000#0}.following",
	} {
		names, _, _ := fix.SubKeys([]byte(key), true, 1, 1, func([]byte) int { return 0 })
		if string(names[0]) != want {
			t.Errorf("%q: %q, want %q", key, names[0], want)
		}
		names, _, _ = fix.SubKeys([]byte(key), false, 1, 1, func([]byte) int { return 0 })
		if string(names[0]) != key+"#0" {
			t.Errorf("%q without hash tags: %q", key, names[0])
		}
	}
}

// TestSubKeysEven: every partition gets n/m rounded down or up, names are distinct, and all that is left
// when some partition owns nothing is still named.
func TestSubKeysEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "key")
		n, m := rapid.IntRange(1, 70).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "m")
		empty := rapid.IntRange(-1, m-1).Draw(t, "empty")
		names, at, _ := fix.SubKeys(key, true, n, m, func(b []byte) int {
			if p := fnvMod(b, m); p != empty {
				return p
			}
			return -1
		})
		if len(names) != n || len(at) != n {
			t.Fatalf("%d names, %d places", len(names), len(at))
		}
		seen := map[string]bool{}
		held := make([]int, m)
		for i, name := range names {
			if seen[string(name)] {
				t.Fatalf("%q twice", name)
			}
			seen[string(name)] = true
			if at[i] >= 0 {
				held[at[i]]++
			}
		}
		if empty < 0 && (slices.Min(held) < n/m || slices.Max(held) > (n+m-1)/m) {
			t.Fatalf("%d on %d: %v", n, m, held)
		}
	})
}

func TestMergeable(t *testing.T) {
	for _, v := range []struct {
		algebra request.Algebra
		no      string // what the reason must hold; "" when it can be split
	}{
		{request.Sum, ""},
		{request.Sum | request.TTL | request.Delete, ""},
		{request.Union | request.Member, ""},
		{request.Append | request.Pop | request.Trim, ""},
		{request.HLL, ""},
		{request.Sum | request.Overwrite, "last writer wins"},
		{request.Cond, "lock"},
		{request.Overwrite, "SET (overwrite)"},
		{request.CondSum, "bounds"},
		{request.Script, "opaque"},
		{request.Sum | request.TogetherKeys, "share a slot"},
		{request.TTL | request.Delete, "no value of their own"},
		{0, "unknown"},
	} {
		k := analyze.Key{Algebra: v.algebra, Commands: []analyze.CommandCount{{Name: "SET"}}}
		readBack, no := fix.Mergeable(k)
		if v.no == "" && (no != "" || len(readBack) == 0) || !strings.Contains(no, v.no) {
			t.Errorf("%b: %q %q, want %q", v.algebra, readBack, no, v.no)
		}
	}
}

// TestRandomCases: a remedy that passes lowers nothing's room: with a capacity the home partition ends
// under the target, and the busiest partition is never busier than before; the total is what the
// remedy leaves of the key, and the rest.
func TestRandomCases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		load := rapid.Float64Range(0, 300000)
		k := whatif.Key{Reads: load.Draw(t, "r"), Writes: load.Draw(t, "w"), Other: load.Draw(t, "o") / 100}
		c := testCase("{a}b", rapid.SampledFrom([]request.Algebra{request.Sum, request.Union, request.Overwrite, 0}).Draw(t, "algebra"),
			k, rapid.IntRange(1, 12).Draw(t, "m"), load.Draw(t, "rest"), rapid.SampledFrom([]float64{0, 1000, 150000, 1e6}).Draw(t, "capacity"))
		c.Servers = rapid.IntRange(0, 500).Draw(t, "servers")
		c.Limit = rapid.SampledFrom([]float64{0, 100, 1e5}).Draw(t, "limit")
		c.Cluster.Open = len(c.Cluster.Partitions) == 1 && rapid.Bool().Draw(t, "open")
		if rapid.Bool().Draw(t, "unplaced") {
			c.Place = nil
		}
		before := c.Cluster.Outcome(1)
		for _, f := range fix.All() {
			e := f.Evaluate(c)
			if !e.Feasible {
				if e.Passes || e.Reason == "" {
					t.Fatalf("%s: %+v", f.ID, e)
				}
				continue
			}
			after := e.After.Outcome(1)
			if e.Passes && after.MaxLoad > before.MaxLoad*(1+1e-6) {
				t.Fatalf("%s passes and raises the busiest from %v to %v", f.ID, before.MaxLoad, after.MaxLoad)
			}
			if e.Passes && c.Cluster.Capacity > 0 && e.After.Partitions[c.Load.Partition].Load > 0.7*c.Cluster.Capacity*(1+1e-9) {
				t.Fatalf("%s passes above the target: %v", f.ID, e.After.Partitions[c.Load.Partition].Load)
			}
			want := c.Cluster.Requests - k.Load() + e.Residual
			got := after.OpsPerRequest * c.Cluster.Requests
			if math.Abs(got-want) > 1e-6*(want+1) {
				t.Fatalf("%s: %v in all after, want %v", f.ID, got, want)
			}
			if n := e.Params.Slots; n > 0 && n != len(e.Params.SlotNames) {
				t.Fatalf("%d slots, %d names", n, len(e.Params.SlotNames))
			}
			if n := e.Params.Copies; n > 0 && n != len(e.Params.CopyNames) {
				t.Fatalf("%d copies, %d names", n, len(e.Params.CopyNames))
			}
		}
	})
}

func TestLongKey(t *testing.T) {
	c := testCase("", request.Sum, whatif.Key{Writes: 1000}, 8, 100, 1000)
	c.Key.Key = bytes.Repeat([]byte("x"), request.MaxKey)
	e := fix.Split.Evaluate(c)
	if !e.Feasible || e.Params.SlotNames != nil || !strings.Contains(strings.Join(e.Assumed, "\n"), "too long") {
		t.Errorf("%+v", e)
	}
}

func TestText(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 7: "7", 0.1234: "0.123", 1.5: "1.5", 12.34: "12.3", 999.6: "1,000", 1234567.8: "1,234,568", 1000: "1,000", -1234: "-1,234", 99.96: "100",
		math.Inf(1): "+Inf", 1e18: "1e+18",
	} {
		if got := fix.Number(x); got != want {
			t.Errorf("Number(%v) = %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0%", 0.45: "45%", 1.834: "183%", 0.045: "4.5%", 0.00123: "0.12%"} {
		if got := fix.Percent(x); got != want {
			t.Errorf("Percent(%v) = %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{1: "1 s", 0.25: "250 ms", 90: "90 s"} {
		if got := fix.Seconds(x); got != want {
			t.Errorf("Seconds(%v) = %s, want %s", x, got, want)
		}
	}
	if got := fix.Escape("a\x1b[2J\xff\"ü"); got != `a\x1b[2J\xff"ü` {
		t.Errorf("Escape: %s", got)
	}
}
