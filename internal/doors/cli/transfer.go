package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/importer"
)

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

// export is an export with the number of its memories, 0 if it is not known, and of relations that cannot be read.
type export struct {
	*importer.Export
	count, lost int
}

func exportOf(ctx context.Context, m *engine.Memories) (export, error) {
	x, err := importer.NewExport(ctx, m)
	if err != nil {
		return export{}, err
	}
	st, err := memory.Status(ctx, m)
	return export{x, st.Memories + st.Forgotten, 0}, err
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
	x := &importer.Export{Calendar: v.Calendar, Memories: v.Memories, Related: v.Relations}
	return errors.Join(exportTo(s, c.Store, export{x, 0, v.LostRelations}, args, force), v.Close())
}

// exportTo writes to the file that args names, or to the output.
func exportTo(s *shell, from config.Store, x export, args []string, force bool) error {
	if len(args) == 0 || args[0] == "-" {
		bar := newBar(s, x.count, "exporting")
		out, err := x.Write(termtext.JSON(s.out), bar.add)
		bar.finish()
		return errors.Join(err, printUnreadable(s, out.Unreadable, x.lost))
	}
	path, err := config.Expand("file", args[0])
	if err == nil {
		err = app.Apart(from, path)
	}
	if err != nil {
		return err
	}
	bar := newBar(s, x.count, "exporting")
	out, err := x.WriteFile(path, force, bar.add)
	bar.finish()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.errw, "exported %s to %s\n", memories(out.Memories), termtext.Line(path))
	return printUnreadable(s, out.Unreadable, x.lost)
}

// printUnreadable reports memories that could not be exported, or not completely.
func printUnreadable(s *shell, unreadable []api.StoreProblem, lost int) error {
	printProblems(s, unreadable)
	if lost > 0 {
		fmt.Fprintf(s.errw, "unreadable: %d relations\n", lost)
	}
	if n := len(unreadable) + lost; n > 0 {
		return &damageError{n}
	}
	return nil
}

func copyAll(ctx context.Context, s *shell, src, dst *engine.Memories) error {
	x, err := exportOf(ctx, src)
	if err != nil {
		return err
	}
	bar := newBar(s, x.count, "importing")
	r, err := x.Copy(ctx, src, dst, bar.at)
	bar.finish()
	return printImported(ctx, s, imported{Report: r}, err)
}
