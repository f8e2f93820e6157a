package exchange_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// machine is one with a store of its own in a folder.
type machine struct {
	*testing.T
	name, dir string
	now       time.Time
	store     *store.Store // of the last do
}

func newMachine(t *testing.T, name string) *machine {
	t.Helper()
	return &machine{T: t, name: name, dir: t.TempDir(), now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
}

func (m *machine) path() string { return filepath.Join(m.dir, "memory.db") }

// do opens the store and its remotes as a process of its own does.
func (m *machine) do(fn func(ctx context.Context, x *exchange.Remotes) error) error {
	m.Helper()
	return m.run(m.Context(), fn)
}

func (m *machine) run(ctx context.Context, fn func(ctx context.Context, x *exchange.Remotes) error) error {
	b, err := sqlitestore.Open(ctx, m.path(), nil)
	if err != nil {
		return err
	}
	clock := func() time.Time { m.now = m.now.Add(time.Millisecond); return m.now }
	m.store = store.New(b, &store.Options{Now: clock, Zone: time.UTC, Cast: cast})
	x, err := exchange.Open(ctx, m.store, exchange.Options{Dir: m.path() + ".sync", Now: clock})
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, x), x.Close(), m.store.Close())
}

func (m *machine) must(fn func(ctx context.Context, x *exchange.Remotes) error) {
	m.Helper()
	if err := m.do(fn); err != nil {
		m.Fatalf("%s: %v", m.name, err)
	}
}

// record records a memory and returns its ID.
func (m *machine) record(text string) hippo.ID {
	m.Helper()
	x := &hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}}
	m.must(func(ctx context.Context, _ *exchange.Remotes) error {
		return m.store.In(hippo.LocalScope("")).Add(ctx, x)
	})
	return x.ID
}

// texts returns what the store has.
func (m *machine) texts() map[string]bool {
	m.Helper()
	out := make(map[string]bool)
	m.must(func(ctx context.Context, _ *exchange.Remotes) error {
		for c, err := range m.store.Changes(ctx, 0) {
			if err != nil {
				return err
			}
			if c.Memory != nil {
				out[c.Memory.Content] = true
			}
		}
		return nil
	})
	return out
}

func (m *machine) init(at exchange.Carrier) (recovery string) {
	m.Helper()
	m.must(func(ctx context.Context, x *exchange.Remotes) error {
		r, out, err := x.Init(ctx, at, m.name, nil)
		if recovery = r; err != nil {
			return err
		}
		return errors.Join(out.Err, exchange.Shown(x, at))
	})
	return recovery
}

func (m *machine) join(code string, at exchange.Carrier) {
	m.Helper()
	m.must(func(ctx context.Context, x *exchange.Remotes) error {
		out, err := x.Join(ctx, code, at, m.name, nil)
		return errors.Join(err, out.Err)
	})
}

// sync returns what a sync with the only remote has done.
func (m *machine) sync() (out exchange.Outcome) {
	m.Helper()
	err := m.do(func(ctx context.Context, x *exchange.Remotes) error {
		list, err := x.Sync(ctx)
		if len(list) > 0 {
			out = list[0]
		}
		return err
	})
	out.Err = errors.Join(out.Err, err)
	return out
}

func (m *machine) mustSync() exchange.Outcome {
	m.Helper()
	out := m.sync()
	if out.Err != nil {
		m.Fatalf("%s: %v", m.name, out.Err)
	}
	return out
}

// has fails unless the store has the texts.
func (m *machine) has(texts ...string) {
	m.Helper()
	there := m.texts()
	for _, text := range texts {
		if !there[text] {
			m.Errorf("%s lacks %q", m.name, text)
		}
	}
}

// key returns the file with the key of the only remote.
func (m *machine) key() string {
	m.Helper()
	files, err := filepath.Glob(m.path() + ".sync/*.key")
	if err != nil || len(files) != 1 {
		m.Fatalf("keys: %v, %v", files, err)
	}
	return files[0]
}

