// Package memory holds the verbs of memories: record, get, list, modify, reinforce, forget, restore, purge, undo, and what they
// need, such as references, the screen for secrets and projects.
//
// A verb is an exported function of a context, the memories of a caller and its arguments, which calls [engine.Perform]. What
// ends in Here is a verb within another one, in the process that has the store open.
package memory

import "github.com/hippo-memory/hippo/internal/engine"

// Verbs are the verbs of this package by name.
func Verbs() map[string]engine.Verb {
	return map[string]engine.Verb{
		"list":              engine.VerbOf(list),
		"get":               engine.VerbOf(GetHere),
		"resolve":           engine.VerbOf(ResolveHere),
		"short_ids":         engine.VerbOf(shortIDs),
		"numbers":           engine.VerbOf(numbers),
		"compare":           engine.VerbOf(compare),
		"status":            engine.VerbOf(packedStatus),
		"projects":          engine.VerbOf(projects),
		"locate":            engine.VerbOf(locate),
		"resolve_project":   engine.VerbOf(resolveProject),
		"list_projects":     engine.VerbOf(listProjects),
		"labels":            engine.VerbOf(labels),
		"log":               engine.VerbOf(operations),
		"versions":          engine.VerbOf(formerVersions),
		"resolve_operation": engine.VerbOf(resolveOperation),
		"record":            engine.VerbOf(recordAlone),
		"record_compared":   engine.VerbOf(packedRecord),
		"modify":            engine.VerbOf(modify),
		"modify_all":        engine.VerbOf(modifyAll),
		"supersede":         engine.VerbOf(supersede),
		"reinforce":         engine.VerbOf(reinforce),
		"forget":            engine.VerbOf(ForgetHere),
		"restore":           engine.VerbOf(restore),
		"opened":            engine.VerbOf(opened),
		"undo":              engine.VerbOf(undo),
		"merge_projects":    engine.VerbOf(mergeProjects),
		"purge":             engine.VerbOf(purge),
	}
}
