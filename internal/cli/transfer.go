package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/formats"
	"github.com/hippo-memory/hippo/internal/termtext"
)

// bar shows the progress of n entries on a terminal, and nothing elsewhere; n 0
// is unknown.
func (s *shell) bar(n int, what string) *progressbar.ProgressBar {
	if !s.isTerminal(s.errw) {
		return progressbar.DefaultSilent(int64(n), what)
	}
	if n == 0 {
		n = -1
	}
	return progressbar.NewOptions(n, progressbar.OptionSetWriter(s.errw), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
}

func (s *shell) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import PATH",
		Short: "Add memories from a file or directory; - reads JSON lines from stdin",
		Long: `Add memories from what other programs, and older versions, left behind:
a Hippo directory or file in any shape it ever had, an export of this program,
JSON lines or a JSON array of objects, conversations in LoCoMo format.
Importing the same source again adds nothing.`,
		Args: one("a path"),
		RunE: func(c *cobra.Command, args []string) error {
			src, err := s.source(args[0])
			if err != nil {
				return err
			}
			return s.making(c.Context(), func(e *engine.Engine) error {
				r, err := s.importFrom(c.Context(), e, src)
				if err == nil {
					_, err = e.ImportRelations(c.Context(), src.Relations())
				}
				return s.imported(c.Context(), r, src, err)
			})
		},
	}
}

func (s *shell) source(path string) (*formats.Source, error) {
	if path == "-" {
		return formats.Read(s.in)
	}
	full, err := config.Expand(path)
	if err != nil {
		return nil, err
	}
	return formats.Open(full)
}

func (s *shell) importFrom(ctx context.Context, e *engine.Engine, src *formats.Source) (engine.ImportReport, error) {
	bar := s.bar(src.Count, "importing")
	defer bar.Finish() //nolint:errcheck // it is only shown
	return e.Import(ctx, src.Calendar, until(ctx, src.Entries()), func(done int) { _ = bar.Set(done) })
}

// until ends a sequence when ctx does.
func until(ctx context.Context, entries iter.Seq2[*hippo.Memory, error]) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for m, err := range entries {
			if ctx.Err() != nil || !yield(m, err) {
				return
			}
		}
	}
}

// interruptedError is an import that the user ended. What was added stays.
type interruptedError struct{ added int }

func (e *interruptedError) Error() string {
	return fmt.Sprintf("interrupted: %d added; run again to go on", e.added)
}
func (e *interruptedError) Unwrap() error { return context.Canceled }

// imported prints the outcome of an import that ended with err.
func (s *shell) imported(ctx context.Context, r engine.ImportReport, src *formats.Source, err error) error {
	if ctx.Err() != nil {
		return &interruptedError{r.Added}
	}
	return errors.Join(s.report(r, src), err)
}

// maxShown is how many rejections are printed; all are counted.
const maxShown = 20

// report prints the outcome of an import; rejections make it an error.
func (s *shell) report(r engine.ImportReport, src *formats.Source) error {
	if s.json {
		rejected := make([]string, len(r.Rejected))
		for i, x := range r.Rejected {
			rejected[i] = x.Err.Error()
		}
		if err := s.printJSON(map[string]any{
			"kind": src.Kind, "added": r.Added, "present": r.Present, "rejected": rejected,
		}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(s.out, "%s: %d added, %d already here, %d rejected\n", src.Kind, r.Added, r.Present, len(r.Rejected))
	}
	for _, x := range r.Rejected[:min(len(r.Rejected), maxShown)] {
		fmt.Fprintf(s.errw, "rejected: %s\n", termtext.Line(x.Err.Error()))
	}
	if len(r.Rejected) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d entries were rejected; the others are stored", len(r.Rejected), r.Added+r.Present+len(r.Rejected))
}

func (s *shell) exportCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write all memories as JSON lines that import back identically",
		Args:  atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			return s.with(c.Context(), func(e *engine.Engine) error {
				if len(args) == 0 || args[0] == "-" {
					_, err := s.export(c.Context(), e, termtext.JSON(s.out))
					return err
				}
				return s.exportFile(c.Context(), e, args[0], force)
			})
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return c
}

