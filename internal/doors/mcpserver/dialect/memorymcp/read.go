package memorymcp

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/verb"
)

// reading returns the tools that read and list memories.
func reading() []d.Tool {
	valid := func(more ...verb.Arg) verb.Table {
		var params verb.Table
		for _, p := range selectParams() {
			if p.Name != "valid_at" {
				params = append(params, p)
			}
		}
		return verb.With(append(more, limitParam(defaultLimit)), params...)
	}
	return []d.Tool{
		{Name: "get_memory", Description: "One memory, whole.", ReadOnly: true, Call: callGet, Params: verb.Table{idParam()}},
		{
			Name: "list_memories", Description: "Memories, the newest first, those that ended too.", ReadOnly: true, Call: callList,
			Params: verb.With(verb.Table{limitParam(defaultLimit), {Name: "offset", Field: "Offset", Rules: verb.Between(0, maxOffset, 0), To: verb.New[int]}}, selectParams()...),
		},
		{
			Name: "get_valid", Description: "Memories that hold now, or at a time, the newest first.", ReadOnly: true, Call: callValid,
			Params: valid(verb.Arg{Name: "timestamp", About: "ISO 8601; default: now", To: verb.New[verb.Time]}),
		},
		{
			Name: "get_valid_at", Description: "Memories that hold at a time, the newest first.", ReadOnly: true, Call: callValid, Unlisted: true,
			Params: valid(verb.Arg{Name: "timestamp", About: "ISO 8601", Is: verb.Required, To: verb.New[verb.Time]}),
		},
	}
}

func callGet(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := findMemory(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(rowOf(m, c.Now), 1)
}

// listed is a page of memories.
type listed struct {
	Memories []row `json:"memories"`
	Total    int   `json:"total"`
	Limit    int   `json:"limit"`
	Offset   int   `json:"offset"`
}

func callList(ctx context.Context, c *d.Call) (d.Result, error) {
	s, err := selectionOf(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	out := listed{Limit: c.Int("limit", defaultLimit), Offset: c.Int("offset", 0)}
	var ms []*hippo.Memory
	if ms, out.Total, err = s.list(ctx, c, out.Offset, out.Limit); err != nil {
		return d.Result{}, err
	}
	out.Memories = rowsOf(ms, c.Now)
	return d.JSON(out, len(ms))
}

// validList are memories that hold at a time.
type validList struct {
	Memories  []row  `json:"memories"`
	Count     int    `json:"count"`
	Timestamp string `json:"timestamp,omitempty"`
}

func callValid(ctx context.Context, c *d.Call) (d.Result, error) {
	s, err := selectionOf(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	var at time.Time
	if err := verb.Read(c.Now, c.Time("timestamp").Into(&at)); err != nil {
		return d.Result{}, err
	}
	out := validList{Timestamp: iso(at)}
	if s.filter.ValidAt = at; at.IsZero() {
		s.filter.ValidAt = c.Now
	}
	ms, _, err := s.list(ctx, c, 0, c.Int("limit", defaultLimit))
	if err != nil {
		return d.Result{}, err
	}
	out.Memories, out.Count = rowsOf(ms, c.Now), len(ms)
	return d.JSON(out, len(ms))
}
