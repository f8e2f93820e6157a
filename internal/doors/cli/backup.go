package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

func newBackupCommand(s *shell) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Back up the whole store to one file, for hippo restore",
		Long: `Back up everything to one SQLite file: all projects and namespaces, forgotten memories, votes, use and relations. The store may be
in use and of any kind. The file is verified before it gets its name. --store sqlite:FILE opens it.`,
		Args: oneArgument("a file"),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := existingStore(s)
			if err == nil {
				err = ownStore(cfg.Store, "writes all tenants of a store to a file beside it: run it on the server, or serve with --backup-every; hippo export writes what your token reaches")
			}
			if err != nil {
				return err
			}
			path, err := config.Expand("file", args[0])
			if err != nil {
				return err
			}
			r, err := app.Backup(c.Context(), cfg.Store, path, force, &app.Options{Now: s.now, Log: s.logger(cfg)})
			if err != nil {
				return err
			}
			if s.json {
				return s.printJSON(wire.BackupReport{
					Memories: r.Memories, Forgotten: r.Forgotten, Relations: r.Relations, Problems: wire.ProblemsOf(r.Problems),
				})
			}
			printProblems(s, r.Problems)
			fmt.Fprintf(s.out, "backed up %s, %d forgotten, %s to %s\n", memories(r.Memories), r.Forgotten, plural(r.Relations, "relation"), termtext.Line(path))
			return nil
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return c
}

// printProblems reports memories that cannot be read beside the result.
func printProblems(s *shell, ps []api.StoreProblem) {
	for _, p := range ps {
		fmt.Fprintf(s.errw, "unreadable: %s\n", termtext.Line(p.String()))
	}
}

// existingStore returns the configuration if its store exists.
func existingStore(s *shell) (config.Config, error) {
	c, err := s.config()
	if err == nil {
		err = exists(c.Store)
	}
	return c, err
}

// ownStore refuses a store on a server and one in a database, for a command that needs the files of the store.
func ownStore(store config.Store, why string) error {
	return cmp.Or(openedHere(store, why), app.InFiles(store))
}

// openedHere refuses a store on a server, for a command that opens the store in its own process.
func openedHere(store config.Store, why string) error {
	if !store.Remote() {
		return nil
	}
	return fmt.Errorf("%w: the store is on a server, %s: this command %s", hippo.ErrUnsupported, store, why)
}

// isFile reports whether an argument of hippo restore is a file: it has a separator of paths, ends
// in .db, or names something that exists.
func isFile(arg string) bool {
	if strings.ContainsRune(arg, '/') || strings.ContainsRune(arg, filepath.Separator) || strings.HasSuffix(arg, ".db") {
		return true
	}
	_, err := os.Lstat(arg)
	return err == nil
}

// restoreFile replaces the store by a backup, which is checked before the user is asked.
func restoreFile(ctx context.Context, s *shell, file string, yes, bringBack bool) (err error) {
	cfg, err := s.config()
	if err == nil {
		err = ownStore(cfg.Store, "replaces a store as a whole: run it on the server, while that is stopped")
	}
	if err != nil {
		return err
	}
	path, err := config.Expand("file", file)
	if err != nil {
		return err
	}
	b, err := app.OpenBackup(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	b.BringBack = bringBack
	if !yes {
		question := fmt.Sprintf("Replace everything in %s by %s?", cfg.Store, path)
		if err := confirm(ctx, s, termtext.Line(question), fmt.Sprintf("restoring %s replaces everything in %s", path, cfg.Store)); err != nil {
			return err
		}
	}
	r, err := b.Restore(ctx, cfg.Store, s.now(), &app.Options{Now: s.now, Log: s.logger(cfg)})
	return printRestored(s, path, r, err)
}

// printRestored prints the outcome of a restore, which may have failed after it saved the store.
func printRestored(s *shell, path string, r app.RestoreReport, err error) error {
	if s.json && err == nil {
		return s.printJSON(wire.RestoreReport{Memories: r.Memories, Forgotten: r.Forgotten, Purged: r.Purged, Saved: r.Saved, Problems: wire.ProblemsOf(r.Problems)})
	}
	if r.Saved != "" {
		fmt.Fprintf(s.errw, "what was there is in %s\n", termtext.Line(r.Saved))
	}
	if err != nil {
		return err
	}
	printProblems(s, r.Problems)
	fmt.Fprintf(s.out, "restored %s from %s\n", memories(r.Memories), termtext.Line(path))
	if r.Forgotten > 0 {
		fmt.Fprintf(s.out, "forgotten: %s, on all machines that sync with this one, because the backup does not have them\n", memories(r.Forgotten))
		fmt.Fprintln(s.errw, "hippo list --forgotten shows them")
	}
	if r.Purged > 0 {
		fmt.Fprintf(s.out, "left out: %s, purged since\n", memories(r.Purged))
	}
	if r.Purged > r.Final {
		fmt.Fprintf(s.errw, "try: hippo restore %s --bring-back restores them as well\n", termtext.Argument(path))
	}
	return nil
}
