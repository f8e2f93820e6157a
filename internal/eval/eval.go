// Package eval measures how well a way of searching finds what answers a
// question, and how fast. It reads two kinds of sets: conversations with
// questions about them, and a corpus with queries and judgements; runs the
// engine on them, or whatever else implements [Searcher]; and reports the usual
// measures. It changes nothing but the stores it is given for that.
//
// The rules, so that numbers compare: a question is asked within its
// conversation (harder cases are rows of their own, see [Harder]); a document is
// "SPEAKER: TEXT", or "TITLE\nTEXT" of a corpus; questions without evidence do
// not count; some categories are reported but kept out of the mean, see [Apart].
//
// A set of conversations is a folder with conversations.jsonl (the turns that
// package formats reads) and questions.jsonl, one object a line: id,
// conversation, question, category, evidence (a list of turn ids). A corpus is a
// folder with corpus.jsonl (_id, title, text; or insights as exports have them, named
// by the URI of their source), queries.jsonl (_id, text, and category if there are
// any) and qrels.tsv (query, document, gain). A table of sentence pairs is a .tsv file
// with the columns score, a and b.
//
// Invariant: apart from latencies, equal data and code give an equal report.
package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Depth is how many documents are asked for, and the largest k of a measure.
const Depth = 10

// Scope is within what a question is asked.
type Scope string

// The scopes.
const (
	// ScopeConversation: within the question's conversation.
	ScopeConversation Scope = "conversation"
	// ScopePooled: in one store with all conversations.
	ScopePooled Scope = "pooled"
	// ScopeCorpus: in the whole corpus.
	ScopeCorpus Scope = "corpus"
	// ScopeParaphrased: like the first, in other words; see [Paraphrase].
	ScopeParaphrased Scope = "paraphrased"
	// ScopeDistractors: in one store with all of the set, and texts of other sets.
	ScopeDistractors Scope = "distractors"
	// ScopeUsed: like the first, where one in a hundred memories, none of which
	// answers a question, was opened daily for months and voted up.
	ScopeUsed Scope = "used"
)

// Apart reports whether questions of a category are kept out of the mean: the
// trick questions of LoCoMo, and the tasks of BEAM that finding a few turns
// cannot solve.
func Apart(category string) bool {
	switch category {
	case "adversarial", "event_ordering", "summarization", "instruction_following", "abstention":
		return true
	default:
		return false
	}
}

// Options says what to measure.
type Options struct {
	// Data is the folder of one set, or a folder of such folders.
	Data string
	// Backend returns an empty store; required. Each row has stores of its own.
	Backend func() driver.Backend
	// Rankers are the engine's rankers to measure beside the baseline; nil means all.
	Rankers []hippo.Ranker
	// Models are measured with each ranker that uses meaning, and on tables of
	// sentence pairs; none: words only. Run does not close them.
	Models []Model
	// Pieces compares texts word by word in ranker hippo, where there is a model.
	Pieces embed.TokenEmbedder
	// Systems are measured beside those.
	Systems []System
	// Harder adds rows.
	Harder
	// Workers is how many rows are measured at the same time; at most 1 measures
	// latencies, too, which mean nothing otherwise.
	Workers int
	// Now is the clock that measures latency; nil means the system's.
	Now func() time.Time
	// Progress, if not nil, is called after every question, never twice at a time.
	Progress func(done, total int)
	// Answered, if not nil, is called with every answer, never twice at a time.
	Answered func(Answer)
}

// Answer is what one system found for one question.
type Answer struct {
	Set, System              string
	Scope                    Scope
	Question, Text, Category string
	// Found are the names of the documents, best first, at most [Depth].
	Found []string
	// Relevant is the gain of each document that answers the question. It must not
	// be changed.
	Relevant map[string]float64
}

// Report is the outcome of a run.
type Report struct {
	Sets []SetReport `json:"sets"`
	// Similarities are of the tables of sentence pairs.
	Similarities []Similarity `json:"similarities,omitempty"`
}

// SetReport is what was measured on one set.
type SetReport struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	// Questions are those with evidence.
	Questions int `json:"questions"`
	// Rejected are documents that a store refuses, with the reason; they take
	// no part, but count as not found.
	Rejected []string `json:"rejected,omitempty"`
	Rows     []Row    `json:"rows"`
}

// Row is one system in one scope.
type Row struct {
	System string `json:"system"`
	Scope  Scope  `json:"scope"`
	// Score is the mean over the categories that are not [Apart].
	Score
	Interval Interval `json:"interval_95,omitzero"`
	// Lead is this row less that of the [Baseline] in the same scope.
	Lead *Difference `json:"lead,omitempty"`
	// Loss is the row of the same system in an easier scope, less this one.
	Loss       *Difference `json:"loss,omitempty"`
	Latency    Latency     `json:"latency,omitzero"`
	Categories []Category  `json:"categories,omitempty"`
}

