package shodh

import (
	"context"
	"errors"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/verb"
)

// surfaced is the answer of proactiveContext.
type surfaced struct {
	Memories []memoryJSON `json:"surfaced_memories"`
	Count    int          `json:"count"`
	Ingested bool         `json:"ingested"`
	// IngestedID is left out if nothing was ingested, and NotIngested says why.
	IngestedID  *hippo.ID `json:"ingested_id,omitempty"`
	NotIngested string    `json:"not_ingested,omitempty"`
}

const (
	defaultSurfaced = 5
	// ingestedImportance is below that of what somebody chose to remember, as of turns that are imported.
	ingestedImportance = 0.3
)

// proactiveContext surfaces what a text reminds of, as a hook does with a prompt: what tools said and what
// nobody confirmed is not surfaced. Then it records the text, with low trust, unless the caller does not want
// that.
func proactiveContext(ctx context.Context, c *call) (reply, error) {
	prompt := c.Text("context")
	ingest, mayWrite := verb.Of(c.Input, "auto_ingest", true), c.scope.Allows(hippo.RightWrite)
	if c.Has("auto_ingest") && ingest && !mayWrite {
		return reply{}, errForbidden()
	}
	most := api.MaxTokens
	q, err := (&verb.Context{Prompt: prompt, PromptOnly: true, MaxTokens: &most}).Query(c.Now())
	if err != nil {
		return reply{}, err
	}
	b, err := query.Context(ctx, c.Memories, q)
	if err != nil {
		return reply{}, err
	}
	cal, err := transfer.New(c.Memories).Calendar(ctx)
	if err != nil {
		return reply{}, err
	}
	out := surfaced{Memories: []memoryJSON{}}
	for _, item := range b.Items[:min(len(b.Items), c.Int("max_results", defaultSurfaced))] {
		shown := memoryOf(item.Memory, c.Importance(item.Memory, cal.Day), c.Now())
		if item.Note != "" {
			shown = append(shown, member{"contradicted_by", item.Note})
		}
		out.Memories = append(out.Memories, shown)
	}
	out.Count = len(out.Memories)
	switch {
	case !ingest:
	case !mayWrite:
		out.NotIngested = "the token may not write"
	default:
		err = ingestContext(ctx, c, prompt, &out)
	}
	return reply{body: out}, err
}

// ingestContext records a text as a memory of type Conversation, and says in out what became of it. A text that
// cannot be stored is no error: the caller asked for memories.
func ingestContext(ctx context.Context, c *call, text string, out *surfaced) error {
	m := &hippo.Memory{
		Content: text, Type: "Conversation", Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: ingestedImportance},
		Source: hippo.Source{Kind: hippo.SourceHook}, Project: c.scope.Project, Namespace: c.scope.Namespace,
	}
	same, err := record(ctx, c, m)
	switch {
	case errors.Is(err, hippo.ErrInvalid), errors.Is(err, hippo.ErrSecret):
		out.NotIngested = err.Error()
	case err != nil:
		return err
	case !same.IsZero():
		out.NotIngested = "a memory with the same content exists"
	default:
		out.Ingested, out.IngestedID = true, &m.ID
	}
	return nil
}
