package shodh

import (
	"context"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/verb"
)

// operation is one row of the table of operations.
type operation struct {
	// id is the operationId of the document; empty for an operation that the document does not have.
	id string
	// pattern is that of [http.ServeMux].
	pattern string
	rights  hippo.Rights
	// params are the members of the JSON object in the body, or of the query of a GET.
	params verb.Table
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
)

// changes are the rights to change what is there, which needs reading it.
const changes = hippo.RightRead | hippo.RightWrite

// operations returns the table of the operations, in the order of the document.
func operations() []operation {
	return []operation{
		{id: "remember", pattern: "POST /api/remember", rights: changes, params: newMemoryParams(), run: remember},
		{id: "recall", pattern: "POST /api/recall", rights: hippo.RightRead, run: recall, params: verb.Table{
			{Name: "query", Field: "Text", Is: verb.Required, To: verb.New[string]},
			limitParam(maxLimit),
			{Name: "mode", Values: modes(), To: verb.New[string]},
			{Name: "memory_types", Values: memoryTypes(), To: verb.New[[]string]},
			{Name: "quality_boost", To: verb.New[bool]},
			{Name: "quality_weight", Rules: verb.Between(0, 1), To: verb.New[float64]},
		}},
		{id: "recallByTags", pattern: "POST /api/recall/by-tags", rights: hippo.RightRead, run: recallByTags, params: append(tagParams(), limitParam(maxLimit))},
		{id: "proactiveContext", pattern: "POST /api/context", rights: hippo.RightRead, run: proactiveContext, params: verb.Table{
			{Name: "context", Also: "query", Field: "Text", Is: verb.Required, To: verb.New[string]},
			{Name: "max_results", Also: "limit n n_results", Field: "Count", Rules: verb.Between(1, maxContext), To: verb.New[int]},
			{Name: "auto_ingest", To: verb.New[bool]},
		}},
		{id: "forget", pattern: "DELETE /api/forget/{id}", rights: changes, run: forget},
		{id: "forgetByTags", pattern: "POST /api/forget/by-tags", rights: changes, strict: true, run: forgetByTags, params: forgetParams()},
		{id: "listMemories", pattern: "GET /api/memories", rights: hippo.RightRead, run: listMemories, params: verb.Table{
			limitParam(maxLimit),
			{Name: "offset", Field: "Offset", Rules: verb.Schema{"minimum": 0}, To: verb.New[int]},
			typeParam(),
		}},
		{id: "getMemory", pattern: "GET /api/memories/{id}", rights: hippo.RightRead, run: getMemory},
		{id: "updateMemory", pattern: "PATCH /api/memories/{id}", rights: changes, strict: true, run: updateMemory, params: append(changeParams(), verb.Arg{Name: "clear", To: verb.New[[]string]})},
		{id: "consolidate", pattern: "POST /api/consolidate", rights: changes, long: true, run: consolidate, params: verb.Table{
			{Name: "time_horizon", Values: api.HorizonNames(), Is: verb.Required, To: verb.New[string]},
		}},
		{id: "getStats", pattern: "GET /api/stats", rights: hippo.RightRead, run: getStats},
		{id: "healthCheck", pattern: "GET /api/health", run: healthCheck},
		{id: "listTags", pattern: "GET /api/tags", rights: hippo.RightRead, run: listTags},
		{pattern: "GET /api/clusters", rights: hippo.RightRead, long: true, run: listClusters},
	}
}

// limitParam is the number of results, with the names that it has elsewhere.
func limitParam(most int) verb.Arg {
	return verb.Arg{Name: "limit", Also: "max_results n n_results", Field: "Count", Rules: verb.Between(1, most), To: verb.New[int]}
}

// typeParam is the type of a memory. The document says type in some operations and memory_type in others;
// each accepts both.
func typeParam() verb.Arg {
	return verb.Arg{Name: "type", Also: "memory_type experience_type", Values: memoryTypes(), To: verb.New[string]}
}

// tagParams select memories by tags, of which any is enough unless the caller asks for all.
func tagParams() verb.Table {
	return verb.Table{
		{Name: "tags", Field: "Tags", Is: verb.Required, To: verb.New[[]string]},
		{Name: "match_all", To: verb.New[bool]},
		{Name: "match", Values: []string{"any", "all"}, To: verb.New[string]},
		typeParam(),
	}
}

// forgetParams select memories to forget. A blank value is an error, because it would widen the deletion.
func forgetParams() verb.Table {
	out := append(tagParams(), verb.Arg{Name: "dry_run", To: verb.New[bool]})
	for i := range out {
		out[i].Is |= verb.Verbatim
	}
	return out
}

// created answers with 201.
func created(body any) reply { return reply{http.StatusCreated, body} }
