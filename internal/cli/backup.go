package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/termtext"
	"github.com/hippo-memory/hippo/internal/wire"
)

func newBackupCommand(s *shell) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write everything to one file, which hippo restore takes back",
		Long: `Write everything to one SQLite file: all projects and namespaces, forgotten insights, votes, use, relations.
The store may be in use, and may be of any kind. The file is checked before it gets its name; --store sqlite:FILE opens it.`,
		Args: oneArgument("a file"),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := existingStore(s)
			if err != nil {
				return err
			}
			path, err := config.Expand(args[0])
			if err != nil {
				return err
			}
			r, err := app.Backup(c.Context(), cfg.Store, path, force, &app.Options{Now: s.now, Log: s.logger(cfg)})
			if err != nil {
				return err
			}
			for _, p := range r.Problems {
				fmt.Fprintf(s.errw, "unreadable: %s\n", termtext.Line(p.String()))
			}
			if s.json {
				return s.printJSON(wire.BackupReport{
					Memories: r.Memories, Forgotten: r.Forgotten, Relations: r.Relations, Problems: wire.ProblemsOf(r.Problems),
				})
			}
			fmt.Fprintf(s.out, "backed up %s, %d forgotten, %s to %s\n", plural(r.Memories, "insight"), r.Forgotten, plural(r.Relations, "relation"), termtext.Line(path))
			return nil
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace the file if it exists")
	return c
}

// existingStore returns the configuration if its store exists.
func existingStore(s *shell) (config.Config, error) {
	c, err := s.config()
	if err == nil {
		err = exists(c.Store)
	}
	return c, err
}

// isBackup reports whether what was given to hippo restore is a file.
func isBackup(args []string) bool {
	if len(args) != 1 {
		return false
	}
	path, err := config.Expand(args[0])
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// restoreFile replaces the store by a backup.
func restoreFile(ctx context.Context, s *shell, file string, yes bool) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	path, err := config.Expand(file)
	if err != nil {
		return err
	}
	if !yes {
		question := fmt.Sprintf("Replace everything in %s by %s?", cfg.Store, path)
		if err := confirm(s, termtext.Line(question), fmt.Sprintf("restoring %s replaces everything in %s", path, cfg.Store)); err != nil {
			return err
		}
	}
	r, err := app.Restore(ctx, cfg.Store, path, s.now(), &app.Options{Now: s.now, Log: s.logger(cfg)})
	if r.Saved != "" {
		fmt.Fprintf(s.errw, "what was there is in %s\n", termtext.Line(r.Saved))
	}
	if err != nil {
		return err
	}
	for _, p := range r.Problems {
		fmt.Fprintf(s.errw, "unreadable: %v\n", p)
	}
	if s.json {
		return s.printJSON(wire.RestoreReport{Memories: r.Memories, Saved: r.Saved, Problems: wire.ProblemsOf(r.Problems)})
	}
	fmt.Fprintf(s.out, "restored %s from %s\n", plural(r.Memories, "insight"), termtext.Line(path))
	return nil
}
