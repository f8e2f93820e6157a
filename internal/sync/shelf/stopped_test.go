package shelf

import (
	"context"
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
)

var errStopped = errors.New("stopped")

// stopping is a folder of a process that stops at one of its operations: all later ones fail as well.
type stopping struct {
	Folder
	left  int
	after bool // the last operation still takes place
}

func (s *stopping) stop() bool { s.left--; return s.left < 0 }

func (s *stopping) do(fn func() error) error {
	if s.stop() {
		if s.after && s.left == -1 {
			_ = fn()
		}
		return errStopped
	}
	return fn()
}

func (s *stopping) List(ctx context.Context) (map[string]int64, error) {
	if s.stop() {
		return nil, errStopped
	}
	return s.Folder.List(ctx)
}

func (s *stopping) Get(ctx context.Context, name string) ([]byte, error) {
	if s.stop() {
		return nil, errStopped
	}
	return s.Folder.Get(ctx, name)
}

func (s *stopping) Put(ctx context.Context, name string, b []byte) error {
	return s.do(func() error { return s.Folder.Put(ctx, name, b) })
}

func (s *stopping) Remove(ctx context.Context, name string) error {
	return s.do(func() error { return s.Folder.Remove(ctx, name) })
}

func (s *stopping) Commit(ctx context.Context) error {
	return s.do(func() error { return s.Folder.Commit(ctx) })
}

// stops calls fn with a folder that stops at each operation in turn, until one call is not stopped.
func stops(t *testing.T, fn func(t *testing.T, f *mem, stopped *stopping) error) {
	t.Helper()
	for _, after := range []bool{false, true} {
		n := 0
		for ; ; n++ {
			f := newMem()
			err := fn(t, f, &stopping{Folder: f, left: n, after: after})
			if err == nil {
				break
			}
			if !errors.Is(err, errStopped) {
				t.Fatalf("stopped at operation %d: %v", n, err)
			}
		}
		if n < 4 {
			t.Errorf("it has %d operations", n)
		}
	}
}

// An Init that was stopped anywhere goes on when it runs again, and the recovery key that it shows then opens the vault.
func TestInit_stopped(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	stops(t, func(t *testing.T, f *mem, s *stopping) error {
		m := &machine{t, "a", f, nil, nil, newStore(t), noon}
		_, stopped := Init(ctx, s, "a", nil, nil, noon, m.keep)
		if len(f.files) > 0 && m.key == nil {
			t.Fatal("there is a vault, and nobody has its key")
		}
		if m.key != nil { // a sync in between does no harm
			n := &machine{t, "a", f, m.key, m.state, newStore(t), noon}
			n.store.text(1, "x")
			if stopped == nil || s.left%2 == 0 {
				n.sync()
			}
			m.store = n.store
		}
		recovery, err := Init(ctx, f, "a", nil, m.key, noon, m.keep)
		if err != nil {
			t.Fatalf("again: %v", err)
		}
		m.sync()
		n := join(t, f, recovery, "b")
		n.sync()
		same(t, m, n)
		if _, err := Init(ctx, f, "c", nil, nil, noon, nil); !errors.Is(err, hippo.ErrConflict) {
			t.Errorf("another machine: %v", err)
		}
		other, _ := begin(t, newMem(), "other")
		if _, err := Init(ctx, f, "c", nil, other.key, noon, nil); !errors.Is(err, hippo.ErrConflict) {
			t.Errorf("another machine that has begun another vault: %v", err)
		}
		return stopped
	})
}

// A machine whose Join was stopped after it has kept its key syncs with it. Before, the code still holds.
func TestJoin_stopped(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	stops(t, func(t *testing.T, f *mem, s *stopping) error {
		a, _ := begin(t, f, "a")
		a.store.text(1, "x")
		a.sync()
		code, err := a.shelf().Invite(ctx, noon().Add(1))
		if err != nil {
			t.Fatal(err)
		}
		b := &machine{t, "b", f, nil, nil, newStore(t), noon}
		stopped := Join(ctx, s, code, "b", noon, b.keep)
		if b.key == nil {
			b = join(t, f, code, "b")
		}
		b.store.text(2, "y")
		b.sync()
		a.sync()
		same(t, a, b)
		return stopped
	})
}

// What cannot be kept on this machine changes nothing in the folder.
func TestInit_cannot_keep(t *testing.T) {
	t.Parallel()
	f := newMem()
	refuse := func(*Key, *State) error { return hippo.ErrFull }
	if _, err := Init(context.Background(), f, "a", nil, nil, noon, refuse); !errors.Is(err, hippo.ErrFull) || len(f.files) > 0 {
		t.Errorf("%v, and the folder has %d files", err, len(f.files))
	}
	m, recovery := begin(t, f, "a")
	m.sync()
	before := len(f.files)
	if err := Join(context.Background(), f, recovery, "b", noon, refuse); !errors.Is(err, hippo.ErrFull) || len(f.files) != before {
		t.Errorf("%v, and the folder has %d files, want %d", err, len(f.files), before)
	}
}
