package query

import (
	"context"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
)

// GetAt is [memory.Get] as of a moment. A memory that does not hold at [hippo.Moment.ValidAt] is [hippo.ErrNotFound]; the
// error says when it holds, and which memory that it superseded, or that superseded it, held then.
func GetAt(ctx context.Context, m *engine.Memories, q api.Get) (*api.Got, error) {
	if q.At == (hippo.Moment{}) && !q.Some && !asks(q.Question) {
		ms, err := memory.Get(ctx, m, q.IDs)
		if err != nil {
			return nil, err
		}
		return &api.Got{Memories: ms}, nil
	}
	return engine.Perform(ctx, m, q, "get_at", getAt)
}

func getAt(ctx context.Context, m *engine.Memories, q api.Get) (*api.Got, error) {
	got, err := history.GotAt(ctx, m, q)
	if err != nil || !asks(q.Question) {
		return got, err
	}
	var cut string
	got.Excerpts, cut, err = excerptsOf(ctx, m, q.Question, got.Memories)
	got.Degraded = engine.Noted(got.Degraded, cut)
	return got, err
}

// excerptsOf returns the parts of memories that answer a question, as a search for it would show them, and what of the question does not count.
// Cost: that of a search, if one of the memories is long.
func excerptsOf(ctx context.Context, m *engine.Memories, question string, ms []*hippo.Memory) (list [][]hippo.Span, cut string, err error) {
	q := hippo.Query{Ranker: hippo.RankerHippo, NoTouch: true}
	q.Text, cut = hippo.ShortQuery(question)
	plan, err := prepare(m, &q)
	long := func(x *hippo.Memory) bool { return len(x.Content) >= hippo.ExcerptFrom }
	if err != nil || !slices.ContainsFunc(ms, long) {
		return nil, cut, err
	}
	day, _, err := activeDay(ctx, m, &q)
	if err != nil {
		return nil, cut, err
	}
	ranking, err := recallOnce(ctx, m, plan, day)
	if err != nil {
		return nil, cut, err
	}
	for _, x := range ms {
		found := hippo.Span{}
		if i := slices.IndexFunc(ranking.Hits, func(h recall.Hit) bool { return h.ID == x.ID }); i >= 0 {
			found = span(x, ranking.Hits[i].Passage)
		}
		list = append(list, excerptOf(ranking, x, found))
	}
	return list, cut, nil
}

// asks reports whether a question says anything.
func asks(question string) bool { return strings.TrimSpace(question) != "" }
