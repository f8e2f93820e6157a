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
	if err != nil {
		return err
	}
	if !yes && !s.confirm(fmt.Sprintf("Delete %d insights for good?", len(ms))) {
		fmt.Fprintln(s.errw, "nothing was deleted")
		return nil
	}
	if err := e.Purge(ctx, ids); err != nil {
		return err
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
	return &cobra.Command{
		Use:   "restore ID...",
		Short: "Bring forgotten insights back (hippo list --forgotten shows them)",
		Args:  needs("an id"),
		RunE: s.onIDs(func(c *cobra.Command, e *engine.Engine, ids []hippo.ID) error {
			ms, err := e.Restore(c.Context(), ids)
			if err != nil {
				return err
			}
			return s.done("Restored", ms)
		}),
	}
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
