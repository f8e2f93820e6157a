package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/lockedfile"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
)

// Consolidations says when a server consolidates its store.
type Consolidations struct {
	Every   time.Duration // 0: never
	Horizon string
}

const (
	// minConsolidationInterval bounds what scheduled consolidations cost.
	minConsolidationInterval = time.Hour
	// leaseAge is how long the time of the last run is kept for a store that no server uses.
	leaseAge = 800 * 24 * time.Hour
	// leaseWait is how long a server waits for another one that consolidates, and leaseRetry the time until it looks again.
	leaseWait, leaseRetry = 100 * time.Millisecond, 10 * time.Minute
)

func (c *Consolidations) validate() error {
	switch {
	case *c == Consolidations{}: // never, and no horizon is chosen
	case !slices.Contains(api.Horizons(), api.Horizon(c.Horizon)):
		return optionf("--consolidate-horizon must be %s, got %q", consolidate.HorizonList(), c.Horizon)
	case c.Every != 0 && c.Every < minConsolidationInterval:
		return optionf("--consolidate-every must be at least %v, got %v", minConsolidationInterval, c.Every)
	}
	return nil
}

// lastRun is when a store was consolidated last, or first seen.
type lastRun struct {
	At time.Time `json:"at"`
}

// lease lets one process of a machine at a time consolidate a store: the system ends it with the process, whatever the clock does.
type lease struct {
	folder lockedfile.Folder
	store  string
	now    func() time.Time
}

func newLease(store string, now func() time.Time) lease {
	return lease{lockedfile.Folder{Dir: filepath.Join(config.StateDir(os.Getenv), "consolidations"), Age: leaseAge}, store, now}
}

// due returns how long to wait after the last run. A clock that went back delays it by one interval at most.
func (l *lease) due(last lastRun, every time.Duration) time.Duration {
	return min(every, max(0, last.At.Add(every).Sub(l.now())))
}

// attempt calls run if it is due and no other process is at it, and returns how long to wait then. The first interval of
// a store begins when it is seen for the first time. A run that fails, or is killed, is due again.
func (l *lease) attempt(ctx context.Context, every time.Duration, run func(context.Context) error) (wait time.Duration, err error) {
	waiting, cancel := context.WithTimeout(ctx, leaseWait)
	defer cancel()
	f, err := l.folder.Open(waiting, l.store, l.now())
	if err != nil {
		wait = min(every, leaseRetry)
		if waiting.Err() == nil {
			return wait, err
		}
		return wait, nil //nolint:nilerr // another process is at it
	}
	defer f.Close()
	var last lastRun
	if !f.Load(&last) {
		return every, f.Save(lastRun{l.now()}, l.now())
	}
	if wait := l.due(last, every); wait > 0 {
		return wait, nil
	}
	if err := run(ctx); err != nil {
		return min(every, leaseRetry), err
	}
	return every, f.Save(lastRun{l.now()}, l.now())
}

// repeat consolidates all namespaces of the store of an engine until ctx ends, and closes what it returns then. It does nothing if no
// consolidations are asked for.
func (c *Consolidations) repeat(ctx context.Context, l lease, scope hippo.Scope, open func(context.Context) (*engine.Engine, error), log *slog.Logger) <-chan struct{} {
	done := make(chan struct{})
	run := func(ctx context.Context) error {
		e, err := open(ctx)
		if err != nil {
			return err
		}
		return consolidateAll(ctx, e, scope, api.Horizon(c.Horizon), log)
	}
	go func() {
		defer close(done)
		for c.Every > 0 {
			wait, err := l.attempt(ctx, c.Every, run)
			if err != nil && ctx.Err() == nil {
				log.Error("scheduled consolidation failed", "error", err)
			}
			t := time.NewTimer(wait)
			select {
			case <-ctx.Done():
				t.Stop()
				return
			case <-t.C:
			}
		}
	}()
	return done
}

// consolidateAll consolidates every namespace that the store has, or that of the scope where another process answers for the
// store. One that fails does not keep the others from it.
func consolidateAll(ctx context.Context, e *engine.Engine, scope hippo.Scope, h api.Horizon, log *slog.Logger) error {
	namespaces, err := memory.Namespaces(ctx, e)
	if errors.Is(err, hippo.ErrUnsupported) {
		namespaces, err = []string{scope.Namespace}, nil
	}
	for _, namespace := range namespaces {
		scope.Namespace = namespace
		m := engine.As(e.In(scope), hippo.Operation{By: hippo.Source{Kind: hippo.SourceTool, Client: "hippo"}, Reason: "scheduled"})
		done, failed := upkeep.Consolidate(ctx, m, upkeep.ConsolidateOptions{Horizon: h})
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("namespace %q: %w", namespace, failed))
			continue
		}
		log.Info("consolidated", "namespace", namespace, "horizon", h, "operation", done.Operation, "linked", done.Linked, "summarised", done.Summarised, "archived", done.Archived)
	}
	return err
}

// Horizons lists the horizons of consolidations: "daily, weekly or monthly".
func Horizons() string { return consolidate.HorizonList() }
