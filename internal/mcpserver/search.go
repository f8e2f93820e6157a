package mcpserver

import (
	"context"
	"encoding/json"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/wire"
)

const searchSchema = `{"type":"object","properties":{
"query":{"type":"string","description":"what to look for, in plain words"},
"situation_filter":{"type":"array","items":{"type":"string"}},
"limit":{"type":"integer","minimum":1,"maximum":1000,"default":10},
"offset":{"type":"integer","minimum":0},
"tags":{"type":"array","items":{"type":"string"}},
"type":{"type":"array","items":{"type":"string"}},
"project":{"type":"string","description":"default: current and none; * all"},
"when":{"type":"string","description":"last week, since 1 May, 3d"},
"as_of":{"type":"string","description":"what held then"},
"detail":{"type":"string","enum":["compact","full"]},
"max_tokens":{"type":"integer","default":1200}}}`

// filterInput is the part of the arguments that narrows the search.
type filterInput struct {
	tags, kinds                 texts
	project, author, session    string
	createdAfter, createdBefore moment
	asOf                        moment
	pinned                      bool
}

type searchInput struct {
	text           string
	situation      texts
	relevance      rangeInput
	limit          limitInput
	offset         *int
	filter         filterInput
	when           string
	ranker, detail string
	explain        bool
	maxTokens      tokenLimit
}

func (in *searchInput) fields() []field {
	return []field{
		{name: "query", to: &in.text},
		{name: "situation_filter", alias: "context_filter", to: &in.situation},
		{name: "relevance_range", alias: "score_range", to: &in.relevance, unlisted: true},
		{name: "limit", to: &in.limit},
		{name: "offset", to: &in.offset},
		{name: "tags", to: &in.filter.tags},
		{name: "type", to: &in.filter.kinds},
		{name: "project", to: &in.filter.project},
		{name: "author", to: &in.filter.author, unlisted: true},
		{name: "session", to: &in.filter.session, unlisted: true},
		{name: "when", to: &in.when},
		{name: "created_after", to: &in.filter.createdAfter, unlisted: true},
		{name: "created_before", to: &in.filter.createdBefore, unlisted: true},
		{name: "as_of", to: &in.filter.asOf},
		{name: "pinned", to: &in.filter.pinned, unlisted: true},
		{name: "ranker", to: &in.ranker, unlisted: true},
		{name: "detail", to: &in.detail},
		{name: "explain", to: &in.explain, unlisted: true},
		{name: "max_tokens", to: &in.maxTokens.given},
	}
}

// rangeInput is a range of relevance. A range that is given without min begins at
// 0.1, the floor of the original program.
type rangeInput struct {
	given    bool
	min, max *float64
}

// set implements [setter]: an empty object is a range, too.
func (in *rangeInput) set(name string, raw json.RawMessage) error {
	in.given = true
	return decodeAt(name+".", raw, in)
}

func (in *rangeInput) fields() []field {
	return []field{{name: "min", to: &in.min}, {name: "max", to: &in.max}}
}

func (in *rangeInput) value() *hippo.Range {
	if !in.given {
		return nil
	}
	r := &hippo.Range{Min: 0.1, Max: math.Inf(1)}
	if in.min != nil {
		r.Min = *in.min
	}
	if in.max != nil {
		r.Max = *in.max
	}
	return r
}

// limitInput is a page: how many hits it has, or an object with that and where it begins.
type limitInput struct {
	offset int
	count  *int
}

// set implements [setter].
func (in *limitInput) set(name string, raw json.RawMessage) error {
	if json.Unmarshal(raw, &in.count) == nil {
		return nil
	}
	return decodeAt(name+".", raw, in)
}

func (in *limitInput) fields() []field {
	return []field{{name: "offset", to: &in.offset}, {name: "count", to: &in.count}}
}

func (in *searchInput) call(ctx context.Context, s *session) (reply, error) {
	q, err := in.query(s)
	if err != nil {
		return reply{}, err
	}
	limit, err := in.maxTokens.value()
	if err != nil {
		return reply{}, err
	}
	a, err := s.Search(ctx, q)
	if err != nil {
		return reply{}, err
	}
	p := page{answer: a, limit: limit, view: wire.View{
		Offset: q.Offset, Now: s.server.Now(), Full: in.detail == "full", Preview: previewLength, Importance: s.Importance,
	}}
	if s.json {
		data, shown, err := p.data()
		return reply{data: data, meta: p.meta(shown), count: shown}, err
	}
	p.ids = engine.ShortIDs(s.Memories, a.IDs())
	if q.Filter.Projects == nil && s.scope.Project != "" {
		p.advice = ` project "*" searches all projects.`
	}
	text, shown := p.text()
	return reply{text: text, meta: p.meta(shown), count: shown}, nil
}

func (in *searchInput) query(s *session) (hippo.Query, error) {
	q := hippo.Query{
		Text: in.text, Situation: in.situation, Relevance: in.relevance.value(), Offset: in.limit.offset,
		Ranker: hippo.Ranker(in.ranker), When: in.when, Explain: in.explain,
		Filter: hippo.Filter{
			Tags: in.filter.tags, Types: in.filter.kinds, Author: in.filter.author, Session: in.filter.session, Pinned: in.filter.pinned,
		},
	}
	f := &q.Filter
	if err := s.times([]moment{in.filter.createdAfter, in.filter.createdBefore, in.filter.asOf}, &f.CreatedAfter, &f.CreatedBefore, &f.ValidAt); err != nil {
		return q, err
	}
	if in.offset != nil {
		q.Offset = *in.offset
	}
	if in.limit.count != nil {
		q.Count = *in.limit.count
		if q.Count == 0 {
			return q, hippo.Fieldf("limit.count", "must be between 1 and %d, got 0", hippo.MaxCount)
		}
	}
	switch in.filter.project {
	case "": // that of the scope
	case hippo.AllProjects, "all":
		q.Filter.Projects = []string{hippo.AllProjects}
	case "current":
		q.Filter.Projects = []string{s.scope.Project, ""}
	case "none":
		q.Filter.Projects = []string{""}
	default:
		q.Filter.Projects = []string{in.filter.project}
	}
	if from, to := q.Filter.CreatedAfter, q.Filter.CreatedBefore; !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return q, hippo.Fieldf("created_before", "must be after created_after")
	}
	return q, oneOf("detail", in.detail, "compact", "full")
}
