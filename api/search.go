package api

import (
	"github.com/hippo-memory/hippo"
)

// Search asks for memories by a question or by keywords, by filters, or by both. The best are the first; an empty Text
// finds all that pass the filters.
//
//	api.Search{Query: hippo.Query{Text: "why did the gateway go down", Count: 5}}
//	api.Search{Query: hippo.Query{Text: "retries", Filter: hippo.Filter{Tags: []string{"incident"}}}, Projects: []string{"gateway"}}
//
// The answer is a [hippo.Answer]. What is on its page counts as used, unless NoTouch is set.
type Search struct {
	// Query has what is asked: Text, Situation with Strict, Filter and When. Relevance bounds the answer, see [hippo.AtLeast],
	// and Offset and Count choose the page; a Count of 0 means [hippo.DefaultCount]. Ranker and Mode choose the order. With
	// NoTouch the hits do not count as used. Each, Explain and NoDistribution choose the details.
	hippo.Query
	// Projects keeps memories of any of these projects, by names as a person writes them: a known name or an abbreviation of
	// exactly one. "none" and "" stand for what belongs to no project, "*" for all. An unknown name is [hippo.ErrNotFound].
	// If it has elements, Filter.Projects, which takes exact names, does not count.
	Projects []string
	// Wait waits until the embedding model is loaded. Without it a search is lexical until then, and
	// [hippo.Answer.Degraded] says why. The built-in model is loaded from the start.
	Wait bool
}

// The sources of a [SearchSources].
const (
	SourceMemory = "memory"
	SourceCode   = "code"
)

// MaxSourceHits is the largest sum of Offset and Count of a [SearchSources], and the most chunks of code of one answer.
const MaxSourceHits = 100

// SearchSources asks memories and indexed source code the same question. Text must not be empty, and the ranker must be
// [hippo.RankerHippo]. The answer is a [SourcesAnswer].
type SearchSources struct {
	Search
	// Sources are those that are asked, [SourceCode] among them; nil: both.
	Sources []string
	// Dir is the folder in which the caller works: of several source trees of a project, the one that holds it is asked.
	// Empty: it is not known.
	Dir string
}

// SourcesAnswer is what memories and code say, the best first.
type SourcesAnswer struct {
	Hits []SourceHit
	// Insights counts the memories that match, on all pages, and Chunks the pieces of code.
	Insights, Chunks int
	// Memory is the answer of the store with the memories among Hits and no others. It is weak if this one is, and empty
	// if the store was not asked.
	Memory hippo.Answer
	// Trees is how many source trees were asked.
	Trees int
	// Weak says why the hits may not answer the question. Empty: those of one of the sources may.
	Weak string
	// Notes say why code takes no part, or what its index lacks.
	Notes []string
}

// Total counts what matches, on all pages.
func (a *SourcesAnswer) Total() int { return a.Insights + a.Chunks }

// Next returns where the page begins that follows one with a number of hits from an offset on; 0 if there is none.
func (a *SourcesAnswer) Next(offset, hits int) int {
	if end := offset + hits; hits > 0 && end < min(a.Total(), MaxSourceHits) {
		return end
	}
	return 0
}

// SourceHit is a memory or a piece of code: one of both is set.
type SourceHit struct {
	Insight *hippo.Hit
	Code    *CodeHit
	// Relevance is on the scale of memories in ranker hippo, in [0, 1], for both.
	Relevance float64
}

// Context asks for what an agent should know now, as a text: rules, open tasks, decisions, recent work, and what the prompt
// reminds of.
type Context struct {
	// Prompt is what the user asks; empty: a session begins. The first [hippo.MaxQuery] bytes count.
	Prompt string
	// MaxTokens bounds the text by an estimate, 100 to 8,000; 0 means 700.
	MaxTokens int
	// At, with ValidAt, selects what held then; otherwise what holds now.
	At hippo.Moment
}