// Category is the score of the questions of one category.
type Category struct {
	Name string `json:"name"`
	// Apart categories are not part of the row's score.
	Apart bool `json:"apart,omitempty"`
	Score
}

// Run measures every system on every set. Errors: [hippo.ErrInvalid] if Data holds
// no set or a line of one is broken, or too few other texts for the distractors; any
// error of a search.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Backend == nil {
		return Report{}, hippo.Fieldf("backend", "must be given")
	}
	sets, err := findSets(o.Data)
	if err != nil {
		return Report{}, fmt.Errorf("eval: %w", err)
	}
	if o.Distractors > 0 && len(sets) == 1 {
		return Report{}, hippo.Fieldf("distractors", "must be 0 for a single set: they are texts of other sets in the folder")
	}
	var report Report
	if report.Similarities, err = similarities(ctx, o.Data, o.Models); err != nil {
		return Report{}, fmt.Errorf("eval: %w", err)
	}
	r := &runner{now: o.Now, progress: o.Progress, answered: o.Answered, timed: o.Workers <= 1}
	if r.now == nil {
		r.now = time.Now //nolint:forbidigo // the system clock is the default
	}
	plan := newPlan(sets, append(Systems(o.Backend, o.Rankers, o.Models, o.Pieces), o.Systems...), &o.Harder)
	for _, j := range plan {
		r.total += len(j.set.questions)
	}
	if err := r.all(ctx, plan, max(1, o.Workers)); err != nil {
		return Report{}, fmt.Errorf("eval: %w", err)
	}
	for _, s := range sets {
		sr := SetReport{Name: s.name, Documents: s.documents(), Questions: len(s.questions), Rejected: s.rejected}
		for _, j := range plan {
			if j.set == s {
				sr.Rows = append(sr.Rows, j.row())
			}
		}
		report.Sets = append(report.Sets, sr)
	}
	return report, nil
}

// runner asks questions and measures the answers.
type runner struct {
	now   func() time.Time
	timed bool

	mu          sync.Mutex // guards the rest
	progress    func(done, total int)
	answered    func(Answer)
	done, total int
}

// answered is a question's category and what its answer was worth.
type answered struct {
	number   int // of the question in the set
	category string
	score    Score
	taken    time.Duration
}

// measure asks a system all questions of a set, and returns the answers in their order.
func (r *runner) measure(ctx context.Context, s *set, sys *System) ([]answered, error) {
	var all []answered
	for _, g := range s.groups {
		of := slices.DeleteFunc(slices.Clone(s.questions), func(q question) bool { return q.group != g.name })
		if len(of) == 0 {
			continue
		}
		as, err := r.ask(ctx, s, sys, g, of)
		if err != nil {
			return nil, err
		}
		all = append(all, as...)
	}
	slices.SortFunc(all, func(a, b answered) int { return a.number - b.number })
	return all, nil
}

// ask opens the system on one group of documents and asks all its questions.
func (r *runner) ask(ctx context.Context, s *set, sys *System, g group, questions []question) (all []answered, err error) {
	searcher, err := sys.Open(ctx, g.docs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, searcher.Close()) }()
	for _, q := range questions {
		start := r.now()
		found, err := searcher.Search(ctx, q.text, Depth)
		taken := r.now().Sub(start)
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.id, err)
		}
		a := answered{number: q.number, category: q.category, score: ScoreOf(found, q.relevant)}
		if r.timed {
			a.taken = taken
		}
		all = append(all, a)
		r.tick(Answer{
			Set: s.name, System: sys.Name, Scope: s.scope, Question: q.id, Text: q.text, Category: q.category,
			Found: found, Relevant: q.relevant,
		})
	}
	return all, nil
}

// tick tells of an answer.
func (r *runner) tick(a Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered != nil {
		r.answered(a)
	}
	r.done++
	if r.progress != nil {
		r.progress(r.done, r.total)
	}
}

func summary(system string, scope Scope, all []answered) Row {
	row := Row{System: system, Scope: scope}
	var taken []time.Duration
	by := make(map[string][]Score)
	for _, a := range all {
		taken = append(taken, a.taken)
		by[a.category] = append(by[a.category], a.score)
	}
	scores := counted(all)
	row.Score, row.Interval, row.Latency = Mean(scores), Bootstrap(scores), LatencyOf(taken)
	for name, scores := range by {
		if name != "" {
			row.Categories = append(row.Categories, Category{Name: name, Apart: Apart(name), Score: Mean(scores)})
		}
	}
	slices.SortFunc(row.Categories, func(a, b Category) int { return cmp.Compare(a.Name, b.Name) })
	return row
}
