package script

import (
	"context"
	"errors"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/verb"
)

// readFunctions returns the functions that write nothing.
func readFunctions() []function {
	return []function{
		{name: "search", first: "query limit min_score offset", input: func() input { return &searchInput{} }},
		{name: "recall", first: "when limit query", input: func() input { return &recallInput{} }},
		{name: "search_by_tag", first: "tags limit match", input: func() input { return &tagInput{} }},
		{name: "list_memories", first: "limit offset forgotten source operation", input: func() input { return &listInput{} }},
		{name: "get", aliases: []string{"expand", "expand_memory"}, input: func() input { return &getInput{} }},
		{name: "related", first: "id kind", input: func() input { return &relatedInput{} }},
		{name: "context", input: func() input { return &contextInput{} }},
		{name: "stats", aliases: []string{"health", "status"}, input: func() input { return nothing(stats) }},
		{name: "projects", input: func() input { return nothing(projects) }},
	}
}

type searchInput struct {
	verb.Find
	project verb.Project
}

// Args implements [verb.Object].
func (in *searchInput) Args() []verb.Arg { return append(in.Find.Args(), verb.ProjectArg(&in.project)) }

// call returns {"$": "results"}.
func (in *searchInput) call(ctx context.Context, s *session, _ *sandbox.Call) (any, error) {
	q, err := in.Query(clockOf(s), 0)
	if err != nil {
		return nil, err
	}
	if q.Filter.Projects, err = in.project.Filter(ctx, s.memories); err != nil {
		return nil, err
	}
	asked, err := sources.Parse(in.Sources)
	if err != nil {
		return nil, err
	}
	if asked.HasCode() {
		return searchSources(ctx, s, asked, q)
	}
	a, err := query.Search(ctx, s.memories, q)
	if err != nil {
		return nil, err
	}
	r := results(s.hits(a), a.Total)
	r["query"], r["confidence"], r["weak"], r["degraded"] = q.Text, wire.Round(a.Confidence, 4), a.Weak, list(a.Degraded)
	r["facts"] = factsOf(s, a)
	return r, nil
}

// results returns memories as the child makes a value of them.
func results(items []map[string]any, total int) map[string]any {
	return map[string]any{"$": "results", "items": items, "total": total}
}

// recallInput finds what a time in words is about, with a query only what that finds.
type recallInput struct{ searchInput }

// Args implements [verb.Object].
func (in *recallInput) Args() []verb.Arg {
	return slices.Concat([]verb.Arg{in.TextArg()}, in.Page.Args()[:1], in.Narrow.Args(), []verb.Arg{verb.ProjectArg(&in.project)})
}

func (in *recallInput) call(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	if in.When == "" { // mcp-memory-service has one text
		in.When, in.Text = in.Text, ""
	}
	if in.When == "" {
		return nil, hippo.Required("when")
	}
	if in.Text != "" {
		return in.searchInput.call(ctx, s, c)
	}
	limit, err := in.Count()
	if err != nil {
		return nil, err
	}
	f, err := in.Filter(clockOf(s))
	if err != nil {
		return nil, err
	}
	return s.list(ctx, api.List{Filter: f, Situation: in.Situations(), When: in.When, Count: limit}, in.project)
}

// list returns a page of a list, of the projects that an argument names.
func (s *session) list(ctx context.Context, q api.List, project verb.Project) (_ map[string]any, err error) {
	if q.Filter.Projects, err = project.Filter(ctx, s.memories); err != nil {
		return nil, err
	}
	l, err := memory.List(ctx, s.memories, q)
	if err != nil {
		return nil, err
	}
	return results(s.values(l.Memories, l.Day, nil), l.Total), nil
}

type listInput struct {
	verb.List
	project verb.Project
}

// Args implements [verb.Object].
func (in *listInput) Args() []verb.Arg { return append(in.List.Args(), verb.ProjectArg(&in.project)) }

func (in *listInput) call(ctx context.Context, s *session, _ *sandbox.Call) (any, error) {
	q, err := in.Request(clockOf(s))
	if err != nil {
		return nil, err
	}
	return s.list(ctx, q, in.project)
}

