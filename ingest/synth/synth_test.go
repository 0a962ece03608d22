package synth

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// everything has all kinds of commands.
func everything() Config {
	return Config{
		Seed:        7,
		Requests:    60_000,
		Keys:        5_000,
		Zipf:        0.9,
		Rate:        3_000,
		Start:       time.Date(2026, 5, 4, 23, 59, 50, 999_999_000, time.UTC),
		Writes:      0.25,
		Viral:       ViralKey{Key: "post:48\x00 \"é\"\n", Share: 0.4, Onset: 5 * time.Second, Length: 8 * time.Second, Writes: 0.02},
		Counter:     CounterKey{Key: "post:48:likes", Share: 0.05},
		HashTag:     HashTag{Tag: "cart:eu", Keys: 300, Share: 0.08},
		Tenants:     12,
		TimeOrdered: 0.03,
		MultiKey:    0.02,
		Pollers:     7,
		Clients:     40,
	}
}

func generate(t testing.TB, c Config) ([]byte, Truth) {
	t.Helper()
	var out bytes.Buffer
	truth, err := Write(&out, c)
	if err != nil {
		t.Fatal(err)
	}
	if truth.Bytes != int64(out.Len()) {
		t.Errorf("truth says %d bytes, wrote %d", truth.Bytes, out.Len())
	}
	return out.Bytes(), truth
}

// failer is what *testing.T and *rapid.T share.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// line is what the naive parser of this test makes of one line.
type line struct {
	micros int64
	client string
	args   []string
}

func parse(t failer, capture []byte) []line {
	t.Helper()
	text, ok := strings.CutPrefix(string(capture), "OK\n")
	if !ok {
		t.Fatalf("does not begin with OK: %.40q", capture)
	}
	var out []line
	for s := range strings.Lines(text) {
		s, ended := strings.CutSuffix(s, "\n")
		stamp, rest, found := strings.Cut(s, " [0 ")
		client, rest, found2 := strings.Cut(rest, "] ")
		seconds, us, found3 := strings.Cut(stamp, ".")
		n, err := strconv.ParseInt(seconds+us, 10, 64)
		if !ended || !found || !found2 || !found3 || len(us) != 6 || len(seconds) != 10 || err != nil {
			t.Fatalf("malformed line %q", s)
		}
		l := line{micros: n, client: client}
		for rest != "" {
			arg, err := strconv.QuotedPrefix(rest)
			if err != nil {
				t.Fatalf("malformed argument in %q", s)
			}
			plain, err := strconv.Unquote(arg)
			if err != nil {
				t.Fatal(err)
			}
			l.args = append(l.args, plain)
			rest = rest[len(arg):]
			if after, more := strings.CutPrefix(rest, " "); more && after != "" {
				rest = after
			} else if rest != "" {
				t.Fatalf("malformed separator in %q", s)
			}
		}
		out = append(out, l)
	}
	return out
}

// recount is a truth counted from the capture.
func recount(t failer, c Config, lines []line) (Truth, map[string]*Key) {
	t.Helper()
	var out Truth
	keys := map[string]*Key{}
	touch := func(key string, reads, writes, polls int64) {
		if keys[key] == nil {
			keys[key] = &Key{Key: key}
		}
		k := keys[key]
		k.Count++
		k.Reads += reads
		k.Writes += writes
		k.Polls += polls
		out.Requests++
		out.Reads += reads
		out.Writes += writes
		out.Polls += polls
	}
	before := int64(0)
	for _, l := range lines {
		if l.micros < before {
			t.Fatalf("time goes back to %d", l.micros)
		}
		before = l.micros
		out.Commands++
		switch strings.Join([]string{l.args[0], strconv.Itoa(len(l.args))}, "/") {
		case "GET/2":
			touch(l.args[1], 1, 0, 0)
		case "SET/3", "INCR/2":
			touch(l.args[1], 0, 1, 0)
		case "MGET/4":
			for _, key := range l.args[1:] {
				touch(key, 1, 0, 0)
			}
		case "BLPOP/3":
			touch(l.args[1], 0, 0, 1)
		default:
			t.Fatalf("unknown command %q", l.args)
		}
	}
	if len(lines) > 0 {
		out.First = time.UnixMicro(lines[0].micros).UTC()
		out.Last = time.UnixMicro(lines[len(lines)-1].micros).UTC()
	}
	out.DistinctKeys = int64(len(keys))
	planted := func(key string) Key {
		if k := keys[key]; k != nil {
			return *k
		}
		return Key{Key: key}
	}
	out.Viral, out.Counter, out.Queue = planted(c.Viral.Key), planted(c.Counter.Key), planted(Queue)
	if c.Tenants > 0 {
		out.Tenants = make([]int64, c.Tenants)
	}
	for name, k := range keys {
		if c.HashTag.Share > 0 && strings.HasPrefix(name, "{"+c.HashTag.Tag+"}:") {
			out.HashTag += k.Count
		}
		if strings.HasPrefix(name, "order:") {
			out.TimeOrdered += k.Count
			continue
		}
		out.Keys = append(out.Keys, *k)
		if tenant, _, ok := strings.Cut(name, ":key:"); ok {
			n, err := strconv.Atoi(strings.TrimPrefix(tenant, "t"))
			if err != nil || n < 1 || n > c.Tenants {
				t.Fatalf("tenant of %q", name)
			}
			out.Tenants[n-1] += k.Count
		}
	}
	out.Keys = largest(out.Keys)
	return out, keys
}

