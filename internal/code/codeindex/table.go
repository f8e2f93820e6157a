package codeindex

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/base/typo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// symbolTable holds the symbols of a state of the catalog, by name.
type symbolTable struct {
	of   *catalog.Catalog
	list []symbolRef // in the order of lower-case names
}

// symbolRef is a symbol of a file.
type symbolRef struct {
	lower, name, qualified string
	kind                   syntax.Kind
	entry                  *catalog.Entry
	number                 int
}

// table returns the symbols of the current state. Cost: a pass over the catalog when it has changed.
func (g *generation) table() *symbolTable {
	state := g.current.Load()
	if t := g.symbols.Load(); t != nil && t.of == state {
		return t
	}
	t := &symbolTable{of: state}
	lower := make(map[string]string)
	for _, e := range state.Entries() {
		f, _, err := e.Read()
		if err != nil {
			continue
		}
		for i := range f.Symbols {
			s := &f.Symbols[i]
			l, ok := lower[s.Name]
			if !ok {
				l = strings.ToLower(s.Name)
				lower[s.Name] = l
			}
			t.list = append(t.list, symbolRef{l, s.Name, qualified(s), s.Kind, e, i})
		}
	}
	slices.SortStableFunc(t.list, func(a, b symbolRef) int { return cmp.Compare(a.lower, b.lower) })
	g.symbols.Store(t)
	return t
}

// How well a symbol matches what was asked for, best first.
const (
	matchExact = iota
	matchCase
	matchPrefix
	matchPart
	matchTypo
	noMatch
)

// find returns the symbols that match a name, which may be qualified, best first.
func (t *symbolTable) find(name string, f Filter, limit int) []symbolRef {
	last := name
	if i := strings.LastIndexAny(name, ".:#/"); i >= 0 && i < len(name)-1 {
		last = name[i+1:]
	}
	type scored struct {
		symbolRef
		grade int
	}
	var found []scored
	lower, want := strings.ToLower(last), strings.ToLower(strings.NewReplacer("::", ".", "#", ".", "/", ".").Replace(name))
	for _, s := range t.list {
		if !f.admits(&s) {
			continue
		}
		grade := gradeOf(&s, last, lower)
		if last != name && grade != noMatch && !endsWith(strings.ToLower(s.container()), want) {
			continue
		}
		if grade != noMatch {
			found = append(found, scored{s, grade})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.grade, b.grade), cmp.Compare(rankOfKind(a.kind), rankOfKind(b.kind)), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.entry.Path, b.entry.Path), cmp.Compare(a.number, b.number))
	})
	if len(found) > 0 && found[0].grade < matchTypo { // typos only if nothing else is there
		found = slices.DeleteFunc(found, func(s scored) bool { return s.grade == matchTypo })
	}
	out := make([]symbolRef, 0, min(limit, len(found)))
	for _, s := range found[:min(limit, len(found))] {
		out = append(out, s.symbolRef)
	}
	return out
}

// container is the qualified name behind the path of the file: what a qualified name may end.
func (s *symbolRef) container() string {
	dir := strings.TrimSuffix(s.entry.Path, "/"+lastPart(s.entry.Path))
	return strings.ReplaceAll(dir, "/", ".") + "." + s.qualified
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// endsWith reports whether the last components of a name begin with those of another one.
func endsWith(full, want string) bool {
	return strings.Contains("."+full, "."+want)
}

// rankOfKind puts definitions before fields.
func rankOfKind(k syntax.Kind) int {
	switch k {
	case syntax.Field, syntax.Variable, syntax.Section:
		return 1
	default:
		return 0
	}
}

func gradeOf(s *symbolRef, name, lower string) int {
	switch {
	case s.name == name:
		return matchExact
	case s.lower == lower:
		return matchCase
	case strings.HasPrefix(s.lower, lower):
		return matchPrefix
	case len(lower) > 2 && strings.Contains(s.lower, lower):
		return matchPart
	case isTypo(s.lower, lower):
		return matchTypo
	default:
		return noMatch
	}
}

// isTypo reports whether two names differ by one edit, from four letters on, or by two, from eight on: an
// insertion, a deletion, another letter, or two letters that changed places.
func isTypo(a, b string) bool {
	most := 0
	switch {
	case len(b) >= 8:
		most = 2
	case len(b) >= 4:
		most = 1
	}
	if most == 0 || len(a) > len(b)+most || len(b) > len(a)+most {
		return false
	}
	return typo.Distance(a, b, most) <= most
}

// admits reports whether a symbol passes a filter.
func (f *Filter) admits(s *symbolRef) bool {
	p := cleanPath(f.Path)
	return (f.Kind == "" || s.kind == f.Kind) && (f.Language == "" || s.entry.Language == f.Language) &&
		(p == "" || s.entry.Path == p || strings.HasPrefix(s.entry.Path, p+"/"))
}
