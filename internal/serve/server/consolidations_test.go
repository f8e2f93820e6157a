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
	"github.com/hippo-memory/hippo/internal/store/filelease"
)

// clock is a time that a test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(c.at.Load(), 0).UTC() }

func (c *clock) advance(d time.Duration) { c.at.Add(int64(d / time.Second)) }

// restarted returns the rights of a store as a process has them that was started just now.
func (c *clock) restarted(t *testing.T, dir string) *filelease.Leases {
	t.Helper()
	l := filelease.New(dir+string(filepath.Separator), c.now)
	t.Cleanup(l.Close)
	return l
}

// TestConsolidationSchedule: an interval begins when the store is first seen, a restart neither repeats nor delays a run, one that
// fails is due again, and so is one after the clock went back.
func TestConsolidationSchedule(t *testing.T) {
	t.Parallel()
	c, dir, runs := &clock{}, t.TempDir(), 0
	c.at.Store(time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC).Unix())
	fail := errors.New("no disk")
	var result error
	attempt := func(what string, after time.Duration, wantRuns int, wantWait time.Duration, wantErr error) {
		t.Helper()
		c.advance(after)
		rights := c.restarted(t, dir)
		defer rights.Close()
		wait, err := server.AttemptConsolidation(t.Context(), rights, 24*time.Hour, c.now, func(context.Context) error {
			runs++
			return result
		})
		if runs != wantRuns || wait != wantWait || !errors.Is(err, wantErr) {
			t.Errorf("%s: %d runs, next in %v (%v), want %d, in %v (%v)", what, runs, wait, err, wantRuns, wantWait, wantErr)
		}
	}
	attempt("first seen", 0, 0, 24*time.Hour, nil)
	attempt("restarted", 20*time.Hour, 0, 4*time.Hour, nil)
	attempt("restarted again", time.Hour, 0, 3*time.Hour, nil)
	attempt("due", 4*time.Hour, 1, 24*time.Hour, nil)
	attempt("restarted after it", time.Hour, 1, 23*time.Hour, nil)
	attempt("the clock went back a year", -365*24*time.Hour, 2, 24*time.Hour, nil)
	result = fail
	attempt("years later", 3*365*24*time.Hour, 3, 10*time.Minute, fail)
	result = nil
	attempt("again", 10*time.Minute, 4, 24*time.Hour, nil)
}

// TestConsolidationSchedule_NoLease: a lease that cannot be had, because of the folder and not of another process, is an error,
// which the schedule logs, and is tried again.
func TestConsolidationSchedule_NoLease(t *testing.T) {
	t.Parallel()
	c, file := &clock{}, filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wait, err := server.AttemptConsolidation(t.Context(), c.restarted(t, file), time.Hour, c.now, nil)
	if err == nil || wait != 10*time.Minute {
		t.Errorf("next in %v (%v), want an error, and 10 minutes", wait, err)
	}
}

// TestConsolidationSchedule_OneAtATime: while one process consolidates, another one does not, and looks again later.
func TestConsolidationSchedule_OneAtATime(t *testing.T) {
	t.Parallel()
	c, dir := &clock{}, t.TempDir()
	c.at.Store(1000)
	one, two := c.restarted(t, dir), c.restarted(t, dir)
	never := func(context.Context) error {
		t.Error("two consolidate at a time, or it is repeated")
		return nil
	}
	if _, err := server.AttemptConsolidation(t.Context(), one, 2*time.Hour, c.now, never); err != nil {
		t.Fatal(err)
	}
	c.advance(3 * time.Hour)
	wait, err := server.AttemptConsolidation(t.Context(), one, 2*time.Hour, c.now, func(ctx context.Context) error {
		other, err := server.AttemptConsolidation(ctx, two, 2*time.Hour, c.now, never)
		if err != nil || other != time.Hour {
			t.Errorf("the other one waits %v (%v)", other, err)
		}
		return err
	})
	if err != nil || wait != 2*time.Hour {
		t.Errorf("next in %v (%v)", wait, err)
	}
	if _, err := server.AttemptConsolidation(t.Context(), two, 2*time.Hour, c.now, never); err != nil {
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
