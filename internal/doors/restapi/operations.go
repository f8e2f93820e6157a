package restapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// input is a request to one operation.
type input interface {
	verb.Object
	// call runs the operation after the arguments were set.
	call(ctx context.Context, r *request) (reply, error)
}

// operation is one method of one path.
type operation struct {
	method, path string
	// id names the operation in the document and in logs.
	id      string
	summary string
	rights  hippo.Rights
	input   func() input
	// status is that of success, answer a value of the type of its data; nil: none.
	status int
	answer any
	// stream is the media type of a response that is not JSON, body that of such a request.
	stream, body string
	// long: it may take up to [longest] with a large store.
	long bool
}

// longest is the time that a plan over 100,000 memories and its transaction may take on a busy machine: ten times that of a free one.
const longest = 10 * time.Minute

// The rights and methods of most operations.
const (
	read, write = hippo.RightRead, hippo.RightWrite
	get, post   = http.MethodGet, http.MethodPost
)

// operations lists all operations.
func operations() []operation {
	return slices.Concat(ofMemories(), ofMany(), ofEntities(), ofGraph(), ofPast(), ofConsolidation(), ofStore(), ofNamespaces(), ofSync())
}

// ofMemories lists the operations about one memory, and those that find memories.
func ofMemories() []operation {
	return []operation{
		{
			method: post, path: "/memories", id: "record", summary: "Record a memory", rights: write,
			input: func() input { return &recordInput{} }, status: http.StatusCreated, answer: recorded{},
		},
		{
			method: get, path: "/memories", id: "list", summary: "List memories: current ones first, newest first", rights: read,
			input: func() input { return &listInput{} }, answer: listing{},
		},
		{
			method: post, path: "/memories/get", id: "getMany", summary: "Get memories, in the order of the request", rights: read,
			input: func() input { return &getManyInput{} }, answer: insights{},
		},
		{
			method: post, path: "/memories/resolve", id: "resolve", summary: "Find the UUIDs and the short forms of IDs", rights: read,
			input: func() input { return &resolveInput{} }, answer: resolved{},
		},
		{
			method: get, path: "/memories/{id}", id: "get", summary: "Get a memory", rights: read,
			input: func() input { return &getInput{} }, answer: insight{},
		},
		{
			method: http.MethodPatch, path: "/memories/{id}", id: "modify", summary: "Change a memory; fields that are not given keep their values", rights: write,
			input: func() input { return &modifyInput{} }, answer: insight{},
		},
		{
			method: get, path: "/memories/{id}/relations", id: "relationsOf", summary: "List the 100 strongest relations of a memory", rights: read,
			input: func() input { return &relationsInput{} }, answer: relations{},
		},
		{
			method: get, path: "/memories/{id}/votes", id: "votes", summary: "List the votes on a memory, and when it was opened; reinforce takes the newest vote back", rights: read,
			input: func() input { return &votesInput{} }, answer: wire.Votes{},
		},
		{
			method: get, path: "/memories/{id}/history", id: "history", summary: "List what a memory supersedes, the memory, and what supersedes it", rights: read,
			input: func() input { return &historyInput{} }, answer: history{},
		},
		{
			method: post, path: "/search", id: "search", summary: "Search memories; the hits count as used", rights: read,
			input: func() input { return &searchInput{} }, answer: wire.Answer{},
		},
		{
			method: post, path: "/search/sources", id: "searchSources", summary: "Find memories and source code by a question, best first", rights: read,
			input: func() input { return &sourcesInput{} }, answer: wire.SourcesAnswer{},
		},
		{
			method: post, path: "/context", id: "context", summary: "Select what an agent should know now", rights: read,
			input: func() input { return &contextInput{} }, answer: wire.Context{},
		},
	}
}

