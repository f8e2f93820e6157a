// Package resolve finds what the names in source files refer to, by scope and imports before names. It
// runs no compiler: where several definitions are equally likely, all of them are candidates. It is pure
// and deterministic.
package resolve

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// File is a file of the tree.
type File struct {
	Path, Language, Package string
	Imports                 []syntax.Import
}

// Symbol is a definition: the number of its file, and its own within that.
type Symbol struct {
	File, Number int
	Name         string
	Qualified    string // with what holds it
	Kind         syntax.Kind
	Signature    string
	Bases        []string
}

// World is all definitions of a tree. It is immutable, but for what it has computed of itself.
type World struct {
	files   []File
	symbols []Symbol
	byName  map[string][]int
	// byModule are the files by the ends of the names by which imports name them: folders, and files without suffix.
	byModule map[string][]int
	inFolder map[string][]int
	// byPackage are the files by the package that they say they are of.
	byPackage map[string][]int
	colon     *regexp.Regexp // finds names and their types in signatures
	packages  sync.Map       // the files of the package of a file
	modules   sync.Map       // the files that a file imports, by name
	bound     sync.Map       // the bindings of a file
}

// New returns a World. symbols are in the order of files and numbers.
func New(files []File, symbols []Symbol) *World {
	w := &World{files: files, symbols: symbols, byName: make(map[string][]int), byModule: make(map[string][]int), inFolder: make(map[string][]int), byPackage: make(map[string][]int), colon: regexp.MustCompile(`(\w+)\s*:\s*&?(?:mut\s+)?([A-Za-z_][\w.]*)`)}
	for i := range symbols {
		w.byName[symbols[i].Name] = append(w.byName[symbols[i].Name], i)
	}
	for i := range files {
		dir := folder(files[i].Path)
		w.inFolder[dir] = append(w.inFolder[dir], i)
		w.byPackage[files[i].Package] = append(w.byPackage[files[i].Package], i)
		for _, m := range moduleNames(files[i].Path) {
			w.byModule[m] = append(w.byModule[m], i)
		}
	}
	return w
}

// Symbol returns a definition by its number in the world.
func (w *World) Symbol(i int) Symbol { return w.symbols[i] }

func folder(file string) string {
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		return file[:i]
	}
	return ""
}

// moduleNames returns the last component of the names by which imports may name a file; [World.imported] compares the rest.
func moduleNames(file string) []string {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	list := []string{stem}
	if dir := folder(file); dir != "" {
		list = append(list, path.Base(dir))
	}
	return slices.Compact(list)
}

// Grade says why a definition is a candidate: the less, the surer.
type Grade int

// The grades.
const (
	// Scope: the definition is in the same file, class or package, where the language looks first.
	Scope Grade = iota
	// Imported: the file imports it or what holds it.
	Imported
	// Typed: the type of the receiver is written nearby.
	Typed
	// Near: the name is defined in the same file or folder, or in one that is imported, and the receiver is not known.
	Near
	// Named: only the name is the same.
	Named
	// Unknown: nothing in the tree has the name.
	Unknown
)

// Resolver resolves the references of one file. It is for one goroutine.
type Resolver struct {
	world     *World
	file      int
	syntax    *syntax.File
	modules   map[string][]int // files by the name that the file calls an import by
	names     map[string][]named
	near      map[int]bool
	types     map[int]map[string]string // of variables, by function
	evaluator *evaluator                // nil: it was not needed
	inference *inference                // nil: it was not needed
}

// named is a single thing that is imported.
type named struct {
	name  string
	files []int
}

// In returns the Resolver of a file by its number.
func (w *World) In(file int, f *syntax.File) *Resolver {
	r := &Resolver{world: w, file: file, syntax: f, modules: make(map[string][]int), names: make(map[string][]named), near: make(map[int]bool), types: make(map[int]map[string]string)}
	for _, i := range w.inFolder[folder(w.files[file].Path)] {
		r.near[i] = true
	}
	for i := range f.Imports {
		r.add(&f.Imports[i])
	}
	return r
}

func (r *Resolver) add(m *syntax.Import) {
	files := r.world.imported(r.file, m.Path)
	if m.Name == "" || m.Name == "*" {
		alias := m.Alias
		if alias == "" {
			alias = r.world.nameOf(m.Path, files)
		}
		r.modules[alias] = append(r.modules[alias], files...)
		if m.Name == "*" {
			r.modules["*"] = append(r.modules["*"], files...)
		}
	} else {
		alias := m.Alias
		if alias == "" {
			alias = m.Name
		}
		r.names[alias] = append(r.names[alias], named{m.Name, files})
		// What is imported may be a module itself: from package import module.
		r.modules[alias] = append(r.modules[alias], r.world.imported(r.file, strings.TrimSuffix(m.Path, ".")+sepOf(m.Path)+m.Name)...)
	}
	for _, i := range files {
		r.near[i] = true
	}
}

// sepOf is the separator of the components of an import.
func sepOf(p string) string {
	switch {
	case strings.Contains(p, "::"):
		return "::"
	case strings.Contains(p, "/"):
		return "/"
	case strings.Trim(p, ".") == "" && p != "":
		return ""
	default:
		return "."
	}
}

// lastOf is the last component of an import, without the version of a module of Go.
func lastOf(p string) string {
	parts := strings.FieldsFunc(p, func(c rune) bool { return c == '/' || c == '.' || c == ':' || c == '\\' })
	for i, v := range slices.Backward(parts) {
		if len(v) < 2 || v[0] != 'v' || strings.Trim(v[1:], "0123456789") != "" || i == 0 {
			return v
		}
	}
	return p
}

