// Package store describes the stores that advice can be given for: what one partition is planned to
// carry and how that is known, what is placed as one unit, and what never splits.
//
// Nothing enters; a table of Profiles leaves. One file per store.
package store

import (
	"slices"

	"keyskew/analyze"
)

// Profile is what is known of one kind of store.
type Profile struct {
	// ID is the name on the command line; Aliases are other names for it.
	ID      string
	Aliases []string
	Title   string
	// PlanningOps is a figure for the commands per second of one partition, to plan with where no
	// better one is given; Kind says what it is worth. An assumed figure decides no verdict.
	PlanningOps float64
	Kind        analyze.CapacityKind
	// Source says where the figure is from.
	Source string
	// Unit is what is placed on a partition as one.
	Unit string
	// NeverSplits says what stays on one partition whatever the store does by itself.
	NeverSplits string
	// HashTags says that in a key {tag}rest only the tag decides the place (Redis Cluster
	// specification, "Hash tags").
	HashTags bool
}

// Profiles lists every profile, in the order of the documentation.
func Profiles() []Profile { return []Profile{Redis} }

// Find returns the profile with that ID or alias.
func Find(name string) (Profile, bool) {
	for _, p := range Profiles() {
		if p.ID == name || slices.Contains(p.Aliases, name) {
			return p, true
		}
	}
	return Profile{}, false
}
