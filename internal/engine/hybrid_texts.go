package engine

import (
	"context"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/entity"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
)

const (
	// maxMentions is how many entities of a text take part, and maxPhrases how many
	// of the pairs of words that it offers.
	maxMentions = 32
	maxPhrases  = 64
	// maxRead is how many bytes of a text are read for entities.
	maxRead = 16 << 10
	// keptMentions is how many entities are remembered, of all texts together: some
	// 8 MB at most.
	keptMentions = 1 << 16
)

// wanted is a memory with a certain text; see [index.TextOf].
type wanted struct {
	id   hippo.ID
	text uint64
}

// mentions remembers what the contents of memories mention.
type mentions struct {
	store *store.Store

	mu         sync.Mutex
	young, old map[wanted][]entity.Entity
	size       int // entities in young
}

func newMentions(s *store.Store) *mentions {
	return &mentions{store: s, young: make(map[wanted][]entity.Entity)}
}

// get returns what a memory mentions, if that is remembered.
func (m *mentions) get(w wanted) ([]entity.Entity, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, ok := m.young[w]
	if !ok {
		if list, ok = m.old[w]; ok {
			m.put(w, list)
		}
	}
	return list, ok
}

// put keeps what was asked for lately: when the young ones are too many, they become
// the old ones, and those are forgotten. m.mu is held.
func (m *mentions) put(w wanted, list []entity.Entity) {
	n := len(list) + 1
	if m.size += n; m.size > keptMentions {
		m.old, m.young, m.size = m.young, make(map[wanted][]entity.Entity), n
	}
	m.young[w] = list
}

// load reads memories and adds to known what they mention: nothing of those that have
// another text by now or are not there any more.
func (m *mentions) load(ctx context.Context, list []wanted, known map[wanted][]entity.Entity) error {
	ids := make([]hippo.ID, len(list))
	for i, w := range list {
		ids[i], known[w] = w.id, nil
	}
	ms, err := m.store.Get(ctx, ids)
	if err != nil {
		return err
	}
	for _, x := range ms {
		w := wanted{x.ID, index.TextOf(x)}
		if _, ok := known[w]; !ok {
			continue
		}
		known[w] = mentionsOf(x.Content)
		m.mu.Lock()
		m.put(w, known[w])
		m.mu.Unlock()
	}
	return nil
}

// mentionsOf returns the entities of a text that take part.
func mentionsOf(text string) []entity.Entity {
	var out []entity.Entity
	things, phrases := 0, 0
	for _, x := range entity.Of(text[:min(len(text), maxRead)]) {
		n, most := &things, maxMentions
		if x.Kind == entity.Phrase {
			n, most = &phrases, maxPhrases
		}
		if *n++; *n <= most {
			x.Text, x.Norm = "", strings.Clone(x.Norm) // they would keep the whole text
			out = append(out, x)
		}
	}
	return out
}
