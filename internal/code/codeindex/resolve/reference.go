package resolve

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// Resolve returns the definitions that a reference may mean, by number in the world, and why. Several are
// equally likely. None: nothing in the tree has the name.
func (r *Resolver) Resolve(ref *syntax.Reference) ([]int, Grade) {
	if ref.Qualifier != "" && r.world.files[r.file].Language == "go" {
		if found, grade, sure := byType(r, ref); sure {
			return found, grade
		}
	}
	if scoped(r.world.files[r.file].Language) {
		if found, grade, sure := byScope(r, ref); sure {
			return found, grade
		}
	}
	all := r.candidates(ref)
	if len(all) == 0 {
		return r.renamed(ref)
	}
	steps := []struct {
		grade Grade
		pick  func(*syntax.Reference, []int) []int
	}{{Scope, r.inScope}, {Imported, r.inImport}, {Typed, r.ofType}, {Near, r.nearby}, {Named, r.anywhere}}
	for _, s := range steps {
		if found := s.pick(ref, all); len(found) > 0 {
			return found, s.grade
		}
	}
	return nil, Unknown
}

// byType resolves a reference of Go by what its qualifier means. Not sure: that is not known.
func byType(r *Resolver, ref *syntax.Reference) (found []int, grade Grade, sure bool) {
	e, at := evaluatorOf(r), ref.At.From
	if _, imported := r.modules[ref.Qualifier]; imported && ref.Use != syntax.Call && ref.Use != syntax.Read {
		at = -1 // a variable may have the name of the package that its type is in
	}
	m := part(e.evaluate(r.file, at, ref.Qualifier, 0), 0)
	if !m.known {
		return nil, Unknown, false
	}
	grade = Typed
	if m.files == nil && m.symbol == nil && m.value.text == "" {
		return nil, Unknown, true // it is defined outside of the tree
	}
	if m.files != nil {
		found, grade, sure = r.world.find(m.files, "", ref.Name), Imported, true
	} else if found, sure = e.members(m.value, ref.Name, 0); len(found) == 0 && m.isType && ref.Use == syntax.Read {
		if t := e.underlying(m.value, 0); strings.HasPrefix(t.text, "[") || strings.HasPrefix(t.text, "map[") {
			plain := *ref // the index or key of an element, not a field
			plain.Qualifier = ""
			found, grade = r.Resolve(&plain)
			return found, grade, true
		}
	}
	if len(found) == 0 {
		grade = Unknown
	}
	return found, grade, sure
}

// candidates returns the definitions of the name in the family of languages, with those that cannot be meant left out.
func (r *Resolver) candidates(ref *syntax.Reference) (list []int) {
	mine := family(r.world.files[r.file].Language)
	for _, i := range r.world.byName[ref.Name] {
		s := &r.world.symbols[i]
		if family(r.world.files[s.File].Language) == mine && fits(s.Kind, ref) {
			list = append(list, i)
		}
	}
	return list
}

// fits reports whether a definition of a kind can be used so.
func fits(k syntax.Kind, ref *syntax.Reference) bool {
	switch ref.Use {
	case syntax.Extends, syntax.Implements, syntax.TypeOf:
		return k != syntax.Function && k != syntax.Method && k != syntax.Field && k != syntax.Section
	default:
		return k != syntax.Section && (ref.Qualifier != "" || k != syntax.Method && k != syntax.Field)
	}
}

// renamed resolves the alias of a single import.
func (r *Resolver) renamed(ref *syntax.Reference) ([]int, Grade) {
	for _, n := range r.names[ref.Name] {
		if ref.Qualifier != "" || n.name == ref.Name {
			continue
		}
		if found := r.keep(r.world.byName[n.name], func(s *Symbol) bool { return slices.Contains(n.files, s.File) }); len(found) > 0 {
			return found, Imported
		}
	}
	return nil, Unknown
}

func (r *Resolver) keep(list []int, ok func(*Symbol) bool) (out []int) {
	for _, i := range list {
		if ok(&r.world.symbols[i]) {
			out = append(out, i)
		}
	}
	return out
}

// container is the qualified name of what holds a symbol; empty: the file.
func container(s *Symbol) string {
	if i := strings.LastIndexByte(s.Qualified, '.'); i >= 0 {
		return s.Qualified[:i]
	}
	return ""
}

// inScope looks where the language looks first: in what holds the reference, in the file, and in the package of Go.
func (r *Resolver) inScope(ref *syntax.Reference, all []int) []int {
	if class, ok := r.self(ref); ok {
		own := r.keep(all, func(s *Symbol) bool { return container(s) == class && r.near[s.File] })
		if same := r.keep(own, func(s *Symbol) bool { return s.File == r.file }); len(same) > 0 {
			return same
		}
		return own
	}
	if ref.Qualifier != "" {
		static := r.keep(all, func(s *Symbol) bool { return container(s) == ref.Qualifier && r.visible(s.File) })
		return static
	}
	for in, depth := ref.In, 0; in >= 0 && in < len(r.syntax.Symbols) && depth < 32; depth++ {
		holder := qualified(&r.syntax.Symbols[in])
		if found := r.keep(all, func(s *Symbol) bool { return s.File == r.file && container(s) == holder }); len(found) > 0 {
			return found
		}
		if r.syntax.Symbols[in].Parent >= in {
			break
		}
		in = r.syntax.Symbols[in].Parent
	}
	top := r.keep(all, func(s *Symbol) bool { return s.File == r.file && container(s) == "" })
	if len(top) > 0 {
		return top
	}
	return r.keep(all, func(s *Symbol) bool { return container(s) == "" && r.visible(s.File) })
}

