package order

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"keyskew/sketch"
)

// keysOf makes n keys, one every step.
func keysOf(n int, f func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func timed(s []sketch.Sample) Input {
	in := Input{Samples: s, Share: 1, Timed: true, Touches: func([]byte, uint64) uint64 { return 1 }}
	in.First, in.Last = s[0].First.Time, s[len(s)-1].First.Time
	return in
}

// ms is the time of key i where one comes every 100 ms, from noon on.
func ms(i int) int64 { return noon/1e6 + 100*int64(i) }

func random(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 99))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func dash(b []byte) string {
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// uuidOf makes a UUID of a version from its first 60 bits of time, in the order of that version.
func uuidOf(version int, i int, unixMS int64) string {
	b := random(uint64(i), 16)
	ticks := uint64(unixMS+12219292800000) * 10000
	put := func(at, n int, v uint64) {
		for j := n - 1; j >= 0; j-- {
			b[at+j] = byte(v)
			v >>= 8
		}
	}
	switch version {
	case 1:
		put(0, 4, ticks)
		put(4, 2, ticks>>32)
		put(6, 2, ticks>>48)
	case 6:
		put(0, 6, ticks>>12)
		put(6, 2, ticks&0xfff)
	case 7:
		put(0, 6, uint64(unixMS))
	}
	b[6], b[8] = b[6]&0x0f|byte(version)<<4, b[8]&0x3f|0x80
	return dash(b)
}

func ulidOf(i int, unixMS int64) string {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	out := make([]byte, 26)
	for j := 9; j >= 0; j-- {
		out[j] = digits[unixMS&31]
		unixMS >>= 5
	}
	for j, c := range random(uint64(i), 16) {
		out[10+j] = digits[c&31]
	}
	return string(out)
}

func hashed(i int) string {
	h := sha256.Sum256(fmt.Append(nil, i))
	return hex.EncodeToString(h[:])
}

// first is the verdict on the largest family that is not all keys.
func first(t *testing.T, in Input) Family {
	t.Helper()
	out := Analyze(in)
	if len(out) == 0 || string(out[len(out)-1].Name) != AllKeys {
		t.Fatalf("all keys do not come last: %+v", out)
	}
	return out[0]
}

func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		name         string
		key          func(i int) string
		n            int
		verdict      Verdict
		kind, family string
		frontier     Frontier
		notBytes     bool // bytes are not in order, numbers are
	}{
		{name: "padded sequence", key: func(i int) string { return fmt.Sprintf("inv:%08d", i) }, verdict: TimeOrdered, kind: "sequence", family: "inv:{int}", frontier: Last},
		{name: "plain sequence within its digits", key: func(i int) string { return fmt.Sprintf("inv:%d", 10000+i) }, verdict: TimeOrdered, kind: "sequence", family: "inv:{int}", frontier: Last},
		{name: "crossing a power of ten", key: func(i int) string { return fmt.Sprintf("inv:%d", 9900+i) }, n: 200, verdict: TimeOrdered, kind: "sequence", family: "inv:{int}", frontier: First},
		{name: "numbers from one on", key: func(i int) string { return fmt.Sprint("inv:", i+1) }, n: 700, verdict: TimeOrdered, kind: "sequence", family: "inv:{int}", frontier: Interior},
		{name: "ever larger steps", key: func(i int) string { return fmt.Sprint("inv:", i*i*i*i) }, verdict: TimeOrdered, kind: "sequence", family: "inv:{int}", frontier: Last, notBytes: true},
		{name: "descending", key: func(i int) string { return fmt.Sprint("t:", 8235500000000-100*i) }, verdict: TimeOrdered, kind: "sequence", family: "t:{int}", frontier: First},
		{name: "epoch ms", key: func(i int) string { return fmt.Sprint("evt:", ms(i)) }, verdict: TimeOrdered, kind: Millis, family: "evt:{int}", frontier: Last},
		{name: "epoch s", key: func(i int) string { return fmt.Sprint("evt:", ms(i)/1000, ":", i%7) }, verdict: TimeOrdered, kind: Seconds, family: "evt:{int}:{int}", frontier: Last},
		{name: "epoch ns", key: func(i int) string { return fmt.Sprint("evt:", ms(i)*1e6+7) }, verdict: TimeOrdered, kind: Nanos, family: "evt:{int}", frontier: Last},
		{name: "stream ids", key: func(i int) string { return fmt.Sprint("order:", ms(i), "-0") }, verdict: TimeOrdered, kind: Millis, family: "order:{int}-0", frontier: Last},
		{name: "Snowflake", key: func(i int) string { return fmt.Sprint((ms(i)-1288834974657)<<22 | int64(i%4096)) }, verdict: TimeOrdered, kind: Twitter, family: "{int}", frontier: Last},
		{name: "Discord", key: func(i int) string { return fmt.Sprint((ms(i)-1420070400000)<<22 | int64(i%4096)) }, verdict: TimeOrdered, kind: Discord, family: "{int}", frontier: Last},
		{name: "ULID", key: func(i int) string { return "o:" + ulidOf(i, ms(i)) }, verdict: TimeOrdered, kind: ULID, family: "o:{ulid}", frontier: Last},
		{name: "UUID v7", key: func(i int) string { return "o:" + uuidOf(7, i, ms(i)) }, verdict: TimeOrdered, kind: UUIDv7, family: "o:{uuid}", frontier: Last},
		{name: "UUID v7, 50 a millisecond", key: func(i int) string { return uuidOf(7, i, noon/1e6+int64(i)/50) }, n: 200, verdict: TimeOrdered, kind: UUIDv7, family: "{uuid}", frontier: Last},
		{name: "UUID v6", key: func(i int) string { return uuidOf(6, i, ms(i)) }, verdict: TimeOrdered, kind: UUIDv6, family: "{uuid}", frontier: Last},
		{name: "UUID v1", key: func(i int) string { return uuidOf(1, i, ms(i)) }, verdict: TimeOrdered, kind: UUIDv1, family: "{uuid}", frontier: Moving},
		{name: "UUID v1 for a day", key: func(i int) string { return uuidOf(1, i, noon/1e6+43000*int64(i)) }, verdict: TimeOrdered, kind: UUIDv1, family: "{uuid}", frontier: Moving},
		{name: "ObjectID", key: func(i int) string { return fmt.Sprintf("%08x%s", ms(i)/1000, hex.EncodeToString(random(7, 8))) }, verdict: TimeOrdered, kind: ObjectID, family: "{hex}", frontier: Last},
		{name: "days", key: func(i int) string {
			return fmt.Sprintf("log:%s:%04d", time.UnixMilli(ms(864*i)).UTC().Format("2006010215"), i%60)
		}, verdict: TimeOrdered, kind: Hour, family: "log:{int}:{int}", frontier: Last},
		{name: "three servers' counters take turns", key: func(i int) string { return fmt.Sprintf("s%d:%06d", i%3, i) }, verdict: ContainsTime, kind: "number", family: "s{int}:{int}"},
		{name: "two take turns", key: func(i int) string { return fmt.Sprintf("%d:%06d", i%2, i) }, verdict: Partly, kind: "number", family: "{int}:{int}", frontier: Interior},
		{name: "a counter that starts again", key: func(i int) string { return fmt.Sprintf("slot:%04d-%d", i*4%1000, i/250) }, verdict: TimeOrdered, kind: "number", family: "slot:{int}-{int}", frontier: Moving},
		{name: "a user, then the time", key: func(i int) string { return fmt.Sprintf("u%04d:%d", int(hashed(i)[0])*16+int(hashed(i)[1])%16, ms(i)) }, verdict: ContainsTime, kind: "number", family: "u{int}:{int}"},
		{name: "a name, then the time", key: func(i int) string { return fmt.Sprintf("%s:%d", names[int(hashed(i)[5])%len(names)], ms(i)) }, verdict: ContainsTime, kind: "name", family: "{name}:{int}"},
		{name: "hash prefix", key: func(i int) string { return fmt.Sprintf("%02d#%012d", int(sum(i)[0])%16, i) }, verdict: ContainsTime, kind: "number", family: "{int}#{int}"},
		{name: "hashed", key: hashed, verdict: No, kind: "hex", family: "{hex}"},
		{name: "half a hash", key: func(i int) string { return "h:" + hashed(i)[:24] }, verdict: No, kind: "hex", family: "h:{hex}"},
		{name: "UUID v4", key: func(i int) string { return uuidOf(4, i, 0) }, verdict: No, kind: "UUID v4", family: "{uuid}"},
		{name: "bits reversed", key: func(i int) string { return fmt.Sprintf("%010d", bits.Reverse32(uint32(i))) }, verdict: No, kind: "number", family: "{int}"},
		{name: "random numbers", key: func(i int) string { return fmt.Sprint("user:", binary.BigEndian.Uint32(sum(i))) }, verdict: No, kind: "number", family: "user:{int}"},
		{name: "49 keys", key: func(i int) string { return fmt.Sprint("evt:", ms(i)) }, n: 49, verdict: Insufficient, kind: "mixed", family: AllKeys},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := c.n
			if n == 0 {
				n = 1000
			}
			keys := keysOf(n, c.key)
			step := int64(1e8)
			switch c.name {
			case "UUID v1 for a day":
				step = 43e9
			case "UUID v7, 50 a millisecond":
				step = 2e4
			case "days":
				step = 864e8
			}
			f := first(t, timed(samples(keys, step)))
			if f.Verdict != c.verdict || string(f.Name) != c.family || f.Kind != c.kind || f.Frontier != c.frontier {
				t.Errorf("%s: %s (%s), frontier %q; want %s: %s (%s), %q\n%+v", f.Name, f.Verdict, f.Kind, f.Frontier, c.family, c.verdict, c.kind, c.frontier, f.ByBytes)
			}
			if hurt := c.verdict.Positive(); f.Bytes != (hurt && !c.notBytes) || f.Numbers != hurt {
				t.Errorf("hurts ranges of bytes: %v, of numbers: %v", f.Bytes, f.Numbers)
			}
			if f.Away != nil && *f.Away > 1000 && c.kind != Hour {
				t.Errorf("decoded times are %v ms away", *f.Away)
			}
			if f.Verdict != Insufficient && c.family != "{name}:{int}" && (len(f.Points) == 0 || len(f.Points) > maxPoints) {
				t.Errorf("%d points", len(f.Points))
			}
		})
	}
}

