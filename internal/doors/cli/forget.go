package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newForgetCommand(s *shell) *cobra.Command {
	var yes bool
	var asked verb.Forget
	var which selection
	c := &cobra.Command{
		Use:   "forget ID... | forget FILTER...",
		Short: "Forget memories; hippo restore brings them back",
		Long: `Forget memories, given by ID or selected by the flags of hippo list. A selection is shown first and forgotten after confirmation,
in operations of at most 1,000 memories, each of which hippo undo reverts.`,
		Example: `  hippo forget 1f3a9c20
  hippo forget --import 7be01d42 --type note
  hippo forget --source notes.csv --until 2026-01-01`,
		RunE: func(c *cobra.Command, refs []string) error {
			switch {
			case len(refs) == 0 && !filtered(c):
				return usagef("an id is missing, or a filter such as --type, --tag, --source or --import")
			case len(refs) > 0 && selects(c), len(refs) == 0 && asked.Purge:
				return usagef("a filter selects what is forgotten: give either ids or a filter, and for --purge ids")
			case len(refs) == 0 && blankFilter(c) != "":
				return usagef("--%s is blank, which would select more than is meant: give it a value, or leave it out", blankFilter(c))
			case len(refs) == 0:
				return s.inProject(c.Context(), func(m *client.Client) error { return forgetSelected(c.Context(), s, m, &which, yes) })
			}
			return s.with(c.Context(), func(m *client.Client) error {
				if asked.Purge {
					return purgeMemories(c.Context(), s, m, refs, yes)
				}
				ids, err := resolve(c.Context(), m, refs, api.PreferLive)
				if err != nil {
					return err
				}
				return forgetMemories(c.Context(), s, m, ids)
			})
		},
	}
	addArgs(c.Flags(), asked.Args())
	c.Flags().BoolVar(&yes, "yes", false, "do not ask before a purge, or before forgetting what flags select")
	which.add(c)
	addReason(s, c.Flags())
	return c
}

// blankFilter returns the name of a filter that is given a blank value; empty if there is none.
func blankFilter(c *cobra.Command) string {
	for _, name := range append(selecting(), "project") {
		if flag := c.Flag(name); flag != nil && flag.Changed && strings.Trim(flag.Value.String(), "[]\", \t\n") == "" {
			return name
		}
	}
	return ""
}

// forgetMemories forgets memories, and says which of them were forgotten already.
func forgetMemories(ctx context.Context, s *shell, m *client.Client, ids []hippo.ID) error {
	before, err := memoriesOf(ctx, m, ids...)
	if err != nil {
		return err
	}
	before = slices.DeleteFunc(before, func(x *hippo.Memory) bool { return !x.Forgotten() })
	ms, err := m.Forget(ctx, ids...)
	switch {
	case err != nil:
		return err
	case s.json || s.lines:
		return printDone(s, "Forgot", ms)
	}
	isOld := func(x *hippo.Memory) bool {
		return slices.ContainsFunc(before, func(old *hippo.Memory) bool { return old.ID == x.ID })
	}
	return cmp.Or(printDone(s, "Forgotten already:", before), printDone(s, "Forgot", slices.DeleteFunc(ms, isOld)))
}

func purgeMemories(ctx context.Context, s *shell, m *client.Client, refs []string, yes bool) error {
	ids, err := resolve(ctx, m, refs, api.PreferNone)
	if err != nil {
		return err
	}
	ms, err := memoriesOf(ctx, m, ids...)
	unreadable := err // those that cannot be read are deleted, too
	if _, ok := errors.AsType[*api.UnreadableError](err); err != nil && !ok {
		return err
	}
	if !yes {
		for _, x := range ms {
			fmt.Fprintf(s.errw, "%s  %s\n", shortID(s, x.ID), preview(x.Content, previewLength))
		}
		if err := confirm(ctx, s, fmt.Sprintf("Delete %d for good?", len(ids)), "--purge deletes for good"); err != nil {
			return err
		}
	}
	if err := m.Purge(ctx, ids...); err != nil {
		return err
	}
	if unreadable != nil {
		fmt.Fprintf(s.out, "Purged %s; %s\n", memories(len(ids)), termtext.Line(unreadable.Error()))
		return nil
	}
	return printDone(s, "Purged", ms)
}

// confirm asks the user for confirmation; an error means no. Without a terminal the error says
// what would be done.
func confirm(ctx context.Context, s *shell, question, what string) error {
	if !s.isTerminal(s.in) {
		return usagef("%s and cannot ask, because stdin is no terminal: add --yes", what)
	}
	yes, err := ask(ctx, s, question)
	if err == nil && !yes {
		err = errors.New("nothing was changed")
	}
	return err
}

// ask asks the person at the terminal a question; only y means yes. Ctrl-C ends the question; its goroutine, which a read holds
// up, is abandoned.
func ask(ctx context.Context, s *shell, question string) (yes bool, err error) {
	fmt.Fprintf(s.errw, "%s [y/N] ", question)
	answered := make(chan bool, 1)
	go func() {
		var reply string
		_, err := fmt.Fscanln(s.in, &reply) // reads no more than the line: another question may follow
		answered <- err == nil && strings.EqualFold(reply, "y")
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(s.errw)
		return false, canceledError{}
	case yes := <-answered:
		return yes, nil
	}
}

func newRestoreCommand(s *shell) *cobra.Command {
	var yes, bringBack bool
	c := &cobra.Command{
		Use:   "restore ID... | FILE",
		Short: "Restore forgotten memories, or the whole store from a backup",
		Long: `Restore forgotten memories; hippo list --forgotten shows them. Given a file of hippo backup, replace the whole store by its
content. An argument is a file if it contains a path separator, ends in .db, or exists. The previous content is saved to a file beside the
store, and running servers pick up the change. What was purged since the backup is left out.`,
		Args: requireArgument("an id or a file"),
		RunE: func(c *cobra.Command, args []string) error {
			switch file := slices.IndexFunc(args, isFile); {
			case file >= 0 && len(args) > 1:
				return usagef("%s is a file, which is restored alone: give ids, or one file", args[file])
			case file >= 0:
				return restoreFile(c.Context(), s, args[0], yes, bringBack)
			}
			return s.with(c.Context(), func(m *client.Client) error {
				ids, err := resolve(c.Context(), m, args, api.PreferForgotten)
				if err != nil {
					return err
				}
				ms, err := m.Restore(c.Context(), ids...)
				if err != nil {
					return err
				}
				return printDone(s, "Restored", ms)
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask before replacing the store")
	c.Flags().BoolVar(&bringBack, "bring-back", false, "also restore what was purged since the backup")
	addReason(s, c.Flags())
	return c
}

// printDone prints the memories that a command changed.
func printDone(s *shell, what string, ms []*hippo.Memory) error {
	s.count = len(ms)
	if s.json || s.lines {
		return printMemories(s, ms)
	}
	ids := shortIDs(s, hippo.IDsOf(ms...)...)
	for _, m := range ms {
		fmt.Fprintf(s.out, "%s %s  %s\n", what, ids.Of(m.ID), preview(m.Content, 60))
	}
	return nil
}
