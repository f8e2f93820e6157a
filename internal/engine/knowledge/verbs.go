// Package knowledge holds the verbs of what memories say about the world: entities with their names and pages, relations, facts,
// and the graph of both.
package knowledge

import "github.com/hippo-memory/hippo/internal/engine"

// Verbs are the verbs of this package by name.
func Verbs() map[string]engine.Verb {
	return map[string]engine.Verb{
		"relations":      engine.VerbOf(relationsOf),
		"neighbours":     engine.VerbOf(neighbours),
		"paths":          engine.VerbOf(paths),
		"communities":    engine.VerbOf(communities),
		"find_entity":    engine.VerbOf(findEntity),
		"show_entity":    engine.VerbOf(showEntity),
		"list_entities":  engine.VerbOf(listEntities),
		"resolve_named":  engine.VerbOf(resolveNamed),
		"relate":         engine.VerbOf(declare),
		"end_relations":  engine.VerbOf(endRelations),
		"unrelate":       engine.VerbOf(remove),
		"add_entity":     engine.VerbOf(addEntity),
		"modify_entity":  engine.VerbOf(modifyEntity),
		"remove_entity":  engine.VerbOf(removeEntity),
		"merge_entities": engine.VerbOf(mergeEntities),
		"split_entity":   engine.VerbOf(splitEntity),
	}
}
