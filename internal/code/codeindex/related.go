package codeindex

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// How a definition is related to another one, or to a file, in the order in which that is reported. A definition is reported with the first one that it has.
const (
	UsedBy   = "used by"   // refers to it
	Uses     = "uses"      // it refers to
	UsedWith = "used with" // the same definitions refer to both
	Beside   = "beside"    // defined in the same type, or in the same file
	Similar  = "similar"   // a search for its signature and comment finds it
)

// DefaultRelated is the default number of definitions of each relation.
const DefaultRelated = 5

// maxUsers bounds the definitions that are read for [UsedWith].
const maxUsers = 50

// RelatedTo returns what is related to the definitions of a name, or to a file, whose path is relative to the root: count
// definitions of each relation, 0 means [DefaultRelated]. The filter restricts which definitions the name means. The error
// is [hippo.ErrNotFound], with names that are near, if nothing is called so. Cost: that of [Tree.Callers] and a search.
func RelatedTo(ctx context.Context, t *Tree, of string, f Filter, count int) (*api.CodeRelated, error) {
	count = cmp.Or(count, DefaultRelated)
	g, done, err := ask(ctx, t, f, &count)
	if err != nil {
		return nil, err
	}
	defer done()
	r := &relater{tree: t, generation: g, count: count, seen: make(map[place]bool)}
	var closed func()
	r.files, closed = textsOf(t)
	defer closed()
	out := &api.CodeRelated{Groups: []api.CodeRelatedGroup{}}
	if err := r.targets(strings.TrimSpace(of), f, out); err != nil {
		return nil, err
	}
	for _, x := range []struct {
		relation string
		find     func(context.Context) ([]place, error)
	}{{UsedBy, r.usedBy}, {Uses, r.uses}, {UsedWith, r.usedWith}, {Beside, r.beside}, {Similar, r.similar}} {
		list, err := x.find(ctx)
		if err != nil {
			return nil, err
		}
		if err := r.group(out, x.relation, list); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// place is a symbol by its file and number.
type place struct {
	entry  *catalog.Entry
	symbol int
}

// relater finds what is related to some definitions.
type relater struct {
	tree       *Tree
	generation *generation
	files      *texts
	count      int
	file       *catalog.Entry // that was asked about; nil: want are the definitions of a name
	want       []symbolRef
	users      []edge
	seen       map[place]bool
}

// targets sets what the question is about.
func (r *relater) targets(of string, f Filter, out *api.CodeRelated) error {
	if of == "" {
		return hippo.Fieldf("name", "is empty")
	}
	state := r.generation.current.Load()
	if e := state.Entry(cleanPath(of)); e != nil {
		parsed, _, err := e.Read()
		if err != nil {
			return err
		}
		r.file, out.File = e, e.Path
		for i := range parsed.Symbols {
			s := &parsed.Symbols[i]
			r.want = append(r.want, symbolRef{strings.ToLower(s.Name), s.Name, qualified(s), s.Kind, e, i})
			r.seen[place{e, i}] = true
		}
		return nil
	}
	var err error
	if r.want, err = r.generation.targets(of, f); err != nil {
		if p := cleanPath(of); lies(state.Entries(), p) {
			return hippo.Fieldf("name", "%s is a folder: name a file or a definition", p)
		}
		return err
	}
	for _, s := range r.want {
		r.seen[place{s.entry, s.number}] = true
	}
	out.MoreOf = max(0, len(r.want)-r.count)
	out.Of, err = define(r.tree, r.want[:min(len(r.want), r.count)], r.files, true)
	return err
}

// group adds the places that were not reported yet.
func (r *relater) group(out *api.CodeRelated, relation string, list []place) error {
	list = slices.DeleteFunc(list, func(p place) bool {
		before := r.seen[p] || p.symbol < 0
		r.seen[p] = true
		return before
	})
	if len(list) == 0 {
		return nil
	}
	refs := make([]symbolRef, min(len(list), r.count))
	for i := range refs {
		refs[i] = symbolRef{entry: list[i].entry, number: list[i].symbol}
	}
	found, err := define(r.tree, refs, r.files, false)
	out.Groups = append(out.Groups, api.CodeRelatedGroup{Relation: relation, Symbols: found, More: len(list) - len(refs)})
	return err
}

// outside returns the other ends of edges, the surest first, but for those in the file that was asked about.
func (r *relater) outside(list []edge) (out []place) {
	slices.SortStableFunc(list, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.grade, b.grade), cmp.Compare(a.candidates, b.candidates))
	})
	for _, e := range list {
		if r.file == nil || e.entry != r.file {
			out = append(out, place{e.entry, e.symbol})
		}
	}
	return out
}

