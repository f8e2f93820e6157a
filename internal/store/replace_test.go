package store_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// removeAll removes memories as a restore does whose backup lacks them.
func removeAll(t *testing.T, s *store.Store, ids ...hippo.ID) (forgotten map[hippo.ID]bool) {
	t.Helper()
	err := store.Replace(t.Context(), s, func(tx *store.Replacing) (err error) {
		forgotten, err = tx.Remove(ids...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return forgotten
}

// eachSynced runs a test with the back ends that sync.
func eachSynced(t *testing.T, fn func(t *testing.T, s *store.Store, b driver.Backend)) {
	t.Helper()
	for _, kind := range []string{"memory", "sqlite"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var b driver.Backend = memstore.New(nil)
			if kind == "sqlite" {
				var err error
				if b, err = sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), nil); err != nil {
					t.Fatal(err)
				}
			}
			s := store.New(b, &store.Options{Now: start().now, Zone: time.UTC})
			t.Cleanup(func() { _ = s.Close() })
			fn(t, s, b)
		})
	}
}

// A restore before sync is enabled removes memories from its store alone. What was purged is purged everywhere.
func TestReplace_before_sync(t *testing.T) {
	t.Parallel()
	eachSynced(t, func(t *testing.T, s *store.Store, b driver.Backend) {
		removed, purged, both := memory("removed"), memory("purged"), memory("purged, then removed by a later restore")
		first := memory("first")
		add(t, s, first, removed, purged, both)
		other, _, _ := synced(t)
		add(t, other, removed.Clone(), purged.Clone(), both.Clone())
		if err := local(s).Purge(t.Context(), []hippo.ID{purged.ID, both.ID}); err != nil {
			t.Fatal(err)
		}
		if f := removeAll(t, s, removed.ID, both.ID, hippo.ID{9}); len(f) > 0 {
			t.Errorf("forgotten without sync: %v", f)
		}
		got, err := b.Purged(t.Context(), []hippo.ID{removed.ID, purged.ID, both.ID})
		slices.SortFunc(got, hippo.ID.Compare)
		want := []hippo.ID{purged.ID, both.ID}
		slices.SortFunc(want, hippo.ID.Compare)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("purged are %v, %v, want %v", got, err, want)
		}
		if err := store.EnableSync(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		give(t, s, other)
		ms, err := other.Get(t.Context(), []hippo.ID{removed.ID, purged.ID, both.ID})
		if err != nil || len(ms) != 1 || ms[0].ID != removed.ID || ms[0].Forgotten() {
			t.Errorf("the other store has %v, %v", ms, err)
		}
		give(t, other, s)
		get(t, s, removed.ID)
	})
}