// components returns the parts of an import, and whether it is relative and to which folder.
func components(p, dir string) (parts []string, relative bool) {
	switch {
	case strings.HasPrefix(p, "./"), strings.HasPrefix(p, "../"), p == ".", p == "..":
		if strings.Contains(p, "/") || dir != "" {
			joined := path.Join(dir, p)
			if isSource(joined) {
				joined = strings.TrimSuffix(joined, path.Ext(joined))
			}
			joined = strings.TrimSuffix(joined, "/index") // as [stem] has it
			return strings.Split(joined, "/"), true
		}
	case strings.HasPrefix(p, "."): // of Python: each further point is a folder up
		n := len(p) - len(strings.TrimLeft(p, "."))
		for range n - 1 {
			dir = folder(dir)
		}
		rest := strings.ReplaceAll(p[n:], ".", "/")
		return strings.Split(strings.Trim(dir+"/"+rest, "/"), "/"), true
	}
	p = strings.NewReplacer("::", "/", `\`, "/").Replace(p)
	if !strings.Contains(p, "/") && !isSource(p) && !slices.Contains([]string{".h", ".hh", ".hpp", ".rb", ".sh", ".php"}, path.Ext(p)) {
		p = strings.ReplaceAll(p, ".", "/")
	}
	parts = strings.FieldsFunc(p, func(c rune) bool { return c == '/' })
	for len(parts) > 1 && slices.Contains([]string{"crate", "self", "super", "@", "~"}, parts[0]) {
		parts = parts[1:]
	}
	return parts, false
}

// imported returns the files that an import names: those whose path, or whose folder's, has the longest end in common with it.
func (w *World) imported(from int, p string) []int {
	switch w.files[from].Language {
	case "java", "kotlin", "csharp", "php": // the package is what imports name
		if list := w.byPackage[p]; p != "" && len(list) > 0 {
			return list
		}
	}
	parts, relative := components(p, folder(w.files[from].Path))
	if len(parts) == 0 {
		return nil
	}
	last := parts[len(parts)-1]
	if w.files[from].Language != "go" && isSource(last) {
		last = strings.TrimSuffix(last, path.Ext(last))
		parts[len(parts)-1] = last
	}
	var best []int
	longest := 0
	for _, i := range w.byModule[last] {
		f := &w.files[i]
		if family(f.Language) != family(w.files[from].Language) {
			continue
		}
		n := w.share(f, parts, relative)
		if n == 0 || n < longest {
			continue
		}
		if n > longest {
			best, longest = nil, n
		}
		best = append(best, i)
	}
	return nearest(w, from, parts, best, relative)
}

// nearest returns those of some files that an import of Python or JavaScript can mean: a module of Python is imported by its whole path, and a
// file comes before a folder of its name.
func nearest(w *World, from int, parts []string, list []int, relative bool) []int {
	if w.files[from].Language != "python" || relative {
		return list
	}
	var best []int
	longest := -1
	for _, i := range list {
		root := strings.TrimSuffix(strings.TrimSuffix(stem(w.files[i].Path), strings.Join(parts, "/")), "/")
		if !isPythonRoot(w, root) {
			continue
		}
		n := 0 // a folder that holds the importing file is nearer the deeper it is
		if root == "" || strings.HasPrefix(w.files[from].Path, root+"/") {
			n = 1 + len(root)
		}
		if n > longest {
			best, longest = nil, n
		}
		if n == longest {
			best = append(best, i)
		}
	}
	return best
}

// isSource reports whether the end of a name is that of a file of code, and not a part of the name of a module.
func isSource(name string) bool {
	switch path.Ext(name) {
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".json", ".vue", ".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".rb", ".php", ".sh", ".bash", ".inc":
		return true
	}
	return false
}

// share returns how many components an import and a file have in common; 0: it does not name the file. Imports of Go name
// folders, by a path that ends with that of the folder.
func (w *World) share(f *File, parts []string, relative bool) int {
	dir := folder(f.Path)
	switch {
	case f.Language == "python", family(f.Language) == "javascript":
		return common(stem(f.Path), parts, relative)
	case f.Language != "go":
		return max(common(dir, parts, relative), common(stem(f.Path), parts, relative))
	}
	if n := common(dir, parts, relative); n == strings.Count(dir, "/")+1 {
		return n
	}
	return 0
}

// stem is the path of a file without suffix; that of its folder for the file that stands for it.
func stem(file string) string {
	s := strings.TrimSuffix(file, path.Ext(file))
	switch base := path.Base(s); base {
	case "__init__", "index", "mod":
		if dir := folder(s); dir != "" {
			return dir
		}
	}
	return s
}

// common returns how many components a path and an import have in common at their ends, if one of them
// ends there; 0: they do not match. A relative import is the whole path.
func common(full string, parts []string, relative bool) int {
	if full == "" {
		return 0
	}
	have := strings.Split(full, "/")
	n := 0
	for n < len(have) && n < len(parts) && have[len(have)-1-n] == parts[len(parts)-1-n] {
		n++
	}
	if relative && (n != len(have) || n != len(parts)) || n != len(have) && n != len(parts) {
		return 0
	}
	return n
}

// family groups languages that refer to one another.
func family(language string) string {
	switch language {
	case "javascript", "typescript", "tsx", "jsx":
		return "javascript"
	case "c", "cpp", "objc":
		return "c"
	case "java", "kotlin", "scala":
		return "java"
	default:
		return language
	}
}