// ofMany lists the operations that change several memories or relate them.
func ofMany() []operation {
	return []operation{
		{
			method: post, path: "/reinforce", id: "reinforce", summary: "Vote on memories, all or none", rights: write,
			input: func() input { return &reinforceInput{} }, answer: wire.Reinforced{},
		},
		{
			method: post, path: "/forget", id: "forget", summary: "Forget memories, all or none; restore undoes it", rights: write,
			input: func() input { return &forgetInput{action: forgotten} }, answer: forgot{},
		},
		{
			method: post, path: "/restore", id: "restore", summary: "Restore forgotten memories, all or none", rights: write,
			input: func() input { return &forgetInput{action: restored} }, answer: forgot{},
		},
		{
			method: post, path: "/purge", id: "purge", summary: "Remove memories for good, all or none", rights: hippo.RightPurge,
			input: func() input { return &forgetInput{action: purged} }, answer: forgot{},
		},
		{
			method: post, path: "/relations", id: "relate", summary: "Declare relations, all or none; those of which a memory has one at a time end the older one", rights: write,
			input: func() input { return &relateInput{} }, answer: related{},
		},
		{
			method: post, path: "/relations/end", id: "endRelation", summary: "End a relation: it holds until then", rights: write,
			input: func() input { return &endInput{} }, answer: relations{},
		},
		{
			method: http.MethodDelete, path: "/relations", id: "unrelate", summary: "Remove a relation", rights: write,
			input: func() input { return &unrelateInput{} }, status: http.StatusNoContent,
		},
	}
}

// ofPast lists the operations about former versions.
func ofPast() []operation {
	return []operation{
		{
			method: get, path: "/log", id: "log", summary: "List the operations that changed memories, newest first", rights: read,
			input: func() input { return &logInput{} }, answer: operationList{},
		},
		{
			method: get, path: "/memories/{id}/diff", id: "diff", summary: "Compare two versions of a memory", rights: read,
			input: newDiffInput, answer: difference{},
		},
		{
			method: post, path: "/undo", id: "undo", summary: "Undo an operation, all or nothing", rights: write,
			input: func() input { return &undoInput{} }, answer: undone{}, long: true,
		},
	}
}

// ofConsolidation lists the operations that tidy up.
func ofConsolidation() []operation {
	return []operation{
		{
			method: get, path: "/clusters", id: "clusters", summary: "List what the memories are about: topics, and the groups that they consist of", rights: read,
			input: func() input { return &clustersInput{} }, answer: wire.Clusters{}, long: true,
		},
		{
			method: get, path: "/audit", id: "audit", summary: "List stale, contradictory, repeated, misfiled and unused memories, with what to do about each", rights: read,
			input: func() input { return &auditInput{} }, answer: wire.Audit{}, long: true,
		},
		{
			method: post, path: "/consolidate", id: "consolidate", summary: "Link near-duplicates, summarise and archive, as one operation", rights: read | write,
			input: func() input { return &consolidateInput{} }, answer: wire.Consolidation{}, long: true,
		},
	}
}

// ofStore lists the operations about all memories.
func ofStore() []operation {
	return []operation{
		{
			method: get, path: "/projects", id: "projects", summary: "List the projects that have memories", rights: read,
			input: func() input { return &projectsInput{} }, answer: projects{},
		},
		{
			method: get, path: "/status", id: "status", summary: "Describe the memory", rights: read,
			input: func() input { return &statusInput{} }, answer: wire.Status{},
		},
		{
			method: get, path: "/export", id: "export", summary: "Export all memories as JSON lines that import back identically", rights: read,
			input: func() input { return &exportInput{} }, stream: lines,
		},
		{
			method: post, path: "/import", id: "import", summary: "Import an export; the same again adds nothing", rights: write,
			input: func() input { return &importInput{} }, answer: imported{}, body: lines,
		},
		{
			method: get, path: "/events", id: "events", summary: "Stream the changes of memories", rights: read,
			input: func() input { return &eventsInput{} }, stream: "text/event-stream",
		},
		{
			method: get, path: "/openapi.json", id: "openapi", summary: "Get the OpenAPI document of these operations", rights: read,
			input: func() input { return &documentInput{} }, answer: map[string]any{},
		},
	}
}