// A restore while sync is on hides what the backup lacks on all replicas, and a write that it had not seen shows it again.
func TestReplace_with_sync(t *testing.T) {
	t.Parallel()
	eachSynced(t, func(t *testing.T, s *store.Store, b driver.Backend) {
		if err := store.EnableSync(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		kept, hidden, edited, purged := memory("kept"), memory("hidden"), memory("edited"), memory("purged")
		add(t, s, kept, hidden, edited, purged)
		other, _, _ := synced(t)
		give(t, s, other)
		edit(t, other, edited.ID, setText("edited meanwhile"))
		if f := removeAll(t, s, hidden.ID, edited.ID); !f[hidden.ID] || !f[edited.ID] || len(f) != 2 {
			t.Errorf("forgotten: %v", f)
		}
		if got, err := b.Purged(t.Context(), []hippo.ID{hidden.ID, edited.ID}); err != nil || len(got) > 0 {
			t.Errorf("purged: %v, %v", got, err)
		}
		give(t, s, other)
		give(t, other, s)
		for _, s := range []*store.Store{s, other} {
			if !get(t, s, hidden.ID).Forgotten() || get(t, s, kept.ID).Forgotten() {
				t.Error("what the backup lacks is not hidden")
			}
			if m := get(t, s, edited.ID); m.Forgotten() || m.Content != "edited meanwhile" {
				t.Errorf("the edit that the restore had not seen: %q, forgotten %v", m.Content, m.Forgotten())
			}
		}
		if err := local(other).Purge(t.Context(), []hippo.ID{purged.ID}); err != nil {
			t.Fatal(err)
		}
		give(t, other, s)
		err := store.Replace(t.Context(), s, func(tx *store.Replacing) error {
			ids, err := store.PurgedForGood(tx, kept.ID, purged.ID)
			if !slices.Equal(ids, []hippo.ID{purged.ID}) {
				t.Errorf("purged for good: %v", ids)
			}
			return err
		})
		if err != nil || !errors.Is(store.PurgeHolds(2), hippo.ErrConflict) {
			t.Error(err)
		}
	})
}

// A restore while sync was off for a while hides what the backup lacks as soon as sync is on again.
func TestReplace_while_sync_is_off(t *testing.T) {
	t.Parallel()
	eachSynced(t, func(t *testing.T, s *store.Store, _ driver.Backend) {
		if err := store.EnableSync(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		from, m := memory("from"), memory("hidden")
		add(t, s, from, m)
		if _, err := local(s).Relate(t.Context(), []hippo.Relation{{From: m.ID, To: from.ID, Kind: "explains", Weight: .5}}, func(string) bool { return false }); err != nil {
			t.Fatal(err)
		}
		other, otherBackend, _ := synced(t)
		give(t, s, other)
		if err := store.DisableSync(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		removeAll(t, s, m.ID)
		if ms, err := s.Get(t.Context(), []hippo.ID{m.ID}); err != nil || len(ms) > 0 {
			t.Fatalf("it is there: %v, %v", ms, err)
		}
		if err := store.EnableSync(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		give(t, s, other)
		for _, s := range []*store.Store{s, other} {
			if got := get(t, s, m.ID); !got.Forgotten() || got.Content != m.Content {
				t.Errorf("it is %+v", got)
			}
		}
		edit(t, other, m.ID, func(m *hippo.Memory) { m.ForgottenAt = time.Time{} })
		give(t, other, s)
		if got := get(t, s, m.ID); got.Forgotten() {
			t.Error("it stays forgotten")
		}
		for r, err := range otherBackend.AllRelations(t.Context()) {
			if err != nil || r.From != m.ID {
				t.Errorf("relation %+v, %v", r, err)
			}
		}
	})
}

// What was purged is not brought back on one replica alone, which the others would not follow.
func TestImport_again_of_what_was_purged(t *testing.T) {
	t.Parallel()
	eachSynced(t, func(t *testing.T, s *store.Store, _ driver.Backend) {
		again := func(m *hippo.Memory) *store.Batch {
			return &store.Batch{Calendar: driver.Calendar{Day: 1, Date: "2026-11-29"}, Memories: []*hippo.Memory{m.Clone()}, Again: true}
		}
		outcome := func(of func(s *store.Store, b *store.Batch) ([]store.Outcome, error), m *hippo.Memory, want store.Outcome) {
			t.Helper()
			if got, err := of(s, again(m)); err != nil || !slices.Equal(got, []store.Outcome{want}) {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		}
		preview := func(s *store.Store, b *store.Batch) ([]store.Outcome, error) {
			return store.PreviewImport(t.Context(), local(s), b)
		}
		bring := func(s *store.Store, b *store.Batch) ([]store.Outcome, error) {
			return store.ImportBatch(t.Context(), local(s), b)
		}
		alone, purged, forgotten := memory("purged while alone"), memory("purged"), memory("forgotten")
		add(t, s, alone, purged, forgotten)
		if err := local(s).Purge(t.Context(), []hippo.ID{alone.ID}); err != nil {
			t.Fatal(err)
		}
		outcome(preview, alone, store.Added)
		outcome(bring, alone, store.Added) // nobody else has ever heard of it
		if err := store.EnableSync(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if err := local(s).Purge(t.Context(), []hippo.ID{purged.ID}); err != nil {
			t.Fatal(err)
		}
		edit(t, s, forgotten.ID, func(m *hippo.Memory) { m.ForgottenAt = start().now() })
		for range 2 {
			outcome(preview, purged, store.Purged)
			outcome(bring, purged, store.Purged)
			if err := local(s).Add(t.Context(), purged.Clone()); err == nil {
				if id, _, _ := store.Replica(t.Context(), s); !id.IsZero() {
					t.Error("it is recorded under its ID")
				}
				if err := local(s).Purge(t.Context(), []hippo.ID{purged.ID}); err != nil {
					t.Fatal(err)
				}
			} else if !errors.Is(err, hippo.ErrConflict) {
				t.Error(err)
			}
			if err := store.DisableSync(t.Context(), s); err != nil { // what others know stays
				t.Fatal(err)
			}
		}
		outcome(bring, forgotten, store.Updated)
	})
}
