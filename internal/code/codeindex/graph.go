package codeindex

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/resolve"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// graph is the definitions of a state of the catalog, for resolving references.
type graph struct {
	of      *catalog.Catalog
	world   *resolve.World
	entries []*catalog.Entry
	number  map[*catalog.Entry]int
	// first is the number in the world of the first symbol of each file.
	first []int

	weighing sync.Mutex
	weights  []float64 // how often each symbol is referred to; nil: not computed yet
}

// resolver returns the graph of the current state. Cost: a pass over the catalog when it has changed.
func (g *generation) resolver() *graph {
	state := g.current.Load()
	if x := g.graph.Load(); x != nil && x.of == state {
		return x
	}
	x := &graph{of: state, entries: state.Entries(), number: make(map[*catalog.Entry]int)}
	files := make([]resolve.File, len(x.entries))
	var symbols []resolve.Symbol
	for i, e := range x.entries {
		x.number[e] = i
		x.first = append(x.first, len(symbols))
		files[i] = resolve.File{Path: e.Path, Language: e.Language}
		f, _, err := e.Read()
		if err != nil {
			continue
		}
		files[i].Package, files[i].Imports = f.Package, f.Imports
		for k := range f.Symbols {
			s := &f.Symbols[k]
			symbols = append(symbols, resolve.Symbol{File: i, Number: k, Name: s.Name, Qualified: qualified(s), Kind: s.Kind, Signature: s.Signature, Bases: s.Bases})
		}
	}
	x.world = resolve.New(files, symbols)
	g.graph.Store(x)
	return x
}

// targets returns the definitions that a name means: those that match best, if the name itself matches.
func (g *generation) targets(name string, f Filter) ([]symbolRef, error) {
	list := g.table().find(name, f, math.MaxInt)
	last := name[strings.LastIndexAny(name, ".:#/")+1:]
	exact := slices.DeleteFunc(slices.Clone(list), func(s symbolRef) bool { return s.name != last || s.kind == syntax.Section })
	if len(exact) > 0 {
		return exact, nil
	}
	if len(list) == 0 {
		list = g.table().find(last, f, math.MaxInt) // what holds it may be wrong
	}
	var near []string
	for _, s := range list[:min(len(list), 5)] {
		near = append(near, s.qualified)
	}
	if len(near) > 0 {
		return nil, fmt.Errorf("%w: nothing is called %s; near are %s", hippo.ErrNotFound, name, strings.Join(slices.Compact(near), ", "))
	}
	return nil, fmt.Errorf("%w: nothing is called %s", hippo.ErrNotFound, name)
}

// Callers returns what refers to the definitions of a name; calls: calls only.
func (t *Tree) Callers(ctx context.Context, name string, f Filter, count int, calls bool) (*api.CodeEdges, error) {
	return edges(ctx, t, name, f, count, func(x *graph, want []symbolRef) ([]edge, []string) { return x.callers(ctx, want, calls), nil })
}

// Callees returns what the definitions of a name refer to; calls: calls only.
func (t *Tree) Callees(ctx context.Context, name string, f Filter, count int, calls bool) (*api.CodeEdges, error) {
	return edges(ctx, t, name, f, count, func(x *graph, want []symbolRef) ([]edge, []string) { return x.callees(want, calls) })
}

// edge is an [api.CodeEdge] in numbers: the definition at its other end, -1 for the top of the file.
type edge struct {
	entry      *catalog.Entry
	symbol     int
	line       int
	use        syntax.Use
	candidates int
	grade      resolve.Grade
}

func edges(ctx context.Context, t *Tree, name string, f Filter, count int, find func(*graph, []symbolRef) ([]edge, []string)) (*api.CodeEdges, error) {
	g, done, err := ask(ctx, t, f, &count)
	if err != nil {
		return nil, err
	}
	defer done()
	want, err := g.targets(strings.TrimSpace(name), f)
	if err != nil {
		return nil, err
	}
	list, outside := find(g.resolver(), want)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.grade, b.grade), cmp.Compare(a.candidates, b.candidates))
	})
	out := &api.CodeEdges{Edges: []api.CodeEdge{}, Outside: outside, More: max(0, len(list)-count), MoreOf: max(0, len(want)-count)}
	files, closed := textsOf(t)
	defer closed()
	if out.Of, err = define(t, want[:min(len(want), count)], files, false); err != nil {
		return nil, err
	}
	for _, e := range list[:min(len(list), count)] {
		one, err := edgeOf(t, e, files)
		if err != nil {
			return nil, err
		}
		out.Edges = append(out.Edges, one)
	}
	return out, nil
}

