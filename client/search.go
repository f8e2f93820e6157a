package client

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/hippo-memory/hippo"
)

// SearchOption narrows or changes a search.
type SearchOption interface{ search(s *searching) }

type searching struct {
	query    hippo.Query
	projects []string // by the names that the caller gave
	wait     bool
}

// ListOption narrows a list.
type ListOption interface{ list(l *listing) }

// Filter keeps some insights; it is an option of searches and of lists.
type Filter func(*hippo.Filter)

func (f Filter) search(s *searching) { f(&s.query.Filter) }
func (f Filter) list(l *listing)     { f(&l.filter) }

// FromFilter keeps insights that pass a [hippo.Filter].
func FromFilter(x hippo.Filter) Filter { return func(f *hippo.Filter) { *f = x } }

// HasTags keeps insights with all of these tags.
func HasTags(tags ...string) Filter { return func(f *hippo.Filter) { f.Tags = tags } }

// OfType keeps insights of any of these types.
func OfType(types ...string) Filter { return func(f *hippo.Filter) { f.Types = types } }

// InProjects keeps insights of any of these projects, whose names are read as by [ResolveProject]: an unknown one is [hippo.ErrNotFound]. "none"
// and "" are what belongs to no project. It is an option of searches and of lists, and counts whatever projects other options name.
func InProjects(names ...string) FilterOption { return inProjects(names) }

// AllProjects keeps insights of all projects. It is an option of searches and of lists.
func AllProjects() FilterOption { return InProjects(hippo.AllProjects) }

type inProjects []string

func (p inProjects) search(s *searching) { s.projects = p }
func (p inProjects) list(l *listing)     { l.projects = p }

// selectProjects sets the projects of a filter to those that names mean, if there are some.
func selectProjects(ctx context.Context, c *Client, names []string, f *hippo.Filter) error {
	for i, name := range names {
		found, err := ResolveProject(ctx, c, cmp.Or(name, "none"))
		if err != nil {
			return err
		}
		if i == 0 {
			f.Projects = nil
		}
		f.Projects = append(f.Projects, found...)
	}
	return nil
}

// CreatedBetween keeps insights recorded at or after from and before until; the zero time is
// no bound.
func CreatedBetween(from, until time.Time) Filter {
	return func(f *hippo.Filter) { f.CreatedAfter, f.CreatedBefore = from, until }
}

// ValidAt keeps insights whose fact holds at a time.
func ValidAt(t time.Time) Filter { return func(f *hippo.Filter) { f.ValidAt = t } }

// WithArchived keeps archived insights as if they were not: see [hippo.Filter].
func WithArchived() Filter { return func(f *hippo.Filter) { f.Archived = true } }

// Page chooses a page: count insights, at most [hippo.MaxCount], after the first offset. It is
// an option of searches and of lists.
func Page(offset, count int) PageOption { return page{offset, count} }

// PageOption is an option of searches and of lists, see [Page].
type PageOption interface {
	SearchOption
	ListOption
}

type page struct{ offset, count int }

func (p page) search(s *searching) { s.query.Offset, s.query.Count = p.offset, p.count }
func (p page) list(l *listing)     { l.offset, l.count = p.offset, p.count }

// Setting changes a search.
type Setting func(*hippo.Query)

func (s Setting) search(to *searching) { s(&to.query) }

// FromQuery copies all fields of a query except for its text.
func FromQuery(x hippo.Query) Setting {
	return func(q *hippo.Query) {
		text := q.Text
		*q = x
		q.Text = text
	}
}

// InSituation keeps insights for any of these situations. It is an option of searches and of lists.
func InSituation(elements ...string) FilterOption {
	return narrowing(func(situation *[]string, _ *string) { *situation = elements })
}

// When keeps insights of a time in words: "last week", "since 1 May", "3d". It is an option of
// searches and of lists.
func When(words string) FilterOption {
	return narrowing(func(_ *[]string, when *string) { *when = words })
}

// FilterOption is an option of searches and of lists, see [InSituation] and [When].
type FilterOption interface {
	SearchOption
	ListOption
}

type narrowing func(situation *[]string, when *string)

func (n narrowing) search(s *searching) {
	var situation []string
	if n(&situation, &s.query.When); situation != nil {
		s.query.Situation, s.query.Strict = situation, true
	}
}

func (n narrowing) list(l *listing) { n(&l.situation, &l.when) }

// MinRelevance keeps insights of at least this relevance; 0 also finds unlikely ones. The
// default is the floor of the ranker.
func MinRelevance(x float64) Setting {
	return func(q *hippo.Query) { q.Relevance = &hippo.Range{Min: x, Max: math.Inf(1)} }
}

// Mode chooses the mode of ranker surprise.
func Mode(m hippo.Mode) Setting { return func(q *hippo.Query) { q.Mode = m } }

// RankedBy chooses the ranker.
func RankedBy(r hippo.Ranker) Setting { return func(q *hippo.Query) { q.Ranker = r } }

// WithoutTrace does not count the hits as used.
func WithoutTrace() Setting { return func(q *hippo.Query) { q.NoTouch = true } }

// Explained adds an explanation to each hit.
func Explained() Setting { return func(q *hippo.Query) { q.Explain = true } }

type waiting struct{}

func (waiting) search(s *searching) { s.wait = true }

// Waiting waits until the embedding model is loaded. Without it a search is lexical until then,
// and says so in [hippo.Answer.Degraded]. The built-in model is loaded from the start.
func Waiting() SearchOption { return waiting{} }

// Search finds insights by a question or by keywords, best first; empty text finds all that
// pass the filters. Without [Page] it returns the first [hippo.DefaultCount]. What it returns
// counts as used, after the answer. Errors: a [*hippo.FieldError].
func (c *Client) Search(ctx context.Context, text string, opts ...SearchOption) (*hippo.Answer, error) {
	q, err := query(ctx, c, text, opts)
	if err != nil {
		return nil, err
	}
	return c.memories.Search(ctx, q)
}

// query returns the query of a search; it waits for the model if an option says so.
func query(ctx context.Context, c *Client, text string, opts []SearchOption) (hippo.Query, error) {
	s := searching{query: hippo.Query{Text: text}}
	for _, o := range opts {
		o.search(&s)
	}
	if s.wait {
		_ = c.memories.Ready(ctx) // the answer reports a missing model
	}
	return s.query, selectProjects(ctx, c, s.projects, &s.query.Filter)
}
