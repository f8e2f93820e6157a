package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

func newCodeCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "code",
		Short: "Index source trees and ask about them: search, definitions, callers, a map",
		Long: `Index source trees, and find code by text, meaning and names. A tree is indexed only if you name its root. The index is kept in the
cache directory, never in a store, and can be deleted at any time.`,
		Args: refuseUnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newCodeIndexCommand(s), newCodeWatchCommand(s), newCodeStatusCommand(s), newCodeSearchCommand(s), newCodeSymbolCommand(s), newCodeOutlineCommand(s), newCodeEdgesCommand(s, false), newCodeEdgesCommand(s, true), newCodeRelatedCommand(s), newCodeMapCommand(s), newCodeForgetCommand(s))
	return c
}

// withCode opens the code indexes, runs fn and closes them.
func withCode(s *shell, fn func(code.Library) error) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	l, err := app.OpenCode(&app.Options{Now: s.now, Log: s.logger(c), CodeModel: c.Model})
	if err != nil {
		return err
	}
	return errors.Join(fn(l), l.Close())
}

// inTrees makes the run of a question that several trees can answer.
func inTrees(s *shell, asked *code.Asked, fn func(*cobra.Command, []string, *code.Trees) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return withCode(s, func(l code.Library) error {
			in, err := l.Ask(c.Context(), *asked)
			if err != nil {
				return err
			}
			return fn(c, args, in)
		})
	}
}

// onTree makes the run of a question that one tree answers, and says what its index lacks.
func onTree(s *shell, asked *code.Asked, fn func(*cobra.Command, []string, *code.Tree) error) func(*cobra.Command, []string) error {
	return inTrees(s, asked, func(c *cobra.Command, args []string, in *code.Trees) error {
		t, err := in.One()
		if err == nil {
			err = fn(c, args, t)
		}
		if err != nil {
			return err
		}
		for _, n := range t.Notes() {
			s.warn("%s", n)
		}
		return nil
	})
}

// addRoot adds the flag for the tree of a question.
func addRoot(c *cobra.Command, asked *code.Asked) {
	addPath(c.Flags(), &asked.Root, "root", "a path in the tree to search (default: the tree of the current directory)")
}

func newCodeIndexCommand(s *shell) *cobra.Command {
	var rebuild, skipped, embedded bool
	c := &cobra.Command{
		Use:   "index PATH",
		Short: "Index a source tree, or update its index; only changed files are parsed again",
		Long: `Index the tree below PATH, or bring its index up to date. Files ignored by git or a .hippoignore are left out, and so are hidden,
vendored, generated, minified and binary files, lock files, and files larger than 1 MB. A line such as !vendor/ in a .hippoignore includes a
folder again. Searches see the previous state until the update is complete.

Everything can then be found. For trees of up to 8,192 chunks the built-in encoder improves the ranking, at 20 to 30 ms per chunk: hippo
serve and hippo code watch embed in the background, --embed at once. An update of less than one or two seconds is always embedded at once.`,
		Example: "  hippo code index .\n  hippo code index ~/src/linux --skipped",
		Args:    oneArgument("the root of a source tree"),
		RunE: func(c *cobra.Command, args []string) error {
			return withCode(s, func(l code.Library) error {
				t, r, err := l.Update(c.Context(), args[0], rebuild, progressOf(s))
				if err != nil {
					return err
				}
				if err := printCodeReport(s, r, skipped); err != nil {
					return err
				}
				return encodeTree(c.Context(), s, t, embedded)
			})
		},
	}
	c.Flags().BoolVar(&rebuild, "rebuild", false, "parse all files again")
	c.Flags().BoolVar(&skipped, "skipped", false, "list the files that are left out, with the reason")
	c.Flags().BoolVar(&embedded, "embed", false, "embed all chunks with the encoder now; this takes up to four minutes")
	return c
}

