package dirstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// tx is a transaction. It changes the replica and collects the changes of files, which
// [group.End] makes.
type tx struct {
	*sqlitestore.Tx
	group *group
	// kept: the transaction succeeded and is a part of its group.
	kept bool
	changes
	pastTx
}

// changes of files.
type changes struct {
	// data are the new contents of files, by name; nil: the file is removed.
	data map[string]*stagedFile
	// displaced are files that are copied to quarantine first, and why.
	displaced map[string]string
	// entries are changes of the table of files.
	entries entries
	// checked are the files whose stamps were compared.
	checked map[string]bool
	// declared are the changes of relations.jsonl, in order.
	declared []declaration
	// inserted: a memory was added, and lines of relations.jsonl may refer to it.
	inserted bool
	// past are the memories whose history was changed.
	past map[hippo.ID]bool
	// calendar: metadata.json has to be written.
	calendar bool
}

func newChanges() changes {
	return changes{data: make(map[string]*stagedFile), entries: newEntries(), checked: make(map[string]bool), displaced: make(map[string]string), past: make(map[hippo.ID]bool)}
}

// size is the number of changed files.
func (c *changes) size() int {
	n := len(c.data) + len(c.past)
	if len(c.declared) > 0 {
		n++
	}
	if c.calendar {
		n++
	}
	return n
}

// merge adds later changes.
func (c *changes) merge(later *changes) {
	maps.Copy(c.data, later.data)
	maps.Copy(c.checked, later.checked)
	maps.Copy(c.displaced, later.displaced)
	for name, e := range later.entries.byName {
		c.entries.set(name, e)
	}
	maps.Copy(c.past, later.past)
	c.declared = append(c.declared, later.declared...)
	c.inserted = c.inserted || later.inserted
	c.calendar = c.calendar || later.calendar
}

// stored reports whether the files of the transaction were all replaced, so that it succeeded
// even if the replica cannot be committed.
func (t *tx) stored() bool { return t.kept && t.size() > 0 && t.group.complete }

// entry returns the entry of a file.
func (t *tx) entry(name string) (entry, error) {
	if e, ok := t.entries.byName[name]; ok {
		return e, nil
	}
	return t.group.table.get(name)
}

// files returns the entries of the files with a memory, its holder first.
func (t *tx) files(id hippo.ID) ([]entry, error) {
	names, err := t.group.table.names(id)
	if err != nil {
		return nil, err
	}
	names = slices.Concat(names, t.entries.names[id])
	slices.Sort(names)
	var found []entry
	for _, name := range slices.Compact(names) {
		e, err := t.entry(name)
		if err != nil {
			return nil, err
		}
		if e.id != id {
			continue
		}
		if e.holder {
			found = slices.Insert(found, 0, e)
		} else {
			found = append(found, e)
		}
	}
	return found, nil
}

// target returns the file that a memory is written to: its holder if that is named after the
// memory, in any spelling of the UUID.
func (t *tx) target(id hippo.ID) (string, error) {
	files, err := t.files(id)
	if err == nil && len(files) > 0 && files[0].holder {
		if named, ok := idOf(files[0].name); ok && named == id {
			return files[0].name, nil
		}
	}
	return nameOf(id), err
}

