package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/store"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/passage"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
)

// Search answers a query: it advances the active day, ranks, loads one page from the store,
// and counts each memory on the page as accessed once, after the answer.
//
// Pages of one query are consistent for ten minutes within one engine, although reading a page
// counts as use.
func Search(ctx context.Context, m *engine.Memories, q hippo.Query) (*hippo.Answer, error) {
	q.Ranker = cmp.Or(q.Ranker, m.Defaults.Ranker)
	return engine.Perform(ctx, m, searchArgs{q, pack(q.Relevance)}, "search", search)
}

func search(ctx context.Context, m *engine.Memories, a searchArgs) (*hippo.Answer, error) {
	q := a.unpack()
	var cut string
	q.Text, cut = hippo.ShortQuery(q.Text)
	if known := q.Filter.KnownAt; engine.IsPast(m, q.Filter.Moment) {
		a.Filter.KnownAt, a.NoTouch = time.Time{}, true
		out, note, err := engine.InPast(ctx, m, known, func(p *engine.Memories) (*hippo.Answer, error) { return search(ctx, p, a) })
		if err == nil {
			out.Degraded = engine.Noted(out.Degraded, note)
		}
		return out, err
	}
	plan, err := prepare(m, &q)
	if err != nil {
		return nil, err
	}
	day, degraded, err := activeDay(ctx, m, &q)
	if err != nil {
		return nil, err
	}
	ranking, err := rankingOf(ctx, m, &q, plan, day)
	if err != nil {
		return nil, err
	}
	hits, err := load(ctx, m, ranking, ranking.Page(q.Offset, q.Count))
	if err != nil {
		return nil, err
	}
	degraded = engine.Noted(degraded, cut)
	at := cmp.Or(q.Filter.ValidAt, m.Clock())
	hits, conflicts := m.Searcher.Compare(plan, ranking, hits, func(name string) string { return memory.CurrentName(&m.Scope, name) }, at)
	facts, err := knowledge.FactsFor(ctx, m, &q)
	if err != nil {
		return nil, err
	}
	if err := contradictHits(ctx, m, hits, &q.Filter, at); err != nil {
		return nil, err
	}
	if !q.NoTouch {
		touch(m, day, hits, ranking, &q)
	}
	judgement := ranking.Judgement
	if q.Offset == 0 {
		judgement = recall.Doubt(plan, judgement, hits)
	}
	return &hippo.Answer{
		Hits: hits, Total: ranking.Total, Distribution: ranking.Distribution, Ranker: q.Ranker, Day: ranking.Day,
		Conflicts: conflicts, Degraded: append(degraded, ranking.Degraded...),
		Judgement: judgement, Elsewhere: ranking.Elsewhere,
		Facts: facts, Period: hippo.Period(ranking.Span),
	}, nil
}

// prepare validates a query, fills in its defaults and plans it.
func prepare(m *engine.Memories, q *hippo.Query) (*recall.Plan, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(q.Text) == "" {
		q.Text = ""
	}
	q.Count = cmp.Or(q.Count, hippo.DefaultCount)
	inProject := q.Filter.Projects == nil && m.Scope.Project != ""
	q.Filter = m.Scope.Narrow(q.Filter)
	plan, err := m.Searcher.Plan(m.Scope, q)
	if err == nil && inProject && q.Text != "" {
		plan.CountElsewhere()
	}
	return plan, err
}

// dayWait is how long a search waits for the active day to advance, which it does at the first search of a day: others may keep the
// store from being written.
const dayWait = 250 * time.Millisecond

// activeDay returns the active day, advanced unless the query sets NoTouch. If the store cannot
// be written the day does not advance, and the answer says so.
func activeDay(ctx context.Context, m *engine.Memories, q *hippo.Query) (day hippo.Day, degraded []string, err error) {
	if !q.NoTouch {
		short, stop := context.WithTimeout(ctx, dayWait)
		defer stop()
		day, err = m.Store.Today(short)
		if err == nil || ctx.Err() != nil || !unwritable(err) {
			return day, nil, err
		}
		q.NoTouch = true
		if errors.Is(err, context.DeadlineExceeded) {
			err = errors.New("another process holds the lock of the store")
		}
		degraded = []string{"use is not counted: " + err.Error()}
	}
	day, err = store.DayOf(ctx, m.Store)
	return day, degraded, err
}

