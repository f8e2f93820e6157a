package shodh

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/verb"
)

// listed is the answer of listMemories.
type listed struct {
	Memories []memoryJSON `json:"memories"`
	Count    int          `json:"count"`
	Total    int          `json:"total"`
}

func listMemories(ctx context.Context, c *call) (reply, error) {
	q := api.List{Count: c.Int("limit", defaultList), Offset: c.Int("offset", 0)}
	var possible bool
	var err error
	if q.Filter.Types, possible, err = storedTypes(ctx, c, given(c.Input, "type")); err != nil || !possible {
		return reply{body: listed{Memories: []memoryJSON{}}}, err
	}
	page, err := memory.List(ctx, c.Memories, q)
	if err != nil {
		return reply{}, err
	}
	return reply{body: listed{showAll(c, page.Memories, page.Day), len(page.Memories), page.Total}}, nil
}

// given returns an argument as a list of one, or of none.
func given(a verb.Input, name string) []string {
	if v := verb.Of(a, name, ""); v != "" {
		return []string{v}
	}
	return nil
}

// selection is the memories that have some tags.
type selection struct {
	// filters keep the memories, each some of them; a memory may pass several.
	filters []hippo.Filter
}

// selectionOf reads the arguments of [tagParams].
func selectionOf(ctx context.Context, c *call) (selection, error) {
	tags := trimmed(verb.Of[[]string](c.Input, "tags", nil))
	if err := hippo.ValidTags("tags", tags); err != nil {
		return selection{}, err
	}
	all := c.Flag("match_all")
	if c.Has("match") {
		if c.Has("match_all") && all != (c.Text("match") == "all") {
			return selection{}, hippo.Fieldf("match", "must not contradict match_all")
		}
		all = c.Text("match") == "all"
	}
	types, possible, err := storedTypes(ctx, c, given(c.Input, "type"))
	if err != nil || !possible {
		return selection{}, err
	}
	if all {
		return selection{[]hippo.Filter{{Tags: tags, Types: types}}}, nil
	}
	var s selection
	for _, t := range tags {
		s.filters = append(s.filters, hippo.Filter{Tags: []string{t}, Types: types})
	}
	return s, nil
}

// trimmed returns tags as they are stored: without spaces around them, each once.
func trimmed(tags []string) []string {
	var out []string
	for _, t := range tags {
		if t = strings.TrimSpace(t); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// newest returns the n memories of the selection that a list has first, and the active day that they are shown for.
func (s *selection) newest(ctx context.Context, c *call, n int) ([]*hippo.Memory, hippo.Day, error) {
	var day hippo.Day
	var out []*hippo.Memory
	for _, f := range s.filters {
		page, err := memory.List(ctx, c.Memories, api.List{Filter: f, Count: n})
		if err != nil {
			return nil, 0, err
		}
		out, day = append(out, page.Memories...), page.Day
	}
	slices.SortStableFunc(out, func(a, b *hippo.Memory) int { return cmp.Or(rank.HoldingFirst(c.Now(), a, b), newer(a, b)) })
	out = slices.CompactFunc(out, func(a, b *hippo.Memory) bool { return a.ID == b.ID })
	return out[:min(len(out), n)], day, nil
}

// newer orders memories that hold as a list does: the newer first, then by ID.
func newer(a, b *hippo.Memory) int {
	if k := b.CreatedAt.Compare(a.CreatedAt); k != 0 {
		return k
	}
	return a.ID.Compare(b.ID)
}

// ids returns the IDs of all memories of the selection, each once. Cost: a read of all of them.
func (s *selection) ids(ctx context.Context, c *call) ([]hippo.ID, error) {
	var out []hippo.ID
	seen := make(map[hippo.ID]bool)
	for _, f := range s.filters {
		for q, more := (api.List{Filter: f, Count: hippo.MaxCount}), true; more; q.Offset += q.Count {
			page, err := memory.List(ctx, c.Memories, q)
			if err != nil {
				return nil, err
			}
			for _, m := range page.Memories {
				if !seen[m.ID] {
					seen[m.ID] = true
					out = append(out, m.ID)
				}
			}
			more = q.Offset+q.Count < page.Total
		}
	}
	return out, nil
}

// tagged is the answer of listTags.
type tagged struct {
	Tags  []string `json:"tags"`
	Count int      `json:"count"`
}

func listTags(ctx context.Context, c *call) (reply, error) {
	counts, err := memory.Labels(ctx, c.Memories, hippo.Filter{})
	if err != nil {
		return reply{}, err
	}
	out := tagged{Tags: []string{}}
	for t := range counts.Tags {
		out.Tags = append(out.Tags, t)
	}
	slices.Sort(out.Tags)
	out.Count = len(out.Tags)
	return reply{body: out}, nil
}
