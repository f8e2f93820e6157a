package memoryservice

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// maxPage bounds page numbers, so that an offset does not overflow.
const maxPage = 1_000_000

// reading returns the tools that change nothing.
func reading() []d.Tool {
	return []d.Tool{
		{
			Name: "memory_search", Description: "Search memories by meaning, words, time and tags.", ReadOnly: true, Params: searchParams(), Call: callSearch,
		},
		{
			Name: "memory_list", Description: "List memories, the newest first, as JSON.", ReadOnly: true, Call: callList,
			Params: verb.Table{
				{Name: "page", Field: "Offset", Rules: verb.Between(1, maxPage, 1), To: verb.New[int]},
				count("page_size", 100, 20), d.TagsArg(), d.MatchArg(), d.TypeArg(),
				{Name: "stale_days", About: "neither changed nor used for so long", Rules: verb.Between(1, 36500), To: verb.New[int]},
				storeParam(), agentParam(),
			},
		},
		{Name: "memory_health", Description: "Counts and problems of the store, as JSON.", ReadOnly: true, Call: callHealth},
		{Name: "memory_stats", Description: "State of the index and the models, as JSON.", ReadOnly: true, Call: callStats},
		{
			Name: "get_bootstrap_profile", Description: "What to know of earlier work of these agents.", ReadOnly: true, Call: callProfile,
			Params: verb.Table{
				{Name: "agent_ids", Is: verb.Required, To: verb.New[[]string]},
				{Name: "project_id", To: verb.New[verb.Project]},
				{Name: "task_summary", Field: "Prompt", To: verb.New[string]},
				{Name: "max_tokens", Also: "budget_tokens", Field: "MaxTokens", Rules: verb.Between(100, 32_000, 2048), To: verb.New[int]},
			},
		},
		{
			Name: "get_onboarding_guide", Description: "How to use this memory.", ReadOnly: true, Call: callGuide,
			Params: verb.Table{{Name: "client_type", Values: []string{"generic", "kiro", "claude-code"}, Rules: verb.Schema{"default": "generic"}, To: verb.New[string]}},
		},
	}
}

func searchParams() verb.Table {
	unit := func(name, about string) verb.Arg {
		return verb.Arg{Name: name, About: about, Rules: verb.Between(0, 1), To: verb.New[float64]}
	}
	return verb.With(verb.Table{
		{Name: "query", Field: "Text", To: verb.New[string]},
		{Name: "mode", Values: []string{"semantic", "exact", "hybrid", "ranked"}, Rules: verb.Schema{"default": "semantic"}, To: verb.New[string]},
		{Name: "time_expr", Field: "When when", About: "last week, 3 days ago; takes precedence over after and before", To: verb.New[string]},
	}, verb.With(d.TimeArgs(), d.TagsArg(), d.MatchArg(), unit("quality_boost", "weight of the importance"),
		verb.Arg{Name: "ranking_weights", About: "for mode ranked", To: verb.Nested(verb.Table{
			unit("semantic", ""), unit("time_decay", ""), unit("access_frequency", ""), unit("quality", ""),
		})},
		count("limit", 100, 10), verb.Arg{Name: "include_debug", To: verb.New[bool]},
		verb.Arg{Name: "max_response_chars", Rules: verb.Between(200, 10_000_000, maxResponse), To: verb.New[int]},
		verb.Arg{Name: "include_superseded", To: verb.New[bool]}, verb.Arg{Name: "entity", To: verb.New[string]}, verb.Arg{Name: "fallback", To: verb.New[bool]},
		agentParam(), verb.Arg{Name: "include_beliefs", To: verb.New[bool]}, storeParam(), verb.Arg{Name: "summarize", To: verb.New[bool]})...)
}

