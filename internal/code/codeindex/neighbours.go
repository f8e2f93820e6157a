package codeindex

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// Contains is how a definition is related to those that it holds, beside the uses of names.
const Contains syntax.Use = "contains"

// The bounds of a walk: references that are followed, definitions that one step adds, and definitions in all.
const (
	maxWalkStep  = 50
	maxWalkNodes = 200
)

// link is a [api.CodeReference] in numbers.
type link struct {
	from, to place
	edge     // its entry is the file of the reference; its symbol means nothing
}

// connection is what identifies a link: of several references the surest one is kept.
type connection struct {
	from, to place
	use      syntax.Use
}

// Neighbours walks from definitions along references. The error is [hippo.ErrNotFound] if there is no such definition, with
// names that are near. Cost: each step in reads all files that mention a name of the step before.
func Neighbours(ctx context.Context, t *Tree, q *api.CodeWalk) (*api.CodeWalked, error) {
	if q.Depth < 1 || q.Depth > api.MaxCodeWalk {
		return nil, hippo.Fieldf("Depth", "must be between 1 and %d, got %d", api.MaxCodeWalk, q.Depth)
	}
	count := 0
	g, done, err := ask(ctx, t, Filter{}, &count)
	if err != nil {
		return nil, err
	}
	defer done()
	start, err := g.begin(q)
	if err != nil {
		return nil, err
	}
	w := &walking{
		graph: g.resolver(), query: q, seen: make(map[place]bool), known: make(map[connection]bool), left: make(map[place]bool), lines: make(map[place]int),
	}
	if err := w.run(ctx, start); err != nil {
		return nil, err
	}
	return w.result(t, start)
}

// begin returns the definitions that a walk begins at.
func (g *generation) begin(q *api.CodeWalk) ([]symbolRef, error) {
	if q.Start.Path == "" {
		return g.targets(q.Start.Key, Filter{})
	}
	e := g.current.Load().Entry(q.Start.Path)
	if e == nil {
		return nil, fmt.Errorf("%w: no file %s in the index", hippo.ErrNotFound, q.Start.Path)
	}
	f, _, err := e.Read()
	if err != nil {
		return nil, err
	}
	i := slices.Index(chunk.Keys(f.Symbols), q.Start.Key)
	if i < 0 {
		return nil, fmt.Errorf("%w: %s defines no %s", hippo.ErrNotFound, q.Start.Path, q.Start.Key)
	}
	return []symbolRef{{entry: e, number: i}}, nil
}

// walking is the state of a walk.
type walking struct {
	*graph
	query *api.CodeWalk
	seen  map[place]bool
	order []place // in the order in which they were found, without the first ones
	links []link
	known map[connection]bool
	last  []place // of the last step
	left  map[place]bool
	// lines are where the references from the top of a file are.
	lines map[place]int
}

func (w *walking) run(ctx context.Context, start []symbolRef) error {
	for _, s := range start {
		p := place{s.entry, s.number}
		w.seen[p] = true
		w.last = append(w.last, p)
	}
	for range w.query.Depth {
		var found []link
		if w.query.In {
			found = append(found, w.into(ctx, w.last)...)
		}
		if w.query.Out {
			found = append(found, w.outOf(w.last)...)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		w.step(found)
	}
	return nil
}

// step adds the other ends of links, the surest first, and the links between what is there then.
func (w *walking) step(found []link) {
	slices.SortStableFunc(found, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.grade, b.grade), cmp.Compare(a.candidates, b.candidates))
	})
	w.last = nil
	for i := range found {
		l := &found[i]
		for _, p := range []place{l.from, l.to} {
			switch {
			case w.seen[p]:
			case len(w.last) >= maxWalkStep || len(w.order) >= maxWalkNodes:
				w.left[p] = true
			default:
				w.seen[p] = true
				w.order, w.last = append(w.order, p), append(w.last, p)
				w.lines[p] = l.line
			}
		}
	}
	for i := range found {
		l := &found[i]
		key := connection{l.from, l.to, l.use}
		if w.seen[l.from] && w.seen[l.to] && !w.known[key] {
			w.known[key] = true
			w.links = append(w.links, *l)
		}
	}
}

// into returns the links that lead to places.
func (w *walking) into(ctx context.Context, want []place) (out []link) {
	targets, names := make(map[int]place), make(map[string]bool)
	for _, p := range want {
		if p.symbol < 0 {
			continue
		}
		n := w.first[w.number[p.entry]] + p.symbol
		targets[n] = p
		names[w.world.Symbol(n).Name] = true
	}
	for i, e := range w.entries {
		if ctx.Err() != nil {
			return nil
		}
		if !e.Mentions(names) {
			continue
		}
		if f, _, err := e.ReadAll(); err == nil {
			out = append(out, w.intoFrom(i, f, targets, names)...)
		}
	}
	if !w.query.Calls {
		out = append(out, containing(want, true)...)
	}
	return out
}

