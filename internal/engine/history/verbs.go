// Package history holds the verbs of former states: what a memory superseded, what held at a time, and the feed of changes.
package history

import "github.com/hippo-memory/hippo/internal/engine"

// Verbs are the verbs of this package by name.
func Verbs() map[string]engine.Verb {
	return map[string]engine.Verb{
		"created":      engine.VerbOf(created),
		"predecessors": engine.VerbOf(predecessors),
		"feed_head":    engine.VerbOf(feedHead),
		"feed_after":   engine.VerbOf(feedAfter),
	}
}
