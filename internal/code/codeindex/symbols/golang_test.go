package symbols_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

func TestGo(t *testing.T) {
	compare(t, "go", `// Package x is.
package x

import (
	"fmt"
	h "net/http"
)

// A T is a thing.
type T[K comparable] struct {
	*h.Server
	Base
	// A is a field.
	A, B int // trailing
	m    map[K]fmt.Stringer
}

type (
	// I does.
	I interface {
		fmt.Stringer
		// Do does.
		Do(x int) error
	}
	Alias = T[int]
)

// One is 1.
const One = iota

var global, _ = New(One), 2

// Do works.
func (t *T[K]) Do(a, b int) (err error) {
	for i, v := range []int{a, b} {
		fmt.Println(i, v, global.A)
	}
	if x, ok := any(t).(*T[K]); ok {
		x.Server.Close()
	}
	_ = T[K]{A: a, B: One}
	return helper[int](func(q int) error { return t.Do(q, q) })
}
`, `
package x
import fmt||
import net/http||h
struct T 10-16: type T[K comparable] struct // "// A T is a thing."
field T.A 14-14 in T: A, B int // "// A is a field."
field T.B 14-14 in T: A, B int // "// A is a field."
field T.m 15-15 in T: m map[K]fmt.Stringer
interface I 20-24: I interface // "// I does."
method I.Do 23-23 in I: Do(x int) error // "// Do does."
type Alias 25-25: Alias = T[int]
constant One 29-29: const One = iota // "// One is 1."
variable global 31-31: var global, _ = New(One), 2
method T.Do 34-43 in T: func (t *T[K]) Do(a, b int) (err error) // "// Do works."
extends h|Server in T
extends |Base in T
type fmt|Stringer in T
extends fmt|Stringer in I
type |T in Alias
call |New in global
read |One in global
type |T in T.Do
call fmt|Println in T.Do
read global|A in T.Do
read |global in T.Do
type |T in T.Do
call x.Server|Close in T.Do
read x|Server in T.Do
type |T in T.Do
read T[K]|A in T.Do
read T[K]|B in T.Do
read |One in T.Do
call |helper in T.Do
call t|Do in T.Do
`)
}

// TestGo_blank defines nothing under the name _; what is used there counts.
func TestGo_blank(t *testing.T) {
	compare(t, "go", `package x

func _() { check(1) }

func (T) _(a int) { _ = a }

func (l *L[K]) _(k K) { l.Do() }

type _ struct {
	Base
	a int
}

var _ = one
`, `
package x
call |check in 
type |T in 
type |L in 
call l|Do in 
extends |Base in 
read |one in 
`)
}

func TestGoBroken(t *testing.T) {
	source := "package a\r\n\r\n// F is.\r\nfunc F() {\r\n}\r\n\r\nfunc broken( {\r\n\r\n// G is.\r\nfunc G() {}\r\n"
	f := parse(t, "go", source)
	if f.Errors == 0 || len(f.Symbols) == 0 || f.Symbols[0].Name != "F" || f.Symbols[0].Doc.First != 3 {
		t.Errorf("%+v", f)
	}
}

// TestGoDefinitions compares the definitions of a part of the standard library with those of go/parser.
func TestGoDefinitions(t *testing.T) {
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found, missing, wrong int
	for _, pkg := range []string{"bytes", "errors", "go/ast", "slices", "sync", "time"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources of %s: %v", pkg, err)
		}
		for _, name := range files {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := goDefinitions(t, source)
			for _, s := range parse(t, "go", string(source)).Symbols {
				key := string(s.Kind) + " " + s.Qualified
				if want[key] > 0 {
					want[key]--
					found++
				} else {
					wrong++
					t.Logf("%s: %s is none", name, key)
				}
			}
			for key, n := range want {
				missing += n
				if n > 0 {
					t.Logf("%s: %s is missing", name, key)
				}
			}
		}
	}
	t.Logf("%d found, %d missing, %d wrong", found, missing, wrong)
	if found < 2500 || 100*missing > found || 100*wrong > found {
		t.Errorf("%d found, %d missing, %d wrong: want .99 of both", found, missing, wrong)
	}
}

// goDefinitions returns what a file defines outside of functions, by kind and qualified name.
func goDefinitions(t *testing.T, source []byte) map[string]int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	add := func(kind syntax.Kind, parts ...string) {
		if parts[len(parts)-1] != "_" {
			out[string(kind)+" "+strings.Join(parts, ".")]++
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(syntax.Function, d.Name.Name)
				continue
			}
			add(syntax.Method, receiverName(d.Recv.List[0].Type), d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				specDefinitions(d.Tok, s, add)
			}
		}
	}
	return out
}

func specDefinitions(tok token.Token, s ast.Spec, add func(kind syntax.Kind, parts ...string)) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		kind := syntax.Variable
		if tok == token.CONST {
			kind = syntax.Constant
		}
		for _, n := range s.Names {
			add(kind, n.Name)
		}
	case *ast.TypeSpec:
		kind := syntax.Type
		if !s.Assign.IsValid() {
			switch s.Type.(type) {
			case *ast.StructType:
				kind = syntax.Struct
			case *ast.InterfaceType:
				kind = syntax.Interface
			}
		}
		add(kind, s.Name.Name)
		memberDefinitions(s.Type, []string{s.Name.Name}, add)
	}
}

// memberDefinitions adds the fields and methods of a type that is written in a definition.
func memberDefinitions(e ast.Expr, of []string, add func(kind syntax.Kind, parts ...string)) {
	ast.Inspect(e, func(n ast.Node) bool {
		var list *ast.FieldList
		kind := syntax.Field
		switch n := n.(type) {
		case *ast.StructType:
			list = n.Fields
		case *ast.InterfaceType:
			list, kind = n.Methods, syntax.Method
		default:
			return true
		}
		for _, f := range list.List {
			for _, name := range f.Names {
				add(kind, append(append([]string{}, of...), name.Name)...)
			}
			inner := of
			if kind == syntax.Method && len(f.Names) > 0 {
				inner = append(append([]string{}, of...), f.Names[0].Name)
			}
			memberDefinitions(f.Type, inner, add)
		}
		return false
	})
}

func receiverName(e ast.Expr) string {
	var names []string
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
		return true
	})
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
