// Package driver is the contract between the store and its back ends.
//
// store.Store is the only caller of a [Backend]. The types that it passes on, such as
// [Change], [Head] and [api.StoreProblem], are also used by the packages above it.
package driver

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Backend keeps memories. The store above it guarantees that memories are
// valid, IDs are not zero and times are UTC. Methods are safe for concurrent
// use and honour ctx. Errors wrap the sentinels of package hippo where one
// fits (ErrReadOnly, ErrFull, ErrCorrupt, ErrUnavailable), else are returned raw.
//
// Several processes may have the same data open. A Backend sees what others
// committed no later than its next call of Head, Get, Changes or Write; edits of a
// directory by other programs may take up to its polling interval.
type Backend interface {
	// Get returns the memories with these IDs, in the order of ids, forgotten
	// ones included. Missing IDs are left out. The caller owns the result. Memories
	// that are stored and cannot be read are also left out, and the error is an
	// [*api.UnreadableError] about them beside the memories that can be read.
	Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error)

	// Write runs fn in a transaction that excludes all other writers, of every
	// process. If fn returns nil the changes are committed, all or nothing, and
	// Write returns when they are as durable as requested; if fn returns an error
	// nothing changes and Write returns that error; if fn panics nothing changes and
	// the panic is raised again in the goroutine of the caller. Back ends may commit
	// several waiting writes together (group commit). fn may run more than once,
	// in another goroutine, and must have no other effect than on its captured
	// results; it must not call the Backend. Where a commit may have taken place or not, because the connection to a
	// server broke, the back end finds out before it runs fn again or returns an error.
	Write(ctx context.Context, d Durability, fn func(Tx) error) error

	// Changes yields what changed after since, in ascending order of revision:
	// each memory at most once, at its latest revision; purged ones with a nil
	// Memory. since 0 yields all memories that exist. The caller owns what is yielded.
	// RAM use is bounded: it streams. A memory that cannot be read is yielded as a
	// purged one is, with the reason in [Change.Unreadable], and the rest follows.
	Changes(ctx context.Context, since hippo.Revision) iter.Seq2[Change, error]

	// Uses yields the accesses of all memories on a day and later, forgotten ones included; those of one memory by day. What
	// is counted while it streams may be left out. Cost: that of the rows yielded, where the back end can.
	Uses(ctx context.Context, since hippo.Day) iter.Seq2[Use, error]

	// Head returns the state of the store. It is called once before every search: it takes tens of microseconds, or one
	// round trip to a server.
	Head(ctx context.Context) (Head, error)

	// Problems lists unreadable data that is known or can be found within seconds. A back
	// end that finds its data damaged as a whole rejects later writes with
	// [hippo.ErrCorrupt].
	Problems(ctx context.Context) ([]api.StoreProblem, error)

	Vectors
	Relations
	History
	Leases

	// Close releases everything. Writes that were acknowledged are kept.
	Close() error
}

