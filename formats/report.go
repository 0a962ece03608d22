// Package formats writes the answer down. A diagnosis and a plan enter (Build), one Report leaves; every
// output is made from the Report alone, so a saved JSON report can be shown again in every form.
package formats

// Schema is the version of the JSON report. It grows by adding; a field that changes its meaning gets
// a new number.
const Schema = "keyskew.report/1"

// Report is the one document behind every output. A saved report holds all that the text shows.
// Rates are requests per second without polls, shares run from 0 to 1, times are RFC 3339 in UTC.
// A field that is not known, or not in this input, is null.
type Report struct {
	Schema  string `json:"schema"`
	Tool    string `json:"tool"`
	Command string `json:"command"` // a line that reproduces this report
	// Stopped is set when reading was stopped early; the report covers what was read.
	Stopped bool `json:"stopped"`
	// Filtered is set when the report covers only the requests that --match or --where chose: shares are
	// of those, and what the servers carried is not known.
	Filtered bool `json:"filtered"`
	// SampleEvery is set when the input was a sample, 1 request in so many: counts and rates are those of the
	// traffic, numbers of keys and of clients those of the sample.
	SampleEvery     *int             `json:"sample_every"`
	Inputs          []Input          `json:"inputs"`
	Totals          Totals           `json:"totals"`
	Capacity        Capacity         `json:"capacity"`
	Threshold       Threshold        `json:"threshold"`
	Verdict         Verdict          `json:"verdict"`
	Keys            []Key            `json:"keys"`
	Groups          []Group          `json:"groups" jsonschema:"nullable"`
	Partitions      *Partitions      `json:"partitions"`
	Peak            *Peak            `json:"peak"`
	Plateau         *Plateau         `json:"plateau"`
	Skew            *Skew            `json:"skew"`
	Order           []Order          `json:"order" jsonschema:"nullable"`
	Spikes          []Spike          `json:"spikes" jsonschema:"nullable"`
	Windows         *Windows         `json:"windows"`
	Recommendations []Recommendation `json:"recommendations"`
	Findings        []Finding        `json:"findings"`
	Warnings        []Warning        `json:"warnings"`
}

