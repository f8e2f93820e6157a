// Command platforms type-checks a module, its tests included, for several operating
// systems and processors, without cgo.
//
//	go -C tools run ./platforms .. linux/arm64 windows/amd64
//
// It takes 4 seconds of processor time for each, where go build takes 80: of packages
// outside of the module it reads the declarations and not the bodies of functions, and it
// generates no code. What it cannot find is an error of the assembler or the linker.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: platforms DIR OS/ARCH...")
		os.Exit(2)
	}
	ok, err := check(os.Args[1], os.Args[2:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// check prints the errors of the module in dir for each target, and a line that counts
// its packages. It reports whether there was no error.
func check(dir string, targets []string, w io.Writer) (ok bool, err error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	ok = true
	files := &sources{root: root + string(filepath.Separator), parsed: make(map[string]*ast.File)}
	set := token.NewFileSet()
	for _, target := range targets {
		system, processor, found := strings.Cut(target, "/")
		if !found {
			return false, fmt.Errorf("target must be OS/ARCH, got %q", target)
		}
		list, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
				packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule,
			Dir:       root,
			Env:       append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor),
			Tests:     true,
			Fset:      set,
			ParseFile: files.parse,
		}, "./...")
		if err != nil {
			return false, fmt.Errorf("%s: %w", target, err)
		}
		bad := problems(list)
		for _, p := range bad {
			fmt.Fprintf(w, "%s: %s\n", target, p)
		}
		fmt.Fprintf(w, "%s: %d packages, %d errors\n", target, len(list), len(bad))
		ok = ok && len(bad) == 0
	}
	return ok, nil
}

// problems returns the errors of packages, each once: a package is there again with its
// tests.
func problems(list []*packages.Package) []string {
	var out []string
	for _, p := range list {
		if strings.HasSuffix(p.PkgPath, ".test") {
			continue // the generated main of a test
		}
		for _, e := range p.Errors {
			if text := e.Error(); !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// sources parses each file once for all targets. It is safe for concurrent use.
type sources struct {
	root   string
	mu     sync.Mutex
	parsed map[string]*ast.File
}

func (s *sources) parse(set *token.FileSet, name string, text []byte) (*ast.File, error) {
	s.mu.Lock()
	tree := s.parsed[name]
	s.mu.Unlock()
	if tree != nil {
		return tree, nil
	}
	tree, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return tree, err
	}
	if !strings.HasPrefix(name, s.root) {
		dropBodies(tree)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parsed[name] = tree
	return tree, nil
}

// dropBodies removes the bodies of functions; generic ones must have one.
func dropBodies(tree *ast.File) {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Type.TypeParams == nil {
			f.Body = nil
		}
	}
}
