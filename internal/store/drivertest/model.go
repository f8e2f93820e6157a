package drivertest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func modelChecks() []check {
	return []check{{"random_scripts_answer_as_a_map_does", modelCheck}}
}

// modelCheck plays random scripts; on a failure rapid prints the shortest one
// it can find. The flags -rapid.checks and -rapid.seed make it longer or repeat it.
func modelCheck(t *testing.T, h Harness) {
	rapid.Check(t, func(rt *rapid.T) {
		s, err := newStage(h, h.Place(t))
		if err != nil {
			rt.Fatalf("open: %v", err)
		}
		m := &model{memories: make(map[hippo.ID]*hippo.Memory), vectors: make(embeddings), past: &driver.Archive{}}
		for i, sc := range scripts().Draw(rt, "script") {
			got, err := s.play(t.Context(), sc)
			if err != nil {
				rt.Errorf("scene %d: %v", i, err)
				break
			}
			if d := diff(got, m.play(sc)); d != "" {
				rt.Errorf("scene %d differs (-model +store):\n%s", i, d)
				break
			}
		}
		if err := s.close(); err != nil {
			rt.Errorf("close: %v", err)
		}
	})
}

// Equal plays the same random scripts on several back ends, named by the keys
// of hs, and fails when their answers differ in anything but revisions.
func Equal(t *testing.T, hs map[string]Harness) {
	t.Helper()
	names := make([]string, 0, len(hs))
	for name := range hs {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(rt *rapid.T) {
		stages := make([]*stage, len(names))
		for i, name := range names {
			s, err := newStage(hs[name], hs[name].Place(t))
			if err != nil {
				rt.Fatalf("%s: open: %v", name, err)
			}
			stages[i] = s
		}
		playAll(t, rt, names, stages)
		for i, s := range stages {
			if err := s.close(); err != nil {
				rt.Errorf("%s: close: %v", names[i], err)
			}
		}
	})
}

func playAll(t *testing.T, rt *rapid.T, names []string, stages []*stage) {
	for n, sc := range scripts().Draw(rt, "script") {
		var want outside
		for i, s := range stages {
			got, err := s.play(t.Context(), sc)
			if err != nil {
				rt.Errorf("scene %d: %s: %v", n, names[i], err)
				return
			}
			if i == 0 {
				want = got
			} else if d := diff(got, want); d != "" {
				rt.Errorf("scene %d differs (-%s +%s):\n%s", n, names[0], names[i], d)
				return
			}
		}
	}
}

// model is a store in the plainest way: a map, and the order of change.
// It is a [driver.Tx] on itself; a scene that fails is undone by a copy.
type model struct {
	memories map[hippo.ID]*hippo.Memory
	order    []hippo.ID // of the latest change, purged ones included
	calendar driver.Calendar
	vectors  embeddings
	past     *driver.Archive
}

func (m *model) play(sc scene) outside {
	before := m.copy()
	m.order = nil
	var out outside
	var err error
	if out.Inside, err = sc.play(m); err != nil {
		*m = before
		m.order = nil
	}
	for _, id := range m.order {
		if m.memories[id] != nil {
			out.Changed = append(out.Changed, id)
		} else if before.memories[id] != nil {
			out.Gone = append(out.Gone, id)
		}
	}
	for _, e := range sc.Embeds {
		m.vectors.play(e, func(id hippo.ID) bool { return m.memories[id] != nil })
	}
	out.Embedded = m.vectors.list()
	out.Past, _ = m.Versions(driver.VersionQuery{Memories: idRange(poolSize)})
	for _, one := range m.memories {
		if one.Forgotten() {
			out.Forgotten++
		}
	}
	out.Count, out.Calendar = len(m.memories), m.calendar
	out.Memories, _ = m.Get(idRange(poolSize)...) // a map has no errors
	return out
}

func (m *model) copy() model {
	c := model{memories: make(map[hippo.ID]*hippo.Memory), order: slices.Clone(m.order), calendar: m.calendar, vectors: m.vectors.copy(), past: m.past.Clone()}
	for id, one := range m.memories {
		c.memories[id] = one.Clone()
	}
	return c
}

func (m *model) changed(id hippo.ID) {
	m.order = append(slices.DeleteFunc(m.order, func(o hippo.ID) bool { return o == id }), id)
}

// Get implements [driver.Tx].
func (m *model) Get(ids ...hippo.ID) ([]*hippo.Memory, error) {
	var found []*hippo.Memory
	for _, id := range ids {
		if one := m.memories[id]; one != nil {
			found = append(found, one.Clone())
		}
	}
	return found, nil
}

// Changed implements [driver.Tx]. The model has no revisions: all memories count as changed.
func (m *model) Changed(hippo.Revision) ([]*hippo.Memory, error) { return m.Get(m.order...) }

// Put implements [driver.Tx].
func (m *model) Put(ms ...*hippo.Memory) error {
	for _, one := range ms {
		m.memories[one.ID] = one.Clone()
		m.changed(one.ID)
	}
	return nil
}

// Touch implements [driver.Tx].
func (m *model) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	for id, n := range counts {
		if one := m.memories[id]; one != nil && n > 0 {
			one.Touch(day, n)
		}
	}
	return nil
}

// Purge implements [driver.Tx].
func (m *model) Purge(ids ...hippo.ID) error {
	for _, id := range ids {
		if m.memories[id] != nil {
			delete(m.memories, id)
			m.vectors.purge(id)
			m.past.Drop(id)
			m.changed(id)
		}
	}
	return nil
}

// Keep implements [driver.Tx].
func (m *model) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	m.past.Keep(op, r, vs...)
	return nil
}

// DropHistory implements [driver.Tx].
func (m *model) DropHistory(ids ...hippo.ID) error {
	m.past.Clear(ids...)
	return nil
}

// Versions implements [driver.Tx].
func (m *model) Versions(q driver.VersionQuery) ([]hippo.Version, error) {
	return m.past.Versions(&q, func(id hippo.ID) *hippo.Memory { return m.memories[id] }), nil
}

// Relate implements [driver.Tx]. The model has no relations.
func (m *model) Relate(hippo.Relation, func(old, r hippo.Relation) hippo.Relation) error { return nil }

// RelationsFrom implements [driver.Tx].
func (m *model) RelationsFrom(_, _ hippo.ID, _ string) ([]hippo.Relation, error) { return nil, nil }

// Calendar implements [driver.Tx].
func (m *model) Calendar() (driver.Calendar, error) { return m.calendar, nil }

// SetCalendar implements [driver.Tx].
func (m *model) SetCalendar(c driver.Calendar) error {
	m.calendar = c
	return nil
}
