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

// Spike is a change of the total rate.
type Spike struct {
	Start       string   `json:"start"`
	End         string   `json:"end"`
	Baseline    float64  `json:"baseline"`
	Peak        float64  `json:"peak"`
	ExplainedBy []string `json:"explained_by"`
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
