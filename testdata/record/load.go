package main

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// event is one thing that a client does at a time after the start: commands that go out in one piece.
type event struct {
	at       time.Duration
	client   int
	commands [][]string
}

// source makes events at a rate (per second, by the seconds since the start) of at most most.
type source struct {
	most float64
	rate func(seconds float64) float64
	make func(r *rand.Rand) [][]string
}

func steady(perSecond float64, make func(r *rand.Rand) [][]string) source {
	return source{perSecond, func(float64) float64 { return perSecond }, make}
}

// schedule draws the events of all sources, each a Poisson process of its own (by thinning: Lewis and
// Shedler 1979), in the order of time.
func schedule(seed uint64, length time.Duration, clients int, sources []source) []event {
	var out []event
	for i, s := range sources {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		for t := r.ExpFloat64() / s.most; t < length.Seconds(); t += r.ExpFloat64() / s.most {
			if r.Float64()*s.most < s.rate(t) {
				out = append(out, event{time.Duration(t * 1e9), r.IntN(clients), s.make(r)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return out
}

// popularity draws ranks 0..n-1 with weights (rank+1)^-s.
type popularity []float64

func newPopularity(n int, s float64) popularity {
	p := make(popularity, n)
	sum := 0.0
	for i := range p {
		sum += math.Pow(float64(i+1), -s)
		p[i] = sum
	}
	return p
}

func (p popularity) rank(r *rand.Rand) int {
	i, _ := slices.BinarySearch(p, r.Float64()*p[len(p)-1])
	return min(i, len(p)-1)
}

// What is planted.
const (
	viralKey   = "post:48"
	counterKey = "post:48:likes"
	hashTag    = "{cart:eu}"
	queueKey   = "queue:jobs"

	incidentLength = 40 * time.Second
	rampFrom       = 12.0 // seconds: the viral key's rate rises to its height within a second,
	rampTo         = 13.0
	fallFrom       = 33.0 // and falls back to nothing within a second
	fallTo         = 34.0
	viralRate      = 2900.0 // touches per second at its height
)

// limiter is the rate limiter of the load: a fixed window of ARGV[2] seconds with ARGV[1] requests.
const limiter = `local n = tonumber(redis.call('GET', KEYS[1]) or '0')
if n >= tonumber(ARGV[1]) then return 0 end
n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return 1`

func limiterSHA() string {
	sum := sha1.Sum([]byte(limiter))
	return hex.EncodeToString(sum[:])
}

// viral is the height of the viral episode, 0 to 1.
func viral(t float64) float64 {
	return max(0, min(1, (t-rampFrom)/(rampTo-rampFrom), (fallTo-t)/(fallTo-fallFrom)))
}

// incident is the load of the sample capture.
func incident(seed uint64) []source {
	const keys = 20_000
	ranks := newPopularity(keys, 0.9)
	ids := rand.New(rand.NewPCG(seed, 1<<32)).Perm(keys) // so that a name does not tell its rank
	one := func(args ...string) [][]string { return [][]string{args} }
	num := strconv.Itoa
	product := func(r *rand.Rand) string { return "product:" + num(ids[ranks.rank(r)]) }
	user := func(r *rand.Rand) string { return "user:" + num(ids[ranks.rank(r)]) }
	price := func(r *rand.Rand) string {
		return fmt.Sprintf(`{"price":%d.%02d,"stock":%d}`, r.IntN(90), 99-r.IntN(2)*50, r.IntN(40))
	}
	country := []string{"de", "fr", "it", "es", "pl"}
	images := make([]string, 24)
	for i := range images { // binary keys
		sum := sha1.Sum([]byte(num(i)))
		images[i] = "img:" + string(sum[:8])
	}

	background := func(r *rand.Rand) [][]string {
		id := ids[ranks.rank(r)]
		u := r.IntN(100)
		switch id % 3 {
		case 0:
			key := "user:" + num(id)
			switch {
			case u < 60:
				return one("HGETALL", key)
			case u < 80:
				return one("HGET", key, "plan")
			case u < 92:
				return one("HSET", key, "country", country[r.IntN(5)], "plan", []string{"free", "pro"}[r.IntN(2)])
			}
			return one("EXPIRE", key, "86400")
		case 1:
			sum := sha1.Sum([]byte(num(id)))
			key := "session:" + hex.EncodeToString(sum[:4])
			switch {
			case u < 70:
				return one("GET", key)
			case u < 90:
				return one("SET", key, fmt.Sprintf(`{"user":%d,"cart":%d}`, id, r.IntN(9)), "EX", "1800")
			}
			return one("EXPIRE", key, "1800")
		}
		key := "product:" + num(id)
		if u < 85 {
			return one("GET", key)
		}
		return one("SET", key, price(r))
	}
	cart := func(r *rand.Rand) [][]string {
		key := hashTag + ":" + num(r.IntN(400))
		switch u := r.IntN(100); {
		case u < 65:
			return one("HGETALL", key)
		case u < 90:
			return one("HINCRBY", key, "sku-"+num(r.IntN(50)), "1")
		}
		return one("HDEL", key, "sku-"+num(r.IntN(50)))
	}
	post := func(r *rand.Rand) [][]string {
		if r.IntN(100) == 0 {
			return one("SET", viralKey, fmt.Sprintf(`{"title":"48 hours in the dark","edit":%d}`, r.IntN(10)), "EX", "3600")
		}
		return one("GET", viralKey)
	}
	limit := func(verb, script string) func(r *rand.Rand) [][]string {
		return func(r *rand.Rand) [][]string {
			return one(verb, script, "1", fmt.Sprintf("ratelimit:10.1.%d.%d", r.IntN(4), r.IntN(50)), "20", "10")
		}
	}
	return []source{
		steady(2900, background),
		{viralRate, func(t float64) float64 { return viralRate * viral(t) }, post},
		{500, func(t float64) float64 { return 200 + 300*viral(t) }, func(*rand.Rand) [][]string { return one("INCR", counterKey) }},
		steady(460, cart),
		steady(15, func(r *rand.Rand) [][]string { // a page's products, read in one pipeline
			page := make([][]string, 12)
			for i := range page {
				page[i] = []string{"GET", product(r)}
			}
			return page
		}),
		steady(12, func(r *rand.Rand) [][]string { // an order
			return [][]string{
				{"MULTI"},
				{"HINCRBY", user(r), "orders", "1"},
				{"DECR", "stock:" + num(r.IntN(500))},
				{"LPUSH", "invoices", "inv-" + num(r.IntN(1e6))},
				{"EXEC"},
			}
		}),
		steady(3, func(r *rand.Rand) [][]string { // an optimistic transaction that is given up
			key := "stock:" + num(r.IntN(500))
			return [][]string{{"WATCH", key}, {"GET", key}, {"MULTI"}, {"SET", key, "0"}, {"DISCARD"}}
		}),
		steady(25, limit("EVAL", limiter)),
		steady(25, limit("EVALSHA", limiterSHA())),
		steady(40, func(r *rand.Rand) [][]string { return one("MGET", product(r), product(r), product(r), product(r)) }),
		steady(8, func(r *rand.Rand) [][]string { return one("MSET", product(r), price(r), product(r), price(r)) }),
		steady(20, func(r *rand.Rand) [][]string {
			return one("SET", "lock:order:"+num(r.IntN(300)), fmt.Sprintf("%08x", r.Uint32()), "NX", "EX", "10")
		}),
		steady(20, func(r *rand.Rand) [][]string { return one("DEL", "lock:order:"+num(r.IntN(300))) }),
		steady(40, func(r *rand.Rand) [][]string { return one("ZADD", "leaderboard", num(r.IntN(5000)), user(r)) }),
		steady(15, func(*rand.Rand) [][]string { return one("ZREVRANGE", "leaderboard", "0", "9", "WITHSCORES") }),
		steady(25, func(r *rand.Rand) [][]string { // a feed of 100 entries
			feed := "feed:" + num(r.IntN(800))
			return [][]string{{"LPUSH", feed, viralKey}, {"LTRIM", feed, "0", "99"}}
		}),
		steady(40, func(r *rand.Rand) [][]string {
			return one("XADD", "events", "MAXLEN", "~", "1000", "*", "type", []string{"view", "click", "buy"}[r.IntN(3)], "user", num(r.IntN(keys)))
		}),
		steady(20, func(r *rand.Rand) [][]string { return one("GET", images[r.IntN(len(images))]) }),
		steady(5, func(r *rand.Rand) [][]string {
			return one("SETEX", images[r.IntN(len(images))], "600", "\x89PNG\r\n\x1a\n\x00"+num(r.IntN(1000)))
		}),
		steady(4, func(r *rand.Rand) [][]string { return one("GET", "city:m\u00fcnchen \"mitte\"") }),
		steady(2, func(*rand.Rand) [][]string { return one("PING") }),
		steady(1, func(r *rand.Rand) [][]string { return one("RPUSH", queueKey, "job-"+num(r.IntN(1e6))) }),
	}
}
