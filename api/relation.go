package api

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Related is the effect of declaring relations. Each list is in the order of [hippo.Relation.Compare].
type Related struct {
	// Declared are the stored relations.
	Declared []hippo.Relation
	// Replaced are those whose place they took, as they were.
	Replaced []hippo.Relation
	// Closed are older relations of the same memory and of a kind of which it has one at a time, in their stored form: they end
	// when the new one begins.
	Closed []hippo.Relation
	// Conflicts are others of such a kind that hold at the same time as a new one and are not changed: they begin
	// when it does or later, or have an end of their own.
	Conflicts []hippo.Relation
}

// EndRelations asks to end relations, all or none. The answer holds the stored relations. One that does not exist is
// [hippo.ErrNotFound], one that ended before [hippo.ErrConflict], one that begins later [hippo.ErrInvalid].
type EndRelations struct {
	// Relations are named by From, To and Kind, and by ValidFrom; if that is unset, the last period that begins before At is
	// meant.
	Relations []hippo.Relation
	// At is when they cease to hold; zero: now.
	At time.Time
}

// Relations asks for the relations at either end of memories. The answer has at most 100 of each memory, the strongest, with
// their weights of now.
type Relations struct {
	// IDs are 1 to [hippo.MaxIDs]; unknown ones are a [*hippo.UnknownError].
	IDs []hippo.ID
	// Kinds keeps relations of any of these kinds; nil: all.
	Kinds []string
	// At, with ValidAt, keeps those that hold then; otherwise those that do not hold now are returned as well.
	At hippo.Moment
}
