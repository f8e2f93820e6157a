package drivertest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func cancelChecks() []check {
	return []check{
		{"ended_context_is_an_error_everywhere", canceledCalls},
		{"a_waiting_writer_gives_up", waitingWriter},
		{"canceled_in_the_middle_is_all_or_nothing", canceledInside},
	}
}

func canceledCalls(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	before := readAll(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"get":      func() error { _, err := b.Get(ctx, []hippo.ID{id(1)}); return err },
		"head":     func() error { _, err := b.Head(ctx); return err },
		"problems": func() error { _, err := b.Problems(ctx); return err },
		"changes":  func() error { _, err := readChanges(ctx, b, 0); return err },
		"write": func() error {
			return b.Write(ctx, driver.Durable, func(tx driver.Tx) error { return tx.Put(plain(2)) })
		},
		"lazy write": func() error {
			return b.Write(ctx, driver.Lazy, func(tx driver.Tx) error { return tx.Purge(id(1)) })
		},
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with an ended context returned %v", name, err)
		}
	}
	same(t, "store", readAll(t, b), before)
}

// patience is how long a check waits before it calls something stuck.
const patience = 20 * time.Second

// waitingWriter lets a second writer run into its deadline while the first
// does not end.
func waitingWriter(t *testing.T, h Harness) {
	b := h.fresh(t)
	var once sync.Once
	entered, release := make(chan struct{}), make(chan struct{})
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		first <- b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
			once.Do(func() { close(entered) })
			<-release
			return tx.Put(plain(1))
		})
	}()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	go func() {
		second <- b.Write(ctx, driver.Durable, func(tx driver.Tx) error { return tx.Put(plain(2)) })
	}()
	select {
	case err := <-second:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the waiting writer returned %v", err)
		}
	case <-time.After(patience):
		t.Error("the waiting writer waits on though its context ended")
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("the first writer: %v", err)
	}
	put(t, b, plain(3))
	same(t, "memories", idsOf(find(t, b, id(1), id(2), id(3))), []hippo.ID{id(1), id(3)})
}

// canceledInside allows either outcome, but not a mixture, and not a success
// without the change.
func canceledInside(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(0))
	for n := 1; n <= 20; n += 2 {
		ctx, cancel := context.WithCancel(t.Context())
		err := b.Write(ctx, driver.Durable, func(tx driver.Tx) error {
			if err := tx.Put(plain(n)); err != nil {
				return err
			}
			cancel()
			return tx.Put(plain(n + 1))
		})
		cancel()
		found := len(find(t, b, id(n), id(n+1)))
		if found == 1 || err == nil && found != 2 {
			t.Errorf("write returned %v, and %d memories of 2 are there", err, found)
		}
		put(t, b, plain(0))
	}
}
