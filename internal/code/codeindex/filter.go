package codeindex

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// kinds returns the kinds by which code can be filtered: those of symbols, and text for what lies between them.
func kinds() []syntax.Kind {
	return []syntax.Kind{
		syntax.Module, syntax.Class, syntax.Struct, syntax.Interface, syntax.Enum, syntax.Type, syntax.Function, syntax.Method, syntax.Field, syntax.Constant, syntax.Variable, syntax.Section, textKind,
	}
}

// validate checks what does not depend on a tree. The error is a [*hippo.FieldError].
func (f *Filter) validate() error {
	if f.Kind != "" {
		if err := hippo.OneOf("kind", f.Kind, kinds()...); err != nil {
			return err
		}
	}
	if p := cleanPath(f.Path); len(p) > hippo.MaxTag {
		return hippo.Fieldf("path", "must be at most %d bytes, got %d", hippo.MaxTag, len(p))
	}
	return nil
}

// check returns an error if the filter is wrong, or keeps nothing of a tree: then it says what there is. Cost: a pass
// over the files if it has a path or a language.
func (f *Filter) check(t *Tree, state *catalog.Catalog) error {
	if err := f.validate(); err != nil {
		return err
	}
	if f.Language == "" && cleanPath(f.Path) == "" {
		return nil
	}
	entries := state.Entries()
	languages, folders := make(map[string]bool), make(map[string]bool)
	for _, e := range entries {
		languages[e.Language] = true
		if top, _, ok := strings.Cut(e.Path, "/"); ok {
			folders[top] = true
		}
	}
	delete(languages, "")
	if f.Language != "" && !languages[f.Language] {
		return hippo.Fieldf("language", "no indexed file is %s; there are %s", f.Language, listOf(slices.Sorted(maps.Keys(languages))))
	}
	if p := cleanPath(f.Path); !lies(entries, p) {
		err := notIndexed(t, p)
		if len(folders) > 0 {
			err = fmt.Errorf("%w; its folders are %s", err, listOf(slices.Sorted(maps.Keys(folders))))
		}
		return err
	}
	return nil
}

// listed is how many names an error lists.
const listed = 20

func listOf[S ~string](names []S) string {
	var b strings.Builder
	for i, n := range names[:min(len(names), listed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(n))
	}
	if more := len(names) - listed; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// lies reports whether a path is that of one of the files, or of a folder of one; empty: of the root.
func lies(entries []*catalog.Entry, path string) bool {
	return path == "" || slices.ContainsFunc(entries, func(e *catalog.Entry) bool { return e.Path == path || strings.HasPrefix(e.Path, path+"/") })
}

// Holds reports whether the index of a tree has a file or a folder, relative to the root with slashes. It may be deleted
// meanwhile. The error is that of opening the index, or that of ctx.
func Holds(ctx context.Context, t *Tree, path string) (bool, error) {
	g, done, err := t.use(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	state := g.current.Load()
	return state.Entry(path) != nil || lies(state.Entries(), cleanPath(path)), nil
}