var names = []string{"ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ivy", "jim", "kim", "leo", "mia", "ned"}

func sum(i int) []byte {
	h := sha256.Sum256(fmt.Append(nil, i))
	return h[:]
}

// Late and shuffled arrivals are still in order.
func TestDisorder(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		jitter := keysOf(400, func(i int) string { return fmt.Sprint("evt:", ms(i)+rng.Int64N(12_000)) }) // 30% of the span
		late := keysOf(400, func(i int) string {
			if rng.IntN(20) == 0 {
				return fmt.Sprint("evt:", ms(rng.IntN(i+1)))
			}
			return fmt.Sprint("evt:", ms(i))
		})
		for name, keys := range map[string][]string{"jitter": jitter, "5% late": late} {
			if f := first(t, timed(samples(keys, 1e8))); f.Verdict != TimeOrdered || f.Frontier != Last {
				t.Errorf("%s, seed %d: %s, %+v", name, seed, f.Verdict, f.ByBytes)
			}
		}
	}
}

// Without writes an order is possible; a pass over keys that exist is none.
func TestUnknownWrites(t *testing.T) {
	read := func(n int, step int64) []sketch.Sample {
		s := samples(keysOf(n, func(i int) string { return fmt.Sprintf("/post/%06d", i) }), step)
		for i := range s {
			s[i].Written, s[i].FirstWrite = false, sketch.Sighting{}
		}
		return s
	}
	in := timed(read(500, 1e9))
	in.Touches = func(_ []byte, hash uint64) uint64 { return 1 + hash%40 }
	if f := first(t, in); f.Verdict != Possible || f.Written || f.Frontier != Last {
		t.Errorf("read when they are new: %+v", f)
	}
	in.Last += 600e9
	if f := first(t, in); f.Verdict != No {
		t.Errorf("read in one go, and no new ones after it: %s", f.Verdict)
	}
	in = timed(read(500, 1e9))
	in.Timed = false
	in.Touches = func([]byte, uint64) uint64 { return 25 }
	if f := first(t, in); f.Verdict != No || f.Frontier != "" {
		t.Errorf("a loop: %+v", f)
	}
	in.Touches = func([]byte, uint64) uint64 { return 1 }
	if f := first(t, in); f.Verdict != Possible {
		t.Errorf("one pass, without times: %s", f.Verdict)
	}
	// Numbers given out by first appearance say nothing, whether all of them are in the sample or some.
	for _, every := range []int{1, 8} {
		s := samples(keysOf(4000, strconv.Itoa), 1e9)
		rng := rand.New(rand.NewPCG(5, 5))
		s = slices.DeleteFunc(s, func(sketch.Sample) bool { return rng.IntN(every) > 0 })
		for i := range s {
			s[i].Written = false
		}
		in = timed(s)
		in.Share = 1 / float64(every)
		in.Touches = func(_ []byte, hash uint64) uint64 { return 1 + hash%40 }
		if f := first(t, in); f.Verdict != No {
			t.Errorf("renumbered, one in %d: %s", every, f.Verdict)
		}
		for i := range s { // a counter with gaps
			s[i].Key = fmt.Append(nil, 3*i*every)
		}
		if f := first(t, in); f.Verdict != Possible {
			t.Errorf("every third number, one in %d: %s", every, f.Verdict)
		}
	}
	// A few that were seen being written decide, whatever the many that were read.
	s := read(3000, 1e9)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, i := range rng.Perm(3000)[:100] {
		s[i].Written = true
		s[i].FirstWrite = sketch.Sighting{Time: noon + rng.Int64N(1e12)}
	}
	if f := first(t, timed(s)); f.Verdict != No || !f.Written || f.Sample != 100 {
		t.Errorf("written at random, read in order: %+v", f)
	}
}

