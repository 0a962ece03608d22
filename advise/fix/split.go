package fix

import (
	"fmt"
	"strings"

	"keyskew/advise/whatif"
	"keyskew/analyze"
	"keyskew/ingest/request"
)

// Split divides the writes over sub-keys.
var Split = Fix{
	ID:    "split",
	Title: "Split the key into slots",
	Text: "Each write goes to one of N sub-keys, a read puts all N together. Wins for write-hot keys whose " +
		"value is a sum, a set, a log or a sketch. Costs N reads per read, unless the sum is cached, and the " +
		"reply of a write is no longer the total. Not for locks, last-writer-wins values, bounded budgets or " +
		"scripts, which need one key; not for read-hot keys, whose reads it multiplies.",
	Source: "N = ceil(W / (C u)); sharded counters (Google Cloud, \"Sharding counters\", App Engine); value " +
		"algebras after the Redis command reference",
	Evaluate: split,
}

// SplitSlots is the number of slots over which writes per second must be divided so that each takes at
// most the share target of capacity; 0 when there is no such number.
func SplitSlots(writes, capacity, target float64) int {
	if !finite(writes, capacity, target) || capacity*target == 0 {
		return 0
	}
	return ceilInt(writes / (capacity * target))
}

// Mergeable says whether a key's writes can be divided over slots and read back, by every tag of its
// algebra: how each is read back, or why not.
func Mergeable(k analyze.Key) (readBack []string, no string) {
	tags := k.Algebra.Tags()
	data := false
	for _, t := range tags {
		switch t.Split {
		case request.Never:
			return nil, fmt.Sprintf("cannot be split: %s: %s", only(k, t.Name), t.ReadBack)
		case request.Free, request.ByPart:
			data = true
			readBack = append(readBack, t.ReadBack)
		}
	}
	switch {
	case len(tags) == 0:
		return nil, "cannot be split: what its commands do to the value is unknown"
	case !data:
		return nil, "cannot be split: its writes (" + tagNames(tags) + ") change no value of their own, which value it holds was not seen"
	}
	return readBack, ""
}

// only names the command with the tag where there is no doubt which one that is.
func only(k analyze.Key, tag string) string {
	if len(k.Commands) == 1 {
		return Escape(k.Commands[0].Name) + " (" + tag + ")"
	}
	return "one of its commands is of the kind " + tag
}

func tagNames(tags []request.AlgebraTag) string {
	names := make([]string, len(tags))
	for i, t := range tags {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

// mostWork is how much more work than before reading all slots may make.
const mostWork = 1.5

func split(c Case) Evaluation {
	k := c.Load
	if k.Writes < k.Load()/20 {
		return Evaluation{Reason: fmt.Sprintf("nothing to divide: %s of its %s req/s are writes, and every read would read all slots",
			Number(k.Writes), Number(k.Load()))}
	}
	readBack, no := Mergeable(c.Key)
	if no != "" {
		return Evaluation{Reason: fmt.Sprintf("%s (%s writes/s)", no, Number(k.Writes))}
	}
	if c.single() {
		return Evaluation{Reason: fmt.Sprintf("there is one shard: all slots of its %s writes/s would stay there", Number(k.Writes))}
	}
	n, assumed := c.slots()
	if n > maxPieces {
		return Evaluation{Reason: fmt.Sprintf("its %s writes/s need %s slots, more than %d: it needs another design", Number(k.Writes), Number(float64(n)), maxPieces)}
	}
	n = c.capPieces(n)
	t := c.size(n, func(n int) whatif.Remedy { return whatif.Remedy{Slots: n} })
	cached := false
	if k.Reads > c.bound() {
		with := c.size(n, func(n int) whatif.Remedy {
			return whatif.Remedy{Slots: n, Cached: true, ReadBound: c.bound()}
		})
		// Every read of all slots is one request to each: where that makes more work than there was, what is
		// read must be cached as well.
		more := k.Writes+(k.Reads+k.Other)*float64(t.n) > mostWork*k.Load()
		if with.passes && !t.passes || with.passes == t.passes && (more || c.touched(with.after) < 0.95*c.touched(t.after)) {
			t, cached = with, true
		}
	}
	reads := k.Reads
	if cached {
		reads = c.bound()
	}
	piece, _ := whatif.Key{Reads: reads, Writes: k.Writes, Other: k.Other}.Piece(whatif.Remedy{Slots: t.n})
	e := Evaluation{
		Feasible: true,
		Passes:   t.passes,
		Title:    fmt.Sprintf("Split its writes over %d slots", t.n),
		Params:   Params{Slots: t.n, SlotNames: t.names},
		After:    t.after,
		Residual: piece * float64(t.n),
		Costs: []string{
			fmt.Sprintf("reading the whole value reads all %d slots (%s of such reads meet a slot slower than its p99)", t.n, Percent(whatif.SlowFanOut(0.01, t.n))),
		},
		NotIf:   []string{"a writer uses the reply of its write, as a sequence number or for a limit"},
		Assumed: append(assumed, c.placing("slots")...),
	}
	if c.byPart() {
		e.Title = fmt.Sprintf("Split it into %d slots, chosen by member, field or offset", t.n)
		e.Assumed = append(e.Assumed, "its members are written about equally often: one hot member would stay in one slot")
	}
	for _, how := range readBack {
		e.Costs = append(e.Costs, fmt.Sprintf("read back, N = %d: %s", t.n, how))
	}
	if cached {
		e.Title += fmt.Sprintf(", what is read cached for %s", Seconds(c.TTL))
		e.Params.TTL = c.TTL
		e.Costs = append(e.Costs, fmt.Sprintf("readers see data up to %s old", Seconds(c.TTL)))
		e.Assumed = append(e.Assumed, c.serversAssumed()...)
	}
	e.NotIf = append(e.NotIf, c.tagBroken("slots")...)
	if !e.Passes {
		e.Reason = fmt.Sprintf("%d slots take %s req/s each (%s writes, %s reads of all slots): %s",
			t.n, Number(piece), Number(k.Writes/float64(t.n)), Number(reads+k.Other), c.still(t.after))
	}
	return e
}

// slots is the number of slots to begin with.
func (c Case) slots() (n int, assumed []string) {
	switch {
	case c.known():
		return SplitSlots(c.Load.Writes, c.Cluster.Capacity, c.Target), nil
	case c.Limit > 0:
		return min(ceilInt(c.Load.Writes/c.Limit), defaultPieces), []string{fmt.Sprintf(
			"as many slots as bring the key below the hot threshold of %s req/s on each shard, at most %d, or one per shard (the capacity is unknown: set --capacity)", Number(c.Limit), defaultPieces)}
	default:
		return defaultPieces, []string{fmt.Sprintf("%d slots (the capacity is unknown: set --capacity)", defaultPieces)}
	}
}

// tagBroken warns of what leaves the key's hash tag.
func (c Case) tagBroken(pieces string) []string {
	var out []string
	if c.Store.HashTags && tagEnd(c.Key.Key) >= 0 {
		out = append(out, fmt.Sprintf("commands or scripts use it together with other keys of its hash tag: the %s leave the tag's slot (CROSSSLOT)", pieces))
	}
	return out
}
