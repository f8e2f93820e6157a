package shodh

import (
	"context"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo"
	consolidation "github.com/hippo-memory/hippo/internal/engine/consolidate"
)

// operation is one row of the table of operations.
type operation struct {
	// id is the operationId of the document; empty for an operation that the document does not have.
	id string
	// pattern is that of [http.ServeMux].
	pattern string
	rights  hippo.Rights
	// params are the members of the JSON object in the body, or of the query of a GET.
	params []param
	// strict: a member that is unknown is an error, because leaving it out would do something else
	// than the caller asked for, and that is a change.
	strict bool
	// long: it reads the whole store, and has [longest].
	long bool
	run  func(ctx context.Context, c *call) (reply, error)
}

// longest is the time that a plan over 100,000 memories may take on a busy machine, see package restapi.
const longest = 10 * time.Minute

// Limits and defaults of the document.
const (
	maxLimit      = 100
	defaultRecall = 5
	defaultList   = 20
	maxContext    = 20
	maxOffset     = 1 << 53 // the document has none; the largest integer that JSON can be trusted with
)

// changes are the rights to change what is there, which needs reading it.
const changes = hippo.RightRead | hippo.RightWrite

// operations returns the table of the operations, in the order of the document.
func operations() []operation {
	return []operation{
		{id: "remember", pattern: "POST /api/remember", rights: changes, params: newMemoryParams(), run: remember},
		{id: "recall", pattern: "POST /api/recall", rights: hippo.RightRead, run: recall, params: []param{
			{name: "query", of: "Text", kind: text, required: true},
			limitParam(maxLimit),
			{name: "mode", kind: label, choices: modes()},
			{name: "memory_types", kind: labels, choices: memoryTypes()},
			{name: "quality_boost", kind: flag},
			{name: "quality_weight", kind: number, max: 1},
		}},
		{id: "recallByTags", pattern: "POST /api/recall/by-tags", rights: hippo.RightRead, run: recallByTags, params: append(tagParams(), limitParam(maxLimit))},
		{id: "proactiveContext", pattern: "POST /api/context", rights: hippo.RightRead, run: proactiveContext, params: []param{
			{name: "context", of: "Text", aliases: []string{"query"}, kind: text, required: true},
			{name: "max_results", of: "Count", aliases: []string{"limit", "n", "n_results"}, kind: whole, min: 1, max: maxContext},
			{name: "auto_ingest", kind: flag},
		}},
		{id: "forget", pattern: "DELETE /api/forget/{id}", rights: changes, run: forget},
		{id: "forgetByTags", pattern: "POST /api/forget/by-tags", rights: changes, strict: true, run: forgetByTags, params: append(
			tagParams(), param{name: "dry_run", kind: flag})},
		{id: "listMemories", pattern: "GET /api/memories", rights: hippo.RightRead, run: listMemories, params: []param{
			limitParam(maxLimit),
			{name: "offset", of: "Offset", kind: whole, max: maxOffset},
			typeParam(),
		}},
		{id: "getMemory", pattern: "GET /api/memories/{id}", rights: hippo.RightRead, run: getMemory},
		{id: "updateMemory", pattern: "PATCH /api/memories/{id}", rights: changes, strict: true, run: updateMemory, params: append(changeParams(), param{name: "clear", kind: texts})},
		{id: "consolidate", pattern: "POST /api/consolidate", rights: changes, long: true, run: consolidate, params: []param{
			{name: "time_horizon", kind: label, choices: consolidation.HorizonNames(), required: true},
		}},
		{id: "getStats", pattern: "GET /api/stats", rights: hippo.RightRead, run: getStats},
		{id: "healthCheck", pattern: "GET /api/health", run: healthCheck},
		{id: "listTags", pattern: "GET /api/tags", rights: hippo.RightRead, run: listTags},
		{pattern: "GET /api/clusters", rights: hippo.RightRead, long: true, run: listClusters},
	}
}

// limitParam is the number of results, with the names that it has elsewhere.
func limitParam(most float64) param {
	return param{name: "limit", of: "Count", aliases: []string{"max_results", "n", "n_results"}, kind: whole, min: 1, max: most}
}

// typeParam is the type of a memory. The document says type in some operations and memory_type in others;
// each accepts both.
func typeParam() param {
	return param{name: "type", aliases: []string{"memory_type", "experience_type"}, kind: label, choices: memoryTypes()}
}

// tagParams select memories by tags, of which any is enough unless the caller asks for all.
func tagParams() []param {
	return []param{
		{name: "tags", of: "Tags", kind: texts, min: 1, required: true},
		{name: "match_all", kind: flag},
		{name: "match", kind: label, choices: []string{"any", "all"}},
		typeParam(),
	}
}

// created answers with 201.
func created(body any) reply { return reply{http.StatusCreated, body} }
