package recall

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Plan is what a query asks for, in the terms of the pipeline.
type Plan struct {
	*model
	asked
	relevance rank.Func
	search    retrieve.Query
	clock     rank.Clock
	temporal  temporal
	about     about
	within    limits
	keep      int
	// rerank: the best candidates are reranked.
	rerank   bool
	explain  bool
	degraded []string
}

// asked is the order that a query asks for.
type asked struct {
	ranker hippo.Ranker
	mode   hippo.Mode // of ranker surprise
	hits   int        // on all pages up to the one that is asked for
	// ranged: the query sets a range of relevance.
	ranged bool
	// undistributed: the answer needs the total of the matches, but not their distribution.
	undistributed bool
	// each: memories that say the same are hits of their own.
	each bool
	// behind: archived memories take part, behind what is comparably relevant.
	behind bool
	span   when.Span // the time that the text names, if any
	// meaning is the text as a model of the channel [retrieve.Semantic] embedded it.
	meaning Embedded
}

// surprising reports whether ranker surprise answers.
func (p *Plan) surprising() bool { return p.ranker == hippo.RankerSurprise }

// hybrid reports whether ranker hybrid answers.
func (p *Plan) hybrid() bool { return p.ranker == hippo.RankerHybrid && p.search.Text != "" }

// Plan reads a valid query: its subject, its ranker, its range, its filters and its time. The error is a
// [*hippo.FieldError] for a time that cannot be read, or [hippo.ErrUnsupported] for a ranker
// that is not there.
func (s *Searcher) Plan(scope hippo.Scope, query *hippo.Query) (*Plan, error) {
	now := s.now()
	q, named, err := subjectOf(query, now)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		model: &s.model, asked: asked{ranker: q.Ranker, mode: q.Mode, hits: min(q.Offset+q.Count, hippo.MaxIDs), span: named, each: q.Each}, relevance: rank.For(q.Ranker),
		within: limits{Min: rank.MinRelevance(s.model.weights, q.Ranker), Max: math.Inf(1)}, keep: keep(q.Offset, q.Count),
		rerank:  q.Ranker == hippo.RankerHippo && q.Text != "" && s.model.tokens != nil,
		explain: q.Explain,
		search:  retrieve.Query{Scope: scope, Text: q.Text, Filter: q.Filter, Insights: true, Situation: retrieve.Situation{Elements: q.Situation}},
	}
	if q.Ranker == hippo.RankerHippo && q.Text != "" && !q.Filter.Archived {
		p.behind, p.search.Filter.Archived = true, true
	}
	p.search.Situation.Prefer = q.Ranker == hippo.RankerHippo && query.Text != "" && !q.Strict
	if q.Relevance != nil {
		p.within, p.ranged = limits(*q.Relevance), true
	}
	if p.hybrid() && s.hybrid == nil {
		return nil, fmt.Errorf("ranker hybrid: %w", hippo.ErrUnsupported)
	}
	p.undistributed = q.NoDistribution && p.rerank && p.within.open()
	p.candidates()
	if !named.IsZero() {
		p.temporal = temporalOf(named, now)
	}
	p.about = aboutOf(p, now)
	return p, nil
}

// CountElsewhere makes the search count what other projects have.
func (p *Plan) CountElsewhere() { p.search.Elsewhere = true }

// keep is how many hits a search for a page has to keep.
func keep(offset, count int) int {
	const minKept, limit = 100, math.MaxInt / 2 // more can be added to limit
	return max(min(offset+count, limit), minKept)
}

// embedded returns the plan with the vectors of the query, as of an active day.
func (p *Plan) embedded(ctx context.Context, e Embedder, day hippo.Day) (*Plan, error) {
	text := p.search.Text
	if p.ranker == hippo.RankerBM25 {
		text = ""
	}
	vectors, err := e.Query(ctx, &p.search.Scope, text, p.search.Situation.Elements)
	if err != nil {
		return nil, err
	}
	out := *p
	out.clock, out.search.Day, out.degraded = p.decay.At(day), day, vectors.Degraded
	if p.ranker == hippo.RankerCosine && vectors.Text[retrieve.Semantic].Values == nil && len(vectors.Degraded) == 0 {
		out.degraded = []string{"semantic search: no model is in use, and ranker cosine needs one"}
	}
	s := &out.search
	s.Situation.Vectors, s.Situation.Model = vectors.Situation, vectors.SituationModel
	out.meaning = vectors.Text[retrieve.Semantic]
	for c := range s.Vectors {
		v := &vectors.Text[c]
		s.Vectors[c].Values, s.Vectors[c].Model, s.Vectors[c].Partial = v.Values, v.Model, v.Partial
	}
	if p.ranker != hippo.RankerHippo { // the others are defined by one cosine
		s.Vectors[retrieve.Multilingual].Values = nil
	}
	return &out, nil
}

