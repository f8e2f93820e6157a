package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// public are the directories of the packages that programs import.
func public() []string { return []string{".", "api", "client"} }

func TestPublic(t *testing.T) {
	t.Parallel()
	bad, err := checkPublic(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	report(t, bad)
}

// checkPublic returns what hides the Go API from its readers: types that are other names of those of internal packages, for which
// go doc shows no field, and functions that take a client and so are no methods of it.
func checkPublic(fsys fs.FS) ([]string, error) {
	var bad []string
	for _, dir := range public() {
		names, err := fs.Glob(fsys, path.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			src, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			tree, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			bad = append(bad, hidden(name, tree)...)
		}
	}
	return bad, nil
}

// hidden returns the complaints of [checkPublic] on one file.
func hidden(name string, tree *ast.File) (bad []string) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Assign.IsValid() && s.Name.IsExported() {
					bad = append(bad, fmt.Sprintf("%s: type %s is another name: declare it", name, s.Name.Name))
				}
			}
		case *ast.FuncDecl:
			takes := slices.ContainsFunc(d.Type.Params.List, func(f *ast.Field) bool { return isClient(f.Type) })
			if d.Recv == nil && d.Name.IsExported() && takes {
				bad = append(bad, fmt.Sprintf("%s: func %s takes a client: make it a method", name, d.Name.Name))
			}
		}
	}
	return bad
}

func isClient(x ast.Expr) bool {
	if s, ok := x.(*ast.StarExpr); ok {
		x = s.X
	}
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "Client"
}

func TestPublicBites(t *testing.T) {
	t.Parallel()
	bad, err := checkPublic(fstest.MapFS{"client/x.go": {Data: []byte(`package client

type Client struct{}

type Own struct{}

type Other = engine.Other

func (c *Client) With(o *Client) {}

func Open() *Client { return nil }

func Search(c *Client, q Own) {}
`)}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"client/x.go: type Other is another name: declare it", "client/x.go: func Search takes a client: make it a method"}
	if !slices.Equal(bad, want) {
		t.Errorf("complaints %q, want %q", bad, want)
	}
}
