package code

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
)

// The bounds of the tokens of a map.
const (
	MinMapTokens = codeindex.MinMapTokens
	MaxMapTokens = codeindex.MaxMapTokens
)

// MaxTrees is how many source trees one question is put to.
const MaxTrees = codeindex.MaxTrees

// Tree is a source tree, with the limits of the questions that are put to it.
type Tree struct {
	tree *codeindex.Tree
	Limits
}

func treesOf(list []*codeindex.Tree, limits Limits) []*Tree {
	out := make([]*Tree, len(list))
	for i, t := range list {
		out[i] = &Tree{t, limits}
	}
	return out
}

// Trees returns the trees of all roots, in the order of paths.
func (l Library) Trees() ([]*Tree, error) {
	list, err := l.Library.Trees()
	return treesOf(list, Limits{}), err
}

// Visible is [codeindex.Library.Visible].
func (l Library) Visible(s *hippo.Scope) ([]*Tree, error) {
	list, err := l.Library.Visible(s)
	return treesOf(list, Limits{}), err
}

// OfProjects is [codeindex.Library.OfProjects].
func (l Library) OfProjects(s *hippo.Scope, projects []string, dir string) ([]*Tree, error) {
	list, err := l.Library.OfProjects(s, projects, dir)
	return treesOf(list, Limits{}), err
}

// Add is [codeindex.Library.Add].
func (l Library) Add(ctx context.Context, path string) (*Tree, error) {
	t, err := l.Library.Add(ctx, path)
	return &Tree{tree: t}, err
}

// Root returns the path of the root, which identifies the tree.
func (t *Tree) Root() string { return t.tree.Root.Path }

// Project returns the identity of its project; empty: none.
func (t *Tree) Project() string { return codeindex.ProjectOf(t.tree) }

// Relative is [codeindex.Root.Relative].
func (t *Tree) Relative(path string) (string, error) { return t.tree.Root.Relative(path) }

// Holds reports whether the index has a file or a folder, relative to the root with slashes. It may be deleted meanwhile.
func (t *Tree) Holds(ctx context.Context, path string) (bool, error) {
	return codeindex.Holds(ctx, t.tree, path)
}

// Notes name what is missing from answers at the moment, such as files that are not indexed yet.
func (t *Tree) Notes() []string { return codeindex.Notes(t.tree) }

// Status returns the state. A root without an index, or that was deleted, is a problem that it names.
func (t *Tree) Status(ctx context.Context) api.CodeStatus { return t.tree.Status(ctx) }

// Failed returns the first n files that the index lacks because they are too large or cannot be read. Without an index there are none.
func Failed(t *Tree, n int) []string {
	out := []string{}
	skips, err := t.tree.Skips()
	if err != nil {
		return out
	}
	for _, s := range skips {
		if len(out) < n && (s.Reason == walk.TooLarge || s.Reason == walk.Unread) {
			out = append(out, s.Path)
		}
	}
	return out
}

// Search finds code; an empty ranker means the default.
func (t *Tree) Search(ctx context.Context, text string, ranker hippo.Ranker) (*api.CodeAnswer, error) {
	return t.tree.Search(ctx, codeindex.Query{Text: text, Count: t.Count, Filter: t.filter(), Ranker: ranker})
}

// Named returns the definitions of a name; texts: with comment and text.
func (t *Tree) Named(ctx context.Context, name string, texts bool) ([]api.CodeSymbol, error) {
	return t.tree.Symbols(ctx, name, t.filter(), t.Count, texts)
}

// NamedFrom is [Tree.Named] from an offset on, without texts, and the number of all definitions of the name.
func NamedFrom(ctx context.Context, t *Tree, name string, offset int) (page []api.CodeSymbol, total int, err error) {
	return codeindex.SymbolPage(ctx, t.tree, name, t.filter(), offset, t.Count)
}

// Outline returns the definitions of a file, relative to the root.
func (t *Tree) Outline(ctx context.Context, path string) ([]api.CodeSymbol, error) {
	return t.tree.Outline(ctx, path)
}

// DefinedIn is [Tree.Outline] for a path that starts at the current directory, or else at the root.
func DefinedIn(ctx context.Context, t *Tree, file string) ([]api.CodeSymbol, error) {
	path, err := relative(ctx, t.tree, file)
	if err != nil {
		return nil, err
	}
	return t.tree.Outline(ctx, path)
}

// Edges returns what calls the definitions of a name, or what they call; references: not only calls.
func (t *Tree) Edges(ctx context.Context, name string, callees, references bool) (*api.CodeEdges, error) {
	if callees {
		return t.tree.Callees(ctx, name, t.filter(), t.Count, !references)
	}
	return t.tree.Callers(ctx, name, t.filter(), t.Count, !references)
}

// Walk follows references from definitions on, step by step.
func Walk(ctx context.Context, t *Tree, q *api.CodeWalk) (*api.CodeWalked, error) {
	return codeindex.Neighbours(ctx, t.tree, q)
}

// Related returns what is related to the definitions of a name, or to a file, relative to the root.
func (t *Tree) Related(ctx context.Context, of string) (*api.CodeRelated, error) {
	return codeindex.RelatedTo(ctx, t.tree, of, t.filter(), t.Count)
}

// RelatedHere is [Tree.Related] for a file whose path starts at the current directory, or else at the root.
func RelatedHere(ctx context.Context, t *Tree, of string) (*api.CodeRelated, error) {
	if path, err := relative(ctx, t.tree, of); err == nil { // else it is no path
		held, err := codeindex.Holds(ctx, t.tree, path)
		if err != nil {
			return nil, err
		}
		if held {
			of = path
		}
	}
	return t.Related(ctx, of)
}

// Overview returns the definitions that others refer to most, within a budget of tokens.
func (t *Tree) Overview(ctx context.Context, tokens int) (*api.CodeMap, error) {
	return t.tree.Map(ctx, t.filter(), tokens)
}

// Resolve returns the absolute path of a folder, without links. The error is [hippo.ErrNotFound] or [hippo.ErrInvalid].
func Resolve(path string) (string, error) { return codeindex.Resolve(path) }

// SpeaksOf reports whether a text names code, by a name or by the end of a path or of a qualified name.
func SpeaksOf(text, name string) bool { return codeindex.SpeaksOf(text, name) }
