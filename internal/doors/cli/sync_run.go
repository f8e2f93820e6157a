package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// readCode returns a code that was given or, for -, the first 4096 bytes of stdin.
func readCode(s *shell, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	b, err := io.ReadAll(io.LimitReader(s.in, 4<<10))
	return strings.TrimSpace(string(b)), err
}

// oneOutcome runs something with one remote and prints what it has done.
func oneOutcome(ctx context.Context, s *shell, cfg config.Config, fn func(*app.Remotes) (wire.SyncOutcome, error)) error {
	changed := 0
	err := withRemotes(ctx, s, cfg, func(x *app.Remotes) error {
		out, err := fn(x)
		if err != nil {
			return err
		}
		changed = len(out.Changed)
		if s.json {
			return errors.Join(s.printJSON(out), out.Err)
		}
		printOutcome(s, &out)
		return out.Err
	})
	handOver(s, cfg, changed)
	return err
}

// allOutcomes carries out a verb on all remotes, which may need a machine, and prints what it has done with each. It fails if nothing could be done.
func allOutcomes(ctx context.Context, s *shell, v wire.SyncVerb, machine string, show func(*shell, *wire.SyncOutcome)) (list []wire.SyncOutcome, err error) {
	changed := 0
	cfg, err := onRemotes(ctx, s, func(x *app.Remotes) error {
		if list, err = v.Do(ctx, x.Remotes, machine); err != nil {
			return err
		}
		failed := allFailed(list)
		for i := range list {
			changed += len(list[i].Changed)
		}
		if s.json {
			return errors.Join(s.printJSON(list), failed)
		}
		for i := range list {
			if list[i].Err != nil && failed == nil {
				s.warn("%v: %v", list[i].Carrier, list[i].Err)
			}
			show(s, &list[i])
		}
		return failed
	})
	handOver(s, cfg, changed)
	return list, err
}

// printOutcome prints what was done with a remote in a line, and beside it what needs attention.
func printOutcome(s *shell, o *wire.SyncOutcome) {
	if o.Err == nil {
		fmt.Fprintf(s.out, "%s: %s\n", termtext.Line(o.Carrier), done(o))
	}
	printSkipped(s, o)
	printTeam(s, o.Team)
	if o.Unfinished {
		s.warn("hippo sync init was stopped before it showed the recovery key: run hippo sync init %s again", termtext.Argument(o.Carrier))
	}
	if len(o.Invalid) > 0 {
		s.warn("%s stay as they were here, because this program cannot store them as others have set them", memories(len(o.Invalid)))
	}
	if len(o.Conflicts) > 0 {
		s.warn("%s changed at once on several machines; hippo sync status lists the values that are not shown", memories(len(o.Conflicts)))
	}
}

func printSkipped(s *shell, o *wire.SyncOutcome) {
	for _, x := range o.Skipped {
		s.warn("skipped %s: %s", x.File, x.Error)
	}
	if len(o.Backwards) > 0 {
		s.warn("%v has less than it had: each machine writes what it lacks when it syncs; nothing was deleted in the stores", o.Carrier)
	}
}

// done says what was exchanged.
func done(o *wire.SyncOutcome) string {
	if o.SentFiles+o.RemovedFiles+o.Received+len(o.Changed) == 0 {
		return "nothing to do"
	}
	text := fmt.Sprintf("sent %s (%s), received %s", plural(o.SentFiles, "file"), sizeText(int(o.SentBytes)), plural(o.Received, "entry"))
	if len(o.Changed) > 0 {
		text += ", " + memories(len(o.Changed)) + " changed"
	}
	if len(o.Conflicts) > 0 {
		text += ", " + plural(len(o.Conflicts), "conflict")
	}
	return text
}

