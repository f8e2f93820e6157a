package codeindex

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// MaxTrees is how many source trees one question is put to.
const MaxTrees = 8

// SearchAll asks the first [MaxTrees] of some trees, of which there is at least one, and orders the hits of all by relevance. Of several it
// notes which they are, by their paths from the folder dir, and why one could not be asked. The error is that of [Tree.Search]
// if none could. Cost: that of a search of each.
func SearchAll(ctx context.Context, trees []*Tree, dir string, q Query) (*api.CodeAnswer, error) {
	if len(trees) == 1 {
		return trees[0].Search(ctx, q)
	}
	out := &api.CodeAnswer{Hits: []api.CodeHit{}, Several: true}
	var cut string
	q.Text, cut = hippo.ShortQuery(q.Text)
	var names, failed []string
	var first error
	for _, t := range trees[:min(len(trees), MaxTrees)] {
		name := fromFolder(dir, t.Root.Path)
		a, err := t.Search(ctx, q)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			first = cmp.Or(first, err)
			failed = append(failed, fmt.Sprintf("%s was not asked: %v", name, err))
			continue
		}
		add(out, a, name)
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, first
	}
	if more := len(trees) - MaxTrees; more > 0 {
		failed = append(failed, fmt.Sprintf("%d more source trees were not asked: start in one of them, or name it", more))
	}
	slices.SortStableFunc(out.Hits, func(a, b api.CodeHit) int { return cmp.Compare(b.Relevance, a.Relevance) })
	out.Hits = out.Hits[:min(len(out.Hits), cmp.Or(q.Count, DefaultCount))]
	out.Notes = slices.Concat([]string{"source trees asked: " + strings.Join(names, ", ")}, failed, out.Notes)
	if cut != "" {
		out.Notes = append(out.Notes, cut)
	}
	return out, nil
}

// add adds the answer of a tree with a name. An answer is as sure as the surest, and weak if all are.
func add(a, b *api.CodeAnswer, name string) {
	if len(a.Hits) == 0 || b.Weak == "" {
		a.Weak = b.Weak
	}
	a.Hits, a.Total, a.Confidence = append(a.Hits, b.Hits...), a.Total+b.Total, max(a.Confidence, b.Confidence)
	for _, n := range b.Notes {
		a.Notes = append(a.Notes, name+": "+n)
	}
}

// PlaceOf returns the path of a hit for an answer: from the root of its tree, or, where several trees were asked, from the folder dir; what
// lies outside of that is absolute.
func PlaceOf(a *api.CodeAnswer, h *api.CodeHit, dir string) string {
	if !a.Several {
		return h.Path
	}
	return fromFolder(dir, filepath.Join(h.Root, filepath.FromSlash(h.Path)))
}

// fromFolder returns a path with slashes from a folder, or the path if it lies outside of that.
func fromFolder(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return filepath.ToSlash(path)
}

// TreeAt returns the innermost of some trees that holds a path, which may be one from the folder dir; nil if none does, or it is empty.
func TreeAt(trees []*Tree, dir, path string) *Tree {
	if path == "" {
		return nil
	}
	return innermost(trees, PathFrom(dir, path))
}

// PathFrom returns a path of a caller in the folder dir as an absolute one.
func PathFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
