package memorymcp

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// ruling returns the tools about the memory as a whole.
func ruling() []d.Tool {
	return []d.Tool{
		{Name: "get_status", Description: "State, counts and the model.", ReadOnly: true, Call: callStatus, Params: verb.Table{{Name: "_placeholder", To: verb.New[bool]}}},
		{
			Name: "reset_all_memory", Description: "Delete all memories of the current project and of none.", Destructive: true, Writes: true, Call: callReset,
			Params: verb.Table{{Name: "confirm", Is: verb.Required, To: verb.New[bool]}},
		},
		{Name: "how_to_use", Description: "What these tools are for.", ReadOnly: true, Call: callHowToUse, Params: verb.Table{{Name: "_placeholder", To: verb.New[bool]}}},
	}
}

// The states of the whole, and of the model.
const (
	stateHealthy  = "healthy"
	stateLoading  = "loading"
	stateDegraded = "degraded"
	stateError    = "error"
	stateReady    = "ready"
)

// status is the state of the memory.
type status struct {
	Version   string    `json:"version"`
	Status    string    `json:"status"`
	Memories  int       `json:"memories_count"`
	Entities  int       `json:"entities_count"`
	Embedding embedding `json:"embedding"`
	Problems  []string  `json:"problems,omitempty"`
}

// embedding is the state of the preferred model.
type embedding struct {
	Status   string `json:"status"`
	Model    string `json:"model,omitempty"`
	Embedded int    `json:"embedded"`
	Total    int    `json:"total"`
	// ETA is how long the rest takes, in seconds; 0: unknown, or nothing is left.
	ETA   int    `json:"eta_seconds,omitempty"`
	Error string `json:"error,omitempty"`
}

func callStatus(ctx context.Context, c *d.Call) (d.Result, error) {
	st, err := memory.Status(ctx, c.Memories)
	if err != nil {
		return d.Result{}, err
	}
	out := status{Version: c.Version, Status: stateHealthy, Memories: st.Memories, Embedding: embeddingOf(st.Models), Problems: slices.Clone(st.Degraded)}
	entities, err := knowledge.ListEntities(ctx, c.Memories, api.ListEntities{Count: 1})
	if err != nil {
		return d.Result{}, err
	}
	out.Entities = entities.Total
	if st.Store != nil {
		for _, p := range st.Store.Problems {
			out.Problems = append(out.Problems, p.String())
		}
	}
	switch {
	case st.Store != nil && len(st.Store.Problems) > 0:
		out.Status = stateError
	case len(st.Degraded) > 0 || out.Embedding.Status == stateError:
		out.Status = stateDegraded
	case out.Embedding.Status == stateLoading:
		out.Status = stateLoading
	}
	return d.JSON(out, 0)
}

// embeddingOf returns the state of the preferred model. Without one, searches are lexical.
func embeddingOf(models []api.ModelStatus) embedding {
	if len(models) == 0 {
		return embedding{Status: stateReady}
	}
	m := &models[0]
	e := embedding{Status: stateReady, Model: m.ID, Embedded: m.Embedded, Total: m.Memories, ETA: int(m.Remaining.Seconds())}
	switch {
	case m.Err != nil:
		e.Status, e.Error = stateError, m.Err.Error()
	case m.Embedded < m.Memories && !m.Instant:
		e.Status = stateLoading
	}
	return e
}

// reset is the result of deleting all.
type reset struct {
	Reset   bool          `json:"reset"`
	Deleted *resetDeleted `json:"deleted,omitempty"`
	Message string        `json:"message"`
}

// resetDeleted counts what was deleted.
type resetDeleted struct {
	Memories int `json:"memories"`
}

// callReset forgets the memories that these tools show.
func callReset(ctx context.Context, c *d.Call) (d.Result, error) {
	if !c.Flag("confirm") {
		return d.JSON(reset{Message: "Nothing was deleted: confirm must be true."}, 0)
	}
	ms, err := (&d.Selection{Filter: hippo.Filter{Archived: true}}).Every(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	in := engine.Because(c.Memories, "reset_all_memory")
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	for batch := range slices.Chunk(ids, hippo.MaxIDs) {
		if _, err := memory.Forget(ctx, in, batch); err != nil {
			return d.Result{}, err
		}
	}
	return d.JSON(reset{true, &resetDeleted{len(ms)}, "hippo log shows the deletion, and hippo undo takes it back."}, len(ms))
}

// guide is the answer of how_to_use.
const guide = `Search before you answer what earlier work may touch: search_memory, or recall with weights of your own.
Store one fact at a time: store_memory. TASK:, DECISION:, USER:, PROJECT:, RESEARCH: and CONTEXT: at the beginning of a text say what it is.
A fact that no longer holds: invalidate, with the reason, and superseded_by if another one replaces it. get_valid has what holds now or at a time.
A text that is wrong: update_memory. One that should not be there: delete_memory.
What belongs together: knowledge_graph.
Source code: index_project once, then recall_code, search_symbols, and symbol_graph for what calls what.`

func callHowToUse(context.Context, *d.Call) (d.Result, error) {
	return d.JSON(struct {
		Guide string `json:"guide"`
	}{guide}, 0)
}
