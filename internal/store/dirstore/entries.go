package dirstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// tables are added to those of the memories, see docs/formats.md.
const tables = `
CREATE TABLE directory (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    hash    INTEGER NOT NULL,
    orphans INTEGER NOT NULL
) STRICT;
INSERT INTO directory VALUES (1, 0, 0);
CREATE TABLE file (
    name    TEXT    PRIMARY KEY,
    size    INTEGER NOT NULL,
    mtime   INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    inode   INTEGER NOT NULL,
    sum     BLOB    NOT NULL,
    memory  BLOB,
    holder  INTEGER NOT NULL,
    recent  INTEGER NOT NULL,
    fault   TEXT,
    since   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX file_memory ON file (memory);
CREATE INDEX file_recheck ON file (name) WHERE recent OR fault IS NOT NULL;
`

// rereadAll makes every file be read again, also one whose stamp and content are the known ones.
const rereadAll = "UPDATE file SET sum = zeroblob(32), recent = 1"

// tablesVersion changes with tables, and with how files are read.
const tablesVersion = 1

// entry is a row of the table of files; the zero entry is a file that does not exist.
type entry struct {
	name  string
	stamp stamp
	sum   sum
	id    hippo.ID // inside; of a file that cannot be read, the last one known
	// holder: the memory is read from and written to this file. Other files with the same
	// memory are reported as problems.
	holder bool
	recent bool // see [stamp.recent]
	fault  string
	since  time.Time // of the fault
}

// hash is the part of the file in the hash of the directory; 0 for a file that does not exist.
func (e *entry) hash() int64 {
	if e.name == "" {
		return 0
	}
	return e.stamp.hash(e.name)
}

const entryColumns = "SELECT name, size, mtime, changed, inode, sum, memory, holder, recent, ifnull(fault, ''), ifnull(since, 0) FROM file"

// selectEntries calls fn with the rows of a query for entryColumns.
func selectEntries(ctx context.Context, q sqlitex.Queryer, where string, args []any, fn func(entry)) error {
	for rows, err := range sqlitex.Rows(ctx, q, entryColumns+where, args...) {
		if err != nil {
			return err
		}
		var e entry
		var hash, id sql.RawBytes
		var since int64
		if err := rows.Scan(&e.name, &e.stamp.size, &e.stamp.mtime, &e.stamp.changed, &e.stamp.inode, &hash, &id, &e.holder, &e.recent, &e.fault, &since); err != nil {
			return err
		}
		copy(e.sum[:], hash)
		copy(e.id[:], id)
		e.since = time.Unix(0, since)
		fn(e)
	}
	return nil
}

// entryOf returns the entry of a file as of the last commit.
func entryOf(ctx context.Context, q sqlitex.Queryer, name string) (found entry, err error) {
	err = selectEntries(ctx, q, " WHERE name = ?", []any{name}, func(e entry) { found = e })
	return found, err
}

// entries is a set of entries, with an index by memory.
type entries struct {
	byName map[string]entry
	names  map[hippo.ID][]string // of the files that hold, or held, a memory
}

func newEntries() entries {
	return entries{byName: make(map[string]entry), names: make(map[hippo.ID][]string)}
}

func (l *entries) set(name string, e entry) {
	l.byName[name] = e
	if !e.id.IsZero() && !slices.Contains(l.names[e.id], name) {
		l.names[e.id] = append(l.names[e.id], name)
	}
}

// table is the table of files as a group of transactions sees it: the rows of the last commit
// that were read, and the changes of the transactions.
type table struct {
	q       *sqlitex.Tx
	stored  entries
	loaded  map[hippo.ID]bool // whose files were all read
	changed entries
}

func newTable(q *sqlitex.Tx) *table {
	return &table{q: q, stored: newEntries(), loaded: make(map[hippo.ID]bool), changed: newEntries()}
}

// load reads the entries of all files that hold or are named after one of these memories.
func (t *table) load(ids ...hippo.ID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id hippo.ID) bool { return t.loaded[id] })
	for part := range slices.Chunk(ids, 100) {
		size := 1
		if len(part) > 1 {
			size = 100
		}
		args := make([]any, 2*size)
		for i := range size {
			id := part[min(i, len(part)-1)]
			args[i], args[size+i] = nameOf(id), id[:]
			t.loaded[id] = true
			if _, ok := t.stored.byName[nameOf(id)]; !ok {
				t.stored.byName[nameOf(id)] = entry{}
			}
		}
		marks := "(?" + strings.Repeat(",?", size-1) + ")"
		err := selectEntries(context.Background(), t.q, " WHERE name IN "+marks+" OR memory IN "+marks, args, func(e entry) { t.stored.set(e.name, e) })
		if err != nil {
			return err
		}
	}
	return nil
}

// get returns the entry of a file.
func (t *table) get(name string) (entry, error) {
	if e, ok := t.changed.byName[name]; ok {
		return e, nil
	}
	if e, ok := t.stored.byName[name]; ok {
		return e, nil
	}
	e, err := entryOf(context.Background(), t.q, name)
	t.stored.set(name, e)
	return e, err
}

// names returns the names of the files that may hold a memory.
func (t *table) names(id hippo.ID) ([]string, error) {
	err := t.load(id)
	return slices.Concat(t.stored.names[id], t.changed.names[id]), err
}

// write writes the changed rows. recount: the hash of the directory is computed from all rows.
func (t *table) write(recount bool) error {
	hash := int64(0)
	for _, name := range slices.Sorted(maps.Keys(t.changed.byName)) { // in the order of the table
		e, old := t.changed.byName[name], t.stored.byName[name]
		if e == old {
			continue
		}
		hash += e.hash() - old.hash()
		var err error
		if e.name == "" {
			err = t.q.Exec("DELETE FROM file WHERE name = ?", name)
		} else {
			err = t.q.Exec("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", e.row()...)
		}
		if err != nil {
			return err
		}
	}
	return t.writeHash(hash, recount)
}

// writeHash adds by to the hash of the directory, or computes the hash from all rows.
func (t *table) writeHash(by int64, recount bool) error {
	ctx := context.Background()
	switch {
	case recount:
		by = 0
		if err := selectEntries(ctx, t.q, "", nil, func(e entry) { by += e.hash() }); err != nil {
			return err
		}
	case by == 0:
		return nil
	default: // SQLite's own sums do not wrap around
		stored := int64(0)
		if _, err := sqlitex.First(ctx, t.q, "SELECT hash FROM directory", nil, &stored); err != nil {
			return err
		}
		by += stored
	}
	return t.q.Exec("UPDATE directory SET hash = ?", by)
}

// row returns the values of the columns.
func (e *entry) row() []any {
	var id, fault, since any
	if !e.id.IsZero() {
		id = e.id[:]
	}
	if e.fault != "" {
		fault, since = e.fault, e.since.UnixNano()
	}
	return []any{e.name, e.stamp.size, e.stamp.mtime, e.stamp.changed, e.stamp.inode, e.sum[:], id, e.holder, e.recent, fault, since}
}
