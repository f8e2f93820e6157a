package claudehippo

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

const (
	// defaultRecent is the number of memories in a list, maxPage the last page.
	defaultRecent = 20
	maxPage       = 1_000_000
	// maxHours is a hundred years.
	maxHours     = 876_000
	defaultHours = 24
	// shownTags and highlights are the lengths of lists in a summary.
	shownTags  = 10
	highlights = 5
)

func listParams() verb.Table {
	return verb.Table{
		{Name: "n", Also: "page_size limit", Rules: verb.Between(1, hippo.MaxCount, defaultRecent), To: verb.New[int]},
		{Name: "page", Rules: verb.Between(1, maxPage, 1), To: verb.New[int]},
		d.TagsArg(), d.TypeArg(),
	}
}

// listed is a page of memories.
type listed struct {
	Memories []row `json:"memories"`
	Count    int   `json:"count"`
}

// paged is that with the fields of mcp-memory-service.
type paged struct {
	listed
	Total      int  `json:"total"`
	Page       int  `json:"page"`
	PageSize   int  `json:"page_size"`
	TotalPages int  `json:"total_pages"`
	HasMore    bool `json:"has_more"`
}

func callList(ctx context.Context, c *d.Call) (d.Result, error) {
	p, err := list(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(p.listed, p.Count)
}

func callListPages(ctx context.Context, c *d.Call) (d.Result, error) {
	p, err := list(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(p, p.Count)
}

func list(ctx context.Context, c *d.Call) (*paged, error) {
	s, err := d.SelectionOf(c)
	if err != nil {
		return nil, err
	}
	ms, total, err := s.Page(ctx, c, c.Int("page", 1), c.Int("n", defaultRecent))
	if err != nil {
		return nil, err
	}
	p := &paged{Total: total, Page: c.Int("page", 1), PageSize: c.Int("n", defaultRecent)}
	p.TotalPages = (total + p.PageSize - 1) / p.PageSize
	p.HasMore = p.Page < p.TotalPages
	p.Count = len(ms)
	p.Memories, err = rows(ctx, c, ms)
	return p, err
}

// summary is what was stored in a time.
type summary struct {
	Hours      int      `json:"window_hours"`
	Total      int      `json:"total_memories"`
	ByType     [][2]any `json:"by_type"`
	Tags       [][2]any `json:"top_tags"`
	Highlights []row    `json:"highlights"`
	Mean       float32  `json:"mean_surprise"`
}

func callSummary(ctx context.Context, c *d.Call) (d.Result, error) {
	out := summary{Hours: c.Int("hours", defaultHours)}
	s := d.Selection{}
	s.Filter.CreatedAfter = c.Now.Add(-time.Duration(out.Hours) * time.Hour)
	ms, err := s.Every(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	types, tags, sum := map[string]int{}, map[string]int{}, 0.0
	for _, m := range ms {
		types[cmp.Or(m.Type, "(none)")]++
		for _, t := range m.Tags {
			tags[t]++
		}
		sum += m.Surprise.Score
	}
	out.Total, out.ByType, out.Tags = len(ms), counted(types, len(types)), counted(tags, shownTags)
	if len(ms) > 0 {
		out.Mean = float32(sum / float64(len(ms)))
	}
	slices.SortStableFunc(ms, func(a, b *hippo.Memory) int { return cmp.Compare(b.Surprise.Score, a.Surprise.Score) })
	engine.HoldingFirst(ms, func(m *hippo.Memory) bool { return m.StateAt(c.Now) == hippo.Holds })
	if out.Highlights, err = rows(ctx, c, ms[:min(len(ms), highlights)]); err != nil {
		return d.Result{}, err
	}
	return d.JSON(out, out.Total)
}

// counted returns the most frequent names with their counts.
func counted(counts map[string]int, most int) [][2]any {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	out := make([][2]any, 0, most)
	for _, name := range names[:min(len(names), most)] {
		out = append(out, [2]any{name, counts[name]})
	}
	return out
}

// pong is the state of the memory.
type pong struct {
	Status  string `json:"status"`
	Backend string `json:"backend"`
	Vectors string `json:"vec_version"`
	Alive   int    `json:"alive"`
	Total   int    `json:"total"`
	Uptime  int    `json:"uptime_seconds"`
	Version string `json:"claude_hippo_version"`
}

const (
	// vecVersion is that of sqlite-vec in this program, for the files of other programs.
	vecVersion = "v0.1.9"
	// version is the one of claude-hippo whose tools these are.
	version = "0.5.0"
)

func callPing(ctx context.Context, c *d.Call) (d.Result, error) {
	st, err := memory.Status(ctx, c.Memories)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(pong{
		Status: "ok", Backend: "hippo", Vectors: vecVersion, Version: version,
		Alive: st.Memories, Total: st.Memories + st.Forgotten, Uptime: int(c.Now.Sub(c.Began).Seconds()),
	}, 0)
}