// check applies what other programs did to the files of these memories.
// Cost: one system call for each memory of a group.
func (t *tx) check(ids []hippo.ID) error {
	if err := t.group.table.load(ids...); err != nil {
		return err
	}
	for _, id := range ids {
		name, err := t.target(id)
		if err != nil {
			return err
		}
		if t.checked[name] || t.group.checked[name] {
			continue
		}
		t.checked[name] = true
		e, err := t.entry(name)
		if err != nil {
			return err
		}
		if st, err := t.group.sync.dir.stat(name); err == nil && !e.unchanged(st) || err != nil && e.name != "" {
			r := &reconciler{tx: t}
			if err := r.apply(inspect(t.group.sync, name, e, false)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Get implements [driver.Tx].
func (t *tx) Get(ids ...hippo.ID) ([]*hippo.Memory, error) {
	if err := t.check(ids); err != nil {
		return nil, err
	}
	ms, err := t.Tx.Get(ids...)
	if err != nil {
		return ms, err
	}
	return ms, checkRead(t, ms)
}

// checkRead is [checkTexts] for what a transaction has read from the replica.
func checkRead(t *tx, ms []*hippo.Memory) error {
	return checkTexts(slices.DeleteFunc(slices.Clone(ms), func(m *hippo.Memory) bool {
		return t.data[nameOf(m.ID)] != nil || t.group.data[nameOf(m.ID)] != nil
	}))
}

// Changed implements [driver.Tx].
func (t *tx) Changed(since hippo.Revision) ([]*hippo.Memory, error) {
	ms, err := t.Tx.Changed(since)
	if err != nil {
		return nil, err
	}
	return ms, checkRead(t, ms)
}

// Put implements [driver.Tx].
func (t *tx) Put(ms ...*hippo.Memory) error {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	if err := t.check(ids); err != nil {
		return err
	}
	ms, err := putUses(t, ms)
	if err != nil || len(ms) == 0 {
		return err
	}
	return t.put(ms...)
}

// put stores memories and writes their files.
func (t *tx) put(ms ...*hippo.Memory) error {
	data := make([][]byte, len(ms))
	for i, m := range ms {
		var err error
		if data[i], err = formats.EncodeInsight(m); err != nil {
			return err
		}
		if len(data[i]) > maxFile {
			return fmt.Errorf("%w: a memory must be at most %d bytes as a file, is %d", hippo.ErrInvalid, maxFile, len(data[i]))
		}
	}
	t.inserted = true
	staged := make([]*stagedFile, len(ms))
	for i := range data {
		staged[i] = t.group.staged.start(data[i])
	}
	if err := t.Tx.Put(ms...); err != nil {
		return err
	}
	for i, m := range ms {
		name, err := claim(t, m.ID)
		if err != nil {
			return err
		}
		t.data[name] = staged[i]
		t.entries.set(name, entry{name: name, sum: sha256.Sum256(data[i]), id: m.ID, holder: true, recent: true})
	}
	return nil
}

// claim returns the file to write a memory to. Another memory or an unreadable content in that
// file is saved elsewhere.
func claim(t *tx, id hippo.ID) (string, error) {
	name, err := t.target(id)
	if err != nil {
		return "", err
	}
	old, err := t.entry(name)
	if err != nil {
		return "", err
	}
	files, err := t.files(id)
	if err != nil {
		return "", err
	}
	for _, e := range files {
		if e.holder && e.name != name {
			e.holder = false
			t.entries.set(e.name, e)
		}
	}
	if old.name != "" && (old.fault != "" || old.id != id) {
		return name, t.displace(old, old.id != id)
	}
	return name, nil
}

// displace copies a file that is about to be replaced or removed to quarantine. The memory
// that it held, if keep, is written to another file.
func (t *tx) displace(e entry, keep bool) error {
	t.displaced[e.name] = cmp.Or(e.fault, "in the way of another memory, or a second file with its own")
	t.entries.set(e.name, entry{})
	t.data[e.name] = nil
	if !keep || !e.holder {
		return nil
	}
	m, err := t.Peek(e.id)
	if err != nil || m == nil {
		return err
	}
	return t.put(m.Clone())
}

// Purge implements [driver.Tx].
func (t *tx) Purge(ids ...hippo.ID) error {
	if err := t.check(ids); err != nil {
		return err
	}
	for _, id := range ids {
		files, err := t.files(id)
		if err != nil {
			return err
		}
		for _, e := range files {
			if named, _ := idOf(e.name); named != id || e.fault != "" {
				if err := t.displace(e, false); err != nil {
					return err
				}
			}
			t.data[e.name] = nil
			t.entries.set(e.name, entry{})
		}
	}
	return t.purge(ids...)
}

// purge removes memories without their files.
func (t *tx) purge(ids ...hippo.ID) error {
	for _, id := range ids {
		t.declared = append(t.declared, declaration{purged: id})
	}
	if err := purgeHistory(t, ids); err != nil {
		return err
	}
	return t.Tx.Purge(ids...)
}

// SetCalendar implements [driver.Tx].
func (t *tx) SetCalendar(c driver.Calendar) error {
	t.calendar = true
	return t.Tx.SetCalendar(c)
}

// Relate is [Store.Relate] for one relation.
func (t *tx) Relate(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	if r.Kind == hippo.CoRecalled {
		return t.Tx.Relate(r, fn)
	}
	return t.Tx.Relate(r, func(old, r hippo.Relation) hippo.Relation {
		next := driver.WithKey(fn(old, r), r)
		if next != old {
			t.declared = append(t.declared, declaration{relation: next})
		}
		return next
	})
}

// group is what the transactions of one commit share. It implements [sqlitex.Group].
type group struct {
	*sqlitestore.Group
	sync    *synchronizer
	table   *table
	durable bool
	// journaled: some transaction changes several files, so the commit needs a journal.
	journaled bool
	// replaced: some files were replaced. complete: all were, as durably as requested.
	replaced, complete bool
	// folders are those whose names changed.
	folders []string
	// recount: the hash of the directory is computed again.
	recount bool
	staged  *stagedFiles
	changes
}

// Begin implements [sqlitex.Group].
func (g *group) Begin(ctx context.Context) *tx {
	t := &tx{Tx: g.Group.Begin(ctx), group: g, changes: newChanges()}
	t.pastTx = pastTx{t}
	return t
}

// Keep implements [sqlitex.Group].
func (g *group) Keep(t *tx) {
	t.kept = true
	g.journaled = g.journaled || t.size() > 1
	for name, e := range t.entries.byName {
		g.table.changed.set(name, e)
	}
	g.merge(&t.changes)
	g.Group.Keep(t.Tx)
}
