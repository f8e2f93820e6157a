package agents

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo/internal/agents/hook"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
)

const (
	// startWait is how long the start of a session waits for what other machines have written; the sync goes on behind it.
	startWait = 60 * time.Millisecond
	// startAge and turnAge are how long after a sync none is begun at the start of a session, and at the end of a turn.
	startAge, turnAge = 15 * time.Second, 5 * time.Minute
	// syncDeadline is that of the process that syncs.
	syncDeadline = "5m"
)

// syncAge returns how long after the last sync an event begins another one; ok is false if it never does. Not every client reports
// the end of a session.
func syncAge(event hook.Event) (age time.Duration, ok bool) {
	switch event {
	case hook.SessionStart:
		return startAge, true
	case hook.Stop:
		return turnAge, true
	case hook.SessionEnd:
		return 0, true
	default:
		return 0, false
	}
}

// beginSync starts a process that syncs the store, unless that was done a moment ago, and returns what waits for it, but not for long. A
// hook itself opens no remote: one that hangs is not its affair.
func (h *Hook) beginSync(cfg *config.Config) (wait func(context.Context), err error) {
	wait = func(context.Context) {}
	age, ok := syncAge(hook.Event(h.Event))
	if !ok || h.Spawn == nil || cfg.SyncEvery <= 0 || cfg.Background != config.BackgroundOn {
		return wait, nil
	}
	last, syncs := app.LastSync(*cfg)
	if since := h.Now().Sub(last); !syncs || 0 <= since && since < age {
		return wait, nil
	}
	ended, err := h.Spawn([]string{"sync", "now", "--deadline", syncDeadline, "--store", cfg.Store.String()})
	if err != nil {
		return wait, err
	}
	soon := time.NewTimer(startWait)
	return func(ctx context.Context) {
		select {
		case <-ended:
		case <-soon.C:
		case <-ctx.Done():
		}
	}, nil
}
