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

// begin begins a group: it finishes the commit of a killed writer, and applies what other
// programs did to the files that every commit may write.
func (s *synchronizer) begin(q *sqlitex.Tx, d driver.Durability) (*group, error) {
	inner, err := s.replica.store.BeginGroup(q)
	if err != nil {
		return nil, err
	}
	g := &group{
		Group: inner, sync: s, table: newTable(q), durable: d == driver.Durable, changes: newChanges(), staged: newStagedFiles(s.dir),
	}
	t := g.Begin(context.Background())
	if err := catchUp(t); err != nil {
		g.staged.discard()
		return nil, err
	}
	g.Keep(t)
	return g, nil
}

// write is one file of a commit.
type write struct {
	step
	staged *stagedFile // nil: the file is removed
}

// End implements [sqlitex.Group]: it changes the files, and then the table of files. When
// files were replaced and a later step fails, the next commit replays the journal, and the next
// call compares all files. The directory is flushed while the table is written.
func (g *group) End() error {
	if err := errors.Join(g.writeRelations(), g.writeHistory(), g.writeCalendar()); err != nil {
		return err
	}
	if len(g.data) > 0 && g.sync.dir.readOnly == nil {
		if err := g.replaceFiles(); err != nil {
			return err
		}
	}
	var flushing sync.WaitGroup
	var unflushed error
	if g.replaced && !g.journaled {
		if g.durable {
			flushing.Go(func() { unflushed = flushAll(g.sync.dir, g.folders...) })
		}
		defer func() { g.complete = unflushed == nil }()
	}
	err := g.table.write(g.recount)
	if err == nil {
		err = g.Group.End()
	}
	flushing.Wait()
	return errors.Join(unflushed, err)
}

// Done implements [sqlitex.Group]: when files were replaced and the replica was not committed,
// they are compared before the next call.
func (g *group) Done(err error) {
	g.staged.discard()
	if err != nil && g.replaced {
		g.sync.replica.invalidate()
	}
}

// replaceFiles writes and removes files.
func (g *group) replaceFiles() error {
	d := g.sync.dir
	writes, err := g.writes()
	if err != nil {
		return err
	}
	for name, why := range g.displaced {
		to, err := quarantine(d, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		g.sync.log.Warn("file moved to quarantine", "file", d.full(name), "now", d.full(to), "why", why)
	}
	if err := enterTemps(g.staged, writes); err != nil {
		return err
	}
	if g.folders, err = prepareFolders(d, writes); err != nil {
		return err
	}
	if g.journaled { // flushed side by side with the files
		g.folders = append(g.folders, stateDir)
		err = writeJournal(d, stepsOf(writes), g.durable)
	}
	err = errors.Join(err, g.staged.flushed(writes))
	done := 0
	for err == nil && done < len(writes) {
		err = replace(d, &writes[done])
		done++
	}
	if err != nil {
		return g.abandon(done, err)
	}
	g.replaced = true
	if g.journaled {
		if g.durable {
			err = flushAll(d, g.folders...)
		}
		err = errors.Join(err, clearJournal(d, g.durable && removes(writes)))
		g.complete = err == nil
	}
	g.remember(writes)
	return err
}

// abandon handles a commit that failed after done attempts to replace a file: the first failure
// is undone, later ones leave the rest to the journal.
func (g *group) abandon(done int, err error) error {
	if done > 1 { // too late to undo
		g.replaced = true
		g.staged.keep()
		return err
	}
	if g.journaled {
		err = errors.Join(err, clearJournal(g.sync.dir, true))
	}
	g.staged.discard() // before another process may replay the journal
	return err
}

// writes returns the files to write and then those to remove, each sorted by name.
func (g *group) writes() ([]write, error) {
	var list []write
	for name, f := range g.data {
		old, ok := g.table.stored.byName[name]
		if !ok {
			var err error
			if old, err = entryOf(context.Background(), g.table.q, name); err != nil {
				return nil, err
			}
		}
		if _, displaced := g.displaced[name]; f == nil && old.name == "" && !displaced {
			continue // there is no file to remove
		}
		list = append(list, write{step: step{Name: name, Before: old.sum}, staged: f})
	}
	slices.SortFunc(list, func(a, b write) int {
		return cmp.Or(boolCompare(a.staged == nil, b.staged == nil), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

// removes reports whether a commit removes files. The steps that replace files do nothing when a
// crash of the machine brings back a journal that was cleared: what they rename is gone. A removal
// could meet a file that was put back.
func removes(writes []write) bool {
	return slices.ContainsFunc(writes, func(w write) bool { return w.staged == nil })
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

// remember records the stamps of the files that were replaced. A file that another
// program changed meanwhile keeps a stamp that differs from its own. The journal was cleared
// last, so its time is the present time of the file system's clock.
func (g *group) remember(writes []write) {
	clock := int64(0)
	if j, err := g.sync.dir.stat(journalName); err == nil && g.journaled {
		clock = j.mtime
	}
	for i := range writes {
		w := &writes[i]
		e := g.table.changed.byName[w.Name]
		if w.staged == nil || e.name == "" {
			continue
		}
		e.stamp, e.recent = w.staged.stamp, true
		if now, err := g.sync.dir.stat(w.Name); err == nil {
			written := w.staged.stamp
			written.changed = now.changed // by the rename
			if now == written {
				e.stamp, e.recent = now, now.last() >= clock && now.recent(g.sync.now())
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

// enterTemps waits until the staged files were written and enters their temporary files.
func enterTemps(s *stagedFiles, writes []write) error {
	s.written()
	var errs []error
	for i := range writes {
		if w := &writes[i]; w.staged != nil {
			w.Temp, w.After = w.staged.temp, w.staged.sum
			errs = append(errs, w.staged.err)
		}
	}
	return errors.Join(errs...)
}

func replace(d *directory, w *write) error {
	if w.staged == nil {
		return d.remove(w.Name)
	}
	err := d.rename(w.Temp, w.Name)
	if err == nil {
		w.staged.temp = ""
	}
	return err
}

// catchUp finishes a commit whose writer was killed, and applies changes of metadata.json and
// relations.jsonl.
func catchUp(t *tx) error {
	s := t.group.sync
	if s.dir.readOnly == nil {
		names, err := replay(s.dir)
		if err == nil {
			err = (&reconciler{tx: t, ignoreStamps: true}).reconcile(names)
		}
		if err != nil {
			return err
		}
	}
	r := &reconciler{tx: t}
	return errors.Join(r.other(metadataName), r.other(relationsName))
}
