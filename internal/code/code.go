// Package code asks the code indexes of this machine for somebody who works in a folder, and keeps them up to date: it chooses the trees that a
// question is about, and resolves paths relative to that folder. The indexes are those of package codeindex, which front ends do not import.
package code

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// Library is the code indexes of a user.
type Library struct{ *codeindex.Library }

// Limits limit a question. An empty field sets no limit.
type Limits struct {
	// Path is a file or a folder.
	Path, Language, Kind string
	// Count is the number of results; 0 means the default.
	Count int
}

// filter returns the limits of what is found.
func (l *Limits) filter() codeindex.Filter {
	return codeindex.Filter{Path: l.Path, Language: strings.ToLower(l.Language), Kind: syntax.Kind(strings.ToLower(l.Kind))}
}

// Asked limits a question, and says where it is asked.
type Asked struct {
	// Root is a path in the tree to ask, which is otherwise that of the current directory.
	Root string
	Limits
}

// Trees are the source trees that a question is about, at least one.
type Trees struct {
	trees []*codeindex.Tree
	dir   string // that the question comes from; empty: a tree was named
	// Limits have no path where there are several trees.
	Limits
}

// Ask returns the trees that a question is about: that of Root, else that of the current directory, else those below it or the one with Path, else
// the only one.
func (l Library) Ask(ctx context.Context, a Asked) (*Trees, error) {
	in, err := l.choose(&a)
	if err != nil {
		return nil, err
	}
	in.Limits = a.Limits
	if a.Path != "" {
		in.Path, err = relative(ctx, in.trees[0], a.Path)
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
	all, err := l.Library.Trees()
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

// Among returns the trees that a caller in the folder dir asks about, of those that the scope may read: the one that root names, or else
// as [codeindex.Library.ChooseAll] does.
func (l Library) Among(s *hippo.Scope, dir, root string) (*Trees, error) {
	trees, err := l.ChooseAll(s, codeindex.Choice{Root: root, Dir: dir})
	return &Trees{trees: trees, dir: dir}, err
}

// Narrow takes, of several trees, the one that holds a path of the caller, if there is one. It returns the path, which is absolute then.
func (in *Trees) Narrow(path string) string {
	if t := codeindex.TreeAt(in.trees, in.dir, path); len(in.trees) > 1 && t != nil {
		in.trees = []*codeindex.Tree{t}
		return codeindex.PathFrom(in.dir, path)
	}
	return path
}

// Several reports whether there are more trees than one.
func (in *Trees) Several() bool { return len(in.trees) > 1 }

// All returns each of the trees.
func (in *Trees) All() []*Tree { return treesOf(in.trees, in.Limits) }

// One returns the tree of a question that one tree answers.
func (in *Trees) One() (*Tree, error) {
	if len(in.trees) > 1 {
		return nil, nameRoot(in.trees)
	}
	return &Tree{in.trees[0], in.Limits}, nil
}

// Only is [Trees.One] for a caller that names a tree by an argument: the error is a [*hippo.FieldError] of the field root.
func (in *Trees) Only() (*Tree, error) {
	t, err := codeindex.One(in.trees)
	return &Tree{t, in.Limits}, err
}

// Search finds code in all of the trees. places are the paths of the hits: where several trees were asked, from the current directory.
func (in *Trees) Search(ctx context.Context, text string) (a *api.CodeAnswer, places []string, err error) {
	a, err = codeindex.SearchAll(ctx, in.trees, in.dir, codeindex.Query{Text: text, Count: in.Count, Filter: in.filter()})
	if err != nil {
		return nil, nil, err
	}
	for i := range a.Hits {
		places = append(places, codeindex.PlaceOf(a, &a.Hits[i], in.dir))
	}
	return a, places, nil
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
