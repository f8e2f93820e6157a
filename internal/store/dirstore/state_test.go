package dirstore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// syncWriter is a log that is written and read at the same time.
type syncWriter struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *syncWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(b)
}

func (w *syncWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

func TestState_may_be_deleted_between_openings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	setCalendar(t, s, driver.Calendar{Day: 3, Date: "2025-08-03"})
	put(t, s, memory(1), memory(2))
	before := head(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p.remove(".hippo")
	s = p.open()
	after := head(t, s)
	if after.Store == before.Store || after.Memories != 2 || after.Calendar != before.Calendar {
		t.Errorf("head is %+v, was %+v", after, before)
	}
}

func TestState_may_be_deleted_while_open(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s, other := p.open(), p.open()
	put(t, s, memory(1))
	before := head(t, s)
	p.remove(".hippo")
	put(t, s, memory(2))
	put(t, other, memory(3))
	for _, s := range []*dirstore.Store{s, other, p.open()} {
		for n := 1; n <= 3; n++ {
			get(t, s, n)
		}
		if h := head(t, s); h.Store == before.Store || h.Store != head(t, other).Store || h.Memories != 3 {
			t.Errorf("head is %+v, was %+v", h, before)
		}
	}
}

func TestState_of_another_store_is_taken_over(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	p.remove(".hippo")
	other := p.open()
	put(t, other, memory(2))
	equal(t, "head", head(t, s), head(t, other))
	equal(t, "changes", changes(t, s, 0), changes(t, other, 0))
}

func TestRevisions_are_dense_when_handles_are_closed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for n := range 5 {
		s := p.open()
		m := memory(n)
		put(t, s, m)
		if want := hippo.Revision(n + 1); m.Revision != want {
			t.Errorf("revision is %d, want %d", m.Revision, want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpen_a_file(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("file", "")
	_, err := dirstore.Open(t.Context(), p.path("file"), nil)
	if !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), p.path("file")) {
		t.Errorf("got error %v", err)
	}
}

// failing makes every change fail whose operation is op, while on.
type failing struct {
	op  string
	err error
	mu  sync.Mutex
	on  bool
}

func (f *failing) turn(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on = on
}

func (f *failing) fault(op, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.on && op == f.op {
		return f.err
	}
	return nil
}

func TestWrite_fails_whole(t *testing.T) {
	t.Parallel()
	for op, want := range map[string]error{"write": hippo.ErrFull, "rename": hippo.ErrReadOnly, "journaled": hippo.ErrFull, "sync": hippo.ErrFull} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			f := &failing{op: op, err: syscall.ENOSPC}
			if op == "rename" {
				f.err = syscall.EROFS
			}
			s := p.openWith(p.options().WithFault(f.fault))
			put(t, s, memory(1), memory(2))
			before := changes(t, s, 0)
			f.turn(true)
			err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
				return errors.Join(tx.Put(memory(1), memory(3)), tx.Purge(id(2)))
			})
			if op == "journaled" {
				want = syscall.ENOSPC
			}
			if !errors.Is(err, want) {
				t.Errorf("got error %v, want %v", err, want)
			}
			if op != "journaled" && !strings.Contains(err.Error(), p.dir) {
				t.Errorf("error does not name the path: %v", err)
			}
			f.turn(false)
			for _, s := range []*dirstore.Store{s, p.open()} {
				equal(t, "changes", changes(t, s, 0), before)
			}
			put(t, s, memory(3))
			get(t, p.open(), 3)
			if left := p.leftovers(); len(left) != 0 {
				t.Errorf("temporary files: %v", left)
			}
		})
	}
}

// Files are written while a transaction runs: one that fails afterwards, and one whose file is
// written again by the same commit, leave none behind.
func TestWrite_leaves_no_temporary_files(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	before := changes(t, s, 0)
	failed := errors.New("no")
	err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		return errors.Join(tx.Put(memory(1), memory(2)), failed)
	})
	if !errors.Is(err, failed) {
		t.Errorf("got error %v, want %v", err, failed)
	}
	equal(t, "changes", changes(t, s, 0), before)
	put(t, s, memory(3)) // waits for the end of the commit before
	if left := p.leftovers(); len(left) != 0 {
		t.Errorf("temporary files of a transaction that failed: %v", left)
	}
	pinned := memory(1)
	pinned.Pinned = true
	update(t, s, func(tx driver.Tx) error { return errors.Join(tx.Put(memory(1)), tx.Put(pinned)) })
	if !get(t, s, 1).Pinned {
		t.Error("the first of two writes of a file won")
	}
	if left := p.leftovers(); len(left) != 0 {
		t.Errorf("temporary files of a file that was written twice: %v", left)
	}
}

