package engine

import (
	"context"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
)

const (
	// maxPieces is how many pieces of a text are compared with a query.
	maxPieces = 1024
	// keptPieces is how many pieces are remembered, of all texts together: 4 MB at most.
	keptPieces = 1 << 19
)

// texts remembers what the contents of memories consist of.
type texts struct {
	store *store.Store
	model embed.Pieces

	mu         sync.Mutex
	young, old map[wanted][]int32
	size       int // pieces in young
}

// wanted is a memory with a certain text; see [index.TextOf].
type wanted struct {
	id   hippo.ID
	text uint64
}

func newTexts(s *store.Store, model embed.Pieces) *texts {
	return &texts{store: s, model: model, young: make(map[wanted][]int32)}
}

// of returns the pieces of the contents, nil for those that have another text by now
// or are not there any more.
func (t *texts) of(ctx context.Context, list []wanted) ([][]int32, error) {
	out := make([][]int32, len(list))
	var missing []hippo.ID
	at := make(map[wanted]int)
	t.mu.Lock()
	for i, w := range list {
		var ok bool
		if out[i], ok = t.get(w); !ok {
			missing = append(missing, w.id)
			at[w] = i
		}
	}
	t.mu.Unlock()
	ms, err := t.store.Get(ctx, missing)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		w := wanted{m.ID, index.TextOf(m)}
		i, ok := at[w]
		if !ok {
			continue
		}
		pieces := t.model.Pieces(nil, m.Content)
		out[i] = append([]int32{}, pieces[:min(len(pieces), maxPieces)]...)
		t.mu.Lock()
		t.put(w, out[i])
		t.mu.Unlock()
	}
	return out, nil
}

// get and put keep what was asked for lately: when the young ones are too many, they
// become the old ones, and those are forgotten.
func (t *texts) get(w wanted) ([]int32, bool) {
	p, ok := t.young[w]
	if !ok {
		if p, ok = t.old[w]; ok {
			t.put(w, p)
		}
	}
	return p, ok
}

func (t *texts) put(w wanted, pieces []int32) {
	if t.size += len(pieces); t.size > keptPieces {
		t.old, t.young, t.size = t.young, make(map[wanted][]int32), len(pieces)
	}
	t.young[w] = pieces
}