// unwritable reports whether an error of a write lets the store be read.
func unwritable(err error) bool {
	for _, kind := range []error{hippo.ErrReadOnly, hippo.ErrFull, hippo.ErrCorrupt, hippo.ErrUnavailable, context.DeadlineExceeded} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// rankingOf returns the ranking of all matches, cached from an earlier page or computed. If the
// index file turns out to be damaged, it is computed again.
func rankingOf(ctx context.Context, m *engine.Memories, q *hippo.Query, plan *recall.Plan, day hippo.Day) (*recall.Ranking, error) {
	if r := m.Pages.Get(m.Scope, q); r != nil {
		return r, nil
	}
	r, err := recallOnce(ctx, m, plan, day)
	if errors.Is(err, index.ErrDamaged) {
		r, err = recallOnce(ctx, m, plan, day)
	}
	if err == nil {
		m.Pages.Put(m.Scope, q, r)
	}
	return r, err
}

func recallOnce(ctx context.Context, m *engine.Memories, plan *recall.Plan, day hippo.Day) (r *recall.Ranking, err error) {
	defer m.Embedding.Searching()()
	if err := m.Turns.Begin(ctx); err != nil {
		return nil, err
	}
	defer m.Turns.End()
	missing, err := m.Index.CatchUpWithin(ctx, m.Wait)
	if err != nil {
		return nil, err
	}
	err = m.Index.Guard(func() (err error) {
		r, err = m.Searcher.Recall(ctx, plan, day)
		return err
	})
	if err == nil && missing > 0 {
		r.Degraded = append(r.Degraded, fmt.Sprintf("the index is being rebuilt: it lacks %s", lacks(&m.Scope, missing)))
	}
	return r, err
}

// lacks reports the number of memories that are not indexed yet, to callers who may know it.
func lacks(scope *hippo.Scope, n int) string {
	if scope.Allows(hippo.RightAdmin) {
		return fmt.Sprintf("%d memories", n)
	}
	return "some memories"
}

// load completes hits from the store; memories that were removed or forgotten meanwhile are
// left out.
func load(ctx context.Context, m *engine.Memories, ranking *recall.Ranking, page []recall.Hit) ([]hippo.Hit, error) {
	ids := make([]hippo.ID, len(page))
	for i, h := range page {
		ids[i] = h.ID
	}
	ms, err := m.Scoped.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]hippo.Hit, 0, len(ms))
	for _, x := range ms {
		h := &page[slices.Index(ids, x.ID)]
		if !x.Forgotten() {
			found := span(x, h.Passage)
			hits = append(hits, hippo.Hit{
				Memory: x, Relevance: h.Relevance, Signals: h.Signals, Passage: found, Excerpt: excerptOf(ranking, x, found), Same: h.Same,
				Explanation: h.Explanation,
			})
		}
	}
	return hits, nil
}

// excerptOf returns the parts of a long memory that answer the query of a ranking. found is the passage by which it was found, or zero.
func excerptOf(r *recall.Ranking, m *hippo.Memory, found hippo.Span) []hippo.Span {
	if r.Question == nil || len(m.Content) < hippo.ExcerptFrom {
		return nil
	}
	return r.Question.Best(m.Content, found)
}

// span returns where a passage of a memory is, by its number from 1; the zero Span for 0, and for
// one of a text that was changed since it was found.
func span(m *hippo.Memory, n uint32) hippo.Span {
	if n == 0 {
		return hippo.Span{}
	}
	spans := passage.Split(m.Content)
	if int(n) > len(spans) {
		return hippo.Span{}
	}
	return hippo.Span(spans[n-1])
}

// touch counts the hits as accessed, in the index at once and in the store later. Ranker surprise
// reinforces the relations of the hits of a first page, as claude-hippo does; for the others, to be
// found together says nothing.
func touch(m *engine.Memories, day hippo.Day, hits []hippo.Hit, r *recall.Ranking, q *hippo.Query) {
	ids := make([]hippo.ID, len(hits))
	for i, h := range hits {
		ids[i] = h.Memory.ID
	}
	var pairs []hippo.Relation
	if q.Ranker == hippo.RankerSurprise && q.Offset == 0 && q.Text != "" {
		pairs = r.Together(q.Count, func(id hippo.ID) bool { return slices.Contains(ids, id) })
	}
	m.Index.Touch(ids, day)
	m.Accesses.Add(day, ids, pairs)
}
