package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func (s *shell) forgetCommand() *cobra.Command {
	var purge, yes bool
	c := &cobra.Command{
		Use:   "forget ID...",
		Short: "Hide insights; hippo restore brings them back",
		Args:  needs("an id"),
		RunE: s.onIDs(func(c *cobra.Command, e *engine.Engine, ids []hippo.ID) error {
			if purge {
				return s.purge(c.Context(), e, ids, yes)
			}
			ms, err := e.Forget(c.Context(), ids)
			if err != nil {
				return err
			}
			return s.done("Forgot", ms)
		}),
	}
	c.Flags().BoolVar(&purge, "purge", false, "delete for good; there is no undo")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask before a purge")
	return c
}

func (s *shell) purge(ctx context.Context, e *engine.Engine, ids []hippo.ID, yes bool) error {
	ms, err := e.Get(ctx, ids)
	unreadable := err // those that cannot be read are deleted, too
	if driver.Readable(err) != nil {
		return err
	}
	if !yes && !s.confirm(fmt.Sprintf("Delete %d insights for good?", len(ids))) {
		fmt.Fprintln(s.errw, "nothing was deleted")
		return nil
	}
	if err := e.Purge(ctx, ids); err != nil {
		return err
	}
	if unreadable != nil {
		fmt.Fprintf(s.out, "Purged %d insights; %v\n", len(ids), unreadable)
		return nil
	}
	return s.done("Purged", ms)
}

// confirm asks a person; a program that did not say --yes is taken at its word.
func (s *shell) confirm(question string) bool {
	f, ok := s.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return true
	}
	fmt.Fprintf(s.errw, "%s [y/N] ", question)
	reply, err := bufio.NewReader(s.in).ReadString('\n')
	return err == nil && strings.EqualFold(strings.TrimSpace(reply), "y")
}

func (s *shell) restoreCommand() *cobra.Command {
	var yes bool
	insights := s.onIDs(func(c *cobra.Command, e *engine.Engine, ids []hippo.ID) error {
		ms, err := e.Restore(c.Context(), ids)
		if err != nil {
			return err
		}
		return s.done("Restored", ms)
	})
	c := &cobra.Command{
		Use:   "restore ID... | FILE",
		Short: "Bring forgotten insights back, or the whole store from a backup",
		Long: `Bring forgotten insights back; hippo list --forgotten shows them. Or, given a file that hippo backup wrote, replace
everything in the store by what it holds. What was there is saved to a file beside the store, and running servers follow.`,
		Args: needs("an id"),
		RunE: func(c *cobra.Command, args []string) error {
			if isBackup(args) {
				return s.restoreFile(c.Context(), args[0], yes)
			}
			return insights(c, args)
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask before the store is replaced")
	return c
}

// done tells what happened to memories.
func (s *shell) done(what string, ms []*hippo.Memory) error {
	if s.json || s.lines {
		return s.printMemories(ms)
	}
	for _, m := range ms {
		fmt.Fprintf(s.out, "%s %s  %s\n", what, m.ID, clip(m.Content, 60))
	}
	return nil
}
