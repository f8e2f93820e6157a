package resolve_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/codeindex/resolve"
	"github.com/hippo-memory/hippo/internal/codeindex/syntax"
)

func world() *resolve.World {
	files := []resolve.File{
		{"net/http/server.go", "go", "http"},
		{"net/http/client.go", "go", "http"},
		{"io/pipe.go", "go", "io"},
		{"os/file.go", "go", "os"},
		{"app/main.py", "python", ""},
		{"app/util.py", "python", ""},
		{"app/deep/__init__.py", "python", ""},
		{"web/a.ts", "typescript", ""},
		{"web/lib/index.ts", "typescript", ""},
	}
	return resolve.New(files, []resolve.Symbol{
		{0, 0, "Server", "Server", syntax.Struct},
		{0, 1, "Close", "Server.Close", syntax.Method},
		{1, 0, "Close", "Client.Close", syntax.Method},
		{1, 1, "helper", "helper", syntax.Function},
		{2, 0, "Pipe", "Pipe", syntax.Function},
		{2, 1, "Close", "PipeReader.Close", syntax.Method},
		{3, 0, "Close", "File.Close", syntax.Method},
		{3, 1, "Open", "Open", syntax.Function},
		{4, 0, "run", "run", syntax.Function},
		{5, 0, "run", "run", syntax.Function},
		{5, 1, "Tool", "Tool", syntax.Class},
		{5, 2, "go", "Tool.go", syntax.Method},
		{6, 0, "inner", "inner", syntax.Function},
		{7, 0, "make", "make", syntax.Function},
		{8, 0, "make", "make", syntax.Function},
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	goFile := &syntax.File{
		Symbols: []syntax.Symbol{
			{Name: "Server", Qualified: "Server", Kind: syntax.Struct, Parent: -1},
			{Name: "Close", Qualified: "Server.Close", Kind: syntax.Method, Signature: "func (s *Server) Close(f *os.File) error", Parent: -1},
		},
		Imports: []syntax.Import{{Path: "io"}, {Path: "os"}, {Path: "fmt"}},
	}
	python := &syntax.File{
		Symbols: []syntax.Symbol{{Name: "run", Qualified: "run", Kind: syntax.Function, Signature: "def run(t: Tool)", Parent: -1}},
		Imports: []syntax.Import{{Path: ".util", Name: "Tool"}, {Path: "app.util", Name: "run", Alias: "other"}, {Path: ".", Name: "deep"}, {Path: "app.util", Alias: "u"}},
	}
	script := &syntax.File{Imports: []syntax.Import{{Path: "./lib", Name: "make", Alias: "build"}}}
	for _, c := range []struct {
		what  string
		file  int
		in    *syntax.File
		ref   syntax.Reference
		want  []int
		grade resolve.Grade
	}{
		{"the receiver", 0, goFile, syntax.Reference{Name: "Close", Qualifier: "s", Use: syntax.Call, In: 1}, []int{1}, resolve.Scope},
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
	f.Add("./a/b", "make", "::", 0, "def f(a: B)")
	f.Fuzz(func(t *testing.T, imported, name, qualifier string, in int, signature string) {
		w := world()
		for file := range 9 {
			s := &syntax.File{
				Symbols: []syntax.Symbol{{Name: name, Qualified: qualifier, Signature: signature, Parent: in}}, Imports: []syntax.Import{{Path: imported, Alias: qualifier}, {Path: imported, Name: name}},
			}
			list, grade := w.In(file, s).Resolve(&syntax.Reference{Name: name, Qualifier: qualifier, Use: syntax.Call, In: in})
			if (len(list) == 0) != (grade == resolve.Unknown) {
				t.Fatalf("%d candidates by %d", len(list), grade)
			}
			for _, i := range list {
				_ = w.Symbol(i)
			}
		}
	})
}
