package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Consolidations says when a server consolidates its store.
type Consolidations struct {
	Every   time.Duration // 0: never
	Horizon string
}

const (
	// minConsolidationInterval bounds what scheduled consolidations cost.
	minConsolidationInterval = time.Hour
	// leaseName is the right to consolidate, and leaseRun how long it is kept while that is done.
	leaseName, leaseRun = "consolidation", time.Hour
	// leaseRetry is the time until a server looks again after a failure, or while another one is at it.
	leaseRetry = 10 * time.Minute
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

// schedule lets one process at a time consolidate a store, over all machines that use it. The end of the lease is when the next
// consolidation is due.
type schedule struct {
	rights driver.Leases
	now    func() time.Time
}

// attempt calls run if it is due and no other process is at it, and returns how long to wait then. The first interval of
// a store begins when it is seen for the first time. A run that fails, or is killed, is due again. A clock that went back makes
// it due as well.
func (s *schedule) attempt(ctx context.Context, every time.Duration, run func(context.Context) error) (wait time.Duration, err error) {
	got, err := s.rights.Lease(ctx, leaseName, leaseRun)
	if err != nil {
		return min(every, leaseRetry), err
	}
	rest := got.Until.Sub(s.now())
	switch {
	case !got.Held: // another process is at it, or it is not due
		return min(every, max(rest, leaseRetry)), nil
	case got.Until.IsZero():
		return every, s.keep(ctx, every)
	case 0 < rest && rest <= every:
		return rest, s.keep(ctx, rest)
	}
	if err := run(ctx); err != nil {
		retry := min(every, leaseRetry)
		return retry, errors.Join(err, s.keep(context.WithoutCancel(ctx), retry))
	}
	return every, s.keep(ctx, every)
}

// keep makes the next consolidation due after a time.
func (s *schedule) keep(ctx context.Context, d time.Duration) error {
	_, err := s.rights.Lease(ctx, leaseName, d)
	return err
}

// repeat consolidates all namespaces of the store of an engine until ctx ends, and closes what it returns then. It does nothing if no
// consolidations are asked for.
func (c *Consolidations) repeat(ctx context.Context, o *Options, stores engines) <-chan struct{} {
	done := make(chan struct{})
	attempt := func() (time.Duration, error) { return c.attempt(ctx, o, stores) }
	if all, ok := stores.(*app.Tenants); ok {
		attempt = func() (time.Duration, error) { return c.attemptEach(ctx, o, all) }
	}
	go func() {
		defer close(done)
		for c.Every > 0 {
			wait, err := attempt()
			if err != nil && ctx.Err() == nil {
				o.Log.Error("scheduled consolidation failed", "error", err)
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

// attempt consolidates a store, if that is due, and returns how long to wait.
func (c *Consolidations) attempt(ctx context.Context, o *Options, stores engines) (time.Duration, error) {
	e, err := stores.Engine(ctx)
	if err != nil {
		return min(c.Every, leaseRetry), err
	}
	s := schedule{app.Leases(o.Config.Store, e, o.Now), o.Now}
	return s.attempt(ctx, c.Every, func(ctx context.Context) error {
		return consolidateAll(ctx, e, app.Scope(o.Config), api.Horizon(c.Horizon), o.Log)
	})
}

// attemptEach is attempt for each namespace of a database, which is a store of its own. It opens the indexes of those alone that are
// due.
func (c *Consolidations) attemptEach(ctx context.Context, o *Options, all *app.Tenants) (time.Duration, error) {
	namespaces, err := all.Vacant(ctx, leaseName) // which are due, or new
	wait := min(c.Every, leaseRetry)
	for _, namespace := range namespaces {
		failed := all.WithLeases(ctx, namespace, func(rights driver.Leases) error {
			s := schedule{rights, o.Now}
			next, err := s.attempt(ctx, c.Every, func(ctx context.Context) error { return c.consolidateOne(ctx, o, all, namespace) })
			wait = min(wait, next)
			return err
		})
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("namespace %q: %w", namespace, failed))
		}
	}
	return wait, err
}

// consolidateOne consolidates a namespace of a database.
func (c *Consolidations) consolidateOne(ctx context.Context, o *Options, all *app.Tenants, namespace string) error {
	ctx, release := context.WithCancel(ctx)
	defer release()
	e, err := all.Of(ctx, namespace)
	if err != nil {
		return err
	}
	scope := app.Scope(o.Config)
	scope.Namespace = namespace
	return consolidateOnly(ctx, e, scope, api.Horizon(c.Horizon), o.Log)
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
		if failed := consolidateOnly(ctx, e, scope, h, log); failed != nil {
			err = errors.Join(err, fmt.Errorf("namespace %q: %w", namespace, failed))
		}
	}
	return err
}

// consolidateOnly consolidates the namespace of a scope.
func consolidateOnly(ctx context.Context, e *engine.Engine, scope hippo.Scope, h api.Horizon, log *slog.Logger) error {
	m := engine.As(e.In(scope), hippo.Operation{By: hippo.Source{Kind: hippo.SourceTool, Client: "hippo"}, Reason: "scheduled"})
	done, err := upkeep.Consolidate(ctx, m, upkeep.ConsolidateOptions{Horizon: h})
	if err == nil {
		log.Info("consolidated", "namespace", scope.Namespace, "horizon", h, "operation", done.Operation, "linked", done.Linked, "summarised", done.Summarised, "archived", done.Archived)
	}
	return err
}

// Horizons lists the horizons of consolidations: "daily, weekly or monthly".
func Horizons() string { return consolidate.HorizonList() }
