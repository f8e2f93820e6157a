// Command docs writes the documents that follow from the code, below the root of the
// repository: docs/tools.md, docs/cli.md, docs/session.svg, and the parts of
// docs/reference.md and docs/ranking.md between marks.
//
//	go -C tools run ./docs ..
//
// It asks the program itself: its help texts, its MCP server, its tables of settings and
// codes. IDs and times are replaced by fixed ones, so equal code writes equal bytes.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docs ROOT")
		os.Exit(2)
	}
	if err := write(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

// write writes all documents below root.
func write(ctx context.Context, root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	cli, err := cliDocument(ctx)
	if err != nil {
		return err
	}
	tools, err := toolsDocument(ctx)
	if err != nil {
		return err
	}
	picture, err := sessionPicture(ctx)
	if err != nil {
		return err
	}
	reference, err := referenceDocument(root)
	if err != nil {
		return err
	}
	ranking, err := rankingDocument(ctx, root)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"cli.md": cli, "tools.md": tools, "session.svg": picture, "reference.md": reference, "ranking.md": ranking,
	} {
		if err := os.WriteFile(filepath.Join(root, "docs", name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// notice is the first lines of a document that is written as a whole.
const notice = "<!-- Written by go generate from the code: change it there. -->\n\n"

// splice returns a document with text in the place of what stood between its marks
// "<!-- generated: NAME -->" and "<!-- end of NAME -->". The error says that a mark is missing.
func splice(document []byte, name, text string) ([]byte, error) {
	from, to := fmt.Appendf(nil, "<!-- generated: %s -->\n", name), fmt.Appendf(nil, "<!-- end of %s -->", name)
	before, rest, ok := bytes.Cut(document, from)
	_, after, closed := bytes.Cut(rest, to)
	if !ok || !closed {
		return nil, fmt.Errorf("document must have the lines %q and %q", bytes.TrimSpace(from), to)
	}
	return bytes.Join([][]byte{before, from, []byte("\n" + strings.TrimSpace(text) + "\n\n"), to, after}, nil), nil
}

// table collects the rows of a table in Markdown.
type table struct {
	text strings.Builder
}

// newTable returns a table with these heads.
func newTable(heads ...string) *table {
	t := &table{}
	t.row(heads...)
	t.text.WriteString(strings.Repeat("|---", len(heads)) + "|\n")
	return t
}

// row adds a row.
func (t *table) row(cells ...string) {
	for _, c := range cells {
		t.text.WriteString("| " + strings.ReplaceAll(strings.ReplaceAll(c, "\n", " "), "|", `\|`) + " ")
	}
	t.text.WriteString("|\n")
}

func (t *table) String() string { return t.text.String() }

// code puts a text in the quotes of Markdown; empty stays empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
