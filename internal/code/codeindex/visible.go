package codeindex

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
)

// Visible returns the trees of the projects that a scope may read, in the order of paths.
func (l *Library) Visible(s *hippo.Scope) ([]*Tree, error) {
	all, err := l.Trees()
	return slices.DeleteFunc(all, func(t *Tree) bool { return !s.Allows(hippo.RightRead) || !s.Contains("", ProjectOf(t)) }), err
}

// OfProjects returns the trees that a scope may read of some projects, "" being none; nil: of all. Of those of one project it is
// [distinct] for the folder dir.
func (l *Library) OfProjects(s *hippo.Scope, projects []string, dir string) ([]*Tree, error) {
	trees, err := l.Visible(s)
	return distinct(slices.DeleteFunc(trees, func(t *Tree) bool { return projects != nil && !slices.Contains(projects, ProjectOf(t)) }), dir), err
}

// distinct returns trees without those that have the same code as others. Of a project with several it is the one that holds the
// folder dir, else the first by its path, with the other parts of its working tree that lie below dir. Trees of no project have
// nothing to do with each other: all are returned.
func distinct(trees []*Tree, dir string) (out []*Tree) {
	first := make(map[string]*Tree) // by project
	for _, t := range trees {
		name := ProjectOf(t)
		if _, known := first[name]; !known {
			first[name] = t
		}
		if innermost([]*Tree{first[name], t}, dir) == t {
			first[name] = t
		}
	}
	for _, t := range trees {
		switch chosen := first[ProjectOf(t)]; {
		case ProjectOf(t) == "", t == chosen, below(dir, t) && below(dir, chosen) && workingTree(t) == workingTree(chosen) && !covered(out, t):
			out = append(out, t)
		}
	}
	return out
}

// covered reports whether a tree lies within one of some.
func covered(by []*Tree, t *Tree) bool {
	return slices.ContainsFunc(by, func(outer *Tree) bool { return within(outer.Root.Path, t.Root.Path) })
}

// below reports whether the root of a tree is a folder, or lies below it; an empty folder has nothing below.
func below(dir string, t *Tree) bool { return dir != "" && within(dir, t.Root.Path) }

// workingTree returns the root of the working tree of git that a tree lies in; without one its own root.
func workingTree(t *Tree) string {
	if root, ok := project.Root(t.Root.Path); ok {
		return root
	}
	return t.Root.Path
}

// Choice says which tree a question is about; empty fields say nothing.
type Choice struct {
	// Root is a path within the tree, or the last part of the path of its root.
	Root string
	// Dir is the folder that the caller works in. It decides between trees that all may be meant.
	Dir string
}

// Choose is [Library.ChooseAll] for a question that one tree answers; of several the error is that of [One].
func (l *Library) Choose(s *hippo.Scope, c Choice) (*Tree, error) {
	trees, err := l.ChooseAll(s, c)
	if err != nil {
		return nil, err
	}
	return One(trees)
}

// One returns the only one of some trees. If there are several, the error is a [*hippo.FieldError] of the field root that lists them.
func One(trees []*Tree) (*Tree, error) {
	if len(trees) > 1 {
		return nil, hippo.Fieldf("root", "several trees are indexed, name one: %s", listOf(rootsOf(trees)))
	}
	return trees[0], nil
}

// ChooseAll returns the trees of a choice among the visible ones: those of the current project of the scope come first. It is the one
// that holds the folder of the caller, else those below that folder, else the only one. The error is [hippo.ErrNotFound] if no
// tree is indexed, a [*hippo.FieldError] of the field root if none has that, or that of [One].
func (l *Library) ChooseAll(s *hippo.Scope, c Choice) ([]*Tree, error) {
	trees, err := l.Visible(s)
	if err != nil {
		return nil, err
	}
	if len(trees) == 0 {
		return nil, fmt.Errorf("%w: no source tree is indexed; the user can run hippo code index PATH", hippo.ErrNotFound)
	}
	if c.Root != "" {
		if t := named(trees, c.Root); t != nil {
			return []*Tree{t}, nil
		}
		return nil, hippo.Fieldf("root", "no indexed tree holds %.200s; there are %s", c.Root, listOf(rootsOf(trees)))
	}
	if own := slices.DeleteFunc(slices.Clone(trees), func(t *Tree) bool { return ProjectOf(t) == "" || ProjectOf(t) != s.Project }); len(own) > 0 {
		trees = own
	}
	if t := innermost(trees, c.Dir); t != nil {
		return []*Tree{t}, nil
	}
	if inside := outermost(trees, c.Dir); len(inside) > 0 {
		return distinct(inside, c.Dir), nil
	}
	if _, err := One(trees); err != nil {
		return nil, err
	}
	return trees, nil
}

// outermost returns the trees below a folder, without those within others. Trees are in the order of their paths.
func outermost(trees []*Tree, dir string) (out []*Tree) {
	for _, t := range trees {
		if below(dir, t) && !covered(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// named returns the tree that holds a path, or the only one whose root has this name; nil if there is none.
func named(trees []*Tree, name string) *Tree {
	if filepath.IsAbs(name) {
		return innermost(trees, filepath.Clean(name))
	}
	same := slices.DeleteFunc(slices.Clone(trees), func(t *Tree) bool { return filepath.Base(t.Root.Path) != name })
	if len(same) == 1 {
		return same[0]
	}
	return nil
}

// innermost returns the tree with the longest root that holds a path; nil if there is none.
func innermost(trees []*Tree, at string) (best *Tree) {
	for _, t := range trees {
		if at != "" && within(t.Root.Path, at) && (best == nil || len(t.Root.Path) > len(best.Root.Path)) {
			best = t
		}
	}
	return best
}

func rootsOf(trees []*Tree) []string {
	out := make([]string, len(trees))
	for i, t := range trees {
		out[i] = t.Root.Path
	}
	return out
}

// Relative returns a path of a caller relative to the root, with slashes. It reads no file. The error is a
// [*hippo.FieldError] of the field path if it leads out of the tree.
func (r *Root) Relative(p string) (string, error) {
	if p == "" {
		return "", nil
	}
	if filepath.IsAbs(p) {
		rel, err := filepath.Rel(r.Path, p)
		if err != nil || !filepath.IsLocal(rel) {
			return "", hippo.Fieldf("path", "%.200s is outside of the tree %s", p, r.Path)
		}
		p = rel
	}
	p = path.Clean(strings.ReplaceAll(filepath.ToSlash(p), `\`, "/"))
	if p != "." && !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", hippo.Fieldf("path", "%.200s is outside of the tree %s", p, r.Path)
	}
	return p, nil
}
