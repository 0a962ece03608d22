package analyze

import (
	"fmt"
	"time"

	"keyskew/analyze/partition"
)

// Config says how requests are counted. Two summaries merge only if their configurations agree in all
// but the layout.
type Config struct {
	// Window is the width of a second, the finest window: 1 s unless asked for otherwise.
	Window time.Duration
	// KeyBudget is how many keys are counted exactly; above it counts are bounded.
	KeyBudget int
	// KeyMemory is how many bytes the table of keys may take, also with fewer keys; 0: no such bound.
	KeyMemory int
	// Template counts the templates of the keys too.
	Template bool
	// Sampled says that the input is a sample: where it has weights, their squares are summed up too, which
	// the bounds of the sampling need.
	Sampled bool
	// Layout places keys on partitions while the input is read; nil for none.
	Layout *partition.Layout
	// Inputs names the inputs, by the number that sinks are made for.
	Inputs []string
}

// Limits of the configuration.
const (
	// MinKeyBudget is the fewest keys that a table holds.
	MinKeyBudget = 16_384
	// DefaultMemory is the default of the memory limit, in bytes.
	DefaultMemory = 256 << 20
	// minMemory is the smallest limit: what the fixed parts and MinKeyBudget keys need.
	minMemory = 64 << 20
	// keyBytes is what one key of 40 bytes takes in the table, its payload and index included.
	keyBytes = 176
	// fixedBytes is set aside for everything but the table of keys: blocks being read, open seconds,
	// windows, sketches, and the garbage collector's slack.
	fixedBytes = 128 << 20
)

// KeyBudget returns how many keys of 40 bytes fit a memory limit in bytes, and how many bytes are set aside
// for them.
func KeyBudget(memory int64) (keys, bytes int, err error) {
	if memory < minMemory {
		return 0, 0, fmt.Errorf("%d MiB is not enough: at least %d MiB are needed", memory>>20, int64(minMemory)>>20)
	}
	bytes = int(max(MinKeyBudget*keyBytes, memory-fixedBytes))
	return bytes / keyBytes, bytes, nil
}

func (c Config) base() int64 { return int64(c.Window) }

func (c Config) validate() error {
	if c.Window < 100*time.Millisecond || c.Window > 30*24*time.Hour {
		return fmt.Errorf("a window of %v: between 100ms and 720h is possible", c.Window)
	}
	if c.KeyBudget < MinKeyBudget {
		return fmt.Errorf("a key budget of %d: at least %d keys are kept", c.KeyBudget, MinKeyBudget)
	}
	return nil
}
