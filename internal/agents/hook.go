package agents

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/hook"
	"github.com/hippo-memory/hippo/internal/agents/ingest"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

const (
	// hookTimeout is how long a hook may take. A process needs up to 15 ms before and after, so
	// that it ends within 200 ms.
	hookTimeout = 180 * time.Millisecond
	// hookIndexWait is how long a hook waits for an index that is being rebuilt.
	hookIndexWait = 60 * time.Millisecond
	// hookGreeting is how long a hook waits for the greeting of the process that shares the store.
	hookGreeting = 40 * time.Millisecond
)

// HookEvents are the events that hooks answer.
func HookEvents() []string { return texts(hook.Events()) }

// HookClients are the clients that have hooks.
func HookClients() []string { return hook.Clients() }

// LogHookError logs why a hook did nothing, which its client must not see.
func LogHookError(err error) { hook.LogError(stateDir(), err) }

// Hook is an event of an agent.
type Hook struct {
	Event, Client string
	In            io.Reader
	// Timeout is how long the answer may take; 0 means 180 ms.
	Timeout time.Duration
	// Settings returns those of the user. The time of a hook includes reading them.
	Settings func() (config.Config, error)
	Now      func() time.Time
	// Spawn starts this program once more, for itself alone, and returns what is closed when it has ended; nil: it does not.
	Spawn func(args []string) (ended <-chan struct{}, err error)
}

// Answer returns what to print for an event: the answer may be there beside an error, which is for the log. What has not ended before the deadline
// is abandoned, since the process ends: a write is stored whole or not at all.
func (h *Hook) Answer(ctx context.Context) ([]byte, error) {
	timeout := cmp.Or(h.Timeout, hookTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%s of %s: no answer within %v", h.Event, h.Client, timeout))
	defer cancel()
	type answer struct {
		out []byte
		err error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				a = answer{err: fmt.Errorf("panic: %v", r)}
			}
			done <- a
		}()
		a.out, a.err = h.answer(ctx)
	}()
	select {
	case a := <-done:
		if a.err != nil {
			return a.out, fmt.Errorf("%s of %s: %w", h.Event, h.Client, a.err)
		}
		return a.out, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (h *Hook) answer(ctx context.Context) ([]byte, error) {
	event := hook.Event(h.Event)
	cfg, err := h.Settings()
	hook.LogNotices(stateDir(), cfg.Notices)
	if err != nil {
		return hook.Complaint(event, h.Client, err), err
	}
	await := func(context.Context) {}
	var unsynced error
	if event == hook.SessionStart {
		await, unsynced = h.beginSync(&cfg)
	}
	out, err := h.run(ctx, cfg, await)
	if event != hook.SessionStart {
		_, unsynced = h.beginSync(&cfg)
	}
	return out, errors.Join(err, unsynced)
}

// run answers the event. await is called before the store is opened.
func (h *Hook) run(ctx context.Context, cfg config.Config, await func(context.Context)) ([]byte, error) {
	r := &Runner{Config: cfg, Now: h.Now}
	return hook.Run(ctx, hook.Event(h.Event), h.Client, h.In, &hook.Config{
		Open: func(ctx context.Context) (*engine.Engine, error) {
			if !app.Exists(cfg.Store) {
				return nil, nil // there is nothing to inject
			}
			await(ctx)
			return r.openInstant(ctx)
		},
		Project: r.project, Work: workIn,
		Silent: func(ctx context.Context, dir string) bool {
			_, injection := r.Excluded(ctx, dir)
			return injection != ""
		},
		Scope: app.Scope(cfg), StateDir: stateDir(), Now: h.Now,
		Capture: func(ctx context.Context, event hook.Event, in *hook.Input) error {
			return r.captureSession(ctx, in, ingest.Options{Caller: transcript.Client(h.Client), Agent: in.Subagent(event), Report: in.LastMessage})
		},
	})
}

// openInstant uses the process that shares the store, if there is one. Else it opens the store for reading with the instant model alone, since the
// others take longer to load than a hook may take, and with an index whose file is not written.
func (r *Runner) openInstant(ctx context.Context) (*engine.Engine, error) {
	alone := r.Config
	if r.Config.Model.Name != config.NoModel {
		alone.Model = config.Model{Name: config.Static}
	}
	return app.OpenForHook(ctx, r.Config, alone, &app.Options{Repositories: app.Repositories(), Now: r.Now, IndexWait: hookIndexWait, ReadOnly: true}, hookGreeting)
}

// captureSession records what a session taught. What does not fit into the time is left to the next hook of the session.
func (r *Runner) captureSession(ctx context.Context, in *hook.Input, o ingest.Options) (err error) {
	path := cmp.Or(in.Agent.Transcript, in.Transcript)
	if path == "" && len(in.Document) == 0 {
		return nil
	}
	s := lazyStore{open: r.openInstant}
	if o.Caller == "gemini" {
		o.Caller = transcript.GeminiCLI
	}
	o.Dir, o.Recent = in.Dir, true
	if path != "" {
		_, err = ingest.File(ctx, r.ingesting(&s), path, o)
	} else {
		_, err = ingest.Stream(ctx, r.ingesting(&s), bytes.NewReader(in.Document), o)
	}
	return errors.Join(err, s.close())
}

// workIn returns the work in progress in a folder.
func workIn(ctx context.Context, dir string) api.Work {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	return app.WorkIn(ctx, cmp.Or(dir, "."))
}
