package engine

import (
	"maps"
	"slices"
)

// Travelled returns an error as another process sees it.
func Travelled(err error) error { return NewFailure(err).Err() }

// SpecNames returns the names of the verbs that something is known of.
func SpecNames() []string { return slices.Sorted(maps.Keys(specs())) }

// PublicName is the name by which an [Observer] hears of a verb.
func PublicName(verb string) string { return specs()[verb].public }
