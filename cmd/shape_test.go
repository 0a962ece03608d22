package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"keyskew/golden"
)

// Loops and scans over numbered blocks, of published traces that only read, are neither skewed nor in an order
// that tells of new keys.
func TestLoopsAndScans(t *testing.T) {
	for _, name := range []string{"gli", "loop", "multi2", "scan", "sprite"} {
		path := golden.Corpus(t, "trace", "caffeine_lirs_"+name+".trace.gz")
		r := analyzed(t, nil, path)
		if len(r.Order) == 0 || r.Skew == nil {
			t.Fatalf("%s: %v, %v", name, r.Order, r.Skew)
		}
		for _, o := range r.Order {
			if o.Verdict != "no" {
				t.Errorf("%s: %s is %s", name, o.Family, o.Verdict)
			}
		}
		for _, f := range r.Findings {
			if strings.HasPrefix(f.ID, "KS3") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if name == "loop" && r.Skew.Verdict != "no-skew" {
			t.Errorf("a loop: %s", r.Skew.Verdict)
		}
		if text := mustRun(t, nil, path); strings.Contains(text, "TIME-ORDERED") {
			t.Errorf("%s: the text speaks of an order", name)
		}
	}
}

// In the bundled capture of a real server the viral post and what was planted beside it are as recorded: the
// post stands out, and its sessions, users and products come in no order.
func TestIncidentShape(t *testing.T) {
	r := analyzed(t, nil, filepath.Join(golden.Root(), "testdata", "redis-incident.monitor.log.gz"))
	if len(r.Skew.Removed) == 0 || r.Skew.Removed[0].String() != "post:48" || r.Skew.RemovedRatios[0] < 2 {
		t.Errorf("%+v", r.Skew)
	}
	for _, o := range r.Order {
		if o.Verdict != "no" {
			t.Errorf("%+v", o)
		}
	}
}
