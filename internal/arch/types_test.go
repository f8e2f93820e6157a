package arch_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"strings"
)

// checker type-checks packages of a module from their source. It knows this module and
// the standard library; other modules are taken for empty, and what is made of them has
// no type. That is enough to find where names of the package itself are used.
type checker struct {
	root     string // directory of the module
	goroot   string // directory of Go
	set      *token.FileSet
	packages map[string]*types.Package
}

func newChecker(root string) *checker {
	return &checker{root: root, goroot: goroot(), set: token.NewFileSet(), packages: map[string]*types.Package{"unsafe": types.Unsafe}}
}

// goroot asks the go command: a test binary that was built with -trimpath does not know it.
func goroot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return build.Default.GOROOT
	}
	return strings.TrimSpace(string(out))
}

// uses returns the uses across the files of the package in a directory of the module,
// and the files, as built for Linux, whatever the test runs on. Tests are left out.
func (c *checker) uses(dir string) (uses []use, files []string, err error) {
	linux := build.Default
	linux.GOOS, linux.GOARCH = "linux", "amd64"
	p, err := linux.ImportDir(filepath.Join(c.root, filepath.FromSlash(dir)), 0)
	if err != nil {
		return nil, nil, err
	}
	trees, err := c.parse(p, 0)
	if err != nil {
		return nil, nil, err
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	pkg, _ := c.config(false).Check(module+"/"+dir, c.set, trees, info) // errors are of what is unknown
	return usesOf(c.set, pkg, info), p.GoFiles, nil
}

func (c *checker) config(declarations bool) *types.Config {
	return &types.Config{Importer: c, IgnoreFuncBodies: declarations, FakeImportC: true, Error: func(error) {}}
}

func (c *checker) parse(p *build.Package, mode parser.Mode) ([]*ast.File, error) {
	var trees []*ast.File
	for _, name := range p.GoFiles {
		tree, err := parser.ParseFile(c.set, filepath.Join(p.Dir, name), nil, mode|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	return trees, nil
}

// Import implements [types.Importer]. Of other packages only declarations are read.
func (c *checker) Import(path string) (*types.Package, error) {
	if p, ok := c.packages[path]; ok {
		return p, nil
	}
	empty := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	empty.MarkComplete()
	c.packages[path] = empty
	dir, ok := c.dir(path)
	if !ok {
		return empty, nil
	}
	p, err := build.Default.ImportDir(dir, 0)
	if err != nil {
		return empty, nil //nolint:nilerr // a package of the standard library's own
	}
	trees, err := c.parse(p, 0)
	if err != nil {
		return nil, err
	}
	c.packages[path], _ = c.config(true).Check(path, c.set, trees, nil)
	return c.packages[path], nil
}

// dir returns the directory of a package of this module or of the standard library.
func (c *checker) dir(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path+"/", module+"/"); ok {
		return filepath.Join(c.root, filepath.FromSlash(rest)), true
	}
	first, _, _ := strings.Cut(path, "/")
	return filepath.Join(c.goroot, "src", filepath.FromSlash(path)), !strings.Contains(first, ".")
}
