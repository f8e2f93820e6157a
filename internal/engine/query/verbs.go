// Package query holds the verbs that answer a question: search, the context of a session, and a memory read with a question.
package query

import "github.com/hippo-memory/hippo/internal/engine"

// Verbs are the verbs of this package by name.
func Verbs() map[string]engine.Verb {
	return map[string]engine.Verb{
		"search":     engine.VerbOf(search),
		"count_used": engine.VerbOf(countUsed),
		"context":    engine.VerbOf(briefWithout),
		"get_at":     engine.VerbOf(getAt),
	}
}
