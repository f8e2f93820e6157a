// Package store is the only access to stored memories. On top of any back end (package
// driver) it validates memories, sets their derived fields, keeps the active day, and wraps
// errors once. It does not rank or index.
package store

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// Store holds memories in a back end. It is safe for concurrent use.
type Store struct {
	backend driver.Backend
	now     func() time.Time
	zone    *time.Location
	// retention bounds what is kept of memories that are changed.
	retention hippo.Retention
	cast      merge.Cast

	mu       sync.Mutex
	calendar driver.Calendar // the latest seen; never goes back

	related  atomic.Bool // there were relations when Head was read last
	advanced atomic.Bool // this process has advanced the active day
}

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Zone decides where a calendar day begins; nil means the system's.
	Zone *time.Location
	// Retention bounds the former versions of each memory; nil means [hippo.DefaultRetention].
	Retention *hippo.Retention
	// Cast applies a vote of another store, as the engine does; nil means that of [rank.DefaultWeights].
	Cast merge.Cast
}

// New returns a Store on b and takes over closing it.
func New(b driver.Backend, o *Options) *Store {
	s := &Store{backend: b, now: time.Now, zone: time.Local, retention: hippo.DefaultRetention()} //nolint:forbidigo // the system clock is the default
	weights := rank.DefaultWeights()
	if s.cast = weights.Cast; o != nil && o.Cast != nil {
		s.cast = o.Cast
	}
	if o != nil && o.Now != nil {
		s.now = o.Now
	}
	if o != nil && o.Zone != nil {
		s.zone = o.Zone
	}
	if o != nil && o.Retention != nil {
		s.retention = *o.Retention
	}
	return s
}

// Zone returns the time zone of the calendar.
func (s *Store) Zone() *time.Location { return s.zone }

// Add records new memories: it stamps ID, times, version, hash, the first access and the day,
// advances the active day if the date is new, and returns when all are durable; all or none. It
// completes ms in place. An ID that is in use is [hippo.ErrConflict].
func (s *Store) Add(ctx context.Context, ms ...*hippo.Memory) error {
	return addMemories(ctx, s, func(driver.Tx) error { return nil }, ms)
}

// addMemories is [Store.Add] if hold, which the transaction calls first, returns nil.
func addMemories(ctx context.Context, s *Store, hold func(driver.Tx) error, ms []*hippo.Memory) error {
	now := s.now().UTC()
	for i, m := range ms {
		if err := stampNew(m, now); err != nil {
			return err
		}
		if err := m.Validate(); err != nil {
			return at(err, i, len(ms))
		}
	}
	err := write(ctx, s, driver.Durable, func(tx driver.Tx) error {
		if err := hold(tx); err != nil {
			return err
		}
		cal, err := advanceDay(s, tx)
		if err != nil {
			return err
		}
		for _, m := range ms {
			m.Importance.SetDay = cal.Day
			m.Accesses = []hippo.Access{{Day: cal.Day, Count: 1}}
		}
		if err := unused(tx, ms...); err != nil {
			return err
		}
		return tx.Put(ms...)
	})
	return wrap("add", err)
}

// unused returns [hippo.ErrConflict] if one of the IDs is in use.
func unused(tx driver.Tx, ms ...*hippo.Memory) error {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	here, err := tx.Get(ids...)
	if err != nil || len(here) == 0 {
		return err
	}
	return fmt.Errorf("%w: the id %v is in use", hippo.ErrConflict, here[0].ID)
}

// Identify gives a new memory an ID, unless it has one.
func Identify(m *hippo.Memory) error {
	if !m.ID.IsZero() {
		return nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("store: new id: %w", err)
	}
	m.ID = hippo.ID(id)
	return nil
}

func stampNew(m *hippo.Memory, now time.Time) error {
	if err := Identify(m); err != nil {
		return err
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = now
	}
	m.UpdatedAt = m.CreatedAt
	m.Version = 1
	m.Importance.Value = m.Importance.Base
	m.Importance.SetAt = now
	normalise(m)
	return nil
}

// Get returns the memories with these IDs, in the order of ids, forgotten ones
// included. Missing ones are left out, and so are those that cannot be read, unless
// nothing else is found: that is a [*api.UnreadableError].
func (s *Store) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ms, err := s.backend.Get(ctx, ids)
	if len(ms) > 0 {
		err = driver.Readable(err)
	}
	return ms, wrap("get", err)
}

