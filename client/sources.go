package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/sources"
)

// SourcesQuery is a question to several sources.
type SourcesQuery struct {
	Text string
	// Sources are those that are asked, [api.SourceCode] among them; none: both.
	Sources []string
	// Dir is the folder that the caller works in: of several source trees of a project, the one that holds it is asked.
	// Empty: it is not known.
	Dir string
}

// SearchSources searches the code that "hippo code index" has indexed for the user of this machine, and insights beside
// it; see docs/code.md. Insights on the page count as used. Without [Page] it returns the first [hippo.DefaultCount]; a
// page ends at the hundredth hit. Where code cannot take part a note says why, or the error if nothing else is asked. The
// index is read as it is: a hit says if its file has changed since.
//
// Errors: a [*hippo.FieldError], for an empty text and a ranker other than [hippo.RankerHippo], too.
func SearchSources(ctx context.Context, c *Client, q SourcesQuery, opts ...SearchOption) (*api.SourcesAnswer, error) {
	if len(q.Sources) == 0 {
		q.Sources = []string{api.SourceMemory, api.SourceCode}
	}
	asked, err := sources.Parse(q.Sources)
	if err != nil {
		return nil, err
	}
	if !asked.HasCode() {
		return nil, hippo.Fieldf("sources", "must have %s: Search finds insights alone", api.SourceCode)
	}
	found, err := query(ctx, c, q.Text, opts)
	if err != nil {
		return nil, err
	}
	return sources.Search(ctx, &sources.Asked{
		Sources: asked, Scope: c.scope, Trees: app.UnwatchedCode{Code: c.code, Folder: q.Dir},
		Insights: sources.Insights{Search: c.memories.Search, CountUsed: func(ctx context.Context, ids []hippo.ID) (string, error) {
			return engine.CountUsed(ctx, c.memories, ids)
		}},
	}, found)
}
