// Package sources answers one question from the insights of a store and from source trees. The path is a line:
// [Search] asks both, [Merge] puts their hits on one scale, and what cannot take part is a note.
package sources

import (
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// The names of the sources.
const (
	Memory = "memory"
	Code   = "code"
)

// Set is the sources that a question is put to. The zero value is that of a question that names none: insights alone.
type Set struct{ memory, code bool }

// Parse reads names of sources, each of which may be several with commas. No names are the zero Set. The error is a
// [*hippo.FieldError] of the field sources.
func Parse(names []string) (s Set, err error) {
	if names != nil && len(names) == 0 {
		names = []string{""} // an empty list asks nothing, which no caller means
	}
	for _, list := range names {
		for name := range strings.SplitSeq(list, ",") {
			switch strings.ToLower(strings.TrimSpace(name)) {
			case Memory:
				s.memory = true
			case Code:
				s.code = true
			default:
				return Set{}, hippo.Fieldf(field, "must be some of %s, %s, got %.40q", Memory, Code, name)
			}
		}
	}
	return s, nil
}

// field is the name of the argument in errors.
const field = "sources"

// HasCode reports whether source trees are asked. If not, the question is an ordinary search.
func (s Set) HasCode() bool { return s.code }

// Hit is an insight or a chunk of code: one of both is set.
type Hit struct {
	Insight *hippo.Hit
	Code    *codeindex.Hit
	// Relevance is on the scale of insights in ranker hippo, in [0, 1].
	Relevance float64
}

// Answer is what the sources say, the best first.
type Answer struct {
	Hits []Hit
	// Insights and Chunks count what matches, on all pages.
	Insights, Chunks int
	// Memory is the answer of the store with the insights among Hits and no others, weak if this one is; empty if the
	// store was not asked.
	Memory hippo.Answer
	// Trees is how many source trees were asked.
	Trees int
	// Weak says why the hits may not answer the question. Empty: those of a source among them may.
	Weak string
	// Notes say why code takes no part, or what its index lacks.
	Notes []string
}

// Total counts what matches.
func (a *Answer) Total() int { return a.Insights + a.Chunks }

// Next returns where the page after one that begins at an offset and has some hits begins; 0 if there is none.
func (a *Answer) Next(offset, hits int) int {
	if end := offset + hits; hits > 0 && end < min(a.Total(), MaxEnd) {
		return end
	}
	return 0
}
