package recall_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// bound gives some memories that are not superseded a validity at random: one that holds, has ended or has not begun.
func (c corpus) bound(r *rapid.T, now time.Time) {
	for _, m := range c {
		if !m.SupersededBy.IsZero() {
			continue
		}
		switch rapid.IntRange(0, 5).Draw(r, "validity") {
		case 0:
			m.ValidUntil = now.AddDate(0, 0, -1)
		case 1:
			m.ValidFrom = now.AddDate(0, 0, 1)
		case 2:
			m.ValidFrom, m.ValidUntil = now.AddDate(0, 0, -1), now.AddDate(0, 0, 1)
		}
	}
}

// With each ranker, what has ended, has not begun or is superseded is behind what holds, and as of another time it is not.
func TestSettle_WhatHoldsIsFirst(t *testing.T) {
	t.Parallel()
	for _, ranker := range []hippo.Ranker{hippo.RankerHippo, hippo.RankerInsight, hippo.RankerSurprise, hippo.RankerCosine, hippo.RankerBM25} {
		t.Run(string(ranker), func(t *testing.T) {
			t.Parallel()
			f := openReranking(t, embedtest.NewWords("word"))
			ended, later, old := turn(1, "", "car fuel lisbon"), turn(2, "", "car fuel rain"), turn(3, "", "car fuel")
			next, holds := turn(4, "", "car fuel bread"), turn(5, "", "car fuel lunch")
			ended.ValidUntil, later.ValidFrom = f.now.AddDate(0, 0, -3), f.now.AddDate(0, 0, 3)
			old.SupersededBy, old.ValidUntil = next.ID, f.now.AddDate(0, 0, -1)
			for _, m := range []*hippo.Memory{ended, later, old} { // what was used more does not count
				m.Importance = hippo.Importance{Base: 1, Value: 1, SetDay: 1}
			}
			f.put(ended, later, old, next, holds)
			q := hippo.Query{Text: "car fuel", Ranker: ranker}
			hits := f.search(q).Hits
			at := make(map[hippo.ID]int)
			for i, h := range hits {
				at[h.Memory.ID] = i + 1
				state := h.Memory.StateAt(f.now)
				if lapsed := state == hippo.Ended || state == hippo.NotYet; h.Signals.Lapsed != lapsed || lapsed != (i > 2) {
					t.Errorf("hit %d is %q, which is %s; lapsed: %v", i+1, h.Memory.Content, state, h.Signals.Lapsed)
				}
			}
			if len(hits) != 5 || at[old.ID] < at[next.ID] {
				t.Errorf("%d hits, want 5; the superseded one is number %d, its successor %d", len(hits), at[old.ID], at[next.ID])
			}
			q.Filter.ValidAt = f.now.AddDate(0, 0, -9)
			if h := f.search(q).Hits; slices.ContainsFunc(h, func(h hippo.Hit) bool { return h.Memory.ID == ended.ID && h.Signals.Lapsed }) {
				t.Error("as of a time at which it held, a memory counts as ended")
			}
		})
	}
}

// A question about the past, and one that names a time, has what held then where it is without a validity.
func TestSettle_QuestionsAboutThePast(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	was, is := turn(1, "", "the gateway was at lisbon"), turn(2, "", "the gateway is at porto")
	was.ValidUntil = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	f.put(was, is, turn(3, "", "bread"))
	for text, lapsed := range map[string]bool{
		"where is the gateway at": true, "where is the gateway at now": true,
		"where was the gateway at before": false, "where was the gateway at in March 2025": false, "where was the gateway at in July 2025": true,
	} {
		for _, h := range f.search(hippo.Query{Text: text}).Hits {
			if want := lapsed && h.Memory.ID == was.ID; h.Signals.Lapsed != want {
				t.Errorf("%s: %q counts as what does not hold: %v", text, h.Memory.Content, h.Signals.Lapsed)
			}
		}
	}
}
