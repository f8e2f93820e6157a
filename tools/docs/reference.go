package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// referenceDocument returns docs/reference.md with its generated parts.
func referenceDocument(root string) ([]byte, error) {
	document, err := os.ReadFile(filepath.Join(root, "docs", "reference.md"))
	if err != nil {
		return nil, err
	}
	codes, err := codeTable(filepath.Join(root, "errors.go"))
	if err != nil {
		return nil, err
	}
	for _, part := range []struct{ name, text string }{
		{"settings", settingsTable()}, {"error codes", codes}, {"limits", limitsTable()},
	} {
		if document, err = splice(document, part.name, part.text); err != nil {
			return nil, fmt.Errorf("docs/reference.md: %w", err)
		}
	}
	return document, nil
}

// rankingDocument returns docs/ranking.md with its example.
func rankingDocument(ctx context.Context, root string) ([]byte, error) {
	document, err := os.ReadFile(filepath.Join(root, "docs", "ranking.md"))
	if err != nil {
		return nil, err
	}
	example, err := explanationExample(ctx)
	if err != nil {
		return nil, err
	}
	if document, err = splice(document, "explanation", example); err != nil {
		return nil, fmt.Errorf("docs/ranking.md: %w", err)
	}
	return document, nil
}

// settingsTable lists the settings by their names in config.toml.
func settingsTable() string {
	t := newTable("key", "flag", "environment", "default", "meaning")
	for _, s := range config.Settings() {
		t.row(code(s.Name), code("--"+s.Flag), code(s.Env), code(s.Default), s.Meaning)
	}
	return t.String()
}

// codeTable lists the codes of errors that a file of Go declares, each with the meaning of
// the error of the same name.
func codeTable(path string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	meanings := map[string]string{"OK": "no error", "Canceled": "the caller gave up, or a deadline passed", "Internal": "a fault of the program"}
	t := newTable("code", "meaning", "exit code", "hint at the command line", "hint of a tool")
	for _, v := range values(file) {
		name := v.Names[0].Name
		if kind, ok := strings.CutPrefix(name, "Err"); ok {
			_, meaning, _ := strings.Cut(strings.TrimSpace(v.Doc.Text()), ": ")
			meaning, _, _ = strings.Cut(strings.ReplaceAll(meaning, "\n", " "), ";")
			meanings[kind] = strings.TrimSuffix(meaning, ".")
		}
		kind, isCode := strings.CutPrefix(name, "Code")
		literal, ok := v.Values[0].(*ast.BasicLit)
		if !isCode || !ok {
			continue
		}
		c, err := strconv.Unquote(literal.Value)
		if err != nil {
			return "", err
		}
		f := wire.FailureOf(hippo.Code(c))
		t.row(code(c), meanings[kind], strconv.Itoa(f.Exit), f.CommandHint, f.ToolHint)
	}
	return t.String(), nil
}

// values returns the constants and variables that a file declares with a value, in its order.
func values(file *ast.File) []*ast.ValueSpec {
	var out []*ast.ValueSpec
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) > 0 {
				out = append(out, v)
			}
		}
	}
	return out
}

// limitsTable lists the limits on memories and requests.
func limitsTable() string {
	t := newTable("what", "limit")
	size := func(n int) string {
		if n > hippo.MaxName && n%(1<<10) == 0 {
			return fmt.Sprintf("%d KiB", n>>10)
		}
		return fmt.Sprintf("%d bytes", n)
	}
	list := func(n, each int) string { return fmt.Sprintf("%d elements of at most %s", n, size(each)) }
	t.row("content", "1 byte to "+size(hippo.MaxContent)+" of UTF-8, not blank, no control characters but tab and line breaks")
	t.row("situation, situation filter", list(hippo.MaxSituations, hippo.MaxSituation))
	t.row("tags", list(hippo.MaxTags, hippo.MaxTag))
	t.row("type", size(hippo.MaxType))
	t.row("author, client, session, URI, project, namespace", size(hippo.MaxName)+" each")
	t.row("metadata, keys and values together", size(hippo.MaxMetadata))
	t.row("importance", fmt.Sprintf("0 to 1; `hippo record` without it: %v", hippo.DefaultImportance))
	t.row("relation", fmt.Sprintf("kind of 1 byte to %s; weight above 0 and at most 1; two different memories", size(hippo.MaxKind)))
	t.row("query of a search", size(hippo.MaxQuery)+"; of a longer one the beginning counts, with a note in the answer")
	t.row("query of a vote, `when`", size(hippo.MaxQuery))
	t.row("hits a page", fmt.Sprintf("1 to %d; default %d", hippo.MaxCount, hippo.DefaultCount))
	t.row("IDs a request", fmt.Sprintf("1 to %d", hippo.MaxIDs))
	t.row("days of access that a memory keeps", fmt.Sprintf("the newest %d active days", hippo.MaxAccessDays))
	return t.String()
}
