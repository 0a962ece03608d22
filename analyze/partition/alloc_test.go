//go:build !race

package partition

import "testing"

// The race detector makes pools forget at random, and Of takes its buffer from one.
func TestOfDoesNotAllocate(t *testing.T) {
	for _, l := range sample(t) {
		for _, key := range keysOfAllKinds {
			l.Of(key) // the buffer of the encoding grows once
		}
		for _, key := range keysOfAllKinds {
			if n := testing.AllocsPerRun(50, func() { l.Of(key) }); n != 0 {
				t.Errorf("%s: %v allocations for %.20q", l.Title, n, key)
			}
		}
	}
}