// Estimate is a number that may not be exact; exact ones have three equal values.
type Estimate struct {
	Value float64 `json:"value"`
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// Bytes is a byte string: as text where it is UTF-8, else in base64.
type Bytes struct {
	Text  *string `json:"text,omitempty"`
	Bytes *string `json:"bytes,omitempty"`
}

// Input is one file or pipe.
type Input struct {
	Name       string            `json:"name"`
	Format     string            `json:"format"`
	Framing    string            `json:"framing"` // what stood around the records: "redis-cli", "csv"
	Confidence float64           `json:"confidence"`
	Mapping    map[string]string `json:"mapping" jsonschema:"nullable"`
	// Bytes read from the input; UnpackedBytes after unpacking.
	Bytes         int64  `json:"bytes"`
	Packing       string `json:"packing"`
	UnpackedBytes int64  `json:"unpacked_bytes"`
	// Lines = Requests + Skipped.Total: every line is one or the other.
	Lines      int64   `json:"lines"`
	Requests   int64   `json:"requests"`
	Skipped    Skipped `json:"skipped"`
	FirstTime  *string `json:"first_time"`
	LastTime   *string `json:"last_time"`
	OutOfOrder int64   `json:"out_of_order"`
	Truncated  bool    `json:"truncated"`
	// Error says where and why reading broke off; null when it did not.
	Error *string `json:"error"`
	Notes []Note  `json:"notes"`
}

// Skipped says which lines are no requests, and why.
type Skipped struct {
	Total    int64            `json:"total"`
	Bad      int64            `json:"bad"` // without lines that hold no request by nature
	ByReason map[string]int64 `json:"by_reason"`
	// At holds the first line numbers per reason, from 1.
	At map[string][]int64 `json:"at"`
}

// Note is a counted remark about an input.
type Note struct {
	Text  string `json:"text"`
	Count int64  `json:"count"`
}

// Totals sums up all inputs.
type Totals struct {
	Requests        uint64    `json:"requests"` // key touches
	Commands        uint64    `json:"commands"`
	Reads           uint64    `json:"reads"`
	Writes          uint64    `json:"writes"`
	Polls           uint64    `json:"polls"`
	Other           uint64    `json:"other"`
	Keyless         uint64    `json:"keyless"`
	Bytes           uint64    `json:"bytes"`
	DistinctKeys    Estimate  `json:"distinct_keys"`
	HotKeys         int       `json:"hot_keys"`
	DistinctClients *Estimate `json:"distinct_clients"`
	Seconds         *float64  `json:"seconds"`
	MeanRate        *float64  `json:"mean_rate"`
	PeakRate        *float64  `json:"peak_rate"`
	PeakAt          *string   `json:"peak_at"`
	// CommandPeakRate is the peak of server commands per second, of those with a key and without polls.
	CommandPeakRate *float64 `json:"command_peak_rate"`
	Counting        string   `json:"counting"` // "exact" or "bounded"
	// Guarantee: every key with more requests than this is in the table; 0 when counting is exact.
	Guarantee uint64            `json:"guarantee"`
	ByCommand map[string]uint64 `json:"by_command"`
}

// Capacity of one partition in commands per second.
type Capacity struct {
	Value  *float64 `json:"value"`
	Kind   string   `json:"kind"`
	Source *string  `json:"source"`
}

// Threshold from which a key is hot.
type Threshold struct {
	Rate  *float64 `json:"rate"`
	Share float64  `json:"share"`
}

// Verdict is the answer in words.
type Verdict struct {
	Severity string  `json:"severity"`
	Text     string  `json:"text"`
	Do       *string `json:"do"`
	Not      *string `json:"not"`
}

// Key is one key of the list.
type Key struct {
	Key   Bytes   `json:"key"`
	Hot   bool    `json:"hot"`
	HotIn *string `json:"hot_in"` // "all" of the input or "peak": some windows
	// HotWindows of Windows passed the threshold; Windows counts those that can tell.
	HotWindows     int               `json:"hot_windows"`
	Windows        int               `json:"windows"`
	Count          Estimate          `json:"count"`
	Share          float64           `json:"share"`
	Reads          uint64            `json:"reads"`
	Writes         uint64            `json:"writes"`
	Polls          uint64            `json:"polls"`
	Other          uint64            `json:"other"`
	Commands       map[string]uint64 `json:"commands"`
	Bytes          uint64            `json:"bytes"`
	MeanRate       *float64          `json:"mean_rate"`
	PeakRate       *Estimate         `json:"peak_rate"`
	PeakWriteRate  *float64          `json:"peak_write_rate"` // writes in the busiest second
	PeakAt         *string           `json:"peak_at"`
	FirstTime      *string           `json:"first_time"`
	LastTime       *string           `json:"last_time"`
	Partition      *string           `json:"partition"`
	Slot           *int              `json:"slot"`
	PartitionShare *float64          `json:"partition_share"`
	HashTag        *Bytes            `json:"hash_tag"`
	Class          string            `json:"class"`
	// Algebra lists the kinds of change its commands make to the value.
	Algebra []string `json:"algebra"`
	// Episodes are when a hot key was hot, in order of time: of EpisodeCount at most the 100 with the highest
	// peaks. Null for keys that are not hot, and without times.
	Episodes     []Episode `json:"episodes" jsonschema:"nullable"`
	EpisodeCount *int      `json:"episode_count"`
	HotSeconds   *float64  `json:"hot_seconds"` // all episodes together, without their gaps
	// UndecidedWindows are those in which the key may have stayed hot, below what they list.
	UndecidedWindows *int        `json:"undecided_windows"`
	Cause            *Cause      `json:"cause"`
	HitRatio         *float64    `json:"hit_ratio"`
	TTLSeconds       *float64    `json:"ttl_seconds"`
	Errors           *uint64     `json:"errors"`
	Retries          *uint64     `json:"retries"`
	Neighbours       *Neighbours `json:"neighbours"`
	Recommendation   *string     `json:"recommendation"`
}

// Cause is why a key is hot.
type Cause struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Confidence string   `json:"confidence"`
	Evidence   []string `json:"evidence"`
}

// Neighbours are the other keys of a hot key's partition.
type Neighbours struct {
	Keys     Estimate `json:"keys"`
	Requests uint64   `json:"requests"`
	P99MS    *float64 `json:"p99_ms"`
}

// Group is a set of keys that belong together.
type Group struct {
	Kind     string   `json:"kind"` // "template"
	Name     string   `json:"name"` // escaped as keys are in text
	Keys     Estimate `json:"keys"`
	Count    Estimate `json:"count"`
	Share    float64  `json:"share"`
	Reads    uint64   `json:"reads"`
	Writes   uint64   `json:"writes"`
	Polls    uint64   `json:"polls"`
	Other    uint64   `json:"other"`
	MeanRate *float64 `json:"mean_rate"`
}

// Partitions compares request share with key share.
type Partitions struct {
	Partitioner string       `json:"partitioner"`
	Measured    bool         `json:"measured"`
	PMR         *float64     `json:"pmr"`
	ExpectedPMR *ExpectedPMR `json:"expected_pmr"`
	Gini        *float64     `json:"gini"`
	CoV         *float64     `json:"cov"`
	JSDBits     *float64     `json:"jsd_bits"`
	ExplainedBy *string      `json:"explained_by"`
	Lorenz      []Point      `json:"lorenz" jsonschema:"nullable"`
	SlotsSeen   *int         `json:"slots_seen"`
	SlotRanges  *string      `json:"slot_ranges"`
	Captured    int          `json:"captured"`
	List        []Partition  `json:"list"`
}

