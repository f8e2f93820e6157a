package codeindex

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// maxDefined bounds the names of what files define.
const maxDefined = 1000

// Defined returns the full names of what some files define: the folders, the package or class and the name, with dots
// between them; fields come last. Of several files it takes a name of each in turn, at most 1,000. files are paths in a
// folder, with slashes. What no index has, or an index that cannot be read, has none. Cost: that of [catalog.Lookup] for
// each tree; words and vectors are not opened.
func (l *Library) Defined(dir string, files []string) []string {
	roots, err := l.Roots()
	if err != nil {
		return nil
	}
	paths := make(map[string][]string) // by root, in the order of files
	for _, f := range files {
		at := filepath.Join(dir, filepath.FromSlash(f))
		best := ""
		for _, r := range roots {
			if within(r.Path, at) && len(r.Path) > len(best) {
				best = r.Path
			}
		}
		if rel, err := filepath.Rel(best, at); best != "" && err == nil {
			paths[best] = append(paths[best], filepath.ToSlash(rel))
		}
	}
	var lists [][]string
	for _, r := range roots {
		entries := l.entriesOf(r, paths[r.Path])
		for _, path := range paths[r.Path] {
			lists = append(lists, definedIn(entries[path]))
		}
	}
	return inTurn(lists, maxDefined)
}

// entriesOf reads what the index of a root says of files; nothing if it cannot be read.
func (l *Library) entriesOf(r Root, files []string) map[string]*catalog.Entry {
	t := l.tree(r)
	name := pointed(t)
	if len(files) == 0 || name == "" {
		return nil
	}
	found, err := catalog.Lookup(filepath.Join(t.folder, name, catalogFile), files)
	if err != nil {
		l.config.logger().Debug("code index", "root", r.Path, "error", err)
	}
	return found
}

// definedIn returns the full names of the definitions of a file, which may be nil.
func definedIn(e *catalog.Entry) (names []string) {
	if e == nil {
		return nil
	}
	f, _, err := e.Read()
	if err != nil {
		return nil
	}
	var fields []string
	for i := range f.Symbols {
		s := &f.Symbols[i]
		ref := symbolRef{name: s.Name, qualified: qualified(s), entry: e}
		switch s.Kind {
		case syntax.Section:
		case syntax.Field:
			fields = append(fields, ref.container())
		default:
			names = append(names, ref.container())
		}
	}
	return append(names, fields...)
}

// inTurn returns the first of each list, then the second of each, and so on, at most n, each once.
func inTurn(lists [][]string, n int) (out []string) {
	seen := make(map[string]bool)
	for i := 0; len(out) < n; i++ {
		more := false
		for _, list := range lists {
			if i >= len(list) {
				continue
			}
			if more = true; !seen[list[i]] && len(out) < n {
				seen[list[i]] = true
				out = append(out, list[i])
			}
		}
		if !more {
			break
		}
	}
	return out
}

// Touched are files that somebody works on, and what they define, as texts may name them.
type Touched struct {
	files []string
	names map[string][]string // full names in lower case, by the last part
}

// NewTouched takes paths with slashes, and names as [Library.Defined] returns them.
func NewTouched(files, names []string) *Touched {
	t := &Touched{files: files, names: make(map[string][]string, len(names))}
	for _, full := range names {
		last := full[strings.LastIndexByte(full, '.')+1:]
		t.names[last] = append(t.names[last], strings.ToLower(full))
	}
	return t
}

// In reports whether a text names one of them, by the rule of [Library.Links]: a file by its path or the end of it, a
// definition by a qualified name, or by an identifier that is no word.
func (t *Touched) In(text string) bool {
	return slices.ContainsFunc(linkTexts(text), func(word string) bool {
		c := candidateOf(word)
		return slices.ContainsFunc(t.files, c.isFile) ||
			slices.ContainsFunc(t.names[c.last], func(full string) bool { return c.last == c.text || endsWith(full, c.want) })
	})
}