// exportFile writes to a file that appears when it is whole. What is there and is
// no plain file, a link or a pipe, stays what it is and is written directly.
func (s *shell) exportFile(ctx context.Context, e *engine.Engine, path string, force bool) error {
	path, err := config.Expand(path)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !force {
		return fmt.Errorf("%w: %s is there already: give --force to replace it", hippo.ErrConflict, path)
	}
	plain := true
	if info, err := os.Lstat(path); err == nil {
		plain = info.Mode().IsRegular()
	}
	name := path
	if plain {
		name += ".tmp"
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	n, err := s.export(ctx, e, f)
	if plain {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); plain {
		err = settle(name, path, err)
	}
	if err == nil {
		fmt.Fprintf(s.errw, "exported %d memories to %s\n", n, termtext.Line(path))
	}
	return err
}

// settle gives a written file its name, or removes it if err says it is not whole.
func settle(name, path string, err error) error {
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return os.Rename(name, path)
}

func (s *shell) export(ctx context.Context, e *engine.Engine, w io.Writer) (n int, err error) {
	cal, err := e.Calendar(ctx)
	if err != nil {
		return 0, err
	}
	st, err := e.Status(ctx)
	if err != nil {
		return 0, err
	}
	bar := s.bar(st.Memories+st.Forgotten, "exporting")
	defer bar.Finish() //nolint:errcheck // it is only shown
	related, err := relationsOf(ctx, e)
	if err != nil {
		return 0, err
	}
	out := formats.NewWriter(w, cal)
	for m, err := range e.Export(ctx) {
		if err == nil {
			err = out.Write(m, related[m.ID]...)
		}
		if err != nil {
			return n, err
		}
		n++
		_ = bar.Add(1)
	}
	return n, out.Flush()
}

// relationsOf returns all relations, by the memory they are from.
func relationsOf(ctx context.Context, e *engine.Engine) (map[hippo.ID][]hippo.Relation, error) {
	from := make(map[hippo.ID][]hippo.Relation)
	for r, err := range e.ExportRelations(ctx) {
		if err != nil {
			return nil, err
		}
		from[r.From] = append(from[r.From], r)
	}
	return from, nil
}

func (s *shell) migrateCommand() *cobra.Command {
	var from, to string
	c := &cobra.Command{
		Use:     "migrate --from URL --to URL",
		Short:   "Copy all memories from one store to another",
		Example: `  hippo migrate --from dir:~/.hippo --to sqlite:~/memory.db`,
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if from == "" || to == "" {
				return usagef("both --from and --to are needed")
			}
			return s.migrate(c.Context(), from, to)
		},
	}
	c.Flags().StringVar(&from, "from", "", "the store to read")
	c.Flags().StringVar(&to, "to", "", "the store to write; made if it does not exist")
	return c
}

func (s *shell) migrate(ctx context.Context, from, to string) error {
	if err := twoStores(from, to); err != nil {
		return err
	}
	src, err := s.openURL(ctx, from)
	if err != nil {
		return err
	}
	dst, err := s.openURL(ctx, to)
	if err != nil {
		return errors.Join(err, src.Close())
	}
	err = s.copyAll(ctx, src, dst)
	return errors.Join(err, src.Close(), dst.Close())
}

// twoStores refuses to copy a store onto itself, and to read from one that opening
// would make.
func twoStores(fromURL, toURL string) error {
	from, err := config.ParseStore(fromURL)
	if err != nil {
		return err
	}
	to, err := config.ParseStore(toURL)
	if err != nil {
		return err
	}
	if from == to {
		return hippo.Fieldf("to", "must be another store than from, got %s twice", from)
	}
	return exists(from)
}

func (s *shell) openURL(ctx context.Context, url string) (*engine.Engine, error) {
	c, err := s.config()
	if err != nil {
		return nil, err
	}
	if c.Store, err = config.ParseStore(url); err != nil {
		return nil, err
	}
	return app.Open(ctx, c, &app.Options{Now: s.now, Log: s.logger(c)})
}

func (s *shell) copyAll(ctx context.Context, src, dst *engine.Engine) error {
	cal, err := src.Calendar(ctx)
	if err != nil {
		return err
	}
	st, err := src.Status(ctx)
	if err != nil {
		return err
	}
	bar := s.bar(st.Memories+st.Forgotten, "copying")
	defer bar.Finish() //nolint:errcheck // it is only shown
	r, err := dst.Import(ctx, cal, until(ctx, src.Export(ctx)), func(done int) { _ = bar.Set(done) })
	if err == nil {
		err = copyRelations(ctx, src, dst)
	}
	return s.imported(ctx, r, &formats.Source{Kind: "store"}, err)
}

func copyRelations(ctx context.Context, src, dst *engine.Engine) error {
	var all []hippo.Relation
	for r, err := range src.ExportRelations(ctx) {
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	_, err := dst.ImportRelations(ctx, all)
	return err
}
