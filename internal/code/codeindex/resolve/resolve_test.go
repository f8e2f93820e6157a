package resolve_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/code/codeindex/resolve"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

func world() *resolve.World {
	files := []resolve.File{
		{Path: "net/http/server.go", Language: "go", Package: "http", Imports: []syntax.Import{{Path: "io"}, {Path: "os"}, {Path: "fmt"}}},
		{Path: "net/http/client.go", Language: "go", Package: "http"},
		{Path: "io/pipe.go", Language: "go", Package: "io"},
		{Path: "os/file.go", Language: "go", Package: "os"},
		{Path: "app/main.py", Language: "python", Package: "", Imports: pythonImports()},
		{Path: "app/util.py", Language: "python", Package: ""},
		{Path: "app/deep/__init__.py", Language: "python", Package: ""},
		{Path: "web/a.ts", Language: "typescript", Package: "", Imports: scriptImports()},
		{Path: "web/lib/index.ts", Language: "typescript", Package: ""},
	}
	return resolve.New(files, []resolve.Symbol{
		{File: 0, Number: 0, Name: "Server", Qualified: "Server", Kind: syntax.Struct},
		{File: 0, Number: 1, Name: "Close", Qualified: "Server.Close", Kind: syntax.Method},
		{File: 1, Number: 0, Name: "Close", Qualified: "Client.Close", Kind: syntax.Method},
		{File: 1, Number: 1, Name: "helper", Qualified: "helper", Kind: syntax.Function},
		{File: 2, Number: 0, Name: "Pipe", Qualified: "Pipe", Kind: syntax.Function},
		{File: 2, Number: 1, Name: "Close", Qualified: "PipeReader.Close", Kind: syntax.Method},
		{File: 3, Number: 0, Name: "Close", Qualified: "File.Close", Kind: syntax.Method},
		{File: 3, Number: 1, Name: "Open", Qualified: "Open", Kind: syntax.Function},
		{File: 4, Number: 0, Name: "run", Qualified: "run", Kind: syntax.Function},
		{File: 5, Number: 0, Name: "run", Qualified: "run", Kind: syntax.Function},
		{File: 5, Number: 1, Name: "Tool", Qualified: "Tool", Kind: syntax.Class},
		{File: 5, Number: 2, Name: "go", Qualified: "Tool.go", Kind: syntax.Method},
		{File: 6, Number: 0, Name: "inner", Qualified: "inner", Kind: syntax.Function},
		{File: 7, Number: 0, Name: "make", Qualified: "make", Kind: syntax.Function},
		{File: 8, Number: 0, Name: "make", Qualified: "make", Kind: syntax.Function},
		{File: 3, Number: 2, Name: "File", Qualified: "File", Kind: syntax.Struct, Signature: "type File struct"},
	})
}

func pythonImports() []syntax.Import {
	return []syntax.Import{{Path: ".util", Name: "Tool"}, {Path: "app.util", Name: "run", Alias: "other"}, {Path: ".", Name: "deep"}, {Path: "app.util", Alias: "u"}}
}

