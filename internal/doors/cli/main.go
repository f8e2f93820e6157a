// Package cli is the command line: one file a subcommand. It parses, calls the
// engine and prints; results go to out, everything else to errw. It never exits
// the process and reads no global state but the environment.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/agents"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// settings are values of flags that several subcommands read, and what is known of the file with the settings.
type settings struct {
	json, lines, verbose bool
	// reason is why memories are changed, as the user says.
	reason string
	// file is the file as it was read; nil before. Whoever changes it forgets it.
	file *config.File
}

// shell is the environment of all subcommands.
type shell struct {
	in        io.Reader
	out, errw io.Writer
	root      *cobra.Command
	settings
	now func() time.Time
	// isTerminal reports whether a stream is a terminal.
	isTerminal func(stream any) bool
	// hookTimeout is how long a hook may take; 0 means the constant of that name.
	hookTimeout time.Duration
	// spawn starts this program once more, for itself alone; nil: it does not, as in tests.
	spawn func(args []string) (ended <-chan struct{}, err error)
	// shorten returns the short forms of IDs in the store that was opened last; nil before.
	shorten func(ids ...hippo.ID) hippo.ShortIDs
	// count is how many memories were printed or changed, for the log.
	count int
	// notices are what the client of a server should know.
	notices []string
}

// Main runs the program: args[0] is its name. It returns an exit code of package wire:
// 0 done, 1 failed, 2 wrong usage, 3 not found or damage found, 130 interrupted. A program that is named
// hippo-server, as the original was, serves.
func Main(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	s := &shell{in: in, out: out, errw: errw, now: time.Now, isTerminal: isTerminal, spawn: startDetached} //nolint:forbidigo // the program's one clock
	return s.run(ctx, args)
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// run is [Main] with the streams, clock and terminal of the shell.
func (s *shell) run(ctx context.Context, args []string) int {
	rest := args[1:]
	if name := strings.TrimSuffix(filepath.Base(args[0]), ".exe"); name == "hippo-server" {
		rest = append([]string{"serve"}, rest...)
	}
	s.root = rootFor(s, rest)
	if completes(rest) {
		addCompletions(s, s.root)
	}
	s.root.SetArgs(rest)
	began := s.now()
	ran, err := s.root.ExecuteContextC(ctx)
	if err != nil && isHook(ran) {
		agents.LogHookError(err)
		return 0
	}
	logCall(s, ran, s.now().Sub(began), err)
	if err != nil {
		s.json = s.json || wantsJSON(rest)
		explainError(s, ran, rest, err)
	}
	return exitCode(err)
}

// runRoot is the program without a subcommand: help, or, if a store is named and stdin is no
// terminal, the server, as clients that were configured for the original start it.
func runRoot(s *shell, c *cobra.Command) error {
	if namesStore(s) && !s.isTerminal(s.in) {
		return serveStdio(c, s, "")
	}
	return c.Help()
}

// refuseUnknownTopics makes help of a command that does not exist an error; cobra shows the
// help of the program.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			if err == nil {
				err = refuseUnknownCommand(root, rest)
			}
			if err != nil {
				return err
			}
			return topic.Help()
		}
	}
}

// refuseUnknownShells makes completion of a shell that does not exist an error; cobra shows the help.
func refuseUnknownShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = refuseUnknownCommand
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// logCall logs a command, except for hooks, which print nothing.
func logCall(s *shell, ran *cobra.Command, took time.Duration, err error) {
	_, verb, _ := strings.Cut(ran.CommandPath(), " ")
	if c, bad := s.config(); bad == nil && verb != "" && !isHook(ran) {
		wire.LogCall(s.logger(c), verb, took, s.count, err)
	}
}

// config returns the configuration of this run.
func (s *shell) config() (config.Config, error) {
	flags := s.root.PersistentFlags()
	if s.file == nil {
		s.file = config.Read(os.Getenv)
	}
	c, err := s.file.Load(func(name string) (string, bool) {
		f := flags.Lookup(name)
		if name == "log" && s.verbose && !f.Changed {
			return "info", true
		}
		if name == "share" && !f.Changed && flags.Lookup("no-share").Value.String() == "true" {
			return "off", true
		}
		return f.Value.String(), f.Changed
	}, ownVariables(os.Environ())...)
	if err == nil && isJSON(c.Store.Path) {
		err = hippo.Fieldf("store", "%s is a file of JSON, and no store: hippo import %s adds what it holds to yours", c.Store.Path, termtext.Argument(c.Store.Path))
	}
	return c, err
}

func (s *shell) logger(c config.Config) *slog.Logger {
	return slog.New(slog.NewTextHandler(s.errw, &slog.HandlerOptions{Level: c.Level}))
}

// with opens the store, runs fn and closes it. A store and a project that the command line names must
// exist: a name that does not is probably mistyped.
func (s *shell) with(ctx context.Context, fn func(*client.Client) error) error {
	c, err := s.named()
	if err != nil {
		return err
	}
	if how, _ := givenProject(s); how != memory.NamesCurrent {
		c.Project = memory.NoProject
	}
	return s.on(ctx, c, currentProject(ctx, c), ofKnown(ctx, s, fn))
}

