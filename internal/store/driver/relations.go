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
	// Relations returns those that have one of ids at either end, each once, by
	// From, To and Kind. Of every ID the most strongest count: by weight, then those
	// reinforced last, then by From, To and Kind. If at is not zero, only those that
	// hold then do. Relations of a forgotten memory, at either end, are left out.
	// The caller owns the result. Cost: that of at most len(ids) * most relations.
	Relations(ctx context.Context, ids []hippo.ID, at time.Time, most int) ([]hippo.Relation, error)

	// AllRelations yields every relation, those of forgotten memories too, by From,
	// To and Kind, as they are at one moment. The loop may call the Backend.
	AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error]

	// Relate changes relations in one transaction, all or nothing, which excludes all
	// other writers. For each r of rs, in their order, it calls fn with the relation
	// of the same From, To and Kind that there is, of Weight 0 if there is none, and
	// stores what fn returns, with the key of r; Weight 0 removes it. What names a
	// memory that is not there is passed over. fn may run more than once, must have
	// no other effect than on its captured results and must not call the Backend;
	// what it returns is valid.
	Relate(ctx context.Context, d Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error
}

// Stronger orders relations as [Relations.Relations] chooses them: below 0 if a
// comes before b.
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
