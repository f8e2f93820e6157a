package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

var errClosed = fmt.Errorf("%w: the store is closed", hippo.ErrUnavailable)

// tx is a [driver.Tx]. The transactions of a group use it one after the other.
type tx struct {
	w    *writer
	ctx  context.Context // the values of that of Write, without its end
	head driver.Head
	// known is what this transaction has read or written, as stored: Put writes
	// only what differs from it.
	known map[hippo.ID]stored
}

// QueryContext reads through a prepared statement.
func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.w.stmt(ctx, query) //nolint:sqlclosecheck // the writer keeps it until it closes
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// Get implements [driver.Tx].
func (t *tx) Get(ids ...hippo.ID) ([]*hippo.Memory, error) {
	ms, err := get(t.ctx, t, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*hippo.Memory, len(ms))
	for i, m := range ms {
		out[i] = m.Memory
		t.known[m.ID] = stored{Memory: m.Clone(), pk: m.pk}
	}
	return out, nil
}

// Put implements [driver.Tx].
func (t *tx) Put(ms ...*hippo.Memory) error {
	for _, m := range ms {
		old, err := t.stored(m.ID)
		if err != nil {
			return err
		}
		t.head.Revision++
		m.Revision = t.head.Revision
		if old.Memory == nil {
			old.Memory = &hippo.Memory{}
			old.pk, err = t.insert(m)
			t.head.Memories++
		} else {
			err = t.update(m, old.pk)
		}
		if err == nil {
			err = t.children(m, old)
		}
		if err != nil {
			return err
		}
		t.head.Forgotten += count(m.Forgotten()) - count(old.Forgotten())
		t.known[m.ID] = stored{Memory: m.Clone(), pk: old.pk}
	}
	return nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stored returns what is stored under an ID; a nil Memory if nothing is.
func (t *tx) stored(id hippo.ID) (stored, error) {
	if m, ok := t.known[id]; ok {
		return m, nil
	}
	ms, err := get(t.ctx, t, []hippo.ID{id})
	if err != nil || len(ms) == 0 {
		return stored{}, err
	}
	return ms[0], nil
}

// Purge implements [driver.Tx].
func (t *tx) Purge(ids ...hippo.ID) error {
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
		if err := t.part(id); err != nil {
			return err
		}
		if err := t.w.exec(t.ctx, "DELETE FROM memory WHERE pk = ?", old.pk); err != nil {
			return err
		}
		if err := t.w.exec(t.ctx, "INSERT INTO tombstone VALUES (?, ?)", id[:], int64(t.head.Revision)); err != nil {
			return err
		}
	}
	return nil
}

// Calendar implements [driver.Tx].
func (t *tx) Calendar() (driver.Calendar, error) { return t.head.Calendar, nil }

// SetCalendar implements [driver.Tx].
func (t *tx) SetCalendar(c driver.Calendar) error {
	t.head.Calendar = c
	return nil
}

// written are the columns that Put sets, besides the key.
const written = `id, revision, content, type, base, value, set_day, set_at, pinned, created_at, updated_at, event_time,
	valid_from, valid_until, superseded_by, forgotten_at, version, surprise, source_kind, author, client, session, seq,
	uri, trust, project, namespace, content_hash, metadata`

func (t *tx) insert(m *hippo.Memory) (pk int64, err error) {
	if err := t.w.exec(t.ctx, "DELETE FROM tombstone WHERE id = ?", m.ID[:]); err != nil {
		return 0, err
	}
	args, err := values(m)
	if err != nil {
		return 0, err
	}
	s, err := t.w.stmt(t.ctx, "INSERT INTO memory ("+written+") VALUES (?"+strings.Repeat(",?", len(args)-1)+")") //nolint:sqlclosecheck // the writer keeps it until it closes
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (t *tx) update(m *hippo.Memory, pk int64) error {
	args, err := values(m)
	if err != nil {
		return err
	}
	set := "(" + written + ") = (?" + strings.Repeat(",?", len(args)-1) + ")"
	return t.w.exec(t.ctx, "UPDATE memory SET "+set+" WHERE pk = ?", append(args, pk)...)
}

// values returns the values of the columns in written.
func values(m *hippo.Memory) ([]any, error) {
	var surprise, metadata any
	for _, part := range []struct {
		set bool
		v   any
		to  *any
	}{{m.Surprise != hippo.Surprise{}, m.Surprise, &surprise}, {len(m.Metadata) > 0, m.Metadata, &metadata}} {
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
		int(m.Trust), m.Project, m.Namespace, m.ContentHash[:], metadata,
	}, nil
}

// micros is NULL for the zero time.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// children writes the lists of m that differ from the stored ones.
func (t *tx) children(m *hippo.Memory, old stored) error {
	if err := t.list("situation", old.pk, old.Situation, m.Situation); err != nil {
		return err
	}
	if err := t.list("tag", old.pk, old.Tags, m.Tags); err != nil {
		return err
	}
	return t.accesses(m, old)
}

// accesses writes the days whose count differs.
func (t *tx) accesses(m *hippo.Memory, old stored) error {
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
			err = t.w.exec(t.ctx, "INSERT INTO access VALUES (?, ?, ?)", old.pk, int(a.Day), a.Count)
		case n != a.Count:
			err = t.w.exec(t.ctx, "UPDATE access SET count = ? WHERE memory = ? AND day = ?", a.Count, old.pk, int(a.Day))
		}
		if err != nil {
			return err
		}
	}
	for day := range kept {
		if err := t.w.exec(t.ctx, "DELETE FROM access WHERE memory = ? AND day = ?", old.pk, int(day)); err != nil {
			return err
		}
	}
	return nil
}

// list replaces the elements of a list, if they changed.
func (t *tx) list(table string, pk int64, old, now []string) error {
	if slices.Equal(old, now) {
		return nil
	}
	if len(old) > 0 {
		if err := t.w.exec(t.ctx, "DELETE FROM "+table+" WHERE memory = ?", pk); err != nil {
			return err
		}
	}
	for i, s := range now {
		if err := t.w.exec(t.ctx, "INSERT INTO "+table+" VALUES (?, ?, ?)", pk, i, s); err != nil {
			return err
		}
	}
	return nil
}
