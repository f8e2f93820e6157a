package cli

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
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

// MainWithin is [Main] with another time that a hook may take. spawns: it starts processes that outlive it.
func MainWithin(ctx context.Context, hookTimeout time.Duration, spawns bool, args []string, in io.Reader, out, errw io.Writer) int {
	s := &shell{in: in, out: out, errw: errw, now: time.Now, isTerminal: isTerminal, hookTimeout: hookTimeout}
	if spawns {
		s.spawn = startDetached
	}
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
	c, _, err := rootFor(s, args).Find(args)
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
		return c.Name(), refuseHTTPFlags(c.Flags())
	}
	return c.Name(), nil
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