func TestWrite_outcome_is_settled_when_it_fails_in_the_middle(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var renames int
	on := false
	s := p.openWith(p.options().WithFault(func(op, _ string) error {
		if op == "rename" && on {
			if renames++; renames == 2 {
				return syscall.EIO
			}
		}
		return nil
	}))
	put(t, s, memory(1))
	on = true
	if err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(2), memory(3)) }); err == nil {
		t.Error("no error")
	}
	on = false
	put(t, s, memory(4))
	for _, s := range []*dirstore.Store{s, p.open()} {
		for n := 1; n <= 4; n++ {
			if got := get(t, s, n); got.Version != 1 {
				t.Errorf("memory %d has version %d", n, got.Version)
			}
		}
	}
}

func TestOpen_a_directory_that_cannot_be_written(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	put(t, p.open(), memory(1))
	p.writeOld(name(2), text(t, memory(2)))
	p.writeOld(name(3), "broken")
	o := p.options()
	s := p.openWith(o.WithFault(func(op, _ string) error { return syscall.EROFS }))
	get(t, s, 1)
	get(t, s, 2)
	if h := head(t, s); h.Memories != 2 || len(changes(t, s, 0)) != 2 {
		t.Errorf("head is %+v", h)
	}
	err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(4)) })
	if !errors.Is(err, hippo.ErrReadOnly) || !strings.Contains(err.Error(), p.dir) {
		t.Errorf("got error %v", err)
	}
	if ps := problems(t, s); len(ps) != 1 || ps[0].Path != p.path(name(3)) {
		t.Errorf("problems: %+v", ps)
	}
	put(t, p.open(), memory(5))
	get(t, s, 5)
}

// The reader knows neither of two commits, and the second is under way: of its
// two files one is replaced.
func TestGet_waits_for_a_commit_under_way(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	reader := p.open()
	read := make(chan []*hippo.Memory, 1)
	start := func() {
		ms, err := reader.Get(context.Background(), []hippo.ID{id(1), id(2)})
		if err != nil {
			t.Error(err)
		}
		read <- ms
	}
	var renames int
	var early []*hippo.Memory
	s := p.openWith(p.options().WithFault(func(op, _ string) error {
		if op != "rename" {
			return nil
		}
		if renames++; renames == 4 { // the last of two for each commit
			go start()
			select {
			case early = <-read:
			case <-time.After(100 * time.Millisecond):
			}
		}
		return nil
	}))
	renames = 0
	put(t, s, memory(1), memory(2))
	a, b := memory(1), memory(2)
	a.Content, b.Content = "changed", "changed"
	put(t, s, a, b)
	if early == nil {
		early = <-read
	}
	if len(early) != 2 || early[0].Revision >= early[1].Revision || (early[0].Content == "changed") != (early[1].Content == "changed") {
		t.Errorf("read %+v", early)
	}
}