// candidates sets which memories match because of their vectors.
func (p *Plan) candidates() {
	v := &p.search.Vectors[retrieve.Semantic]
	switch p.ranker {
	case hippo.RankerInsight: // content only filters
		p.search.Substring, v.TopK, v.MinCosine = true, math.MaxInt, p.weights.Insight.MinContent
	case hippo.RankerCosine, hippo.RankerSurprise:
		v.TopK, v.MinCosine = math.MaxInt, 0
	default:
		w, other := &p.weights.FirstStage, &p.search.Vectors[retrieve.Multilingual]
		v.TopK, v.MinCosine = w.TopK, w.MinCosine
		other.TopK, other.MinCosine = w.TopK, w.MinMultilingual
	}
	instant := &p.search.Vectors[retrieve.Instant]
	instant.TopK, instant.MinCosine = v.TopK, v.MinCosine
}

// semantic reports whether the query has a vector of the model in use.
func (p *Plan) semantic() bool { return p.search.Vectors[retrieve.Semantic].Values != nil }

// temporal is the time that the text of a query names. The zero value names none.
type temporal struct {
	named bool
	// from and until are in microseconds since 1970; scale is the distance from them at
	// which the fit falls to 1/e.
	from, until int64
	scale       float64
}

// temporalOf returns the temporal constraint of a span. Outside of it the fit decays with the
// distance in units of the length of the span, at least an hour. The length of an open span is
// the distance of its end from now.
func temporalOf(s when.Span, now time.Time) temporal {
	t := temporal{named: true, from: math.MinInt64, until: math.MaxInt64}
	a, b := now.UnixMicro(), now.UnixMicro()
	if !s.From.IsZero() {
		a = s.From.UnixMicro()
		t.from = a
	}
	if !s.Until.IsZero() {
		b = s.Until.UnixMicro()
		t.until = b
	}
	t.scale = max(math.Abs(float64(b-a)), float64(time.Hour.Microseconds()))
	return t
}

// fit is how well the time of a memory fits, in [0, 1]: 1 within the span, exp(-distance /
// scale) outside of it, and 1 if no time is named.
func (t *temporal) fit(at int64) float64 {
	if !t.named {
		return 1
	}
	return math.Exp(-max(0, float64(t.from)-float64(at), float64(at)-float64(t.until)) / t.scale)
}

// limits is the range that the relevance of a hit must be in.
type limits hippo.Range

func (l limits) has(relevance float64) bool { return relevance >= l.Min && relevance <= l.Max }

// open reports whether every relevance is in the range.
func (l limits) open() bool { return l.Min <= 0 && l.Max >= 1 }

// near reports whether a relevance by an approximate cosine may be on the other side of a
// limit by the exact one.
func (l limits) near(relevance float64) bool {
	const approximate = .02 // the maximum error of a scan of package vector
	return l.Min > 0 && math.Abs(relevance-l.Min) < approximate || l.Max < 1 && math.Abs(relevance-l.Max) < approximate
}

// at is the time at which facts and relations must be valid.
func (p *Plan) at(now time.Time) time.Time {
	if t := p.search.Filter.ValidAt; !t.IsZero() {
		return t
	}
	return now
}

// past is which of the memories of a chain a query asks for.
type past uint8

const (
	present  past = iota // the newest: no word asks for a time
	current              // the newest: a word such as "now" asks for what holds
	previous             // what held before the newest
	earliest             // what held first
)

// former reports whether a query asks for another memory than the newest.
func (w past) former() bool { return w == previous || w == earliest }

// pastOf returns what a query asks for by its own words.
func pastOf(p *Plan) past {
	if p.ranker != hippo.RankerHippo {
		return present
	}
	switch wants := cue.Expected(p.search.Text); {
	case wants&(cue.AsksFormer|cue.AsksNow) == 0:
		return present
	case wants&cue.AsksFormer == 0:
		return current
	case wants&cue.AsksFirst != 0:
		return earliest
	default:
		return previous
	}
}

// about is the time that a query asks about, in microseconds since 1970: from, and until before; an instant if both are equal.
// any: it asks for what held once, so that nothing lies behind for having ended.
type about struct {
	from, until int64
	any         bool
}

// aboutOf returns the time of as_of, or that which the query names, or now.
func aboutOf(p *Plan, now time.Time) about {
	if p.temporal.named && p.search.Filter.ValidAt.IsZero() {
		return about{from: p.temporal.from, until: p.temporal.until}
	}
	at := p.at(now).UnixMicro()
	return about{at, at, pastOf(p).former()}
}

// holds reports whether what has these bounds holds at some time of those that are asked about.
func (a *about) holds(d *retrieve.Details) bool {
	return a.any || (d.ValidUntil == 0 || d.ValidUntil > a.from) && (d.ValidFrom <= a.from || d.ValidFrom < a.until)
}

// succeeding reports whether successors take the places of what they supersede.
func (p *Plan) succeeding() bool {
	return p.ranker == hippo.RankerHippo || p.ranker == hippo.RankerInsight
}

// firstOf returns the first n of a list, or all of it.
func firstOf[T any](list []T, n int) []T { return slices.Clip(list[:min(n, len(list))]) }

// wordsIn yields the runs of letters, marks and digits of a text.
func wordsIn(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
}

// indicator is 1 if ok is true, else 0.
func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
