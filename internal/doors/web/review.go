package web

import (
	"context"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// reviewBody is what a person should look at: captures of hooks that nobody confirmed, or pairs of memories.
type reviewBody struct {
	Part     string // "captures" or "pairs"
	Captures []item
	Pairs    []pair
	// From to To of Total memories were looked at, the newest first.
	From, To, Total int
	Next            string
}

// pair is two memories that say the same, or the opposite.
type pair struct {
	Newer, Older item
	// Reason says in what they differ; empty for duplicates.
	Reason string
}

// The number of memories that one page looks at: captures are found by reading, pairs by a search each.
const (
	scannedForCaptures = 500
	scannedForPairs    = 50
)

func showReview(v *visit) (page, error) {
	ctx := v.r.Context()
	offset, err := v.offset()
	if err != nil {
		return page{}, err
	}
	if v.r.URL.Query().Get("part") == "audit" {
		return showAudit(v)
	}
	b := reviewBody{Part: "captures"}
	scan := scannedForCaptures
	if v.r.URL.Query().Get("part") == "pairs" {
		b.Part, scan = "pairs", scannedForPairs
	}
	list, err := memory.List(ctx, v.memories, api.List{Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}, Offset: offset, Count: scan})
	if err != nil {
		return page{}, err
	}
	b.From, b.To, b.Total = min(offset+1, list.Total), offset+len(list.Memories), list.Total
	if b.To < b.Total {
		b.Next = v.at(b.To)
	}
	if b.Part == "captures" {
		for _, m := range list.Memories {
			if unconfirmed(m) {
				b.Captures = append(b.Captures, v.newItem(m))
			}
		}
	} else if b.Pairs, err = pairsOf(ctx, v, list.Memories); err != nil {
		return page{}, err
	}
	return page{Title: "Review", Content: reviewContent(formsOf(v), b)}, nil
}

// unconfirmed reports whether a hook captured a memory that nobody has voted up or pinned.
func unconfirmed(m *hippo.Memory) bool { return m.Source.Kind == hippo.SourceHook && waits(m) }

// waits reports whether a memory of low trust waits for somebody to confirm it.
func waits(m *hippo.Memory) bool {
	return m.Trust <= hippo.TrustLow && !m.Pinned && m.Importance.Value <= m.Importance.Base
}

// pairsOf compares memories with the others of their projects.
func pairsOf(ctx context.Context, v *visit, ms []*hippo.Memory) ([]pair, error) {
	var out []pair
	seen := make(map[[2]hippo.ID]bool)
	for _, m := range ms {
		if !m.SupersededBy.IsZero() {
			continue
		}
		c, err := memory.Compare(ctx, v.memories, m)
		if err != nil {
			return nil, err
		}
		reasons := make(map[hippo.ID]string)
		ids := c.Duplicates
		for _, r := range c.Replaces {
			ids = append(ids, r.Memory.ID)
			reasons[r.Memory.ID] = r.Reason
		}
		if len(ids) == 0 {
			continue
		}
		others, err := memory.Get(ctx, v.memories, ids)
		if err != nil {
			return nil, err
		}
		for _, o := range others {
			newer, older := m, o
			if older.CreatedAt.After(newer.CreatedAt) {
				newer, older = older, newer
			}
			key := [2]hippo.ID{newer.ID, older.ID}
			if !seen[key] {
				seen[key] = true
				out = append(out, pair{v.newItem(newer), v.newItem(older), strings.TrimSpace(reasons[o.ID])})
			}
		}
	}
	return out, nil
}
