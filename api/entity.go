package api

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Entity is something that memories are about: a person, a project, a file. Requests refer to it by its name, an alias, a short
// form of a name that no other one has, or an ID. A name that means several is a [*hippo.AmbiguousError], one that means none
// [hippo.ErrNotFound].
type Entity struct {
	hippo.Entity
	// ID is that of the memory of type [hippo.EntityType] which records it; zero: the entity was found by rule in texts, and
	// has no record.
	ID hippo.ID
	// Project is the project of the record; empty: none.
	Project string
}

// Found reports whether the entity was found by rule, and has no record.
func (e *Entity) Found() bool { return e.ID.IsZero() }

// ListEntities asks for a page of entities. The answer is an [EntityList].
type ListEntities struct {
	// Kind keeps those of a kind; empty: all.
	Kind string
	// Found lists those that were found by rule instead of those that were recorded.
	Found bool
	// Offset is how many come before the page, Count its size, at most [hippo.MaxCount]; 0 means 100.
	Offset, Count int
	// KnownAt lists those that were known at a time; zero: now.
	KnownAt time.Time
}

// EntityList is a page of entities: recorded ones by name, found ones by the number of memories that name them.
type EntityList struct {
	Entities []ListedEntity
	// Total counts all pages.
	Total int
	// Read is how many texts were read for found entities: the newest; More: there are more.
	Read int
	More bool
	// Degraded says what the history lacks of what was known at a time; nil otherwise.
	Degraded []string
}

// ListedEntity is an entity of a list.
type ListedEntity struct {
	*Entity
	// Memories is how many of the texts that were read name it; 0 for a recorded one, for which they are not counted.
	Memories int
}

// ShowEntity returns everything known about an entity. The answer is an [EntityPage].
type ShowEntity struct {
	// Entity is a name, an alias or an ID.
	Entity string
	// MaxTokens bounds the texts by an estimate, 100 to 8,000; 0 means 1,200.
	MaxTokens int
	// At, with ValidAt, is the time at which facts and relations hold; otherwise it is now.
	At hippo.Moment
	// Facts asks for facts and relations alone, and for all that were read of them.
	Facts bool
}

// EntityPage is everything known about an entity.
type EntityPage struct {
	Entity *Entity
	// Facts are the memories that state something of it and hold, Former those that did once; the newest first.
	Facts, Former []*hippo.Memory
	// Mentions are others that name it, the most important first.
	Mentions []*hippo.Memory
	// Relations hold, FormerRelations did once or will; the strongest first. Others are the memories at their other ends.
	Relations, FormerRelations []hippo.Relation
	Others                     []*hippo.Memory
	// Timeline is what happened, the oldest first.
	Timeline []EntityEvent
	// Memories is how many name it. About: only the newest 500 of those with all words
	// of a name were read, and it counts all of those.
	Memories int
	About    bool
	// Omitted counts what did not fit in.
	Omitted int
	// Degraded says what the history lacks of what was known at a time; nil otherwise.
	Degraded []string
}

// EntityEvent is a moment in the life of an entity.
type EntityEvent struct {
	At time.Time
	// What is "said", "began" or "ended".
	What string
	// Memory is what was said, or what began or ended. For a relation it is the memory at the other end, and Kind is the kind
	// of the relation.
	Memory hippo.ID
	Kind   string
	// Text is the beginning of the memory.
	Text string
}

// ModifyEntity changes an entity. Nil fields keep their values. The answer is the stored [Entity]. A
// name that another entity has is [hippo.ErrConflict].
type ModifyEntity struct {
	// Entity is a name, an alias or an ID. One that was found by rule gets a record.
	Entity                  string
	Name, Kind, Description *string
	// Aliases are added, Without taken away. An unknown alias is [hippo.ErrNotFound].
	Aliases, Without []string
	// ID is that of a new record; zero: a new one.
	ID hippo.ID
}

// MergeEntities merges two entities into one, as one operation: the names of From become aliases of Into, its
// description is added, its relations move, and it is forgotten. The answer is an [EntityMoved]. An entity and itself, and two
// of different projects, are [hippo.ErrInvalid].
type MergeEntities struct {
	// From and Into are names, aliases or IDs.
	From, Into string
	// ID is that of a record of Into, if that was found by rule; zero: a new one.
	ID hippo.ID
}

// SplitEntity splits an entity into two, as one operation. The answer is an [EntityMoved]. A name that a third entity has
// is [hippo.ErrConflict].
type SplitEntity struct {
	// Entity is the one to split: a name, an alias or an ID of a recorded one.
	Entity string
	// New is the other one. Its name and its aliases are those of Entity, which loses them, or new ones.
	New hippo.Entity
	// Related are memories: the relations with them move to the new one.
	Related []hippo.ID
	// ID is that of the new record; zero: a new one.
	ID hippo.ID
}

// EntityMoved is the effect of a merge or a split.
type EntityMoved struct {
	// Entity is the one that the others merged into, or the new one of a split.
	Entity *Entity
	// Other is the one that is forgotten now, or that was split.
	Other *Entity
	// Moved is the number of relations that moved from Other to Entity. Stayed are those that did not, although Other is forgotten:
	// learned ones, and those with other projects, of which no history is kept.
	Moved, Stayed int
}
