package dirstore

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

const (
	// settle is how long a file must stay unreadable and unchanged before it is put
	// aside: the first Hippo program writes in place, in two steps.
	settle = 2 * time.Second
	// chunk is how many files are taken over in one transaction, which bounds its RAM.
	chunk = 1000
	// lostRevisions is more than a crash of the machine can undo: the copy is not flushed.
	lostRevisions = 1 << 20
)

// sync takes over what other programs did to the files with these names, or to all if names
// is nil. Most of the time they did nothing, and no transaction is needed. contents: the contents
// of all files are compared, also of those whose stamp is the known one.
func (s *Store) sync(ctx context.Context, names []string, contents bool) error {
	skip := hippo.Revision(0)
	recount := false
	var err error
	if names != nil {
		names, err = s.outdated(ctx, slices.DeleteFunc(names, func(name string) bool { return !ours(name) }))
	} else {
		if names, recount, err = s.suspects(ctx, contents); err == nil && s.first.CompareAndSwap(false, true) {
			skip = lostRevisions
		}
	}
	if err != nil {
		return err
	}
	slices.Sort(names)
	if len(names) == 0 && recount { // which should not be
		return s.update(ctx, func(t *tx) error { t.group.recount = true; return nil })
	}
	for part := range slices.Chunk(names, chunk) {
		err := s.update(ctx, func(t *tx) error {
			r := &reconciler{tx: t, contents: contents, settle: true, skip: skip}
			return r.reconcile(part)
		})
		if err != nil {
			return err
		}
		skip = 0
	}
	return nil
}

// suspects returns the files that may have been changed. recount: the hash of the directory
// does not fit, whether there are any or not.
func (s *Store) suspects(ctx context.Context, contents bool) (names []string, recount bool, err error) {
	there, err := s.disk.list()
	if err != nil {
		return nil, false, err
	}
	hash := int64(0)
	for name, st := range there {
		hash += st.hash(name)
	}
	unsure := make(map[string]bool)
	err = s.mirror.DB().View(ctx, func(f *sqlitex.File) error {
		was := int64(0)
		if _, err := sqlitex.First(ctx, f, "SELECT hash FROM directory", nil, &was); err != nil {
			return err
		}
		if was == hash && !contents {
			return selectEntries(ctx, f, " WHERE recent OR fault IS NOT NULL", nil, func(e entry) { unsure[e.name] = true })
		}
		recount = was != hash
		for name := range there {
			unsure[name] = true
		}
		return selectEntries(ctx, f, "", nil, func(e entry) {
			if st, ok := there[e.name]; ok && e.unchanged(st) && !contents {
				delete(unsure, e.name)
			} else {
				unsure[e.name] = true
			}
		})
	})
	return slices.Collect(maps.Keys(unsure)), recount, err
}

// outdated returns those of the files that are not as the last commit says.
func (s *Store) outdated(ctx context.Context, names []string) ([]string, error) {
	b, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	known := make(map[string]entry, len(names))
	err = s.mirror.DB().View(ctx, func(f *sqlitex.File) error {
		return selectEntries(ctx, f, " WHERE name IN (SELECT value FROM json_each(?))", []any{string(b)}, func(e entry) { known[e.name] = e })
	})
	return slices.DeleteFunc(names, func(name string) bool {
		e := known[name]
		st, err := s.disk.stat(name)
		return err == nil && e.unchanged(st) || err != nil && e.name == ""
	}), err
}

// update runs fn in a transaction of its own.
func (s *Store) update(ctx context.Context, fn func(*tx) error) error {
	s.updates.RLock()
	defer s.updates.RUnlock()
	if s.closing.Err() != nil {
		return errClosed()
	}
	var g *group
	err := s.mirror.DB().Update(ctx, driver.Lazy, func(q *sqlitex.Tx) (err error) {
		if g, err = s.begin(q, driver.Durable); err != nil {
			return err
		}
		t := g.Begin(ctx)
		if err := fn(t); err != nil {
			return err
		}
		g.Keep(t)
		return g.End()
	})
	if g != nil {
		g.Done(err)
	}
	return err
}

// reconciler takes over what other programs did to files, in a transaction.
type reconciler struct {
	*tx
	// contents: all contents are compared, also of files whose stamp is the known one.
	contents bool
	// settle: files that are broken for long are put aside, and written again if their
	// memory is known.
	settle bool
	// skip is how many revisions are left out before the first change.
	skip hippo.Revision
}

