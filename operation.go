package hippo

import (
	"cmp"
	"slices"
	"time"
)

// Operation is one write that changed memories: all of its changes were stored together, and can
// be undone together.
type Operation struct {
	// ID is a UUID of version 7.
	ID ID
	// At is when it was done by the clock of the machine, Day the active day of then.
	At  time.Time
	Day Day
	// Verb is what was done, one of [Verbs] or of a later program.
	Verb Verb
	// By is who did it: the kind of caller, author, client and session.
	By Source
	// Reason is why, as the caller said; empty: unknown. At most [MaxName] bytes.
	Reason string
	// Undoes is the operation that this one has undone; zero: none.
	Undoes ID
}

// Verb is the kind of an [Operation].
type Verb string

// The verbs that change memories which were there before.
const (
	VerbModify      Verb = "modify"
	VerbVote        Verb = "vote"
	VerbForget      Verb = "forget"
	VerbRestore     Verb = "restore"
	VerbSupersede   Verb = "supersede"
	VerbImport      Verb = "import"
	VerbConsolidate Verb = "consolidate"
	VerbUndo        Verb = "undo"
	VerbRelate      Verb = "relate"
	VerbMerge       Verb = "merge" // of entities
	VerbSplit       Verb = "split"
	VerbSync        Verb = "sync" // with other stores
)

// Compare orders operations by time, the newer first, then by ID. It is below 0 if o comes before
// other.
func (o *Operation) Compare(other *Operation) int {
	return cmp.Or(other.At.Compare(o.At), other.ID.Compare(o.ID))
}

// Validate reports the first rule that o breaks, as a [*FieldError].
func (o *Operation) Validate() error {
	for _, f := range []struct{ name, value string }{
		{"reason", o.Reason},
		{"source.author", o.By.Author},
		{"source.client", o.By.Client},
		{"source.session", o.By.Session},
		{"source.uri", o.By.URI},
	} {
		if err := validText(f.name, f.value, MaxName, false); err != nil {
			return err
		}
	}
	return nil
}

// Version is one memory in an [Operation]: what it was before.
type Version struct {
	Operation Operation
	// ID is that of the memory, Namespace and Project are where it was.
	ID                 ID
	Namespace, Project string
	// Before is the memory before the operation, nil if the operation recorded it. Revision is 0:
	// a former version has none.
	Before *Memory
	// After identifies what the operation made of the memory. It is opaque to the store.
	After Hash
	// Of is how many memories of the same project the operation changed, this one included and
	// those purged since left out. If fewer are found, the others have too many later versions.
	Of int
	// Relations are those from the memory that the operation added or removed.
	Relations []RelationChange
	// Unchanged: the operation changed nothing but Relations. Before is nil then, and After is zero.
	Unchanged bool
}

// RelationChange is a relation that an operation added, or removed.
type RelationChange struct {
	// Relation is as it was added, or as it was when it was removed.
	Relation Relation
	Added    bool
}

// Clone returns a deep copy.
func (v *Version) Clone() Version {
	c := *v
	if v.Before != nil {
		c.Before = v.Before.Clone()
	}
	c.Relations = slices.Clone(v.Relations)
	return c
}

// Retention is how many former versions of each memory are kept.
type Retention struct {
	// Versions is their greatest number; 0: nothing is kept.
	Versions int
	// Days is their greatest age in active days, so that a clock that jumps loses nothing.
	Days int
}

// DefaultRetention keeps 20 versions of the last 400 active days.
func DefaultRetention() Retention { return Retention{Versions: 20, Days: 400} }