// Families are judged apart, and the rest by its form.
func TestManyFamilies(t *testing.T) {
	var keys []string
	for i := range 600 {
		keys = append(keys, fmt.Sprintf("order:%08d", i), "session:"+hashed(i)[:16], fmt.Sprintf("/v1/img/%d.png", sum(i)[0]))
		if i < 30 {
			keys = append(keys, "config:"+names[i%len(names)]+fmt.Sprint(i))
		}
	}
	slices.Sort(keys[1800:])
	keys = slices.Compact(keys)
	out := Analyze(timed(samples(keys, 1e8)))
	got := map[string]Verdict{}
	for _, f := range out {
		got[string(f.Name)] = f.Verdict
	}
	for name, want := range map[string]Verdict{"order:{int}": TimeOrdered, "session:{hex}": No, "/v1/img/{int}.png": No, AllKeys: No} {
		if got[name] != want {
			t.Errorf("%s: %q, want %s (%v)", name, got[name], want, got)
		}
	}
	if string(out[0].Name) != "order:{int}" {
		t.Errorf("first comes %s", out[0].Name)
	}
	near(t, "new orders per second", out[0].NewPerSecond, 600/(float64(len(keys)-1)/10), 0.02)
}

// Whatever the keys: no panic, and verdicts that do not depend on the order of the samples.
func TestAnalyzeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 30), rapid.Custom(func(t *rapid.T) []byte {
			form := rapid.SampledFrom([]string{"a:%d", "%d", "{int}:%d", "x%d:%d", "%08x-0000-1000-8000-%012x", "%d-%02d-%02d"}).Draw(t, "form")
			args := []any{}
			for range bytes.Count([]byte(form), []byte("%")) {
				args = append(args, rapid.IntRange(0, 99).Draw(t, "n"))
			}
			return fmt.Appendf(nil, form, args...)
		}))
		seen := map[string]bool{}
		var s []sketch.Sample
		for i := range rapid.IntRange(0, 200).Draw(t, "keys") {
			k := key.Draw(t, "key")
			if seen[string(k)] {
				continue
			}
			seen[string(k)] = true
			at := sketch.Sighting{Time: rapid.Int64Range(-5, 5).Draw(t, "time"), Offset: int64(i)}
			s = append(s, sketch.Sample{Key: k, Hash: rapid.Uint64().Draw(t, "hash"), First: at, Written: i%3 > 0, FirstWrite: at})
		}
		in := Input{Samples: s, Share: 0.5, Timed: rapid.Bool().Draw(t, "timed"), First: -5, Last: 5, Touches: func(_ []byte, h uint64) uint64 { return h % 4 }}
		a := fmt.Sprintf("%+v", Analyze(in))
		slices.Reverse(in.Samples)
		if b := fmt.Sprintf("%+v", Analyze(in)); a != b {
			t.Fatalf("%s\nof the reverse: %s", a, b)
		}
	})
}

