package verb

import (
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/sources"
)

// Narrow keeps some memories: of a search, a list, or what is forgotten.
type Narrow struct {
	Situation, Tags, Types []string
	WithoutTags            []string
	When, Author, Session  string
	Created, Event         Span
	At                     Moment
	MinTrust               string
	Pinned, Archived       bool
}

// Span is a time between two others: from the first one on, until before the second one.
type Span struct{ After, Before Time }

// Moment is that as of which something is read, see [hippo.Moment].
type Moment struct{ AsOf, KnownAt Time }

// Args are the arguments that fill a Narrow.
func (n *Narrow) Args() []Arg {
	return append([]Arg{
		{
			Name: "situation", As: map[Door]string{MCP: "situation_filter", REST: "situation_filter"}, Also: "situation situations context context_filter", Field: "Situation",
			About: "for this situation: a search prefers such memories, a list has no others", Rules: Schema{"maxItems": hippo.MaxSituations}, Is: Listed, Brief: "preferred; strict: no others", To: &n.Situation,
		},
		{Name: "tags", As: map[Door]string{Shell: "tag"}, Also: "tag", Field: "Tags", About: "only memories with all of these tags, in any case", Rules: Schema{"maxItems": hippo.MaxTags}, Is: Listed | Labels, To: &n.Tags},
		{Name: "without_tags", As: map[Door]string{Shell: "without-tag"}, Also: "without_tag exclude_tags not_tags", Field: "WithoutTags", About: "only memories with none of these tags, in any case", Rules: Schema{"maxItems": hippo.MaxTags}, Is: Labels, To: &n.WithoutTags},
		{Name: "type", Also: "types kind category memory_type", Field: "Types", About: "only memories of one of these types, in any case", Is: Listed | Labels, To: &n.Types},
		{Name: "author", About: "only what this author said", To: &n.Author},
		{Name: "session", About: "only what this session holds", To: &n.Session},
		{Name: "when", Also: "time time_expr", Field: "When", About: `of this time: "last week", "since 1 March", 2026-01-01..2026-02-01, 3d`, Rules: Schema{"maxLength": hippo.MaxQuery}, Brief: "last week, since 1 May, 3d", Is: Listed, To: &n.When},
		{Name: "created_after", As: map[Door]string{Shell: "since"}, Also: "since after", About: "recorded at or after this time: yesterday, 2026-03-01, 3d", To: &n.Created.After},
		{Name: "created_before", As: map[Door]string{Shell: "until"}, Also: "until before", Field: "CreatedBefore", About: "recorded before this time", To: &n.Created.Before},
		{Name: "event_after", About: "happened at or after this time, or else was recorded then", To: &n.Event.After},
		{Name: "event_before", Field: "EventBefore", About: "happened before this time", To: &n.Event.Before},
		{Name: "min_trust", Field: "min_trust", About: "only memories of this trust or more: none, low, normal or high", Values: hippo.TrustNames(), To: &n.MinTrust},
		{Name: "pinned", Also: "pin", About: "only pinned memories", To: &n.Pinned},
		{Name: "archived", Also: "include_archived", About: "include archived memories", To: &n.Archived},
	}, n.At.Args()...)
}

// Args are the arguments that fill a Moment.
func (m *Moment) Args() []Arg {
	return []Arg{
		{Name: "as_of", About: "only what held at this time", Is: Listed, To: &m.AsOf},
		{Name: "known_at", About: "show what was known at this time, as far back as the history goes", To: &m.KnownAt},
	}
}

// unlisted are the arguments where a model seldom asks for the past.
func (m *Moment) unlisted() []Arg {
	args := m.Args()
	args[0].Is = 0
	return args
}

