package store

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Scoped is a store restricted to the scope of a caller: every access by ID, every write and
// every listing of a caller goes through it. Memories outside of the scope do not exist for
// it: reads skip them, and changing one is a [*hippo.UnknownError].
type Scoped struct {
	store *Store
	scope hippo.Scope
	op    hippo.Operation // see [As]
	// before is what has to hold in a transaction; see [Checked]. nil: nothing.
	before *precondition
}

// In returns the store restricted to a scope.
func (s *Store) In(scope hippo.Scope) Scoped { return Scoped{store: s, scope: scope} }

// Allow returns [hippo.ErrForbidden] unless the scope has these rights.
func (s Scoped) Allow(r hippo.Rights) error {
	if s.scope.Allows(r) {
		return nil
	}
	return fmt.Errorf("%w: the caller has no right to do this", hippo.ErrForbidden)
}

// Get returns the memories with these IDs, in the order of ids, forgotten ones included.
// Missing ones are left out, and so are those that cannot be read, unless nothing else is found:
// that is a [*api.UnreadableError] for callers with [hippo.RightAdmin]. The scope of such a
// memory is unknown. SupersededBy is set only where the successor is in the scope.
func (s Scoped) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	if err := s.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	ms, err := visibleByID(ctx, s, ids)
	if err != nil {
		return ms, err
	}
	return ms, maskSuccessors(ctx, s, ms)
}

// GetAll is [Scoped.Get] with a [*hippo.UnknownError] for IDs that are not in the scope.
func GetAll(ctx context.Context, s Scoped, ids []hippo.ID) ([]*hippo.Memory, error) {
	ms, err := s.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	err = allThere(ids, ms)
	if unknown, ok := errors.AsType[*hippo.UnknownError](err); ok {
		if _, err := s.Get(ctx, unknown.IDs); err != nil { // they are there and cannot be read
			return nil, err
		}
		return nil, err
	}
	return ms, nil
}

// visibleByID is [Scoped.Get] for callers with any right.
func visibleByID(ctx context.Context, s Scoped, ids []hippo.ID) ([]*hippo.Memory, error) {
	ms, err := s.store.Get(ctx, ids)
	if !s.scope.Allows(hippo.RightAdmin) {
		err = driver.Readable(err)
	}
	return visibleMemories(s, ms), err
}

// visibleMemories returns the memories inside of the scope.
func visibleMemories(s Scoped, ms []*hippo.Memory) []*hippo.Memory {
	out := ms[:0]
	for _, m := range ms {
		if s.scope.Sees(m) {
			out = append(out, m)
		}
	}
	return out
}

// Place puts a new memory into the namespace of the scope. The error is a [*hippo.FieldError]
// for one that names another namespace, or a project outside of the scope.
func (s Scoped) Place(m *hippo.Memory) error {
	if m.Namespace == "" {
		m.Namespace = s.scope.Namespace
	}
	switch {
	case m.Namespace != s.scope.Namespace:
		return hippo.Fieldf("namespace", "must be %q, the caller's own, got %q", s.scope.Namespace, m.Namespace)
	case !s.scope.Sees(m):
		return hippo.Fieldf("project", "must be one of %q, which the caller may use, got %q", s.scope.Projects, m.Project)
	}
	return nil
}

// Add is [Store.Add] of one memory into the scope.
func (s Scoped) Add(ctx context.Context, m *hippo.Memory) error {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return err
	}
	if err := s.Place(m); err != nil {
		return err
	}
	return addMemories(ctx, s.store, func(tx driver.Tx) error { return holds(s, tx) }, []*hippo.Memory{m})
}

// AddInstead records a new memory that supersedes others; see [Store.AddInstead].
func (s Scoped) AddInstead(ctx context.Context, m *hippo.Memory, old []hippo.ID) ([]*hippo.Memory, error) {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	if err := s.Place(m); err != nil {
		return nil, err
	}
	return addInstead(ctx, s.store, s, m, old)
}

// Update changes existing memories in one transaction: it calls fn on each, in the order of
// ids, with the current active day, and stores what differs. When an ID is unknown or fn fails
// nothing changes; unknown IDs are a [*hippo.UnknownError]. The memories are returned as
// stored, but for SupersededBy, see [Scoped.Get]. fn may run more than once.
func (s Scoped) Update(ctx context.Context, ids []hippo.ID, fn func(*hippo.Memory, hippo.Day) error) ([]*hippo.Memory, error) {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	return updateMemories(ctx, s.store, s, ids, fn)
}

// Supersede makes a stored memory supersede others, after fn has changed it and them; see
// [Store.supersede].
func (s Scoped) Supersede(ctx context.Context, id hippo.ID, old []hippo.ID, fn func(*hippo.Memory, hippo.Day) error) (*hippo.Memory, error) {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	return supersedeMemories(ctx, s.store, s, id, old, fn)
}

