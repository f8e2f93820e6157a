package store

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// importMemories adds memories of another store with their IDs, times, votes and accesses.
// Memories whose ID exists are not changed and are counted as present. All of ms must be
// valid; all are added or none.
//
// cal is the calendar of the source. An empty store adopts it; else the active days in ms are
// shifted by the difference between the two calendars, so that recent memories stay recent.
// A zero cal means that the memories have no days: they count as accessed once, today.
func importMemories(ctx context.Context, s *Store, cal driver.Calendar, ms []*hippo.Memory) (added, present int, err error) {
	for i, m := range ms {
		if err := stampImported(s, m); err != nil {
			return 0, 0, at(err, i, len(ms))
		}
	}
	err = s.backend.Write(ctx, driver.Durable, func(tx driver.Tx) error {
		fresh, err := absent(tx, ms)
		if err != nil {
			return err
		}
		added, present = len(fresh), len(ms)-len(fresh)
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
		return 0, 0, wrap("import", err)
	}
	return added, present, nil
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

// absent returns the memories that the store does not have, the first of each ID.
func absent(tx driver.Tx, ms []*hippo.Memory) ([]*hippo.Memory, error) {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	here, err := tx.Get(ids...)
	if driver.Readable(err) != nil { // those that cannot be read are replaced
		return nil, err
	}
	seen := make(map[hippo.ID]bool, len(here))
	for _, m := range here {
		seen[m.ID] = true
	}
	fresh := make([]*hippo.Memory, 0, len(ms))
	for _, m := range ms {
		if !seen[m.ID] {
			seen[m.ID] = true
			fresh = append(fresh, m)
		}
	}
	return fresh, nil
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
