package query

import (
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// Of the memories of each type, tag and text at most maxTyped and maxFound are candidates,
	// of all the maxNewest newest.
	maxTyped, maxFound, maxNewest = 20, 16, 40
)

// Context returns what to know now in the current project of the scope: what belongs to other
// projects takes no part, even if there is no current one. It is not an access and does not
// advance the active day.
//
// In the process of another, a call is repeated without what the reader has already, until nothing of
// that is left: [briefing.Query.Known] stays here.
func Context(ctx context.Context, m *engine.Memories, q briefing.Query) (*api.Briefing, error) {
	if m.Remote == nil {
		return brief(ctx, m, q)
	}
	a := contextArgs{Prompt: q.Prompt, Work: q.Work, PromptOnly: q.PromptOnly, Names: q.Names, MaxTokens: q.MaxTokens, At: q.At}
	for {
		b, err := engine.Perform(ctx, m, a, "context", briefWithout)
		if err != nil || q.Known == nil {
			return b, err
		}
		n := len(a.Known)
		for _, i := range b.Items {
			if q.Known(i.Memory) {
				a.Known = append(a.Known, i.Memory.ID)
			}
		}
		if len(a.Known) == n {
			return b, nil
		}
	}
}

// contextArgs are a [briefing.Query] in a form that can travel.
type contextArgs struct {
	Prompt     string
	Work       api.Work
	PromptOnly bool
	Names      []string
	MaxTokens  int
	At         hippo.Moment
	Known      []hippo.ID
}

func briefWithout(ctx context.Context, m *engine.Memories, a contextArgs) (*api.Briefing, error) {
	return brief(ctx, m, briefing.Query{
		Prompt: a.Prompt, Work: a.Work, PromptOnly: a.PromptOnly, Names: a.Names, MaxTokens: a.MaxTokens, At: a.At,
		Known: func(x *hippo.Memory) bool { return slices.Contains(a.Known, x.ID) },
	})
}

func brief(ctx context.Context, m *engine.Memories, q briefing.Query) (*api.Briefing, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if known := q.At.KnownAt; engine.IsPast(m, q.At) {
		q.At.KnownAt = time.Time{}
		out, _, err := engine.InPast(ctx, m, known, func(p *engine.Memories) (*api.Briefing, error) { return brief(ctx, p, q) })
		return out, err
	}
	g := gatherer{memories: m, known: make(map[hippo.ID]int)}
	g.filter = hippo.Filter{Projects: m.Scope.Current(), Moment: q.At}
	if q.At.ValidAt.IsZero() {
		g.filter.ValidAt = m.Clock()
	}
	if err := g.gather(ctx, &q); err != nil {
		return nil, err
	}
	ids := make([]hippo.ID, len(g.found))
	for i := range g.found {
		ids[i] = g.found[i].Memory.ID
	}
	notes, err := g.contradict(ctx)
	if err != nil {
		return nil, err
	}
	in := &briefing.Input{
		Query: q, Candidates: g.found, Facts: g.facts, Notes: notes, IDs: memory.ShortIDs(m, ids), Projects: m.Scope.Current(), Now: m.Clock(), Instructs: instructs, Terms: knowledge.TellingTerms,
	}
	if !q.PromptOnly && m.Scope.Project != hippo.Unassigned {
		err = m.Indexed(ctx, func() error {
			in.Unassigned = memory.Unassigned(m)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return selected(ctx, m, in)
}

// changed returns [contradict.Statement.ChangedBy] of memories, each of which it parses once; similar is the cosine of two.
func changed(similar func(a, b hippo.ID) float64) func(older, newer *hippo.Memory) bool {
	known := make(map[hippo.ID]contradict.Statement)
	of := func(m *hippo.Memory) contradict.Statement {
		s, ok := known[m.ID]
		if !ok {
			s = contradict.StatementOf(m.Content)
			known[m.ID] = s
		}
		return s
	}
	return func(older, newer *hippo.Memory) bool {
		a := of(older)
		cosine := 0.0
		b := of(newer)
		if b.Changes() {
			cosine = similar(older.ID, newer.ID)
		}
		return a.ChangedBy(b, contradict.Likeness{Cosine: cosine})
	}
}

// instructs reports whether a text looks as if it was meant to steer a model.
func instructs(text string) bool { return len(screen.Instructions(text)) > 0 }

// selected selects, and compares what it selects by the vectors in the index.
func selected(ctx context.Context, m *engine.Memories, in *briefing.Input) (b *api.Briefing, err error) {
	if len(in.Candidates) == 0 {
		return briefing.Select(in), nil
	}
	text := in.Candidates[0].Memory.Content
	vectors, err := m.Embedding.Query(ctx, &m.Scope, beginningOf(text), nil)
	if err != nil {
		return nil, err
	}
	s := retrieve.Query{Scope: m.Scope, Text: "x"} // any text: one without does not use vectors
	for _, c := range []retrieve.Channel{retrieve.Semantic, retrieve.Instant} {
		v := &vectors.Text[c]
		s.Vectors[c] = retrieve.Vector{Values: v.Values, Model: v.Model, Partial: v.Partial, TopK: 1}
	}
	err = m.Indexed(ctx, func() error {
		r, err := m.Index.Search(ctx, &s)
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
		in.Changed = changed(in.Similar)
		b = briefing.Select(in)
		return nil
	})
	return b, err
}
