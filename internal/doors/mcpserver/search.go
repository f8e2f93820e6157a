package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/verb"
)

const searchSchema = `{"type":"object","properties":{
"query":{"type":"string"},
"situation_filter":{"type":"array","items":{"type":"string"},"description":"preferred; strict: no others"},
"strict":{"type":"boolean"},
"limit":{"type":"integer","default":10},
"offset":{"type":"integer"},
"tags":{"type":"array","items":{"type":"string"}},
"type":{"type":"array","items":{"type":"string"}},
"project":{"type":"string","description":"default: current and none; * all"},
"when":{"type":"string","description":"last week, since 1 May, 3d"},
"as_of":{"type":"string"},
"detail":{"type":"string","enum":["compact","full"]},
"max_tokens":{"type":"integer","default":1200}}}`

type searchInput struct {
	verb.Search
	text      words
	relevance rangeInput
	limit     limitInput
	offset    *int
	project   string
	sources   texts
	detail    keyword
	maxTokens tokenLimit
}

func (in *searchInput) fields() []field {
	return slices.Concat([]field{
		{name: "query", also: "q text search question", to: &in.text},
		{name: "limit", also: "count top_k k n n_results num_results max_results", to: &in.limit, count: true},
		{name: "offset", to: &in.offset},
		{name: "relevance_range", also: "score_range", to: &in.relevance, unlisted: true},
		{name: "min_relevance", also: "min_score threshold", to: &minRelevance{&in.relevance}, unlisted: true},
	}, fieldsOf(in.Args()), []field{
		{name: "project", to: &in.project},
		{name: "detail", to: &in.detail},
		{name: "max_tokens", to: &in.maxTokens.given, count: true},
		{name: "sources", also: "source", to: &in.sources, unlisted: true},
	})
}

// rangeInput is a range of relevance. A range that is given without min begins at
// 0.1, the floor of the original program.
type rangeInput struct {
	given    bool
	min, max *float64
}

// set implements [setter]: an empty object is a range, too, and so is a list of min and max.
func (in *rangeInput) set(name string, raw json.RawMessage) error {
	in.given = true
	var pair []float64
	if json.Unmarshal(raw, &pair) == nil && len(pair) == 2 {
		in.min, in.max = &pair[0], &pair[1]
		return nil
	}
	return decodeAt(name+".", plain(raw, input(in)), in)
}

// minRelevance is the lower end of a range of relevance, as an argument of its own.
type minRelevance struct{ to *rangeInput }

// set implements [setter].
func (m *minRelevance) set(name string, raw json.RawMessage) error {
	m.to.given = true
	return set(name, raw, &m.to.min)
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
	raw = plain(raw, input(in))
	if json.Unmarshal(plain(raw, &in.count), &in.count) == nil {
		return nil
	}
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return misshapen(name, "must be a whole number, or {\"offset\":0,\"count\":10}, got %.40s", raw)
	}
	return decodeAt(name+".", raw, in)
}

func (in *limitInput) fields() []field {
	return []field{{name: "offset", to: &in.offset}, {name: "count", also: "limit top_k n", to: &in.count, count: true}}
}

func (in *searchInput) call(ctx context.Context, s *session) (reply, error) {
	q, err := in.query(s)
	if err != nil {
		return reply{}, err
	}
	if in.project != "" {
		if q.Filter.Projects, err = engine.ResolveProject(ctx, s.Memories, in.project); err != nil {
			return reply{}, err
		}
	}
	limit, err := in.maxTokens.value(s.json)
	if err != nil {
		return reply{}, err
	}
	asked, err := sources.Parse(in.sources)
	if err != nil {
		return reply{}, err
	}
	if asked.HasCode() {
		return in.callSources(ctx, s, asked, q, limit)
	}
	a, err := s.Search(ctx, q)
	if err != nil {
		return reply{}, err
	}
	p := in.page(s, a, &q, limit)
	if s.json {
		data, shown, err := p.data()
		s.conversation.showed(q.Text, a.IDs()[:shown])
		return reply{data: data, meta: p.meta(shown), count: shown}, err
	}
	p.ids = engine.ShortIDs(s.Memories, a.Named())
	if q.Filter.Projects == nil && s.scope.Project != "" {
		p.advice = ` project "*" searches all projects.`
	}
	text, shown := p.text()
	s.conversation.showed(q.Text, a.IDs()[:shown])
	return reply{text: text, meta: p.meta(shown), count: shown}, nil
}

// page returns an answer as the caller wants to see it.
func (in *searchInput) page(s *session, a *hippo.Answer, q *hippo.Query, limit int) page {
	return page{answer: a, limit: limit, files: s.files(hippo.Moment{KnownAt: q.Filter.KnownAt, ValidAt: q.Filter.ValidAt}), view: wire.View{
		Offset: q.Offset, Now: s.now(), Full: in.detail == "full", Preview: previewLength, Importance: s.Importance,
	}}
}

func (in *searchInput) query(s *session) (hippo.Query, error) {
	q, err := in.Query(s.now())
	if err != nil {
		return q, err
	}
	q.Text, q.Relevance, q.Offset, q.NoDistribution = string(in.text), in.relevance.value(), in.limit.offset, !s.json
	if in.offset != nil {
		q.Offset = *in.offset
	}
	if in.limit.count != nil {
		q.Count = *in.limit.count
	}
	return q, oneOf("detail", string(in.detail), "compact", "full")
}
