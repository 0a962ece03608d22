package store_test

import (
	"testing"

	"keyskew/advise/store"
	"keyskew/analyze"
)

func TestProfiles(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range store.Profiles() {
		if p.ID == "" || p.Title == "" || p.Source == "" || p.Unit == "" || p.NeverSplits == "" {
			t.Errorf("profile %q lacks documentation: %+v", p.ID, p)
		}
		if p.Kind != analyze.Hard && p.Kind != analyze.Assumed {
			t.Errorf("%s: a profile's figure cannot be %q", p.ID, p.Kind)
		}
		if !(p.PlanningOps > 0) {
			t.Errorf("%s: planning figure %v", p.ID, p.PlanningOps)
		}
		for _, name := range append([]string{p.ID}, p.Aliases...) {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
			if got, ok := store.Find(name); !ok || got.ID != p.ID {
				t.Errorf("Find(%s) = %v, %v", name, got.ID, ok)
			}
		}
	}
	if p, ok := store.Find("valkey"); !ok || p.ID != "redis" {
		t.Errorf("valkey is %q, %v", p.ID, ok)
	}
	if _, ok := store.Find("no-such-store"); ok {
		t.Error("found a store that does not exist")
	}
}
