package codeindex

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/role"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// The bounds of the tokens of a [api.CodeMap].
const (
	DefaultMapTokens = 2000
	MinMapTokens     = 100
	MaxMapTokens     = 50_000
)

// fileLine is the line of a file of a map.
func fileLine(path string, fresh api.Freshness) string {
	if fresh != api.CodeFresh {
		path += "  [" + string(fresh) + "]"
	}
	return path + "\n"
}

// maxMapLine bounds a line of a map.
const maxMapLine = 160

func mapLine(d *api.CodeSymbol) string {
	text := d.Signature
	if text == "" {
		text = d.Kind + " " + d.Name
	}
	if len(text) > maxMapLine {
		text = strings.ToValidUTF8(text[:maxMapLine], "") + "..."
	}
	return fmt.Sprintf("  %d: %s\n", d.First, text)
}

// Map returns a map of a tree, or of a part of it, in a budget of tokens. A definition counts by the references
// that mean it, shared among the candidates of each. Cost: all references are resolved, some microseconds each, when the
// index has changed.
func (t *Tree) Map(ctx context.Context, f Filter, tokens int) (*api.CodeMap, error) {
	if tokens == 0 {
		tokens = DefaultMapTokens
	}
	if tokens < MinMapTokens || tokens > MaxMapTokens {
		return nil, hippo.Fieldf("tokens", "must be between %d and %d, got %d", MinMapTokens, MaxMapTokens, tokens)
	}
	g, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := f.check(t, g.current.Load()); err != nil {
		return nil, err
	}
	x := g.resolver()
	weights, err := x.weigh(ctx)
	if err != nil {
		return nil, err
	}
	files, err := ranked(t, x, weights, f)
	if err != nil {
		return nil, err
	}
	texts, closed := textsOf(t)
	defer closed()
	return fill(t.Root.Path, files, tokens, texts), nil
}

// weigh returns how often each definition is referred to from other definitions.
func (x *graph) weigh(ctx context.Context) ([]float64, error) {
	x.weighing.Lock()
	defer x.weighing.Unlock()
	if x.weights != nil {
		return x.weights, nil
	}
	total := 0
	for i, e := range x.entries {
		total = max(total, x.first[i]+e.Symbols)
	}
	weights := make([]float64, total)
	for i, e := range x.entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, _, err := e.ReadAll()
		if err != nil {
			return nil, err
		}
		r := x.world.In(i, f)
		for k := range f.References {
			ref := &f.References[k]
			if ref.Use == syntax.Read { // often a variable of the function
				continue
			}
			found, _ := r.Resolve(ref)
			for _, s := range found {
				if ref.In < 0 || s != x.first[i]+ref.In {
					weights[s] += 1 / float64(len(found))
				}
			}
		}
	}
	x.weights = weights
	return weights, nil
}

// weighed is a definition with its weight.
type weighed struct {
	api.CodeSymbol
	weight float64
}

// rankedFile is a file with its definitions, the most referred to first.
type rankedFile struct {
	entry  *catalog.Entry
	list   []weighed
	weight float64
}

// ranked returns the files of a filter, those first that others refer to most.
func ranked(t *Tree, x *graph, weights []float64, filter Filter) ([]rankedFile, error) {
	var out []rankedFile
	for i, e := range x.entries {
		f, _, err := e.Read()
		if err != nil {
			return nil, err
		}
		one, keys, aside := rankedFile{entry: e}, chunk.Keys(f.Symbols), role.Of(e.Path, e.Language) != 0
		for k := range f.Symbols {
			s := &f.Symbols[k]
			ref := symbolRef{kind: s.Kind, entry: e}
			if s.Kind == syntax.Section || s.Kind == syntax.Field || !filter.admits(&ref) {
				continue
			}
			w := weights[x.first[i]+k]
			if aside || inTests(e, s) {
				w *= asideShare
			}
			one.list = append(one.list, weighed{definitionOf(t, e, f, keys, k), w})
			one.weight += w
		}
		if len(one.list) > 0 {
			slices.SortStableFunc(one.list, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
			out = append(out, one)
		}
	}
	slices.SortStableFunc(out, func(a, b rankedFile) int { return cmp.Compare(b.weight, a.weight) })
	return out, nil
}

// asideShare is what references count that mean something in a test, or in generated or vendored code: helpers of tests are called often and
// explain little.
const asideShare = .05

// fill takes the best definition of all files, again and again, until the budget is spent.
func fill(root string, files []rankedFile, budget int, now *texts) *api.CodeMap {
	type pick struct{ file, symbol int }
	var picks []pick
	for i := range files {
		for k := range files[i].list {
			picks = append(picks, pick{i, k})
		}
	}
	slices.SortStableFunc(picks, func(a, b pick) int {
		return cmp.Compare(files[b.file].list[b.symbol].weight, files[a.file].list[a.symbol].weight)
	})
	taken, stale := make(map[int][]api.CodeSymbol), make(map[int]api.Freshness)
	used := 0
	for _, p := range picks {
		d, e := files[p.file].list[p.symbol].CodeSymbol, files[p.file].entry
		cost := chunk.Tokens([]byte(mapLine(&d)))
		if used+cost > budget {
			continue
		}
		if taken[p.file] == nil {
			_, stale[p.file] = now.of(e)
			cost += chunk.Tokens([]byte(fileLine(e.Path, stale[p.file])))
		}
		if used+cost > budget {
			continue
		}
		used += cost
		d.Freshness = stale[p.file]
		taken[p.file] = append(taken[p.file], d)
	}
	m := &api.CodeMap{Root: root, Files: []api.CodeMapFile{}, Tokens: used, More: len(files) - len(taken)}
	for i := range files {
		if list := taken[i]; list != nil {
			slices.SortStableFunc(list, func(a, b api.CodeSymbol) int { return cmp.Compare(a.First, b.First) })
			m.Files = append(m.Files, api.CodeMapFile{Path: files[i].entry.Path, References: int(files[i].weight + .5), Symbols: list, Freshness: stale[i]})
			m.Text += fileLine(files[i].entry.Path, stale[i])
			for k := range list {
				m.Text += mapLine(&list[k])
			}
		}
	}
	return m
}
