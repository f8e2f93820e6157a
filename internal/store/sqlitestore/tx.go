package sqlitestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Group is what the transactions of one commit share: the head as it is stored, and as
// it is after those that succeeded. It implements [sqlitex.Group].
type Group struct {
	*sqlitex.Tx
	bad          *unreadable
	stored, head driver.Head
	replicas     replicaStates
}

// Begin implements [sqlitex.Group].
func (g *Group) Begin(ctx context.Context) *Tx {
	return &Tx{Tx: g.Tx, past: past{g.Tx, g.bad, ctx}, bad: g.bad, ctx: ctx, head: g.head, replicaTx: replicaTx{db: g.Tx, ctx: ctx, state: g.replicas.now, lines: g.replicas.lines}, known: make(map[hippo.ID]stored), fresh: make(map[hippo.ID]map[driver.RelationKey]bool)}
}

// Keep implements [sqlitex.Group].
func (g *Group) Keep(t *Tx) { g.head, g.replicas.now = t.head, t.state }

// End implements [sqlitex.Group].
func (g *Group) End() error {
	if g.replicas.now != g.replicas.stored {
		if err := g.Exec("UPDATE state SET replica = ?", g.replicas.now.String()); err != nil {
			return err
		}
	}
	if g.head == g.stored {
		return nil
	}
	return g.Exec("UPDATE state SET revision = ?, day = ?, date = ?, zone = ?, memories = ?, forgotten = ?, relations = ?",
		int64(g.head.Revision), int(g.head.Calendar.Day), g.head.Calendar.Date, g.head.Calendar.Zone, g.head.Memories, g.head.Forgotten, g.head.Relations)
}

// Mark implements [sqlitex.Group]: it is what the memories are that got the revisions of the group.
func (g *Group) Mark(q sqlitex.Queryer) (mark string, err error) {
	_, err = sqlitex.First(context.Background(), q, `SELECT ifnull((SELECT store FROM state) || group_concat(concat_ws(' ', hex(id), revision, value, untied, updated_at, feedback) ORDER BY revision), '')
		FROM memory WHERE revision > ? AND revision <= ?`, []any{int64(g.stored.Revision), int64(g.head.Revision)}, &mark)
	return mark, err
}

// Done implements [sqlitex.Group].
func (g *Group) Done(error) {}

// Tx is a [driver.Tx].
type Tx struct {
	*sqlitex.Tx
	past
	bad  *unreadable
	ctx  context.Context // of the caller, without its end
	head driver.Head
	// known caches the rows that this transaction has read or written: Put writes only
	// differences.
	known map[hippo.ID]stored
	// fresh are the memories that this transaction has inserted, with the relations from each that it has stored.
	fresh map[hippo.ID]map[driver.RelationKey]bool
	replicaTx
}

// Inherit makes known what transactions of the same group, in their order, have read and written, so that it is not read
// again. All of them were kept.
func Inherit(t *Tx, from []*Tx) {
	for _, f := range from {
		maps.Copy(t.known, f.known)
	}
}

// Get implements [driver.Tx].
func (t *Tx) Get(ids ...hippo.ID) ([]*hippo.Memory, error) {
	found, err := get(t.ctx, t, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		t.known[id] = stored{} // those that are missing
	}
	for _, m := range found {
		t.known[m.ID] = stored{Memory: m.Clone(), pk: m.pk, err: m.err}
	}
	return t.bad.split(found)
}

// Put implements [driver.Tx].
func (t *Tx) Put(ms ...*hippo.Memory) error {
	if len(ms) > 1 {
		ids := make([]hippo.ID, len(ms))
		for i, m := range ms {
			ids[i] = m.ID
		}
		if err := t.Prefetch(ids); err != nil {
			return err
		}
	}
	var added lists
	for _, m := range ms {
		old, err := replaceable(t, m.ID)
		if err != nil {
			return err
		}
		t.head.Revision++
		m.Revision = t.head.Revision
		if old.Memory == nil {
			old.Memory = &hippo.Memory{}
			old.pk, err = insertMemory(t, m)
			added.add(old.pk, m)
			t.fresh[m.ID] = make(map[driver.RelationKey]bool)
			t.head.Memories++
		} else {
			err = errors.Join(added.insert(t), updateMemory(t, m, old.pk), putChildren(t, m, old))
		}
		if err != nil {
			return err
		}
		t.head.Forgotten += count(m.Forgotten()) - count(old.Forgotten())
		t.known[m.ID] = stored{Memory: m.Clone(), pk: old.pk}
	}
	return added.insert(t)
}