// intoFrom returns the links from a file to targets.
func (w *walking) intoFrom(file int, f *syntax.File, targets map[int]place, names map[string]bool) (out []link) {
	r, e := w.world.In(file, f), w.entries[file]
	for k := range f.References {
		ref := &f.References[k]
		if !names[ref.Name] && !aliased(f, ref.Name, names) || w.query.Calls && ref.Use != syntax.Call {
			continue
		}
		found, grade := r.Resolve(ref)
		for _, n := range found {
			from, to := place{e, ref.In}, targets[n]
			if to.entry == nil || from == to && ref.Use != syntax.Call { // its own name in its definition
				continue
			}
			out = append(out, link{from, to, edge{e, ref.In, ref.At.First, ref.Use, len(found), grade}})
		}
	}
	return out
}

// outOf returns the links that lead from places.
func (w *walking) outOf(want []place) (out []link) {
	for _, p := range want {
		f, _, err := p.entry.ReadAll()
		if err != nil || p.symbol < 0 {
			continue
		}
		r := w.world.In(w.number[p.entry], f)
		for k := range f.References {
			ref := &f.References[k]
			switch {
			case w.query.Calls && (ref.Use != syntax.Call || !inside(f, ref.In, p.symbol)):
				continue
			case !w.query.Calls && ref.In != p.symbol: // what it holds has references of its own
				continue
			}
			found, grade := r.Resolve(ref)
			for _, n := range found {
				s := w.world.Symbol(n)
				to := place{w.entries[s.File], s.Number}
				if to == p && ref.Use != syntax.Call {
					continue
				}
				out = append(out, link{p, to, edge{p.entry, p.symbol, ref.At.First, ref.Use, len(found), grade}})
			}
		}
	}
	if !w.query.Calls {
		out = append(out, containing(want, false)...)
	}
	return out
}

// containing returns the links between places and what holds them, or what they hold.
func containing(want []place, in bool) (out []link) {
	for _, p := range want {
		f, _, err := p.entry.Read()
		if err != nil || p.symbol < 0 {
			continue
		}
		contains := func(from, to int) {
			e := edge{entry: p.entry, symbol: from, line: f.Symbols[to].NameAt.First, use: Contains, candidates: 1}
			out = append(out, link{place{p.entry, from}, place{p.entry, to}, e})
		}
		for i := range f.Symbols {
			switch {
			case in && holds(f, i, p.symbol):
				contains(i, p.symbol)
			case !in && holds(f, p.symbol, i):
				contains(p.symbol, i)
			}
		}
	}
	return out
}

// holds reports whether a symbol of a file holds another one, or is the type that its name says, as of methods of Go.
func holds(f *syntax.File, holder, s int) bool {
	if p := f.Symbols[s].Parent; p >= 0 {
		return p == holder
	}
	return f.Symbols[s].Qualified == qualified(&f.Symbols[holder])+"."+f.Symbols[s].Name
}

// result returns the walk with definitions in place of numbers.
func (w *walking) result(t *Tree, start []symbolRef) (*api.CodeWalked, error) {
	files, closed := textsOf(t)
	defer closed()
	out := &api.CodeWalked{Left: len(w.left)}
	var err error
	if out.Of, err = define(t, start[:min(len(start), MaxCount)], files, false); err != nil {
		return nil, err
	}
	for _, p := range w.order {
		d, err := w.define(t, p, files)
		if err != nil {
			return nil, err
		}
		out.Found = append(out.Found, d)
	}
	keys := make(map[*catalog.Entry][]string)
	for _, l := range w.links {
		from, to := symbolAt(keys, l.from), symbolAt(keys, l.to)
		out.Links = append(out.Links, api.CodeReference{From: from, To: to, Use: string(l.use), Path: l.entry.Path, Line: l.line, Candidates: l.candidates})
	}
	for _, p := range w.last {
		if p.symbol >= 0 {
			out.Frontier = append(out.Frontier, symbolAt(keys, p))
		}
	}
	return out, nil
}

func (w *walking) define(t *Tree, p place, files *texts) (api.CodeSymbol, error) {
	if p.symbol < 0 {
		_, fresh := files.of(p.entry)
		line := w.lines[p]
		return api.CodeSymbol{Root: t.Root.Path, Path: p.entry.Path, Language: p.entry.Language, First: line, Last: line, Freshness: fresh}, nil
	}
	list, err := define(t, []symbolRef{{entry: p.entry, number: p.symbol}}, files, false)
	if err != nil {
		return api.CodeSymbol{}, err
	}
	return list[0], nil
}

// symbolAt names a place. keys are those of the files that were read.
func symbolAt(keys map[*catalog.Entry][]string, p place) api.CodeRef {
	if _, ok := keys[p.entry]; !ok {
		if f, _, err := p.entry.Read(); err == nil {
			keys[p.entry] = chunk.Keys(f.Symbols)
		}
	}
	s := api.CodeRef{Path: p.entry.Path}
	if p.symbol >= 0 && p.symbol < len(keys[p.entry]) {
		s.Key = keys[p.entry][p.symbol]
	}
	return s
}