func largest(keys []Key) []Key {
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	return keys[:min(len(keys), TopKeys)]
}

func checkTruth(t failer, got, want Truth) {
	t.Helper()
	gotKeys, wantKeys := got.Keys, want.Keys
	for i := range min(len(gotKeys), len(wantKeys)) {
		if gotKeys[i] != wantKeys[i] {
			t.Fatalf("key %d: truth %+v, recount %+v", i, gotKeys[i], wantKeys[i])
		}
	}
	if len(gotKeys) != len(wantKeys) {
		t.Fatalf("truth lists %d keys, recount %d", len(gotKeys), len(wantKeys))
	}
	if !slices.Equal(got.Tenants, want.Tenants) {
		t.Fatalf("tenants: truth %v, recount %v", got.Tenants, want.Tenants)
	}
	got.Keys, got.Tenants, got.Bytes = want.Keys, want.Tenants, want.Bytes
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("truth   %+v\nrecount %+v", got, want)
	}
}

func TestTruth(t *testing.T) {
	c := everything()
	capture, truth := generate(t, c)
	want, _ := recount(t, c, parse(t, capture))
	checkTruth(t, truth, want)
	if truth.Commands != c.Requests+truth.Polls {
		t.Errorf("%d commands, asked for %d and %d polls", truth.Commands, c.Requests, truth.Polls)
	}
}

func anyConfig(t *rapid.T) Config {
	share := rapid.Float64Range(0, 0.2)
	c := Config{
		Seed:        rapid.Uint64().Draw(t, "seed"),
		Requests:    rapid.Int64Range(0, 500).Draw(t, "requests"),
		Keys:        rapid.IntRange(1, 300).Draw(t, "keys"),
		Zipf:        rapid.Float64Range(0, 4).Draw(t, "zipf"),
		Rate:        rapid.SampledFrom([]float64{0.1, 50, 1e4, 1e8}).Draw(t, "rate"),
		Start:       time.UnixMicro(rapid.Int64Range(earliest*1e6, 2*earliest*1e6).Draw(t, "start")),
		Writes:      rapid.Float64Range(0, 1).Draw(t, "writes"),
		Counter:     CounterKey{"likes", share.Draw(t, "counter")},
		Viral:       ViralKey{Key: "v" + string(rapid.SliceOf(rapid.Byte()).Draw(t, "viral")), Share: share.Draw(t, "share")},
		HashTag:     HashTag{"a\xff{\"", rapid.IntRange(1, 20).Draw(t, "tagged"), share.Draw(t, "tag")},
		Tenants:     rapid.IntRange(0, 5).Draw(t, "tenants"),
		TimeOrdered: share.Draw(t, "ordered"),
		MultiKey:    share.Draw(t, "multi"),
		Clients:     rapid.IntRange(1, 4).Draw(t, "clients"),
	}
	if c.Rate > 1 {
		c.Pollers = rapid.IntRange(0, 3).Draw(t, "pollers")
	}
	return c
}

func TestTruthOfAnyConfig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyConfig(t)
		var out bytes.Buffer
		truth, err := Write(&out, c)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := recount(t, c, parse(t, out.Bytes()))
		checkTruth(t, truth, want)
	})
}

