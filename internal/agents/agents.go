// Package agents is what runs beside an agent: it answers hooks, captures transcripts, syncs files, and says which files a memory names that are
// gone. It opens the store that each of them needs, as late as it can, and calls the packages below it, which know nothing of settings.
package agents

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/ingest"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Runner runs beside an agent with the settings of the user.
type Runner struct {
	Config config.Config
	Now    func() time.Time
	Log    *slog.Logger
}

// gitTimeout is how long git, and what the code index knows of changed files, are waited for.
const gitTimeout = 100 * time.Millisecond

// project returns the project of a folder. Git finds it once for each repository.
func (r *Runner) project(ctx context.Context, dir string) project.Identity {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	return app.Project(ctx, r.Config, dir)
}

// Excluded returns which settings turn off capture and injection in a folder; empty for none. The time is that of a hook.
func (r *Runner) Excluded(ctx context.Context, dir string) (capture, injection string) {
	return r.Config.Exclude.Of(dir, func() []string {
		id := r.project(ctx, dir)
		return append([]string{id.Name}, id.Former...)
	})
}

// captureOff returns the function that says what turns off capture in a folder; nil if nothing does anywhere.
func (r *Runner) captureOff() func(context.Context, string) string {
	if len(r.Config.Exclude) == 0 {
		return nil
	}
	return func(ctx context.Context, dir string) string {
		capture, _ := r.Excluded(ctx, dir)
		return capture
	}
}

// CaptureOptions say how to capture from a transcript.
type CaptureOptions struct {
	// Client is the one that wrote it, see [TranscriptClients]; empty: it is recognised.
	Client string
	// DryRun reads all of it and records nothing.
	DryRun bool
}

// Captured is what a capture did.
type Captured struct{ *ingest.Report }

// Recorded counts the candidates that became a memory.
func (c *Captured) Recorded() int { return c.Count(ingest.Added, ingest.Changed) }

// Repeated counts the candidates that a memory says already.
func (c *Captured) Repeated() int { return c.Count(ingest.Repeated) }

// TranscriptClients are the clients whose transcripts can be captured.
func TranscriptClients() []string { return texts(transcript.Clients()) }

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}

// Capture captures from a file, or from stdin if the path is "-". The store is opened when there is something to record. Unless the options are
// wrong, the report is not nil.
func (r *Runner) Capture(ctx context.Context, path string, stdin io.Reader, o CaptureOptions) (c *Captured, err error) {
	how := ingest.Options{Client: transcript.Client(o.Client), DryRun: o.DryRun}
	if o.Client != "" {
		if err := hippo.OneOf("client", how.Client, transcript.Clients()...); err != nil {
			return nil, err
		}
	}
	s := lazyStore{open: func(ctx context.Context) (*engine.Engine, error) {
		return app.OpenShared(ctx, r.Config, &app.Options{Repositories: app.Repositories(), Now: r.Now, Log: r.Log})
	}}
	defer func() { err = errors.Join(err, s.close()) }()
	to := r.ingesting(&s)
	to.Project = func(ctx context.Context, dir string) project.Identity { return app.Project(ctx, r.Config, dir) }
	c = &Captured{&ingest.Report{}}
	if path == "-" {
		c.Report, err = ingest.Stream(ctx, to, stdin, how)
		return c, err
	}
	if path, err = config.Expand("file", path); err != nil {
		return c, err
	}
	c.Report, err = ingest.File(ctx, to, path, how)
	return c, err
}

// LastCaptures returns the last capture of each client that had one.
func LastCaptures() ([]ingest.Last, error) { return ingest.Lasts(stateDir()) }

// stateDir is the folder of the ledgers.
func stateDir() string { return config.StateDir(os.Getenv) }

// ingesting returns how captures reach a store.
func (r *Runner) ingesting(s *lazyStore) *ingest.Config {
	return &ingest.Config{
		Memories: func(ctx context.Context, id project.Identity) (*engine.Memories, error) {
			e, err := s.engine(ctx)
			if err != nil {
				return nil, err
			}
			return memory.Locate(ctx, e.In(app.Scope(r.Config)), id)
		},
		Project: r.project, Excluded: r.captureOff(), StateDir: stateDir(), Now: r.Now,
	}
}

// lazyStore is a store that is opened when it is needed.
type lazyStore struct {
	open   func(context.Context) (*engine.Engine, error)
	opened *engine.Engine // nil: not yet
}

func (s *lazyStore) engine(ctx context.Context) (*engine.Engine, error) {
	if s.opened == nil {
		e, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		s.opened = e
	}
	return s.opened, nil
}

func (s *lazyStore) close() error {
	if s.opened == nil {
		return nil
	}
	return s.opened.Close()
}
