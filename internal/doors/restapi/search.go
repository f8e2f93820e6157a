package restapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/verb"
)

type searchInput struct {
	verb.Search
	verb.Page
	verb.Relevance
	text     string
	projects inProjects
}

func (in *searchInput) Args() []verb.Arg {
	return slices.Concat([]verb.Arg{
		{Name: "query", Field: "Text", To: &in.text, About: fmt.Sprintf("plain words; empty matches everything. A text over %d bytes is cut to its beginning, which degraded reports", hippo.MaxQuery)},
	}, in.Relevance.Args(), in.Search.Args(), in.projects.Args(), in.Page.Args())
}

func (in *searchInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.query(ctx, r)
	if err != nil {
		return reply{}, err
	}
	a, err := r.Search(ctx, q)
	if err != nil {
		return reply{}, err
	}
	out, err := r.view(&q).Answer(a)
	return reply{status: http.StatusOK, data: out, count: len(a.Hits)}, err
}

func (in *searchInput) query(ctx context.Context, r *request) (hippo.Query, error) {
	q, err := in.Query(r.now())
	if err == nil {
		q.Filter.Projects, err = r.knownProjects(ctx, projectsOf(in.projects.projects))
	}
	count, wrong := in.Count()
	q.Text, q.Relevance, q.Offset, q.Count = in.text, in.Range(0), in.Offset, count
	return q, cmp.Or(err, wrong)
}

// view shows the whole of what a query finds.
func (r *request) view(q *hippo.Query) *wire.View {
	return &wire.View{Offset: q.Offset, Now: r.server.Now(), Full: true, Importance: r.Importance}
}

// sourcesInput is a search of insights and code.
type sourcesInput struct {
	searchInput
	sources []string
}

func (in *sourcesInput) Args() []verb.Arg {
	return append(in.searchInput.Args(), verb.Arg{Name: "sources", To: &in.sources, About: "what to ask: memory, code. Default: both"})
}

func (in *sourcesInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.query(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if len(in.sources) == 0 {
		in.sources = []string{api.SourceMemory, api.SourceCode}
	}
	asked, err := sources.Parse(in.sources)
	if err != nil {
		return reply{}, err
	}
	if !asked.HasCode() {
		return reply{}, hippo.Fieldf("sources", "must have %s: insights alone are found by /search", api.SourceCode)
	}
	a, err := sources.Search(ctx, &sources.Asked{Sources: asked, Scope: r.scope, Insights: r.insights(), Trees: r.server.Trees}, q)
	if err != nil {
		return reply{}, err
	}
	out, err := r.view(&q).Sources(a)
	return reply{status: http.StatusOK, data: out, count: len(a.Hits)}, err
}

// insights are those of the caller, as one of the sources of a search.
func (r *request) insights() sources.Insights {
	return sources.Insights{Search: r.Search, CountUsed: func(ctx context.Context, ids []hippo.ID) (string, error) {
		return engine.CountUsed(ctx, r.Memories, ids)
	}}
}
