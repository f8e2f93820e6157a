package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time   { return c.t }
func (c *clock) advance(days int) { c.t = c.t.AddDate(0, 0, days) }
func start() *clock               { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func open(t *testing.T, c *clock) *store.Store {
	t.Helper()
	s := store.New(memstore.New(nil), &store.Options{Now: c.now, Zone: time.UTC})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// local is a store as its owner sees it.
func local(s *store.Store) store.Scoped { return s.In(hippo.LocalScope("")) }

func memory(content string) *hippo.Memory {
	return &hippo.Memory{Content: content, Situation: []string{"testing"}, Importance: hippo.Importance{Base: .7}}
}

func add(t *testing.T, s *store.Store, ms ...*hippo.Memory) {
	t.Helper()
	if err := s.Add(t.Context(), ms...); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s *store.Store, id hippo.ID) *hippo.Memory {
	t.Helper()
	ms, err := s.Get(t.Context(), []hippo.ID{id})
	if err != nil || len(ms) != 1 {
		t.Fatalf("get %v: %d memories, error %v", id, len(ms), err)
	}
	return ms[0]
}

func TestStore_AddStamps(t *testing.T) {
	t.Parallel()
	c := start()
	s := open(t, c)
	m := memory("  Stamped  ")
	m.Tags = []string{"go", " go", "go"}
	add(t, s, m)
	got := get(t, s, m.ID)
	want := &hippo.Memory{
		ID: got.ID, Content: "  Stamped  ", Situation: []string{"testing"}, Tags: []string{"go"},
		Importance: hippo.Importance{Base: .7, Value: .7, SetDay: 1, SetAt: c.t},
		Usage:      hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
		CreatedAt:  c.t, UpdatedAt: c.t, Version: 1,
		ContentHash: hippo.HashContent("stamped"), Revision: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.ID[6]>>4 != 7 {
		t.Errorf("ID %v is not a version 7 UUID", got.ID)
	}
}

func TestStore_AddIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	err := s.Add(t.Context(), memory("good"), memory(""))
	var field *hippo.FieldError
	if !errors.As(err, &field) || field.Field != "[1].content" {
		t.Fatalf("got error %v, want one that names [1].content", err)
	}
	if h, err := s.Head(t.Context()); err != nil || h.Memories != 0 {
		t.Errorf("got %d memories (%v), want none", h.Memories, err)
	}
}

func TestStore_Update(t *testing.T) {
	t.Parallel()
	c := start()
	s := open(t, c)
	m := memory("before")
	add(t, s, m)
	c.advance(1)
	ms, err := local(s).Update(t.Context(), []hippo.ID{m.ID}, func(m *hippo.Memory, day hippo.Day) error {
		if day != 1 {
			t.Errorf("got day %d, want 1: an update does not advance it", day)
		}
		m.Content = "after"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, m.ID); got.Version != 2 || !got.UpdatedAt.Equal(c.t) || got.ContentHash != hippo.HashContent("after") {
		t.Errorf("update left stale stamps: %+v", got)
	} else if diff := cmp.Diff(ms[0], got); diff != "" {
		t.Errorf("returned and stored differ: %s", diff)
	}
}

// What is returned is what is stored, to the unit of times.
func TestStore_UpdateReturnsStoredTimes(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c *clock, s *store.Store) {
		m := memory("before")
		add(t, s, m)
		c.t = c.t.Add(123456789)
		ms, err := local(s).Update(t.Context(), []hippo.ID{m.ID}, func(m *hippo.Memory, _ hippo.Day) error { m.Pinned = true; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(get(t, s, m.ID), ms[0]); diff != "" {
			t.Errorf("returned and stored differ: %s", diff)
		}
	})
}

func TestStore_UpdateRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	m := memory("kept")
	add(t, s, m)
	unknown := hippo.ID{15: 1}
	blank := func(m *hippo.Memory, _ hippo.Day) error { m.Content = " "; return nil }
	var missing *hippo.UnknownError
	if _, err := local(s).Update(t.Context(), []hippo.ID{m.ID, unknown}, blank); !errors.As(err, &missing) || missing.IDs[0] != unknown {
		t.Errorf("got %v, want the unknown id", err)
	}
	if _, err := local(s).Update(t.Context(), []hippo.ID{m.ID}, blank); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v, want invalid content", err)
	}
	if err := local(s).Purge(t.Context(), []hippo.ID{unknown}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
	if got := get(t, s, m.ID); got.Content != "kept" {
		t.Errorf("a refused update changed the memory: %+v", got)
	}
}

func TestStore_ActiveDay(t *testing.T) {
	t.Parallel()
	c := start()
	s := open(t, c)
	today := func(want hippo.Day) {
		t.Helper()
		if got, err := s.Today(t.Context()); err != nil || got != want {
			t.Errorf("got day %d (%v), want %d", got, err, want)
		}
	}
	today(1)
	today(1)
	c.advance(30) // a long holiday is one step
	today(2)
	c.advance(-10) // the clock goes back
	today(2)
	add(t, s, memory("back then"))
	today(2)
	c.advance(11)
	add(t, s, memory("recording advances it, too"))
	today(3)
}

// Two processes with their own view of the day agree.
func TestStore_ActiveDayIsShared(t *testing.T) {
	t.Parallel()
	b := memstore.New(nil)
	ahead, behind := start(), start()
	ahead.advance(1)
	one := store.New(b, &store.Options{Now: ahead.now, Zone: time.UTC})
	two := store.New(b, &store.Options{Now: behind.now, Zone: time.UTC})
	for range 3 {
		for _, s := range []*store.Store{one, two} {
			if got, err := s.Today(t.Context()); err != nil || got != 1 {
				t.Errorf("got day %d (%v), want 1", got, err)
			}
		}
	}
}

func TestStore_Touch(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	m := memory("used")
	add(t, s, m)
	for day, n := range map[hippo.Day]int{1: 2} {
		if err := store.Touch(t.Context(), s, day, map[hippo.ID]int{m.ID: n, {15: 1}: 1}); err != nil {
			t.Fatal(err)
		}
	}
	got := get(t, s, m.ID)
	if diff := cmp.Diff([]hippo.Access{{Day: 1, Count: 3}}, got.Accesses); diff != "" {
		t.Error(diff)
	}
	if got.Version != 1 || !got.UpdatedAt.Equal(m.UpdatedAt) {
		t.Error("an access counts as an update")
	}
}

func TestStore_Import(t *testing.T) {
	t.Parallel()
	c := start()
	old := func(id byte) *hippo.Memory {
		return &hippo.Memory{
			ID: hippo.ID{15: id}, Content: "from elsewhere", CreatedAt: c.t.AddDate(-1, 0, 0), Version: 4,
			Importance: hippo.Importance{Base: .4, Value: .6, SetDay: 12},
			Usage:      hippo.Usage{Accesses: []hippo.Access{{Day: 3, Count: 2}, {Day: 15, Count: 1}}},
		}
	}
	from := driver.Calendar{Day: 15, Date: "2026-02-27"}

	t.Run("fresh_store_takes_over_the_calendar", func(t *testing.T) {
		t.Parallel()
		s := open(t, c)
		done, err := local(s).Import(t.Context(), from, []*hippo.Memory{old(1), old(1), old(2)})
		if d := cmp.Diff([]store.Outcome{store.Added, store.Present, store.Added}, done); err != nil || d != "" {
			t.Fatalf("error %v (-want +got):\n%s", err, d)
		}
		got := get(t, s, hippo.ID{15: 1})
		if diff := cmp.Diff(old(1).Accesses, got.Accesses); diff != "" {
			t.Error(diff)
		}
		if got.Importance.Value != .6 || got.Importance.Base != .4 || got.Importance.SetDay != 12 || got.Version != 4 {
			t.Errorf("votes or version were lost: %+v", got)
		}
		if day, err := s.Today(t.Context()); err != nil || day != 16 {
			t.Errorf("got day %d (%v), want 16", day, err)
		}
	})
	t.Run("used_store_moves_the_days", func(t *testing.T) {
		t.Parallel()
		s := open(t, c)
		add(t, s, memory("first day"))
		if _, err := local(s).Import(t.Context(), from, []*hippo.Memory{old(1)}); err != nil {
			t.Fatal(err)
		}
		got := get(t, s, hippo.ID{15: 1})
		if diff := cmp.Diff([]hippo.Access{{Day: 1, Count: 3}}, got.Accesses); diff != "" {
			t.Error(diff)
		}
		if got.Importance.SetDay != 1 {
			t.Errorf("got set day %d, want 1", got.Importance.SetDay)
		}
	})
	t.Run("what_is_here_stays", func(t *testing.T) {
		t.Parallel()
		s := open(t, c)
		m := memory("mine")
		m.ID = hippo.ID{15: 1}
		add(t, s, m)
		done, err := local(s).Import(t.Context(), from, []*hippo.Memory{old(1)})
		if d := cmp.Diff([]store.Outcome{store.Kept}, done); err != nil || d != "" {
			t.Fatalf("error %v (-want +got):\n%s", err, d)
		}
		if got := get(t, s, m.ID); got.Content != "mine" {
			t.Errorf("import replaced a memory: %+v", got)
		}
	})
}

// A calendar keeps its zone, whoever advances it.
func TestStore_ZoneOfCalendar(t *testing.T) {
	t.Parallel()
	c, b := start(), memstore.New(nil)
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.SetCalendar(driver.Calendar{Zone: "Asia/Tokyo"}) })
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s := store.New(b, &store.Options{Now: c.now, Zone: time.UTC})
		if _, err := s.Today(t.Context()); err != nil {
			t.Fatal(err)
		}
		head, err := s.Head(t.Context())
		if err != nil || head.Calendar.Zone != "Asia/Tokyo" {
			t.Errorf("got %+v (%v), want the zone that it had", head.Calendar, err)
		}
		c.advance(1)
	}
}
