package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/hook"
	"github.com/hippo-memory/hippo/internal/agents/ingest"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

const (
	// hookTimeout is how long a hook may take. A process needs up to 15 ms before and after, so
	// that it ends within 200 ms.
	hookTimeout = 180 * time.Millisecond
	// hookMemory is the size of the heap in bytes from which on a hook collects garbage.
	hookMemory = 256 << 20
	// hookIndexWait is how long a hook waits for an index that is being rebuilt.
	hookIndexWait = 60 * time.Millisecond
	// hookGreeting is how long a hook waits for the greeting of the process that shares the store.
	hookGreeting = 40 * time.Millisecond
	// gitTimeout is how long a hook waits for git, and for what the code index knows of changed files.
	gitTimeout = 100 * time.Millisecond
)

func newHookCommand(s *shell) *cobra.Command {
	var client string
	c := &cobra.Command{
		Use:   "hook EVENT --client NAME",
		Short: "Handle a hook event of an agent: JSON on stdin, text for the model on stdout",
		Long: "Handle a hook event of an agent: JSON on stdin, text for the model on stdout.\n" +
			"It ends within 200 ms and always with exit code 0; failures are logged in hook.log.\n" +
			"hippo setup registers it.\n\nEvents: " + list(hook.Events()) + "\n\nClients: " + list(hook.Clients()),
		RunE: func(c *cobra.Command, args []string) error {
			// A crash must not end with exit code 2, by which a client blocks the prompt.
			debug.SetTraceback("crash")
			// The process ends before a collection would pay. The limit is for a huge input.
			debug.SetGCPercent(-1)
			debug.SetMemoryLimit(hookMemory)
			return runHook(c.Context(), s, args, client)
		},
	}
	c.Flags().StringVar(&client, "client", "", "the agent that calls")
	return c
}

// list joins names by spaces.
func list[T ~string](names []T) string { return strings.Trim(fmt.Sprint(names), "[]") }

// isHook reports whether a command is that of hooks, whose failures the client must not see.
func isHook(c *cobra.Command) bool { return c.Name() == "hook" }

// hookAnswer is what a hook prints, or why it does not.
type hookAnswer struct {
	out []byte
	err error
}

// runHook answers an event before the deadline. What has not ended by then is abandoned, since the
// process ends: a write is stored whole or not at all.
func runHook(ctx context.Context, s *shell, args []string, client string) error {
	if len(args) != 1 {
		return usagef("want one event, got %d", len(args))
	}
	timeout := cmp.Or(s.hookTimeout, hookTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%s of %s: no answer within %v", args[0], client, timeout))
	defer cancel()
	done := make(chan hookAnswer, 1)
	go func() {
		var a hookAnswer
		defer func() {
			if r := recover(); r != nil {
				a = hookAnswer{err: fmt.Errorf("panic: %v", r)}
			}
			done <- a
		}()
		a.out, a.err = answerHook(ctx, s, hook.Event(args[0]), client)
	}()
	var a hookAnswer
	select {
	case a = <-done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if len(a.out) > 0 {
		if _, err := s.out.Write(a.out); err != nil {
			return err
		}
	}
	if a.err != nil {
		return fmt.Errorf("%s of %s: %w", args[0], client, a.err)
	}
	return nil
}

func answerHook(ctx context.Context, s *shell, event hook.Event, client string) ([]byte, error) {
	cfg, err := s.config()
	hook.LogNotices(config.StateDir(os.Getenv), cfg.Notices)
	if err != nil {
		return hook.Complaint(event, client, err), err
	}
	state := config.StateDir(os.Getenv)
	return hook.Run(ctx, event, client, s.in, &hook.Config{
		Open:    func(ctx context.Context) (*engine.Engine, error) { return openForHook(ctx, s, cfg) },
		Project: func(ctx context.Context, dir string) project.Identity { return projectForHook(ctx, cfg, dir) },
		Work:    workForHook,
		Silent: func(ctx context.Context, dir string) bool {
			_, injection := excluded(ctx, cfg, dir)
			return injection != ""
		},
		Scope:    s.scope(cfg),
		StateDir: state, Now: s.now,
		Capture: func(ctx context.Context, event hook.Event, in *hook.Input) error {
			return captureForHook(ctx, s, cfg, in, ingest.Options{Caller: transcript.Client(client), Agent: in.Subagent(event), Report: in.LastMessage})
		},
	})
}

// openForHook opens the store for reading, with the instant model alone: the others take longer to
// load than a hook may take. Without a store there is nothing to inject.
func openForHook(ctx context.Context, s *shell, cfg config.Config) (*engine.Engine, error) {
	if errors.Is(exists(cfg.Store), hippo.ErrNotFound) {
		return nil, nil
	}
	return openInstant(ctx, s, cfg)
}

// openInstant uses the process that shares the store, if there is one. Else it opens the store with the instant model,
// and with an index whose file is not written.
func openInstant(ctx context.Context, s *shell, cfg config.Config) (*engine.Engine, error) {
	alone := cfg
	if cfg.Model.Name != config.NoModel {
		alone.Model = config.Model{Name: config.Static}
	}
	return app.OpenForHook(ctx, cfg, alone, &app.Options{Repositories: app.Repositories(), Now: s.now, IndexWait: hookIndexWait, ReadOnly: true}, hookGreeting)
}

// captureForHook records what a session taught. What does not fit into the time is left to the next
// hook of the session.
func captureForHook(ctx context.Context, s *shell, cfg config.Config, in *hook.Input, o ingest.Options) error {
	path := cmp.Or(in.Agent.Transcript, in.Transcript)
	if path == "" && len(in.Document) == 0 {
		return nil
	}
	var opened *engine.Engine
	c := &ingest.Config{
		Memories: func(ctx context.Context, id project.Identity) (*engine.Memories, error) {
			if opened == nil {
				e, err := openInstant(ctx, s, cfg)
				if err != nil {
					return nil, err
				}
				opened = e
			}
			return engine.Locate(ctx, opened.In(s.scope(cfg)), id)
		},
		Project:  func(ctx context.Context, dir string) project.Identity { return projectForHook(ctx, cfg, dir) },
		Excluded: captureOff(cfg),
		StateDir: config.StateDir(os.Getenv), Now: s.now,
	}
	if o.Caller == "gemini" {
		o.Caller = transcript.GeminiCLI
	}
	o.Dir, o.Recent = in.Dir, true
	var err error
	if path != "" {
		_, err = ingest.File(ctx, c, path, o)
	} else {
		_, err = ingest.Stream(ctx, c, bytes.NewReader(in.Document), o)
	}
	if opened != nil {
		err = errors.Join(err, opened.Close())
	}
	return err
}

// projectForHook returns the project of a folder. Git finds it once for each repository.
func projectForHook(ctx context.Context, cfg config.Config, dir string) project.Identity {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	return app.Project(ctx, cfg, dir)
}

// workForHook returns the work in progress in a folder.
func workForHook(ctx context.Context, dir string) briefing.Work {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	return app.WorkIn(ctx, cmp.Or(dir, "."))
}
