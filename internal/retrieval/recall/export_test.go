package recall

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Trespasses carries out a search step by step, and returns the steps that changed the result of an earlier one.
func (s *Searcher) Trespasses(ctx context.Context, plan *Plan, day hippo.Day) (list []string, err error) {
	if plan, err = plan.embedded(ctx, s.embedder, day); err != nil {
		return nil, err
	}
	search := plan.search
	found, err := s.index.Search(ctx, &search)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	return s.trespasses(ctx, plan, found)
}

func (s *Searcher) trespasses(ctx context.Context, plan *Plan, found *retrieve.Result) (list []string, err error) {
	var results []func() string // what the steps so far returned, as texts
	var before []string
	done := func(step string, result func() string) {
		for i, text := range results {
			if text() != before[i] {
				list = append(list, step)
			}
		}
		results, before = append(results, result), append(before, result())
	}
	scores := func(s scored) func() string {
		return func() string {
			return fmt.Sprintf("%+v %+v %+v %+v %+v %+v %v", s.best, s.top, s.superseded, s.relevances, s.unread, s.tally, s.first.scale)
		}
	}
	passages := func(r reranked) func() string {
		return func() string {
			if r.passages == nil {
				return fmt.Sprintf("%+v %v", r.words, r.scale)
			}
			return fmt.Sprintf("%+v %v %v %+v %+v %+v", r.words, r.scale, r.top, r.at, r.context, r.list)
		}
	}
	hits := func(r ranking) func() string {
		return func() string { return fmt.Sprintf("%+v %+v %v %+v", r.hits, r.tally, r.more, r.related) }
	}
	scored := newSelection(plan, found).score()
	done("score", scores(scored))
	reranked := rerank(plan, found, scored)
	done("rerank", passages(reranked))
	scored, reranked = demote(plan, scored, reranked)
	done("demote", scores(scored))
	done("demote", passages(reranked))
	reranked = applyFeedback(plan, reranked)
	done("teach", passages(reranked))
	ranking, err := s.relate(ctx, plan, found, scored, reranked)
	if err != nil {
		return nil, err
	}
	done("relate", hits(ranking))
	ranking = reserveSlots(plan, found, reranked, ranking)
	done("reserve", hits(ranking))
	ranking = promoteSuccessors(plan, found, scored, reranked, ranking, plan.at(s.now()))
	done("succeed", hits(ranking))
	judge(plan, found, reranked, ranking)
	done("judge", hits(ranking))
	return list, nil
}
