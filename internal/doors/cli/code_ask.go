package cli

import (
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/verb"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// hitLines is how many lines of a hit are shown.
const hitLines = 6

func newCodeSearchCommand(s *shell) *cobra.Command {
	var f verb.Code
	var whole bool
	c := &cobra.Command{
		Use:   "search WORDS",
		Short: "Find code by text, parts of names and meaning",
		Long: `Find code by text, parts of names and meaning. Implementations come before tests, generated files and vendored copies, unless the
query asks for those (test, mock, fixture and such) or --path lies among them. In a folder above several indexed source trees, all of them
are searched.`,
		Example: "  hippo code search 'wait until all workers have finished'\n  hippo code search parse config --language go --path internal",
		Args:    requireArgument("words to look for"),
		RunE: inTrees(s, &f.Asked, func(c *cobra.Command, args []string, in *code.Trees) error {
			a, places, err := in.Search(c.Context(), strings.Join(args, " "))
			if err != nil {
				return err
			}
			return printCodeAnswer(s, a, places, whole)
		}),
	}
	addRoot(c, &f.Asked)
	addArgs(c.Flags(), f.Args())
	c.Flags().BoolVar(&whole, "whole", false, "print all lines of each result")
	return c
}

// printCodeAnswer prints hits with their places.
func printCodeAnswer(s *shell, a *api.CodeAnswer, places []string, whole bool) error {
	s.count = len(a.Hits)
	if s.json {
		return s.printJSON(a)
	}
	for i := range a.Hits {
		h := &a.Hits[i]
		printPlace(s, places[i], h.First, h.Signature, h.Freshness)
		printText(s, h.Text, whole)
	}
	if len(a.Hits) == 0 {
		fmt.Fprintln(s.out, "Nothing found.")
	}
	if a.Weak != "" && len(a.Hits) > 0 {
		s.warn("%s", a.Weak)
	}
	for _, n := range a.Notes {
		s.warn("%s", n)
	}
	return nil
}

// printPlace prints where something is, in the form that editors and terminals open.
func printPlace(s *shell, path string, line int, signature string, stale api.Freshness) {
	text := fmt.Sprintf("%s:%d", termtext.Line(path), line)
	if signature != "" {
		text += "  " + preview(signature, previewLength)
	}
	fmt.Fprintln(s.out, bold(s, text+staleNote(stale)))
}

// staleNote says that a file is not what was indexed.
func staleNote(stale api.Freshness) string {
	if stale == api.CodeFresh {
		return ""
	}
	return "  [" + string(stale) + "]"
}

// printText prints the first lines of a text, or all.
func printText(s *shell, text string, whole bool) {
	n := 0
	for line := range strings.Lines(text) {
		if n == hitLines && !whole {
			fmt.Fprintln(s.out, "    ...")
			return
		}
		if strings.TrimSpace(line) == "" && !whole {
			continue
		}
		fmt.Fprintf(s.out, "    %s\n", termtext.Line(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "  ")))
		n++
	}
}

func newCodeSymbolCommand(s *shell) *cobra.Command {
	var f verb.CodeSymbols
	c := &cobra.Command{
		Use:     "symbol NAME",
		Short:   "Find the definitions of a name, a prefix, or a misspelt name",
		Long:    "Find the definitions of a name, with their comments. A qualified name such as Server.Close or http.Server is more exact. Names that begin with or contain NAME follow; if there are none, names that NAME may be a typo of.",
		Example: "  hippo code symbol Server.Close\n  hippo code symbol parseConf --brief",
		Args:    oneArgument("a name"),
		RunE: onTree(s, &f.Asked, func(c *cobra.Command, args []string, t *code.Tree) error {
			list, err := t.Named(c.Context(), args[0], !f.Brief)
			if err != nil {
				return err
			}
			return printDefinitions(s, list)
		}),
	}
	addRoot(c, &f.Asked)
	addArgs(c.Flags(), f.Args())
	return c
}

// signatureOf is what a definition is shown as.
func signatureOf(d *api.CodeSymbol) string {
	if d.Signature == "" {
		return d.Kind + " " + d.Name
	}
	return d.Signature
}

func printDefinitions(s *shell, list []api.CodeSymbol) error {
	s.count = len(list)
	if s.json {
		return s.printJSON(list)
	}
	for i := range list {
		d := &list[i]
		printPlace(s, d.Path, d.First, signatureOf(d), d.Freshness)
		if d.Doc != "" {
			printText(s, d.Doc, false)
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "Nothing found.")
	}
	return nil
}

func newCodeOutlineCommand(s *shell) *cobra.Command {
	var f verb.Code
	c := &cobra.Command{
		Use:   "outline FILE",
		Short: "List the definitions of a file",
		Args:  oneArgument("a file of an indexed tree"),
		RunE: onTree(s, &f.Asked, func(c *cobra.Command, args []string, t *code.Tree) error {
			list, err := code.DefinedIn(c.Context(), t, args[0])
			if err != nil {
				return err
			}
			return printOutline(s, list)
		}),
	}
	addRoot(c, &f.Asked)
	return c
}

func printOutline(s *shell, list []api.CodeSymbol) error {
	s.count = len(list)
	if s.json {
		return s.printJSON(list)
	}
	if len(list) > 0 && list[0].Freshness != api.CodeFresh {
		s.warn("%s: %s", list[0].Path, list[0].Freshness)
	}
	for i := range list {
		d := &list[i]
		fmt.Fprintf(s.out, "%5d  %s%s\n", d.First, strings.Repeat("  ", strings.Count(d.Key, ".")), preview(signatureOf(d), previewLength))
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "No definitions.")
	}
	return nil
}
