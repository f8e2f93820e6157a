package script

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/verb"
)

// readFunctions returns the functions that write nothing.
func readFunctions() []function {
	whole := slices.Concat([]string{"query", "limit", "min_score", "offset"}, params(new(verb.Search).Args()), []string{"project", "sources"})
	narrow := append(params(new(verb.Narrow).Args()), "project")
	return []function{
		{name: "search", params: whole, call: search},
		{name: "recall", params: append([]string{"when", "limit", "query"}, slices.DeleteFunc(slices.Clone(narrow), isWhen)...), call: recall},
		{name: "search_by_tag", params: []string{"tags", "limit", "match"}, call: searchByTag},
		{name: "list_memories", params: append([]string{"limit", "offset", "forgotten", "source", "operation"}, narrow...), call: listMemories},
		{name: "get", aliases: []string{"expand", "expand_memory"}, params: []string{"id", "as_of", "known_at"}, call: get},
		{name: "related", params: []string{"id", "kind", "as_of", "known_at"}, call: related},
		{name: "context", params: []string{"prompt", "max_tokens", "as_of", "known_at"}, call: sessionContext},
		{name: "stats", aliases: []string{"health", "status"}, call: stats},
		{name: "projects", call: projects},
	}
}

func isWhen(name string) bool { return name == "when" }

type searchInput struct {
	verb.Search
	searchPage
}

// searchPage is what a search in a program takes beside its [verb.Search].
type searchPage struct {
	Query    string   `json:"query"`
	Limit    *int     `json:"limit"`
	Offset   int      `json:"offset"`
	MinScore *float64 `json:"min_score"`
	Project  string   `json:"project"`
	Sources  texts    `json:"sources"`
}

// read reads the arguments of a call.
func (in *searchInput) read(c *sandbox.Call) error {
	return decodeWith(c, in.Args(), &in.searchPage)
}

// momentInput is the moment as of which something is read.
type momentInput struct{ verb.Moment }

func (in *momentInput) moment(s *session) (hippo.Moment, error) { return in.Moment.Moment(clockOf(s)) }

func search(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in searchInput
	if err := in.read(c); err != nil {
		return nil, err
	}
	return in.search(ctx, s)
}

// search returns {"$": "results"}.
func (in *searchInput) search(ctx context.Context, s *session) (any, error) {
	limit, err := in.limit()
	if err != nil {
		return nil, err
	}
	q, err := in.Search.Query(clockOf(s))
	if err != nil {
		return nil, err
	}
	q.Text, q.Offset, q.Count = in.searchPage.Query, in.Offset, limit
	if in.MinScore != nil {
		q.Relevance = &hippo.Range{Min: *in.MinScore, Max: math.Inf(1)}
	}
	if q.Filter.Projects, err = projectsOf(ctx, s, in.Project); err != nil {
		return nil, err
	}
	asked, err := sources.Parse(in.Sources)
	if err != nil {
		return nil, err
	}
	if asked.HasCode() {
		return searchSources(ctx, s, asked, q)
	}
	a, err := s.memories.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	r := results(s.hits(a), a.Total)
	r["query"], r["confidence"], r["weak"], r["degraded"] = q.Text, wire.Round(a.Confidence, 4), a.Weak, list(a.Degraded)
	r["facts"] = factsOf(s, a)
	return r, nil
}

// narrowed returns the filter of a list.
func narrowed(ctx context.Context, s *session, n *verb.Narrow, project string) (hippo.Filter, error) {
	f, err := n.Filter(clockOf(s))
	if err == nil {
		f.Projects, err = projectsOf(ctx, s, project)
	}
	return f, err
}

func (in *searchPage) limit() (int, error) {
	n := number(in.Limit, hippo.DefaultCount)
	if n == 0 { // blank
		n = hippo.DefaultCount
	}
	if n < 1 {
		return 0, hippo.Fieldf("limit", "must be between 1 and %d, got %d", hippo.MaxCount, n)
	}
	return n, nil
}

// results returns memories as the child makes a value of them.
func results(items []map[string]any, total int) map[string]any {
	return map[string]any{"$": "results", "items": items, "total": total}
}

// recall finds what a time in words is about, with a query only what that finds.
func recall(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in searchInput
	if err := in.read(c); err != nil {
		return nil, err
	}
	if in.When == "" { // mcp-memory-service has one text
		in.When, in.searchPage.Query = in.searchPage.Query, ""
	}
	if err := required("when", strings.TrimSpace(in.When) != ""); err != nil {
		return nil, err
	}
	if in.searchPage.Query != "" {
		return in.search(ctx, s)
	}
	limit, err := in.limit()
	if err != nil {
		return nil, err
	}
	f, err := narrowed(ctx, s, &in.Narrow, in.Project)
	if err != nil {
		return nil, err
	}
	return s.list(ctx, api.List{Filter: f, Situation: in.Situations(), When: in.When, Count: limit})
}

// list returns a page of a list.
func (s *session) list(ctx context.Context, q api.List) (map[string]any, error) {
	l, err := s.memories.List(ctx, q)
	if err != nil {
		return nil, err
	}
	return results(s.values(l.Memories, l.Day, nil), l.Total), nil
}

