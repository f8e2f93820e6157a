package codeindex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
)

// generation is one index of a tree: a catalog, and the words and vectors that follow it.
type generation struct {
	config   *Config
	dir      string
	journal  *catalog.Journal
	current  *atomic.Pointer[catalog.Catalog]
	words    *index.Index
	searcher *recall.Searcher
	users    sync.RWMutex // held for reading while the index is used
	symbols  atomic.Pointer[symbolTable]
	graph    atomic.Pointer[graph]
	loaded   loaded // from the file of vectors
}

const (
	catalogFile = "catalog"
	wordsFile   = "words"
)

// openGeneration opens a folder. Without fresh its catalog exists; else it is created empty. readOnly: the file
// of the words is not written, for processes that answer once and end.
func openGeneration(ctx context.Context, c *Config, root, dir string, fresh, readOnly bool) (*generation, error) {
	g := &generation{config: c, dir: dir, current: &atomic.Pointer[catalog.Catalog]{}}
	path := filepath.Join(dir, catalogFile)
	var state *catalog.Catalog
	var err error
	if fresh {
		g.journal, state, err = catalog.Create(path)
	} else {
		g.journal, state, err = openCatalog(path)
	}
	if err != nil {
		return nil, err
	}
	g.current.Store(state)
	o := &index.Options{Path: filepath.Join(dir, wordsFile), Tokens: c.Tokens, ReadOnly: readOnly, Log: c.logger()}
	if c.Model != nil {
		o.Models, o.Instant = []embed.Model{c.Model.Model()}, c.Model
	}
	if c.encodes() {
		o.Models = append(o.Models, c.Encoder.Model())
	}
	if g.words, err = index.Open(ctx, &source{root: root, current: g.current}, o); err != nil {
		return nil, fmt.Errorf("code index: %w", err)
	}
	g.searcher = recall.New(recall.Config{
		Index: g.words, Relations: noRelations{}, Embedder: queries{c, g}, Tokens: c.Tokens, Weights: c.Weights, Now: c.Now,
	})
	return g, nil
}

// openCatalog opens the catalog of a generation that serves or served, which has at least one complete update: without any
// it was cut, and would find nothing.
func openCatalog(path string) (*catalog.Journal, *catalog.Catalog, error) {
	j, c, err := catalog.Open(path)
	if err == nil && c.Updated.IsZero() {
		return nil, nil, fmt.Errorf("%w: %s: it is cut off: index the tree again with hippo code index", hippo.ErrCorrupt, path)
	}
	return j, c, err
}

// commit appends a draft to the catalog of the generation that serves. A search that begins meanwhile waits: it would
// read the file while it is written.
func commit(t *Tree, g *generation, d *catalog.Draft, now time.Time) (*catalog.Catalog, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, err := g.journal.Commit(d, now)
	if err == nil {
		g.current.Store(next)
	}
	return next, err
}

// refresh reads the catalog again if another process has changed it. It is called with the lock of the tree held.
// An older state of the same history does not replace the one that is known.
func (g *generation) refresh() error {
	if !g.journal.Changed() {
		return nil
	}
	journal, state, err := catalog.Open(g.journal.Dir() + string(filepath.Separator) + catalogFile)
	if err != nil {
		return err
	}
	if known := g.current.Load(); known.Store == state.Store && state.Revision < known.Revision {
		return nil
	}
	g.journal = journal
	g.current.Store(state)
	return nil
}

// close waits for who uses it.
func (g *generation) close() error {
	g.users.Lock()
	defer g.users.Unlock()
	return g.words.Close()
}

// copyWords copies the file of the words into the folder of the next generation, so that only what
// changed is indexed there. That it cannot be copied costs a rebuild.
func copyWords(from, to string) {
	b, err := os.ReadFile(filepath.Join(from, wordsFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(to, wordsFile), b, 0o600)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		_ = os.Remove(filepath.Join(to, wordsFile))
	}
}

// noRelations are the relations between chunks: none, for the ranking.
type noRelations struct{}

func (noRelations) Relations(context.Context, hippo.Scope, []hippo.ID, time.Time, int) ([]hippo.Relation, error) {
	return nil, nil
}
