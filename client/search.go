package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/sources"
)

// Search finds insights by a question or by keywords, best first; an empty Text finds all that
// pass the filters. What it returns counts as used, after the answer. Errors: a [*hippo.FieldError].
func (c *Client) Search(ctx context.Context, q api.Search) (*hippo.Answer, error) {
	x, err := c.query(ctx, q)
	if err != nil {
		return nil, err
	}
	return query.Search(ctx, c.memories, x)
}

// query returns the query of a search; it waits for the model if that is asked for.
func (c *Client) query(ctx context.Context, q api.Search) (hippo.Query, error) {
	if q.Wait {
		_ = c.memories.Ready(ctx) // the answer reports a missing model
	}
	return q.Query, c.selectProjects(ctx, q.Projects, &q.Filter)
}

// selectProjects sets the projects of a filter to those that names mean, if names has elements.
func (c *Client) selectProjects(ctx context.Context, names []string, f *hippo.Filter) error {
	if len(names) == 0 {
		return nil
	}
	known, err := memory.KnownProjects(ctx, c.memories, names...)
	f.Projects = known
	return err
}

// SearchSources searches the code that "hippo code index" has indexed for the user of this machine, and insights beside
// it; see docs/code.md. Insights on the page count as used. A page ends at the hundredth hit. Where code cannot take part a
// note says why, or the error if nothing else is asked. The index is read without an update: a hit says if its file has
// changed since.
//
// Errors: a [*hippo.FieldError], for example for an empty text or a ranker other than [hippo.RankerHippo].
func (c *Client) SearchSources(ctx context.Context, q api.SearchSources) (*api.SourcesAnswer, error) {
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
	x, err := c.query(ctx, q.Search)
	if err != nil {
		return nil, err
	}
	return sources.Search(ctx, &sources.Asked{
		Sources: asked, Scope: c.scope, Trees: app.UnwatchedCode{Code: c.code, Folder: q.Dir},
		Insights: sources.InsightsOf(c.memories),
	}, x)
}

// Context returns what an agent should know now, as text: rules, open tasks, decisions, recent work, and what a prompt reminds of. It is empty if
// nothing is worth knowing. It does not count as use. Errors: a [*hippo.FieldError]. Cost: that of a search, if there is a prompt.
func (c *Client) Context(ctx context.Context, q api.Context) (string, error) {
	b, err := query.Context(ctx, c.memories, briefing.Query{Prompt: q.Prompt, MaxTokens: q.MaxTokens, At: q.At})
	if err != nil {
		return "", err
	}
	return b.Text, nil
}
