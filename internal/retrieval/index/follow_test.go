package index_test

import (
	"context"
	"iter"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// gatedSource is a source whose changes can be read when the gate is open.
type gatedSource struct {
	*source
	gate chan struct{}
}

func (s *gatedSource) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		select {
		case <-s.gate:
			s.source.Changes(ctx, since)(yield)
		case <-ctx.Done():
			yield(driver.Change{}, ctx.Err())
		}
	}
}

// Close waits for a catch-up that Follow began, so that the file has the change. It cancels any
// other: that may be a rebuild, which takes long.
func TestClose_waits_for_Follow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		begin func(*index.Index)
		saved hippo.Revision
	}{
		{"follow", (*index.Index).Follow, 2},
		{"catch up", func(x *index.Index) { go func() { _ = x.CatchUp(context.Background()) }() }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSource("s")
				s.put(note(1, "one"))
				o := &index.Options{Path: filepath.Join(t.TempDir(), "index")}
				save(t, open(t, s, o))
				slow := &gatedSource{source: s, gate: make(chan struct{})}
				x, err := index.Open(t.Context(), slow, o)
				if err != nil {
					t.Fatal(err)
				}
				s.put(note(2, "two"))
				c.begin(x)
				synctest.Wait() // it reads the changes
				closed := make(chan error, 1)
				go func() { closed <- x.Close() }()
				synctest.Wait() // Close has done what it can
				close(slow.gate)
				if err := <-closed; err != nil {
					t.Error(err)
				}
				y, err := index.Open(t.Context(), s, o)
				if err != nil {
					t.Fatal(err)
				}
				if got := y.Stats().Saved; got != c.saved {
					t.Errorf("the file has revision %d, want %d", got, c.saved)
				}
				if err := y.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// pagedSource is a source that, as stores on disk do, leaves out what changes while it is read.
type pagedSource struct {
	*source
	meanwhile func() // once
}

func (s *pagedSource) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		head, err := s.Head(ctx)
		if err != nil {
			yield(driver.Change{}, err)
			return
		}
		s.meanwhile()
		for c, err := range s.source.Changes(ctx, since) {
			if c.Revision <= head.Revision && !yield(c, err) {
				return
			}
		}
	}
}

// A memory that somebody changes while it is read is found all the same.
func TestCatchUp_changes_meanwhile(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "word"), note(2, "word"))
	x := open(t, &pagedSource{s, sync.OnceFunc(func() { s.put(note(1, "word")) })}, nil)
	if d := cmp.Diff([]int{1, 2}, ids(x, query{Text: "word"})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
