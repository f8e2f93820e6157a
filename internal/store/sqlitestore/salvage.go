package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Salvage reads what can be read of a damaged file, row by row. It is used by one
// goroutine, and changes nothing.
type Salvage struct {
	db  *sqlitex.DB
	ids map[int64]hippo.ID // of rows, by the index; nil until the first row is lost

	wholeIndex bool // all of the index could be read
}

// OpenSalvage opens a file of any schema version. Errors: those of [sqlitex.Open], and
// [hippo.ErrUnsupported] if it has no memories.
func OpenSalvage(ctx context.Context, path string) (*Salvage, error) {
	db, err := sqlitex.Open(ctx, path, &sqlitex.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if err := requireStore(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Salvage{db: db}, nil
}

// Close closes the file.
func (s *Salvage) Close() error { return s.db.Close() }

// first scans the first row of a query.
func (s *Salvage) first(query string, args []any, dest ...any) error {
	return s.db.View(context.Background(), func(f *sqlitex.File) error {
		_, err := sqlitex.First(context.Background(), f, query, args, dest...)
		return err
	})
}

// Calendar returns the active day; zero if it cannot be read.
func (s *Salvage) Calendar() (c driver.Calendar) {
	if err := s.first("SELECT day, date FROM state", nil, &c.Day, &c.Date); err != nil {
		return driver.Calendar{}
	}
	return c
}

// Memories yields the memories that can be read, and for each that is lost, or is not as it
// was stored, an [*api.UnreadableError]. In the second case the memory follows, without
// what cannot be read. Other errors end the sequence.
func (s *Salvage) Memories(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for pk := range s.keys(ctx, "memory", s.lastMemory()) {
			m, faults, err := s.memory(pk)
			if err != nil {
				faults, m.Memory = []string{"is lost: " + err.Error()}, nil
			}
			id := s.idOf(pk, m)
			if m.Memory == nil && id.IsZero() && s.wholeIndex {
				continue // it never was, or is purged
			}
			for _, fault := range faults {
				bad := &api.UnreadableError{Problems: []api.StoreProblem{{ID: id, Path: s.db.Path(), Err: fault}}}
				if !yield(nil, bad) {
					return
				}
			}
			if m.Memory != nil && !yield(m.Memory, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// lastMemory returns the greatest key of a memory that anything in the file refers to.
func (s *Salvage) lastMemory() int64 {
	last := int64(0)
	for _, query := range []string{
		"SELECT max(pk) FROM memory",
		"SELECT max(pk + 0) FROM memory INDEXED BY " + revisionIndex + " WHERE revision > 0",
		"SELECT max(pk + 0) FROM memory INDEXED BY " + idIndex + " WHERE id > x''",
		"SELECT max(memory) FROM situation", "SELECT max(memory) FROM tag", "SELECT max(memory) FROM access",
	} {
		pk := int64(0)
		if err := s.first("SELECT ifnull(("+query+"), 0)", nil, &pk); err == nil {
			last = max(last, min(pk, math.MaxInt32)) // a key beyond is damaged itself
		}
	}
	return last
}

// keys yields the keys of a table up to last. Where a page cannot be read it yields all
// that could be there.
func (s *Salvage) keys(ctx context.Context, table string, last int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for pk := int64(1); pk <= last && ctx.Err() == nil; pk++ {
			next := int64(0)
			err := s.first("SELECT pk FROM "+table+" WHERE pk >= ? ORDER BY pk LIMIT 1", []any{pk}, &next)
			switch {
			case err == nil && next == 0:
				return
			case err == nil:
				pk = next
			}
			if !yield(pk) {
				return
			}
		}
	}
}

// memory returns what can be read of one memory, and what is wrong with it. A key that
// does not exist is also an error, because the page that would say so cannot be read.
func (s *Salvage) memory(pk int64) (m stored, faults []string, err error) {
	m, parts, err := s.row(columns, pk)
	if err != nil { // perhaps only one of the lists
		m, parts, err = s.row(rowColumns+noLists, pk)
		if err != nil {
			return m, nil, err
		}
		for _, list := range []struct {
			name, column string
			to           *string
		}{
			{"situation", situationColumn, &parts.situation}, {"tags", tagColumn, &parts.tags}, {"accesses", accessColumn, &parts.accesses},
		} {
			if err := s.first("SELECT "+list.column+" FROM (SELECT ? AS pk) m", []any{pk}, list.to); err != nil {
				faults = append(faults, list.name+" is lost: "+err.Error())
			}
		}
	}
	if m.err != nil {
		faults = append(faults, m.err.Error())
	}
	return m, append(faults, m.repair(&parts)...), nil
}

// row reads a row of columns.
func (s *Salvage) row(columns string, pk int64) (m stored, parts encoded, err error) {
	found := false
	err = s.db.View(context.Background(), func(f *sqlitex.File) error {
		for rows, err := range sqlitex.Rows(context.Background(), f, "SELECT "+columns+" FROM memory m WHERE m.pk = ?", pk) {
			if err == nil {
				m, parts, err = newRowScanner().scanRow(rows)
			}
			if err != nil {
				return err
			}
			found = true
		}
		return nil
	})
	if err == nil && !found {
		err = errNoRow
	}
	return m, parts, err
}

var errNoRow = errors.New("there is no row")

// repair is unpack that replaces what is not UTF-8 and leaves out what cannot be decoded.
func (m *stored) repair(e *encoded) (faults []string) {
	if hippo.HashContent(m.Content) != m.ContentHash {
		faults = append(faults, "does not have the content that was stored")
	}
	for _, text := range append(m.texts(), &e.situation, &e.tags, &e.metadata) {
		if valid := strings.ToValidUTF8(*text, "\uFFFD"); valid != *text {
			faults = append(faults, fmt.Sprintf("is not UTF-8, and was repaired: %.40q", *text))
			*text = valid
		}
	}
	var accesses [][2]int
	for _, p := range m.parts(e, &accesses) {
		if err := p.decode(); err != nil {
			faults = append(faults, "has a part that is lost: "+err.Error())
		}
	}
	m.access(accesses)
	return faults
}

// idOf returns the ID of a row, from the index if the row is lost.
func (s *Salvage) idOf(pk int64, m stored) hippo.ID {
	if m.Memory != nil {
		return m.ID
	}
	if s.ids == nil {
		s.ids = make(map[int64]hippo.ID)
		err := s.db.View(context.Background(), func(f *sqlitex.File) error { // it has what comes before an error
			for rows, err := range sqlitex.Rows(context.Background(), f, "SELECT pk + 0, id FROM memory INDEXED BY "+idIndex+" WHERE id > x''") {
				if err != nil {
					return err
				}
				var pk int64
				var id []byte
				if err := rows.Scan(&pk, &id); err != nil {
					return err
				}
				s.ids[pk] = hippo.ID(id)
			}
			return nil
		})
		s.wholeIndex = err == nil
	}
	return s.ids[pk]
}

// Relations returns the relations that can be read, by the memory they are from, and how
// many cannot.
func (s *Salvage) Relations(ctx context.Context) (from map[hippo.ID][]hippo.Relation, lost int) {
	from = make(map[hippo.ID][]hippo.Relation)
	last := int64(0)
	if err := s.first("SELECT ifnull(max(pk), 0) FROM relation", nil, &last); err != nil {
		return from, 1
	}
	for pk := range s.keys(ctx, "relation", last) {
		err := s.db.View(ctx, func(f *sqlitex.File) error {
			rs, err := readRelations(ctx, f, "SELECT "+relationColumns+" FROM relation WHERE pk = ?", pk)
			for _, r := range rs {
				from[r.From] = append(from[r.From], r)
			}
			return err
		})
		if err != nil {
			lost++
		}
	}
	return from, lost
}
