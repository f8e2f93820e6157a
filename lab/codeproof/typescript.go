package main

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
)

// typescriptScript judges a folder by the compiler of TypeScript.
//
//go:embed judge.cjs
var typescriptScript string

// compiler is the version of TypeScript that judges: the last one whose checker other programs can ask.
const compiler = "typescript@5.9.3"

// judgeTypeScript judges the sources of a package of npm, by what npm calls it: "rxjs@7.8.2".
func judgeTypeScript(ctx context.Context, name, cache string) (*facts, string, error) {
	node, err := program("node", "TypeScript")
	if err != nil {
		return nil, "", err
	}
	npm, err := program("npm", "TypeScript")
	if err != nil {
		return nil, "", err
	}
	folder := filepath.Join(cache, "npm", strings.ReplaceAll(name, "/", "+"))
	if err := install(ctx, folder, npm, "install", "--silent", "--no-fund", "--no-audit", "--ignore-scripts", "--prefix", folder, compiler, name); err != nil {
		return nil, "", err
	}
	modules := filepath.Join(folder, "node_modules")
	root := filepath.Join(modules, filepath.FromSlash(name[:strings.LastIndex(name, "@")]))
	if sources := filepath.Join(root, "src"); isFolder(sources) {
		root = sources
	}
	from := os.DirFS(root)
	root = filepath.Join(folder, "sources") // beside what it imports
	if err := os.RemoveAll(root); err != nil {
		return nil, "", err
	}
	if err := copyTree(from, root, isTypeScript); err != nil {
		return nil, "", err
	}
	f, err := script(ctx, node, "-e", typescriptScript, filepath.Join(modules, "typescript"), root)
	return f, root, err
}

// isTypeScript reports whether a folder or file is of the sources of a package, and not of its tests.
func isTypeScript(base string) bool {
	switch base {
	case "node_modules", "test", "tests", "testing", "__tests__":
		return false
	}
	ext := filepath.Ext(base)
	return ext == "" || (ext == ".ts" || ext == ".tsx") && !strings.Contains(base, ".test.")
}

func isFolder(name string) bool {
	i, err := os.Stat(name)
	return err == nil && i.IsDir()
}