// replace replaces a part of a file.
func replace(t *testing.T, file, old, with string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err == nil && !bytes.Contains(b, []byte(old)) {
		t.Fatalf("%s has no %s", file, old)
	}
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(b, []byte(old), []byte(with), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// newFolder returns a folder that carries a remote.
func newFolder(t *testing.T) exchange.Carrier {
	t.Helper()
	c, err := exchange.ParseCarrier(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An Init that was stopped before it has shown the recovery key says that, and goes on when it runs again.
func TestInit_stopped(t *testing.T) {
	t.Parallel()
	at, a, b := newFolder(t), newMachine(t, "a"), newMachine(t, "b")
	a.record("one")
	a.init(at)
	if replace(t, a.key(), `}"}`, `}","unfinished":true}`); !a.mustSync().Unfinished {
		t.Error("the outcome does not say that the recovery key was not shown")
	}
	b.join(a.init(at), at)
	b.has("one")
	if a.mustSync().Unfinished {
		t.Error("it is still unfinished")
	}
}

// A vault that could not be begun leaves no remote.
func TestInit_without_a_vault(t *testing.T) {
	t.Parallel()
	at, a := newFolder(t), newMachine(t, "a")
	if err := os.WriteFile(filepath.Join(string(at), "hippo-sync"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := a.do(func(ctx context.Context, x *exchange.Remotes) error {
		_, _, err := x.Init(ctx, at, a.name, nil)
		return err
	})
	if out := a.sync(); err == nil || !errors.Is(out.Err, hippo.ErrNotFound) {
		t.Errorf("%v, then %v", err, out.Err)
	}
}

// restoreInPlace writes an earlier content of the store into its file, which keeps its number.
func (m *machine) restoreInPlace(content []byte) {
	m.Helper()
	f, err := os.OpenFile(m.path(), os.O_WRONLY|os.O_TRUNC, 0)
	if err == nil {
		_, err = f.Write(content)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		m.Fatal(err)
	}
}

// A store that was restored so that it could not notice takes another identity when it syncs, and loses nothing that it or the store that it
// was before has written.
func TestSync_restored_in_place(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 1, 2, 3, 20} { // entries since the restore: fewer than were published before it, as many, and more
		t.Run(fmt.Sprint(more), func(t *testing.T) {
			t.Parallel()
			at, a, b := newFolder(t), newMachine(t, "a"), newMachine(t, "b")
			one := a.record("one")
			b.join(a.init(at), at)
			a.vote(one)
			before, err := os.ReadFile(a.path())
			if err != nil {
				t.Fatal(err)
			}
			a.vote(one)
			a.record("two, before the restore")
			a.record("three, before the restore")
			a.mustSync()
			b.mustSync()
			a.restoreInPlace(before)
			texts := []string{"one", "two, before the restore", "three, before the restore"}
			for i := range more {
				texts = append(texts, fmt.Sprint("after the restore ", i))
				a.record(texts[len(texts)-1])
			}
			a.vote(one)
			a.mustSync()
			b.mustSync()
			a.mustSync()
			for _, m := range []*machine{a, b} {
				m.has(texts...)
				if n := m.votes(one); n != 3 {
					t.Errorf("%s counts %d votes, want 3", m.name, n)
				}
			}
			a.record("four")
			a.mustSync()
			b.mustSync()
			b.has("four")
		})
	}
}

// vote casts a vote for a memory, as cast has it.
func (m *machine) vote(id hippo.ID) {
	m.Helper()
	m.must(func(ctx context.Context, _ *exchange.Remotes) error {
		_, err := m.store.In(hippo.LocalScope("")).Update(ctx, []hippo.ID{id}, func(x *hippo.Memory, day hippo.Day) error {
			cast(x, hippo.Feedback{Kind: hippo.FeedbackUp, Day: day, Former: &hippo.Former{At: m.now.UTC().Truncate(time.Microsecond)}})
			return nil
		})
		return err
	})
}

// cast counts votes.
func cast(m *hippo.Memory, f hippo.Feedback) {
	for i := range m.Feedback {
		m.Feedback[i].Former = nil
	}
	f.Weight = 1
	m.Importance.SetDay, m.Importance.SetAt = f.Day, f.Former.At
	m.Feedback = append(m.Feedback, f)
}

func (m *machine) votes(id hippo.ID) (n int) {
	m.Helper()
	m.must(func(ctx context.Context, _ *exchange.Remotes) error {
		ms, err := m.store.Get(ctx, []hippo.ID{id})
		for _, x := range ms {
			n += len(x.Feedback)
		}
		return err
	})
	return n
}
