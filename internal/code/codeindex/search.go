package codeindex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
)

// Query asks for code.
type Query struct {
	// Text is a question, words, or names.
	Text string
	Filter
	// Count is the number of hits; 0 means [DefaultCount], at most [MaxCount].
	Count int
	// Ranker is [hippo.RankerHippo] if it is empty, or the words or the vectors alone: [hippo.RankerBM25], [hippo.RankerCosine].
	Ranker hippo.Ranker
}

// Filter keeps the code of a part of a tree; empty fields keep all.
type Filter struct {
	// Path is a file or a folder, relative to the root, with slashes.
	Path     string
	Language string
	Kind     syntax.Kind
}

// The number of hits of an answer.
const (
	DefaultCount = 10
	MaxCount     = api.MaxSourceHits
)

// catchUpWait is how long a search waits for the words to follow the catalog.
const catchUpWait = 2 * time.Second

// Search finds chunks. The error is a [*hippo.FieldError], or [hippo.ErrNotFound] if there is no index.
func (t *Tree) Search(ctx context.Context, q Query) (*api.CodeAnswer, error) {
	var cut string
	q.Text, cut = hippo.ShortQuery(q.Text)
	asked, err := q.plain()
	if err != nil {
		return nil, err
	}
	g, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	defer t.encoding.searching(t.config.Now)()
	if err := q.check(t, g.current.Load()); err != nil {
		return nil, err
	}
	ranking, missing, err := g.recall(ctx, asked)
	if errors.Is(err, index.ErrDamaged) {
		ranking, missing, err = g.recall(ctx, asked)
	}
	if err != nil {
		return nil, fmt.Errorf("code index: %w", err)
	}
	a := &api.CodeAnswer{Hits: []api.CodeHit{}, Total: ranking.Total, Weak: ranking.Weak, Confidence: ranking.Confidence, Notes: notes(t, missing)}
	if cut != "" {
		a.Notes = append(a.Notes, cut)
	}
	root, err := t.open()
	if err != nil {
		a.Notes = append(a.Notes, err.Error())
	} else {
		defer root.Close() //nolint:errcheck // it was only read
	}
	files := newTexts(root)
	state := g.current.Load()
	for _, h := range asideLast(state, &q, ranking.Hits, asked.Count) {
		if p, ok := state.Find(h.ID); ok {
			hit := hitOf(t, files, p)
			hit.Relevance = h.Relevance
			a.Hits = append(a.Hits, hit)
		}
	}
	return a, nil
}

// plain returns the query in the terms of memories.
func (q *Query) plain() (*hippo.Query, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, hippo.Required("Text")
	}
	if q.Count < 0 || q.Count > MaxCount {
		return nil, hippo.Fieldf("Count", "must be between 1 and %d, got %d", MaxCount, q.Count)
	}
	if err := q.validate(); err != nil {
		return nil, err
	}
	switch q.Ranker {
	case "", hippo.RankerHippo, hippo.RankerBM25, hippo.RankerCosine:
	default:
		return nil, hippo.Fieldf("Ranker", "must be %s, %s or %s, got %q", hippo.RankerHippo, hippo.RankerBM25, hippo.RankerCosine, string(q.Ranker))
	}
	out := &hippo.Query{Text: q.Text, Count: q.Count, Ranker: cmp.Or(q.Ranker, hippo.RankerHippo), NoTouch: true, Detail: hippo.Detail{Each: true, NoDistribution: true}}
	if out.Count == 0 {
		out.Count = DefaultCount
	}
	if p := cleanPath(q.Path); p != "" {
		out.Filter.Tags = []string{p}
	}
	if q.Kind != "" {
		out.Filter.Types = []string{string(q.Kind)}
	}
	out.Filter.Author = q.Language
	return out, out.Validate()
}

// cleanPath returns a path of a filter as entries have it; empty for the root.
func cleanPath(p string) string {
	if p == "" {
		return ""
	}
	if p = path.Clean(strings.ReplaceAll(p, `\`, "/")); p == "." {
		return ""
	}
	return p
}

// recall ranks, and returns how many chunks the words do not have yet.
func (g *generation) recall(ctx context.Context, q *hippo.Query) (r *recall.Ranking, missing int, err error) {
	if missing, err = g.words.CatchUpWithin(ctx, catchUpWait); err != nil {
		return nil, 0, err
	}
	g.load(false)
	plan, err := g.searcher.Plan(hippo.LocalScope(hippo.AllProjects), q)
	if err != nil {
		return nil, 0, err
	}
	err = g.words.Guard(func() error {
		var err error
		r, err = g.searcher.Recall(ctx, plan, 1)
		return err
	})
	return r, missing, err
}

// notes says what an answer lacks.
func notes(t *Tree, missing int) (list []string) {
	if missing > 0 {
		list = append(list, fmt.Sprintf("%d chunks are not in the index yet: search again for all", missing))
	}
	return append(list, Notes(t)...)
}

// hitOf returns the hit of a chunk.
func hitOf(t *Tree, files *texts, p catalog.Place) api.CodeHit {
	h := api.CodeHit{Root: t.Root.Path, Path: p.Entry.Path, First: p.Chunk.First, Last: p.Chunk.Last, Language: p.Entry.Language, Kind: kindOf(p.File, &p.Chunk)}
	if s := p.Chunk.Symbol; s >= 0 {
		h.Name, h.Signature = qualified(&p.File.Symbols[s]), p.File.Symbols[s].Signature
	}
	var text []byte
	text, h.Freshness = files.of(p.Entry)
	if h.Freshness == api.CodeFresh {
		h.Text = strings.ToValidUTF8(string(text[p.Chunk.From:p.Chunk.Until]), "\uFFFD")
	}
	return h
}

func qualified(s *syntax.Symbol) string {
	if s.Qualified == "" {
		return s.Name
	}
	return s.Qualified
}

// texts reads files for one answer, each once.
type texts struct {
	files *walk.Reader // nil: the root is gone
	known map[string][]byte
}

// textsOf returns a reader of the files of an answer; the caller calls closed. If the root is gone, so are all files.
func textsOf(t *Tree) (files *texts, closed func()) {
	root, err := t.open()
	if err != nil {
		return newTexts(nil), func() {}
	}
	return newTexts(root), func() { _ = root.Close() } // it was only read
}

func newTexts(root *os.Root) *texts {
	t := &texts{known: make(map[string][]byte)}
	if root != nil {
		t.files = walk.NewReader(root)
	}
	return t
}

// of returns the content of a file, if it is what the catalog says.
func (t *texts) of(e *catalog.Entry) ([]byte, api.Freshness) {
	if t.files == nil {
		return nil, api.CodeMissing
	}
	text, ok := t.known[e.Path]
	if !ok {
		var err error
		if text, _, err = t.files.Read(e.Path); err != nil {
			text = nil
		}
		t.known[e.Path] = text
	}
	switch {
	case text == nil:
		return nil, api.CodeMissing
	case catalog.HashOf(text) != e.Hash:
		return nil, api.CodeChanged
	default:
		return text, api.CodeFresh
	}
}