// Purge removes memories for good; with [hippo.RightAdmin] also those that cannot be read.
// Unknown IDs are a [*hippo.UnknownError] and nothing is removed.
func (s Scoped) Purge(ctx context.Context, ids []hippo.ID) error {
	return PurgeAnd(ctx, s, ids, nil, nil)
}

// PurgeAnd is [Scoped.Purge] that changes others in the same transaction, of those that are there.
func PurgeAnd(ctx context.Context, s Scoped, ids, others []hippo.ID, fn func(*hippo.Memory)) error {
	if err := s.Allow(hippo.RightPurge); err != nil {
		return err
	}
	op, err := newOperation(s, hippo.VerbModify)
	if err != nil {
		return err
	}
	return wrap("purge", write(ctx, s.store, driver.Durable, func(tx driver.Tx) error {
		ms, err := tx.Get(ids...)
		var unreadable []api.StoreProblem
		if bad, ok := errors.AsType[*api.UnreadableError](err); ok {
			if s.scope.Allows(hippo.RightAdmin) {
				unreadable = bad.Problems
			}
		} else if err != nil {
			return err
		}
		if err := allThere(ids, visibleMemories(s, ms), unreadable...); err != nil {
			return err
		}
		changed, err := changeOthers(s, tx, others, fn)
		if err != nil {
			return err
		}
		if err := putKept(s.store, tx, op, changed); err != nil {
			return err
		}
		return tx.Purge(ids...)
	}))
}

// changeOthers returns the changes of those memories of the scope that are there. It stores nothing.
func changeOthers(s Scoped, tx driver.Tx, ids []hippo.ID, fn func(*hippo.Memory)) (changed []change, err error) {
	ms, err := tx.Get(ids...)
	if err = driver.Readable(err); err != nil {
		return nil, err
	}
	for _, m := range visibleMemories(s, ms) {
		before := m.Clone()
		differs, err := changeMemory(s.store, m, 0, func(m *hippo.Memory, _ hippo.Day) error {
			fn(m)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if differs {
			changed = append(changed, change{before: before, after: m})
		}
	}
	return changed, nil
}

// getAllVisible returns the memories with these IDs in a transaction, or a [*hippo.UnknownError].
func getAllVisible(s Scoped, tx driver.Tx, ids []hippo.ID) ([]*hippo.Memory, error) {
	ms, err := tx.Get(ids...)
	if err != nil && (driver.Readable(err) != nil || s.scope.Allows(hippo.RightAdmin)) {
		return nil, err
	}
	ms = visibleMemories(s, ms)
	return ms, allThere(ids, ms)
}

// All yields every memory of the scope, forgotten ones included, in the order of their last
// change. For those with [hippo.RightAdmin], a memory that cannot be read is a
// [*api.UnreadableError], and the rest follows. SupersededBy is as stored for an administrator
// of the whole namespace, else as in [Scoped.Get]. Cost: one more read for each superseded memory.
func (s Scoped) All(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for c, err := range AllSince(ctx, s, 0) {
			more := true
			switch {
			case err != nil:
				yield(nil, err)
				return
			case c.Unreadable != nil:
				more = yield(nil, c.Unreadable)
			case c.Memory != nil:
				more = yield(c.Memory, nil)
			}
			if !more {
				return
			}
		}
	}
}

// AllSince yields what [Scoped.All] does of the changes after a revision. A change with neither a memory nor a
// reason why that cannot be read is one of which the caller sees nothing but that it is there.
func AllSince(ctx context.Context, s Scoped, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		if err := s.Allow(hippo.RightRead); err != nil {
			yield(driver.Change{}, err)
			return
		}
		for c, err := range s.store.Changes(ctx, since) {
			switch {
			case err != nil:
			case c.Unreadable != nil && s.scope.Allows(hippo.RightAdmin):
			case c.Memory != nil && s.scope.Sees(c.Memory):
				err = maskExported(ctx, s, c.Memory)
			default:
				c = driver.Change{Revision: c.Revision}
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// Import adds memories as another store held them to the scope, in its namespace: IDs, times,
// votes and accesses stay. Memories whose ID is already here are left as they are, but for those of
// another program that it has changed since they were imported and nobody here has. All of ms
// must be valid and lie in the scope, see [Scoped.Place]; then all are added or none, but for
// those that the outcomes say, one for each of ms.
//
// cal is the calendar of the store they came from. A store that was never used takes it over;
// else the active days in ms are moved by the difference between the two calendars, so that
// what was recent there is recent here. A zero cal means the memories carry no days: they count
// as accessed once, today.
func (s Scoped) Import(ctx context.Context, cal driver.Calendar, ms []*hippo.Memory) ([]Outcome, error) {
	return ImportBatch(ctx, s, &Batch{Calendar: cal, Memories: ms})
}

func placeAll(s Scoped, ms []*hippo.Memory) error {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return err
	}
	for i, m := range ms {
		m.Namespace = s.scope.Namespace
		if err := s.Place(m); err != nil {
			return at(err, i, len(ms))
		}
	}
	return nil
}