// inProject is [shell.with] for commands that find memories of the current project. All
// projects are a filter for them, see [projectsOf].
func (s *shell) inProject(ctx context.Context, fn func(*client.Client) error) error {
	c, err := s.named()
	if err != nil {
		return err
	}
	return inProjectOf(ctx, s, c, ofKnown(ctx, s, fn))
}

// inProjectOf is [shell.inProject] with a store that need not exist: opening creates it.
func inProjectOf(ctx context.Context, s *shell, c config.Config, fn func(*client.Client) error) error {
	if how, _ := givenProject(s); how >= memory.NamesCurrent {
		c.Project = "" // the flag filters
	}
	return s.on(ctx, c, currentProject(ctx, c), fn)
}

// namesStore reports whether the command line names the store.
func namesStore(s *shell) bool {
	return slices.ContainsFunc(config.StoreSettings(), s.root.PersistentFlags().Changed)
}

// named returns the configuration; a store that the command line names must exist.
func (s *shell) named() (config.Config, error) {
	if namesStore(s) {
		return existingStore(s)
	}
	return s.config()
}

// exists returns an error if the store does not exist; opening would create it.
func exists(store config.Store) error {
	if app.Exists(store) {
		return nil
	}
	return fmt.Errorf("%w: no store at %s (hippo record, hippo fact add or hippo import makes one)", hippo.ErrNotFound, store)
}

// on opens the store of a configuration, runs fn for the project of some names and closes it.
func (s *shell) on(ctx context.Context, c config.Config, names []string, fn func(*client.Client) error) error {
	m, err := client.Open(ctx, c.Store.URL(), &client.Options{
		Model: c.Model.Name, Ranker: c.Ranker, Namespace: c.Namespace, Surprise: client.Surprise{Mode: c.Surprise.Mode, Weights: c.Surprise.Weights, Loss: c.Surprise.Loss}, Now: s.now, Log: s.logger(c), Brief: true,
		Repositories: app.Repositories().Dir, History: c.History, Shared: c.Share,
	})
	if err != nil {
		return err
	}
	if m, err = inProject(ctx, m, names); err != nil {
		return err
	}
	s.shorten = func(ids ...hippo.ID) hippo.ShortIDs { return m.ShortIDs(ids...) }
	err = fn(m.As(hippo.Source{Kind: hippo.SourceUser, Client: "hippo"}, s.reason))
	left := 0
	if err == nil && c.Background != config.BackgroundOff {
		left = settleBriefly(ctx, m)
	}
	err = errors.Join(err, m.Close())
	handOver(s, c, left)
	return err
}

// inProject returns the client for the project of some names, if there are any. If that fails the client is closed.
func inProject(ctx context.Context, m *client.Client, names []string) (*client.Client, error) {
	if len(names) == 0 {
		return m, nil
	}
	out, err := m.ForProject(ctx, names[0], names[1:]...)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return out, nil
}

// openOptions returns how to open the store of a configuration.
func openOptions(s *shell, c config.Config) *app.Options {
	return &app.Options{Repositories: app.Repositories(), Now: s.now, Log: s.logger(c)}
}

// withShared is [shell.withEngine] for commands that need only the verbs, which another process may carry out.
func (s *shell) withShared(ctx context.Context, c config.Config, fn func(*engine.Memories) error) error {
	o := openOptions(s, c)
	o.Brief = true
	e, err := app.OpenShared(ctx, c, o)
	if err != nil {
		return err
	}
	return errors.Join(fn(e.In(app.Scope(c))), e.Close())
}

// withEngine is [shell.with] for commands that need more than package client has.
func (s *shell) withEngine(ctx context.Context, c config.Config, fn func(*engine.Memories) error) error {
	e, err := app.Open(ctx, c, openOptions(s, c))
	if err != nil {
		return err
	}
	return errors.Join(fn(e.In(app.Scope(c))), e.Close())
}

// onIDs returns the function of a subcommand whose arguments are references to memories:
// it opens the store and resolves them.
func (s *shell) onIDs(fn func(*cobra.Command, *client.Client, []hippo.ID) error) func(*cobra.Command, []string) error {
	return onIDs(s.with, fn)
}

func onIDs(open func(context.Context, func(*client.Client) error) error, fn func(*cobra.Command, *client.Client, []hippo.ID) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, refs []string) error {
		return open(c.Context(), func(m *client.Client) error {
			ids, err := resolve(c.Context(), m, refs, api.PreferLive)
			if err != nil {
				return err
			}
			return fn(c, m, ids)
		})
	}
}

// shortIDs returns the short forms of IDs.
func shortIDs(s *shell, ids ...hippo.ID) hippo.ShortIDs {
	if s.shorten == nil {
		return nil
	}
	return s.shorten(ids...)
}

func shortID(s *shell, id hippo.ID) string { return shortIDs(s, id).Of(id) }

// resolve turns references, such as abbreviated IDs, into IDs.
func resolve(ctx context.Context, m *client.Client, refs []string, prefer api.Preference) ([]hippo.ID, error) {
	ids := make([]hippo.ID, len(refs))
	for i, ref := range refs {
		var err error
		if ids[i], err = m.Resolve(ctx, api.Resolve{Ref: ref, Prefer: prefer}); err != nil {
			return nil, err
		}
	}
	return ids, nil
}
