package codeindex

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// Symbols returns the definitions of a name, which may be qualified, best first: the name itself, then
// names that begin with it, that contain it, or, if there are none, that it may be a typo of. texts:
// with comment and text.
func (t *Tree) Symbols(ctx context.Context, name string, f Filter, count int, texts bool) ([]api.CodeSymbol, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil, hippo.Fieldf("name", "is empty")
	}
	g, done, err := ask(ctx, t, f, &count)
	if err != nil {
		return nil, err
	}
	defer done()
	files, closed := textsOf(t)
	defer closed()
	return define(t, g.table().find(name, f, count), files, texts)
}

// SymbolPage is [Tree.Symbols] from an offset on, without texts, and the number of all definitions that match.
func SymbolPage(ctx context.Context, t *Tree, name string, f Filter, offset, count int) (page []api.CodeSymbol, total int, err error) {
	if name = strings.TrimSpace(name); name == "" {
		return nil, 0, hippo.Fieldf("name", "is empty")
	}
	g, done, err := ask(ctx, t, f, &count)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	files, closed := textsOf(t)
	defer closed()
	all := g.table().find(name, f, math.MaxInt)
	from := min(max(offset, 0), len(all))
	page, err = define(t, all[from:min(from+count, len(all))], files, false)
	return page, len(all), err
}

// ask returns the generation that a question with a filter is put to; count gets its default. The caller calls done.
func ask(ctx context.Context, t *Tree, f Filter, count *int) (g *generation, done func(), err error) {
	if *count = cmp.Or(*count, DefaultCount); *count < 0 || *count > MaxCount {
		return nil, nil, hippo.Fieldf("Count", "must be between 1 and %d, got %d", MaxCount, *count)
	}
	if g, done, err = t.use(ctx); err != nil {
		return nil, nil, err
	}
	if err := f.check(t, g.current.Load()); err != nil {
		done()
		return nil, nil, err
	}
	return g, done, nil
}

// define returns the definitions of symbols, as fresh as their files are.
func define(t *Tree, list []symbolRef, files *texts, withTexts bool) ([]api.CodeSymbol, error) {
	out := make([]api.CodeSymbol, 0, len(list))
	for _, s := range list {
		f, _, err := s.entry.Read()
		if err != nil {
			return nil, err
		}
		d := definitionOf(t, s.entry, f, chunk.Keys(f.Symbols), s.number)
		var text []byte
		if text, d.Freshness = files.of(s.entry); withTexts && d.Freshness == api.CodeFresh {
			d.Doc, d.Text = part(text, f.Symbols[s.number].Doc), part(text, f.Symbols[s.number].Range)
		}
		out = append(out, d)
	}
	return out, nil
}

// definitionOf returns a symbol of a file, without text and freshness.
func definitionOf(t *Tree, e *catalog.Entry, f *syntax.File, keys []string, i int) api.CodeSymbol {
	s := &f.Symbols[i]
	return api.CodeSymbol{
		Root: t.Root.Path, Path: e.Path, Key: keys[i], Name: qualified(s), Kind: string(s.Kind), Language: e.Language, Signature: s.Signature, First: s.Range.First, Last: s.Range.Last,
	}
}

// part returns a range of a text; empty if it is not within it.
func part(text []byte, r syntax.Range) string {
	if r.From < 0 || r.From >= r.Until || r.Until > len(text) {
		return ""
	}
	return strings.ToValidUTF8(string(text[r.From:r.Until]), "\uFFFD")
}

// Outline returns the definitions of a file, in its order, without texts. The error is [hippo.ErrNotFound] if the file
// is not in the index, with the reason if it was left out.
func (t *Tree) Outline(ctx context.Context, path string) ([]api.CodeSymbol, error) {
	g, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	path = cleanPath(path)
	e := g.current.Load().Entry(path)
	if e == nil {
		return nil, notIndexed(t, path)
	}
	f, _, err := e.Read()
	if err != nil {
		return nil, err
	}
	files, closed := textsOf(t)
	defer closed()
	_, fresh := files.of(e)
	keys := chunk.Keys(f.Symbols)
	out := make([]api.CodeSymbol, len(f.Symbols))
	for i := range f.Symbols {
		out[i] = definitionOf(t, e, f, keys, i)
		out[i].Freshness = fresh
	}
	return out, nil
}

// notIndexed says why a file is not in the index.
func notIndexed(t *Tree, path string) error {
	skips, err := t.Skips()
	if err != nil {
		return err
	}
	for _, s := range skips {
		if path == s.Path || strings.HasPrefix(path, s.Path+"/") {
			return fmt.Errorf("%w: %s was left out: %s is %s", hippo.ErrNotFound, path, s.Path, s.Reason)
		}
	}
	return fmt.Errorf("%w: no file or folder %s in the index of %s", hippo.ErrNotFound, path, t.Root.Path)
}