func callSearch(ctx context.Context, c *d.Call) (d.Result, error) {
	switch {
	case c.Text("entity") != "":
		return d.Result{}, d.Missing("entity: there is no graph of entities; put the name into the query")
	case c.Flag("include_beliefs"):
		return d.Result{}, d.Missing("include_beliefs: beliefs are not kept; search without it")
	}
	s := search{query: c.Text("query"), limit: c.Int("limit", 10), superseded: c.Flag("include_superseded"), fallback: c.Flag("fallback")}
	var err error
	if s.Selection, err = selectionOf(ctx, c); err != nil {
		return d.Result{}, err
	}
	mode := c.Text("mode")
	if mode == "" {
		mode = "semantic"
	}
	s.exact = mode == "exact"
	if s.exact && s.query == "" {
		return d.Result{}, hippo.Fieldf("query", "is required in mode exact: the text that memories contain")
	}
	if s.query == "" && !c.Has("tags") && !c.Has("time_expr") && !c.Has("after") && !c.Has("before") {
		return d.Result{}, hippo.Fieldf("query", "or tags, time_expr, after or before must be given")
	}
	if s.weights, err = weightsOf(c, mode); err != nil {
		return d.Result{}, err
	}
	r, err := s.run(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return d.Result{Text: writeResults(c, &s, r, mode), Count: len(r.list)}, nil
}

// weightsOf returns the weights of a call; nil if the ranking of the engine stays as it is.
func weightsOf(c *d.Call, mode string) (*weights, error) {
	if b := c.Number("quality_boost", 0); b > 0 {
		return &weights{semantic: 1 - b, quality: b}, nil
	}
	if !c.Has("ranking_weights") {
		return nil, nil
	}
	if mode != "ranked" {
		return nil, hippo.Fieldf("ranking_weights", "needs mode ranked, got mode %s", mode)
	}
	a := c.Inner("ranking_weights")
	w := weights{a.Number("semantic", 0), a.Number("time_decay", 0), a.Number("access_frequency", 0), a.Number("quality", 0)}
	if w == (weights{}) {
		return nil, hippo.Fieldf("ranking_weights", `must have a weight above 0, such as {"semantic":0.7,"quality":0.3}`)
	}
	return &w, nil
}

// listed is a page of memories for programs.
type listed struct {
	Memories   []stored `json:"memories"`
	Page       int      `json:"page"`
	PageSize   int      `json:"page_size"`
	Total      int      `json:"total"`
	TotalFound int      `json:"total_found,omitempty"` // the name of older clients
	TotalPages int      `json:"total_pages"`
	HasMore    bool     `json:"has_more"`
}

func callList(ctx context.Context, c *d.Call) (d.Result, error) {
	page, _, err := list(ctx, c, c.Int("page_size", 20))
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(page, len(page.Memories))
}

// list returns a page of the list that the arguments select, and the stored memories of that page.
func list(ctx context.Context, c *d.Call, size int) (*listed, []*hippo.Memory, error) {
	out := &listed{Memories: []stored{}, Page: c.Int("page", 1), PageSize: size}
	ms, total, err := page(ctx, c, out.Page, size)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range ms {
		out.Memories = append(out.Memories, storedOf(m, c.Now))
	}
	out.Total, out.TotalPages = total, (total+size-1)/size
	out.HasMore = out.Page < out.TotalPages
	return out, ms, nil
}

// page returns a page of what the arguments select, and the number of memories on all pages.
func page(ctx context.Context, c *d.Call, number, size int) ([]*hippo.Memory, int, error) {
	s, err := selectionOf(ctx, c)
	if err != nil {
		return nil, 0, err
	}
	days := c.Int("stale_days", 0)
	if days == 0 {
		return s.Page(ctx, c, number, size)
	}
	ms, err := s.Every(ctx, c)
	if err != nil {
		return nil, 0, err
	}
	st, err := memory.Status(ctx, c.Memories)
	if err != nil {
		return nil, 0, err
	}
	ms = slices.DeleteFunc(ms, func(m *hippo.Memory) bool { return !stale(m, days, c.Now, st.Day) })
	from := min((number-1)*size, len(ms))
	return ms[from:min(from+size, len(ms))], len(ms), nil
}

// stale reports whether a memory was neither changed nor used for a number of days. Use is known by
// active days, of which there are at most as many as calendar days.
func stale(m *hippo.Memory, days int, now time.Time, today hippo.Day) bool {
	if k := len(m.Accesses); k > 0 && today > m.Accesses[k-1].Day && int(today-m.Accesses[k-1].Day) < days {
		return false
	}
	changed := m.UpdatedAt
	if changed.IsZero() {
		changed = m.CreatedAt
	}
	return changed.Before(now.AddDate(0, 0, -days))
}

// health is the state of the store for programs.
type health struct {
	Status     string           `json:"status"`
	Statistics healthStatistics `json:"statistics"`
	Problems   []string         `json:"problems,omitempty"`
}

type healthStatistics struct {
	Backend       string `json:"backend"`
	TotalMemories int    `json:"total_memories"`
	Forgotten     int    `json:"forgotten"`
	ActiveDay     int    `json:"active_day"`
}

func callHealth(ctx context.Context, c *d.Call) (d.Result, error) {
	st, err := memory.Status(ctx, c.Memories)
	if err != nil {
		return d.Result{}, err
	}
	h := health{Status: "healthy", Problems: st.Degraded, Statistics: healthStatistics{
		Backend: "hippo", TotalMemories: st.Memories, Forgotten: st.Forgotten, ActiveDay: int(st.Day),
	}}
	if st.Store != nil {
		for _, p := range st.Store.Problems {
			h.Problems = append(h.Problems, p.String())
		}
	}
	if len(h.Problems) > 0 {
		h.Status = "degraded"
	}
	r, err := d.JSON(h, 0)
	r.Data = h
	return r, err
}

func callStats(ctx context.Context, c *d.Call) (d.Result, error) {
	st, err := memory.Status(ctx, c.Memories)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(wire.StatusOf(&st), 0)
}

// bytesPerToken is the usual length of a token of English.
const bytesPerToken = 4

func callProfile(ctx context.Context, c *d.Call) (d.Result, error) {
	s := search{query: c.Text("task_summary"), limit: 20}
	var err error
	if s.Filter.Projects, err = storeOf(c, "project_id").Filter(ctx, c.Memories); err != nil {
		return d.Result{}, err
	}
	var blocks []string
	for _, agent := range c.Texts("agent_ids") {
		s.Filter.Author = agent
		r, err := s.run(ctx, c)
		if err != nil {
			return d.Result{}, err
		}
		for i := range r.list {
			blocks = append(blocks, block(len(blocks)+1, &r.list[i], false, false, c.Now))
		}
	}
	if len(blocks) == 0 {
		return d.Result{Text: "No memories of " + strings.Join(c.Texts("agent_ids"), ", ")}, nil
	}
	head := fmt.Sprintf("Profile of %s", strings.Join(c.Texts("agent_ids"), ", "))
	return d.Result{Text: fit(head, blocks, c.Int("max_tokens", 2048)*bytesPerToken), Count: len(blocks)}, nil
}

func callGuide(_ context.Context, c *d.Call) (d.Result, error) {
	text := "Search with memory_search before answering what earlier work may touch. Store one decision, lesson or fact at a time with memory_store, " +
		"with tags and a type. Correct a memory with memory_update instead of storing it again; rate it with memory_quality when it helped or misled."
	if c.Text("client_type") == "claude-code" {
		text += " Hooks that do this by themselves: hippo setup."
	}
	return d.Result{Text: text}, nil
}
