package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/verb"
)

// importFrom imports memories, without their relations.
func importFrom(ctx context.Context, s *shell, t engine.Transfer, x export) (api.ImportReport, error) {
	bar := newBar(s, x.count, "importing")
	defer bar.finish()
	return t.Import(ctx, x.calendar, until(ctx, x.memories), func(done int) { bar.set(int64(done), int64(x.count)) })
}

// until ends a sequence when ctx is done.
func until(ctx context.Context, entries iter.Seq2[*hippo.Memory, error]) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for m, err := range entries {
			if ctx.Err() != nil || !yield(m, err) {
				return
			}
		}
	}
}

// interruptedError is an import that the user cancelled. The memories added so far are kept.
type interruptedError struct{ added int }

func (e *interruptedError) Error() string {
	return fmt.Sprintf("interrupted: %d added; run again to go on", e.added)
}
func (e *interruptedError) Unwrap() error { return context.Canceled }

func newExportCommand(s *shell) *cobra.Command {
	var force, salvage bool
	c := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Export all memories as JSON lines, for a lossless import",
		Args:  maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			if salvage {
				return exportSalvaged(c.Context(), s, args, force)
			}
			cfg, err := s.named()
			if err != nil {
				return err
			}
			return s.withEngine(c.Context(), cfg, func(m *engine.Memories) error {
				m, err := narrowed(c.Context(), s, m)
				if err != nil {
					return err
				}
				x, err := exportOf(c.Context(), m)
				if err != nil {
					return err
				}
				return exportTo(s, cfg.Store, x, args, force)
			})
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace an existing file")
	c.Flags().BoolVar(&salvage, "salvage", false, "skip what is damaged, and report what is lost")
	return c
}

// export is the content of an export.
type export struct {
	calendar hippo.Calendar
	count    int // of the memories; 0 if it is not known
	memories iter.Seq2[*hippo.Memory, error]
	related  map[hippo.ID][]hippo.Relation
	lost     int // relations that cannot be read
}

func exportOf(ctx context.Context, m *engine.Memories) (x export, err error) {
	if x.calendar, err = m.Transfer().Calendar(ctx); err != nil {
		return x, err
	}
	st, err := m.Status(ctx)
	if err != nil {
		return x, err
	}
	x.count, x.memories = st.Memories+st.Forgotten, m.Transfer().Export(ctx)
	x.related, err = relationsOf(ctx, m.Transfer())
	return x, err
}

// exportSalvaged exports what can be read of a store that may be too damaged to be opened.
func exportSalvaged(ctx context.Context, s *shell, args []string, force bool) error {
	c, err := existingStore(s)
	if err == nil {
		err = ownStore(c.Store, "with --salvage reads its files: run it on the server")
	}
	if err != nil {
		return err
	}
	v, err := app.OpenSalvage(ctx, c.Store, &app.Options{Now: s.now, Log: s.logger(c)})
	if err != nil {
		return err
	}
	err = exportTo(s, c.Store, export{calendar: v.Calendar, memories: v.Memories, related: v.Relations, lost: v.LostRelations}, args, force)
	return errors.Join(err, v.Close())
}

// exportTo writes to the file that args names, or to the output.
func exportTo(s *shell, from config.Store, x export, args []string, force bool) error {
	if len(args) == 0 || args[0] == "-" {
		_, unreadable, err := writeExport(s, x, termtext.JSON(s.out))
		return errors.Join(err, printUnreadable(s, x, unreadable))
	}
	path, err := config.Expand("file", args[0])
	if err == nil {
		err = app.Apart(from, path)
	}
	if err != nil {
		return err
	}
	return exportFile(s, x, path, force)
}

// exportFile writes to a temporary file and renames it when it is complete. An existing link
// or pipe is kept and written directly.
func exportFile(s *shell, x export, path string, force bool) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !force {
		return fmt.Errorf("%w: %s is there already: give --force to replace it", hippo.ErrConflict, path)
	}
	plain := true
	if info, err := os.Lstat(path); err == nil {
		plain = info.Mode().IsRegular()
	}
	var f *os.File
	var err error
	if plain {
		f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	} else {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	}
	if err != nil {
		return atomicfile.OfTarget(err, path)
	}
	n, unreadable, err := writeExport(s, x, f)
	if err = errors.Join(err, f.Close()); plain {
		err = finishFile(f.Name(), path, err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.errw, "exported %s to %s\n", memories(n), termtext.Line(path))
	return printUnreadable(s, x, unreadable)
}

