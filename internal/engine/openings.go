package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Opened notes that memories were opened, each as an answer to a question that had found it: a weak
// vote for it as an answer to questions like that. Memories that the caller does not see are
// skipped. It is stored later, with the accesses, see [Engine.Flush].
func Opened(ctx context.Context, m *Memories, asked map[hippo.ID]string) error {
	if len(asked) == 0 {
		return nil
	}
	_, err := perform(ctx, m, asked, "opened", opened)
	return err
}

func opened(ctx context.Context, m *Memories, asked map[hippo.ID]string) (none, error) {
	ids := make([]hippo.ID, 0, len(asked))
	for id := range asked {
		ids = append(ids, id)
	}
	ms, err := m.scoped.Get(ctx, ids)
	if err != nil {
		return none{}, err
	}
	questions := make(map[hippo.ID]hippo.Question, len(ms))
	for _, x := range ms {
		if q := m.searcher.Question(asked[x.ID]); q != nil {
			questions[x.ID] = q
		}
	}
	if len(questions) > 0 {
		m.accesses.addOpened(questions)
		uses := make([]use, 0, len(questions))
		for _, id := range slices.SortedFunc(maps.Keys(questions), hippo.ID.Compare) {
			uses = append(uses, useOf(m, id, hippo.FeedbackOpened, questions[id]))
		}
		m.accesses.addUsed(uses)
	}
	return none{}, nil
}

func useOf(m *Memories, id hippo.ID, kind hippo.FeedbackKind, q hippo.Question) use {
	return use{id, m.scope.Namespace, m.now(), hippo.Feedback{Kind: kind, Question: q}}
}
