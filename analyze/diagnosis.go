package analyze

import (
	"keyskew/analyze/episode"
	"keyskew/analyze/order"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// Diagnosis is the answer computed from a Summary after the last merge: what is hot, where and when,
// and how sure that is. Everything in it is plain data; it holds no sketch and needs no input.
// Rates are requests per second without polls, times are nanoseconds since 1970 UTC.
type Diagnosis struct {
	Totals   Totals
	Capacity Capacity
	// Threshold is what made a key hot.
	Threshold Threshold
	// Keys holds the hot keys and the largest others, hottest first; keys that are only polled follow.
	Keys []Key
	// HotKeys is how many of Keys are hot.
	HotKeys int
	// Groups are the largest groups of keys; nil when none were counted.
	Groups []Group
	// Partitions is nil when no layout was given.
	Partitions *Partitions
	// Peak is the window in which some partition (or the whole input) carried its highest load: what
	// remedies are tried on. Nil when the input has no time.
	Peak *PeakWindow
	// Windows is the request rate over time; nil when the input has no time.
	Windows *Windows
	// Skew is nil when there was no request.
	Skew *Skew
	// Order judges families of keys, the strongest verdict first, and all keys together last; nil when no
	// key was seen.
	Order []order.Family
	// Spikes are where the total load jumped, in order of time: at most 20, those with the most extra load. Nil
	// when the input has no time.
	Spikes []Spike
	// Plateau says that the rate stood at its highest level for long: the input ran at its limit.
	Plateau *Plateau
	// Filtered says that only chosen requests were counted: what a partition carried is not known.
	Filtered bool
	// SampleEvery is set when the input was a sample, 1 request in so many: counts and rates are then those
	// of the traffic, numbers of keys and clients those of the sample.
	SampleEvery int
	// Severity, of the whole.
	Severity Severity
	Findings []Finding
	Warnings []Warning
}

// Severity orders findings. Only a given or hard capacity can make a verdict critical or ok.
type Severity string

// The severities, worst first; Insufficient says that there was too little to decide.
const (
	Critical     Severity = "critical"
	Warn         Severity = "warning"
	Info         Severity = "info"
	OK           Severity = "ok"
	Insufficient Severity = "insufficient"
)

// Totals sums up the input.
type Totals struct {
	// Requests counts key touches (a 3-key MGET is three); Commands counts server commands, also those
	// without a key.
	Requests, Commands          uint64
	Reads, Writes, Polls, Other uint64
	// Keyless counts commands that touch no key.
	Keyless  uint64
	Bytes    uint64
	Distinct sketch.Estimate
	// Clients is the number of distinct client hosts; zero when the input names none.
	Clients sketch.Estimate
	// First and Last are the earliest and latest times; Seconds is the time covered, at least 0.1.
	Timed       bool
	First, Last int64
	Seconds     float64
	MeanRate    float64
	PeakRate    float64
	PeakAt      int64
	// CommandRatePeak is the peak of server commands per second, of those with a key and without polls.
	CommandRatePeak float64
	// Exact is set when every key was counted exactly; else every key with more than Guarantee
	// requests is in the table.
	Exact     bool
	Guarantee uint64
	// ByCommand counts touches per command name, most frequent first.
	ByCommand []CommandCount
}

// CommandCount is a command's share of something, in touches.
type CommandCount struct {
	Name  string
	Count uint64
}

// Capacity is what one partition can serve, in commands per second, and how that is known.
type Capacity struct {
	Value  float64 // 0 when unknown
	Kind   CapacityKind
	Source string
}

// CapacityKind says how a capacity is known.
type CapacityKind string

// The kinds: given by the user, a limit that the store enforces, a planning figure of a store profile,
// not known.
const (
	Given   CapacityKind = "given"
	Hard    CapacityKind = "hard"
	Assumed CapacityKind = "assumed"
	Unknown CapacityKind = "unknown"
)

// Firm reports whether the capacity may decide a verdict.
func (c Capacity) Firm() bool { return c.Kind == Given || c.Kind == Hard }

// Threshold is the level from which a key is hot.
type Threshold struct {
	// Rate in requests per second, 20% of a firm capacity; 0 when the share decides.
	Rate float64
	// Share of all requests: the larger of 1% and 0.2/M for M partitions.
	Share float64
}

// Class says what a key's requests mostly are.
type Class string

// The classes. Thresholds: 80% reads, 80% writes, 50% polls.
const (
	ReadClass  Class = "read"
	WriteClass Class = "write"
	MixedClass Class = "mixed"
	PollClass  Class = "poll"
)

// Key is what is known of one key.
type Key struct {
	Key []byte
	Hot bool
	// HotIn says where the threshold was passed: "all" (over the whole input) or "peak" (in windows).
	HotIn string
	// HotWindows counts the windows in which the key passed the threshold, of those that can tell.
	HotWindows, Windows int
	// Episodes are the stretches in which a hot key was hot, in order of time: of EpisodeCount at most the 100
	// with the highest peaks. HotSeconds is how long all of them lasted, without their gaps. All zero without
	// times, and where no window can tell.
	Episodes     []episode.Episode
	EpisodeCount int
	HotSeconds   float64
	// Undecided counts the windows in which the key may have stayed hot below what they list.
	Undecided int
	// Count is the number of touches without polls.
	Count sketch.Estimate
	// Share of all touches without polls.
	Share                       float64
	Reads, Writes, Polls, Other uint64
	Commands                    []CommandCount
	Bytes                       uint64
	MeanRate                    float64
	// Peak is the rate in the key's busiest second, PeakWrites the writes in it.
	Peak       sketch.Estimate
	PeakWrites float64
	PeakAt     int64
	// Errors and Retries are counts of refused and repeated requests, HitRatio the part of the requests
	// that a cache in front answered; nil where the input does not say.
	Errors, Retries *uint64
	HitRatio        *float64
	// First and Last touch.
	First, Last int64
	// Partition is its partition's ID, "" without a layout; Slot is its Redis Cluster slot, -1 when
	// no slot applies.
	Partition string
	Slot      int
	// PartitionShare is its share of the requests of its partition, 0 without a layout.
	PartitionShare float64
	// HashTag is the part of the key that alone decides the slot, nil when the whole key does.
	HashTag []byte
	Class   Class
	// Algebra is the set of what its commands do to the value.
	Algebra request.Algebra
}

// Partitions compares request share with key share per partition.
type Partitions struct {
	Partitioner string // as given: "redis-cluster, 8 even slot ranges"
	// Measured is set when the load was counted per partition while reading; else it is estimated.
	Measured bool
	// PMR is the highest request share divided by its fair share, over the captured partitions;
	// 0 when fewer than two were captured.
	PMR      float64
	Busiest  int // index into List, -1 when there is none
	Captured int
	// SlotsSeen is the number of slots with requests, SlotRanges names them ("0-5460").
	SlotsSeen  int
	SlotRanges string
	List       []Partition
}

// Partition is one partition (shard).
type Partition struct {
	ID       string
	Captured bool
	Requests uint64 // touches without polls
	Reads    uint64
	Writes   uint64
	// Shares are of what the captured partitions hold together.
	RequestShare, KeyShare, FairShare float64
	Keys                              sketch.Estimate
	PeakRate                          float64 // requests per second
	// Utilisation is the peak rate of commands, one with several keys divided among them, over the
	// capacity; valid when HasUtilisation.
	Utilisation    float64
	HasUtilisation bool
	// Top lists its largest keys, as indexes into Diagnosis.Keys.
	Top []int
}

// PeakWindow is a second (or longer window) as it was, for trying remedies on.
type PeakWindow struct {
	Start   int64
	Seconds float64
	// Loads are requests per second per partition, or commands where a capacity is known (one with several
	// keys divided among them), in the order of Partitions.List; one entry, the
	// whole input, without a layout. Keys are included.
	Loads []float64
	// Keys are the keys listed in that window, largest first.
	Keys []PeakKey
}

// PeakKey is a key's load in the peak window, per second.
type PeakKey struct {
	Key                  []byte
	Reads, Writes, Other float64
	Partition            int // index into Loads
}

// Windows is the load over time.
type Windows struct {
	// Seconds is the width; window i begins at Start[i] (only windows with requests are there).
	Seconds float64
	Start   []int64
	Total   []float64
	// Partitions holds a series per partition, in the order of Partitions.List; nil without a layout.
	Partitions [][]float64
	// Keys holds a series for each of the first keys, by index into Diagnosis.Keys: a lower bound, 0
	// where the key is not listed.
	Keys [][]float64
}

// Plateau is a long stretch at the highest rate.
type Plateau struct {
	Rate    float64
	Windows int
	Of      int
}

// Finding is a numbered result: KS1xx hot keys, KS2xx partitions, KS3xx time-ordered keys, KS4xx skew, KS5xx
// input quality.
type Finding struct {
	ID       string
	Severity Severity
	Title    string
	Target   string // the key (its bytes), the family or the partition it is about
}

// Warning qualifies a number and names the cure.
type Warning struct {
	About, Text, Remedy string
}
