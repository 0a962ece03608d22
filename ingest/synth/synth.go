// Package synth writes captures, access logs and traces of a made-up load with known truth: a Config with
// its seed and a Format go in; the text and the exact counts of what is in it come out. The same Config
// and Format give the same bytes on every machine: it uses the PCG generator of math/rand/v2 and only
// floating-point steps that IEEE 754 rounds in one way.
package synth

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

// MaxRequests is the largest Config.Requests, and MaxKeys the largest Config.Keys.
const (
	MaxRequests = 1_000_000_000
	MaxKeys     = 1 << 30
)

// Queue is the list that the pollers wait on.
const Queue = "queue:jobs"

// Config describes a load. All shares are of all commands but the polls, from 0 to 1; what the planted
// kinds leave over is background: GET and SET of Keys keys named key:<id>, or t<tenant>:key:<id>.
type Config struct {
	// Seed selects one of 2^64 runs of the same load.
	Seed uint64
	// Requests is the number of commands, without the polls.
	Requests int64
	// Keys is the number of background keys.
	Keys int
	// Zipf is the exponent s >= 0 of the background: the key of rank k has a weight of k^-s. The id in
	// a key's name says nothing about its rank.
	Zipf float64
	// Rate is the mean number of commands per second; they arrive as a Poisson process.
	Rate float64
	// Start is the time of the beginning.
	Start time.Time
	// Writes is the share of SET among the commands of background and hash-tag keys.
	Writes float64
	// Viral plants a key that is hot for a while.
	Viral ViralKey
	// Counter plants a key that only gets INCR.
	Counter CounterKey
	// HashTag plants keys that share a hash tag and so a slot.
	HashTag HashTag
	// Tenants, when above 0, prefixes each background key with t<N>:, N from 1. A tenant's number of
	// keys follows a Zipf law with exponent 1.
	Tenants int
	// TimeOrdered is the share of commands that SET a new key order:<unix ms>-<seq>.
	TimeOrdered float64
	// MultiKey is the share of MGET commands, of three background keys each.
	MultiKey float64
	// Pollers is the number of clients that issue BLPOP queue:jobs 1 once per second.
	Pollers int
	// Clients is the number of client addresses that the commands come from.
	Clients int
}

// ViralKey is a key that takes a Share of the commands from Onset (after the start) on, for Length or,
// when that is 0, to the end. Writes is the share of SET among its commands, the others are GET.
type ViralKey struct {
	Key           string
	Share         float64
	Onset, Length time.Duration
	Writes        float64
}

// CounterKey is a key that gets INCR with a Share of the commands.
type CounterKey struct {
	Key   string
	Share float64
}

// HashTag is a set of Keys keys {Tag}:<n>, n from 0, which together get a Share of the commands, each
// key the same.
type HashTag struct {
	Tag   string
	Keys  int
	Share float64
}

// prefix is what stands in front of n.
func (h HashTag) prefix() string { return "{" + h.Tag + "}:" }

// Default is a plain Zipf load of a minute.
func Default() Config {
	return Config{
		Seed:     1,
		Requests: 600_000,
		Keys:     100_000,
		Zipf:     0.9,
		Rate:     10_000,
		Start:    time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
		Writes:   0.2,
		Clients:  50,
	}
}

// generated matches the names that Write makes by itself, which a planted key must not bear.
var generated = regexp.MustCompile(`^((t\d+:)?key:|order:|queue:jobs$)`)

const (
	earliest = 1_000_000_000 // 2001-09-09, from which on times have ten digits of seconds
	latest   = 9_000_000_000 // 2255
)

