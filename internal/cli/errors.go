package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
)

// usageError is a command line that cannot be understood.
type usageError struct {
	command string
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usagef returns a usage error of command c.
func usagef(c *cobra.Command, format string, args ...any) error {
	return &usageError{command: c.CommandPath(), err: fmt.Errorf(format, args...)}
}

// atLeast is cobra.MinimumNArgs with a message that says what is missing.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef(c, "%s is missing", what)
		}
		return nil
	}
}

// atMost is cobra.MaximumNArgs as a usage error.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef(c, "unexpected argument %q", args[n])
		}
		return nil
	}
}

// exactly is cobra.ExactArgs with a message that says what is missing.
func exactly(n int, what string) cobra.PositionalArgs {
	return cobra.MatchAll(atMost(n), atLeast(n, what))
}

// known refuses what is no subcommand, and says which one may be meant.
func known(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef(c, "unknown command %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return usagef(c, "unknown command %q", args[0])
}

// exitCode maps an error to the exit code of the program.
func exitCode(err error) int {
	var usage *usageError
	switch code := hippo.CodeOf(err); {
	case code == hippo.CodeOK:
		return 0
	case errors.As(err, &usage), code == hippo.CodeInvalid:
		return 2
	case code == hippo.CodeNotFound:
		return 3
	default:
		return 1
	}
}

// explain prints an error and what to do about it.
func (s *shell) explain(err error) {
	fmt.Fprintf(s.errw, "hippo: %v\n", err)
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(s.errw, "try: %s --help\n", usage.command)
	case errors.Is(err, hippo.ErrNotFound):
		fmt.Fprintln(s.errw, "try: hippo list")
	case errors.Is(err, hippo.ErrReadOnly):
		fmt.Fprintln(s.errw, "the memory can be searched, but not changed")
	}
}
