package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

func newCheckCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the whole store for damage, and show how to repair it",
		Long: `Read the whole store and verify it: the pages and indexes of a database, every memory, every file of a directory, and the file of
the search index. The store may be in use. Exit code 0: sound; 3: damaged.`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := existingStore(s)
			if err == nil {
				err = ownStore(cfg.Store, "reads its files: run it on the server; hippo status says what that knows to be damaged")
			}
			if err != nil {
				return err
			}
			r, err := app.Check(c.Context(), cfg.Store, &app.Options{Now: s.now, Log: s.logger(cfg)})
			if err != nil {
				return err
			}
			return printCheck(s, r)
		},
	}
}

// damageError reports damage that a command found; the command itself did not fail.
type damageError struct{ n int }

// Is makes it a [hippo.ErrCorrupt].
func (*damageError) Is(target error) bool { return target == hippo.ErrCorrupt }

func (e *damageError) Error() string {
	if e.n == 1 {
		return "1 problem"
	}
	return fmt.Sprintf("%d problems", e.n)
}

func printCheck(s *shell, r app.CheckReport) error {
	if s.json {
		if err := s.printJSON(wire.CheckReport{
			Store: r.Store, Memories: r.Memories, Forgotten: r.Forgotten, Index: r.Index, Problems: wire.ProblemsOf(r.Problems), Damaged: r.Damaged,
		}); err != nil {
			return err
		}
	} else if err := s.table(func(w io.Writer) {
		fmt.Fprintf(w, "store\t%s\n", termtext.Line(r.Store))
		fmt.Fprintf(w, "memories\t%d, %d forgotten\n", r.Memories, r.Forgotten)
		fmt.Fprintf(w, "index\t%s\n", r.Index)
		for _, p := range r.Problems {
			fmt.Fprintf(w, "problem\t%s\n", termtext.Line(p.String()))
		}
		if len(r.Problems) == 0 {
			fmt.Fprintf(w, "sound\tyes\n")
		}
	}); err != nil {
		return err
	}
	if len(r.Problems) == 0 {
		return nil
	}
	if !s.json {
		fmt.Fprintln(s.errw, advice(r))
	}
	return &damageError{len(r.Problems)}
}

// advice returns what to do about the problems of a store.
func advice(r app.CheckReport) string {
	if r.Damaged && strings.HasPrefix(r.Store, "shared:") {
		return `the file is damaged and is not written any more. End the programs that use it, then
  hippo export --salvage saved.jsonl    saves what can be read
  move the damaged file away, and
  hippo restore BACKUP                  takes a backup back
or
  hippo import saved.jsonl              makes a new file of what was saved`
	}
	if r.Damaged {
		return `the store is damaged and is not written any more. Either
  hippo restore BACKUP                  takes a backup back, and keeps the damaged file aside
or
  hippo export --salvage saved.jsonl    saves what can be read
  move the damaged file away, and
  hippo import saved.jsonl              makes a new store of it`
	}
	if r.ReadOnly {
		return "the store can be read, and is not written until what is named above is mended"
	}
	return `all others can be read and written. Of what is named above
  hippo export --salvage saved.jsonl    saves what can be read of it
  hippo import FILE                     puts it back from an older export
  hippo forget ID --purge               removes it`
}