// finishFile renames a temporary file, or removes it if err is not nil.
func finishFile(name, path string, err error) error {
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return atomicfile.Publish(name, path)
}

// writeExport writes an export, and returns how many memories it has, and what cannot be read.
func writeExport(s *shell, x export, w io.Writer) (n int, unreadable []api.StoreProblem, err error) {
	bar := newBar(s, x.count, "exporting")
	defer bar.finish()
	out := formats.NewWriter(w, x.calendar)
	out.SecretAllowed = engine.HoldsSecret
	for m, err := range x.memories {
		if bad, ok := errors.AsType[*api.UnreadableError](err); ok {
			unreadable = append(unreadable, bad.Problems...)
			continue
		}
		if err == nil {
			err = out.Write(m, x.related[m.ID]...)
		}
		if err != nil {
			return n, unreadable, err
		}
		n++
		bar.add()
	}
	return n, unreadable, out.Flush()
}

// printUnreadable reports memories that could not be exported, or not completely.
func printUnreadable(s *shell, x export, unreadable []api.StoreProblem) error {
	printProblems(s, unreadable)
	if x.lost > 0 {
		fmt.Fprintf(s.errw, "unreadable: %d relations\n", x.lost)
	}
	if n := len(unreadable) + x.lost; n > 0 {
		return &damageError{n}
	}
	return nil
}

// relationsOf returns all relations, by the memory they are from.
func relationsOf(ctx context.Context, t engine.Transfer) (map[hippo.ID][]hippo.Relation, error) {
	from := make(map[hippo.ID][]hippo.Relation)
	for r, err := range t.ExportRelations(ctx) {
		if err != nil {
			return nil, err
		}
		from[r.From] = append(from[r.From], r)
	}
	return from, nil
}

func newMigrateCommand(s *shell) *cobra.Command {
	var from, to string
	c := &cobra.Command{
		Use:     "migrate --from URL --to URL",
		Short:   "Copy all memories from one store to another",
		Example: "  hippo migrate --from dir:~/.hippo --to sqlite:~/memory.db\n  hippo migrate --from sqlite:~/memory.db --to https://memory.example.org",
		Args:    maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if from == "" || to == "" {
				return usagef("both --from and --to are needed")
			}
			return migrateStore(c.Context(), s, from, to)
		},
	}
	c.Flags().StringVar(&from, "from", "", "the store to read")
	c.Flags().StringVar(&to, "to", "", "the store to write; it is created if it does not exist, unless it is on a server")
	return c
}

// copyHistory copies what is kept of insights that were changed.
func copyHistory(ctx context.Context, src *engine.Memories, dst engine.Transfer) error {
	for vs, err := range src.Transfer().ExportHistory(ctx) {
		if err != nil {
			return err
		}
		if _, err := dst.ImportHistory(ctx, vs); err != nil {
			return err
		}
	}
	return nil
}

// migrateStore copies a store, which must exist, to another one.
func migrateStore(ctx context.Context, s *shell, from, to string) error {
	src, err := s.config()
	if err != nil {
		return err
	}
	dst := src
	if src.Store, err = config.ParseStore(from); err != nil {
		return verb.Named(err, verb.Shell, []verb.Arg{{Name: "from", Field: "store"}})
	}
	if dst.Store, err = config.ParseStore(to); err != nil {
		return verb.Named(err, verb.Shell, []verb.Arg{{Name: "to", Field: "store"}})
	}
	if app.Same(src.Store, dst.Store) {
		return hippo.Fieldf("to", "must be another store than from, but %s and %s are one", src.Store, dst.Store)
	}
	if err := exists(src.Store); err != nil {
		return err
	}
	return s.withEngine(ctx, src, func(src *engine.Memories) error {
		src, err := narrowed(ctx, s, src)
		if err != nil {
			return err
		}
		return s.withEngine(ctx, dst, func(dst *engine.Memories) error { return copyAll(ctx, s, src, dst.Transfer().AllowSecrets()) })
	})
}

func copyAll(ctx context.Context, s *shell, src *engine.Memories, dst engine.Transfer) error {
	x, err := exportOf(ctx, src)
	if err != nil {
		return err
	}
	r, err := importFrom(ctx, s, dst, x)
	if err == nil {
		_, err = dst.ImportRelations(ctx, slices.Concat(slices.Collect(maps.Values(x.related))...))
	}
	if err == nil {
		err = copyHistory(ctx, src, dst)
	}
	return printImported(ctx, s, imported{ImportReport: r, kind: "store"}, err)
}