func scriptImports() []syntax.Import {
	return []syntax.Import{{Path: "./lib", Name: "make", Alias: "build"}}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	goFile := &syntax.File{
		Symbols: []syntax.Symbol{
			{Name: "Server", Qualified: "Server", Kind: syntax.Struct, Parent: -1},
			{Name: "Close", Qualified: "Server.Close", Kind: syntax.Method, Signature: "func (s *Server) Close(f *os.File) error", Parent: -1},
		},
		Imports: []syntax.Import{{Path: "io"}, {Path: "os"}, {Path: "fmt"}},
		Locals:  []syntax.Local{{Name: "s", Type: "*Server", Until: 9}, {Name: "f", Type: "*os.File", Until: 9}},
	}
	python := &syntax.File{
		Symbols: []syntax.Symbol{{Name: "run", Qualified: "run", Kind: syntax.Function, Signature: "def run(t: Tool)", Parent: -1}},
		Imports: pythonImports(),
		Locals:  []syntax.Local{{Name: "t", Type: "Tool", Until: 9}},
	}
	script := &syntax.File{Imports: scriptImports()}
	for _, c := range []struct {
		what  string
		file  int
		in    *syntax.File
		ref   syntax.Reference
		want  []int
		grade resolve.Grade
	}{
		{"the receiver", 0, goFile, syntax.Reference{Name: "Close", Qualifier: "s", Use: syntax.Call, In: 1}, []int{1}, resolve.Typed},
		{"another file of the package", 0, goFile, syntax.Reference{Name: "helper", Use: syntax.Call, In: 1}, []int{3}, resolve.Scope},
		{"an import", 0, goFile, syntax.Reference{Name: "Pipe", Qualifier: "io", Use: syntax.Call, In: 1}, []int{4}, resolve.Imported},
		{"a parameter", 0, goFile, syntax.Reference{Name: "Close", Qualifier: "f", Use: syntax.Call, In: 1}, []int{6}, resolve.Typed},
		{"an unknown receiver", 0, goFile, syntax.Reference{Name: "Close", Qualifier: "x", Use: syntax.Call, In: -1}, []int{1}, resolve.Near},
		{"an import from outside", 0, goFile, syntax.Reference{Name: "Open", Qualifier: "fmt", Use: syntax.Call, In: 1}, nil, resolve.Unknown},
		{"nothing has the name", 0, goFile, syntax.Reference{Name: "len", Use: syntax.Call, In: 1}, nil, resolve.Unknown},
		{"the file before imports", 4, python, syntax.Reference{Name: "run", Use: syntax.Call, In: -1}, []int{8}, resolve.Scope},
		{"an alias", 4, python, syntax.Reference{Name: "other", Use: syntax.Call, In: -1}, []int{9}, resolve.Imported},
		{"a class", 4, python, syntax.Reference{Name: "Tool", Use: syntax.Call, In: -1}, []int{10}, resolve.Imported},
		{"a member of an imported class", 4, python, syntax.Reference{Name: "go", Qualifier: "Tool", Use: syntax.Call, In: -1}, []int{11}, resolve.Imported},
		{"a member of a parameter", 4, python, syntax.Reference{Name: "go", Qualifier: "t", Use: syntax.Call, In: 0}, []int{11}, resolve.Typed},
		{"a module by its alias", 4, python, syntax.Reference{Name: "run", Qualifier: "u", Use: syntax.Call, In: -1}, []int{9}, resolve.Imported},
		{"a package from a package", 4, python, syntax.Reference{Name: "inner", Qualifier: "deep", Use: syntax.Call, In: -1}, []int{12}, resolve.Imported},
		{"the index of a folder", 7, script, syntax.Reference{Name: "build", Use: syntax.Call, In: -1}, []int{14}, resolve.Imported},
	} {
		got, grade := world().In(c.file, c.in).Resolve(&c.ref)
		if !slices.Equal(got, c.want) || grade != c.grade {
			t.Errorf("%s: got %v by %d, want %v by %d", c.what, got, grade, c.want, c.grade)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("net/http", "Close", "s.conn", 1, "func (s *Server) Close()")
	f.Add("..", "x", "..", -1, "")
	f.Add("v", "x", "v[](a){}.b.(T)", 0, "map[string][]func(a *v) (b, c int)")
	f.Add("./a/b", "make", "::", 0, "def f(a: B)")
	f.Add("1", "0", "0", -53, "(")
	f.Add("1", "0", "0", 0, "readonly ")
	f.Fuzz(func(t *testing.T, imported, name, qualifier string, in int, signature string) {
		w := world()
		for file := range 9 {
			s := &syntax.File{
				Symbols: []syntax.Symbol{{Name: name, Qualified: qualifier, Signature: signature, Parent: in}},
				Locals:  []syntax.Local{{Name: name, Type: signature, Until: 2}, {Name: imported, Value: qualifier, Until: 2}},
				Imports: []syntax.Import{{Path: imported, Alias: qualifier}, {Path: imported, Name: name}},
			}
			list, grade := w.In(file, s).Resolve(&syntax.Reference{Name: name, Qualifier: qualifier, Use: syntax.Call, In: in, At: syntax.Range{From: 1}})
			if (len(list) == 0) != (grade == resolve.Unknown) {
				t.Fatalf("%d candidates by %d", len(list), grade)
			}
			for _, i := range list {
				_ = w.Symbol(i)
			}
		}
	})
}
