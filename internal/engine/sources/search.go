package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Trees are the source trees of this machine.
type Trees interface {
	// Library returns the indexes; it opens them at the first call.
	Library() (code.Library, error)
	// Indexed reports whether there may be one, without opening any.
	Indexed() bool
	// Follow keeps the index of a tree up to date from now on.
	Follow(t *code.Tree)
	// Dir is the folder that the caller works in; empty: it is not known.
	Dir() string
}

// Insights are those of a store in the scope of a caller.
type Insights struct {
	Search func(ctx context.Context, q hippo.Query) (*hippo.Answer, error)
	// CountUsed counts one use of each of some insights. The note says why it does not; empty: it does.
	CountUsed func(ctx context.Context, ids []hippo.ID) (note string, err error)
}

// InsightsOf returns the insights of a caller.
func InsightsOf(m *engine.Memories) Insights {
	return Insights{
		Search:    func(ctx context.Context, q hippo.Query) (*hippo.Answer, error) { return query.Search(ctx, m, q) },
		CountUsed: func(ctx context.Context, ids []hippo.ID) (string, error) { return query.CountUsed(ctx, m, ids) },
	}
}

// Asked is who asks what.
type Asked struct {
	Sources Set
	// Scope is that of the caller: trees of other projects take no part.
	Scope hippo.Scope
	Insights
	// Trees is nil where there are none to ask.
	Trees Trees
}

// Search answers a question of both sources. What is on the page counts as used, unless the query says otherwise; what
// was only ranked does not. If only code is asked and it cannot answer, that is the error; beside insights it is a note.
// Other errors are those of a search. Cost: that of a search of the store and of each tree.
func Search(ctx context.Context, a *Asked, q hippo.Query) (*api.SourcesAnswer, error) {
	q.Ranker, q.Count = cmp.Or(q.Ranker, hippo.RankerHippo), cmp.Or(q.Count, hippo.DefaultCount)
	var cut string
	q.Text, cut = hippo.ShortQuery(q.Text)
	if err := check(&q); err != nil {
		return nil, err
	}
	page := Page{q.Offset, q.Count}
	memory := &hippo.Answer{Ranker: q.Ranker}
	if a.Sources.memory {
		var err error
		if memory, err = ranked(ctx, a, q, page); err != nil {
			return nil, err
		}
	}
	trees, more, absent := askTrees(ctx, a, &q, page)
	if absent != nil && (!a.Sources.memory || ctx.Err() != nil) {
		return nil, absent
	}
	out := Merge(memory, trees, page)
	out.Notes = append(out.Notes, more...)
	if cut != "" {
		out.Notes = append(out.Notes, cut)
	}
	if absent != nil {
		out.Notes = append(out.Notes, "code takes no part: "+reason(absent))
	}
	return out, use(ctx, a, &q, out)
}

// check refuses what has no meaning for both sources.
func check(q *hippo.Query) error {
	switch {
	case q.Text == "":
		return hippo.Required("Text")
	case q.Ranker != hippo.RankerHippo:
		return hippo.Fieldf("Ranker", "must be %s with source %s, got %q: other rankers have scales of their own", hippo.RankerHippo, api.SourceCode, string(q.Ranker))
	case q.Offset < 0:
		return hippo.Fieldf("Offset", "must not be negative, got %d", q.Offset)
	case q.Count < 0 || q.Count > api.MaxSourceHits || q.Offset > api.MaxSourceHits-q.Count:
		return hippo.Fieldf("Count", "must be at most %d together with the offset where source %s is asked, got %d and %d", api.MaxSourceHits, api.SourceCode, q.Count, q.Offset)
	}
	return q.Validate()
}

// ranked returns the insights up to the end of a page, without a trace.
func ranked(ctx context.Context, a *Asked, q hippo.Query, p Page) (*hippo.Answer, error) {
	q.Offset, q.Count, q.NoTouch = 0, p.end(), true
	return a.Search(ctx, q)
}

