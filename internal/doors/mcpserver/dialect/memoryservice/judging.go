package memoryservice

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

// judging returns the tools for quality, conflicts and relations.
func judging() []d.Tool {
	return []d.Tool{
		{
			Name: "memory_quality", Description: "Rate a memory, read its quality, or analyze that of all. Quality is the importance, which votes and time change.", Call: callQuality,
			Params: verb.Table{
				{Name: "action", Values: []string{"rate", "get", "analyze", "maintain", "maintain_status"}, Is: verb.Required, To: verb.New[string]},
				{Name: "content_hash", Also: "hash", Field: "ID IDs Up Down", To: verb.New[string]},
				{Name: "rating", Values: []string{"-1", "0", "1"}, To: verb.New[string]},
				{Name: "feedback", To: verb.New[string]},
				{Name: "min_quality", Rules: verb.Between(0, 1), To: verb.New[float64]},
				{Name: "max_quality", Rules: verb.Between(0, 1), To: verb.New[float64]},
				{Name: "dry_run", Rules: verb.Schema{"default": true}, To: verb.New[bool]},
			},
		},
		{Name: "memory_conflicts", Description: "Memories that contradict each other.", ReadOnly: true, Call: callConflicts},
		{
			Name: "memory_graph", Description: "Relations of memories: connected, path, subgraph; as JSON.", ReadOnly: true, Call: callGraph,
			Params: verb.Table{
				{Name: "action", Values: []string{"connected", "path", "subgraph", "infer", "suggest", "list_entities", "extract_entities"}, Is: verb.Required, To: verb.New[string]},
				{Name: "hash", Also: "content_hash", To: verb.New[string]},
				{Name: "hash1", To: verb.New[string]},
				{Name: "hash2", To: verb.New[string]},
				count("max_hops", 10, 2), count("max_depth", 10, 5), count("radius", 10, 2),
				{Name: "rel_type", To: verb.New[string]},
			},
		},
	}
}

func callQuality(ctx context.Context, c *d.Call) (d.Result, error) {
	switch action := c.Text("action"); action {
	case "analyze":
		return analyze(ctx, c)
	case "rate", "get":
		needed := []string{"content_hash", "rating"}
		if action == "get" {
			needed = needed[:1]
		}
		if err := c.Require("action "+action, needed...); err != nil {
			return d.Result{}, err
		}
	default:
		return d.Result{}, d.Missing("action " + action + ": quality needs no upkeep here; action analyze shows it, action rate changes it")
	}
	m, err := findOne(ctx, c, "content_hash")
	if err != nil {
		return d.Result{}, err
	}
	if c.Text("action") == "rate" {
		return rate(ctx, c, m)
	}
	q, err := qualityOf(ctx, c, []*hippo.Memory{m})
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(q[0], 1)
}

func rate(ctx context.Context, c *d.Call, m *hippo.Memory) (d.Result, error) {
	change := api.Change{Vote: map[string]api.Vote{"1": api.VoteUp, "-1": api.VoteDown, "0": api.VoteNone}[c.Text("rating")]}
	if text := c.Text("feedback"); text != "" {
		metadata := withText(nil, "feedback", text)
		change.Metadata = &metadata
	}
	before, err := qualityOf(ctx, c, []*hippo.Memory{m})
	if err != nil {
		return d.Result{}, err
	}
	if m, err = memory.Modify(ctx, c.Memories, m.ID, change); err != nil {
		return d.Result{}, err
	}
	text := fmt.Sprintf("Memory rated %s (hash: %s): quality %.2f -> %.2f", c.Text("rating"), d.HashOf(m), before[0].Score, m.Importance.Value)
	return d.Result{Text: text, Count: 1}, nil
}

// quality is the quality of a memory for programs.
type quality struct {
	ContentHash string  `json:"content_hash"`
	Score       float64 `json:"quality_score"`
	Accesses    int     `json:"access_count"`
}

func qualityOf(ctx context.Context, c *d.Call, ms []*hippo.Memory) ([]quality, error) {
	st, err := memory.Status(ctx, c.Memories)
	if err != nil {
		return nil, err
	}
	out := make([]quality, len(ms))
	for i, m := range ms {
		out[i] = quality{ContentHash: d.HashOf(m), Score: wire.Round(c.Importance(m, st.Day), 4)}
		for _, a := range m.Accesses {
			out[i].Accesses += a.Count
		}
	}
	return out, nil
}

// analysis is the distribution of quality for programs.
type analysis struct {
	Total   int       `json:"total_memories"`
	Average float64   `json:"average_quality"`
	High    int       `json:"high_quality"`   // from .7
	Medium  int       `json:"medium_quality"` // from .5
	Low     int       `json:"low_quality"`
	Lowest  []quality `json:"memories"` // the first in the order of time, at most ten
}

const shownQualities = 10

func analyze(ctx context.Context, c *d.Call) (d.Result, error) {
	least, most := c.Number("min_quality", 0), c.Number("max_quality", 1)
	if least > most {
		return d.Result{}, hippo.Fieldf("min_quality", "must not be above max_quality, got %v and %v", least, most)
	}
	ms, err := (&d.Selection{}).Every(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	all, err := qualityOf(ctx, c, ms)
	if err != nil {
		return d.Result{}, err
	}
	out := analysis{Lowest: []quality{}}
	for _, q := range all {
		if q.Score < least || q.Score > most {
			continue
		}
		out.Total++
		out.Average += q.Score
		switch {
		case q.Score >= .7:
			out.High++
		case q.Score >= .5:
			out.Medium++
		default:
			out.Low++
		}
		if len(out.Lowest) < shownQualities {
			out.Lowest = append(out.Lowest, q)
		}
	}
	out.Average = wire.Round(out.Average/float64(max(out.Total, 1)), 4)
	return d.JSON(out, out.Total)
}

// callConflicts compares the newest memories, as many as a page of a search has.
func callConflicts(ctx context.Context, c *d.Call) (d.Result, error) {
	a, err := query.Search(ctx, c.Memories, hippo.Query{Count: hippo.MaxCount, NoTouch: true, Detail: hippo.Detail{Each: true}})
	if err != nil {
		return d.Result{}, err
	}
	byID := make(map[hippo.ID]*hippo.Memory, len(a.Hits))
	for i := range a.Hits {
		byID[a.Hits[i].Memory.ID] = a.Hits[i].Memory
	}
	var b strings.Builder
	n := 0
	for _, x := range a.Conflicts {
		one, two := byID[x.A], byID[x.B]
		if one == nil || two == nil || !one.SupersededBy.IsZero() || !two.SupersededBy.IsZero() {
			continue
		}
		n++
		fmt.Fprintf(&b, "\n%d. %s\n   Hash: %s\n   %s\n   Hash: %s\n   Reason: %s", n, line(one, c.Now), d.HashOf(one), line(two, c.Now), d.HashOf(two), forModel(x.Reason))
	}
	if n == 0 {
		return d.Result{Text: fmt.Sprintf("No conflicts found among %d memories", len(a.Hits))}, nil
	}
	return d.Result{Text: fmt.Sprintf("Found %d conflicts; memory_resolve settles one", n) + b.String(), Count: n}, nil
}
