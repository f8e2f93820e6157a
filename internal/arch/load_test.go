package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// pkg is one package, without its tests.
type pkg struct {
	dir   string // below the root of the module; "." is the root
	doc   bool   // has a package comment
	files []file
}

// file is one source file that is not a test, whatever its build tags.
type file struct {
	name    string
	lines   int
	byHand  bool // not generated
	imports []string
	exits   bool // calls os.Exit or log.Fatal
	days    bool // formats a time in whatever zone it came
	funcs   []function
}

type function struct {
	name  string
	lines int
}

// load reads the packages of the module at the root of fsys. It leaves out
// other modules, testdata and directories that the go command ignores.
func load(fsys fs.FS) ([]pkg, error) {
	var ps []pkg
	err := fs.WalkDir(fsys, ".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if dir != "." && ignored(fsys, dir) {
			return fs.SkipDir
		}
		p, err := loadPkg(fsys, dir)
		if len(p.files) > 0 {
			ps = append(ps, p)
		}
		return err
	})
	return ps, err
}

func ignored(fsys fs.FS, dir string) bool {
	base := path.Base(dir)
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil
}

func loadPkg(fsys fs.FS, dir string) (pkg, error) {
	p := pkg{dir: dir}
	names, err := fs.Glob(fsys, path.Join(dir, "*.go"))
	if err != nil {
		return p, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return p, err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return p, err
		}
		p.doc = p.doc || tree.Doc != nil
		p.files = append(p.files, describe(set, tree, path.Base(name)))
	}
	return p, nil
}

func describe(set *token.FileSet, tree *ast.File, name string) file {
	f := file{name: name, lines: set.File(tree.Pos()).LineCount(), byHand: !ast.IsGenerated(tree)}
	for _, i := range tree.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil {
			f.imports = append(f.imports, p)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			lines := set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
			f.funcs = append(f.funcs, function{n.Name.Name, lines})
		case *ast.SelectorExpr:
			f.exits = f.exits || ends(n)
		case *ast.CallExpr:
			f.days = f.days || formatsDay(n)
		}
		return true
	})
	return f
}

// formatsDay reports whether a call formats a time without its offset, and not in a zone that the same expression names:
// stored times are in UTC, days are those of the user.
func formatsDay(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Format" || len(c.Args) != 1 {
		return false
	}
	layout := ""
	switch a := c.Args[0].(type) {
	case *ast.SelectorExpr:
		layout = a.Sel.Name
	case *ast.BasicLit:
		layout = a.Value
	default:
		return false // a layout of a file format
	}
	if strings.HasPrefix(layout, "RFC") || strings.Contains(layout, "Z") {
		return false
	}
	in, _ := s.X.(*ast.CallExpr)
	if in == nil {
		return true
	}
	zone, ok := in.Fun.(*ast.SelectorExpr)
	return !ok || zone.Sel.Name != "In"
}

// ends reports whether s is a function that ends the process.
func ends(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && (x.Name == "os" && s.Sel.Name == "Exit" || x.Name == "log" && strings.HasPrefix(s.Sel.Name, "Fatal"))
}