// Filter returns the filter without projects, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (n *Narrow) Filter(now time.Time) (hippo.Filter, error) {
	f := hippo.Filter{
		Tags: Given(n.Tags), WithoutTags: Given(n.WithoutTags), Types: Given(n.Types), Origin: hippo.Origin{Author: n.Author, Session: n.Session}, Pinned: n.Pinned, Archived: n.Archived,
	}
	err := Read(now, append(n.At.readings(&f.Moment),
		n.Created.After.Into(&f.CreatedAfter), n.Created.Before.Into(&f.CreatedBefore),
		n.Event.After.Into(&f.EventAfter), n.Event.Before.Into(&f.EventBefore))...)
	if err == nil && n.MinTrust != "" {
		f.MinTrust, err = hippo.ParseTrust("min_trust", n.MinTrust)
	}
	return f, err
}

// Situations are those that were given.
func (n *Narrow) Situations() []string { return Given(n.Situation) }

// Moment returns the moment, for a time in the zone of its days.
func (m *Moment) Moment(now time.Time) (at hippo.Moment, err error) {
	return at, Read(now, m.readings(&at)...)
}

func (m *Moment) readings(to *hippo.Moment) []Reading {
	return []Reading{m.AsOf.Into(&to.ValidAt), m.KnownAt.Into(&to.KnownAt)}
}

// Search says which memories a search finds, and in which order.
type Search struct {
	Narrow
	Strict, Explain, NoTouch bool
	Ranker, Mode             string
}

// Args are the arguments that fill a Search.
func (s *Search) Args() []Arg {
	return slices.Concat([]Arg{
		{Name: "ranker", Field: "Ranker", About: "how hits are ranked", Values: words(hippo.Rankers()), To: &s.Ranker},
		{Name: "mode", Field: "Mode", About: "of ranker surprise: semantic, associative, hybrid or exact", Values: words(hippo.Modes()), To: &s.Mode},
		{Name: "strict", About: "only memories for the situation, and none for others", Is: Listed, To: &s.Strict},
		{Name: "explain", As: lacking(Script), About: "explain the rank of each hit", To: &s.Explain},
		{Name: "no_touch", About: "do not count the hits as used", To: &s.NoTouch},
	}, s.Narrow.Args())
}

// Query returns the query, without its text, page and projects, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (s *Search) Query(now time.Time) (hippo.Query, error) {
	f, err := s.Filter(now)
	return hippo.Query{
		Filter: f, Situation: s.Situations(), Strict: s.Strict, When: s.When, Ranker: hippo.Ranker(s.Ranker), Mode: hippo.Mode(s.Mode), NoTouch: s.NoTouch,
		Detail: hippo.Detail{Explain: s.Explain},
	}, err
}

// Find asks for a page of a search.
type Find struct {
	Text    string
	Sources []string
	Search
	Page
	Relevance
}

// Args are the arguments that fill a Find. The command line takes the text as words, and has sources in a form of its own.
func (f *Find) Args() []Arg {
	return slices.Concat([]Arg{f.TextArg()}, f.Page.Args(), f.Relevance.Args(), f.Search.Args(), []Arg{
		{Name: "sources", As: lacking(Shell), Also: "source", About: "what to search: memory, code, or both", To: &f.Sources},
	})
}

// TextArg is the argument that a search is about.
func (f *Find) TextArg() Arg {
	return Arg{
		Name: "query", As: lacking(Shell), Also: "q text search question", Field: "Text", Is: Listed | Words, To: &f.Text,
		About: fmt.Sprintf("plain words; empty matches everything. A text over %d bytes is cut to its beginning, which degraded reports", hippo.MaxQuery),
	}
}

// HasCode reports whether source trees are asked. The error is a [*hippo.FieldError].
func (f *Find) HasCode() (bool, error) {
	asked, err := sources.Parse(f.Sources)
	return asked.HasCode(), err
}

// Query returns the query, without its projects, for a time in the zone of its days. A range of relevance without a lower end begins at the floor.
// The error is a [*hippo.FieldError].
func (f *Find) Query(now time.Time, floor float64) (hippo.Query, error) {
	q, err := f.Search.Query(now)
	if err == nil {
		q.Count, err = f.Count()
	}
	q.Text, q.Offset, q.Relevance = f.Text, f.Offset, f.Range(floor)
	return q, err
}
