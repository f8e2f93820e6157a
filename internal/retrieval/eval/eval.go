// Package eval measures how well a search finds what answers a question, and how
// fast. It reads sets with known answers, runs the engine on them, or anything else
// that implements [Searcher], and reports the usual measures of retrieval. Harder
// settings, intervals and the training data of the ranker are built on it in the module
// lab.
//
// A set of conversations is a folder with conversations.jsonl (the turns that
// package formats reads) and questions.jsonl, one object a line: id,
// conversation, question, category, and the ids of the turns that answer it. A corpus is a
// folder with corpus.jsonl (_id, title, text, and situation, type, importance and
// created_at if there are any; or insights as exports have them, named by the URI of their
// source), queries.jsonl (_id, text, and category and lang if there are any) and
// qrels.tsv (query, document, gain).
//
// So that figures can be compared: a question is asked within its conversation; a
// document is "SPEAKER: TEXT", or "TITLE\nTEXT" of a corpus; documents without a time were
// recorded in their order; questions without a
// relevant document are left out; the categories of [Excluded] are reported but are not
// part of the mean. [Unanswerable] questions measure the confidence of a system alone.
//
// Invariant: apart from latencies, equal data and code give an equal report.
package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// Depth is the number of documents that each search asks for, and the largest k of a
// measure.
const Depth = 10

// Excluded reports whether questions of a category are left out of the mean: the
// trick questions of LoCoMo, and the tasks of BEAM that finding a few turns
// cannot solve.
func Excluded(category string) bool {
	switch category {
	case "adversarial", "event_ordering", "summarization", "instruction_following":
		return true
	default:
		return Unanswerable(category)
	}
}

// Unanswerable reports whether no document answers the questions of a category: "none",
// and "abstention" of BEAM.
func Unanswerable(category string) bool { return category == "none" || category == "abstention" }

// Options says what to measure.
type Options struct {
	// Data is the folder of one set, or a folder of such folders.
	Data string
	// Engine has what all systems share; its Backend is required. The first row of each
	// set is the [Baseline].
	Engine EngineOptions
	// Rankers are measured after the baseline; nil means all of them.
	Rankers []hippo.Ranker
	// Models are measured with each ranker that compares vectors; none: lexical search
	// only. Run does not close them.
	Models []Model
	// Systems are measured after those.
	Systems []System
	// Now is the clock that measures latency; nil means the system's.
	Now func() time.Time
	// Progress, if not nil, is called after every question.
	Progress func(done, total int)
}

// Report is the outcome of a run.
type Report struct {
	Sets []SetReport `json:"sets"`
	// All is the confidence over all sets of each system that has one.
	All []Total `json:"all,omitempty"`
}

// Total is the confidence of a system over the questions of all sets.
type Total struct {
	System string `json:"system"`
	Confidence
}

// SetReport is what was measured on one set.
type SetReport struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	// Questions counts those with a relevant document.
	Questions int `json:"questions"`
	// Rejected has the reason for each document that a store refuses. They are not
	// stored, so they count as not found.
	Rejected []string `json:"rejected,omitempty"`
	Rows     []Row    `json:"rows"`
}

// Run measures every system on every set, one question at a time. Errors:
// [hippo.ErrInvalid] if Data holds no set or a line of one is broken; any error of a
// search.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Engine.Backend == nil {
		return Report{}, hippo.Fieldf("backend", "must be given")
	}
	sets, err := Load(o.Data)
	if err != nil {
		return Report{}, fmt.Errorf("eval: %w", err)
	}
	systems := append(Systems(&o.Engine, o.Rankers, o.Models), o.Systems...)
	r, err := o.measure(ctx, sets, systems)
	if err != nil {
		return Report{}, fmt.Errorf("eval: %w", err)
	}
	return r, nil
}

// measure measures every system on every set, one question at a time. Errors: those of [Measure].
func (o *Options) measure(ctx context.Context, sets []*Set, systems []System) (Report, error) {
	var report Report
	var rows []Row
	sets = slices.Clone(sets)
	done, total := 0, 0
	for i, s := range sets {
		sets[i] = s.Asked()
		for k := range systems {
			total += len(systems[k].Asked(sets[i]).Questions)
		}
	}
	answered := func() {
		done++
		if o.Progress != nil {
			o.Progress(done, total)
		}
	}
	for _, s := range sets {
		r := s.Report()
		for i := range systems {
			row, err := Measure(ctx, s, &systems[i], o.Now, answered)
			if err != nil {
				return Report{}, err
			}
			r.Rows, rows = append(r.Rows, row), append(rows, row)
		}
		report.Sets = append(report.Sets, r)
	}
	report.All = Totals(rows)
	return report, nil
}
