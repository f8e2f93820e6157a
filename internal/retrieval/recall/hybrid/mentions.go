package hybrid

import (
	"context"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/entity"
)

const (
	// maxMentions is how many entities of a text take part, maxPhrases how many of the
	// pairs of words that it offers.
	maxMentions = 32
	maxPhrases  = 64
	// maxRead is how many bytes of a text are read for entities.
	maxRead = 16 << 10
	// maxCached is how many entities are cached, of all texts together: some 8 MB.
	maxCached = 1 << 16
)

// textKey is a memory with a certain text.
type textKey struct {
	id   hippo.ID
	text uint64
}

// mentions caches the entities that the contents of memories mention. It keeps two
// generations: when the young one is full it becomes the old one, which is dropped.
type mentions struct {
	texts Texts
	key   func(*hippo.Memory) uint64

	mu         sync.Mutex
	young, old map[textKey][]entity.Entity
	size       int // entities in young
}

func newMentions(t Texts, key func(*hippo.Memory) uint64) *mentions {
	return &mentions{texts: t, key: key, young: make(map[textKey][]entity.Entity)}
}

// of returns what the seeds mention; nothing for those that have another text by now.
func (m *mentions) of(ctx context.Context, seeds []seed) (map[textKey][]entity.Entity, error) {
	known := make(map[textKey][]entity.Entity, len(seeds))
	var missing []hippo.ID
	for _, s := range seeds {
		list, ok := m.get(s.key)
		known[s.key] = list
		if !ok {
			missing = append(missing, s.key.id)
		}
	}
	if len(missing) == 0 {
		return known, nil
	}
	ms, err := m.texts.Get(ctx, missing)
	for _, x := range ms {
		k := textKey{x.ID, m.key(x)}
		if _, ok := known[k]; ok {
			known[k] = mentionsOf(x.Content)
			m.put(k, known[k])
		}
	}
	return known, err
}

// get returns what a memory mentions, if that is cached.
func (m *mentions) get(k textKey) ([]entity.Entity, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, ok := m.young[k]
	if !ok {
		if list, ok = m.old[k]; ok {
			m.keep(k, list)
		}
	}
	return list, ok
}

func (m *mentions) put(k textKey, list []entity.Entity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(k, list)
}

// keep adds to the young generation; m.mu is held.
func (m *mentions) keep(k textKey, list []entity.Entity) {
	n := len(list) + 1
	if m.size += n; m.size > maxCached {
		m.old, m.young, m.size = m.young, make(map[textKey][]entity.Entity), n
	}
	m.young[k] = list
}

// mentionsOf returns the entities of a text that take part.
func mentionsOf(text string) []entity.Entity {
	var out []entity.Entity
	names, phrases := 0, 0
	for _, x := range entity.Of(text[:min(len(text), maxRead)]) {
		n, limit := &names, maxMentions
		if x.Kind == entity.Phrase {
			n, limit = &phrases, maxPhrases
		}
		if *n++; *n <= limit {
			x.Text, x.Norm = "", strings.Clone(x.Norm) // they would keep the whole text
			out = append(out, x)
		}
	}
	return out
}
