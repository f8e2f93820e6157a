package store_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

func (w *syncWorld) record(s *syncedStore, text string) error {
	m := memory(fmt.Sprint(text, " ", len(w.acked)))
	if err := local(s.Store).Add(context.Background(), m); err != nil {
		return err
	}
	w.ids, w.acked[m.Content] = append(w.ids, m.ID), m.ID
	return nil
}

// step does one thing in one store.
func (w *syncWorld) step(s *syncedStore, n int) (name string, err error) {
	ctx := context.Background()
	update := func(name string, fn func(m *hippo.Memory, day hippo.Day)) (string, error) {
		_, err := local(s.Store).Update(ctx, []hippo.ID{w.id()}, func(m *hippo.Memory, day hippo.Day) error { fn(m, day); return nil })
		return name, err
	}
	at := w.now.Add(s.skew).UTC().Truncate(time.Microsecond)
	switch kind := w.pick(29); kind {
	case 0, 1, 2, 3, 4, 5, 6:
		if from := w.list[w.pick(len(w.list))]; from != s {
			return "exchange", w.exchange(from, s, w.pick(3) == 0)
		}
	case 7, 8:
		return "record", w.record(s, "text")
	case 9, 10, 11:
		return "edit", w.edit(s, n)
	case 12:
		kind := hippo.FeedbackKinds()[w.pick(2)]
		return update("vote", func(m *hippo.Memory, day hippo.Day) {
			w.cast(m, hippo.Feedback{Kind: kind, Day: day, Question: hippo.Question{byte(n)}, Former: &hippo.Former{At: at}})
		})
	case 13:
		return "open", store.Learn(ctx, s.Store, []hippo.ID{w.id()}, func(m *hippo.Memory, day hippo.Day) {
			w.cast(m, hippo.Feedback{Kind: hippo.FeedbackOpened, Day: day, Question: hippo.Question{byte(n)}})
		})
	case 14:
		return update("set", func(m *hippo.Memory, _ hippo.Day) { w.setOne(m, at, n) })
	case 15:
		return update("forget", func(m *hippo.Memory, _ hippo.Day) { m.ForgottenAt = at })
	case 16:
		return update("restore", func(m *hippo.Memory, _ hippo.Day) { m.ForgottenAt = time.Time{} })
	case 17:
		return "purge", w.purge(s)
	case 18, 19, 24, 25:
		return w.relate(s, at)
	case 20:
		id, old := w.id(), w.id()
		_, err := local(s.Store).Supersede(ctx, id, []hippo.ID{old}, func(*hippo.Memory, hippo.Day) error { return nil })
		return "supersede", err
	case 21:
		return "undo", w.undo(s)
	case 22:
		return "import", w.importFrom(w.list[w.pick(len(w.list))], s)
	case 23:
		return "copy", w.copyFile(s)
	case 27:
		return "use", store.Touch(ctx, s.Store, 1, map[hippo.ID]int{w.id(): 1 + w.pick(3)})
	case 26:
		return "alone for a while", w.aloneForAWhile(s, n)
	case 28:
		return "backup", w.restoreBackup(s)
	}
	return "nothing", nil
}

func (w *syncWorld) edit(s *syncedStore, n int) error {
	text := fmt.Sprint("edit ", n, " of ", w.pick(100), " ", len(w.acked))
	id := w.id()
	_, err := local(s.Store).Update(context.Background(), []hippo.ID{id}, func(m *hippo.Memory, _ hippo.Day) error { m.Content = text; return nil })
	if err == nil {
		w.acked[text] = id
	}
	return err
}

func (w *syncWorld) setOne(m *hippo.Memory, at time.Time, n int) {
	switch w.pick(8) {
	case 0:
		m.Tags = []string{fmt.Sprint(n)}
	case 1:
		m.Importance.Base = float64(w.pick(10)) / 10
		m.Importance.Value, m.Importance.SetAt = m.Importance.Base, at
	case 2:
		m.Pinned = !m.Pinned
	case 3:
		m.ValidUntil = at.AddDate(10, 0, 0)
	case 4:
		m.EventTime = at
	case 5:
		m.Trust = hippo.Trust(w.pick(4))
	case 6:
		m.ArchivedAt = at
	case 7:
		key := fmt.Sprint("k", w.pick(2))
		if m.Metadata == nil {
			m.Metadata = make(map[string]json.RawMessage)
		}
		if _, ok := m.Metadata[key]; ok && w.pick(2) == 0 {
			delete(m.Metadata, key)
		} else {
			m.Metadata[key] = json.RawMessage(fmt.Sprintf(`{"n":%d,"x":"<&>"}`, n))
		}
	}
}

func (w *syncWorld) purge(s *syncedStore) error {
	id := w.id()
	if w.pick(3) > 0 {
		return hippo.ErrNotFound // seldom
	}
	err := local(s.Store).Purge(context.Background(), []hippo.ID{id})
	if err == nil {
		w.purged[id] = true
	}
	return err
}

func (w *syncWorld) relate(s *syncedStore, at time.Time) (string, error) {
	ctx := context.Background()
	r := hippo.Relation{From: w.id(), To: w.id(), Kind: []string{"lives_in", "explains"}[w.pick(2)], Weight: .5}
	single := func(kind string) bool { return kind == "lives_in" }
	var there []hippo.Relation
	for r, err := range s.backend.AllRelations(ctx) {
		if err != nil {
			return "relations", err
		}
		there = append(there, r)
	}
	if len(there) > 0 {
		old := there[w.pick(len(there))]
		r.From, r.Kind = old.From, old.Kind
		if w.pick(2) == 0 {
			r.To = old.To
		}
	}
	switch w.pick(4) {
	case 0:
		return "unrelate", local(s.Store).Unrelate(ctx, []hippo.Relation{r})
	case 1:
		_, err := store.EndRelations(ctx, local(s.Store), []hippo.Relation{r}, at)
		return "end relation", err
	}
	_, err := local(s.Store).Relate(ctx, []hippo.Relation{r}, single)
	return "relate", err
}

