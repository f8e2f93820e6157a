package restapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/verb"
)

type searchInput struct {
	verb.Find
	projects verb.Projects
}

func (in *searchInput) Args() []verb.Arg {
	return verb.Without(in.all(), "sources")
}

func (in *searchInput) all() []verb.Arg {
	args := append(in.Find.Args(), verb.ProjectArg(&in.projects))
	i := slices.IndexFunc(args, func(a verb.Arg) bool { return a.Name == "sources" })
	args[i].About += ". Default: both"
	return args
}

func (in *searchInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.query(ctx, r)
	if err != nil {
		return reply{}, err
	}
	a, err := query.Search(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	out, err := r.view(&q).Answer(a)
	return reply{status: http.StatusOK, data: out, count: len(a.Hits)}, err
}

func (in *searchInput) query(ctx context.Context, r *request) (hippo.Query, error) {
	q, err := in.Query(r.now(), 0)
	if err == nil {
		q.Filter.Projects, err = in.projects.Filter(ctx, r.Memories, r.ofTree)
	}
	return q, err
}

// view shows the whole of what a query finds.
func (r *request) view(q *hippo.Query) *wire.View {
	return &wire.View{Offset: q.Offset, Now: r.server.Now(), Full: true, Importance: r.Importance}
}

// sourcesInput is a search of insights and code, by default of both.
type sourcesInput struct{ searchInput }

func (in *sourcesInput) Args() []verb.Arg { return in.all() }

func (in *sourcesInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.query(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if len(in.Sources) == 0 {
		in.Sources = []string{api.SourceMemory, api.SourceCode}
	}
	asked, err := sources.Parse(in.Sources)
	if err != nil {
		return reply{}, err
	}
	if !asked.HasCode() {
		return reply{}, hippo.Fieldf("sources", "must have %s: insights alone are found by /search", api.SourceCode)
	}
	a, err := sources.Search(ctx, &sources.Asked{Sources: asked, Scope: r.scope, Insights: sources.InsightsOf(r.Memories), Trees: r.server.Trees}, q)
	if err != nil {
		return reply{}, err
	}
	out, err := r.view(&q).Sources(a)
	return reply{status: http.StatusOK, data: out, count: len(a.Hits)}, err
}