// progressOf returns a function that shows progress on a terminal; nil if there is none.
func progressOf(s *shell) func(api.CodeProgress) {
	if s.json || !s.isTerminal(s.errw) {
		return nil
	}
	var last time.Time
	return func(p api.CodeProgress) {
		const often = 100 * time.Millisecond
		now := s.now()
		if now.Sub(last) < often {
			return
		}
		last = now
		text := string(p.Phase)
		if p.Total > 0 {
			text += fmt.Sprintf(" %d %%", 100*p.Done/p.Total)
		}
		if p.Left > 0 {
			text += fmt.Sprintf(", about %v left", p.Left.Round(time.Second))
		}
		fmt.Fprintf(s.errw, "\r%-40s\r", text)
	}
}

func printCodeReport(s *shell, r *api.CodeReport, skipped bool) error {
	s.count = r.Parsed
	if s.json {
		return s.printJSON(r)
	}
	fmt.Fprintf(s.out, "%s: %s, %s, %s.\n", r.Root, plural(r.Files, "file"), plural(r.Symbols, "symbol"), plural(r.Chunks, "chunk"))
	fmt.Fprintf(s.out, "Parsed %s (%.1f MB), removed %d, unchanged %d, in %v.\n", plural(r.Parsed, "file"), float64(r.Bytes)/1e6, r.Removed, r.Unchanged, time.Duration(r.MS)*time.Millisecond)
	if r.Errors > 0 {
		fmt.Fprintf(s.out, "%s that the grammars do not accept; what is around them is indexed.\n", plural(r.Errors, "place"))
	}
	reasons := make(map[string]int)
	for _, k := range r.Skips {
		reasons[k.Reason]++
		if skipped {
			fmt.Fprintf(s.out, "  %s: %s\n", termtext.Line(k.Path), strings.TrimSpace(k.Reason+" "+termtext.Line(k.Detail)))
		}
	}
	if len(r.Skips) > 0 && !skipped {
		var list []string
		for _, why := range slices.Sorted(maps.Keys(reasons)) {
			list = append(list, fmt.Sprintf("%d %s", reasons[why], why))
		}
		fmt.Fprintf(s.out, "Left out: %s (--skipped lists them).\n", strings.Join(list, ", "))
	}
	return nil
}

func newCodeStatusCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "List the indexed source trees",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return withCode(s, func(l code.Library) error { return printCodeStatus(c.Context(), s, l) })
		},
	}
}

func printCodeStatus(ctx context.Context, s *shell, l code.Library) error {
	trees, err := l.Trees()
	if err != nil {
		return err
	}
	s.count = len(trees)
	list := make([]wire.CodeStatus, len(trees))
	for i, t := range trees {
		state := t.Status(ctx)
		list[i] = wire.CodeStatusOf(&state)
	}
	if s.json {
		return s.printJSON(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "No source tree is indexed: hippo code index PATH.")
	}
	for _, st := range list {
		fmt.Fprintln(s.out, bold(s, termtext.Line(st.Root)))
		if st.Problem != "" {
			fmt.Fprintf(s.out, "  %s\n", termtext.Line(st.Problem))
		}
		if st.Updated == "" {
			continue
		}
		if err := s.table(func(w io.Writer) {
			fmt.Fprintf(w, "  holds\t%s, %s, %s, %d with a vector\n", plural(st.Files, "file"), plural(st.Symbols, "symbol"), plural(st.Chunks, "chunk"), st.Embedded)
			fmt.Fprintf(w, "  encoder\t%s\n", encoderLine(&st))
			fmt.Fprintf(w, "  updated\t%s\n", st.Updated)
			fmt.Fprintf(w, "  index\t%.1f MB; %d files and folders left out\n", float64(st.Bytes)/1e6, st.Skipped)
		}); err != nil {
			return err
		}
	}
	return nil
}

func newCodeForgetCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "forget PATH",
		Short: "Delete the index of a source tree; the source files are not touched",
		Args:  oneArgument("the root of an indexed tree"),
		RunE: func(c *cobra.Command, args []string) error {
			return withCode(s, func(l code.Library) error {
				r, err := l.Forget(c.Context(), args[0])
				if err != nil {
					return err
				}
				if s.json {
					return s.printJSON(r)
				}
				fmt.Fprintf(s.out, "Forgot the index of %s.\n", r.Path)
				return nil
			})
		},
	}
}
