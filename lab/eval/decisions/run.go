package decisions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// System is what is measured.
type System struct {
	// Name is that of its rows.
	Name string
	// Engine is how it is wired; its Ranker answers.
	Engine eval.EngineOptions
	Mode   hippo.Mode
	// Surprise is how it is computed when a memory is recorded.
	Surprise engine.Surprise
	// Consolidated: the surprise is computed again when all is recorded.
	Consolidated bool
}

// Figures are the means over the queries, each in [0, 1].
type Figures struct {
	// First is the share of queries with a decision in the first place (P@1), RR the reciprocal rank of the first
	// one (MRR), Recall the share of the decisions among the first five (R@5), and Five the share of queries with
	// one of them there.
	First, RR, Recall, Five float64
}

// depth is the number of hits that count.
const depth = 5

// Run records a benchmark in an order and asks its questions.
func Run(ctx context.Context, b Bench, o Order, seed uint64, s *System) (f Figures, err error) {
	e, err := eval.OpenEngine(ctx, nil, &s.Engine)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	e.Score(s.Surprise, slog.New(slog.DiscardHandler))
	m := e.In(eval.Scope())
	relevant := make(map[string][]hippo.ID)
	items := o.of(b.Items, seed)
	for i, x := range items {
		r := &hippo.Memory{
			Content: x.Text, Tags: x.Tags, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: hippo.DefaultImportance},
			CreatedAt: eval.Now().Add(time.Duration(i-len(items))*time.Second - x.Age),
		}
		if x.Importance > 0 {
			r.Importance.Base = x.Importance
		}
		if r, err = memory.Record(ctx, m, r); err != nil {
			return f, err
		}
		if x.Decision {
			relevant[x.Topic] = append(relevant[x.Topic], r.ID)
		}
	}
	if err := ready(ctx, m, s.Consolidated); err != nil {
		return f, err
	}
	return measure(ctx, m, b.Queries, relevant, s.Mode)
}

// ready waits until what was recorded has vectors and surprise.
func ready(ctx context.Context, m *engine.Memories, consolidated bool) error {
	if _, err := query.Search(ctx, m, hippo.Query{Text: "a", Count: 1, NoTouch: true}); err != nil {
		return err
	}
	if err := errors.Join(m.Embed(ctx, func(int, int) {}), upkeep.Scored(ctx, m)); err != nil || !consolidated {
		return err
	}
	_, err := upkeep.Rescore(ctx, m, 0)
	return err
}

func measure(ctx context.Context, m *engine.Memories, queries []Query, relevant map[string][]hippo.ID, mode hippo.Mode) (f Figures, err error) {
	for _, q := range queries {
		a, err := query.Search(ctx, m, hippo.Query{Text: q.Text, Count: depth, NoTouch: true, Mode: mode})
		if err != nil {
			return f, fmt.Errorf("%q: %w", q.Text, err)
		}
		want, n := relevant[q.Topic], 0
		for i := range a.Hits {
			if !slices.Contains(want, a.Hits[i].Memory.ID) {
				continue
			}
			if n++; n == 1 {
				f.RR += 1 / float64(i+1)
				f.Five++
			}
			if i == 0 {
				f.First++
			}
		}
		f.Recall += float64(n) / float64(len(want))
	}
	all := float64(len(queries))
	return Figures{f.First / all, f.RR / all, f.Recall / all, f.Five / all}, nil
}
