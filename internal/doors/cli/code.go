package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// codeFlags are the flags of questions about code.
type codeFlags struct {
	root, path, language, kind string
	count                      int
}

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
func withCode(s *shell, fn func(*codeindex.Library) error) error {
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

// onTree is [codeFlags.inTree] for questions whose answers do not say themselves what the index lacks.
func (f *codeFlags) onTree(s *shell, fn func(*cobra.Command, []string, *codeindex.Tree, codeindex.Filter) error) func(*cobra.Command, []string) error {
	return f.inTree(s, func(c *cobra.Command, args []string, t *codeindex.Tree, filter codeindex.Filter) error {
		if err := fn(c, args, t, filter); err != nil {
			return err
		}
		for _, n := range codeindex.Notes(t) {
			s.warn("%s", n)
		}
		return nil
	})
}

// inTree makes the run of a question about a tree: fn gets the tree and the filter of the flags.
func (f *codeFlags) inTree(s *shell, fn func(*cobra.Command, []string, *codeindex.Tree, codeindex.Filter) error) func(*cobra.Command, []string) error {
	return f.inTrees(s, func(c *cobra.Command, args []string, in *codeTrees) error {
		if len(in.trees) > 1 {
			return nameRoot(in.trees)
		}
		return fn(c, args, in.trees[0], in.filter)
	})
}

// codeTrees are the trees that a question is about, from the current directory; of several the filter has no path.
type codeTrees struct {
	trees  []*codeindex.Tree
	dir    string
	filter codeindex.Filter
}

// inTrees is inTree for a question that several trees can answer.
func (f *codeFlags) inTrees(s *shell, fn func(*cobra.Command, []string, *codeTrees) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return withCode(s, func(l *codeindex.Library) error {
			in, err := f.trees(l)
			if err != nil {
				return err
			}
			if in.filter, err = f.filter(c.Context(), in.trees[0]); err != nil {
				return err
			}
			return fn(c, args, in)
		})
	}
}

// updateTree brings the index of a root up to date, after it was added if need be.
func updateTree(ctx context.Context, s *shell, l *codeindex.Library, path string, rebuild bool) (*codeindex.Tree, *codeindex.Report, error) {
	path, err := config.Expand("path", path)
	if err != nil {
		return nil, nil, err
	}
	t, err := l.Add(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	r, err := t.Update(ctx, &codeindex.UpdateOptions{Rebuild: rebuild, Progress: progressOf(s)})
	return t, r, err
}

// trees returns the trees that a question is about: that of --root, else that of the current directory, else those below it or
// the one with --path, else the only one. There is at least one.
func (f *codeFlags) trees(l *codeindex.Library) (*codeTrees, error) {
	if f.root != "" {
		t, err := l.Holding(f.root)
		return &codeTrees{trees: []*codeindex.Tree{t}}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	all, err := l.Trees()
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("%w: no source tree is indexed; run hippo code index PATH", hippo.ErrNotFound)
	}
	scope := hippo.LocalScope("")
	trees, err := l.ChooseAll(&scope, codeindex.Choice{Dir: dir})
	if _, several := errors.AsType[*hippo.FieldError](err); several {
		err = nameRoot(all)
	}
	if err != nil || len(trees) == 1 || f.path == "" {
		return &codeTrees{trees: trees, dir: dir}, err
	}
	t := codeindex.TreeAt(trees, dir, f.path)
	if t == nil {
		return nil, nameRoot(trees)
	}
	return &codeTrees{trees: []*codeindex.Tree{t}, dir: dir}, nil
}

// nameRoot is the error of a question that one tree answers where several may be meant.
func nameRoot(trees []*codeindex.Tree) error {
	var names []string
	for _, t := range trees {
		names = append(names, t.Root.Path)
	}
	return fmt.Errorf("%w: the current directory is in no tree that is indexed; name one with --root: %s", hippo.ErrInvalid, strings.Join(names, ", "))
}

// filter returns the filter of the flags; a path may be one of this machine.
func (f *codeFlags) filter(ctx context.Context, t *codeindex.Tree) (codeindex.Filter, error) {
	out := codeindex.Filter{Path: f.path, Language: strings.ToLower(f.language), Kind: syntax.Kind(strings.ToLower(f.kind))}
	if f.path == "" {
		return out, nil
	}
	p, err := relative(ctx, t, f.path)
	out.Path = p
	return out, err
}

// relative returns a path relative to the root of a tree. What does not lie there from the current directory, and is
// not indexed there, is meant from the root.
func relative(ctx context.Context, t *codeindex.Tree, path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	rel, err := filepath.Rel(t.Root.Path, full)
	if err == nil && filepath.IsLocal(rel) {
		if _, err := os.Stat(full); err == nil {
			return filepath.ToSlash(rel), nil
		}
		if held, err := codeindex.Holds(ctx, t, filepath.ToSlash(rel)); held || err != nil {
			return filepath.ToSlash(rel), err
		}
	}
	if filepath.IsAbs(path) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", fmt.Errorf("%w: %s is outside of %s", hippo.ErrInvalid, path, t.Root.Path)
	}
	return filepath.ToSlash(filepath.Clean(path)), nil
}

func addCodeFlags(c *cobra.Command, f *codeFlags, filters bool) {
	addPath(c.Flags(), &f.root, "root", "a path in the tree to search (default: the tree of the current directory)")
	if !filters {
		return
	}
	c.Flags().StringVar(&f.path, "path", "", "only this file or folder")
	c.Flags().StringVar(&f.language, "language", "", "only this language, such as go or python")
	c.Flags().StringVar(&f.kind, "kind", "", "only this kind: function, method, class, struct, interface, type, constant, variable, section")
	c.Flags().IntVarP(&f.count, "count", "n", codeindex.DefaultCount, fmt.Sprintf("the number of results, at most %d", codeindex.MaxCount))
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
			return withCode(s, func(l *codeindex.Library) error {
				t, r, err := updateTree(c.Context(), s, l, args[0], rebuild)
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
func progressOf(s *shell) func(codeindex.Progress) {
	if s.json || !s.isTerminal(s.errw) {
		return nil
	}
	var last time.Time
	return func(p codeindex.Progress) {
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

func printCodeReport(s *shell, r *codeindex.Report, skipped bool) error {
	s.count = r.Parsed
	if s.json {
		return s.printJSON(wire.CodeReportOf(r))
	}
	fmt.Fprintf(s.out, "%s: %s, %s, %s.\n", r.Root.Path, plural(r.Files, "file"), plural(r.Symbols, "symbol"), plural(r.Chunks, "chunk"))
	fmt.Fprintf(s.out, "Parsed %s (%.1f MB), removed %d, unchanged %d, in %v.\n", plural(r.Parsed, "file"), float64(r.Bytes)/1e6, r.Removed, r.Unchanged, r.Took.Round(time.Millisecond))
	if r.Errors > 0 {
		fmt.Fprintf(s.out, "%s that the grammars do not accept; what is around them is indexed.\n", plural(r.Errors, "place"))
	}
	reasons := make(map[string]int)
	for _, k := range r.Skips {
		reasons[string(k.Reason)]++
		if skipped {
			fmt.Fprintf(s.out, "  %s: %s\n", termtext.Line(k.Path), strings.TrimSpace(string(k.Reason)+" "+termtext.Line(k.Detail)))
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
			return withCode(s, func(l *codeindex.Library) error { return printCodeStatus(c.Context(), s, l) })
		},
	}
}

func printCodeStatus(ctx context.Context, s *shell, l *codeindex.Library) error {
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
			return withCode(s, func(l *codeindex.Library) error {
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
