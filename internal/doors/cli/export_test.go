package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/lockedfile"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// MainAt is [Main] with a clock.
func MainAt(ctx context.Context, now func() time.Time, args []string, in io.Reader, out, errw io.Writer) int {
	s := &shell{in: in, out: out, errw: errw, now: now, isTerminal: isTerminal}
	return s.run(ctx, args)
}

// MainOnTerminal is [Main] with a person at the keyboard.
func MainOnTerminal(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	s := &shell{in: in, out: out, errw: errw, now: time.Now, isTerminal: func(any) bool { return true }}
	return s.run(ctx, args)
}

// MainWithin is [Main] with another time that a hook may take.
func MainWithin(ctx context.Context, hookTimeout time.Duration, args []string, in io.Reader, out, errw io.Writer) int {
	s := &shell{in: in, out: out, errw: errw, now: time.Now, isTerminal: isTerminal, hookTimeout: hookTimeout}
	return s.run(ctx, args)
}

// ExitCode is for the tests of its table.
func ExitCode(err error) int { return exitCode(err) }

// RankerOf returns the ranker of the query that a command line stands for.
func RankerOf(args ...string) (hippo.Ranker, error) {
	s := &shell{now: time.Now}
	s.root = s.newRoot()
	c, flags, err := s.root.Find(args)
	if err != nil {
		return "", err
	}
	if err := c.ParseFlags(flags); err != nil {
		return "", err
	}
	q, err := searchQuery(s, &searchFlags{}, nil)
	return q.Ranker, err
}

// TypedName returns what a user of a command line typed for a field of the domain.
func TypedName(field string, args ...string) string {
	s := &shell{}
	c, _, err := s.newRoot().Find(args)
	if err != nil {
		return err.Error()
	}
	name, _, _ := strings.Cut(asTyped(c, args, hippo.Fieldf(field, "is wrong")).Error(), ":")
	return name
}

// Flags returns the names of all flags of a subcommand.
func Flags(command string) []string {
	s := &shell{}
	c, _, err := s.newRoot().Find([]string{command})
	if err != nil {
		return nil
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// Commands returns the paths of all commands below the program.
func Commands() (list []string) {
	s := &shell{isTerminal: func(any) bool { return false }}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			_, path, _ := strings.Cut(sub.CommandPath(), " ")
			list = append(list, path)
			add(sub)
		}
	}
	add(s.newRoot())
	return list
}

// HelpExamples returns the examples of all commands.
func HelpExamples() (list []string) {
	s := &shell{isTerminal: func(any) bool { return false }}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		list = append(list, c.Example)
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(s.newRoot())
	return list
}

// HTTPRoutes returns the routes of all front ends.
func HTTPRoutes(now func() time.Time, open httpd.Opener, issuer *oauth.Verifier) []httpd.Route {
	return httpRoutes(&shell{now: now}, open, &httpFront{store: "memory:", log: slog.New(slog.DiscardHandler), observer: &telemetry.Observer{Metrics: telemetry.NewMetrics("v0", now)}, issuer: issuer})
}

// TokenAuthenticator authenticates by the file of the tokens and by an issuer.
func TokenAuthenticator(f *token.File, issuer *oauth.Verifier) httpd.Authenticator {
	return newAuthenticator(f, issuer)
}

// RunBackup writes a scheduled backup of a store to a folder, keeps the newest ones, and returns how long to wait for the
// next one.
func RunBackup(ctx context.Context, store config.Store, dir string, every time.Duration, keep int, now func() time.Time) (next time.Duration, err error) {
	p := &backupPlan{every: every, keep: keep, dir: dir}
	err = p.run(ctx, store, dir, &app.Options{Now: now, Log: slog.New(slog.DiscardHandler)})
	return p.due(dir, now()), err
}

// BackupDue returns how long a server that starts waits for its first backup.
func BackupDue(dir string, every time.Duration, now time.Time) time.Duration {
	return (&backupPlan{every: every}).due(dir, now)
}

// Parse returns the command that a command line stands for, without running it, or what is wrong with the command line.
func Parse(args []string) (command string, err error) {
	s := &shell{isTerminal: func(any) bool { return false }}
	s.root = s.newRoot()
	c, rest, err := s.root.Find(args)
	if err != nil {
		return "", err
	}
	if err := c.ParseFlags(rest); err != nil {
		return "", err
	}
	if err := c.ValidateArgs(c.Flags().Args()); err != nil {
		return "", err
	}
	if address := c.Flags().Lookup("http"); c.Name() == "serve" && address.Value.String() == "" {
		var o httpOptions
		return c.Name(), o.validate(c.Flags())
	}
	return c.Name(), nil
}

// AttemptConsolidation calls run if a store is due in a folder of leases, and returns how long to wait.
func AttemptConsolidation(ctx context.Context, dir, store string, every time.Duration, now func() time.Time, run func(context.Context) error) (time.Duration, error) {
	l := lease{lockedfile.Folder{Dir: dir, Age: leaseAge}, store, now}
	return l.attempt(ctx, every, run)
}

// ConsolidateAll consolidates every namespace of a store, as the schedule of a server does.
func ConsolidateAll(ctx context.Context, store string, now func() time.Time, h api.Horizon) error {
	s := &shell{now: now}
	at, err := config.ParseStore(store)
	if err != nil {
		return err
	}
	o := &app.Options{Now: s.now, Log: slog.New(slog.DiscardHandler)}
	sharing := app.NewSharing(config.Config{Store: at, Model: config.Model{Name: config.NoModel}}, o, app.SharingOptions{Own: true})
	e, err := sharing.Engine(ctx)
	if err == nil {
		err = consolidateAll(ctx, e, hippo.LocalScope(""), h, o.Log)
	}
	return errors.Join(err, sharing.Shut(ctx))
}

// Flag is a flag of a command.
type Flag struct {
	Command, Name, Type, Usage string
	Hidden                     bool
}

// AllFlags returns the flags of all commands.
func AllFlags() (list []Flag) {
	s := &shell{isTerminal: func(any) bool { return false }}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		_, path, _ := strings.Cut(c.CommandPath(), " ")
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			list = append(list, Flag{path, f.Name, f.Value.Type(), f.Usage, f.Hidden})
		})
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(s.newRoot())
	return list
}

// SetFlag gives a flag of a command, and returns its value.
func SetFlag(command, name, value string) (string, error) {
	s := &shell{isTerminal: func(any) bool { return false }}
	c, _, err := s.newRoot().Find(strings.Fields(command))
	if err != nil {
		return "", err
	}
	err = c.ParseFlags([]string{"--" + name + "=" + value})
	return c.Flag(name).Value.String(), err
}
