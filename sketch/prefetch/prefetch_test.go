package prefetch

import "testing"

// Any address will do, also one that nothing is at.
func TestLines(t *testing.T) {
	x := [3]uint64{1, 2, 3}
	Lines([]uintptr{At(&x[0]), At(&x[2]), 0, 1, ^uintptr(0)})
	Lines(nil)
	if x != [3]uint64{1, 2, 3} {
		t.Errorf("the memory changed: %v", x)
	}
}
