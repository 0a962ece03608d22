package formats

// Episode is a stretch in which a key was hot: from the first window that made it hot to the last in which it
// had half of the threshold or more.
type Episode struct {
	Start string `json:"start"`
	// StartWithinSeconds is the width of the first window, in which the key became hot.
	StartWithinSeconds float64 `json:"start_within_seconds"`
	// RampStart is where the windows with half of the threshold or more begin that lead up to Start.
	RampStart string  `json:"ramp_start"`
	PeakAt    string  `json:"peak_at"`
	End       string  `json:"end"`
	PeakRate  float64 `json:"peak_rate"`
	// Dips counts how often the key fell below half of the threshold and came back before three windows had
	// passed; GapSeconds is the time in between without a request of any key.
	Dips       int     `json:"dips"`
	GapSeconds float64 `json:"gap_seconds"`
	// FromStart: no window before the ramp can tell, so it may have begun earlier. ToEnd: none after it can, so
	// it may have lasted longer. Ended: three windows below half of the threshold follow.
	FromStart bool `json:"from_start"`
	ToEnd     bool `json:"to_end"`
	Ended     bool `json:"ended"`
}

// Spike is a stretch in which the total rate stood clearly above that of before.
type Spike struct {
	Start    string  `json:"start"`
	PeakAt   string  `json:"peak_at"`
	End      string  `json:"end"`
	Baseline float64 `json:"baseline"` // requests per second before
	Peak     float64 `json:"peak"`
	// Extra is the requests beyond the baseline, all together.
	Extra float64 `json:"extra_requests"`
	// Ended: the rate came back; else it is a new level.
	Ended bool `json:"ended"`
	// ExplainedBy are the keys that make the extra requests, the largest part first, until they make 80%; only
	// what is certain counts.
	ExplainedBy []Explanation `json:"explained_by"`
	// Explained is their part of the extra requests, Reads and Writes are the parts of those.
	Explained float64 `json:"explained"`
	Reads     float64 `json:"reads"`
	Writes    float64 `json:"writes"`
}

// Explanation is a key's part of the extra requests of a spike.
type Explanation struct {
	Key    Bytes   `json:"key"`
	Part   float64 `json:"part"`
	Before float64 `json:"before"` // requests per second before, at most
	During float64 `json:"during"` // in the spike, at least
}

// Windows is the load over time, thinned. Point i of every series belongs to Start[i]. A point stands
// for up to WindowsPerPoint windows and holds the highest rate of them, so that no peak is lost.
type Windows struct {
	WidthSeconds    float64  `json:"width_seconds"` // of one window
	WindowsPerPoint int      `json:"windows_per_point"`
	Start           []string `json:"start"`
	// Total, Partitions and Keys are in requests per second.
	Total      []float64            `json:"total"`
	Partitions map[string][]float64 `json:"partitions" jsonschema:"nullable"`
	// Keys holds series by escaped key; a lower bound, 0 where the key is not listed.
	Keys map[string][]float64 `json:"keys"`
}
