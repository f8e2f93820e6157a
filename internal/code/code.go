// Package code asks the code indexes of this machine for somebody who works in a folder, and keeps them up to date: it chooses the trees that a
// question is about, and resolves paths relative to that folder. The indexes are those of package codeindex.
package code

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// Library is the code indexes of a user.
type Library struct{ *codeindex.Library }

// Asked limits a question. An empty field sets no limit.
type Asked struct {
	// Root is a path in the tree to ask, which is otherwise that of the current directory. Path is a file or a folder.
	Root, Path, Language, Kind string
	// Count is the number of results; 0 means the default.
	Count int
}

// Trees are the source trees that a question is about, at least one.
type Trees struct {
	trees  []*codeindex.Tree
	dir    string           // that the question comes from; empty: a tree was named
	filter codeindex.Filter // of several trees it has no path
	count  int
}

// Tree is the only tree that a question is about.
type Tree struct {
	tree   *codeindex.Tree
	filter codeindex.Filter
	count  int
}

// Ask returns the trees that a question is about: that of Root, else that of the current directory, else those below it or the one with Path, else
// the only one.
func (l Library) Ask(ctx context.Context, a Asked) (*Trees, error) {
	in, err := l.choose(&a)
	if err != nil {
		return nil, err
	}
	in.count = a.Count
	in.filter = codeindex.Filter{Language: strings.ToLower(a.Language), Kind: syntax.Kind(strings.ToLower(a.Kind))}
	if a.Path != "" {
		in.filter.Path, err = relative(ctx, in.trees[0], a.Path)
	}
	return in, err
}

func (l Library) choose(a *Asked) (*Trees, error) {
	if a.Root != "" {
		t, err := l.Holding(a.Root)
		return &Trees{trees: []*codeindex.Tree{t}}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	all, err := l.Trees()
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("%w: no source tree is indexed; run hippo code index PATH", hippo.ErrNotFound)
	}
	scope := hippo.LocalScope("")
	trees, err := l.ChooseAll(&scope, codeindex.Choice{Dir: dir})
	if _, several := errors.AsType[*hippo.FieldError](err); several {
		err = nameRoot(all)
	}
	if err != nil || len(trees) == 1 || a.Path == "" {
		return &Trees{trees: trees, dir: dir}, err
	}
	t := codeindex.TreeAt(trees, dir, a.Path)
	if t == nil {
		return nil, nameRoot(trees)
	}
	return &Trees{trees: []*codeindex.Tree{t}, dir: dir}, nil
}

// nameRoot is the error of a question that one tree answers where several may be meant.
func nameRoot(trees []*codeindex.Tree) error {
	var names []string
	for _, t := range trees {
		names = append(names, t.Root.Path)
	}
	return fmt.Errorf("%w: the current directory is in no tree that is indexed; name one with --root: %s", hippo.ErrInvalid, strings.Join(names, ", "))
}

// One returns the tree of a question that one tree answers.
func (in *Trees) One() (*Tree, error) {
	if len(in.trees) > 1 {
		return nil, nameRoot(in.trees)
	}
	return &Tree{tree: in.trees[0], filter: in.filter, count: in.count}, nil
}

// Search finds code in all of the trees. places are the paths of the hits: where several trees were asked, from the current directory.
func (in *Trees) Search(ctx context.Context, text string) (a *codeindex.Answer, places []string, err error) {
	a, err = codeindex.SearchAll(ctx, in.trees, in.dir, codeindex.Query{Text: text, Count: in.count, Filter: in.filter})
	if err != nil {
		return nil, nil, err
	}
	for i := range a.Hits {
		places = append(places, a.PlaceOf(&a.Hits[i], in.dir))
	}
	return a, places, nil
}

// Notes name what is missing from answers at the moment, such as files that are not indexed yet.
func (t *Tree) Notes() []string { return codeindex.Notes(t.tree) }

// Status returns the state. A root without an index, or that was deleted, is a problem that it names.
func (t *Tree) Status(ctx context.Context) codeindex.Status { return t.tree.Status(ctx) }

// Named returns the definitions of a name; texts: with comment and text.
func (t *Tree) Named(ctx context.Context, name string, texts bool) ([]codeindex.Definition, error) {
	return t.tree.Symbols(ctx, name, t.filter, t.count, texts)
}

// DefinedIn returns the definitions of a file. A relative path starts at the current directory, or else at the root of the tree.
func (t *Tree) DefinedIn(ctx context.Context, file string) ([]codeindex.Definition, error) {
	path, err := relative(ctx, t.tree, file)
	if err != nil {
		return nil, err
	}
	return t.tree.Outline(ctx, path)
}

// Edges returns what calls the definitions of a name, or what they call; references: not only calls.
func (t *Tree) Edges(ctx context.Context, name string, callees, references bool) (*codeindex.Edges, error) {
	if callees {
		return t.tree.Callees(ctx, name, t.filter, t.count, !references)
	}
	return t.tree.Callers(ctx, name, t.filter, t.count, !references)
}

// Related returns what is related to the definitions of a name, or to a file.
func (t *Tree) Related(ctx context.Context, of string) (*codeindex.Related, error) {
	if path, err := relative(ctx, t.tree, of); err == nil { // else it is no path
		held, err := codeindex.Holds(ctx, t.tree, path)
		if err != nil {
			return nil, err
		}
		if held {
			of = path
		}
	}
	return codeindex.RelatedTo(ctx, t.tree, of, t.filter, t.count)
}

// Overview returns the definitions that others refer to most, within a budget of tokens.
func (t *Tree) Overview(ctx context.Context, tokens int) (*codeindex.Map, error) {
	return t.tree.Map(ctx, t.filter, tokens)
}

// relative returns a path relative to the root of a tree. What does not lie there from the current directory, and is
// not indexed there, is meant from the root.
func relative(ctx context.Context, t *codeindex.Tree, path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	rel, err := filepath.Rel(t.Root.Path, full)
	if err == nil && filepath.IsLocal(rel) {
		if _, err := os.Stat(full); err == nil {
			return filepath.ToSlash(rel), nil
		}
		if held, err := codeindex.Holds(ctx, t, filepath.ToSlash(rel)); held || err != nil {
			return filepath.ToSlash(rel), err
		}
	}
	if filepath.IsAbs(path) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", fmt.Errorf("%w: %s is outside of %s", hippo.ErrInvalid, path, t.Root.Path)
	}
	return filepath.ToSlash(filepath.Clean(path)), nil
}