// use counts the insights of an answer as used, unless the query asks for no trace or for what was known before.
func use(ctx context.Context, a *Asked, q *hippo.Query, out *api.SourcesAnswer) error {
	if q.NoTouch || !q.Filter.KnownAt.IsZero() || len(out.Memory.Hits) == 0 {
		return nil
	}
	note, err := a.CountUsed(ctx, out.Memory.IDs())
	if note != "" {
		out.Memory.Degraded = append(slices.Clip(out.Memory.Degraded), note)
	}
	return err
}

// askTrees asks the source trees of a query for hits up to the end of a page. An error says why none takes part, a note
// why some do not.
func askTrees(ctx context.Context, a *Asked, q *hippo.Query, p Page) (list []*api.CodeAnswer, notes []string, err error) {
	trees, err := treesOf(a, q)
	if err != nil {
		return nil, nil, err
	}
	if more := len(trees) - code.MaxTrees; more > 0 {
		trees, notes = trees[:code.MaxTrees], append(notes, fmt.Sprintf("%d more source trees were not asked: name a project", more))
	}
	var failed []error
	for _, t := range trees {
		a.Trees.Follow(t)
		t.Count = p.end()
		found, err := t.Search(ctx, q.Text, "")
		if err != nil {
			failed = append(failed, err)
			continue
		}
		list = append(list, within(found, q.Relevance))
	}
	if last := len(failed) - 1; len(list) == 0 && last >= 0 {
		failed, err = failed[:last], failed[last]
	}
	for _, wrong := range failed {
		notes = append(notes, "a source tree takes no part: "+reason(wrong))
	}
	return list, notes, err
}

// reason is an error as a note has it: what is wrong, and not of what kind the error is.
func reason(err error) string {
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return bad.Why
	}
	text := err.Error()
	for _, kind := range []error{hippo.ErrNotFound, hippo.ErrUnsupported, hippo.ErrUnavailable} {
		text = strings.TrimPrefix(text, kind.Error()+": ")
	}
	return text
}

// treesOf returns the trees of the projects of a query. The error is never nil if there is none.
func treesOf(a *Asked, q *hippo.Query) ([]*code.Tree, error) {
	if only := onlyInsights(q); only != "" {
		return nil, hippo.Fieldf(field, "%s has no %s: leave that filter out", api.SourceCode, only)
	}
	if a.Trees == nil {
		return nil, fmt.Errorf("%w: this server answers no questions about code", hippo.ErrUnsupported)
	}
	if !a.Trees.Indexed() {
		return nil, errNoTree()
	}
	l, err := a.Trees.Library()
	if err != nil {
		return nil, err
	}
	trees, err := l.OfProjects(&a.Scope, a.Scope.Narrow(q.Filter).Projects, a.Trees.Dir())
	if err == nil && len(trees) == 0 {
		err = errNoTree()
	}
	return trees, err
}

func errNoTree() error {
	return fmt.Errorf("%w: no source tree of these projects is indexed; the user can run hippo code index PATH", hippo.ErrNotFound)
}

// onlyInsights names what a query filters by that code does not have; empty: nothing.
func onlyInsights(q *hippo.Query) string {
	f := &q.Filter
	for _, x := range []struct {
		given bool
		name  string
	}{
		{len(f.Tags)+len(f.WithoutTags) > 0, "tags"},
		{len(f.Types) > 0, "type of an insight"},
		{q.Strict && len(q.Situation) > 0, "situation"},
		{q.When != "" || !f.CreatedAfter.IsZero() || !f.CreatedBefore.IsZero() || !f.EventAfter.IsZero() || !f.EventBefore.IsZero(), "time of recording"},
		{!f.ValidAt.IsZero() || !f.KnownAt.IsZero(), "former state"},
		{f.Origin != (hippo.Origin{}), "origin"},
		{f.MinTrust != 0, "trust"},
		{f.Pinned, "pin"},
	} {
		if x.given {
			return x.name
		}
	}
	return ""
}

// within returns an answer with the hits whose relevance, on the scale of insights, is in a range; nil: any.
func within(a *api.CodeAnswer, r *hippo.Range) *api.CodeAnswer {
	if r == nil {
		return a
	}
	out := *a
	out.Hits = nil
	for i := range a.Hits {
		if x := rank.OfCode(a.Hits[i].Relevance); x >= r.Min && x <= r.Max {
			out.Hits = append(out.Hits, a.Hits[i])
		}
	}
	return &out
}