func (r *relater) usedBy(ctx context.Context) ([]place, error) {
	r.users = r.generation.resolver().callers(ctx, r.want, false)
	return r.outside(r.users), ctx.Err()
}

func (r *relater) uses(context.Context) ([]place, error) {
	list, _ := r.generation.resolver().callees(r.want, false)
	return r.outside(list), nil
}

// usedWith weighs what the users of the definitions use besides: a user that uses little says more.
func (r *relater) usedWith(ctx context.Context) ([]place, error) {
	x, weights := r.generation.resolver(), make(map[place]float64)
	var order []place
	for _, u := range r.users[:min(len(r.users), maxUsers)] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if u.symbol < 0 {
			continue
		}
		list, _ := x.callees([]symbolRef{{entry: u.entry, number: u.symbol}}, false)
		for _, e := range list {
			p := place{e.entry, e.symbol}
			if weights[p] == 0 {
				order = append(order, p)
			}
			weights[p] += 1 / (float64(e.candidates) * math.Sqrt(float64(len(list))))
		}
	}
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(weights[b], weights[a]) })
	return order, nil
}

// beside returns the definitions next to the first one, in the same type or on the same level of its file.
func (r *relater) beside(context.Context) (out []place, err error) {
	if r.file != nil || len(r.want) == 0 {
		return nil, nil
	}
	of := r.want[0]
	f, _, err := of.entry.Read()
	if err != nil {
		return nil, err
	}
	for i := range f.Symbols {
		if s := &f.Symbols[i]; s.Parent == f.Symbols[of.number].Parent && s.Kind != syntax.Field {
			out = append(out, place{of.entry, i})
		}
	}
	far := func(p place) int { return max(p.symbol-of.number, of.number-p.symbol) }
	slices.SortStableFunc(out, func(a, b place) int { return cmp.Compare(far(a), far(b)) })
	return out, nil
}

// maxSimilarText bounds the text that similar definitions are searched with, in bytes.
const maxSimilarText = 600

// similar searches for the signature and the comment of the first definition, or for the names of a file.
func (r *relater) similar(ctx context.Context) (out []place, err error) {
	q := Query{Text: r.description(), Count: min(MaxCount, 4*r.count)}
	asked, err := q.plain()
	if err != nil {
		return nil, nil //nolint:nilerr // nothing to search for
	}
	ranking, _, err := r.generation.recall(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("code index: %w", err)
	}
	state := r.generation.current.Load()
	for _, h := range asideLast(state, &q, ranking.Hits, asked.Count) {
		if p, ok := state.Find(h.ID); ok && p.Chunk.Symbol >= 0 && p.Entry != r.file {
			out = append(out, place{p.Entry, p.Chunk.Symbol})
		}
	}
	return out, nil
}

func (r *relater) description() string {
	if len(r.want) == 0 {
		return ""
	}
	var words []string
	if r.file != nil {
		for _, s := range r.want {
			words = append(words, s.name)
		}
	} else if f, _, err := r.want[0].entry.Read(); err == nil {
		s := &f.Symbols[r.want[0].number]
		words = append(words, s.Name, s.Signature)
		if text, fresh := r.files.of(r.want[0].entry); fresh == api.CodeFresh {
			words = append(words, part(text, s.Doc))
		}
	}
	text := strings.Join(words, " ")
	return strings.ToValidUTF8(text[:min(len(text), maxSimilarText)], "")
}
