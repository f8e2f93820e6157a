package codeindex_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// goParser parses Go by the standard library.
type goParser struct{}

func (goParser) Language(path string, _ []byte) string {
	if strings.HasSuffix(path, ".go") {
		return "go"
	}
	return ""
}

func (goParser) Parse(ctx context.Context, _ string, src []byte) (syntax.File, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if tree == nil {
		return syntax.File{}, err
	}
	v := &goVisitor{set: set, src: src, out: syntax.File{Language: "go", Package: tree.Name.Name}}
	if err != nil {
		v.out.Errors = 1
	}
	for _, i := range tree.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		m := syntax.Import{Path: path, At: v.span(i)}
		if i.Name != nil {
			m.Alias = i.Name.Name
		}
		v.out.Imports = append(v.out.Imports, m)
	}
	for _, d := range tree.Decls {
		v.decl(d)
	}
	return v.out, ctx.Err()
}

type goVisitor struct {
	set *token.FileSet
	src []byte
	out syntax.File
}

func (v *goVisitor) at(p token.Pos) int {
	return max(0, min(len(v.src), v.set.PositionFor(p, false).Offset))
}

func (v *goVisitor) span(n ast.Node) syntax.Range {
	return syntax.Range{From: v.at(n.Pos()), Until: v.at(n.End()), First: v.set.PositionFor(n.Pos(), false).Line, Last: v.set.PositionFor(n.End(), false).Line}
}

func (v *goVisitor) doc(g *ast.CommentGroup) syntax.Range {
	if g == nil {
		return syntax.Range{}
	}
	return v.span(g)
}

func (v *goVisitor) add(name *ast.Ident, qualified string, kind syntax.Kind, n ast.Node, signature string, doc *ast.CommentGroup, parent int) int {
	v.out.Symbols = append(v.out.Symbols, syntax.Symbol{
		Name: name.Name, Qualified: qualified, Kind: kind, Signature: strings.Join(strings.Fields(signature), " "), Doc: v.doc(doc), Range: v.span(n), NameAt: v.span(name), Parent: parent,
	})
	return len(v.out.Symbols) - 1
}

func (v *goVisitor) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		end := v.at(d.End())
		if d.Body != nil {
			end = v.at(d.Body.Lbrace)
		}
		r := v.span(d)
		r.From = v.at(d.Type.Func)
		name, kind := d.Name.Name, syntax.Function
		if d.Recv != nil && len(d.Recv.List) == 1 {
			kind = syntax.Method
			name = strings.TrimLeft(strings.SplitN(types.ExprString(d.Recv.List[0].Type), "[", 2)[0], "*") + "." + name
		}
		i := v.add(d.Name, name, kind, d, string(v.src[r.From:max(r.From, end)]), d.Doc, -1)
		v.out.Symbols[i].Range.From = r.From
		v.locals(d)
		v.refs(d, i)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			v.spec(d, s)
		}
	}
}

func (v *goVisitor) fields(s *ast.TypeSpec, parent int) {
	t, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range t.Fields.List {
		for _, name := range field.Names {
			v.add(name, s.Name.Name+"."+name.Name, syntax.Field, field, string(v.src[v.at(field.Pos()):v.at(field.End())]), nil, parent)
		}
	}
}

func (v *goVisitor) locals(d *ast.FuncDecl) {
	for _, list := range []*ast.FieldList{d.Recv, d.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				v.out.Locals = append(v.out.Locals, syntax.Local{Name: name.Name, Type: types.ExprString(field.Type), From: v.at(field.End()), Until: v.at(d.End())})
			}
		}
	}
}

func (v *goVisitor) spec(d *ast.GenDecl, s ast.Spec) {
	var node ast.Node = s
	if d.Lparen == token.NoPos {
		node = d
	}
	switch s := s.(type) {
	case *ast.TypeSpec:
		kind := syntax.Type
		switch s.Type.(type) {
		case *ast.StructType:
			kind = syntax.Struct
		case *ast.InterfaceType:
			kind = syntax.Interface
		}
		doc := s.Doc
		if doc == nil {
			doc = d.Doc
		}
		i := v.add(s.Name, s.Name.Name, kind, node, "type "+s.Name.Name, doc, -1)
		v.out.Symbols[i].Range.From = v.at(s.Pos())
		if node == d {
			v.out.Symbols[i].Range.From = v.at(d.TokPos)
		}
		v.fields(s, i)
		v.refs(s.Type, i)
	case *ast.ValueSpec:
		kind := syntax.Variable
		if d.Tok == token.CONST {
			kind = syntax.Constant
		}
		for k, name := range s.Names {
			if k == 0 {
				i := v.add(name, name.Name, kind, node, strings.SplitN(string(v.src[v.at(s.Pos()):v.at(s.End())]), "\n", 2)[0], nil, -1)
				v.out.Symbols[i].Range.From = v.at(s.Pos())
				v.refs(s, i)
				continue
			}
			v.add(name, name.Name, kind, name, name.Name, nil, -1)
		}
	}
}

func (v *goVisitor) refs(n ast.Node, in int) {
	calls := make(map[ast.Node]bool)
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			calls[n.Fun] = true
		case *ast.SelectorExpr:
			use := syntax.Read
			if calls[n] {
				use = syntax.Call
			}
			v.out.References = append(v.out.References, syntax.Reference{Name: n.Sel.Name, Qualifier: types.ExprString(n.X), Use: use, At: v.span(n.Sel), In: in})
			ast.Inspect(n.X, func(x ast.Node) bool {
				if call, ok := x.(*ast.CallExpr); ok {
					v.refs(call, in)
					return false
				}
				return true
			})
			return false
		case *ast.Ident:
			use := syntax.Read
			if calls[n] {
				use = syntax.Call
			}
			v.out.References = append(v.out.References, syntax.Reference{Name: n.Name, Use: use, At: v.span(n), In: in})
		}
		return true
	})
}