// reconcile takes over what happened to these files.
func (r *reconciler) reconcile(names []string) error {
	known, err := r.prefetch(names)
	if err != nil {
		return err
	}
	sights := make([]sight, len(names))
	parallel(len(names), func(i int) {
		if _, ok := idOf(names[i]); ok {
			sights[i] = r.group.store.inspect(names[i], known[i], r.contents)
		}
	})
	for i, name := range names {
		if sights[i].name != "" {
			err = r.absorb(sights[i])
		} else {
			err = r.other(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prefetch returns the entries of files, and reads what is stored of their memories.
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

// absorb applies what was seen of one file.
func (r *reconciler) absorb(v sight) error {
	e, err := r.entry(v.name)
	switch {
	case err != nil:
		return err
	case v.gone:
		r.entries.set(v.name, entry{})
		if e.holder {
			return r.lose(e.id, v.name)
		}
		return nil
	case v.same:
		if e.stamp != v.stamp || e.recent != v.recent {
			e.stamp, e.recent = v.stamp, v.recent
			r.entries.set(v.name, e)
		}
		return nil
	case v.err != nil:
		return r.absorbBad(v, e)
	default:
		return r.absorbGood(v, e)
	}
}

// lose handles a memory whose file is gone: another file that holds it takes
// its place, else it is purged.
func (r *reconciler) lose(id hippo.ID, name string) error {
	files, err := r.files(id)
	if err != nil {
		return err
	}
	for _, e := range files {
		if e.name == name || e.fault != "" {
			continue
		}
		v := r.group.store.inspect(e.name, entry{}, true)
		if v.memory != nil && v.memory.ID == id {
			return r.absorbGood(v, entry{})
		}
	}
	return r.purge(id)
}

// absorbBad notes a file that cannot be read. Once it has settled it is put
// aside, and written again if its memory is known.
func (r *reconciler) absorbBad(v sight, before entry) error {
	s := r.group.store
	e := before
	if e.name == "" {
		e.id, _ = idOf(v.name)
	}
	if e.fault == "" || e.stamp != v.stamp {
		e.since = s.now()
	}
	e.name, e.stamp, e.recent, e.fault, e.sum = v.name, v.stamp, v.recent, v.err.Error(), v.sum
	if v.broken && r.settle && s.readOnly == nil && s.settled(e.stamp, e.since) {
		err := r.evict(e, false)
		if m, failed := r.Peek(e.id); err == nil && e.holder && m != nil {
			return errors.Join(failed, r.put(m.Clone()))
		}
		return err
	}
	if v.broken || errors.Is(v.err, errMoving) {
		s.retry()
	}
	r.entries.set(v.name, e)
	return nil
}

// settled reports whether a file that cannot be read has been so for long enough.
func (s *Store) settled(st stamp, since time.Time) bool {
	now := s.now()
	return now.Sub(since) >= settle || now.Sub(time.Unix(0, st.mtime)) >= settle
}

// absorbGood takes over the memory in a file.
func (r *reconciler) absorbGood(v sight, before entry) error {
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
		if err := r.lose(before.id, v.name); err != nil {
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
	return r.absorbMemory(v, held.sum == v.sum && held.fault == "")
}

// absorbMemory stores the memory in a file. unchanged: it is known from another file.
func (r *reconciler) absorbMemory(v sight, unchanged bool) error {
	was, err := r.Peek(v.memory.ID)
	if err != nil || was != nil && unchanged {
		return err
	}
	r.SkipRevisions(r.skip)
	r.skip = 0
	if was == nil {
		r.inserted = true
		return r.Tx.Put(v.memory)
	}
	m, restore := r.merge(was, v)
	if restore && r.group.store.readOnly == nil {
		return r.put(m)
	}
	if m.Revision = was.Revision; reflect.DeepEqual(was, m) {
		return nil // as it was before the file could not be read
	}
	return r.Tx.Put(m)
}

// merge adds to a memory in a file that another program changed what that
// program could not know, or did not count, from the version before. restore: the file lacks
// some of it.
func (r *reconciler) merge(before *hippo.Memory, v sight) (m *hippo.Memory, restore bool) {
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

// other takes over a change of metadata.json or relations.jsonl, if there is one.
func (r *reconciler) other(name string) error {
	e, err := r.entry(name)
	if err != nil {
		return err
	}
	st, err := r.group.store.disk.stat(name)
	there := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errIrregular):
		return r.group.store.disk.failed("read", name, err)
	case there && e.unchanged(st), !there && e.name == "":
		return nil
	case name == metadataName:
		return r.metadata(e)
	default:
		return r.relations(e)
	}
}
