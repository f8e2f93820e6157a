package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// scoped reports whether a language finds names by scopes and imports alone: a name that these do not have is of the language or the system.
func scoped(language string) bool {
	return language == "python" || family(language) == "javascript"
}

// A site is a place from which names are looked for: the qualified name of what holds it, empty for the top of the file, and its byte, below 0 where
// the variables of functions are not known.
type site struct {
	file   int
	holder string
	at     int
}

// bindings are what the imports of a file bind.
type bindings struct {
	names map[string][]imported
	all   []imported // what all names are taken from
}

// An imported thing is a module, or what it calls by a name.
type imported struct {
	from  int // the file that imports it
	path  string
	name  string // empty: the module
	files []int  // of the module
}

// bindingsOf returns what the imports of a file bind.
func (w *World) bindingsOf(file int) *bindings {
	if known, ok := w.bound.Load(file); ok {
		return known.(*bindings) //nolint:errcheck // nothing else is stored
	}
	b := &bindings{names: make(map[string][]imported)}
	python := w.files[file].Language == "python"
	for i := range w.files[file].Imports {
		m := &w.files[file].Imports[i]
		t := imported{file, m.Path, m.Name, w.imported(file, m.Path)}
		alias := m.Alias
		switch {
		case m.Name == "*":
			b.all = append(b.all, t)
			continue
		case alias == "" && m.Name != "":
			alias = m.Name
		case alias == "" && python: // import a.b binds a
			alias, _, _ = strings.Cut(m.Path, ".")
			t = imported{file, alias, "", w.imported(file, alias)}
		case alias == "":
			continue
		}
		b.names[alias] = append(b.names[alias], t)
	}
	w.bound.Store(file, b)
	return b
}

// A wanted name is one that was looked for in a file: what imports lead back to is not looked for again.
type wanted struct {
	file int
	name string
}

// exported returns what a module has under a name: definitions, or a module. seen is what led to it; nil: nothing.
func (w *World) exported(m imported, name string, seen map[wanted]bool) (found []int, modules []imported) {
	if found = w.find(m.files, "", name); name == "default" {
		found = defaults(w, m.files)
	}
	if len(found) > 0 {
		return found, nil
	}
	if seen == nil {
		seen = make(map[wanted]bool)
	}
	for _, f := range m.files {
		if !seen[wanted{f, name}] {
			seen[wanted{f, name}] = true
			more, inner := handedOn(w, f, name, seen)
			found, modules = append(found, more...), append(modules, inner...)
		}
	}
	if len(found)+len(modules) > 0 || w.files[m.from].Language != "python" {
		return found, modules
	}
	inner := strings.TrimSuffix(m.path, ".") + sepOf(m.path) + name
	if strings.Trim(m.path, ".") == "" {
		inner = m.path + name
	}
	if files := w.imported(m.from, inner); len(files) > 0 {
		modules = append(modules, imported{m.from, inner, "", files})
	}
	return found, modules
}

// handedOn returns what a file has under a name because it imports it.
func handedOn(w *World, file int, name string, seen map[wanted]bool) (found []int, modules []imported) {
	b := w.bindingsOf(file)
	for _, t := range b.names[name] {
		more, inner := w.target(t, seen)
		found, modules = append(found, more...), append(modules, inner...)
	}
	for _, t := range b.all {
		if len(found)+len(modules) > 0 {
			break
		}
		found, modules = w.exported(t, name, seen)
	}
	return found, modules
}

// target returns what an import means.
func (w *World) target(t imported, seen map[wanted]bool) (found []int, modules []imported) {
	if t.name == "" {
		return nil, []imported{t}
	}
	return w.exported(t, t.name, seen)
}

// defaults returns what files export without a name.
func defaults(w *World, files []int) (found []int) {
	for _, f := range files {
		for _, i := range inFile(w, f) {
			if strings.HasPrefix(w.symbols[i].Signature, "export default ") {
				found = append(found, i)
			}
		}
	}
	return found
}

// inFile returns the numbers of the definitions of a file.
func inFile(w *World, file int) []int {
	from, _ := slices.BinarySearchFunc(w.symbols, file, func(s Symbol, f int) int { return s.File - f })
	var list []int
	for i := from; i < len(w.symbols) && w.symbols[i].File == file; i++ {
		list = append(list, i)
	}
	return list
}

// named returns what a name means at a site, by the scopes around it and the imports of its file. Not known: it may be of the system.
func (w *World) named(s site, name string) (found []int, modules []imported, grade Grade) {
	first := true
	for h := s.holder; h != ""; h = parentOf(h) {
		if list := w.find([]int{s.file}, h, name); len(list) > 0 && (first || opens(w, s.file, h)) {
			return list, nil, Scope
		}
		first = false
	}
	if list := w.find([]int{s.file}, "", name); len(list) > 0 {
		return list, nil, Scope
	}
	b := w.bindingsOf(s.file)
	for _, t := range b.names[name] {
		more, inner := w.target(t, nil)
		if t.name == "default" && len(more) == 0 {
			more = w.find(t.files, "", name)
		}
		found, modules = append(found, more...), append(modules, inner...)
	}
	if len(b.names[name]) == 0 && w.files[s.file].Language == "python" {
		for _, t := range b.all {
			if len(found)+len(modules) == 0 {
				found, modules = w.exported(t, name, nil)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), modules, Imported
}

// parentOf is what holds what a qualified name means; empty: the file.
func parentOf(qualified string) string {
	return qualified[:max(strings.LastIndexByte(qualified, '.'), 0)]
}

// opens reports whether what a definition holds is in scope in all that it holds: so it is of functions and namespaces, and not of classes.
func opens(w *World, file int, holder string) bool {
	for _, i := range w.find([]int{file}, parentOf(holder), lastPart(holder)) {
		switch w.symbols[i].Kind {
		case syntax.Function, syntax.Method, syntax.Module:
			return true
		default:
		}
	}
	return false
}

// classOf returns the class that holds a site, with what has its name; nil: none.
func classOf(w *World, s site) []int {
	for h := s.holder; h != ""; h = parentOf(h) {
		list := w.find([]int{s.file}, parentOf(h), lastPart(h))
		if slices.ContainsFunc(list, func(i int) bool { return isClass(w.symbols[i].Kind) }) {
			return list
		}
	}
	return nil
}

func isClass(k syntax.Kind) bool {
	return k == syntax.Class || k == syntax.Interface || k == syntax.Enum || k == syntax.Struct
}

// lastPart is a qualified name without what holds it.
func lastPart(qualified string) string { return qualified[strings.LastIndexByte(qualified, '.')+1:] }

// isPythonRoot reports whether a module of Python can be imported from outside by a path that begins at a folder: the folder is no package.
func isPythonRoot(w *World, dir string) bool {
	for _, i := range w.inFolder[dir] {
		if path.Base(w.files[i].Path) == "__init__.py" {
			return false
		}
	}
	return true
}
