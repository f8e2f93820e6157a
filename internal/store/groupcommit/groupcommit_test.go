package groupcommit_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/groupcommit"
)

// journal is a store that notes what was committed together.
type journal struct {
	groups [][]string
	err    error
}

// tx is a transaction on a journal.
type tx struct{ notes []string }

func note(s string) func(*tx) error {
	return func(t *tx) error {
		t.notes = append(t.notes, s)
		return nil
	}
}

func (j *journal) commit(group []*groupcommit.Request[*tx]) error {
	all := tx{}
	for _, r := range group {
		if !r.Start() {
			continue
		}
		one := tx{}
		if err := r.Run(&one); err != nil {
			r.Reply(err)
			continue
		}
		all.notes = append(all.notes, one.notes...)
	}
	j.groups = append(j.groups, all.notes)
	return j.err
}

// blocked returns a Writer on j whose goroutine is busy until release is called.
func blocked(t *testing.T, j *journal) (w *groupcommit.Writer[*tx], release func()) {
	w = groupcommit.New(j.commit)
	hold := make(chan struct{})
	go func() {
		err := w.Write(t.Context(), driver.Lazy, func(*tx) error { <-hold; return nil })
		if err != nil && j.err == nil {
			t.Errorf("the first write returned %v", err)
		}
	}()
	synctest.Wait()
	return w, func() { close(hold); synctest.Wait() }
}

// Those that wait share one commit. A failure or a panic among them is its own caller's.
func TestWriter_Groups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &journal{}
		w, release := blocked(t, j)
		refused := errors.New("refused")
		for i, fn := range []func(*tx) error{
			note("a"), func(*tx) error { return refused }, note("b"), func(*tx) error { panic("boom") }, note("c"),
		} {
			go func() {
				defer func() {
					if v := recover(); (v == "boom") != (i == 3) || v != nil && i != 3 {
						t.Errorf("write %d panicked with %v", i, v)
					}
				}()
				if err := w.Write(t.Context(), driver.Durable, fn); errors.Is(err, refused) != (i == 1) || err != nil && i != 1 {
					t.Errorf("write %d returned %v", i, err)
				}
			}()
			synctest.Wait()
		}
		release()
		w.Close()
		if want := []string{"a", "b", "c"}; len(j.groups) != 2 || !slices.Equal(j.groups[1], want) {
			t.Errorf("got groups %q, want one of the first and one of %q", j.groups, want)
		}
	})
}

// A commit that fails is the reply to all whose function did not fail.
func TestWriter_CommitFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("full")
		w, release := blocked(t, &journal{err: full})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := w.Write(t.Context(), driver.Durable, note("x")); !errors.Is(err, full) {
					t.Errorf("got %v, want %v", err, full)
				}
			})
		}
		synctest.Wait()
		release()
		wg.Wait()
		w.Close()
	})
}

// A caller whose context ends while it waits leaves, and its function never runs.
func TestWriter_CallerGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &journal{}
		w, release := blocked(t, j)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- w.Write(ctx, driver.Durable, note("never")) }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want canceled", err)
		}
		release()
		w.Close()
		for _, g := range j.groups {
			if strings.Join(g, "") != "" {
				t.Errorf("committed %q, want nothing", g)
			}
		}
	})
}

// Close runs what waits and refuses what comes later.
func TestWriter_Close(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &journal{}
		w, release := blocked(t, j)
		waiting := make(chan error, 1)
		go func() { waiting <- w.Write(t.Context(), driver.Durable, note("last")) }()
		synctest.Wait()
		go release()
		w.Close()
		if err := <-waiting; err != nil || !slices.Equal(j.groups[1], []string{"last"}) {
			t.Errorf("the waiting write returned %v, groups are %q", err, j.groups)
		}
		w.Close()
		if err := w.Write(t.Context(), driver.Durable, note("late")); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("after Close: got %v, want unavailable", err)
		}
	})
}

// The context of a group ends when the last of its callers gives up, not before.
func TestContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold, ended := make(chan struct{}), false
		w := groupcommit.New(func(group []*groupcommit.Request[*tx]) error {
			ctx, stop := groupcommit.Context(group)
			defer stop()
			for _, r := range group {
				r.Start()
			}
			if len(group) == 1 {
				<-hold
				return nil
			}
			<-ctx.Done()
			ended = true
			return ctx.Err()
		})
		var wg sync.WaitGroup
		write := func() (leave context.CancelFunc) {
			ctx, leave := context.WithCancel(t.Context())
			wg.Go(func() { _ = w.Write(ctx, driver.Lazy, note("x")) }) // two of them are canceled
			synctest.Wait()
			return leave
		}
		defer write()()
		one, two := write(), write()
		close(hold)
		synctest.Wait()
		one()
		synctest.Wait()
		if ended {
			t.Error("the context ended while a caller waits")
		}
		two()
		synctest.Wait()
		if !ended {
			t.Error("the context goes on though nobody waits")
		}
		wg.Wait()
		w.Close()
	})
}
