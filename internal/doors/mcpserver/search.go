package mcpserver

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/verb"
)

type searchInput struct {
	verb.Find
	verb.View
	project verb.Project
}

// Args implements [verb.Object].
func (in *searchInput) Args() []verb.Arg {
	return slices.Concat(in.Find.Args(), []verb.Arg{verb.ProjectArg(&in.project)}, in.View.Args())
}

// floor is where a range of relevance begins that has no lower end: that of the original program.
const floor = 0.1

func (in *searchInput) call(ctx context.Context, s *session) (reply, error) {
	q, err := in.Query(s.now(), floor)
	if err != nil {
		return reply{}, err
	}
	q.NoDistribution = !s.json
	if q.Filter.Projects, err = in.project.Filter(ctx, s.Memories); err != nil {
		return reply{}, err
	}
	limit, err := in.Limit(s.json)
	if err != nil {
		return reply{}, err
	}
	asked, err := sources.Parse(in.Sources)
	if err != nil {
		return reply{}, err
	}
	if asked.HasCode() {
		return in.callSources(ctx, s, asked, q, limit)
	}
	a, err := query.Search(ctx, s.Memories, q)
	if err != nil {
		return reply{}, err
	}
	p := in.page(s, a, &q, limit)
	if s.json {
		data, shown, err := p.data()
		s.conversation.showed(q.Text, a.IDs()[:shown])
		return reply{data: data, meta: p.meta(shown), count: shown}, err
	}
	p.ids = memory.ShortIDs(s.Memories, a.Named())
	if q.Filter.Projects == nil && s.scope.Project != "" {
		p.advice = ` project "*" searches all projects.`
	}
	text, shown := p.text()
	s.conversation.showed(q.Text, a.IDs()[:shown])
	return reply{text: text, meta: p.meta(shown), count: shown}, nil
}

// page returns an answer as the caller wants to see it.
func (in *searchInput) page(s *session, a *hippo.Answer, q *hippo.Query, limit int) page {
	return page{answer: a, limit: limit, files: s.files(hippo.Moment{KnownAt: q.Filter.KnownAt, ValidAt: q.Filter.ValidAt}), view: wire.View{
		Offset: q.Offset, Now: s.now(), Full: in.Detail == verb.DetailFull, Preview: previewLength, Importance: s.Importance,
	}}
}
