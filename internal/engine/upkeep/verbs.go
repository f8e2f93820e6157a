// Package upkeep holds the verbs that keep a store in order: consolidation, audit, and the surprise of what has none.
package upkeep

import "github.com/hippo-memory/hippo/internal/engine"

// Verbs are the verbs of this package by name.
func Verbs() map[string]engine.Verb {
	return map[string]engine.Verb{
		"score_waiting": engine.VerbOf(scoreWaiting),
		"clusters":      engine.VerbOf(clusters),
		"audit":         engine.VerbOf(audit),
		"rescore":       engine.VerbOf(rescore),
		"consolidate":   engine.VerbOf(consolidateAll),
	}
}
