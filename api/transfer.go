package api

import (
	"iter"

	"github.com/hippo-memory/hippo"
)

// Import asks to add memories as another store held them, with their IDs, times and votes. The answer is an [ImportReport].
type Import struct {
	// Entries are the memories, as an export yields them. An entry that breaks a rule, or comes with an error, or whose ID is
	// in use outside of the namespace, is rejected, and the rest goes on.
	Entries iter.Seq2[*hippo.Memory, error]
	// Calendar is that of the store that the memories come from, which its [Status] has, so that what was used lately there
	// is used lately here. Zero: the memories count as used once, today.
	Calendar hippo.Calendar
	// BringBack brings back what was forgotten or purged here.
	BringBack bool
}

// ImportReport is the outcome of an import.
type ImportReport struct {
	// Added memories are new; Present ones were here already, by ID. Updated ones were changed in their source since; Kept ones were
	// changed here since, and keep those changes. Where the source is a store of this program, the history keeps what is not taken of it.
	Added, Updated, Present, Kept int
	// Forgotten ones were forgotten here, and Purged ones deleted here permanently; the import does not bring them back, unless [Import.BringBack] is set.
	Forgotten, Purged int
	// Gone were forgotten because their source no longer contains them; Stale were kept although their source no longer
	// contains them, because they were changed here.
	Gone, Stale int
	// Operation is the one to undo; zero if nothing was changed, or the import is none.
	Operation hippo.ID
	// Rejected entries could not be read or break a rule; nothing of them is stored.
	Rejected []Rejection
}

// Rejection is one entry that an import refused.
type Rejection struct {
	// Entry counts the entries of the source from 1.
	Entry int
	// Err says where the entry is, and what is wrong with it.
	Err error
}
