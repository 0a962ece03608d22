package cmd

import "runtime/debug"

const (
	// gcPercent is how much garbage, in percent of what is live, may gather before a collection. Nearly
	// all memory is free of pointers, so that collecting often costs little.
	gcPercent = 50
	// smallKeys keys fit smallMemory: until there are more of them, the process stays small.
	smallKeys   = 65_536
	smallMemory = 54 << 20
)

// memoryLimit tells the runtime how large the process may grow.
type memoryLimit struct {
	large int64
	grown bool
}

// newMemoryLimit sets the limit that suits few keys. An eighth of --memory stays outside it, for what the
// garbage collector does not see.
func newMemoryLimit(memory int64) *memoryLimit {
	m := &memoryLimit{large: memory - memory/8}
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(min(m.large, smallMemory))
	return m
}

// follow allows more once there are more keys.
func (m *memoryLimit) follow(keys int) {
	if !m.grown && keys > smallKeys {
		m.grown = true
		debug.SetMemoryLimit(m.large)
	}
}
