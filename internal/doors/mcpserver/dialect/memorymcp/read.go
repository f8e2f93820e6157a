package memorymcp

import (
	"context"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
)

// reading returns the tools that read and list memories.
func reading() []d.Tool {
	valid := func(more ...d.Param) []d.Param {
		var params []d.Param
		for _, p := range selectParams() {
			if p.Name != "valid_at" {
				params = append(params, p)
			}
		}
		return d.With(append(more, limitParam(defaultLimit)), params...)
	}
	return []d.Tool{
		{Name: "get_memory", Description: "One memory, whole.", ReadOnly: true, Call: callGet, Params: []d.Param{idParam()}},
		{
			Name: "list_memories", Description: "Memories, the newest first, those that ended too.", ReadOnly: true, Call: callList,
			Params: d.With([]d.Param{limitParam(defaultLimit), {Name: "offset", Of: "Offset", Kind: d.Whole, Min: 0, Max: maxOffset, Default: 0}}, selectParams()...),
		},
		{
			Name: "get_valid", Description: "Memories that hold now, or at a time, the newest first.", ReadOnly: true, Call: callValid,
			Params: valid(d.Param{Name: "timestamp", Kind: d.Text, About: "ISO 8601; default: now"}),
		},
		{
			Name: "get_valid_at", Description: "Memories that hold at a time, the newest first.", ReadOnly: true, Call: callValid, Unlisted: true,
			Params: valid(d.Param{Name: "timestamp", Kind: d.Text, Required: true, About: "ISO 8601"}),
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
	at, err := moment(c, "timestamp")
	if err != nil {
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