// The hash pins the bytes: it may change only together with a note in the changelog, as people compare
// captures by seed.
func TestSameBytesEverywhere(t *testing.T) {
	const want = "4257bff62c872b3790f64ad43783b6cf0484ca22c33da0633549fa9beff9b5b6"
	for _, cores := range []int{1, 4} {
		before := runtime.GOMAXPROCS(cores)
		capture, _ := generate(t, everything())
		runtime.GOMAXPROCS(before)
		sum := sha256.Sum256(capture)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("with %d cores: sha256 %s, want %s", cores, got, want)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	c := everything()
	a, _ := generate(t, c)
	c.Seed++
	b, _ := generate(t, c)
	if bytes.Equal(a, b) {
		t.Error("two seeds, one capture")
	}
}

// Ids of keys must not tell their rank, or a family would look time-ordered: hot keys come first.
func TestIdsDoNotFollowRanks(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 999, 1 << 12, 30030} {
		c := Default()
		c.Keys = n
		g := newGenerator(nil, c, monitorFormat())
		seen := map[uint64]bool{}
		product, mean := 0.0, float64(n-1)/2
		for rank := range n {
			id := g.id(rank)
			if id >= uint64(n) || seen[id] {
				t.Fatalf("n=%d: id %d twice or too large", n, id)
			}
			seen[id] = true
			product += (float64(rank) - mean) * (float64(id) - mean)
		}
		if rho := product / (float64(n) * (float64(n)*float64(n) - 1) / 12); n >= 999 && math.Abs(rho) > 0.1 {
			t.Errorf("n=%d: rank correlation %v", n, rho)
		}
	}
}

func TestEscaped(t *testing.T) {
	// As redis-server 7.0.15 printed it.
	got := escaped("a\nb\r\t\a\b\x00\xff\x0b\x0c\x1b \xc3\xa9 \"q\" \\ end")
	want := `a\nb\r\t\a\b\x00\xff\x0b\x0c\x1b \xc3\xa9 \"q\" \\ end`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestValidate(t *testing.T) {
	cases := map[string]struct {
		change func(*Config)
		want   string
	}{
		"requests":       {func(c *Config) { c.Requests = -1 }, "requests must be 0 to"},
		"keys":           {func(c *Config) { c.Keys = 0 }, "keys must be 1 to"},
		"zipf":           {func(c *Config) { c.Zipf = math.NaN() }, "Zipf exponent"},
		"negative zipf":  {func(c *Config) { c.Zipf = -0.1 }, "Zipf exponent"},
		"rate":           {func(c *Config) { c.Rate = 0 }, "rate must be above 0"},
		"infinite rate":  {func(c *Config) { c.Rate = math.Inf(1) }, "rate must be above 0"},
		"start":          {func(c *Config) { c.Start = time.Time{} }, "start must be in the years"},
		"too long":       {func(c *Config) { c.Rate = 1e-9 }, "last too long"},
		"writes":         {func(c *Config) { c.Writes = 1.01 }, "share of writes must be 0 to 1"},
		"clients":        {func(c *Config) { c.Clients = 0 }, "clients must be 1 to"},
		"pollers":        {func(c *Config) { c.Pollers = -1 }, "pollers must be 0 to"},
		"tenants":        {func(c *Config) { c.Tenants = -1 }, "tenants must be 0 to"},
		"sum":            {func(c *Config) { c.Counter.Share = 0.9 }, "add up to"},
		"viral name":     {func(c *Config) { c.Viral.Key = "" }, "the viral key needs a name"},
		"viral onset":    {func(c *Config) { c.Viral.Onset = -1 }, "must not be negative"},
		"generated name": {func(c *Config) { c.Counter.Key = "t3:key:7" }, "named like a generated key"},
		"tagged name":    {func(c *Config) { c.Counter.Key = "{cart:eu}:1" }, "named like a generated key"},
		"same name":      {func(c *Config) { c.Counter.Key = c.Viral.Key }, "must be two keys"},
		"tag":            {func(c *Config) { c.HashTag.Tag = "a}b" }, "hash tag must hold something"},
		"tag keys":       {func(c *Config) { c.HashTag.Keys = 0 }, "hash tag needs 1 to"},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := everything()
		cases[name].change(&c)
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), cases[name].want) {
			t.Errorf("%s: error %v, want one with %q", name, err, cases[name].want)
		}
		if _, err := Write(&bytes.Buffer{}, c); err == nil {
			t.Errorf("%s: Write takes it", name)
		}
	}
	for name, c := range map[string]Config{"default": Default(), "everything": everything()} {
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type brokenPipe struct{ room int }

var errBroken = errors.New("broken")

func (b *brokenPipe) Write(p []byte) (int, error) {
	if len(p) > b.room {
		return b.room, errBroken
	}
	b.room -= len(p)
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	for _, room := range []int{0, 100_000} {
		if _, err := Write(&brokenPipe{room}, everything()); !errors.Is(err, errBroken) {
			t.Errorf("room for %d bytes: error %v", room, err)
		}
	}
}

type discard struct{ n int64 }

func (d *discard) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return len(p), nil
}

func BenchmarkWrite(b *testing.B) {
	for name, c := range map[string]Config{"plain": Default(), "all": everything()} {
		c.Requests = 1_000_000
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var lines int64
			for b.Loop() {
				var d discard
				truth, err := Write(&d, c)
				if err != nil {
					b.Fatal(err)
				}
				lines += truth.Commands
				b.SetBytes(d.n)
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
