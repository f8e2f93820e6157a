package engine

import (
	"sync"

	"github.com/hippo-memory/hippo"
)

// spec is what is known of a verb by its name. Names are those between processes and to servers: they stay when a function is renamed.
type spec struct {
	// public is its name for observers, who hear of what a user asked for; empty: it only serves other verbs.
	public string
	// rights that a caller from outside needs.
	rights hippo.Rights
	// whole: it may read or change the whole store, and so take minutes where there is much.
	whole bool
}

// specs are the verbs that another process can call.
//
//nolint:gochecknoglobals // it has nothing but names, and is made when it is first used
var specs = sync.OnceValue(func() map[string]spec {
	return map[string]spec{
		"search":            {"search", hippo.RightRead, false},
		"count_used":        {"", hippo.RightRead, false},
		"context":           {"context", hippo.RightRead, false},
		"list":              {"list", hippo.RightRead, false},
		"get":               {"get", hippo.RightRead, false},
		"get_at":            {"get", hippo.RightRead, false},
		"resolve":           {"", hippo.RightRead, false},
		"short_ids":         {"", hippo.RightRead, false},
		"numbers":           {"", hippo.RightRead, false},
		"compare":           {"compare", hippo.RightRead, false},
		"relations":         {"relations", hippo.RightRead, false},
		"neighbours":        {"neighbours", hippo.RightRead, false},
		"paths":             {"paths", hippo.RightRead, false},
		"communities":       {"communities", hippo.RightRead, false},
		"find_entity":       {"entity", hippo.RightRead, false},
		"show_entity":       {"entity", hippo.RightRead, false},
		"list_entities":     {"entities", hippo.RightRead, false},
		"resolve_named":     {"", hippo.RightRead, false},
		"status":            {"status", hippo.RightRead, false},
		"projects":          {"", hippo.RightRead, false},
		"locate":            {"", hippo.RightRead, false},
		"resolve_project":   {"", hippo.RightRead, false},
		"list_projects":     {"", hippo.RightRead, false},
		"flush":             {"", hippo.RightRead, false},
		"ready":             {"", hippo.RightRead, false},
		"labels":            {"", hippo.RightRead, false},
		"created":           {"", hippo.RightRead, false},
		"predecessors":      {"", hippo.RightRead, false},
		"log":               {"log", hippo.RightRead, false},
		"versions":          {"versions", hippo.RightRead, false},
		"resolve_operation": {"", hippo.RightRead, false},
		"export_after":      {"", hippo.RightRead, false},
		"relations_after":   {"", hippo.RightRead, false},
		"history_after":     {"", hippo.RightRead, false},
		"calendar":          {"", hippo.RightRead, false},
		"score_waiting":     {"", hippo.RightRead, false},
		"clusters":          {"clusters", hippo.RightRead, true},
		"audit":             {"audit", hippo.RightRead, true},
		"said_before":       {"", hippo.RightRead, false},
		"record":            {"record", hippo.RightWrite, false},
		"record_compared":   {"record", hippo.RightWrite, false},
		"modify":            {"modify", hippo.RightWrite, false},
		"modify_all":        {"modify", hippo.RightWrite, false},
		"supersede":         {"modify", hippo.RightWrite, false},
		"reinforce":         {"reinforce", hippo.RightWrite, false},
		"forget":            {"forget", hippo.RightWrite, false},
		"restore":           {"restore", hippo.RightWrite, false},
		"relate":            {"relate", hippo.RightWrite, false},
		"end_relations":     {"relate", hippo.RightWrite, false},
		"unrelate":          {"unrelate", hippo.RightWrite, false},
		"opened":            {"", hippo.RightWrite, false},
		"undo":              {"undo", hippo.RightWrite, true},
		"rescore":           {"", hippo.RightWrite, false},
		"add_entity":        {"change_entity", hippo.RightWrite, false},
		"modify_entity":     {"change_entity", hippo.RightWrite, false},
		"remove_entity":     {"change_entity", hippo.RightWrite, false},
		"merge_entities":    {"change_entity", hippo.RightWrite, false},
		"split_entity":      {"change_entity", hippo.RightWrite, false},
		"merge_projects":    {"change_project", hippo.RightWrite, false},
		"import_batch":      {"", hippo.RightWrite, false},
		"withdraw":          {"", hippo.RightWrite, false},
		"index_imported":    {"", hippo.RightWrite, false},
		"import_relations":  {"", hippo.RightWrite, false},
		"import_history":    {"", hippo.RightWrite, false},
		"consolidate":       {"consolidate", hippo.RightWrite, true},
		"purge":             {"purge", hippo.RightPurge, false},
		"feed_head":         {"", hippo.RightAdmin, false},
		"feed_after":        {"", hippo.RightAdmin, false},
	}
})

// Changes reports whether a verb changes what is stored, by its name; true for an unknown name.
func Changes(verb string) bool {
	s, ok := specs()[verb]
	return !ok || s.rights&(hippo.RightWrite|hippo.RightPurge) != 0
}

// ReadsAll reports whether a verb may read or change the whole store, by its name, and so take minutes where there is much: to
// consolidate, to audit, to list clusters, and to undo such an operation.
func ReadsAll(verb string) bool { return specs()[verb].whole }
