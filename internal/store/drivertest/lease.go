package drivertest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

func leaseChecks() []check {
	return []check{
		{"one_handle_has_a_right", leaseOnce},
		{"a_right_is_kept_by_asking_again", leaseKept},
		{"a_right_that_was_released_is_free", leaseReleased},
		{"looking_takes_nothing", leaseLooked},
		{"a_closed_handle_leaves_the_end", leaseClosed},
		{"of_many_that_ask_one_gets_it", leaseRace},
		{"a_right_is_no_change", leaseNoChange},
	}
}

// ask takes a right for a time, or looks at it.
func ask(t *testing.T, b driver.Backend, name string, d time.Duration) driver.Lease {
	t.Helper()
	l, err := b.Lease(t.Context(), name, d)
	if err != nil {
		t.Fatalf("lease %s: %v", name, err)
	}
	return l
}

// wantHeld checks who has a right that was asked for.
func wantHeld(t *testing.T, what string, l driver.Lease, want bool) {
	t.Helper()
	if l.Held != want {
		t.Errorf("%s: got %+v, want held %v", what, l, want)
	}
}

func leaseOnce(t *testing.T, h Harness) {
	handles := h.handles(t)
	if l := ask(t, handles[0], "one", time.Hour); !l.Held || !l.Until.IsZero() {
		t.Errorf("the first: got %+v, want it held, and that nobody had it before", l)
	}
	for _, b := range handles[1:] {
		l := ask(t, b, "one", time.Hour)
		wantHeld(t, "another handle", l, false)
		if left := time.Until(l.Until); left < time.Minute || left > 2*time.Hour {
			t.Errorf("another handle: it ends in %v, want an hour", left)
		}
	}
	wantHeld(t, "another right", ask(t, handles[len(handles)-1], "another", time.Hour), true)
}

func leaseKept(t *testing.T, h Harness) {
	b := h.fresh(t)
	ask(t, b, "kept", time.Hour)
	l := ask(t, b, "kept", 2*time.Hour)
	wantHeld(t, "again", l, true)
	first := l.Until
	if l := ask(t, b, "kept", time.Hour); !l.Until.After(first) {
		t.Errorf("it was to end at %v and then at %v, want an hour later", first, l.Until)
	}
}

func leaseReleased(t *testing.T, h Harness) {
	handles := h.handles(t)
	one, two := handles[0], handles[len(handles)-1]
	ask(t, one, "released", time.Hour)
	for _, b := range handles[1:] {
		if err := b.Release(t.Context(), "released"); err != nil { // it does not have it
			t.Fatal(err)
		}
		wantHeld(t, "released by another handle", ask(t, b, "released", time.Hour), false)
	}
	for _, name := range []string{"released", "released", "never-had"} {
		if err := one.Release(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	l := ask(t, two, "released", time.Hour)
	wantHeld(t, "released", l, true)
	if l.Until.IsZero() || l.Until.After(systemTime()) {
		t.Errorf("it was to end at %v, want when it was released", l.Until)
	}
}

func leaseLooked(t *testing.T, h Harness) {
	handles := h.handles(t)
	one, two := handles[0], handles[len(handles)-1]
	now := systemTime()
	if l := ask(t, one, "looked", 0); l.Held || !l.Until.IsZero() {
		t.Errorf("nobody had it: got %+v", l)
	}
	wantHeld(t, "after a look", ask(t, two, "looked", time.Hour), true)
	wantHeld(t, "its handle", ask(t, two, "looked", 0), true)
	if len(handles) > 1 && !ask(t, one, "looked", 0).Elsewhere(now) {
		t.Error("another handle does not see it")
	}
	if err := two.Release(t.Context(), "looked"); err != nil {
		t.Fatal(err)
	}
	if l := ask(t, one, "looked", 0); l.Elsewhere(systemTime()) {
		t.Errorf("released: got %+v", l)
	}
}

// leaseClosed: who asks next has the right, or not, and learns until when it was taken.
func leaseClosed(t *testing.T, h Harness) {
	if h.Volatile {
		t.Skip("what it has ends with the handle")
	}
	opener := h.Place(t)
	reopen(t, opener, func(b driver.Backend) { ask(t, b, "closed", time.Hour) })
	l := ask(t, open(t, opener), "closed", time.Minute)
	if left := l.Until.Sub(systemTime()); left < 50*time.Minute || left > time.Hour {
		t.Errorf("it was to end in %v, want an hour", left)
	}
}

func leaseRace(t *testing.T, h Harness) {
	handles := h.handles(t)
	var had atomic.Int64
	together(t, len(handles), func(w int) error {
		l, err := handles[w].Lease(t.Context(), "race", time.Hour)
		if l.Held {
			had.Add(1)
		}
		return err
	})
	if got := had.Load(); got != 1 {
		t.Errorf("%d of %d handles have it, want one", got, len(handles))
	}
}

// systemTime is the clock of back ends for leases.
func systemTime() time.Time { return time.Now() } //nolint:forbidigo // processes compare these times

func leaseNoChange(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	before := head(t, b)
	ask(t, b, "quiet", time.Hour)
	same(t, "head", head(t, b), before)
}
