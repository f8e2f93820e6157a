package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/serve/server"
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
		wait, err := server.AttemptConsolidation(t.Context(), dir, "a", 24*time.Hour, func() time.Time { return now }, func(context.Context) error {
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
	wait, err := server.AttemptConsolidation(t.Context(), file, "a", time.Hour, time.Now, nil)
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
	if _, err := server.AttemptConsolidation(t.Context(), dir, "a", time.Hour, now, nil); err != nil {
		t.Fatal(err)
	}
	at.Store(7200)
	wait, err := server.AttemptConsolidation(t.Context(), dir, "a", time.Hour, now, func(ctx context.Context) error {
		other, err := server.AttemptConsolidation(ctx, dir, "a", time.Hour, now, func(context.Context) error {
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
	if _, err := server.AttemptConsolidation(t.Context(), dir, "a", time.Hour, now, func(context.Context) error {
		t.Error("it is repeated")
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestConsolidateAll: a schedule consolidates every namespace of the store.
func TestConsolidateAll(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e, err := app.Open(ctx, config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.NoModel}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	namespaces := map[string]*engine.Memories{}
	for _, namespace := range []string{"", "team"} {
		scope := hippo.LocalScope("")
		scope.Namespace = namespace
		namespaces[namespace] = e.In(scope)
		if r, err := transfer.New(namespaces[namespace]).Import(ctx, hippo.Calendar{}, oldNotes("of"+namespace), nil); err != nil || r.Added != 40 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if err := server.ConsolidateAll(ctx, e, api.Weekly); err != nil {
		t.Fatal(err)
	}
	for namespace, m := range namespaces {
		page, err := memory.Operations(ctx, m, api.Operations{})
		if err != nil {
			t.Fatal(err)
		}
		if last := page.Operations[0]; last.Verb != hippo.VerbConsolidate || last.Reason != "scheduled" {
			t.Errorf("namespace %q: %+v", namespace, last)
		}
	}
}

// oldNotes are 40 notes of two topics, each twice, 60 days old.
func oldNotes(word string) func(yield func(*hippo.Memory, error) bool) {
	topics := []string{"gateway timeout keepalive frame idle connection", "invoice ledger export currency tax rounding"}
	at := time.Now().AddDate(0, 0, -60)
	return func(yield func(*hippo.Memory, error) bool) {
		for i := range 40 {
			m := &hippo.Memory{
				Content: fmt.Sprintf("%s %s%d", topics[i%2], word, i/4*2+i%2), Situation: []string{"testing"},
				Importance: hippo.Importance{Base: .3}, CreatedAt: at.Add(time.Duration(i) * time.Minute),
			}
			if !yield(m, nil) {
				return
			}
		}
	}
}
