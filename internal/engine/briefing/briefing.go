// Package briefing selects what an agent should know now: pinned memories, preferences and rules, open
// tasks, decisions, recent work, and what the prompt reminds of. It is pure: the same candidates
// and the same time give the same selection. The engine gathers the candidates.
package briefing

import (
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Query asks what to know now.
type Query struct {
	// Prompt is what the user asks; empty: a session begins. The first [hippo.MaxQuery] bytes count.
	Prompt string
	// Work is what is in progress.
	api.Work
	// PromptOnly selects only what the prompt reminds of.
	PromptOnly bool
	// Names, if there are any, are those of which a memory must have one to be selected by the prompt alone; in lower case.
	Names []string
	// MaxTokens bounds the text, as [tokencount.Of] estimates it: [api.MinTokens] to [api.MaxTokens]; 0 means
	// [api.DefaultTokens].
	MaxTokens int
	// At, with ValidAt, selects what held then, also if it was superseded since; otherwise what holds now.
	At hippo.Moment
	// Known reports whether the reader has a memory already; nil: it has none.
	Known func(*hippo.Memory) bool
}

// Validate reports the first rule that q breaks, as a [*hippo.FieldError].
func (q *Query) Validate() error {
	if q.MaxTokens != 0 && (q.MaxTokens < api.MinTokens || q.MaxTokens > api.MaxTokens) {
		return hippo.Fieldf("MaxTokens", "must be between %d and %d, got %d", api.MinTokens, api.MaxTokens, q.MaxTokens)
	}
	return nil
}

// Candidate is a memory that may be worth knowing.
type Candidate struct {
	Memory *hippo.Memory
	// Importance is the decayed one, in [0, 1].
	Importance float64
	// Prompt and State are the relevance to the prompt and to the work in progress, in
	// [0, 1]; 0: not found by it.
	Prompt, State float64
	// Words is the share of the words of the prompt that the memory has, by their weight, and Confidence that of the answer
	// to the prompt.
	Words, Confidence float64
	// Cosine is that of the prompt and the memory; 0: there is none, or it is negative.
	Cosine float64
	// Excerpt are the sentences of a long memory that fit the prompt best, or else the work, see [hippo.Hit.Excerpt].
	Excerpt []hippo.Span
}

// Input is what [Select] selects from.
type Input struct {
	Query
	Candidates []Candidate
	// Facts are those of the entities that the prompt names, the best first.
	Facts []Fact
	// Notes say, of those memories that contradict a fact, which.
	Notes map[hippo.ID]string
	// Unassigned is [api.Briefing.Unassigned].
	Unassigned int
	// Projects are the names of the current one, and "" for none; memories of others are never selected.
	Projects []string
	// Now is the time of the reader.
	Now time.Time
	// IDs are the short forms of the IDs of Candidates.
	IDs hippo.ShortIDs
	// Terms are the distinct terms of a text without function words, by which duplicates are found; nil: its words.
	Terms func(text string) map[string]bool
	// Similar is the cosine of two memories; nil: duplicates are found lexically.
	Similar func(a, b hippo.ID) float64
	// Changed reports whether a memory changes a value of an older one; nil: none does.
	Changed func(older, newer *hippo.Memory) bool
	// Instructs reports whether a text tries to instruct its reader; nil: none does.
	Instructs func(text string) bool
}

// The sections of a briefing, in the order in which they are shown.
const (
	Rules     = "rules"
	Tasks     = "tasks"
	Decisions = "decisions"
	Recent    = "recent"
	Related   = "related"
)
