package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/resolve"
	"github.com/hippo-memory/hippo/internal/code/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
)

// A source is a file of the tree and what the parser found in it.
type source struct {
	path string
	file syntax.File
}

// index returns what the code index says of a tree: by the same walk, parser and resolver.
func index(ctx context.Context, dir string) (*facts, error) {
	list, err := parseAll(ctx, dir)
	if err != nil {
		return nil, err
	}
	files := make([]resolve.File, len(list))
	var all []resolve.Symbol
	var places []place
	out := newFacts()
	for i := range list {
		f := &list[i].file
		out.files[list[i].path] = true
		files[i] = resolve.File{Path: list[i].path, Language: f.Language, Package: f.Package, Imports: f.Imports}
		for k := range f.Symbols {
			s := &f.Symbols[k]
			all = append(all, resolve.Symbol{File: i, Number: k, Name: s.Name, Qualified: s.Qualified, Kind: s.Kind, Signature: s.Signature, Bases: s.Bases})
			p := place{list[i].path, s.NameAt.From}
			places = append(places, p)
			out.definitions[p] = true
			out.types[p] = f.Language == "go" && s.Kind != syntax.Function && s.Kind != syntax.Method && s.Kind != syntax.Variable && s.Kind != syntax.Field
		}
	}
	w := resolve.New(files, all)
	for i := range list {
		usesOf(w.In(i, &list[i].file), &list[i], places, out)
	}
	return out, nil
}

func usesOf(r *resolve.Resolver, s *source, places []place, out *facts) {
	for k := range s.file.References {
		ref := &s.file.References[k]
		found, grade := r.Resolve(ref)
		u := use{call: ref.Use == syntax.Call, named: grade >= resolve.Near, caller: place{s.path, -1}}
		if ref.In >= 0 {
			u.caller.at = s.file.Symbols[ref.In].NameAt.From
		}
		for _, i := range found {
			u.to = append(u.to, places[i])
		}
		out.uses[place{s.path, ref.At.From}] = u
	}
}

// parseAll parses the files of a tree that have a grammar, in the order of their paths.
func parseAll(ctx context.Context, dir string) ([]source, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // it was only read
	tree, err := walk.Walk(ctx, root, dir)
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	parser := symbols.New(filepath.Join(cache, "hippo", "codeproof"), grammar.Limits{})
	defer parser.Close() //nolint:errcheck // its work is done
	found := make([]*source, len(tree.Files))
	failed := make([]error, len(tree.Files))
	var group sync.WaitGroup
	jobs := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			reader := walk.NewReader(root)
			for i := range jobs {
				found[i], failed[i] = parseOne(ctx, parser, reader, tree.Files[i].Path)
			}
		})
	}
	for i := range tree.Files {
		jobs <- i
	}
	close(jobs)
	group.Wait()
	var out []source
	for i, s := range found {
		if failed[i] != nil {
			return nil, failed[i]
		}
		if s != nil {
			out = append(out, *s)
		}
	}
	return out, nil
}

func parseOne(ctx context.Context, parser *symbols.Parser, reader *walk.Reader, path string) (*source, error) {
	text, why, err := reader.Read(path)
	if err != nil || why != "" {
		return nil, err
	}
	language := parser.Language(path, text[:min(len(text), 512)])
	if language == "" {
		return nil, nil
	}
	f, err := parser.Parse(ctx, language, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &source{path, f}, nil
}