// undo undoes one of the last operations.
func (w *syncWorld) undo(s *syncedStore) error {
	ops, err := store.Operations(context.Background(), local(s.Store), driver.OperationQuery{Limit: 3})
	if err != nil || len(ops) == 0 {
		return err
	}
	_, err = store.Undo(context.Background(), local(s.Store), ops[w.pick(len(ops))].ID, nil, nil)
	return err
}

// importFrom imports what another store has, as an export of it.
func (w *syncWorld) importFrom(from, to *syncedStore) error {
	ms, err := from.Get(context.Background(), []hippo.ID{w.id(), w.id()})
	if err != nil || len(ms) == 0 {
		return err
	}
	cal := driver.Calendar{Day: 1, Date: "2026-11-29"}
	for _, m := range ms {
		m.SupersededBy = hippo.ID{}
	}
	weights := rank.DefaultWeights()
	_, err = store.ImportBatch(context.Background(), local(to.Store), &store.Batch{Calendar: cal, Memories: ms, Joined: w.pick(2) == 0, Placed: true, Weights: &weights})
	return err
}

// aloneForAWhile changes something while the store is alone.
func (w *syncWorld) aloneForAWhile(s *syncedStore, n int) error {
	if err := store.DisableSync(context.Background(), s.Store); err != nil {
		return err
	}
	err := w.edit(s, n)
	if w.pick(3) == 0 {
		err = cmp.Or(err, w.restoreBackup(s))
	}
	if w.pick(2) == 0 {
		_, e := w.relate(s, w.now.Add(s.skew).UTC().Truncate(time.Microsecond))
		err = cmp.Or(err, e)
	}
	return cmp.Or(store.EnableSync(context.Background(), s.Store), err)
}

// restoreBackup replaces the memories of a store by those of its last backup, or takes one.
func (w *syncWorld) restoreBackup(s *syncedStore) error {
	here, err := s.Get(context.Background(), w.ids)
	if err != nil {
		return err
	}
	if s.backup == nil || w.pick(3) == 0 {
		s.backup = here
		return nil
	}
	in := make(map[hippo.ID]string)
	for _, m := range s.backup {
		in[m.ID] = m.Content
	}
	var stale []hippo.ID
	for _, m := range here {
		if text, ok := in[m.ID]; !ok {
			stale = append(stale, m.ID)
		} else if text != m.Content {
			delete(w.acked, m.Content) // a restore saves it in a file
		}
	}
	if id, _, err := store.Replica(context.Background(), s.Store); err != nil {
		return err
	} else if id.IsZero() { // it removes the history as well
		maps.DeleteFunc(w.acked, func(_ string, id hippo.ID) bool { return slices.Contains(stale, id) })
	}
	err = store.Replace(context.Background(), s.Store, func(tx *store.Replacing) error {
		purged, err := store.PurgedForGood(tx, hippo.IDsOf(s.backup...)...)
		if err != nil {
			return err
		}
		if _, err := tx.Remove(stale...); err != nil {
			return err
		}
		for _, m := range s.backup {
			if !slices.Contains(purged, m.ID) {
				err = errors.Join(err, tx.Put(m.Clone()))
			}
		}
		return err
	})
	w.done["restored"]++
	return err
}

// copyFile opens a copy of the file of a store as another store.
func (w *syncWorld) copyFile(s *syncedStore) error {
	b, ok := s.backend.(*sqlitestore.Store)
	if !ok || len(w.list) > 5 {
		return hippo.ErrNotFound
	}
	path := fmt.Sprint(s.path, ".", len(w.list), ".db")
	if err := b.CopyTo(context.Background(), path); err != nil {
		return err
	}
	w.open(path, s.skew)
	return nil
}

func TestSync_converges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := newSyncWorld(t, func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "pick") }, false, "")
		defer w.close()
		if err := w.play(30); err != nil {
			r.Fatal(err)
		}
	})
}

var histories = flag.Int("histories", 300, "how many histories TestSync_converges_many plays in memory, and a tenth of them in files; a tenth with -short")

func TestSync_converges_many(t *testing.T) {
	t.Parallel()
	for kind, n := range map[string]int{"memory": *histories, "sqlite": *histories / 10} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				n /= 10
			}
			done := make(map[string]int)
			for seed := range n {
				r := rand.New(rand.NewPCG(uint64(seed), 38)) //nolint:gosec // a history that can be repeated
				dir := ""
				if kind == "sqlite" {
					dir = t.TempDir()
				}
				w := newSyncWorld(t, r.IntN, kind == "sqlite", dir)
				err := w.play(20 + r.IntN(60))
				w.close()
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for name, c := range w.done {
					done[name] += c
				}
			}
			t.Log(done)
			for _, name := range []string{"conflict", "edit", "vote", "open", "set", "forget", "purge", "relate", "unrelate", "supersede", "undo", "import", "restored"} {
				if done[name] == 0 && !testing.Short() {
					t.Errorf("no history has done: %s", name)
				}
			}
		})
	}
}

func TestSync_off(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	m := memory("alone")
	add(t, s, m)
	if id, seen, err := store.Replica(t.Context(), s); err != nil || !id.IsZero() || len(seen) > 0 {
		t.Errorf("a store that is alone is %v and has seen %v: %v", id, seen, err)
	}
	if _, err := store.Join(t.Context(), s, nil); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("a join: %v", err)
	}
}
