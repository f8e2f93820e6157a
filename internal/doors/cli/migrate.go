package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newMigrateCommand(s *shell) *cobra.Command {
	var f migrateFlags
	c := &cobra.Command{
		Use:     "migrate --from URL --to URL",
		Short:   "Copy all memories from one store to another",
		Example: "  hippo migrate --from dir:~/.hippo --to sqlite:~/memory.db\n  hippo migrate --from sqlite:~/memory.db --to https://memory.example.org\n  hippo migrate --from sqlite:~/a.db --to postgres://db/memory --all-namespaces",
		Args:    maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.from == "" || f.to == "" {
				return usagef("both --from and --to are needed")
			}
			return migrateStore(c.Context(), s, &f)
		},
	}
	c.Flags().StringVar(&f.from, "from", "", "the store to read")
	c.Flags().StringVar(&f.to, "to", "", "the store to write; it is created if it does not exist, unless it is on a server")
	c.Flags().BoolVar(&f.all, "all-namespaces", false, "to or from a database: copy all namespaces, not only that of --namespace")
	c.Flags().BoolVar(&f.follow, "follow", false, "to or from a database: after the copy, copy what is changed in the store to read, until Ctrl-C")
	return c
}

// migrateFlags are those of hippo migrate.
type migrateFlags struct {
	from, to    string
	all, follow bool
}

// migrateStore copies a store, which must exist, to another one.
func migrateStore(ctx context.Context, s *shell, f *migrateFlags) error {
	src, err := s.config()
	if err != nil {
		return err
	}
	dst := src
	if src.Store, err = config.ParseStore(f.from); err != nil {
		return verb.Named(err, verb.Shell, []verb.Arg{{Name: "from", Field: "store"}})
	}
	if dst.Store, err = config.ParseStore(f.to); err != nil {
		return verb.Named(err, verb.Shell, []verb.Arg{{Name: "to", Field: "store"}})
	}
	if app.Same(src.Store, dst.Store) {
		return hippo.Fieldf("to", "must be another store than from, but %s and %s are one", src.Store, dst.Store)
	}
	if err := exists(src.Store); err != nil {
		return err
	}
	if src.Store.Database() || dst.Store.Database() {
		return migrateDatabase(ctx, s, src, dst, f)
	}
	if f.all || f.follow {
		return usagef("--all-namespaces and --follow are for a migration to or from a database")
	}
	return s.withEngine(ctx, src, func(src *engine.Memories) error {
		src, err := narrowed(ctx, s, src)
		if err != nil {
			return err
		}
		return s.withEngine(ctx, dst, func(dst *engine.Memories) error { return copyAll(ctx, s, src, dst) })
	})
}

// migrateDatabase copies namespaces to or from a database, with all that belongs to their memories.
func migrateDatabase(ctx context.Context, s *shell, src, dst config.Config, f *migrateFlags) error {
	bar := newBar(s, 0, "copying")
	done := []app.Migrated{}
	m := app.Migration{From: src, To: dst, Follow: f.follow, Progress: func(_ string, read, of int) { bar.set(int64(read), int64(of)) }}
	m.Copied = func(n app.Migrated) {
		bar.finish()
		if done = append(done, n); !s.json {
			fmt.Fprintf(s.out, "namespace %s: %d memories, %d copied, %d relations, sha256 %.12s\n", strconv.Quote(n.Namespace), n.Memories, n.Copied, n.Relations, n.Hash)
		}
	}
	if !f.all {
		m.Namespaces = []string{src.Namespace}
	}
	err := m.Run(ctx, &app.Options{Now: s.now, Log: s.logger(src)})
	bar.finish()
	if s.json {
		err = errors.Join(s.printJSON(map[string]any{"namespaces": done}), err)
	}
	return err
}