// visible reports whether the top of a file is in scope without an import: the file itself, and the package of Go, Java, C# and such.
func (r *Resolver) visible(file int) bool {
	if file == r.file {
		return true
	}
	switch r.world.files[r.file].Language {
	case "go", "java", "kotlin", "csharp", "swift", "c", "cpp":
		a, b := &r.world.files[file], &r.world.files[r.file]
		if strings.HasSuffix(a.Path, "_test.go") && !strings.HasSuffix(b.Path, "_test.go") {
			return false
		}
		return folder(a.Path) == folder(b.Path) && (a.Package == b.Package || a.Package == "" || b.Package == "")
	case "sql": // a database has one set of names
		return true
	default:
		return false
	}
}

func qualified(s *syntax.Symbol) string {
	if s.Qualified == "" {
		return s.Name
	}
	return s.Qualified
}

// self returns the class that the qualifier of a reference is an object of, if it is that of the method.
func (r *Resolver) self(ref *syntax.Reference) (class string, ok bool) {
	if ref.Qualifier == "" || ref.In < 0 || ref.In >= len(r.syntax.Symbols) {
		return "", false
	}
	in := &r.syntax.Symbols[ref.In]
	q := qualified(in)
	i := strings.LastIndexByte(q, '.')
	if i < 0 {
		return "", false
	}
	switch ref.Qualifier {
	case "self", "this", "cls", "Self", "@", "$this", "static":
		return q[:i], true
	}
	return "", false
}

// inImport looks into what the file imports under the qualifier, or under the name.
func (r *Resolver) inImport(ref *syntax.Reference, all []int) []int {
	if ref.Qualifier == "" {
		for _, n := range r.names[ref.Name] {
			if found := r.keep(all, func(s *Symbol) bool { return slices.Contains(n.files, s.File) && container(s) == "" }); len(found) > 0 {
				return found
			}
		}
		for _, dot := range []string{".", "_", "*"} {
			if found := r.keep(all, func(s *Symbol) bool { return slices.Contains(r.modules[dot], s.File) && container(s) == "" }); len(found) > 0 {
				return found
			}
		}
		return nil
	}
	first, rest, _ := strings.Cut(strings.ReplaceAll(ref.Qualifier, "::", "."), ".")
	holder := rest
	for _, n := range r.names[first] {
		holder = strings.TrimSuffix(n.name+"."+rest, ".")
		if found := r.keep(all, func(s *Symbol) bool { return slices.Contains(n.files, s.File) && container(s) == holder }); len(found) > 0 {
			return found
		}
	}
	for _, module := range []string{first, lastOf(ref.Qualifier)} {
		files := r.modules[module]
		if found := r.keep(all, func(s *Symbol) bool {
			return slices.Contains(files, s.File) && (container(s) == "" || container(s) == rest)
		}); len(found) > 0 {
			return found
		}
	}
	return nil
}

// ofType looks for members of the type that the signature around the reference gives the qualifier.
func (r *Resolver) ofType(ref *syntax.Reference, all []int) []int {
	if ref.Qualifier == "" || ref.In < 0 || ref.In >= len(r.syntax.Symbols) {
		return nil
	}
	name := r.typesOf(ref.In)[ref.Qualifier]
	if name == "" {
		name = bareName(evaluatorOf(r).locals.typeOf(ref.Qualifier, ref.At.From))
	}
	if name == "" {
		return nil
	}
	module, class, ok := strings.Cut(name, ".")
	if !ok {
		class, module = module, ""
	}
	return r.keep(all, func(s *Symbol) bool {
		return container(s) == class && (module == "" && r.near[s.File] || slices.Contains(r.modules[module], s.File))
	})
}

// bareName is the name of a type without its arguments and what it points to: "Row" of "const Row<T> *".
func bareName(t string) string {
	t = strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(t, "&* "), "const "), "struct ")
	if i := strings.IndexAny(t, "<[ *&?"); i > 0 {
		t = t[:i]
	}
	return strings.ReplaceAll(t, "::", ".")
}

// typesOf returns the types that a signature gives its parameters.
func (r *Resolver) typesOf(symbol int) map[string]string {
	if known, ok := r.types[symbol]; ok {
		return known
	}
	out := make(map[string]string)
	signature := r.syntax.Symbols[symbol].Signature
	for _, m := range r.world.colon.FindAllStringSubmatch(signature, -1) {
		out[m[1]] = m[2]
	}
	r.types[symbol] = out
	return out
}

// nearby looks in the folder of the file, and in what it imports.
func (r *Resolver) nearby(ref *syntax.Reference, all []int) []int {
	if r.external(ref) {
		return nil
	}
	same := r.keep(all, func(s *Symbol) bool { return s.File == r.file && r.member(ref, s) })
	if len(same) > 0 {
		return same
	}
	return r.keep(all, func(s *Symbol) bool { return r.near[s.File] && r.member(ref, s) })
}

// member reports whether a definition fits what stands before the name: something of an object, or nothing. A
// method that calls one of its name on another object hands its work on, and does not call itself.
func (r *Resolver) member(ref *syntax.Reference, s *Symbol) bool {
	return ref.Qualifier == "" || container(s) != "" && (s.File != r.file || s.Number != ref.In)
}

func (r *Resolver) anywhere(ref *syntax.Reference, all []int) []int {
	if ref.Qualifier == "" || r.external(ref) {
		return nil
	}
	return r.keep(all, func(s *Symbol) bool { return r.member(ref, s) })
}

// external reports whether the qualifier is an import of something outside of the tree: nothing in the tree is meant.
func (r *Resolver) external(ref *syntax.Reference) bool {
	first, _, _ := strings.Cut(ref.Qualifier, ".")
	files, imported := r.modules[first]
	return imported && (len(files) == 0 || first == ref.Qualifier)
}