func listMemories(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in struct {
		Limit     *int   `json:"limit"`
		Offset    int    `json:"offset"`
		Forgotten bool   `json:"forgotten"`
		Source    string `json:"source"`
		// Operation is that of an import; import is no name in Starlark.
		Operation operationRef `json:"operation"`
		Project   string       `json:"project"`
	}
	var narrow verb.Narrow
	if err := decodeWith(c, narrow.Args(), &in); err != nil {
		return nil, err
	}
	limit, err := (&searchPage{Limit: in.Limit}).limit()
	if err != nil {
		return nil, err
	}
	f, err := narrowed(ctx, s, &narrow, in.Project)
	if err != nil {
		return nil, err
	}
	out, err := s.list(ctx, api.List{
		Filter: f, Situation: narrow.Situations(), When: narrow.When, Forgotten: in.Forgotten, Offset: in.Offset, Count: limit,
		Arrival: api.Arrival{Source: in.Source, Import: string(in.Operation)},
	})
	return out, wire.RenameField(err, map[string]string{"import": "operation"})
}

// searchByTag lists what has any of some tags, or all of them: what holds first, the newest first.
func searchByTag(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	in := struct {
		Tags  texts  `json:"tags"`
		Limit *int   `json:"limit"`
		Match string `json:"match"`
	}{Match: "any"}
	if err := decode(c, &in); err != nil {
		return nil, err
	}
	if err := required("tags", len(in.Tags) > 0); err != nil {
		return nil, err
	}
	limit, err := (&searchPage{Limit: in.Limit}).limit()
	if err != nil {
		return nil, err
	}
	switch in.Match {
	case "all":
		return s.list(ctx, api.List{Filter: hippo.Filter{Tags: in.Tags}, Count: limit})
	case "any":
		return withAnyTag(ctx, s, in.Tags, limit)
	default:
		return nil, hippo.Fieldf("match", "must be any or all, got %.40q", in.Match)
	}
}

func withAnyTag(ctx context.Context, s *session, tags []string, limit int) (any, error) {
	var found []*hippo.Memory
	var day hippo.Day
	total := 0
	known := make(map[hippo.ID]bool)
	for _, tag := range tags {
		l, err := s.memories.List(ctx, api.List{Filter: hippo.Filter{Tags: []string{tag}}, Count: limit})
		if err != nil {
			return nil, err
		}
		day, total = l.Day, max(total, l.Total)
		for _, m := range l.Memories {
			if !known[m.ID] {
				known[m.ID] = true
				found = append(found, m)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *hippo.Memory) int {
		return cmp.Or(rank.HoldingFirst(s.caller.Now(), a, b), b.CreatedAt.Compare(a.CreatedAt))
	})
	total = max(total, len(found)) // those with several tags are counted once
	return results(s.values(found[:min(limit, len(found))], day, nil), total), nil
}

// get returns a memory, nil if there is none; of a list those that there are.
func get(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in struct {
		ID texts `json:"id"`
	}
	var moment momentInput
	if err := decodeWith(c, moment.Args(), &in); err != nil {
		return nil, err
	}
	at, err := moment.moment(s)
	if err != nil {
		return nil, err
	}
	if err := required("id", len(in.ID) > 0); err != nil {
		return nil, err
	}
	var ids []hippo.ID
	for _, ref := range in.ID {
		found, err := s.resolve(ctx, "id", []string{ref}, api.PreferLive)
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
		got, err := engine.GetAt(ctx, s.memories, api.Get{IDs: some, At: at, Some: true})
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
	status, err := s.memories.Status(ctx)
	return s.values(ms, status.Day, nil), err
}

// related returns the relations at either end of memories.
func related(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in struct {
		ID   texts `json:"id"`
		Kind texts `json:"kind"`
	}
	var moment momentInput
	if err := decodeWith(c, moment.Args(), &in); err != nil {
		return nil, err
	}
	ids, err := s.resolveSome(ctx, in.ID, api.PreferLive)
	if err != nil {
		return nil, err
	}
	at, err := moment.moment(s)
	if err != nil {
		return nil, err
	}
	rs, err := s.memories.Relations().List(ctx, api.Relations{IDs: ids, Kinds: in.Kind, At: at})
	return s.relations(rs), err
}

func sessionContext(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in struct {
		Prompt    string `json:"prompt"`
		MaxTokens int    `json:"max_tokens"`
	}
	var moment momentInput
	if err := decodeWith(c, moment.Args(), &in); err != nil {
		return nil, err
	}
	at, err := moment.moment(s)
	if err != nil {
		return nil, err
	}
	q := briefing.Query{Prompt: in.Prompt, MaxTokens: in.MaxTokens, At: at}
	if s.caller.Work != nil {
		q.Work = s.caller.Work(ctx)
	}
	b, err := engine.Context(ctx, s.memories, q)
	if err != nil {
		return nil, err
	}
	return b.Text(), nil
}

func stats(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	if err := decode(c, &struct{}{}); err != nil {
		return nil, err
	}
	x, err := s.memories.Status(ctx)
	return map[string]any{
		"$": "struct", "memories": x.Memories, "count": x.Memories, "forgotten": x.Forgotten, "day": x.Day, "date": x.Date, "ranker": x.Ranker,
		"degraded": list(x.Degraded), "ready": err == nil,
	}, err
}

func projects(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	if err := decode(c, &struct{}{}); err != nil {
		return nil, err
	}
	names, err := s.memories.Projects(ctx)
	return list(names), err
}
