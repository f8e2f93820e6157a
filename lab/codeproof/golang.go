package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// judgeGo has go/types read packages of the standard library, without their tests, for this system and processor.
func judgeGo(ctx context.Context, o options) (*facts, string, error) {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, "", err
	}
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	set := token.NewFileSet()
	list, err := packages.Load(&packages.Config{
		Context: ctx, Dir: root, Fset: set, Env: append(os.Environ(), "CGO_ENABLED=0"),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, strings.Fields(o.golang)...)
	if err != nil {
		return nil, "", err
	}
	j := &goJudge{root: root, set: set, facts: newFacts(), symbols: map[types.Object]bool{}}
	packages.Visit(list, nil, func(p *packages.Package) {
		for _, f := range p.Syntax {
			j.define(p.TypesInfo, f)
		}
	})
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, "", fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
		for _, f := range p.Syntax {
			j.judge(p.TypesInfo, f)
		}
	}
	return j.facts, root, nil
}

// A goJudge collects the facts of packages.
type goJudge struct {
	root    string
	set     *token.FileSet
	facts   *facts
	symbols map[types.Object]bool // definitions outside of functions
}

func (j *goJudge) place(at token.Pos) place {
	p := j.set.Position(at)
	rel, err := filepath.Rel(j.root, p.Filename)
	if err != nil {
		rel = p.Filename
	}
	return place{filepath.ToSlash(rel), p.Offset}
}

// define finds what a file defines outside of functions: what a package declares, and the fields and methods of the types among that.
func (j *goJudge) define(info *types.Info, f *ast.File) {
	add := func(id *ast.Ident) {
		if obj := info.Defs[id]; obj != nil && id.Name != "_" {
			j.symbols[obj] = true
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				defineSpec(s, add)
			}
		}
	}
}

func defineSpec(s ast.Spec, add func(*ast.Ident)) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			add(n)
		}
	case *ast.TypeSpec:
		add(s.Name)
		ast.Inspect(s.Type, func(n ast.Node) bool {
			var list *ast.FieldList
			switch n := n.(type) {
			case *ast.StructType:
				list = n.Fields
			case *ast.InterfaceType:
				list = n.Methods
			default:
				return true
			}
			for _, field := range list.List {
				for _, name := range field.Names {
					add(name)
				}
			}
			return true
		})
	}
}

// judge lists the definitions and references of a file.
func (j *goJudge) judge(info *types.Info, f *ast.File) {
	j.facts.files[j.place(f.Pos()).file] = true
	for _, d := range f.Decls {
		calls := map[*ast.Ident]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				calls[calledName(c.Fun)] = true
			}
			return true
		})
		specs := []ast.Node{d}
		if g, ok := d.(*ast.GenDecl); ok {
			specs = specs[:0]
			for _, s := range g.Specs {
				specs = append(specs, s)
			}
		}
		for _, s := range specs {
			j.names(info, s, calls)
		}
	}
}

func (j *goJudge) names(info *types.Info, n ast.Node, calls map[*ast.Ident]bool) {
	caller := place{j.place(n.Pos()).file, -1}
	if id := declared(n); id != nil {
		caller.at = j.place(id.Pos()).at
	}
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		at := j.place(id.Pos())
		if obj := info.Defs[id]; j.symbols[obj] {
			j.facts.definitions[at] = true
		}
		if obj := info.Uses[id]; obj != nil {
			j.facts.uses[at] = use{to: j.meant(obj), call: calls[id], caller: caller}
		}
		return true
	})
}

// meant returns the definition of an object; none: it is no definition outside of functions. An embedded field is the type that it embeds.
func (j *goJudge) meant(obj types.Object) []place {
	switch o := obj.(type) {
	case *types.Var:
		obj = o.Origin()
		if o.Embedded() {
			t := types.Unalias(o.Origin().Type())
			if p, ok := t.(*types.Pointer); ok {
				t = types.Unalias(p.Elem())
			}
			if n, ok := t.(*types.Named); ok {
				obj = n.Origin().Obj()
			}
		}
	case *types.Func:
		obj = o.Origin()
	}
	if !j.symbols[obj] {
		return nil
	}
	return []place{j.place(obj.Pos())}
}

// declared returns the first name of a declaration that is not blank.
func declared(n ast.Node) *ast.Ident {
	var names []*ast.Ident
	switch n := n.(type) {
	case *ast.FuncDecl:
		names = []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		names = []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		names = n.Names
	}
	for _, id := range names {
		if id.Name != "_" {
			return id
		}
	}
	return nil
}

// calledName returns the name in the place of what is called; nil: it has none.
func calledName(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			return x.Sel
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		default:
			return nil
		}
	}
}