// ExpectedPMR is what these keys would give on a perfect hash.
type ExpectedPMR struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// Point is a point of a curve.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Partition is one shard.
type Partition struct {
	ID           string    `json:"id"`
	Captured     bool      `json:"captured"`
	Requests     *uint64   `json:"requests"`
	Reads        *uint64   `json:"reads"`
	Writes       *uint64   `json:"writes"`
	RequestShare *float64  `json:"request_share"`
	Keys         *Estimate `json:"keys"`
	KeyShare     *float64  `json:"key_share"`
	FairShare    float64   `json:"fair_share"`
	PeakRate     *float64  `json:"peak_rate"`
	Utilisation  *float64  `json:"utilisation"`
	Top          []Bytes   `json:"top"`
}

// Peak is the window with the highest load on any partition: what remedies are tried on.
type Peak struct {
	At         string     `json:"at"`
	Seconds    float64    `json:"seconds"`
	Partitions []PeakLoad `json:"partitions"`
	Keys       []PeakKey  `json:"keys"`
}

// PeakLoad is one partition in the peak window, in requests per second; without a layout there is one,
// with the ID "all".
type PeakLoad struct {
	ID      string  `json:"id"`
	Load    float64 `json:"load"`
	HotLoad float64 `json:"hot_load"` // the part of Load that hot keys make
}

// PeakKey is a key in the peak window, in requests per second.
type PeakKey struct {
	Key       Bytes   `json:"key"`
	Reads     float64 `json:"reads"`
	Writes    float64 `json:"writes"`
	Other     float64 `json:"other"`
	Partition string  `json:"partition"`
}

// Plateau is a long stretch at the highest rate: the input ran at its limit for Windows of Of windows.
type Plateau struct {
	Rate    float64 `json:"rate"`
	Windows int     `json:"windows"`
	Of      int     `json:"of"`
}

// Recommendation is one remedy, sized.
type Recommendation struct {
	ID       string   `json:"id"`
	Fix      string   `json:"fix"`
	Title    string   `json:"title"`
	Target   Target   `json:"target"`
	Params   Params   `json:"params"`
	Before   Outcome  `json:"before"`
	After    Outcome  `json:"after"`
	Residual *float64 `json:"residual_rate"`
	// Headroom is how many times the key's load may grow before its partition is full.
	Headroom    *float64    `json:"headroom"`
	Confidence  string      `json:"confidence"`
	Costs       []string    `json:"costs"`
	NotIf       []string    `json:"not_if"`
	Assumptions []string    `json:"assumptions"`
	Rejected    []Rejection `json:"rejected"`
}

// Target of a recommendation.
type Target struct {
	Key       *Bytes  `json:"key"`
	Partition *string `json:"partition"`
}

// Params sizes a remedy.
type Params struct {
	Slots      *int     `json:"slots"`
	SlotNames  []Bytes  `json:"slot_names" jsonschema:"nullable"`
	Copies     *int     `json:"copies"`
	CopyNames  []Bytes  `json:"copy_names" jsonschema:"nullable"`
	TTLSeconds *float64 `json:"ttl_seconds"`
	MoveSlots  []int    `json:"move_slots" jsonschema:"nullable"`
}

// Outcome is one state of the cluster according to the load model.
type Outcome struct {
	MaxLoad        float64         `json:"max_load"`
	MaxUtilisation *float64        `json:"max_utilisation"`
	PMR            *float64        `json:"pmr"`
	Ceiling        *float64        `json:"ceiling"`
	P99WorstMS     *float64        `json:"p99_worst_ms"`
	P99ClusterMS   *float64        `json:"p99_cluster_ms"`
	Saturated      bool            `json:"saturated"`
	FailingShare   *Range          `json:"failing_share"`
	OpsPerRequest  float64         `json:"ops_per_request"`
	Partitions     []PartitionLoad `json:"partitions"`
}

// Range is a lower and an upper value.
type Range struct {
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// PartitionLoad is one partition of an outcome.
type PartitionLoad struct {
	ID          string   `json:"id"`
	Load        float64  `json:"load"`
	Utilisation *float64 `json:"utilisation"`
}

// Rejection is a remedy that was not chosen.
type Rejection struct {
	Fix    string `json:"fix"`
	Reason string `json:"reason"`
}

// Finding is a numbered result.
type Finding struct {
	ID       string  `json:"id"`
	Severity string  `json:"severity"`
	Title    string  `json:"title"`
	Target   *string `json:"target"`
}

// Warning qualifies a number and names the cure.
type Warning struct {
	About  string  `json:"about"`
	Text   string  `json:"text"`
	Remedy *string `json:"remedy"`
}
