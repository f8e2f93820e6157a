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
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/project"
)

// shell is what all subcommands share.
type shell struct {
	in        io.Reader
	out, errw io.Writer
	root      *cobra.Command
	json      bool
	lines     bool
	verbose   bool
	now       func() time.Time
}

// Main runs the program: args[0] is its name. It returns the exit code: 0 done,
// 1 failed, 2 wrong usage, 3 not found, or damage found. A program that is named hippo-server, as
// the original was, serves.
func Main(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	return mainAt(ctx, time.Now, args, in, out, errw) //nolint:forbidigo // the program's one clock
}

// mainAt is [Main] with a clock.
func mainAt(ctx context.Context, now func() time.Time, args []string, in io.Reader, out, errw io.Writer) int {
	s := &shell{in: in, out: out, errw: errw, now: now}
	s.root = s.newRoot()
	rest := args[1:]
	if name := strings.TrimSuffix(filepath.Base(args[0]), ".exe"); name == "hippo-server" {
		rest = append([]string{"serve"}, rest...)
	}
	s.root.SetArgs(rest)
	ran, err := s.root.ExecuteContextC(ctx)
	if err != nil {
		s.explain(ran.CommandPath(), err)
	}
	return exitCode(err)
}

func (s *shell) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "hippo",
		Short:         "A memory for AI agents that learns what is worth remembering",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version().Version,
		Args:          known,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.errw)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return badFlag(err) })
	for _, set := range config.Settings() {
		root.PersistentFlags().String(set.Flag, "", fmt.Sprintf("%s ($%s)", set.Meaning, set.Env))
	}
	root.PersistentFlags().BoolVar(&s.json, "json", false, "print JSON")
	root.PersistentFlags().BoolVar(&s.lines, "lines", false, "print one line a memory: hash8|created|type|tags|preview")
	root.PersistentFlags().BoolVarP(&s.verbose, "verbose", "v", false, "the same as --log info")
	root.AddCommand(
		s.serveCommand(), s.recordCommand(), s.searchCommand(), s.getCommand(), s.listCommand(), s.modifyCommand(),
		s.voteCommand("upvote"), s.voteCommand("downvote"), s.forgetCommand(), s.restoreCommand(), s.relateCommand(), s.statusCommand(),
		s.importCommand(), s.exportCommand(), s.migrateCommand(), s.backupCommand(), s.checkCommand(), s.modelCommand(), s.evalCommand(), s.demoCommand(), s.versionCommand(),
	)
	return root
}

// config returns the configuration of this run.
func (s *shell) config() (config.Config, error) {
	flags := s.root.PersistentFlags()
	return config.Load(func(name string) (string, bool) {
		f := flags.Lookup(name)
		if name == "log" && s.verbose && !f.Changed {
			return "info", true
		}
		return f.Value.String(), f.Changed
	}, os.Getenv)
}

func (s *shell) logger(c config.Config) *slog.Logger {
	return slog.New(slog.NewTextHandler(s.errw, &slog.HandlerOptions{Level: c.Level}))
}

// with opens the store, runs fn and closes it. A store that the command line names
// must exist: who asks what is in one, or changes that, has mistyped it.
func (s *shell) with(ctx context.Context, fn func(*engine.Engine) error) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	if flags := s.root.PersistentFlags(); flags.Changed("store") || flags.Changed("memory-dir") {
		if err := exists(c.Store); err != nil {
			return err
		}
	}
	return s.on(ctx, c, fn)
}

// exists refuses a store that opening would make.
func exists(store config.Store) error {
	if store.Kind == "memory" {
		return nil
	}
	if _, err := os.Stat(store.Path); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: no store at %s (hippo record or hippo import makes one)", hippo.ErrNotFound, store)
	}
	return nil
}

// making is with for a store that is made if it does not exist.
func (s *shell) making(ctx context.Context, fn func(*engine.Engine) error) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	return s.on(ctx, c, fn)
}

func (s *shell) on(ctx context.Context, c config.Config, fn func(*engine.Engine) error) error {
	e, err := app.Open(ctx, c, &app.Options{Now: s.now, Log: s.logger(c)})
	if err != nil {
		return err
	}
	return errors.Join(fn(e), e.Close())
}

// project returns the project to work for: the one that was named, "" for none,
// else that of the current directory.
func (s *shell) project(ctx context.Context) (string, error) {
	c, err := s.config()
	switch {
	case err != nil:
		return "", err
	case c.Project == "none":
		return "", nil
	case c.Project != "":
		return c.Project, nil
	default:
		return project.Identify(ctx, "."), nil
	}
}

// onIDs returns what a subcommand runs that works on memories: it opens the
// store and turns what a person typed into IDs.
func (s *shell) onIDs(fn func(*cobra.Command, *engine.Engine, []hippo.ID) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, refs []string) error {
		return s.with(c.Context(), func(e *engine.Engine) error {
			ids, err := resolve(c.Context(), e, refs)
			if err != nil {
				return err
			}
			return fn(c, e, ids)
		})
	}
}

// resolve turns what was typed into IDs.
func resolve(ctx context.Context, e *engine.Engine, refs []string) ([]hippo.ID, error) {
	ids := make([]hippo.ID, len(refs))
	for i, ref := range refs {
		var err error
		if ids[i], err = e.Resolve(ctx, ref); err != nil {
			return nil, err
		}
	}
	return ids, nil
}
