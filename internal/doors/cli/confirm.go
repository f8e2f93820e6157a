package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// confirmedKinds returns what hippo confirm takes, and the sources of it.
func confirmedKinds(name string) ([]hippo.SourceKind, error) {
	switch name {
	case "imported":
		return []hippo.SourceKind{hippo.SourceImport}, nil
	case "captured":
		return []hippo.SourceKind{hippo.SourceHook}, nil
	case "all", "":
		return nil, nil
	default:
		return nil, usagef("want imported, captured or all, got %.40q; hippo upvote ID confirms one memory", name)
	}
}

func newConfirmCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "confirm [imported|captured|all]",
		Short: "Confirm memories so that sessions show them; without an argument, count those that wait",
		Long: `Confirm memories of low trust: imported ones, captured ones, or all. Until then searches find them, but sessions do not show them
on their own. What you said to an agent yourself needs no confirmation. hippo undo reverts it.`,
		Example: `  hippo confirm
  hippo confirm imported`,
		Args:      maximumArguments(1),
		ValidArgs: []string{"imported", "captured", "all"},
		RunE: func(c *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			kinds, err := confirmedKinds(name)
			if err != nil {
				return err
			}
			cfg, err := s.config()
			if err != nil {
				return err
			}
			return s.withShared(c.Context(), cfg, func(m *engine.Memories) error {
				m, err := narrowed(c.Context(), s, m)
				if err != nil {
					return err
				}
				ms, err := memory.Waiting(c.Context(), m, kinds...)
				if err != nil {
					return err
				}
				if name == "" {
					return printWaiting(s, ms)
				}
				if err := memory.Confirm(c.Context(), m, ms); err != nil {
					return err
				}
				s.count = len(ms)
				if s.json {
					return s.printJSON(map[string]int{"confirmed": len(ms)})
				}
				fmt.Fprintf(s.out, "%d confirmed\n", len(ms))
				return nil
			})
		},
	}
	addReason(s, c.Flags())
	return c
}

// printWaiting says how many memories wait for a confirmation, and what confirms them.
func printWaiting(s *shell, ms []*hippo.Memory) error {
	count := map[hippo.SourceKind]int{}
	for _, m := range ms {
		count[m.Source.Kind]++
	}
	imported, captured := count[hippo.SourceImport], count[hippo.SourceHook]
	other := len(ms) - imported - captured
	if s.json {
		return s.printJSON(map[string]int{"imported": imported, "captured": captured, "other": other})
	}
	fmt.Fprintf(s.out, "%d wait for a confirmation: %d imported, %d captured, %d others\n", len(ms), imported, captured, other)
	if len(ms) > 0 {
		fmt.Fprintln(s.out, "hippo confirm imported, captured or all confirms them; hippo ui shows what was captured one by one, under Review")
	}
	return nil
}

// offer says how many imported memories wait, and what confirms them.
func offer(ctx context.Context, s *shell, m *engine.Memories) error {
	ms, err := memory.Waiting(ctx, m, hippo.SourceImport)
	if err != nil || len(ms) == 0 || s.json {
		return err
	}
	fmt.Fprintf(s.out, "%d imported memories wait for a confirmation, until when sessions do not show them unasked: hippo confirm imported\n", len(ms))
	return nil
}

// offerAtSetup is [offer] for the store that clients were set up for, if there is one on this machine. What is wrong with it
// is for hippo doctor to say.
func offerAtSetup(ctx context.Context, s *shell) {
	cfg, err := s.config()
	if err != nil || cfg.Store.Remote() || exists(cfg.Store) != nil {
		return
	}
	_ = s.withShared(ctx, cfg, func(m *engine.Memories) error { return offer(ctx, s, m) })
}
