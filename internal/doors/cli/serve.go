package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/sources"
)

func newServeCommand(s *shell) *cobra.Command {
	var verbose bool
	var tools string
	var o httpOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve memories over MCP on stdin and stdout, or over HTTP",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if verbose {
				if err := s.root.PersistentFlags().Set("log", "debug"); err != nil {
					return err
				}
			}
			systems, err := toolSystems(tools)
			if err != nil {
				return err
			}
			if err := o.validate(c.Flags()); err != nil {
				return err
			}
			if o.addr != "" {
				return serveHTTP(c.Context(), s, &o, &httpFront{tools: systems}, nil)
			}
			return runServe(c.Context(), s, systems)
		},
	}
	c.Flags().StringVar(&tools, "tools", "", "the systems whose tools are listed, separated by commas: "+strings.Join(mcpserver.ToolSystems(), ", ")+
		" or all; where names collide the first one answers, and unlisted tools still answer (default: hippo, and code once a source tree is indexed)")
	c.Flags().BoolVar(&verbose, "debug", false, "the same as --log debug")
	o.add(c.Flags())
	return c
}

// toolSystems reads the flag --tools; nil: the default.
func toolSystems(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	systems, err := mcpserver.ParseTools(text)
	if err != nil {
		return nil, usagef("--%v", err)
	}
	return systems, nil
}

// openTimeout is how long the shutdown of a server waits for a store that is still being
// opened. It has not acknowledged any write.
const openTimeout = 5 * time.Second

// indexWait is how long a search waits for an index that is being rebuilt before it searches
// the part that is complete.
const indexWait = 2 * time.Second

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

// sharedVerbs are the verbs above the engine that other processes of the machine may call. Their programs see the trees of code as
// they are: who asks for one in an editor keeps it up to date.
func sharedVerbs(code *app.Code) []engine.Verb {
	return []engine.Verb{script.New(nil).Verb(func(dir string) sources.Trees { return app.UnwatchedCode{Code: code, Folder: dir} })}
}

// runServe serves; nil lists the default tools.
func runServe(ctx context.Context, s *shell, tools []string) error {
	cfg, err := s.config()
	if err != nil {
		return serveProblem(ctx, s, tools, err)
	}
	log := s.logger(cfg)
	dir, _ := os.Getwd() // without it no tree is preferred
	code := app.NewCode(dir, &app.Options{Now: s.now, Log: log, CodeModel: cfg.Model})
	sharing := app.NewSharing(cfg, &app.Options{Repositories: projects(), IndexWait: indexWait, Now: s.now, Log: log, Verbs: sharedVerbs(code)}, app.SharingOptions{Listens: true})
	scope := s.scope(cfg)
	frugal := sync.OnceFunc(collectOften)
	open := func(ctx context.Context) (*engine.Engine, error) {
		frugal()
		return sharing.Engine(ctx)
	}
	server := mcpserver.New(open, &mcpserver.Options{
		Version: version().Version, Store: cfg.Store.String(), Now: s.now, Log: log, Session: "mcp-" + rand.Text(), Tools: tools, Code: code,
		Scope:   func(context.Context) hippo.Scope { return scope },
		Project: workspaces(cfg, dir, s.now()),
		Work:    func(ctx context.Context) briefing.Work { return app.WorkIn(ctx, ".") },
	})
	noticeElsewhere(s, cfg)
	mcpserver.AddNotices(server, s.notices...)
	if s.isTerminal(s.in) {
		s.warn("this speaks MCP on stdin and stdout: an MCP client starts it, not a person; Ctrl-C ends it")
	}
	err = server.Serve(ctx, s.in, s.out)
	if errors.Is(err, context.Canceled) {
		err = nil // a signal asked for the end
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTimeout)
	defer cancel()
	return errors.Join(err, sharing.Shut(closing), code.Close())
}

// serveProblem serves a client although the settings are wrong: every call answers with what is wrong, because clients hide
// what a server prints, and show one that ends as one that does not connect. It returns the problem.
func serveProblem(ctx context.Context, s *shell, tools []string, problem error) error {
	if s.isTerminal(s.in) {
		return problem
	}
	failing := func(context.Context) (*engine.Engine, error) { return nil, problem }
	server := mcpserver.New(failing, &mcpserver.Options{Version: version().Version, Now: s.now, Session: "mcp-" + rand.Text(), Tools: tools})
	mcpserver.AddNotices(server, s.notices...)
	err := server.Serve(ctx, s.in, s.out)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(problem, err)
}
