package writebehind

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
)

// Use says that a memory was opened or voted up as an answer to a question.
type Use struct {
	ID        hippo.ID
	Namespace string
	At        time.Time
	As        hippo.Feedback // its kind and its question
}

const (
	// maxUses is how many uses are remembered, and usedTogether how long: what was used for like
	// questions within it was used together.
	maxUses      = 32
	usedTogether = time.Hour
	// maxPairs is how many pairs wait for the next write.
	maxPairs = 100_000
)

// pairs are the pairs of memories whose relations are to be reinforced. The zero value is ready.
type pairs struct {
	recent   []Use                      // the oldest first
	together map[hippo.Relation]bool    // returned together by ranker surprise
	used     map[hippo.Relation]float64 // used together, and how strongly
}

// size returns the number of pairs.
func (p *pairs) size() int { return len(p.together) + len(p.used) }

// returned adds pairs that ranker surprise returned together.
func (p *pairs) returned(list []hippo.Relation) {
	if p.together == nil {
		p.together = make(map[hippo.Relation]bool)
	}
	for _, r := range list {
		if p.size() < maxPairs {
			p.together[r] = true
		}
	}
}

// use pairs uses with those before them, and with each other, of one namespace and for like questions.
func (p *pairs) use(w *rank.Learning, uses []Use) {
	if p.used == nil {
		p.used = make(map[hippo.Relation]float64)
	}
	for _, u := range uses {
		p.recent = slices.DeleteFunc(p.recent, func(old Use) bool { return u.At.Sub(old.At) > usedTogether })
		for _, old := range p.recent {
			if u.ID == old.ID || u.Namespace != old.Namespace || p.size() >= maxPairs {
				continue
			}
			if strength := w.Strength(&u.As, &old.As); strength > 0 {
				pair := hippo.CoRecall(u.ID, old.ID)
				p.used[pair] = max(p.used[pair], strength)
			}
		}
		p.recent = append(p.recent, u)
		p.recent = slices.Delete(p.recent, 0, max(0, len(p.recent)-maxUses))
	}
}

// forget drops uses of memories: it was said that they are no answers.
func (p *pairs) forget(ids []hippo.ID) {
	p.recent = slices.DeleteFunc(p.recent, func(u Use) bool { return slices.Contains(ids, u.ID) })
}

// rest returns what is left when the pairs are stored: the uses.
func (p *pairs) rest() pairs { return pairs{recent: p.recent} }

// store reinforces the relations of the pairs.
func (p *pairs) store(ctx context.Context, s *store.Store, w *rank.Relations) error {
	var together, used []hippo.Relation
	for r := range p.together {
		together = append(together, r)
	}
	for r, strength := range p.used {
		r.Weight = strength
		used = append(used, r)
	}
	return cmp.Or(
		reinforceAll(ctx, s, together, false, func(old, _ hippo.Relation, now time.Time) float64 { return w.Together(&old, now) }),
		reinforceAll(ctx, s, used, true, func(old, pair hippo.Relation, now time.Time) float64 {
			return w.Learned(&old, now, pair.Weight)
		}))
}

// reinforceAll is [store.Store.Reinforce] in a fixed order; nothing is written for no pairs.
func reinforceAll(ctx context.Context, s *store.Store, pairs []hippo.Relation, daily bool, weigh func(old, pair hippo.Relation, now time.Time) float64) error {
	if len(pairs) == 0 {
		return nil
	}
	slices.SortFunc(pairs, func(a, b hippo.Relation) int { return a.Compare(&b) })
	return s.Reinforce(ctx, pairs, daily, weigh)
}
