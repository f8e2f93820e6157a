package resolve

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// meaningOf returns what a definition means where it is named.
func (e *evaluator) meaningOf(i, depth int) meaning {
	s := &e.world.symbols[i]
	switch s.Kind {
	case syntax.Function, syntax.Method:
		return meaning{known: true, symbol: s}
	case syntax.Struct, syntax.Interface, syntax.Type, syntax.Class, syntax.Enum:
		return meaning{known: true, isType: true, value: typ{s.File, s.Qualified}}
	default:
	}
	if depth > maxDepth {
		return meaning{}
	}
	names, text, value := variable(s.Signature)
	for k := i - 1; s.Kind == syntax.Constant && text == "" && value == "" && k >= 0 && e.world.symbols[k].File == s.File; k-- {
		_, text, value = variable(e.world.symbols[k].Signature) // it repeats what is above it
	}
	if strings.HasPrefix(text, "struct") && container(s) != "" {
		text = container(s) // the fields of a struct in a type are those of the type
	}
	if text != "" {
		return meaning{known: true, value: typ{s.File, text}}
	}
	if value == "" {
		return meaning{}
	}
	values := list(value)
	n := max(0, slices.Index(names, s.Name))
	if len(values) == len(names) {
		return part(e.evaluate(s.File, -1, values[n], depth+1), 0)
	}
	return part(e.evaluate(s.File, -1, value, depth+1), n)
}

// resolved is a type by the definition that its name means.
type resolved struct {
	symbol  *Symbol // nil: it is none of the tree
	sure    bool    // that there is no other one
	literal bool    // it is written out, and has no name
}

// definition returns what the name of a type means.
func (e *evaluator) definition(t typ, depth int) resolved {
	text := strings.TrimLeft(t.text, "* ")
	n := identifier(text)
	if n == 0 || literalType(text) > 0 {
		return resolved{sure: text != "", literal: true}
	}
	name := text[:n]
	if rest := text[n:]; strings.HasPrefix(rest, ".") {
		imported, ok := e.world.modulesOf(t.file)[name]
		if !ok {
			return resolved{}
		}
		name = rest[1 : 1+identifier(rest[1:])]
		return resolved{symbol: e.world.first(imported, name), sure: true} // what is not in its package was left out
	}
	if s := e.world.first(e.world.packageOf(t.file), name); s != nil || universe(name) {
		return resolved{symbol: s, sure: true}
	}
	// A type of a function, or a parameter of types, which is what its constraint is.
	for _, i := range e.locals.byName[name] {
		if is := e.locals.list[i].Type; is != "" && is != text && t.file == e.file && depth < maxDepth {
			return e.definition(typ{t.file, is}, depth+1)
		}
	}
	return resolved{}
}

// underlying returns a type as it is written out, through the names that stand for it.
func (e *evaluator) underlying(t typ, depth int) typ {
	for ; depth <= maxDepth; depth++ {
		d := e.definition(t, depth)
		if d.symbol == nil {
			t.text = strings.TrimLeft(t.text, "* ")
			return t
		}
		text := right(d.symbol.Signature)
		if text == "" {
			return typ{}
		}
		t = typ{d.symbol.File, text}
	}
	return typ{}
}

// members returns the definitions of a member of a type, those of what it embeds among them. sure: there are no others.
func (e *evaluator) members(t typ, name string, depth int) (found []int, sure bool) {
	if t.text == "" || depth > maxDepth {
		return nil, false
	}
	d := e.definition(t, depth)
	if d.symbol == nil {
		return nil, d.sure
	}
	files := e.world.packageOf(d.symbol.File)
	if found := e.world.find(files, d.symbol.Qualified, name); len(found) > 0 {
		return found, true
	}
	sure = true
	for _, b := range d.symbol.Bases {
		base := typ{d.symbol.File, b}
		if lastOf(bare(b)) == name {
			of := e.definition(base, depth)
			if of.symbol == nil {
				return nil, of.sure
			}
			return e.world.find(e.world.packageOf(of.symbol.File), container(of.symbol), of.symbol.Name), true
		}
		inherited, all := e.members(base, name, depth+1)
		if len(inherited) > 0 {
			return inherited, true
		}
		sure = sure && all
	}
	if text := right(d.symbol.Signature); text != "" && !strings.HasPrefix(text, "struct") && !strings.HasPrefix(text, "interface") {
		if found, all := e.members(typ{d.symbol.File, text}, name, depth+1); len(found) > 0 || !all {
			return found, all
		}
	}
	return nil, sure
}

// bare is the name of a type without pointer and arguments.
func bare(t string) string {
	t = strings.TrimLeft(t, "* ")
	if i := strings.IndexByte(t, '['); i > 0 {
		t = t[:i]
	}
	return t
}

// packageOf returns the files that share the package of a file.
func (w *World) packageOf(file int) (list []int) {
	f := &w.files[file]
	if known, ok := w.packages.Load(file); ok {
		return known.([]int) //nolint:errcheck // nothing else is stored
	}
	test := strings.HasSuffix(f.Path, "_test.go")
	for _, i := range w.inFolder[folder(f.Path)] {
		if w.files[i].Language == f.Language && (test || !strings.HasSuffix(w.files[i].Path, "_test.go")) && (w.files[i].Package == f.Package || strings.TrimSuffix(f.Package, "_test") == w.files[i].Package) {
			list = append(list, i)
		}
	}
	w.packages.Store(file, list)
	return list
}

// modulesOf returns the files of what a file imports, by the name that it calls them by.
func (w *World) modulesOf(file int) map[string][]int {
	if known, ok := w.modules.Load(file); ok {
		return known.(map[string][]int) //nolint:errcheck // nothing else is stored
	}
	out := make(map[string][]int)
	for i := range w.files[file].Imports {
		m := &w.files[file].Imports[i]
		alias := m.Alias
		files := w.imported(file, m.Path)
		if alias == "" {
			alias = w.nameOf(m.Path, files)
		}
		out[alias] = append(out[alias], files...)
	}
	w.modules.Store(file, out)
	return out
}

// nameOf returns the name of what an import takes without giving it one: that of the package, if its files say it.
func (w *World) nameOf(imported string, files []int) string {
	name := lastOf(imported)
	for _, i := range files {
		f := &w.files[i]
		if f.Package == name {
			return name
		}
		if f.Language == "go" && f.Package != "main" && !strings.HasSuffix(f.Path, "_test.go") {
			name = f.Package
		}
	}
	return name
}

// first returns the first definition of a name at the top of some files; nil: there is none.
func (w *World) first(files []int, name string) *Symbol {
	if found := w.find(files, "", name); len(found) > 0 {
		return &w.symbols[found[0]]
	}
	return nil
}

// find returns the definitions of a name in some files that something holds; empty: nothing does.
func (w *World) find(files []int, holder, name string) (found []int) {
	for _, i := range w.byName[name] {
		s := &w.symbols[i]
		if container(s) == holder && slices.Contains(files, s.File) {
			found = append(found, i)
		}
	}
	return found
}

// universe reports whether every file of Go has a type, function or value of a name.
func universe(name string) bool {
	switch name {
	case "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64", "rune",
		"string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "nil", "true", "false", "iota", "len", "cap", "copy", "real", "imag", "complex":
		return true
	}
	return false
}
