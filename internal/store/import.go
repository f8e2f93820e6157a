package store

import (
	"context"
	"errors"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Imported is the outcome of an import.
type Imported struct {
	// Added memories are new; Present ones were here already, by ID.
	Added, Present int
	// Refused are the IDs in use by what the caller may not see, or cannot be read and is
	// perhaps that of another caller. Nothing is stored for them.
	Refused []hippo.ID
}

// importMemories is [Scoped.Import].
func importMemories(ctx context.Context, in Scoped, cal driver.Calendar, ms []*hippo.Memory) (out Imported, err error) {
	s := in.store
	for i, m := range ms {
		if err := stampImported(s, m); err != nil {
			return Imported{}, at(err, i, len(ms))
		}
	}
	err = s.backend.Write(ctx, driver.Durable, func(tx driver.Tx) error {
		fresh, refused, err := absentMemories(tx, in, ms)
		if err != nil {
			return err
		}
		out = Imported{Added: len(fresh), Present: len(ms) - len(fresh) - len(refused), Refused: refused}
		here, err := adoptCalendar(s, tx, cal)
		if err != nil {
			return err
		}
		for i, m := range fresh {
			c := m.Clone() // the transaction may run again
			moveDays(c, cal.Day, here.Day)
			fresh[i] = c
		}
		return tx.Put(fresh...)
	})
	if err != nil {
		return Imported{}, wrap("import", err)
	}
	return out, nil
}

func stampImported(s *Store, m *hippo.Memory) error {
	now := s.now().UTC()
	created, updated, version, at := m.CreatedAt, m.UpdatedAt, m.Version, m.Importance.SetAt
	value := m.Importance.Value
	if err := stampNew(m, now); err != nil {
		return err
	}
	m.Importance.Value = value
	if !updated.IsZero() {
		m.UpdatedAt = updated
	}
	if !at.IsZero() {
		m.Importance.SetAt = at
	} else if !created.IsZero() {
		m.Importance.SetAt = created
	}
	m.Version = max(1, version)
	normalise(m)
	return m.Validate()
}

// absentMemories returns those of ms that the store does not hold, the first of each ID, and the IDs
// of the others that are refused. With [hippo.RightAdmin], a memory that cannot be read is
// replaced.
func absentMemories(tx driver.Tx, s Scoped, ms []*hippo.Memory) (fresh []*hippo.Memory, refused []hippo.ID, err error) {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	here, err := tx.Get(ids...)
	if driver.Readable(err) != nil {
		return nil, nil, err
	}
	taken := make(map[hippo.ID]bool) // outside of the scope
	if bad, ok := errors.AsType[*driver.UnreadableError](err); ok && !s.scope.Allows(hippo.RightAdmin) {
		for _, p := range bad.Problems {
			taken[p.ID] = true
		}
	}
	seen := make(map[hippo.ID]bool, len(here))
	for _, m := range here {
		seen[m.ID], taken[m.ID] = true, !s.scope.Sees(m)
	}
	for _, m := range ms {
		switch {
		case taken[m.ID]:
			refused = append(refused, m.ID)
		case !seen[m.ID]:
			seen[m.ID] = true
			fresh = append(fresh, m)
		}
	}
	return fresh, refused, nil
}

// adoptCalendar returns the calendar; if the store has none it is set to cal.
func adoptCalendar(s *Store, tx driver.Tx, cal driver.Calendar) (driver.Calendar, error) {
	here, err := tx.Calendar()
	if err != nil || here.Day > 0 {
		return here, err
	}
	if cal.Day == 0 {
		return advanceDay(s, tx)
	}
	return cal, tx.SetCalendar(cal)
}

// moveDays shifts the active days of m from a calendar at day from to one at
// day to. Days that would fall before day 1 become day 1.
func moveDays(m *hippo.Memory, from, to hippo.Day) {
	if from == 0 || len(m.Accesses) == 0 {
		m.Accesses = []hippo.Access{{Day: to, Count: 1}}
		m.Importance.SetDay = to
		return
	}
	shift := to - from
	m.Importance.SetDay = min(to, max(1, m.Importance.SetDay+shift))
	moved := &hippo.Memory{}
	for _, a := range m.Accesses {
		moved.Touch(min(to, max(1, a.Day+shift)), a.Count)
	}
	m.Accesses = moved.Accesses
}
