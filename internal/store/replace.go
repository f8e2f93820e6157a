package store

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// Replacing is a transaction that replaces the content of a store by that of a backup.
type Replacing struct {
	driver.Tx
	store    *Store
	recorder *recorder // nil if sync is off
}

// Unwrap returns the transaction that records the changes.
func (r *Replacing) Unwrap() driver.Tx { return r.Tx }

// Replace runs fn in a transaction. If sync is on, it also writes entries for the changes, which replace what the store had seen of other
// replicas, and nothing else.
func Replace(ctx context.Context, s *Store, fn func(*Replacing) error) error {
	return write(ctx, s, driver.Durable, func(tx driver.Tx) error {
		r, _ := tx.(*recorder)
		return fn(&Replacing{tx, s, r})
	})
}

// Put implements [driver.Tx]. If sync is on, a memory keeps its version unless its text or tags change, and the version never goes back: other
// replicas show the highest one that any of them has written.
func (r *Replacing) Put(ms ...*hippo.Memory) error {
	if r.recorder == nil {
		return r.Tx.Put(ms...)
	}
	if err := r.recorder.know(hippo.IDsOf(ms...)...); err != nil {
		return err
	}
	for _, m := range ms {
		if old := r.recorder.before[m.ID]; old != nil {
			keepVersion(old, m)
		}
	}
	return r.Tx.Put(ms...)
}

// keepVersion gives a memory that replaces another state of it the version that other replicas show, and reports whether it had another one.
func keepVersion(old, m *hippo.Memory) bool {
	version := old.Version
	if textChanged(old, m) {
		version = max(version, m.Version)
	}
	differs := m.Version != version
	m.Version = version
	return differs
}

// Remove removes memories that the backup lacks. The store remembers that nobody purged them. If sync is on, other replicas may have changed
// them since, so those of the default namespace become forgotten instead. Remove returns these. It ignores unknown IDs.
func (r *Replacing) Remove(ids ...hippo.ID) (forgotten map[hippo.ID]bool, err error) {
	ms, err := r.Get(ids...)
	if driver.Readable(err) != nil {
		return nil, err
	}
	var gone []hippo.ID
	for _, p := range driver.ProblemsOf(err) {
		gone = append(gone, p.ID)
	}
	below := r.Tx
	if r.recorder != nil {
		below = r.recorder.Tx // writes no entry: other replicas keep a memory that cannot be read here
	}
	forgotten = make(map[hippo.ID]bool)
	for _, m := range ms {
		if r.recorder == nil || m.Namespace != "" {
			gone = append(gone, m.ID)
			continue
		}
		forgotten[m.ID] = true
		if err := r.forget(m); err != nil {
			return nil, err
		}
	}
	if err := below.Purge(gone...); err != nil {
		return nil, err
	}
	return forgotten, driver.MarkRemoved(below, gone...)
}

func (r *Replacing) forget(m *hippo.Memory) error {
	if m.Forgotten() {
		return nil
	}
	m.ForgottenAt = r.store.now().UTC()
	normalise(m)
	return r.Put(m)
}

// PurgedForGood returns those of some memories that were purged on any of the replicas that the store has synced with. They cannot come
// back: every replica would purge them again.
func PurgedForGood(tx driver.Tx, ids ...hippo.ID) (purged []hippo.ID, err error) {
	entries := driver.EntriesOf(tx)
	if entries == nil {
		return nil, nil
	}
	if v, err := entries.Vector(); err != nil || len(v) == 0 { // it has never synced
		return nil, err
	}
	held, err := entries.Held(ids...)
	for _, h := range held {
		if _, ok := h.Parts[merge.Purged]; ok {
			purged = append(purged, h.Subject)
		}
	}
	return purged, err
}

// PurgeHolds is the error of bringing back memories that [PurgedForGood] returns.
func PurgeHolds(n int) error {
	what := "a memory was"
	if n != 1 {
		what = fmt.Sprintf("%d memories were", n)
	}
	return fmt.Errorf("%w: %s purged in a store that syncs, which holds on all its machines for good: leave out --bring-back; to have the text again, record it anew", hippo.ErrConflict, what)
}

// purgeHolds is [PurgeHolds] for one memory that is recorded again under its ID.
func purgeHolds(id hippo.ID) error {
	return fmt.Errorf("%w: memory %v was purged, which holds on all machines that sync, for good: record it without its id", hippo.ErrConflict, id)
}
