package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// syncedStore is a store that syncs with the others of a [syncWorld]. Its clock is off by skew.
type syncedStore struct {
	*store.Store
	backend driver.Backend
	path    string // the SQLite file
	skew    time.Duration
	backup  []*hippo.Memory
}

// syncWorld holds several stores that sync, and every write that they have acknowledged.
type syncWorld struct {
	t      *testing.T
	pick   func(n int) int
	now    time.Time
	sqlite bool
	list   []*syncedStore
	dir    string
	cast   merge.Cast
	// decays reports that the effect of votes depends on the active days of a store, so importances differ between stores.
	decays bool

	ids    []hippo.ID
	acked  map[string]hippo.ID
	purged map[hippo.ID]bool
	done   map[string]int // how often each step changed something
}

func newSyncWorld(t *testing.T, pick func(int) int, sqlite bool, dir string) *syncWorld {
	w := &syncWorld{
		t: t, pick: pick, sqlite: sqlite, dir: dir, now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
		acked: make(map[string]hippo.ID), purged: make(map[hippo.ID]bool), done: make(map[string]int),
	}
	if w.cast = castSimply; pick(2) == 0 {
		weights := rank.DefaultWeights()
		w.cast, w.decays = weights.Cast, true
	}
	year := 365 * 24 * time.Hour
	skews := []time.Duration{0, -year, year, 7 * time.Second, -3 * time.Second}
	for i := range 3 + pick(3) {
		w.open(filepath.Join(dir, fmt.Sprint(i, ".db")), skews[i])
		if pick(3) == 0 { // the store has memories before sync is enabled
			for range 2 {
				if err := w.record(w.list[i], fmt.Sprint("early ", i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := store.EnableSync(context.Background(), w.list[i].Store); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *syncWorld) open(path string, skew time.Duration) {
	s := &syncedStore{path: path, skew: skew}
	if w.sqlite {
		b, err := sqlitestore.Open(context.Background(), path, nil)
		if err != nil {
			w.t.Fatal(err)
		}
		s.backend = b
	} else {
		s.backend = memstore.New(nil)
	}
	s.Store = store.New(s.backend, &store.Options{Now: func() time.Time { return w.now.Add(skew) }, Zone: time.UTC, Retention: &hippo.Retention{Versions: 200, Days: 4000}, Cast: w.cast})
	w.list = append(w.list, s)
}

func (w *syncWorld) close() {
	for _, s := range w.list {
		if err := s.Close(); err != nil {
			w.t.Error(err)
		}
	}
}

func (w *syncWorld) id() hippo.ID {
	if len(w.ids) == 0 {
		return hippo.ID{1}
	}
	few := w.ids[max(0, len(w.ids)-4):]
	return few[w.pick(len(few))]
}

// castSimply is a voting rule that depends on the order of the votes.
func castSimply(m *hippo.Memory, f hippo.Feedback) {
	factor := map[hippo.FeedbackKind]float64{hippo.FeedbackUp: 1.5, hippo.FeedbackDown: .6, hippo.FeedbackOpened: 1}[f.Kind]
	if f.Former != nil {
		for i := range m.Feedback {
			m.Feedback[i].Former = nil
		}
		m.Importance.Value, m.Importance.SetAt, m.Importance.SetDay = min(1, m.Importance.Value*factor), f.Former.At, f.Day
	}
	f.Weight = 1
	m.Feedback = append(slices.Clone(m.Feedback), f)
	m.Feedback = m.Feedback[max(0, len(m.Feedback)-hippo.MaxFeedback):]
}

// exchange sends a store the segments that it lacks. Unless all is set, it sends a random selection in random order, with one sent twice.
func (w *syncWorld) exchange(from, to *syncedStore, all bool) error {
	ctx := context.Background()
	_, seen, err := store.Replica(ctx, to.Store)
	if err != nil {
		return err
	}
	var list []*entry.Segment
	for s, err := range store.Segments(ctx, from.Store, seen) {
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	if !all {
		for i := range list {
			k := w.pick(i + 1)
			list[i], list[k] = list[k], list[i]
		}
		if list = list[:w.pick(len(list)+1)]; len(list) > 0 {
			list = append(list, list[w.pick(len(list))])
		}
	}
	for len(list) > 0 {
		n := len(list)
		if !all {
			n = 1 + w.pick(n)
		}
		joined, err := store.Join(ctx, to.Store, list[:n])
		if err != nil {
			return err
		}
		if len(joined.Conflicts) > 0 {
			w.done["conflict"]++
		}
		list = list[n:]
	}
	return nil
}

// play runs random steps, exchanges all entries, and compares the stores.
func (w *syncWorld) play(steps int) error {
	for i := range steps {
		w.now = w.now.Add(time.Duration(w.pick(3600)) * time.Second)
		name, err := w.step(w.list[w.pick(len(w.list))], i)
		switch {
		case err == nil:
			w.done[name]++
		case errors.Is(err, hippo.ErrConflict), errors.Is(err, hippo.ErrNotFound), errors.Is(err, hippo.ErrInvalid):
		default:
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for range 3 {
		for _, a := range w.list {
			for _, b := range w.list {
				if a != b {
					if err := w.exchange(a, b, true); err != nil {
						return err
					}
				}
			}
		}
	}
	return w.check()
}

// check compares every store with the first one and looks for each acknowledged text.
func (w *syncWorld) check() error {
	var want *syncedState
	for i, s := range w.list {
		got, err := w.state(s)
		if err != nil {
			return err
		}
		if want == nil {
			want = got
		}
		if d := cmp.Diff(want, got, stateOptions(w.decays)); d != "" {
			return fmt.Errorf("store %d differs from the first one: %s", i, d)
		}
	}
	for text, id := range w.acked {
		if w.purged[id] {
			continue
		}
		found := false
		for _, s := range w.list {
			here, err := w.has(s, id, text)
			if err != nil {
				return err
			}
			found = found || here
		}
		if !found {
			return fmt.Errorf("lost: %q of %v", text, id)
		}
	}
	return nil
}

func (w *syncWorld) has(s *syncedStore, id hippo.ID, text string) (bool, error) {
	ctx := context.Background()
	ms, err := s.Get(ctx, []hippo.ID{id})
	if err != nil || len(ms) > 0 && ms[0].Content == text {
		return true, err
	}
	vs, err := store.Versions(ctx, local(s.Store), driver.VersionQuery{Memories: []hippo.ID{id}})
	return slices.ContainsFunc(vs, func(v hippo.Version) bool { return v.Before != nil && v.Before.Content == text }), err
}

// syncedState is the state that all stores must share after a full exchange.
type syncedState struct {
	Seen      entry.Vector
	Lines     []string
	Memories  []*hippo.Memory
	Relations []hippo.Relation
}

func stateOptions(decays bool) cmp.Options {
	var numbers cmp.Options
	if decays {
		numbers = cmp.Options{
			cmpopts.IgnoreFields(hippo.Usage{}, "Untied"), cmpopts.IgnoreFields(hippo.Importance{}, "Value"), cmpopts.IgnoreFields(hippo.Feedback{}, "Weight"),
		}
	}
	return cmp.Options{
		numbers,
		cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(hippo.Memory{}, "Revision", "UpdatedAt", "Surprise"), cmpopts.IgnoreFields(hippo.Usage{}, "Accesses"),
		cmpopts.IgnoreFields(hippo.Importance{}, "SetDay"), cmpopts.IgnoreFields(hippo.Untied{}, "SetDay"), cmpopts.IgnoreFields(hippo.Feedback{}, "Former", "Day"),
	}
}

func (w *syncWorld) state(s *syncedStore) (*syncedState, error) {
	ctx := context.Background()
	out := &syncedState{}
	var err error
	if _, out.Seen, err = store.Replica(ctx, s.Store); err != nil {
		return nil, err
	}
	for one, err := range store.Segments(ctx, s.Store, nil) {
		if err != nil {
			return nil, err
		}
		for _, e := range one.Entries {
			if line := string(e.Line()); w.purged[e.Subject] && !strings.Contains(line, `"purged"`) {
				return nil, fmt.Errorf("an entry of a purged memory: %s", line)
			} else {
				out.Lines = append(out.Lines, fmt.Sprint(e.Origin, " ", line))
			}
		}
	}
	slices.Sort(out.Lines)
	if out.Memories, err = s.Get(ctx, w.ids); err != nil {
		return nil, err
	}
	for r, err := range s.backend.AllRelations(ctx) {
		if err != nil {
			return nil, err
		}
		out.Relations = append(out.Relations, r)
	}
	return out, nil
}