// methods calls each method of a store that fails when it is closed.
func methods() map[string]func(ctx context.Context, s *dirstore.Store) error {
	return map[string]func(ctx context.Context, s *dirstore.Store) error{
		"Get": func(ctx context.Context, s *dirstore.Store) error {
			_, err := s.Get(ctx, []hippo.ID{id(1)})
			return err
		},
		"Head":         func(ctx context.Context, s *dirstore.Store) error { _, err := s.Head(ctx); return err },
		"Problems":     func(ctx context.Context, s *dirstore.Store) error { _, err := s.Problems(ctx); return err },
		"VectorModels": func(ctx context.Context, s *dirstore.Store) error { _, err := s.VectorModels(ctx); return err },
		"Vectors": func(ctx context.Context, s *dirstore.Store) error {
			_, err := s.Vectors(ctx, "model", []hippo.ID{id(1)})
			return err
		},
		"PutVectors": func(ctx context.Context, s *dirstore.Store) error {
			return s.PutVectors(ctx, "model", []driver.Vector{vector(1, 2, 0)})
		},
		"Relations": func(ctx context.Context, s *dirstore.Store) error {
			_, err := s.Relations(ctx, driver.RelationQuery{IDs: []hippo.ID{id(1)}})
			return err
		},
		"Relate": func(ctx context.Context, s *dirstore.Store) error {
			r := hippo.Relation{From: id(1), To: id(2), Kind: "explains", Weight: 0.5}
			return s.Relate(ctx, driver.Lazy, []hippo.Relation{r}, func(_, r hippo.Relation) hippo.Relation { return r })
		},
		"Write": func(ctx context.Context, s *dirstore.Store) error {
			return s.Write(ctx, driver.Lazy, func(tx driver.Tx) error { return tx.Put(memory(3)) })
		},
		"Changes": func(ctx context.Context, s *dirstore.Store) error {
			for _, err := range s.Changes(ctx, 0) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"AllRelations": func(ctx context.Context, s *dirstore.Store) error {
			for _, err := range s.AllRelations(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// A call that Close overtakes either succeeds or returns the error of a closed store.
func TestClose_while_methods_run(t *testing.T) {
	t.Parallel()
	for range 5 {
		p := newPlace(t)
		s := p.open()
		put(t, s, memory(1), memory(2))
		if err := os.Mkdir(p.path(".hippo/corrupt"), 0o700); err != nil {
			t.Fatal(err)
		}
		for n := range 100 { // which Problems reads, after the replica
			p.write(".hippo/corrupt/"+name(n)+".12345678", "broken")
		}
		var wg sync.WaitGroup
		running := make(chan struct{}, len(methods()))
		for name, call := range methods() {
			wg.Go(func() {
				err := call(context.Background(), s)
				for running <- struct{}{}; err == nil; {
					err = call(context.Background(), s)
				}
				if !errors.Is(err, hippo.ErrUnavailable) {
					t.Errorf("%s: got error %v, want %v", name, err, hippo.ErrUnavailable)
				}
			})
		}
		for range methods() {
			<-running
		}
		closed(t, s)
		wg.Wait()
		get(t, p.open(), 3)
	}
}

func TestClose_ends_everything(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.openWith(nil)
	put(t, s, memory(1))
	for range 2 {
		closed(t, s)
	}
	for name, call := range methods() {
		if err := call(t.Context(), s); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("%s: got error %v, want %v", name, err, hippo.ErrUnavailable)
		}
	}
}

// The files are the truth: a write whose files are in their places succeeded, even if the
// replica of the memories could not be committed.
func TestWrite_succeeds_when_the_replica_cannot_be_committed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	before := head(t, s).Revision
	p.sql("CREATE TABLE broken (memory INTEGER REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED)")
	p.sql("CREATE TRIGGER break_commit AFTER INSERT ON file BEGIN INSERT INTO broken VALUES (-1); END")
	changed := memory(1)
	changed.Content = "changed"
	changed.ContentHash = hippo.HashContent(changed.Content)
	update(t, s, func(tx driver.Tx) error { return errors.Join(tx.Put(changed, memory(3)), tx.Purge(id(2))) })
	p.sql("DROP TRIGGER break_commit")
	for _, s := range []*dirstore.Store{s, p.open()} {
		if got := get(t, s, 1); got.Content != "changed" || got.Revision <= changed.Revision {
			t.Errorf("memory is %+v, was written as revision %d", got, changed.Revision)
		}
		get(t, s, 3)
		missing(t, s, 2)
		if cs := changes(t, s, before); len(cs) != 3 {
			t.Errorf("%d changes, want 3", len(cs))
		}
		noProblems(t, s)
	}
}

// A disk that fails makes the store unavailable: it is neither damage nor a fault of the program.
func TestWrite_DiskFails(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"write", "rename", "sync"} {
		p := newPlace(t)
		f := &failing{op: op, err: syscall.EIO}
		s := p.openWith(p.options().WithFault(f.fault))
		f.turn(true)
		err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(1)) })
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), p.dir) {
			t.Errorf("%s: got %v", op, err)
		}
		f.turn(false)
		put(t, s, memory(1))
	}
}
