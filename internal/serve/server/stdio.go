package server

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/hook"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Stdio are the options of a server for the client that started it.
type Stdio struct {
	In  io.Reader
	Out io.Writer
	// Project is the project that the client works in; nil: that of its folders.
	Project *project.Identity
	// Notices are what the client should know.
	Notices []string
}

// openTimeout is how long the shutdown of a server waits for a store that is still being
// opened. It has not acknowledged any write.
const openTimeout = 5 * time.Second

// agentGarbage is the GC percent of a server over stdin and stdout. A machine has one for each agent that runs, so that its
// memory counts; the collector then takes up to 6 % of the processor time of a search more, on a core that one client leaves
// idle. A server over HTTP keeps the default.
const agentGarbage = 50

// collectOften sets [agentGarbage], unless the environment sets another percentage. A server calls it with its first use of the
// store: a start ends before a collection would pay.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(agentGarbage)
	}
}

// ServeStdio serves MCP to one client until its input or ctx ends.
func ServeStdio(ctx context.Context, o *Options, client *Stdio) error {
	tools, err := o.listed()
	if err != nil {
		return err
	}
	dir, _ := os.Getwd() // without it no tree is preferred
	code := o.trees(dir)
	sharing := o.share(code, app.SharingOptions{})
	scope := app.Scope(o.Config)
	frugal := sync.OnceFunc(collectOften)
	open := func(ctx context.Context) (*engine.Engine, error) {
		frugal()
		return sharing.Engine(ctx)
	}
	err = client.serve(ctx, open, &mcpserver.Options{
		Version: o.Version, Store: o.Config.Store.String(), Now: o.Now, Log: o.Log, Tools: tools, Code: code,
		Scope:   func(context.Context) hippo.Scope { return scope },
		Project: client.workspaces(o.Repositories, dir, o.Now()),
		Work:    func(ctx context.Context) api.Work { return app.WorkIn(ctx, ".") },
	})
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTimeout)
	defer cancel()
	return errors.Join(err, sharing.Shut(closing), code.Close())
}

// ServeProblem serves a client although the settings are wrong: every call answers with what is wrong, because clients hide
// what a server prints, and show one that ends as one that does not connect. It returns the problem.
func ServeProblem(ctx context.Context, o *Options, client *Stdio, problem error) error {
	tools, err := o.listed()
	if err != nil {
		return err
	}
	failing := func(context.Context) (*engine.Engine, error) { return nil, problem }
	return errors.Join(problem, client.serve(ctx, failing, &mcpserver.Options{Version: o.Version, Now: o.Now, Tools: tools}))
}

func (c *Stdio) serve(ctx context.Context, open mcpserver.Opener, o *mcpserver.Options) error {
	o.Session = "mcp-" + rand.Text()
	s := mcpserver.New(open, o)
	mcpserver.AddNotices(s, c.Notices...)
	err := s.Serve(ctx, c.In, c.Out)
	if errors.Is(err, context.Canceled) {
		return nil // a signal asked for the end
	}
	return err
}

// startGrace is how long before its server a client may have reported a folder.
const startGrace = time.Minute

// workspaces returns the function that says in which projects a client works whose server was started in a folder at a time: those
// of the folders that it names; if it names none, that of the folder, unless that is the home folder or the top of the file
// system, where clients start what serves all of their windows: then that of the folder that its hooks report.
func (c *Stdio) workspaces(repositories project.Cache, dir string, began time.Time) func(context.Context, mcpserver.Workspace) []project.Identity {
	memo, within := &project.Memo{Cache: repositories}, dir != "" && !project.IsTop(dir)
	return func(ctx context.Context, w mcpserver.Workspace) []project.Identity {
		if c.Project != nil {
			return []project.Identity{*c.Project}
		}
		var out []project.Identity
		for _, root := range w.Roots {
			if project.IsTop(root) {
				continue
			}
			if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) {
				out = append([]project.Identity{memo.Identify(ctx, dir)}, out...)
			} else {
				out = append(out, memo.Identify(ctx, root))
			}
		}
		if len(out) > 0 {
			return out
		}
		if within {
			return []project.Identity{memo.Identify(ctx, dir)}
		}
		if folder, ok := hook.FolderSince(config.StateDir(os.Getenv), w.Client, began.Add(-startGrace)); ok {
			return []project.Identity{memo.Identify(ctx, folder)}
		}
		return []project.Identity{{Name: hippo.Unassigned}}
	}
}