func edgeOf(t *Tree, e edge, files *texts) (api.CodeEdge, error) {
	f, _, err := e.entry.Read()
	if err != nil {
		return api.CodeEdge{}, err
	}
	out := api.CodeEdge{Line: e.line, Use: string(e.use), Candidates: e.candidates, Sure: e.grade <= resolve.Typed && e.candidates == 1}
	if e.symbol < 0 {
		out.CodeSymbol = api.CodeSymbol{Root: t.Root.Path, Path: e.entry.Path, Language: e.entry.Language, First: e.line, Last: e.line}
	} else {
		out.CodeSymbol = definitionOf(t, e.entry, f, chunk.Keys(f.Symbols), e.symbol)
	}
	_, out.Freshness = files.of(e.entry)
	return out, nil
}

// better reports whether a reference says more surely than another one what it means.
func (e *edge) better(than *edge) bool {
	return cmp.Or(cmp.Compare(e.grade, than.grade), cmp.Compare(e.candidates, than.candidates)) < 0
}

// best keeps the surest reference of each key, in the order in which the keys came.
type best struct {
	list []edge
	at   map[int]int
}

func (b *best) add(key int, e edge) {
	if i, ok := b.at[key]; !ok {
		b.at[key] = len(b.list)
		b.list = append(b.list, e)
	} else if e.better(&b.list[i]) {
		b.list[i] = e
	}
}

// settled reports whether no reference can be surer than the one of a key.
func (b *best) settled(key int) bool {
	i, ok := b.at[key]
	return ok && b.list[i].grade == resolve.Scope && b.list[i].candidates == 1
}

// callers looks through all files that have one of the names. Each definition is reported once, with its surest reference.
func (x *graph) callers(ctx context.Context, want []symbolRef, calls bool) (out []edge) {
	targets := make(map[int]bool)
	names := make(map[string]bool)
	for _, s := range want {
		targets[x.first[x.number[s.entry]]+s.number] = true
		names[s.name] = true
	}
	for i, e := range x.entries {
		if ctx.Err() != nil {
			return nil
		}
		if !e.Mentions(names) {
			continue
		}
		f, _, err := e.ReadAll()
		if err != nil {
			continue
		}
		out = append(out, x.callersIn(i, f, targets, names, calls)...)
	}
	return out
}

func (x *graph) callersIn(file int, f *syntax.File, targets map[int]bool, names map[string]bool, calls bool) []edge {
	var r *resolve.Resolver
	out := best{at: make(map[int]int)}
	for k := range f.References {
		ref := &f.References[k]
		if !names[ref.Name] && !aliased(f, ref.Name, names) || calls && ref.Use != syntax.Call || out.settled(ref.In) {
			continue
		}
		if r == nil {
			r = x.world.In(file, f)
		}
		found, grade := r.Resolve(ref)
		if !slices.ContainsFunc(found, func(i int) bool { return targets[i] }) {
			continue
		}
		if ref.In >= 0 && targets[x.first[file]+ref.In] && len(targets) == 1 && ref.Use != syntax.Call {
			continue // its own name in its definition
		}
		out.add(ref.In, edge{x.entries[file], ref.In, ref.At.First, ref.Use, len(found), grade})
	}
	return out.list
}

// aliased reports whether a file calls one of the names so.
func aliased(f *syntax.File, name string, names map[string]bool) bool {
	return slices.ContainsFunc(f.Imports, func(m syntax.Import) bool { return m.Alias == name && names[m.Name] })
}

// callees resolves what is referred to within definitions.
func (x *graph) callees(want []symbolRef, calls bool) (list []edge, outside []string) {
	out := best{at: make(map[int]int)}
	for _, s := range want {
		f, _, err := s.entry.ReadAll()
		if err != nil {
			continue
		}
		r := x.world.In(x.number[s.entry], f)
		for k := range f.References {
			ref := &f.References[k]
			if !inside(f, ref.In, s.number) || calls && ref.Use != syntax.Call {
				continue
			}
			found, grade := r.Resolve(ref)
			if len(found) == 0 && ref.Use == syntax.Call {
				outside = append(outside, strings.TrimPrefix(ref.Qualifier+"."+ref.Name, "."))
			}
			for _, i := range found {
				sym := x.world.Symbol(i)
				out.add(i, edge{x.entries[sym.File], sym.Number, ref.At.First, ref.Use, len(found), grade})
			}
		}
	}
	slices.Sort(outside)
	return out.list, slices.Compact(outside)
}

// inside reports whether a symbol is another one or lies in it.
func inside(f *syntax.File, symbol, holder int) bool {
	for depth := 0; symbol >= 0 && symbol < len(f.Symbols) && depth < 64; depth++ {
		if symbol == holder {
			return true
		}
		symbol = f.Symbols[symbol].Parent
	}
	return false
}
