package cli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// TestConsolidationSchedule: an interval begins when the store is first seen, a restart neither repeats nor delays a run, one that
// fails is due again, and a clock that jumps back delays one interval at most.
func TestConsolidationSchedule(t *testing.T) {
	t.Parallel()
	dir, now, runs := t.TempDir(), time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC), 0
	fail := errors.New("no disk")
	var result error
	attempt := func(what string, after time.Duration, wantRuns int, wantWait time.Duration, wantErr error) {
		t.Helper()
		now = now.Add(after)
		wait, err := cli.AttemptConsolidation(t.Context(), dir, "a", 24*time.Hour, func() time.Time { return now }, func(context.Context) error {
			runs++
			return result
		})
		if runs != wantRuns || wait != wantWait || !errors.Is(err, wantErr) {
			t.Errorf("%s: %d runs, next in %v (%v), want %d, in %v (%v)", what, runs, wait, err, wantRuns, wantWait, wantErr)
		}
	}
	attempt("first seen", 0, 0, 24*time.Hour, nil)
	attempt("restarted", 20*time.Hour, 0, 4*time.Hour, nil)
	attempt("due", 5*time.Hour, 1, 24*time.Hour, nil)
	attempt("restarted after it", time.Hour, 1, 23*time.Hour, nil)
	attempt("the clock went back a year", -365*24*time.Hour, 1, 24*time.Hour, nil)
	result = fail
	attempt("years later", 3*365*24*time.Hour, 2, 10*time.Minute, fail)
	result = nil
	attempt("again", 10*time.Minute, 3, 24*time.Hour, nil)
}

// TestConsolidationSchedule_NoLease: a lease that cannot be had, because of the folder and not of another process, is an error,
// which the schedule logs, and is tried again.
func TestConsolidationSchedule_NoLease(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wait, err := cli.AttemptConsolidation(t.Context(), file, "a", time.Hour, time.Now, nil)
	if err == nil || wait != 10*time.Minute {
		t.Errorf("next in %v (%v), want an error, and 10 minutes", wait, err)
	}
}

// TestConsolidationSchedule_OneAtATime: while one process consolidates, another one does not, and looks again later.
func TestConsolidationSchedule_OneAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := atomic.Int64{}
	now := func() time.Time { return time.Unix(at.Load(), 0) }
	if _, err := cli.AttemptConsolidation(t.Context(), dir, "a", time.Hour, now, nil); err != nil {
		t.Fatal(err)
	}
	at.Store(7200)
	wait, err := cli.AttemptConsolidation(t.Context(), dir, "a", time.Hour, now, func(ctx context.Context) error {
		other, err := cli.AttemptConsolidation(ctx, dir, "a", time.Hour, now, func(context.Context) error {
			t.Error("two consolidate at a time")
			return nil
		})
		if err != nil || other != 10*time.Minute {
			t.Errorf("the other one waits %v (%v)", other, err)
		}
		return err
	})
	if err != nil || wait != time.Hour {
		t.Errorf("next in %v (%v)", wait, err)
	}
	if _, err := cli.AttemptConsolidation(t.Context(), dir, "a", time.Hour, now, func(context.Context) error {
		t.Error("it is repeated")
		return nil
	}); err != nil {
		t.Error(err)
	}
}
