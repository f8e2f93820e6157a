// Package recall answers queries: it is the ranking pipeline, from a validated query to an
// ordered list with totals, confidence and explanations. It reads no memory and writes nothing.
//
// The pipeline is a chain of functions from value to value, see [Searcher.Recall]. No step
// changes the result of another step.
package recall

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/excerpt"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Recall answers a query as of an active day.
func (s *Searcher) Recall(ctx context.Context, plan *Plan, day hippo.Day) (*Ranking, error) {
	plan, err := plan.embedded(ctx, s.embedder, day)
	if err != nil {
		return nil, err
	}
	var first *selection
	search := plan.search
	if !plan.each {
		search.Fold = plan.fold
	}
	if plan.prunes() {
		search.Prune = func(found *retrieve.Result) func(*retrieve.Match) bool {
			if first = newSelection(plan, found); first.pruning == nil {
				return nil
			}
			return first.mayRank
		}
	}
	found, err := s.index.Search(ctx, &search)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	ranking, err := s.ranked(ctx, plan, found, first)
	if err == nil {
		ranking.Elsewhere, ranking.Question = found.Elsewhere, s.question(plan, found)
		if renews(plan) {
			ranking.Cosines = similarities(found.Reader, ranking.Page(0, conflictHits))
		}
	}
	return ranking, err
}

// question returns what the sentences of hits are compared with; nil without a text.
func (s *Searcher) question(plan *Plan, found *retrieve.Result) *excerpt.Question {
	if plan.search.Text == "" {
		return nil
	}
	a := excerpt.Asked{Text: plan.search.Text, Meaning: plan.meaning.Values, Space: plan.meaning.Space}
	for _, w := range queryWords(found.Vocabulary, plan.search.Text) {
		a.Words = append(a.Words, excerpt.Word{Text: w.text, IDF: w.idf})
	}
	return excerpt.NewQuestion(s.model.analyzer, s.model.tokens, a)
}

// ranked orders what was found, by the ranker of the plan.
func (s *Searcher) ranked(ctx context.Context, plan *Plan, found *retrieve.Result, first *selection) (*Ranking, error) {
	if plan.hybrid() {
		return s.rankHybrid(ctx, plan, found)
	}
	if plan.surprising() {
		return s.rankSurprise(ctx, plan, found)
	}
	if first == nil {
		first = newSelection(plan, found)
	}
	scored := first.score()
	reranked := rerank(plan, found, scored)
	scored, reranked = demote(plan, scored, reranked)
	reranked = applyFeedback(plan, reranked)
	ranking, err := s.relate(ctx, plan, found, scored, reranked)
	if err != nil {
		return nil, err
	}
	ranking = reserveSlots(plan, found, reranked, ranking)
	ranking = promoteSuccessors(plan, found, scored, reranked, ranking, plan.at(s.now()))
	return judge(plan, found, reranked, ranking), nil
}

// Clock evaluates decayed importance as of an active day.
func (s *Searcher) Clock(day hippo.Day) rank.Clock { return s.model.decay.At(day) }
