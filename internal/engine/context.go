package engine

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/briefing"
	"github.com/hippo-memory/hippo/internal/retrieve"
	"github.com/hippo-memory/hippo/internal/screen"
)

const (
	// Of the memories of each type, tag and text at most maxTyped and maxFound are candidates,
	// of all the maxNewest newest.
	maxTyped, maxFound, maxNewest = 40, 20, 60
)

// Context returns what to know now in the current project of the scope: what belongs to other
// projects takes no part, even if there is no current one. It is not an access and does not
// advance the active day.
func Context(ctx context.Context, m *Memories, q briefing.Query) (*briefing.Briefing, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	g := gatherer{memories: m, known: make(map[hippo.ID]int)}
	g.filter = hippo.Filter{Projects: []string{m.scope.Project, ""}, ValidAt: m.now()}
	if err := g.gather(ctx, &q); err != nil {
		return nil, err
	}
	in := &briefing.Input{Query: q, Candidates: g.found, Project: m.scope.Project, Now: m.now(), Instructs: instructs}
	return selected(ctx, m, in)
}

// instructs reports whether a text looks as if it was meant to steer a model.
func instructs(text string) bool { return len(screen.Instructions(text)) > 0 }

// selected selects, and compares what it selects by the vectors in the index.
func selected(ctx context.Context, m *Memories, in *briefing.Input) (b *briefing.Briefing, err error) {
	if len(in.Candidates) == 0 {
		return briefing.Select(in), nil
	}
	text := in.Candidates[0].Memory.Content
	vectors, err := m.embedding.Query(ctx, &m.scope, beginningOf(text), nil)
	if err != nil {
		return nil, err
	}
	s := retrieve.Query{Scope: m.scope, Text: "x"} // any text: one without does not use vectors
	s.Vectors[retrieve.Semantic] = retrieve.Vector{
		Values: vectors.Text[retrieve.Semantic].Values, Model: vectors.Text[retrieve.Semantic].Model, TopK: 1,
	}
	err = m.indexed(ctx, func() error {
		r, err := m.index.Search(ctx, &s)
		if err != nil {
			return err
		}
		defer r.Close()
		in.Similar = func(a, b hippo.ID) float64 {
			x, ok := r.Reader.Find(a)
			y, too := r.Reader.Find(b)
			if !ok || !too {
				return 0
			}
			return r.Reader.Similarity(x, y)
		}
		b = briefing.Select(in)
		return nil
	})
	return b, err
}

// gatherer collects candidates, each once.
type gatherer struct {
	memories *Memories
	filter   hippo.Filter
	found    []briefing.Candidate
	known    map[hippo.ID]int // where in found
}

func (g *gatherer) gather(ctx context.Context, q *briefing.Query) error {
	err := g.search(ctx, q.Prompt, func(c *briefing.Candidate, relevance float64) { c.Prompt = relevance })
	if err != nil || q.PromptOnly {
		return err
	}
	if err := g.search(ctx, q.State, func(c *briefing.Candidate, relevance float64) { c.State = relevance }); err != nil {
		return err
	}
	pinned := g.filter
	pinned.Pinned = true
	filters := []hippo.Filter{pinned}
	for _, s := range []briefing.Section{briefing.Rules, briefing.Tasks, briefing.Decisions} {
		types := g.filter
		types.Types = briefing.Types(s)
		filters = append(filters, types)
		for _, t := range types.Types {
			tags := g.filter
			tags.Tags = []string{t}
			filters = append(filters, tags)
		}
	}
	for _, f := range filters {
		if err := g.used(ctx, f); err != nil {
			return err
		}
	}
	l, err := g.memories.List(ctx, ListQuery{Filter: g.filter, Count: maxNewest})
	if err != nil {
		return err
	}
	for _, m := range l.Memories {
		g.add(m, l.Day)
	}
	return nil
}

// search adds what a text finds, with its relevance.
func (g *gatherer) search(ctx context.Context, text string, set func(*briefing.Candidate, float64)) error {
	if text == "" {
		return nil
	}
	a, err := g.memories.Search(ctx, hippo.Query{Text: text, Filter: g.filter, Count: maxFound, Ranker: hippo.RankerHippo, NoTouch: true})
	if err != nil || a.Weak != "" {
		return err
	}
	for _, h := range a.Hits {
		set(g.add(h.Memory, a.Day), h.Relevance)
	}
	return nil
}

// used adds the memories that pass a filter, those that matter most by use and importance.
func (g *gatherer) used(ctx context.Context, f hippo.Filter) error {
	a, err := g.memories.Search(ctx, hippo.Query{Filter: f, Count: maxTyped, Ranker: hippo.RankerInsight, NoTouch: true})
	if err != nil {
		return err
	}
	for _, h := range a.Hits {
		g.add(h.Memory, a.Day)
	}
	return nil
}

// add returns the candidate for a memory, which is valid until the next call.
func (g *gatherer) add(m *hippo.Memory, day hippo.Day) *briefing.Candidate {
	i, ok := g.known[m.ID]
	if !ok {
		i = len(g.found)
		g.known[m.ID] = i
		g.found = append(g.found, briefing.Candidate{Memory: m, Importance: g.memories.Importance(m, day)})
	}
	return &g.found[i]
}

// beginningOf returns the beginning of a text, which is enough to choose a model.
func beginningOf(text string) string {
	const enough = 200
	for i := range text {
		if i >= enough {
			return text[:i]
		}
	}
	return text
}
