package codeindex

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/role"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
)

// asideLast returns the first n of hits after the relevance of tests, generated and vendored code was lowered, unless the question asks
// for them: they stand behind what is more relevant then, and otherwise keep their order. Hits by the words or the vectors alone stay as
// they are, because their relevance has another scale. Cost: a microsecond for each hit that is looked at, and in Rust a read of
// what the catalog has of its file, some 0.1 ms.
func asideLast(state *catalog.Catalog, q *Query, hits []recall.Hit, n int) []recall.Hit {
	if q.Ranker != "" && q.Ranker != hippo.RankerHippo {
		return hits[:min(n, len(hits))]
	}
	asked := role.Asked(q.Text, cleanPath(q.Path))
	var out, aside []recall.Hit
	for _, h := range hits {
		for len(aside) > 0 && aside[0].Relevance > h.Relevance {
			out, aside = append(out, aside[0]), aside[1:]
		}
		if len(out) >= n {
			return out[:n]
		}
		if roleOf(state, h.ID)&^asked == 0 {
			out = append(out, h)
			continue
		}
		h.Relevance = rank.Aside(h.Relevance)
		aside = append(aside, h)
	}
	out = append(out, aside...)
	return out[:min(n, len(out))]
}

// roleOf returns the roles of a chunk.
func roleOf(state *catalog.Catalog, id hippo.ID) role.Set {
	e := state.Holder(id)
	if e == nil {
		return 0
	}
	s := role.Of(e.Path, e.Language)
	if e.Language != inlineTests || s != 0 {
		return s
	}
	if p, ok := state.Find(id); ok && p.Chunk.Symbol >= 0 && inTests(e, &p.File.Symbols[p.Chunk.Symbol]) {
		return role.Test
	}
	return s
}

// inlineTests is the language whose files have their tests within them.
const inlineTests = "rust"

// inTests reports whether a symbol belongs to the tests that a file has within it.
func inTests(e *catalog.Entry, s *syntax.Symbol) bool {
	return e.Language == inlineTests && role.InTests(qualified(s))
}
