package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
)

// usageError is a command line that cannot be understood.
type usageError struct {
	err error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usagef returns a usage error.
func usagef(format string, args ...any) error { return &usageError{err: fmt.Errorf(format, args...)} }

// badFlag is a usage error without the name of the function that reads the value.
func badFlag(err error) error {
	num, ok := errors.AsType[*strconv.NumError](err)
	if !ok {
		return &usageError{err: err}
	}
	what := "a number"
	switch {
	case errors.Is(num, strconv.ErrRange):
		what = "a smaller number"
	case num.Func == "ParseBool":
		what = "true or false"
	case num.Func == "ParseInt":
		what = "a whole number"
	}
	return usagef("%smust be %s", strings.TrimSuffix(err.Error(), num.Error()), what)
}

// needs is cobra.MinimumNArgs(1) with a message that says what is missing.
func needs(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s is missing", what)
		}
		return nil
	}
}

// atMost is cobra.MaximumNArgs as a usage error.
func atMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef("unexpected argument %q", args[n])
		}
		return nil
	}
}

// one is cobra.ExactArgs(1) with a message that says what is missing.
func one(what string) cobra.PositionalArgs {
	return cobra.MatchAll(atMost(1), needs(what))
}

// known refuses what is no subcommand, and says which one may be meant.
func known(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("unknown command %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return usagef("unknown command %q", args[0])
}

// isUsage reports whether the command line is wrong, in form or in content.
func isUsage(err error) bool {
	var usage *usageError
	return errors.As(err, &usage) || hippo.CodeOf(err) == hippo.CodeInvalid
}

// isDamage reports whether a command did what it should and found damage.
func isDamage(err error) bool {
	_, ok := errors.AsType[*damageError](err)
	return ok
}

// exitCode maps an error to the exit code of the program.
func exitCode(err error) int {
	switch code := hippo.CodeOf(err); {
	case code == hippo.CodeOK:
		return 0
	case isUsage(err):
		return 2
	case code == hippo.CodeNotFound || isDamage(err):
		return 3
	default:
		return 1
	}
}

// explain prints an error and what to do about it. command is what was run:
// "hippo search".
func (s *shell) explain(command string, err error) {
	fmt.Fprintf(s.errw, "hippo: %v\n", err)
	h := hint(hippo.CodeOf(err))
	if strings.HasPrefix(command, "hippo model ") { // their messages say it
		h = ""
	}
	if isUsage(err) {
		h = "try: " + command + " --help"
	}
	if h != "" {
		fmt.Fprintln(s.errw, h)
	}
}

// hint says what to do about a kind of failure; empty where the message does.
func hint(c hippo.Code) string {
	switch c {
	case hippo.CodeNotFound:
		return "try: hippo list; --store says where to look"
	case hippo.CodeReadOnly:
		return "nothing was stored: check the permissions of the store"
	case hippo.CodeFull:
		return "nothing was stored; free some space and try again"
	case hippo.CodeCorrupt:
		return "try: hippo check; hippo export --salvage FILE saves what can be read, hippo restore FILE takes a backup back"
	case hippo.CodeUnavailable:
		return "check the path and its permissions, and try again"
	case hippo.CodeOK, hippo.CodeInvalid, hippo.CodeConflict, hippo.CodeUnsupported, hippo.CodeCanceled, hippo.CodeInternal:
		return ""
	default:
		return ""
	}
}
