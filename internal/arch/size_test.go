package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// size is the size of a named type.
type size struct{ fields, methods int }

// typesFile lists the types that are still above a limit.
const typesFile = "testdata/types.txt"

func TestTypeSizes(t *testing.T) {
	t.Parallel()
	sizes, err := typeSizes(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for name := range tables() {
		if sizes[name].fields <= maxFields {
			t.Errorf("%s: has at most %d fields, delete it from the tables", name, maxFields)
		}
	}
	for name := range surfaces() {
		if sizes[name].methods <= maxMethods {
			t.Errorf("%s: has at most %d methods, delete it from the surfaces", name, maxMethods)
		}
	}
	counts := largeTypes(sizes)
	report(t, checkTypes(counts, exceptions(t, typesFile, counts)))
}

// largeTypes returns the number of fields or methods of each type with too many.
func largeTypes(sizes map[string]size) map[string]int {
	counts := make(map[string]int)
	for name, s := range sizes {
		if _, table := tables()[name]; s.fields > maxFields && !table {
			counts[name+":fields"] = s.fields
		}
		if _, surface := surfaces()[name]; s.methods > maxMethods && !surface {
			counts[name+":methods"] = s.methods
		}
	}
	return counts
}

// checkTypes returns the types above a limit that may not be, and the exceptions that no
// type needs.
func checkTypes(counts, allowed map[string]int) []string {
	var bad []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[name]; n > allowed[name] {
			bad = append(bad, fmt.Sprintf("%s: %d, at most %d", name, n, max(allowed[name], limitOf(name))))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if counts[name] == 0 {
			bad = append(bad, name+": within the limit, delete it from "+typesFile)
		}
	}
	return bad
}

func limitOf(name string) int {
	if strings.HasSuffix(name, ":fields") {
		return maxFields
	}
	return maxMethods
}

// typeSizes returns the size of each named type, by directory and name. A method that
// there is for several systems counts once.
func typeSizes(fsys fs.FS) (map[string]size, error) {
	sizes := make(map[string]size)
	methods := make(map[string]bool)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && ignored(fsys, name):
			return fs.SkipDir
		case d.IsDir(), path.Ext(name) != ".go", strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if dir == "." {
			dir = path.Base(module)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					key := dir + "." + n.Name.Name
					sizes[key] = size{max(sizes[key].fields, s.Fields.NumFields()), sizes[key].methods}
				}
			case *ast.FuncDecl:
				key := dir + "." + receiver(n)
				if full := key + "." + n.Name.Name; n.Recv != nil && !methods[full] {
					methods[full] = true
					sizes[key] = size{sizes[key].fields, sizes[key].methods + 1}
				}
				return false
			}
			return true
		})
		return nil
	})
	return sizes, err
}

// receiver returns the name of the type that a function is a method of; empty if none.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	x := f.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

func TestTypeSizesBites(t *testing.T) {
	t.Parallel()
	fields := func(n int) string {
		return "package p\n\ntype T struct {\n\tE\n\ta, b int\n" + strings.Repeat("\t_ int\n", n-3) + "}\n"
	}
	several := func(n int) string {
		var b strings.Builder
		b.WriteString("package p\n\ntype T[X any] struct{}\n")
		for i := range n {
			fmt.Fprintf(&b, "func (t *T[X]) m%d() {}\n", i)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text    string
		allowed map[string]int
		want    []string
	}{
		"fields":           {fields(maxFields + 1), nil, []string{"p.T:fields: 13, at most 12"}},
		"enough_fields":    {fields(maxFields), nil, nil},
		"allowed_fields":   {fields(maxFields + 1), map[string]int{"p.T:fields": 13}, nil},
		"too_many_allowed": {fields(maxFields + 3), map[string]int{"p.T:fields": 13}, []string{"p.T:fields: 15, at most 13"}},
		"methods":          {several(maxMethods + 1), nil, []string{"p.T:methods: 16, at most 15"}},
		"enough_methods":   {several(maxMethods), nil, nil},
		"stale_exception":  {several(1), map[string]int{"p.T:methods": 20}, []string{"p.T:methods: within the limit, delete it from testdata/types.txt"}},
		"type_is_gone":     {several(1), map[string]int{"p.U:fields": 20}, []string{"p.U:fields: within the limit, delete it from testdata/types.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sizes, err := typeSizes(fstest.MapFS{
				"p/a.go":         {Data: []byte(c.text)},
				"p/a_windows.go": {Data: []byte("package p\n\nfunc (t *T[X]) m0() {}\n")},
				"p/a_test.go":    {Data: []byte("package p\n\nfunc (t *T[X]) m99() {}\n")},
			})
			if err != nil {
				t.Fatal(err)
			}
			if bad := checkTypes(largeTypes(sizes), c.allowed); !slices.Equal(bad, c.want) {
				t.Errorf("complaints %q, want %q", bad, c.want)
			}
		})
	}
}