// Tx is a transaction. It is used by one goroutine, inside [Backend.Write].
type Tx interface {
	// Get is [Backend.Get] as seen by this transaction.
	Get(ids ...hippo.ID) ([]*hippo.Memory, error)
	// Changed returns the memories with a revision above since, by revision, as seen by this transaction. Purged ones, and those
	// that cannot be read, are left out. The caller owns the result. Cost: that of reading them.
	Changed(since hippo.Revision) ([]*hippo.Memory, error)
	// Put inserts or replaces whole memories, by ID, unreadable ones too, and sets Revision on each
	// to a value above all that the store has assigned.
	// The Backend does not keep the pointers.
	Put(ms ...*hippo.Memory) error
	// Touch counts accesses on a day: it calls [hippo.Memory.Touch] of each memory with its count. It assigns no revision:
	// followers learn of uses by [Backend.Uses]. Unknown IDs are ignored. It reads and writes only accesses, where the back
	// end can.
	Touch(day hippo.Day, counts map[hippo.ID]int) error
	// Purge removes memories for good, unreadable ones too, and leaves a tombstone for
	// Changes. Unknown IDs are ignored.
	Purge(ids ...hippo.ID) error
	// Relate changes one relation as [Relations.Relate] does: it calls fn once. The memories
	// at its ends are those that this transaction sees.
	Relate(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error
	// RelationsFrom returns the relations of a kind that lead from a memory to another one, or if that is zero to any, by To and
	// ValidFrom, as seen by this transaction. Where either end is forgotten they may be left out. If id is zero it returns every
	// relation, of any kind and of forgotten memories too, by From, To, Kind and ValidFrom.
	RelationsFrom(id, to hippo.ID, kind string) ([]hippo.Relation, error)
	// Keep keeps versions with the operation that changed their memories, which this
	// transaction sees, and removes those of the same memories that exceed the retention, as
	// [Surplus] counts. The Operation in vs is ignored. It may be called again for the same
	// operation and other memories. It does not keep the pointers.
	Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error
	// DropHistory removes what is kept of these memories, for a caller who keeps something else
	// in its place: [hippo.Version.Of] of other versions stays.
	DropHistory(ids ...hippo.ID) error
	// Versions is [History.Versions] as seen by this transaction.
	Versions(q VersionQuery) ([]hippo.Version, error)
	// Calendar returns the active day; SetCalendar replaces it.
	Calendar() (Calendar, error)
	SetCalendar(Calendar) error
}

// Use is how often a memory was accessed on one day.
type Use struct {
	ID hippo.ID
	hippo.Access
}

// UsesOf returns the accesses of a memory on a day and later, the oldest first.
func UsesOf(m *hippo.Memory, since hippo.Day) []Use {
	var out []Use
	for _, a := range m.Accesses {
		if a.Day >= since {
			out = append(out, Use{m.ID, a})
		}
	}
	return out
}

// Counted returns the IDs with a count above 0, ascending.
func Counted(counts map[hippo.ID]int) []hippo.ID {
	ids := make([]hippo.ID, 0, len(counts))
	for id, n := range counts {
		if n > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	return ids
}

// Durability is the kind of crash that a commit must survive.
type Durability int

const (
	// Durable commits survive a crash of the machine.
	Durable Durability = iota
	// Lazy commits survive a crash of the process; a crash of the machine may
	// undo them, all or none. For accesses.
	Lazy
)

// Calendar is [hippo.Calendar].
type Calendar = hippo.Calendar

// Head is the state of a store at one moment.
type Head struct {
	// Store identifies one history of the data: while it and Revision are the same, so
	// are the memories, apart from their accesses. All handles on the data have the same one; a copy may have another.
	Store string
	// Revision is the last one that was assigned; 0 for an empty store.
	Revision hippo.Revision
	Calendar Calendar
	// Memories counts all memories, Forgotten those of them that are forgotten.
	Memories  int
	Forgotten int
	// Relations counts the relations between them, hidden ones too.
	Relations int
	// Pending counts the memories of another program that are not here yet: they come by themselves.
	Pending int
}

// Change is one entry of [Backend.Changes].
type Change struct {
	// ID is zero if not even that can be read.
	ID       hippo.ID
	Revision hippo.Revision
	// Memory is nil when the memory was purged, or cannot be read.
	Memory *hippo.Memory
	// Unreadable is why a memory that is stored cannot be read; else nil.
	Unreadable *api.UnreadableError
}

// Readable returns nil for an [*api.UnreadableError], and other errors as they are: for
// callers that go on with the memories that can be read.
func Readable(err error) error {
	if _, ok := errors.AsType[*api.UnreadableError](err); ok {
		return nil
	}
	return err
}

// Unreadable returns an [*api.UnreadableError] about problems; nil for none.
func Unreadable(problems []api.StoreProblem) error {
	if len(problems) == 0 {
		return nil
	}
	return &api.UnreadableError{Problems: problems}
}

// ProblemsOf returns what an [*api.UnreadableError] lists; nil for other errors.
func ProblemsOf(err error) []api.StoreProblem {
	if bad, ok := errors.AsType[*api.UnreadableError](err); ok {
		return bad.Problems
	}
	return nil
}

// Guest is implemented by back ends whose data is in the file of another program.
type Guest interface {
	// Host returns the state of that file. Cost: a read of all rows.
	Host(ctx context.Context) (api.Host, error)
}

// Checker is implemented by back ends that can look for damage in all of their data.
type Checker interface {
	// Check reads everything and lists what is wrong. Cost: seconds for 100,000 memories.
	Check(ctx context.Context) ([]api.StoreProblem, error)
}
