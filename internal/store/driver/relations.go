package driver

import (
	"context"
	"iter"
	"time"

	"github.com/hippo-memory/hippo"
)

// Relations is the part of a [Backend] that keeps relations between memories. No
// call here changes a revision or is seen by Changes. A memory that is purged loses
// its relations in the same transaction, also when it is put again in that one; a
// memory that is changed keeps them; those of a forgotten one are kept and hidden.
type Relations interface {
	// Relations returns the relations that a query asks for, each once, by From, To and
	// Kind, and by ValidFrom. The caller owns the result.
	// Cost: that of at most len(q.IDs) * q.Limit relations, and of those that are
	// stronger and not returned.
	Relations(ctx context.Context, q RelationQuery) ([]hippo.Relation, error)

	// AllRelations yields every relation, those of forgotten memories too, by From,
	// To, Kind and ValidFrom, as they are at one moment. The loop may call the Backend.
	AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error]

	// Relate changes relations, which are known by [KeyOf], in one transaction, all or nothing, which excludes all
	// other writers. For each r of rs, in their order, it calls fn with the relation
	// with the same key that is stored, of Weight 0 if there is none, and
	// stores what fn returns, with the key of r; Weight 0 removes it. Relations of
	// memories that do not exist are skipped. fn may run more than once, must have
	// no other effect than on its captured results and must not call the Backend;
	// what it returns is valid.
	Relate(ctx context.Context, d Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error
}

// RelationQuery asks for the strongest relations of memories.
type RelationQuery struct {
	// Scope is that of the caller. A relation does not exist for it if the memory at
	// either end lies outside of it, or is forgotten.
	Scope hippo.Scope
	// IDs are the memories of which one is at either end. Unknown ones have no relations.
	IDs []hippo.ID
	// At, if it is not zero, is a time at which the relations are valid.
	At time.Time
	// Limit is how many relations of each memory are returned: the first in the order
	// of [Stronger]. 0 is none.
	Limit int
}

// Stronger orders relations as [RelationQuery.Limit] counts them: by weight, then those
// reinforced last, then by From, To and Kind. It is below 0 if a comes before b.
func Stronger(a, b *hippo.Relation) int {
	switch {
	case a.Weight > b.Weight:
		return -1
	case a.Weight < b.Weight:
		return 1
	}
	if c := b.LastReinforced.Compare(a.LastReinforced); c != 0 {
		return c
	}
	return a.Compare(b)
}