// tagInput lists what has any of some tags, or all of them: what holds first, the newest first.
type tagInput struct{ verb.Tagged }

func (in *tagInput) call(ctx context.Context, s *session, _ *sandbox.Call) (any, error) {
	limit, err := in.Count()
	if err != nil {
		return nil, err
	}
	if in.Match == "all" {
		return s.list(ctx, api.List{Filter: hippo.Filter{Tags: in.Tags}, Count: limit}, verb.Project{})
	}
	filters := make([]hippo.Filter, len(in.Tags))
	for i, tag := range in.Tags {
		filters[i].Tags = []string{tag}
	}
	l, err := memory.ListAny(ctx, s.memories, api.List{}, filters, limit, s.caller.Now())
	if err != nil {
		return nil, err
	}
	return results(s.values(l.Memories, l.Day, nil), l.Total), nil
}

// getInput asks for a memory, nil if there is none; of a list those that there are.
type getInput struct{ verb.Get }

func (in *getInput) call(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	at, err := in.At.Moment(clockOf(s))
	if err != nil {
		return nil, err
	}
	var ids []hippo.ID
	for _, text := range in.IDs.Texts {
		one := verb.Refs{Name: in.IDs.Name, Texts: []string{text}}
		found, err := one.Resolve(ctx, s.memories, api.PreferLive)
		if errors.Is(err, hippo.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	out, err := known(ctx, s, ids, at)
	if one := c.Args["id"]; err == nil && len(one) > 0 && one[0] == '"' {
		if len(out) == 0 {
			return nil, nil // None
		}
		return out[0], nil
	}
	return out, err
}

// known returns those memories that there are at a moment.
func known(ctx context.Context, s *session, ids []hippo.ID, at hippo.Moment) ([]map[string]any, error) {
	found := make(map[hippo.ID]*hippo.Memory, len(ids))
	for some := range slices.Chunk(ids, hippo.MaxIDs) { // each reads the history once
		got, err := query.GetAt(ctx, s.memories, api.Get{IDs: some, At: at, Some: true})
		if err != nil {
			return nil, err
		}
		for _, x := range got.Memories {
			found[x.ID] = x
		}
	}
	var ms []*hippo.Memory
	for _, id := range ids {
		if found[id] != nil {
			ms = append(ms, found[id])
		}
	}
	status, err := memory.Status(ctx, s.memories)
	return s.values(ms, status.Day, nil), err
}

// relatedInput asks for the relations at either end of memories.
type relatedInput struct{ verb.ListRelations }

func (in *relatedInput) call(ctx context.Context, s *session, _ *sandbox.Call) (any, error) {
	ids, err := in.IDs.Resolve(ctx, s.memories, api.PreferLive)
	if err != nil {
		return nil, err
	}
	at, err := in.When.Moment(clockOf(s))
	if err != nil {
		return nil, err
	}
	rs, err := knowledge.ListRelations(ctx, s.memories, api.Relations{IDs: ids, Kinds: in.Kinds, At: at})
	return s.relations(rs), err
}

type contextInput struct{ verb.Context }

func (in *contextInput) call(ctx context.Context, s *session, _ *sandbox.Call) (any, error) {
	q, err := in.Query(clockOf(s))
	if err != nil {
		return nil, err
	}
	if s.caller.Work != nil {
		q.Work = s.caller.Work(ctx)
	}
	b, err := query.Context(ctx, s.memories, q)
	if err != nil {
		return nil, err
	}
	return b.Text, nil
}

func stats(ctx context.Context, s *session) (any, error) {
	x, err := memory.Status(ctx, s.memories)
	return map[string]any{
		"$": "struct", "memories": x.Memories, "count": x.Memories, "forgotten": x.Forgotten, "day": x.Day, "date": x.Date, "ranker": x.Ranker,
		"degraded": list(x.Degraded), "ready": err == nil,
	}, err
}

func projects(ctx context.Context, s *session) (any, error) {
	names, err := memory.Projects(ctx, s.memories)
	return list(names), err
}