// lists are the rows of new memories in the tables of lists, which are inserted together.
type lists struct{ situations, tags, accesses [][3]any }

func (l *lists) add(pk int64, m *hippo.Memory) {
	for i, s := range m.Situation {
		l.situations = append(l.situations, [3]any{pk, i, s})
	}
	for i, s := range m.Tags {
		l.tags = append(l.tags, [3]any{pk, i, s})
	}
	for _, a := range m.Accesses {
		l.accesses = append(l.accesses, [3]any{pk, a.Day, a.Count})
	}
}

// fewRows is how many rows are inserted faster one by one than out of a JSON array.
const fewRows = 4

// insert inserts the rows and forgets them.
func (l *lists) insert(t *Tx) error {
	var errs []error
	for _, table := range []struct {
		name string
		rows [][3]any
	}{{"situation", l.situations}, {"tag", l.tags}, {"access", l.accesses}} {
		if len(table.rows) > fewRows {
			errs = append(errs, onEach(t, "INSERT INTO "+table.name+" SELECT value->>0, value->>1, value->>2 FROM json_each(?)", table.rows))
			continue
		}
		for i := range table.rows {
			errs = append(errs, t.Exec("INSERT INTO "+table.name+" VALUES (?, ?, ?)", table.rows[i][:]...))
		}
	}
	*l = lists{}
	return errors.Join(errs...)
}

// Prefetch finds out which of many memories are not stored, with a query for 100 of them, so
// that later calls need not.
func (t *Tx) Prefetch(ids []hippo.ID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id hippo.ID) bool { _, ok := t.known[id]; return ok })
	there := make(map[hippo.ID]bool)
	for rest := ids; len(rest) > 0; {
		var args []any
		args, rest = batch(rest)
		for rows, err := range sqlitex.Rows(t.ctx, t, "SELECT id FROM memory WHERE id IN "+placeholders(len(args)), args...) {
			var id []byte
			if err == nil {
				err = rows.Scan(&id)
			}
			if err != nil {
				return err
			}
			there[hippo.ID(id)] = true
		}
	}
	for _, id := range ids {
		if !there[id] {
			t.known[id] = stored{}
		}
	}
	return nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stored returns the row of an ID; a nil Memory if there is none. For an unreadable one it
// returns at least the key.
func (t *Tx) stored(id hippo.ID) (stored, error) {
	if m, ok := t.known[id]; ok {
		return m, nil
	}
	ms, err := get(t.ctx, t, []hippo.ID{id})
	switch {
	case err != nil || len(ms) == 0:
		return stored{}, err
	case ms[0].pk == 0:
		return stored{}, ms[0].err
	}
	return ms[0], nil
}

// Peek returns a memory as it is stored, which the caller does not change; nil if there is none.
func (t *Tx) Peek(id hippo.ID) (*hippo.Memory, error) {
	m, err := t.stored(id)
	if err != nil || m.Memory == nil {
		return nil, err
	}
	t.known[id] = m
	return m.Memory, m.err
}

// replaceable is stored, after the lists of a memory that cannot be read were removed.
func replaceable(t *Tx, id hippo.ID) (stored, error) {
	old, err := t.stored(id)
	if err != nil || old.err == nil {
		return old, err
	}
	for _, table := range []string{"situation", "tag", "access"} {
		if err := t.Exec("DELETE FROM "+table+" WHERE memory = ?", old.pk); err != nil {
			return stored{}, err
		}
	}
	return stored{Memory: &hippo.Memory{ForgottenAt: old.ForgottenAt}, pk: old.pk}, nil
}

// Purge implements [driver.Tx].
func (t *Tx) Purge(ids ...hippo.ID) error {
	if _, err := t.PurgeHistory(ids...); err != nil {
		return err
	}
	for _, id := range ids {
		old, err := t.stored(id)
		if err != nil {
			return err
		}
		if old.Memory == nil {
			continue
		}
		t.head.Revision++
		t.head.Memories--
		t.head.Forgotten -= count(old.Forgotten())
		t.known[id] = stored{}
		delete(t.fresh, id)
		if err := dropRelationsOf(t, id); err != nil {
			return err
		}
		if err := t.Exec("DELETE FROM memory WHERE pk = ?", old.pk); err != nil {
			return err
		}
		if err := t.Exec("INSERT INTO tombstone (id, revision) VALUES (?, ?)", id[:], int64(t.head.Revision)); err != nil {
			return err
		}
	}
	return nil
}