// Validate returns every reason why the load cannot be written, joined into one error, or nil.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	if c.Requests < 0 || c.Requests > MaxRequests {
		bad("requests must be 0 to %d, not %d", MaxRequests, c.Requests)
	}
	if c.Keys < 1 || c.Keys > MaxKeys {
		bad("keys must be 1 to %d, not %d", MaxKeys, c.Keys)
	}
	if !(c.Zipf >= 0 && c.Zipf <= 10) {
		bad("the Zipf exponent must be 0 to 10, not %v", c.Zipf)
	}
	if !(c.Rate > 0 && c.Rate <= 1e9) {
		bad("the rate must be above 0 and at most 1e9 per second, not %v", c.Rate)
	}
	if c.Start.Unix() < earliest || c.Start.Unix() > latest {
		bad("the start must be in the years 2002 to 2254, not %s", c.Start.UTC().Format(time.RFC3339))
	} else if end := float64(c.Start.Unix()) + 2*float64(c.Requests)/c.Rate; end > latest {
		bad("%d requests at %v per second last too long: they would end after the year 2254", c.Requests, c.Rate)
	}
	if c.Clients < 1 || c.Clients > 1<<16 {
		bad("clients must be 1 to %d, not %d", 1<<16, c.Clients)
	}
	if c.Pollers < 0 || c.Pollers > 1<<16 {
		bad("pollers must be 0 to %d, not %d", 1<<16, c.Pollers)
	}
	if c.Tenants < 0 || c.Tenants > 1<<20 {
		bad("tenants must be 0 to %d, not %d", 1<<20, c.Tenants)
	}
	errs = append(errs, c.validateShares(), c.validatePlanted())
	return errors.Join(errs...)
}

func (c Config) validateShares() error {
	var errs []error
	for _, s := range []struct {
		name  string
		value float64
	}{
		{"the share of writes", c.Writes},
		{"the share of the viral key", c.Viral.Share},
		{"the share of writes of the viral key", c.Viral.Writes},
		{"the share of the counter", c.Counter.Share},
		{"the share of the hash tag", c.HashTag.Share},
		{"the share of time-ordered keys", c.TimeOrdered},
		{"the share of multi-key commands", c.MultiKey},
	} {
		if !(s.value >= 0 && s.value <= 1) {
			errs = append(errs, fmt.Errorf("%s must be 0 to 1, not %v", s.name, s.value))
		}
	}
	sum := c.Viral.Share + c.Counter.Share + c.HashTag.Share + c.TimeOrdered + c.MultiKey
	if sum > 1+1e-9 {
		errs = append(errs, fmt.Errorf(
			"the shares of viral key, counter, hash tag, time-ordered keys and multi-key commands add up to %.4g: at most 1 is possible", sum))
	}
	return errors.Join(errs...)
}

func (c Config) validatePlanted() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	tag := c.HashTag.prefix()
	check := func(what, key string) {
		switch {
		case key == "":
			bad("the %s needs a name", what)
		case len(key) > 1<<20:
			bad("the name of the %s is longer than 1 MiB", what)
		case generated.MatchString(key), c.HashTag.Share > 0 && strings.HasPrefix(key, tag):
			bad("the %s must not be named like a generated key (key:, t<N>:key:, order:, %s or the hash tag): %q", what, Queue, key)
		}
	}
	if c.Viral.Share > 0 {
		check("viral key", c.Viral.Key)
		if c.Viral.Onset < 0 || c.Viral.Length < 0 {
			bad("onset and length of the viral key must not be negative")
		}
	}
	if c.Counter.Share > 0 {
		check("counter", c.Counter.Key)
		if c.Viral.Share > 0 && c.Counter.Key == c.Viral.Key {
			bad("the counter and the viral key must be two keys, both are %q", c.Viral.Key)
		}
	}
	if c.HashTag.Share > 0 {
		// Redis takes what is between the first { and the first } after it, unless that is empty.
		if c.HashTag.Tag == "" || strings.Contains(c.HashTag.Tag, "}") || len(c.HashTag.Tag) > 1<<20 {
			bad("the hash tag must hold something, at most 1 MiB, and no }: %q", c.HashTag.Tag)
		}
		if c.HashTag.Keys < 1 || c.HashTag.Keys > math.MaxInt32 {
			bad("the hash tag needs 1 to %d keys, not %d", math.MaxInt32, c.HashTag.Keys)
		}
	}
	return errors.Join(errs...)
}
