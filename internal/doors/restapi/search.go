package restapi

import (
	"cmp"
	"context"
	"fmt"
	"math"
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
	text      string
	relevance rangeInput
	least     *float64
	projects  inProjects
	page      pageInput
}

// rangeInput is a range of relevance.
type rangeInput struct{ min, max *float64 }

func (in *rangeInput) fields() []field {
	return []field{{name: "min", to: &in.min}, {name: "max", to: &in.max}}
}

func (in *searchInput) fields() []field {
	return slices.Concat([]field{
		{name: "query", to: &in.text, about: fmt.Sprintf("plain words; empty matches everything. A text over %d bytes is cut to its beginning, which degraded reports", hippo.MaxQuery)},
		{name: "relevance_range", to: &in.relevance, about: "both ends inclusive. Default: the floor of the ranker"},
		{name: "min_relevance", to: &in.least, about: "the lower end of relevance_range"},
	}, fieldsOf(in.Args(), inBody), in.projects.fields(inBody), in.page.fields(inBody))
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
	if in.least != nil && err == nil {
		if in.relevance.min != nil {
			err = hippo.Fieldf("min_relevance", "is another name of relevance_range.min: give one of them")
		}
		in.relevance.min = in.least
	}
	count, wrong := in.page.count()
	q.Text, q.Relevance, q.Offset, q.Count = in.text, in.relevance.value(), in.page.offset, count
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

func (in *sourcesInput) fields() []field {
	return append(in.searchInput.fields(), field{name: "sources", to: &in.sources, about: "what to ask: memory, code. Default: both"})
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

// value returns the range; nil if neither end is given.
func (in *rangeInput) value() *hippo.Range {
	if in.min == nil && in.max == nil {
		return nil
	}
	out := &hippo.Range{Max: math.Inf(1)}
	if in.min != nil {
		out.Min = *in.min
	}
	if in.max != nil {
		out.Max = *in.max
	}
	return out
}
