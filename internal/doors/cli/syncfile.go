package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/agents"
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

func newSyncFileCommand(s *shell) *cobra.Command {
	var o agents.SyncOptions
	c := &cobra.Command{
		Use:   "sync-file FILE",
		Short: "Sync the most important memories into a block of a file such as MEMORY.md",
		Long: `Sync the most important memories into a block of a file such as MEMORY.md, and read edits back: an edited line changes its
memory, a new line becomes a memory, and the memory of a deleted line is forgotten (hippo restore brings it back). The rest of the file is
not touched. Running the command again changes nothing.`,
		Example: `  hippo sync-file MEMORY.md
  hippo sync-file ~/.claude/CLAUDE.md --max-bytes 2000`,
		Args: oneArgument("a file"),
		RunE: func(c *cobra.Command, args []string) error { return syncFile(c.Context(), s, args[0], o) },
	}
	c.Flags().IntVar(&o.MaxBytes, "max-bytes", agents.DefaultSyncBytes, "the size limit of the block; 4 bytes are about a token")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would change; change nothing")
	return c
}

func syncFile(ctx context.Context, s *shell, path string, o agents.SyncOptions) error {
	if o.MaxBytes < 1 {
		return usagef("--max-bytes must be at least 1, got %d", o.MaxBytes)
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	_, o.Project = givenProject(s)
	r, err := beside(s, cfg).SyncFile(ctx, path, o)
	if err != nil && r.Empty() {
		return err
	}
	return errors.Join(printSync(s, &r), err)
}

// printSync prints what a run did. Lines that could not be stored make it an error.
func printSync(s *shell, r *agents.Synced) error {
	if s.json {
		err := s.printJSON(map[string]any{
			"shown": r.Shown, "modified": r.Modified, "recorded": r.Recorded, "forgotten": r.Forgotten,
			"conflicts": append([]string{}, r.Conflicts...), "unsaved": append([]string{}, r.Unsaved...), "changed": r.Changed,
		})
		if err != nil {
			return err
		}
	} else {
		state := "unchanged"
		if r.Changed {
			state = "changed"
		}
		fmt.Fprintf(s.out, "%d shown, %d modified, %d recorded, %d forgotten; the file is %s\n", r.Shown, r.Modified, r.Recorded, r.Forgotten, state)
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(s.errw, "conflict: %s\n", termtext.Line(c))
	}
	for _, u := range r.Unsaved {
		fmt.Fprintf(s.errw, "not stored: %s\n", termtext.Line(u))
	}
	if n := len(r.Unsaved); n > 0 {
		return fmt.Errorf("%d lines could not be stored and stay in the file", n)
	}
	return nil
}