// Calendar implements [driver.Tx].
func (t *Tx) Calendar() (driver.Calendar, error) { return t.head.Calendar, nil }

// SetCalendar implements [driver.Tx].
func (t *Tx) SetCalendar(c driver.Calendar) error {
	t.head.Calendar = c
	return nil
}

// written are the columns that Put sets, besides the key.
const written = `id, revision, content, type, base, value, set_day, set_at, pinned, created_at, updated_at, event_time,
	valid_from, valid_until, superseded_by, forgotten_at, version, surprise, source_kind, author, client, session, seq,
	uri, trust, project, namespace, content_hash, metadata, feedback, untied, archived_at`

func insertMemory(t *Tx, m *hippo.Memory) (pk int64, err error) {
	if err := t.Exec("DELETE FROM tombstone WHERE id = ?", m.ID[:]); err != nil {
		return 0, err
	}
	args, err := values(m)
	if err != nil {
		return 0, err
	}
	return t.Insert("INSERT INTO memory ("+written+") VALUES (?"+strings.Repeat(",?", len(args)-1)+")", args...)
}

// values returns the values of the columns in written.
func values(m *hippo.Memory) ([]any, error) {
	var surprise, metadata, feedback, untied any
	for _, part := range []struct {
		set bool
		v   any
		to  *any
	}{
		{m.Surprise != hippo.Surprise{}, m.Surprise, &surprise},
		{len(m.Metadata) > 0, m.Metadata, &metadata},
		{len(m.Feedback) > 0, m.Feedback, &feedback},
		{m.Untied != nil, m.Untied, &untied},
	} {
		if part.set {
			b, err := json.Marshal(part.v)
			if err != nil {
				return nil, fmt.Errorf("%w: metadata: %w", hippo.ErrInvalid, err)
			}
			*part.to = string(b)
		}
	}
	var superseded any
	if !m.SupersededBy.IsZero() {
		superseded = m.SupersededBy[:]
	}
	return []any{
		m.ID[:], int64(m.Revision), m.Content, m.Type, m.Importance.Base, m.Importance.Value, int(m.Importance.SetDay),
		micros(m.Importance.SetAt), m.Pinned, micros(m.CreatedAt), micros(m.UpdatedAt), micros(m.EventTime),
		micros(m.ValidFrom), micros(m.ValidUntil), superseded, micros(m.ForgottenAt), m.Version, surprise,
		string(m.Source.Kind), m.Source.Author, m.Source.Client, m.Source.Session, m.Source.Seq, m.Source.URI,
		int(m.Trust), m.Project, m.Namespace, m.ContentHash[:], metadata, feedback, untied, micros(m.ArchivedAt),
	}, nil
}

// micros is NULL for the zero time.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// putChildren writes the lists of m that differ from the stored ones.
func putChildren(t *Tx, m *hippo.Memory, old stored) error {
	if err := putList(t, "situation", old.pk, old.Situation, m.Situation); err != nil {
		return err
	}
	if err := putList(t, "tag", old.pk, old.Tags, m.Tags); err != nil {
		return err
	}
	return putAccesses(t, m, old)
}

// putAccesses writes the days whose count differs.
func putAccesses(t *Tx, m *hippo.Memory, old stored) error {
	kept := make(map[hippo.Day]int, len(old.Accesses))
	for _, a := range old.Accesses {
		kept[a.Day] = a.Count
	}
	for _, a := range m.Accesses {
		n, ok := kept[a.Day]
		delete(kept, a.Day)
		var err error
		switch {
		case !ok:
			err = t.Exec("INSERT INTO access VALUES (?, ?, ?)", old.pk, int(a.Day), a.Count)
		case n != a.Count:
			err = t.Exec("UPDATE access SET count = ? WHERE memory = ? AND day = ?", a.Count, old.pk, int(a.Day))
		}
		if err != nil {
			return err
		}
	}
	for day := range kept {
		if err := t.Exec("DELETE FROM access WHERE memory = ? AND day = ?", old.pk, int(day)); err != nil {
			return err
		}
	}
	return nil
}

// putList replaces the elements of a list, if they changed.
func putList(t *Tx, table string, pk int64, old, now []string) error {
	if slices.Equal(old, now) {
		return nil
	}
	if len(old) > 0 {
		if err := t.Exec("DELETE FROM "+table+" WHERE memory = ?", pk); err != nil {
			return err
		}
	}
	for i, s := range now {
		if err := t.Exec("INSERT INTO "+table+" VALUES (?, ?, ?)", pk, i, s); err != nil {
			return err
		}
	}
	return nil
}
