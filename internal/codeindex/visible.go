package codeindex

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Visible returns the trees of the projects that a scope may read, in the order of paths.
func (l *Library) Visible(s *hippo.Scope) ([]*Tree, error) {
	all, err := l.Trees()
	return slices.DeleteFunc(all, func(t *Tree) bool { return !s.Allows(hippo.RightRead) || !s.Contains("", ProjectOf(t)) }), err
}

// OfProjects returns the trees that a scope may read of some projects, "" being none; nil: of all. Of a project with several,
// such as working trees of one repository, it is the one that holds the folder dir, else the first by its path. Trees of no
// project have nothing to do with each other: all are returned.
func (l *Library) OfProjects(s *hippo.Scope, projects []string, dir string) ([]*Tree, error) {
	trees, err := l.Visible(s)
	var out []*Tree
	at := make(map[string]int) // of a project in out
	for _, t := range trees {
		name := ProjectOf(t)
		i, known := at[name]
		switch {
		case projects != nil && !slices.Contains(projects, name):
		case !known || name == "":
			at[name] = len(out)
			out = append(out, t)
		case innermost([]*Tree{out[i], t}, dir) == t:
			out[i] = t
		}
	}
	return out, err
}

// Choice says which tree a question is about; empty fields say nothing.
type Choice struct {
	// Root is a path within the tree, or the last part of the path of its root.
	Root string
	// Dir is the folder that the caller works in. It decides between trees that all may be meant.
	Dir string
}

// Choose returns the tree of a choice among the visible ones: those of the current project of the scope come first. The error is
// [hippo.ErrNotFound] if no tree is indexed, or a [*hippo.FieldError] of the field root that lists them.
func (l *Library) Choose(s *hippo.Scope, c Choice) (*Tree, error) {
	trees, err := l.Visible(s)
	if err != nil {
		return nil, err
	}
	if len(trees) == 0 {
		return nil, fmt.Errorf("%w: no source tree is indexed; the user can run hippo code index PATH", hippo.ErrNotFound)
	}
	if c.Root != "" {
		if t := named(trees, c.Root); t != nil {
			return t, nil
		}
		return nil, hippo.Fieldf("root", "no indexed tree holds %.200s; there are %s", c.Root, listOf(rootsOf(trees)))
	}
	if own := slices.DeleteFunc(slices.Clone(trees), func(t *Tree) bool { return ProjectOf(t) == "" || ProjectOf(t) != s.Project }); len(own) > 0 {
		trees = own
	}
	if t := innermost(trees, c.Dir); t != nil {
		return t, nil
	}
	if len(trees) > 1 {
		return nil, hippo.Fieldf("root", "several trees are indexed, name one: %s", listOf(rootsOf(trees)))
	}
	return trees[0], nil
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
