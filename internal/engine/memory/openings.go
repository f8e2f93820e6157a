package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/writebehind"
)

// Opened notes that memories were opened, each as an answer to a question that had found it: a weak
// vote for it as an answer to questions like that. Memories that the caller does not see are
// skipped. It is stored later, with the accesses, see [engine.Engine.Flush].
func Opened(ctx context.Context, m *engine.Memories, asked map[hippo.ID]string) error {
	if len(asked) == 0 {
		return nil
	}
	_, err := engine.Perform(ctx, m, asked, "opened", opened)
	return err
}

func opened(ctx context.Context, m *engine.Memories, asked map[hippo.ID]string) (engine.None, error) {
	ids := make([]hippo.ID, 0, len(asked))
	for id := range asked {
		ids = append(ids, id)
	}
	ms, err := m.Scoped.Get(ctx, ids)
	if err != nil {
		return engine.None{}, err
	}
	questions := make(map[hippo.ID]hippo.Question, len(ms))
	for _, x := range ms {
		if q := m.Searcher.Question(asked[x.ID]); q != nil {
			questions[x.ID] = q
		}
	}
	if len(questions) > 0 {
		m.Accesses.Opened(questions)
		uses := make([]writebehind.Use, 0, len(questions))
		for _, id := range slices.SortedFunc(maps.Keys(questions), hippo.ID.Compare) {
			uses = append(uses, useOf(m, id, hippo.FeedbackOpened, questions[id]))
		}
		m.Accesses.Used(uses)
	}
	return engine.None{}, nil
}

func useOf(m *engine.Memories, id hippo.ID, kind hippo.FeedbackKind, q hippo.Question) writebehind.Use {
	return writebehind.Use{ID: id, Namespace: m.Scope.Namespace, At: m.Clock(), As: hippo.Feedback{Kind: kind, Question: q}}
}