func FuzzSplit(f *testing.F) {
	for _, key := range []string{"user:42", "{int}", "2026-03-01T12:00:00Z", "550e8400-e29b-41d4-a716-446655440000", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "\xff\x00"} {
		f.Add([]byte(key))
	}
	f.Fuzz(func(t *testing.T, key []byte) {
		at := 0
		for _, p := range split(nil, key) {
			if p.from < at || p.to <= p.from || p.to > len(key) {
				t.Fatalf("%q: %+v", key, split(nil, key))
			}
			at = p.to
			readings(nil, key[p.from:p.to], p.kind)
			if len(key[p.from:p.to]) == 36 && p.kind == uuid {
				version(key[p.from:p.to])
			}
		}
		appendShape(nil, key, split(nil, key), true)
	})
}

func BenchmarkAnalyze(b *testing.B) {
	keys := keysOf(65536, func(i int) string {
		switch i % 4 {
		case 0:
			return fmt.Sprint("order:", ms(i))
		case 1:
			return "session:" + hashed(i)
		case 2:
			return fmt.Sprint("user:", binary.BigEndian.Uint32(sum(i)), ":cart")
		}
		return uuidOf(7, i, ms(i))
	})
	in := timed(samples(keys, 1e8))
	for b.Loop() {
		Analyze(in)
	}
}