// updateMemories is [Scoped.Update].
func updateMemories(ctx context.Context, s *Store, in Scoped, ids []hippo.ID, fn func(*hippo.Memory, hippo.Day) error) ([]*hippo.Memory, error) {
	op, err := newOperation(in, hippo.VerbModify)
	if err != nil {
		return nil, err
	}
	var all []*hippo.Memory
	var hidden successors
	err = write(ctx, s, driver.Durable, func(tx driver.Tx) error {
		if err := holds(in, tx); err != nil {
			return err
		}
		ms, err := getAllVisible(in, tx, ids)
		if err != nil {
			return err
		}
		cal, err := tx.Calendar()
		if err != nil {
			return err
		}
		all = ms
		var changed []change
		for _, m := range ms {
			before := m.Clone()
			differs, err := changeMemory(s, m, cal.Day, fn)
			if err != nil {
				return err
			}
			if differs {
				changed = append(changed, change{before: before, after: m})
			}
		}
		if hidden, err = hiddenSuccessors(in, ms, txGet(tx)); err != nil {
			return err
		}
		return putKept(s, tx, op, changed)
	})
	if err != nil {
		return nil, wrap("update", err)
	}
	hidden.mask(all...)
	return all, nil
}

// changeMemory applies fn to m and reports whether m differs from before.
func changeMemory(s *Store, m *hippo.Memory, day hippo.Day, fn func(*hippo.Memory, hippo.Day) error) (differs bool, err error) {
	before := m.Clone()
	if err := fn(m, day); err != nil {
		return false, err
	}
	normalise(m)
	if reflect.DeepEqual(before, m) {
		return false, nil
	}
	m.UpdatedAt = s.now().UTC().Truncate(time.Microsecond)
	if textChanged(before, m) {
		m.Version++
	}
	return true, m.Validate()
}

// allThere returns a [*hippo.UnknownError] unless each of ids is that of a memory; it may be
// unreadable.
func allThere(ids []hippo.ID, ms []*hippo.Memory, unreadable ...api.StoreProblem) error {
	found := make(map[hippo.ID]bool, len(ms))
	for _, m := range ms {
		found[m.ID] = true
	}
	for _, p := range unreadable {
		found[p.ID] = true
	}
	var missing []hippo.ID
	for _, id := range ids {
		if !found[id] {
			missing = append(missing, id)
		}
	}
	if missing != nil {
		return &hippo.UnknownError{IDs: missing}
	}
	return nil
}

// Touch counts accesses of memories on a day. They get no new revision. Unknown memories are skipped. The write survives a
// crash of the process, not of the machine.
func Touch(ctx context.Context, s *Store, day hippo.Day, counts map[hippo.ID]int) error {
	return wrap("touch", write(ctx, s, driver.Lazy, func(tx driver.Tx) error { return tx.Touch(day, counts) }))
}

// Learn changes what use has taught about memories: it calls fn on each with the current active day,
// and stores what differs. It is no change of the memory in the sense of [hippo.Memory.UpdatedAt].
// Unknown memories are skipped. The write survives a crash of the process, not of the machine.
func Learn(ctx context.Context, s *Store, ids []hippo.ID, fn func(*hippo.Memory, hippo.Day)) error {
	return wrap("learn", write(ctx, s, driver.Lazy, func(tx driver.Tx) error {
		ms, err := tx.Get(ids...)
		if driver.Readable(err) != nil {
			return err
		}
		cal, err := tx.Calendar()
		if err != nil {
			return err
		}
		ms = slices.DeleteFunc(ms, func(m *hippo.Memory) bool {
			before := m.Clone()
			fn(m, cal.Day)
			return reflect.DeepEqual(before, m)
		})
		return tx.Put(ms...)
	}))
}

// Changes yields what changed after since; see [driver.Backend].
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return s.backend.Changes(ctx, since)
}

// Uses yields the accesses of a day and later; see [driver.Backend].
func (s *Store) Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	return s.backend.Uses(ctx, since)
}

// Leases returns the rights that one process has at a time.
func (s *Store) Leases() driver.Leases { return s.backend }

// Head returns the state of the store.
func (s *Store) Head(ctx context.Context) (driver.Head, error) {
	h, err := s.backend.Head(ctx)
	if err != nil {
		return h, wrap("head", err)
	}
	rememberCalendar(s, h.Calendar)
	s.related.Store(h.Relations > 0)
	return h, nil
}

// Problems lists unreadable data, and where it was moved.
func (s *Store) Problems(ctx context.Context) ([]api.StoreProblem, error) {
	ps, err := s.backend.Problems(ctx)
	return ps, wrap("problems", err)
}

// HostOf returns the state of the file of another program that the back end keeps its data in; nil: it is no guest.
func HostOf(ctx context.Context, s *Store) (*api.Host, error) {
	g, ok := s.backend.(driver.Guest)
	if !ok {
		return nil, nil
	}
	h, err := g.Host(ctx)
	return &h, wrap("host", err)
}

// Close closes the back end.
func (s *Store) Close() error { return wrap("close", s.backend.Close()) }
