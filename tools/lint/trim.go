package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"slices"
	"strconv"
)

// trim returns the source of a Go file without those linters of its list that are not
// enabled, and without the imports that nothing needs any more. Each linter is a package
// of its own with the linter's name.
func trim(file string, enabled map[string]bool) ([]byte, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution) // without comments
	if err != nil {
		return nil, err
	}
	list := findList(tree)
	if list == nil {
		return nil, fmt.Errorf("%s has no list of linters; is it a new version?", file)
	}
	kept := make(map[string]bool)
	list.Elts = slices.DeleteFunc(list.Elts, func(e ast.Expr) bool {
		name := linterOf(e)
		kept[name] = true
		return !enabled[name] && name != "golinters" // which has the type checker
	})
	for name := range enabled {
		if !kept[name] {
			return nil, fmt.Errorf("%s has no linter %q", file, name)
		}
	}
	dropImports(tree)
	var b bytes.Buffer
	err = printer.Fprint(&b, set, tree)
	return b.Bytes(), err
}

// findList returns the longest composite literal of a file.
func findList(tree *ast.File) *ast.CompositeLit {
	var list *ast.CompositeLit
	ast.Inspect(tree, func(n ast.Node) bool {
		if c, ok := n.(*ast.CompositeLit); ok && len(c.Elts) > 0 && (list == nil || len(c.Elts) > len(list.Elts)) {
			list = c
		}
		return true
	})
	return list
}

// linterOf returns the package of x in an expression like linter.NewConfig(x.New()).With().
func linterOf(e ast.Expr) string {
	name := ""
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !isNewConfig(call) {
			return true
		}
		ast.Inspect(call.Args[0], func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && name == "" {
				if x, ok := s.X.(*ast.Ident); ok {
					name = x.Name
				}
			}
			return name == ""
		})
		return false
	})
	return name
}

func isNewConfig(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "NewConfig" && len(c.Args) > 0
}

// dropImports removes the imports whose package no expression names.
func dropImports(tree *ast.File) {
	used := make(map[string]bool)
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	for _, d := range tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
				i, ok := s.(*ast.ImportSpec)
				return ok && !used[importName(i)]
			})
		}
	}
}

func importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	p, err := strconv.Unquote(i.Path.Value)
	if err != nil {
		return ""
	}
	return path.Base(p)
}
