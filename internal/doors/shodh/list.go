package shodh

import (
	"context"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
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

// withTags reads the arguments of [tagParams], and returns the first n memories that have the tags.
func withTags(ctx context.Context, c *call, n int) (*api.Listing, error) {
	filters, err := tagFilters(ctx, c)
	if err != nil {
		return nil, err
	}
	return memory.ListAny(ctx, c.Memories, api.List{}, filters, n, c.Now())
}

// tagFilters returns the filters of which a memory that has the tags passes any.
func tagFilters(ctx context.Context, c *call) (filters []hippo.Filter, err error) {
	tags := trimmed(verb.Of[[]string](c.Input, "tags", nil))
	if err := hippo.ValidTags("tags", tags); err != nil {
		return nil, err
	}
	all := c.Flag("match_all")
	if c.Has("match") {
		if c.Has("match_all") && all != (c.Text("match") == "all") {
			return nil, hippo.Fieldf("match", "must not contradict match_all")
		}
		all = c.Text("match") == "all"
	}
	types, possible, err := storedTypes(ctx, c, given(c.Input, "type"))
	if err != nil || !possible {
		return nil, err
	}
	if all {
		return []hippo.Filter{{Tags: tags, Types: types}}, nil
	}
	for _, t := range tags {
		filters = append(filters, hippo.Filter{Tags: []string{t}, Types: types})
	}
	return filters, nil
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
