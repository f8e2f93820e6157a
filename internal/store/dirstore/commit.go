package dirstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// flushers is how many files of a commit are flushed at a time: file systems flush several
// at the price of one.
const flushers = 16

// begin begins a group: it finishes what a killed writer left, and takes over what other
// programs did to the files that every commit may write.
func (s *Store) begin(q *sqlitex.Tx, d driver.Durability) (*group, error) {
	inner, err := s.mirror.BeginGroup(q)
	if err != nil {
		return nil, err
	}
	g := &group{
		Group: inner, store: s, table: newTable(q), durable: d == driver.Durable, changes: newChanges(),
	}
	t := g.Begin(context.Background())
	if err := t.catchUp(); err != nil {
		return nil, err
	}
	g.Keep(t)
	return g, nil
}

// write is one file of a commit.
type write struct {
	step
	data  []byte // nil: the file is removed
	stamp stamp
}

// End implements [sqlitex.Group]: it changes the files, and then the table of files. When
// files were replaced and a later step fails, the outcome is settled by the journal or by
// a look at the files before the next commit.
func (g *group) End() error {
	if err := errors.Join(g.writeRelations(), g.writeCalendar()); err != nil {
		return err
	}
	if len(g.data) > 0 && g.store.readOnly == nil {
		if err := g.replaceFiles(); err != nil {
			return err
		}
	}
	if err := g.table.write(g.recount); err != nil {
		return err
	}
	return g.Group.End()
}

// Done implements [sqlitex.Group]: when files were replaced and the copy was not, they are
// compared before the next call. The revisions that were lost are skipped.
func (g *group) Done(err error) {
	if err != nil && g.replaced {
		g.store.first.Store(false)
		g.store.unsure.Store(true)
	}
}

// replaceFiles writes and removes files.
func (g *group) replaceFiles() error {
	d := g.store.disk
	writes, err := g.writes()
	if err != nil {
		return err
	}
	for name, why := range g.aside {
		aside, err := d.copyAside(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		g.store.log.Warn("file put aside", "file", d.full(name), "now", d.full(aside), "why", why)
	}
	if err := d.writeTemps(writes); err != nil {
		return errors.Join(err, d.dropTemps(writes))
	}
	if g.whole {
		err = d.writeJournal(stepsOf(writes), g.durable)
	}
	done := 0
	for err == nil && done < len(writes) {
		err = d.replace(&writes[done])
		done++
	}
	if err != nil {
		return g.abandon(writes, done, err)
	}
	g.replaced = true
	if g.durable {
		err = d.syncDir(".")
	}
	if g.whole {
		err = errors.Join(err, d.clearJournal(g.durable))
	}
	g.remember(writes)
	g.complete = err == nil
	return err
}

// abandon ends a commit that failed at the write before done.
func (g *group) abandon(writes []write, done int, err error) error {
	if done > 1 { // too late to undo
		g.replaced = true
		return err
	}
	if g.whole {
		err = errors.Join(err, g.store.disk.clearJournal(true))
	}
	return errors.Join(err, g.store.disk.dropTemps(writes))
}

// writes returns the files to write, then those to remove.
func (g *group) writes() ([]write, error) {
	var list []write
	for name, data := range g.data {
		was, ok := g.table.stored.byName[name]
		if !ok {
			var err error
			if was, err = entryOf(context.Background(), g.table.q, name); err != nil {
				return nil, err
			}
		}
		if _, aside := g.aside[name]; data == nil && was.name == "" && !aside {
			continue // there is no file to remove
		}
		list = append(list, write{step: step{Name: name, Before: was.sum}, data: data})
	}
	slices.SortFunc(list, func(a, b write) int {
		return cmp.Or(boolCompare(a.data == nil, b.data == nil), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// remember notes the stamps of the files that were written, as they are in their places. A
// file that another program changed meanwhile keeps a stamp that does not fit. The journal was
// cleared after all of them, so its time is that of the clock of the file system.
func (g *group) remember(writes []write) {
	clock := int64(0)
	if j, err := g.store.disk.stat(journalName); err == nil && g.whole {
		clock = j.mtime
	}
	for i := range writes {
		w := &writes[i]
		e := g.table.changed.byName[w.Name]
		if w.data == nil || e.name == "" {
			continue
		}
		e.stamp, e.recent = w.stamp, true
		if now, err := g.store.disk.stat(w.Name); err == nil {
			was := w.stamp
			was.changed = now.changed
			if now == was {
				e.stamp, e.recent = now, now.last() >= clock && now.recent(g.store.now())
			}
		}
		g.table.changed.set(w.Name, e)
	}
}

func stepsOf(writes []write) []step {
	steps := make([]step, len(writes))
	for i, w := range writes {
		steps[i] = w.step
	}
	return steps
}

// writeTemps writes the new contents, flushed, beside the files they will replace.
func (d *disk) writeTemps(writes []write) error {
	n := min(flushers, len(writes))
	errs := make([]error, n)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() {
			for i := k; i < len(writes) && errs[k] == nil; i += n {
				if w := &writes[i]; w.data != nil {
					w.Temp, w.stamp, errs[k] = d.temp(w.data)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// dropTemps removes what writeTemps wrote.
func (d *disk) dropTemps(writes []write) error {
	var errs []error
	for _, w := range writes {
		if w.Temp != "" {
			errs = append(errs, d.remove(w.Temp))
		}
	}
	return errors.Join(errs...)
}

func (d *disk) replace(w *write) error {
	if w.data == nil {
		return d.remove(w.Name)
	}
	return d.rename(w.Temp, w.Name)
}

// catchUp finishes a commit whose writer died, and takes over changes of metadata.json and
// relations.jsonl.
func (t *tx) catchUp() error {
	s := t.group.store
	if s.readOnly == nil {
		names, err := s.disk.replay()
		if err == nil {
			err = (&reconciler{tx: t, contents: true}).reconcile(names)
		}
		if err != nil {
			return err
		}
	}
	r := &reconciler{tx: t}
	return errors.Join(r.other(metadataName), r.other(relationsName))
}
