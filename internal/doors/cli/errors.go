package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// usageError is an error of the command line: exit code 2.
type usageError struct {
	err error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// Is makes it a [hippo.ErrInvalid].
func (*usageError) Is(target error) bool { return target == hippo.ErrInvalid }

// usagef returns a usage error.
func usagef(format string, args ...any) error { return &usageError{err: fmt.Errorf(format, args...)} }

// badFlag turns an error of a flag into a usage error, with the flag that was probably meant, and
// without the name of the Go function that parsed the value.
func badFlag(c *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if flag := similarFlag(c, unknown.GetSpecifiedName()); flag != "" {
			return usagef("%w; did you mean --%s?", err, flag)
		}
		if takesText(c) {
			return usagef("%w; a text that begins with - goes behind --: %s -- \"- buy milk\"", err, c.CommandPath())
		}
	}
	num, ok := errors.AsType[*strconv.NumError](err)
	value, _ := errors.AsType[*pflag.InvalidValueError](err)
	if !ok || value == nil {
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
	return &usageError{hippo.Fieldf(value.GetFlag().Name, "must be %s, got %q", what, value.GetValue())}
}

// takesText reports whether the arguments of a command are a text.
func takesText(c *cobra.Command) bool {
	return slices.Contains([]string{"record", "search"}, c.Name())
}

// requireArgument is cobra.MinimumNArgs(1) with an error that names the missing argument.
func requireArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s is missing", what)
		}
		return nil
	}
}

// maximumArguments is cobra.MaximumNArgs as a usage error.
func maximumArguments(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef("unexpected argument %q", args[n])
		}
		return nil
	}
}

// oneArgument is cobra.ExactArgs(1) with an error that names the missing argument.
func oneArgument(what string) cobra.PositionalArgs {
	return cobra.MatchAll(maximumArguments(1), requireArgument(what))
}

// refuseUnknownCommand rejects an unknown subcommand, and suggests one with a similar name.
func refuseUnknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("unknown command %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return usagef("unknown command %q", args[0])
}

// canceledError is the error of a command that the user interrupted.
type canceledError struct{}

func (canceledError) Error() string { return "interrupted" }
func (canceledError) Unwrap() error { return context.Canceled }

// isDamage reports whether a command succeeded and found damage.
func isDamage(err error) bool {
	_, ok := errors.AsType[*damageError](err)
	return ok
}

// exitCode maps an error to the exit code of the program.
func exitCode(err error) int {
	if isDamage(err) {
		return wire.ExitDamaged
	}
	return wire.FailureOf(hippo.CodeOf(err)).Exit
}

// fieldKey is the annotation of a flag with the field of the domain that it stands for.
const fieldKey = "hippo_field"

// stands notes the field of the domain that a flag stands for, by which errors call it.
func stands(v *pflag.FlagSet, flag, field string) {
	_ = v.SetAnnotation(flag, fieldKey, []string{field})
}

// asTyped returns an error with the flag or the operand that stands for the field that it is about, by the name that the user wrote.
func asTyped(c *cobra.Command, args []string, err error) error {
	bad, ok := errors.AsType[*hippo.FieldError](err)
	if !ok {
		return err
	}
	field, index, indexed := strings.Cut(bad.Field, "[")
	name := field
	c.InheritedFlags() // afterwards the flags have them
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(f.Annotations[fieldKey], field) {
			name = f.Name
		}
	})
	if name == field {
		name = typedName(c, field)
	}
	name = cmp.Or(writtenName(c, name, args), name)
	if name == field {
		return err
	}
	if indexed {
		name += "[" + index
	}
	return &hippo.FieldError{Field: name, Why: bad.Why}
}

// typedName returns the flag of a command that is called as a field, else of a field of a request, which begins with a capital, the first operand.
func typedName(c *cobra.Command, field string) string {
	var dashed strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 && field != strings.ToUpper(field) {
			dashed.WriteByte('-')
		}
		dashed.WriteRune(unicode.ToLower(r))
	}
	flag := strings.ReplaceAll(dashed.String(), "_", "-")
	words := strings.Fields(c.Use)
	switch {
	case c.Flag(flag) != nil:
		return c.Flag(flag).Name
	case len(words) > 1 && field != "" && unicode.IsUpper(rune(field[0])) && (field == "ID" || field != strings.ToUpper(field)):
		return strings.ToLower(strings.Trim(words[1], "[].<>"))
	default:
		return field
	}
}

// warn prints a line beside the result.
func (s *shell) warn(format string, args ...any) {
	fmt.Fprintf(s.errw, "hippo: %s\n", termtext.Line(fmt.Sprintf(format, args...)))
}

// notice warns, and keeps the warning for the client of a server, which hides what a server prints.
func notice(s *shell, format string, args ...any) {
	s.warn(format, args...)
	s.notices = append(s.notices, fmt.Sprintf(format, args...))
}

// explainError prints an error and a hint, as one JSON object if JSON was asked for. ran is the
// command, and args are all of the program.
func explainError(s *shell, ran *cobra.Command, args []string, err error) {
	if _, ok := errors.AsType[sourceError](err); !ok { // it names the keys of a file
		err = asTyped(ran, args, err)
	}
	if _, said := errors.AsType[*interruptedError](err); !said && hippo.CodeOf(err) == hippo.CodeCanceled {
		err = canceledError{}
	}
	hint := hintOf(ran.CommandPath(), err)
	if s.json {
		if err := writeJSON(s.errw, wire.ErrorOf(err, hint)); err != nil {
			fmt.Fprintf(s.errw, "hippo: %v\n", err)
		}
		return
	}
	fmt.Fprintf(s.errw, "hippo: %s\n", termtext.Block(wire.ErrorOf(err, hint).Error.Message, "  "))
	if hint != "" {
		fmt.Fprintln(s.errw, hint)
	}
}

// hintOf returns what to do about an error; empty if its text says so.
func hintOf(command string, err error) string {
	code := hippo.CodeOf(err)
	_, backup := errors.AsType[*app.BackupError](err)
	_, source := errors.AsType[sourceError](err)
	socket, _ := errors.AsType[*net.OpError](err)
	switch {
	case socket != nil && socket.Op == "listen":
		return "another program may listen there: give another address, such as --http :8421"
	case backup:
		return "nothing was changed; hippo backup FILE writes a file to restore, hippo import reads exports"
	case code == hippo.CodeInvalid:
		return "try: " + command + " --help"
	case strings.HasPrefix(command, "hippo code ") && code != hippo.CodeUnavailable:
		if code == hippo.CodeNotFound {
			return "try: hippo code status; --root says which tree to ask"
		}
		return "" // the other hints are about stores
	case code == hippo.CodeNotFound && (strings.HasPrefix(command, "hippo entity ") || strings.HasPrefix(command, "hippo fact ")):
		return "try: hippo entity list; --store says where to look"
	case code == hippo.CodeNotFound && (strings.HasPrefix(command, "hippo tenant ") || strings.HasPrefix(command, "hippo db ")):
		return "try: hippo tenant list; --store says where to look"
	case code == hippo.CodeNotFound && command == "hippo undo":
		return "try: hippo log; --store says where to look"
	case isDamage(err), source, code == hippo.CodeUnavailable && !aboutPath(err), strings.HasPrefix(command, "hippo model "):
		return ""
	default:
		return wire.FailureOf(code).CommandHint
	}
}

// aboutPath reports whether an error is about a file that cannot be reached. A lock, a disk or another machine has its advice in the
// text of the error.
func aboutPath(err error) bool {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	return path || link
}

// wantsJSON reports whether arguments ask for JSON, also if another one cannot be parsed.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}
