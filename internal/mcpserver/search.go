package mcpserver

import (
	"context"
	"encoding/json"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/wire"
)

const searchSchema = `{"type":"object","additionalProperties":false,"properties":{
"query":{"type":"string","default":"","description":"what to look for, in plain words; empty: everything"},
"situation_filter":{"type":"array","items":{"type":"string"},"description":"only insights for any of these situations"},
"relevance_range":{"type":"object","properties":{"min":{"type":"number"},"max":{"type":["number","null"]}},"description":"min 0: also what is unlikely to answer"},
"limit":{"type":"object","properties":{"offset":{"type":"integer","minimum":0,"default":0},"count":{"type":"integer","minimum":1,"maximum":1000,"default":10}}},
"tags":{"type":"array","items":{"type":"string"},"description":"all of them"},
"type":{"type":"array","items":{"type":"string"},"description":"any of them"},
"project":{"type":"string","description":"a project, or * for all; default: the current one and what belongs to none"},
"author":{"type":"string"},
"session":{"type":"string"},
"when":{"type":"string","description":"time it is about: last week, since 1 May, 2026-01-01..2026-02-01, 3d"},
"created_after":{"type":"string","description":"2026-03-01, yesterday, 3d"},
"created_before":{"type":"string"},
"as_of":{"type":"string","description":"only what held at this time"},
"pinned":{"type":"boolean"},
"ranker":{"type":"string","enum":["hippo","insight","hybrid","cosine","bm25"],"description":"insight: by use, votes and situation only"},
"detail":{"type":"string","enum":["compact","full"],"default":"compact"},
"explain":{"type":"boolean"}}}`

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
	filter         filterInput
	when           string
	ranker, detail string
	explain        bool
}

func (in *searchInput) fields() []field {
	return []field{
		{name: "query", to: &in.text},
		{name: "situation_filter", alias: "context_filter", to: &in.situation},
		{name: "relevance_range", alias: "score_range", to: &in.relevance},
		{name: "limit", to: &in.limit},
		{name: "tags", to: &in.filter.tags},
		{name: "type", to: &in.filter.kinds},
		{name: "project", to: &in.filter.project},
		{name: "author", to: &in.filter.author},
		{name: "session", to: &in.filter.session},
		{name: "when", to: &in.when},
		{name: "created_after", to: &in.filter.createdAfter},
		{name: "created_before", to: &in.filter.createdBefore},
		{name: "as_of", to: &in.filter.asOf},
		{name: "pinned", to: &in.filter.pinned},
		{name: "ranker", to: &in.ranker},
		{name: "detail", to: &in.detail},
		{name: "explain", to: &in.explain},
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

// limitInput is a page.
type limitInput struct {
	offset int
	count  *int
}

func (in *limitInput) fields() []field {
	return []field{{name: "offset", to: &in.offset}, {name: "count", to: &in.count}}
}

func (in *searchInput) call(ctx context.Context, s *session) (reply, error) {
	q, err := in.query(s)
	if err != nil {
		return reply{}, err
	}
	a, err := s.Search(ctx, q)
	if err != nil {
		return reply{}, err
	}
	v := wire.View{Offset: q.Offset, Now: s.server.Now(), Full: in.detail == "full", Importance: s.Importance}
	data, err := v.Answer(a)
	if err != nil {
		return reply{}, err
	}
	text := textOf(a, &v, data, engine.ShortIDs(s.Memories, a.IDs()))
	if a.Total == 0 && q.Filter.Projects == nil && s.scope.Project != "" {
		text += ` project "*" searches all projects.`
	}
	return reply{text: text, data: data, count: len(a.Hits)}, nil
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
