package dirstore

import (
	"errors"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// settle is how long a file must stay unreadable and unchanged before it is moved to
// quarantine: the first Hippo program writes in place, in two steps.
const settle = 2 * time.Second

// reconciler applies changes of files by other programs to the replica, in a transaction.
type reconciler struct {
	*tx
	// ignoreStamps: contents are compared even if the stamp is unchanged.
	ignoreStamps bool
	// settle: files that stayed unreadable for [settle] are moved to quarantine, and written
	// again if their memory is known.
	settle bool
	// skip is how many revisions are skipped before the first change.
	skip hippo.Revision
}

// reconcile applies the changes of these files.
func (r *reconciler) reconcile(names []string) error {
	known, err := r.prefetch(names)
	if err != nil {
		return err
	}
	found := make([]inspection, len(names))
	parallel(len(names), func(i int) {
		if _, ok := idOf(names[i]); ok {
			found[i] = inspect(r.group.sync, names[i], known[i], r.ignoreStamps)
		}
	})
	for i, name := range names {
		if found[i].name != "" {
			err = r.apply(found[i])
		} else {
			err = r.other(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prefetch returns the entries of files, and reads which of their memories are stored.
func (r *reconciler) prefetch(names []string) ([]entry, error) {
	ids := make([]hippo.ID, 0, len(names))
	for _, name := range names {
		if id, ok := idOf(name); ok {
			ids = append(ids, id)
		}
	}
	if err := errors.Join(r.group.table.load(ids...), r.Prefetch(ids)); err != nil {
		return nil, err
	}
	known := make([]entry, len(names))
	for i, name := range names {
		var err error
		if known[i], err = r.entry(name); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// apply applies what was found at one file.
func (r *reconciler) apply(v inspection) error {
	e, err := r.entry(v.name)
	switch {
	case err != nil:
		return err
	case v.missing:
		r.entries.set(v.name, entry{})
		if e.holder {
			return r.removeHolder(e.id, v.name)
		}
		return nil
	case v.same:
		if e.stamp != v.stamp || e.recent != v.recent {
			e.stamp, e.recent = v.stamp, v.recent
			r.entries.set(v.name, e)
		}
		return nil
	case v.err != nil:
		return r.applyUnreadable(v, e)
	default:
		return r.applyReadable(v, e)
	}
}

// removeHolder handles a memory whose file was removed: another file with the same memory
// becomes its holder; without one it is purged.
func (r *reconciler) removeHolder(id hippo.ID, name string) error {
	files, err := r.files(id)
	if err != nil {
		return err
	}
	for _, e := range files {
		if e.name == name || e.fault != "" {
			continue
		}
		v := inspect(r.group.sync, e.name, entry{}, true)
		if v.memory != nil && v.memory.ID == id {
			return r.applyReadable(v, entry{})
		}
	}
	return r.purge(id)
}

// applyUnreadable records a file that cannot be read. Once it has settled it is moved to
// quarantine, and written again if its memory is known.
func (r *reconciler) applyUnreadable(v inspection, before entry) error {
	s := r.group.sync
	e := before
	if e.name == "" {
		e.id, _ = idOf(v.name)
	}
	if e.fault == "" || e.stamp != v.stamp {
		e.since = s.now()
	}
	e.name, e.stamp, e.recent, e.fault, e.sum = v.name, v.stamp, v.recent, v.err.Error(), v.sum
	if v.broken && r.settle && s.dir.readOnly == nil && settled(s.now(), e.stamp, e.since) {
		err := r.displace(e, false)
		if m, failed := r.Peek(e.id); err == nil && e.holder && m != nil {
			return errors.Join(failed, r.put(m.Clone()))
		}
		return err
	}
	if v.broken || errors.Is(v.err, errChanging) {
		s.retry()
	}
	r.entries.set(v.name, e)
	return nil
}

// settled reports whether a file has been unreadable for long enough.
func settled(now time.Time, st stamp, since time.Time) bool {
	return now.Sub(since) >= settle || now.Sub(time.Unix(0, st.mtime)) >= settle
}

// applyReadable applies the memory in a file.
func (r *reconciler) applyReadable(v inspection, before entry) error {
	id := v.memory.ID
	e := entry{name: v.name, stamp: v.stamp, recent: v.recent, sum: v.sum, id: id}
	files, err := r.files(id)
	if err != nil {
		return err
	}
	held := entry{}
	if len(files) > 0 && files[0].holder {
		held = files[0]
	}
	e.holder = held.name == "" || held.name == v.name || v.name == nameOf(id) || held.fault != ""
	r.entries.set(v.name, e)
	if before.holder && before.id != id {
		if err := r.removeHolder(before.id, v.name); err != nil {
			return err
		}
	}
	if !e.holder {
		return nil // a second file with the same memory, which Problems reports
	}
	if held.name != "" && held.name != v.name {
		other := held
		other.holder = false
		r.entries.set(other.name, other)
	}
	return r.store(v, held.sum == v.sum && held.fault == "")
}

// store stores the memory in a file. unchanged: it is known from another file.
func (r *reconciler) store(v inspection, unchanged bool) error {
	before, err := r.Peek(v.memory.ID)
	if err != nil || before != nil && unchanged {
		return err
	}
	r.SkipRevisions(r.skip)
	r.skip = 0
	if before == nil {
		r.inserted = true
		return r.Tx.Put(v.memory)
	}
	m, restore := r.merge(before, v)
	if restore && r.group.sync.dir.readOnly == nil {
		return r.put(m)
	}
	if m.Revision = before.Revision; reflect.DeepEqual(before, m) {
		return nil // as it was before the file could not be read
	}
	return r.Tx.Put(m)
}

// merge adds to the memory of a file that another program wrote the values that the other program
// dropped or did not count, from the version before. restore: the file lacks some of them.
func (r *reconciler) merge(before *hippo.Memory, v inspection) (m *hippo.Memory, restore bool) {
	m = v.memory
	if v.oldKeys {
		m = before.Clone()
		m.Content, m.ContentHash, m.Situation = v.memory.Content, v.memory.ContentHash, v.memory.Situation
		m.Accesses, m.CreatedAt = v.memory.Accesses, v.memory.CreatedAt
		i := v.memory.Importance
		i.SetDay = before.Importance.SetDay
		if i.Value != before.Importance.Value || !i.SetAt.Equal(before.Importance.SetAt) {
			i.SetDay = r.group.Calendar().Day
		}
		m.Importance = i
		m.Revision = v.memory.Revision
		restore = !reflect.DeepEqual(m, v.memory)
	}
	mergeUse(m, before)
	if m.Version > before.Version {
		return m, restore
	}
	m.Version = before.Version
	if m.Content != before.Content || !slices.Equal(m.Situation, before.Situation) {
		m.Version = min(m.Version+1, math.MaxInt32)
		if at := time.Unix(0, v.stamp.mtime).UTC().Truncate(time.Microsecond); at.After(m.UpdatedAt) {
			m.UpdatedAt = at
		}
	}
	return m, restore
}

// other applies a change of metadata.json, relations.jsonl or a file of the history, if there is one.
func (r *reconciler) other(name string) error {
	e, err := r.entry(name)
	if err != nil {
		return err
	}
	st, err := r.group.sync.dir.stat(name)
	exists := err == nil
	id, past := historyID(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errIrregular):
		return r.group.sync.dir.failed("read", name, err)
	case exists && e.unchanged(st), !exists && e.name == "":
		return nil
	case past:
		return r.history(id, name, e)
	case name == metadataName:
		return r.metadata(e)
	default:
		return r.relations(e)
	}
}