// allFailed returns the errors of all remotes; nil if one could be used.
func allFailed(list []wire.SyncOutcome) error {
	var all []error
	for i := range list {
		if list[i].Err == nil {
			return nil
		}
		all = append(all, fmt.Errorf("%s: %w", list[i].Carrier, list[i].Err))
	}
	return errors.Join(all...)
}

// newSyncVerbCommands returns a command for each verb on all remotes.
func newSyncVerbCommands(s *shell) (list []*cobra.Command) {
	more := map[string]func(*shell, *cobra.Command, wire.SyncVerb){"now": syncNow, "verify": syncVerify, "retire": syncRetire}
	for _, v := range wire.SyncVerbs() {
		c := &cobra.Command{Use: v.Name, Short: v.Summary, Args: maximumArguments(0)}
		c.RunE = func(c *cobra.Command, _ []string) error {
			_, err := allOutcomes(c.Context(), s, v, "", printOutcome)
			return err
		}
		if add := more[v.Name]; add != nil {
			add(s, c, v)
		}
		list = append(list, c)
	}
	return list
}

// syncNow adds a deadline to a command.
func syncNow(s *shell, c *cobra.Command, v wire.SyncVerb) {
	var deadline time.Duration
	c.Long = `Sync with all remotes, and print a line for each. What --deadline cuts off is left to the next sync: nothing is lost, and nothing is stored
in part.`
	c.Example = "  hippo sync now\n  hippo sync now --deadline 2s        # before a session"
	c.RunE = func(c *cobra.Command, _ []string) error {
		if deadline < 0 {
			return usagef("--deadline must not be negative, got %v", deadline)
		}
		return within(c.Context(), deadline, func(ctx context.Context) error {
			_, err := allOutcomes(ctx, s, v, "", printOutcome)
			return err
		})
	}
	c.Flags().DurationVar(&deadline, "deadline", 0, "how long it may take, such as 2s (default: as long as it takes)")
}

// within calls fn with a deadline, unless that is 0. What hangs then is abandoned, since the process ends.
func within(ctx context.Context, deadline time.Duration, fn func(context.Context) error) error {
	if deadline == 0 {
		return fn(ctx)
	}
	const grace = 100 * time.Millisecond // for what notices the deadline
	late := fmt.Errorf("%w: not synced within %v: the next sync goes on with it", hippo.ErrUnavailable, deadline)
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, late)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- fn(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		if err != nil {
			err = errors.Join(late, err)
		}
		return err
	case <-time.After(grace):
		return late
	}
}

// syncVerify makes damage an error of a command.
func syncVerify(s *shell, c *cobra.Command, v wire.SyncVerb) {
	c.Long = `Read every file of all remotes, and name those that cannot be used. hippo sync now writes those of this machine again; the other
machines write theirs. Exit code 3 means damage.`
	c.RunE = func(c *cobra.Command, _ []string) error {
		list, err := allOutcomes(c.Context(), s, v, "", printVerified)
		if err != nil {
			return err
		}
		damaged := 0
		for i := range list {
			for _, x := range list[i].Skipped {
				if !errors.Is(x.Err, hippo.ErrUnavailable) { // it has not arrived yet
					damaged++
				}
			}
		}
		if damaged > 0 {
			return &damageError{damaged}
		}
		return nil
	}
}

func printVerified(s *shell, o *wire.SyncOutcome) {
	if o.Err == nil {
		fmt.Fprintf(s.out, "%s: read %s with %s, skipped %d\n", termtext.Line(o.Carrier), plural(o.ReadFiles, "file"), plural(o.Received, "entry"), len(o.Skipped))
	}
	printSkipped(s, o)
}

// syncRetire lets a command take the name of a machine.
func syncRetire(s *shell, c *cobra.Command, v wire.SyncVerb) {
	c.Use = "retire MACHINE"
	c.Long = `End the right of a lost machine to write to the remotes, and take over what it has written. MACHINE is its name or its ID, as hippo sync status
lists them. Who has the lost machine can still read what the folder holds: to end that, begin in another folder with hippo sync init.`
	c.Args = oneArgument("MACHINE")
	c.RunE = func(c *cobra.Command, args []string) error {
		_, err := allOutcomes(c.Context(), s, v, args[0], printOutcome)
		return err
	}
}

