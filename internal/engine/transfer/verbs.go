// Package transfer holds import and export: memories, relations and their history.
package transfer

import "github.com/hippo-memory/hippo/internal/engine"

// Verbs are the verbs of this package by name.
func Verbs() map[string]engine.Verb {
	return map[string]engine.Verb{
		"export_after":     engine.VerbOf(exportAfter),
		"relations_after":  engine.VerbOf(relationsAfter),
		"history_after":    engine.VerbOf(historyAfter),
		"calendar":         engine.VerbOf(calendar),
		"said_before":      engine.VerbOf(saidBefore),
		"import_batch":     engine.VerbOf(importBatch),
		"withdraw":         engine.VerbOf(withdraw),
		"index_imported":   engine.VerbOf(indexImported),
		"import_relations": engine.VerbOf(importRelations),
		"import_history":   engine.VerbOf(importHistory),
	}
}
