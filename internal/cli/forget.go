package cli

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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
			return s.printDone("Forgot", ms)
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
	if !yes {
		if err := s.confirmPurge(ms); err != nil {
			return err
		}
	}
	if err := e.Purge(ctx, ids); err != nil {
		return err
	}
	return s.printDone("Purged", ms)
}

// confirmPurge shows a person what is about to be deleted and asks. Without a terminal
// there is nobody to ask: that is an error.
func (s *shell) confirmPurge(ms []*hippo.Memory) error {
	if !s.isTerminal(s.in) {
		return usagef("--purge deletes for good and cannot ask, because stdin is no terminal: add --yes")
	}
	for _, m := range ms {
		fmt.Fprintf(s.errw, "%s  %s\n", m.ID, preview(m.Content, previewLength))
	}
	fmt.Fprintf(s.errw, "Delete %d for good? [y/N] ", len(ms))
	reply, err := bufio.NewReader(s.in).ReadString('\n')
	if err != nil || !strings.EqualFold(strings.TrimSpace(reply), "y") {
		return errors.New("nothing was deleted")
	}
	return nil
}

func (s *shell) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID...",
		Short: "Bring forgotten insights back (hippo list --forgotten shows them)",
		Args:  needs("an id"),
		RunE: func(c *cobra.Command, refs []string) error {
			return s.with(c.Context(), func(e *engine.Engine) error {
				ids, err := resolveBy(c.Context(), refs, func(ctx context.Context, ref string) (hippo.ID, error) {
					return resolveForgotten(ctx, e, ref)
				})
				if err != nil {
					return err
				}
				ms, err := e.Restore(c.Context(), ids)
				if err != nil {
					return err
				}
				return s.printDone("Restored", ms)
			})
		},
	}
}

// resolveForgotten is [engine.Engine.Resolve] among the forgotten memories; what is not
// among them may be a memory that is not forgotten. Cost: all memories are read.
func resolveForgotten(ctx context.Context, e *engine.Engine, ref string) (hippo.ID, error) {
	if _, err := hippo.ParseID(ref); err == nil || len(ref) < 4 {
		return e.Resolve(ctx, ref)
	}
	var found []hippo.ID
	for m, err := range e.Export(ctx) {
		if err != nil {
			return hippo.ID{}, err
		}
		prefix := strings.ToLower(ref)
		if m.Forgotten() && (strings.HasPrefix(m.ID.String(), prefix) || strings.HasPrefix(hex.EncodeToString(m.ContentHash[:]), prefix)) {
			found = append(found, m.ID)
		}
	}
	switch len(found) {
	case 0:
		return e.Resolve(ctx, ref)
	case 1:
		return found[0], nil
	default:
		return hippo.ID{}, hippo.Fieldf("id", "%q fits several forgotten memories: %v; give more characters", ref, found)
	}
}

// printDone prints what was done to memories.
func (s *shell) printDone(what string, ms []*hippo.Memory) error {
	if s.json || s.lines {
		return s.printMemories(ms)
	}
	for _, m := range ms {
		fmt.Fprintf(s.out, "%s %s  %s\n", what, m.ID, preview(m.Content, 60))
	}
	return nil
}