// knownRemotes returns what was seen of the remotes of a store when they were used last.
func knownRemotes(cfg config.Config) ([]wire.SyncKnown, error) {
	list, err := app.KnownRemotes(cfg)
	return wire.SyncKnownOf(list), err
}

// syncText says when a remote was synced last, and why that fails.
func syncText(r *wire.SyncKnown) string {
	text := r.Carrier + ": last synced "
	if r.Synced.IsZero() {
		text = r.Carrier + ": never synced"
	} else {
		text += clock(r.Synced)
	}
	switch {
	case r.Failure != nil:
		text += ", fails since " + clock(r.Failure.Since) + ": " + r.Failure.Message
	case r.Error != nil:
		text += ": " + r.Error.Message
	}
	return text
}

func newSyncStatusCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the machines of each remote: last seen, behind by, clock; and the conflicts of a week",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := onRemotes(c.Context(), s, func(x *app.Remotes) error {
				status, err := x.Status(c.Context())
				if err != nil {
					return err
				}
				out := wire.SyncStatusOf(status)
				if s.json {
					return s.printJSON(out)
				}
				return printSyncStatus(s, &out)
			})
			return err
		},
	}
}

func printSyncStatus(s *shell, status *wire.SyncStatus) error {
	for i := range status.Remotes {
		r := &status.Remotes[i]
		last := "never"
		if !r.Synced.IsZero() {
			last = clock(r.Synced)
		}
		fmt.Fprintf(s.out, "%s: last synced %s, %s to send\n", termtext.Line(r.Carrier), last, plural(int(r.Unsent), "entry"))
		if r.Failure != nil {
			s.warn("%s: fails since %s: %s", r.Carrier, clock(r.Failure.Since), r.Failure.Message)
		} else if r.Error != nil {
			s.warn("%s: %s", r.Carrier, r.Error.Message)
		}
		for _, x := range r.Skipped {
			s.warn("skipped %s: %s", x.File, x.Error)
		}
		printTeamStatus(s, r.Team)
		if len(r.Machines) == 0 {
			continue
		}
		if err := s.table(func(w io.Writer) {
			fmt.Fprint(w, "  MACHINE\tID\tLAST SEEN\tBEHIND BY\tCLOCK\tSTATE\n")
			for j := range r.Machines {
				printMachine(w, &r.Machines[j])
			}
		}); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "values of the last week that are not shown: %d\n", len(status.Conflicts))
	return s.table(func(w io.Writer) {
		for i := range status.Conflicts {
			o := &status.Conflicts[i]
			of := ""
			if len(o.Insights) > 0 {
				of = o.Insights[0].Short()
			}
			fmt.Fprintf(w, "  hippo undo %s\tmemory %s\t%s\n", o.UUID.Short(), of, field(o.Reason))
		}
	})
}

func printMachine(w io.Writer, m *wire.SyncMachine) {
	seen, drift, state := "never", "ok", string(m.Kind)
	if !m.Seen.IsZero() {
		seen = clock(m.Seen)
	}
	if m.ClockAhead >= 60 {
		drift = (time.Duration(m.ClockAhead/60) * time.Minute).String() + " ahead"
	}
	switch {
	case m.Self:
		state = "this machine"
	case m.RetiredBy != "":
		state = "retired by " + m.RetiredBy
	case !m.Until.IsZero():
		state = "invitation until " + clock(m.Until)
	}
	behind := plural(int(m.Behind), "entry")
	if state == "recovery" || !m.Until.IsZero() {
		seen, behind, drift = "-", "-", "-"
	}
	fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\n", termtext.Line(m.Name), m.ID, seen, behind, drift, termtext.Line(state))
}
