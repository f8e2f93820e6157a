package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// onEach runs a test on every kind of store.
func onEach(t *testing.T, test func(t *testing.T, c *clock, s *store.Store)) {
	t.Helper()
	for name, place := range map[string]func(dir string) (driver.Backend, error){
		"memory": func(string) (driver.Backend, error) { return memstore.New(nil), nil },
		"sqlite": func(dir string) (driver.Backend, error) {
			return sqlitestore.Open(t.Context(), filepath.Join(dir, "memory.db"), nil)
		},
		"dir": func(dir string) (driver.Backend, error) { return dirstore.Open(t.Context(), dir, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := place(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			c := start()
			s := store.New(b, &store.Options{Now: c.now, Zone: time.UTC})
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, c, s)
		})
	}
}

// instead adds a memory in the place of others.
func instead(t *testing.T, s *store.Store, m *hippo.Memory, old ...hippo.ID) {
	t.Helper()
	if _, err := local(s).AddInstead(t.Context(), m, old); err != nil {
		t.Fatal(err)
	}
}

func TestStore_AddInstead(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c *clock, s *store.Store) {
		old, ended := memory("port 80"), memory("port 81")
		ended.ValidUntil = c.t.Add(-time.Hour)
		add(t, s, old, ended)
		c.advance(2)
		m := memory("port 8080")
		m.EventTime = c.t.AddDate(0, 0, -1)
		replaced, err := local(s).AddInstead(t.Context(), m, []hippo.ID{old.ID, ended.ID})
		if err != nil {
			t.Fatal(err)
		}
		got := get(t, s, old.ID)
		want := old.Clone()
		want.SupersededBy, want.ValidUntil, want.UpdatedAt, want.Revision = m.ID, m.EventTime, c.t, got.Revision
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(get(t, s, ended.ID), replaced[1]); d != "" || !replaced[1].ValidUntil.Equal(ended.ValidUntil) {
			t.Errorf("what ended earlier: %v %s", replaced[1].ValidUntil, d)
		}
		if got := get(t, s, m.ID); !got.ValidFrom.Equal(m.EventTime) || got.Importance.SetDay != 2 || len(got.Accesses) != 1 {
			t.Errorf("the new memory is %+v", got)
		}
	})
}

func TestStore_AddInsteadIsAllOrNothing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c *clock, s *store.Store) {
		first, second, other, dated := memory("one"), memory("two"), memory("elsewhere"), memory("dated")
		other.Namespace = "other"
		dated.ValidFrom = c.t
		add(t, s, first, other, dated)
		instead(t, s, second, first.ID)
		early, ends := memory("early"), memory("ends")
		early.ValidFrom = c.t.Add(-time.Hour)
		ends.ValidUntil = c.t
		before, err := s.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range map[string]struct {
			m    *hippo.Memory
			old  []hippo.ID
			want error
			says string
		}{
			"unknown":    {memory("x"), []hippo.ID{second.ID, {9}}, hippo.ErrNotFound, "no memory with id"},
			"namespace":  {memory("x"), []hippo.ID{other.ID}, hippo.ErrNotFound, other.ID.String()},
			"superseded": {memory("x"), []hippo.ID{first.ID}, hippo.ErrConflict, "supersede " + second.ID.String() + " instead"},
			"too early":  {early, []hippo.ID{dated.ID}, hippo.ErrInvalid, "valid_from"},
			"ends first": {ends, []hippo.ID{dated.ID}, hippo.ErrInvalid, "valid_until"},
		} {
			if _, err := local(s).AddInstead(t.Context(), x.m, x.old); !errors.Is(err, x.want) || !strings.Contains(err.Error(), x.says) {
				t.Errorf("%s: got error %v", name, err)
			}
		}
		if after, err := s.Head(t.Context()); err != nil || after.Revision != before.Revision || after.Memories != before.Memories {
			t.Errorf("got %+v (%v), want %+v", after, err, before)
		}
	})
}

// A fact that is corrected at the same time as it began holds for a moment.
func TestStore_AddInsteadAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	var last *hippo.Memory
	for range 4 {
		m := memory("port")
		if last == nil {
			add(t, s, m)
		} else {
			instead(t, s, m, last.ID)
		}
		last = m
	}
	if want := start().t.Add(2 * time.Microsecond); !last.ValidFrom.Equal(want) {
		t.Errorf("the last begins at %v, want %v", last.ValidFrom, want)
	}
}

func TestStore_Supersede(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c *clock, s *store.Store) {
		a, b := memory("a"), memory("b")
		add(t, s, a)
		c.advance(1)
		add(t, s, b)
		pin := func(m *hippo.Memory, _ hippo.Day) error {
			m.Pinned = true
			return nil
		}
		for range 2 { // again is as once
			got, err := local(s).Supersede(t.Context(), b.ID, []hippo.ID{a.ID}, pin)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(get(t, s, b.ID), got); d != "" || !got.Pinned || !got.ValidFrom.Equal(b.CreatedAt) {
				t.Errorf("got %+v, %s", got, d)
			}
			if old := get(t, s, a.ID); old.SupersededBy != b.ID || !old.ValidUntil.Equal(b.CreatedAt) {
				t.Errorf("the old memory is %+v", old)
			}
		}
		for name, x := range map[string]struct {
			id, old hippo.ID
			want    error
		}{
			"itself": {b.ID, b.ID, hippo.ErrInvalid}, "circle": {a.ID, b.ID, hippo.ErrConflict}, "unknown": {hippo.ID{9}, a.ID, hippo.ErrNotFound},
		} {
			if _, err := local(s).Supersede(t.Context(), x.id, []hippo.ID{x.old}, pin); !errors.Is(err, x.want) {
				t.Errorf("%s: got error %v", name, err)
			}
		}
		if err := local(s).Purge(t.Context(), []hippo.ID{b.ID}); err != nil {
			t.Fatal(err)
		}
		instead(t, s, memory("c"), a.ID) // what replaced it is gone
	})
}
