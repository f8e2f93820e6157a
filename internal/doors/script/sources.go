package script

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/sources"
)

// searchSources is a search of code, and of memories beside it: {"$": "results"} with what takes no part as notes. Pages
// end at the hundredth hit: a later page that reaches beyond it ends there, so that a loop over pages also ends.
func searchSources(ctx context.Context, s *session, asked sources.Set, q hippo.Query) (any, error) {
	if left := api.MaxSourceHits - q.Offset; q.Offset > 0 && left < q.Count {
		if q.Count = left; left <= 0 {
			return results([]map[string]any{}, api.MaxSourceHits), nil
		}
	}
	a, err := sources.Search(ctx, &sources.Asked{
		Sources: asked, Scope: s.caller.Scope, Trees: s.caller.Trees,
		Insights: sources.InsightsOf(s.memories),
	}, q)
	if err != nil {
		return nil, err
	}
	memories := s.hits(&a.Memory)
	items := make([]map[string]any, len(a.Hits))
	for i := range a.Hits {
		if h := &a.Hits[i]; h.Code != nil {
			items[i] = codeValue(h, a.Trees > 1)
			continue
		}
		items[i], memories = memories[0], memories[1:]
	}
	r := results(items, a.Total())
	r["query"], r["confidence"], r["weak"], r["degraded"], r["notes"] = q.Text, wire.Round(a.Memory.Confidence, 4), a.Weak, list(a.Memory.Degraded), list(a.Notes)
	r["facts"] = factsOf(s, &a.Memory)
	return r, nil
}

// codeValue returns code as the child makes a value of it. Its id is its place, which that of no memory is; several: with
// the root of its tree.
func codeValue(h *api.SourceHit, several bool) map[string]any {
	c := h.Code
	place := fmt.Sprintf("%s:%d", c.Path, c.First)
	if several {
		place = strings.TrimSuffix(c.Root, "/") + "/" + place
	}
	return map[string]any{
		"$": "code", "id": place, "source": api.SourceCode, "score": wire.Round(h.Relevance, 4), "name": c.Name, "kind": c.Kind, "language": c.Language,
		"root": c.Root, "path": c.Path, "first_line": c.First, "last_line": c.Last, "stale": string(c.Freshness), "content": c.Text, "title": wire.CodeName(c),
	}
}
