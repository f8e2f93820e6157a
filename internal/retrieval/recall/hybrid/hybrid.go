// Package hybrid is a ranker of its own, which is optional: reciprocal rank fusion of lexical
// and semantic search chooses seeds, personalised PageRank walks from them over the graph of
// memories and what they mention, and the relevance is a weighted mean of the three scores,
// each normalised over the candidates.
//
// The graph is not kept: each search grows the part of it around its seeds from the postings
// of the index.
package hybrid

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Reader is what the ranker needs of a result beside [retrieve.Reader].
type Reader interface {
	retrieve.Reader
	// Mentions returns the documents that have all terms of a text; more: there are more
	// than limit, and none is returned. Situated is the same for a situation element.
	Mentions(text string, limit int) (docs []retrieve.Doc, more bool)
	Situated(element string, limit int) (docs []retrieve.Doc, more bool)
	// Situation returns the situation elements of a document.
	Situation(doc retrieve.Doc) []string
}

// Ranker implements [recall.Hybrid]. It is safe for concurrent use.
type Ranker struct {
	weights   Weights
	relations recall.Relations
	mentions  *mentions
	now       func() time.Time
}

var _ recall.Hybrid = (*Ranker)(nil)

// Texts reads the contents of memories.
type Texts interface {
	Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error)
}

// New returns a Ranker. textKey is [retrieve.Details.Text] of a
// memory.
func New(w Weights, texts Texts, textKey func(*hippo.Memory) uint64, relations recall.Relations, now func() time.Time) *Ranker {
	return &Ranker{weights: w, relations: relations, mentions: newMentions(texts, textKey), now: now}
}

// relationsEach is how many relations of a seed are walked.
const relationsEach = 8

// Rank implements [recall.Hybrid].
func (r *Ranker) Rank(ctx context.Context, found *retrieve.Result, q *retrieve.Query, near func(float64) bool) ([]recall.GraphHit, error) {
	reader, ok := found.Reader.(Reader)
	if !ok {
		return nil, fmt.Errorf("ranker hybrid over this index: %w", hippo.ErrUnsupported)
	}
	u := newUnion(&r.weights, reader, found)
	seeds := u.seeds()
	if len(seeds) > 0 {
		g := newGrowth(reader, &r.weights)
		if err := r.grow(ctx, g, seeds, q); err != nil {
			return nil, err
		}
		at := r.now().UnixMicro()
		if t := q.Filter.ValidAt; !t.IsZero() {
			at = t.UnixMicro()
		}
		u.addGraph(g.walk(seeds, at))
	}
	return u.rank(near, q.Vectors[retrieve.Semantic].Values != nil), nil
}

// grow finds the graph around the seeds.
func (r *Ranker) grow(ctx context.Context, g *growth, seeds []seed, q *retrieve.Query) error {
	mentioned, err := r.mentions.of(ctx, seeds)
	if err != nil {
		return err
	}
	ids := make([]hippo.ID, len(seeds))
	for i, s := range seeds {
		ids[i] = s.key.id
	}
	// Relations of all times: each edge says when it holds.
	if g.relations, err = r.relations.Relations(ctx, q.Scope, ids, time.Time{}, relationsEach); err != nil {
		return err
	}
	g.mention(mentionsOf(q.Text), seeds, mentioned)
	g.choose()
	g.reachAll(seeds)
	return nil
}

// union are the memories that are scored by all three: those in the lexical list, in the
// semantic one, and what the graph adds.
type union struct {
	weights *Weights
	reader  Reader
	found   *retrieve.Result
	members map[retrieve.Doc]*member
	// bm25 and cosine are the ranges of the union, for normalisation.
	bm25, cosine bounds
}

// member is a memory of the union.
type member struct {
	match     retrieve.Match
	graph     float64 // normalised
	graphRank int
	fused     float64 // reciprocal rank fusion over the two lists
}

// seed is a memory that the walk starts from.
type seed struct {
	doc    retrieve.Doc
	key    textKey
	weight float64
}

func newUnion(w *Weights, r Reader, found *retrieve.Result) *union {
	u := &union{weights: w, reader: r, found: found, members: make(map[retrieve.Doc]*member)}
	u.list(func(m *retrieve.Match) float64 { return m.Score })
	u.list(func(m *retrieve.Match) float64 { return m.Cosine })
	return u
}

// ranked is a match with what a list orders it by.
type ranked struct {
	retrieve.Key
	match *retrieve.Match
	by    float64
}

func inOrder(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.by, a.by), a.Compare(b.Key))
}

// list adds the best matches by one score, above 0, to the union.
func (u *union) list(score func(*retrieve.Match) float64) {
	best := top.New(u.weights.TopK, inOrder)
	for i := range u.found.Matches {
		m := &u.found.Matches[i]
		s := score(m)
		if b := best.Bound(); s <= 0 || b != nil && s < b.by {
			continue
		}
		best.Add(ranked{u.reader.Key(m.Doc), m, s})
	}
	for i, c := range best.Sorted() {
		x := u.members[c.match.Doc]
		if x == nil {
			x = &member{match: *c.match}
			u.members[c.match.Doc] = x
		}
		x.fused += 1 / (u.weights.K + float64(i+1))
	}
}

// seeds returns the best of the union by reciprocal rank fusion.
func (u *union) seeds() []seed {
	u.normalise()
	var all []ranked
	for _, x := range u.members {
		all = append(all, ranked{u.reader.Key(x.match.Doc), &x.match, x.fused})
	}
	slices.SortFunc(all, inOrder)
	var out []seed
	for _, c := range all[:min(len(all), u.weights.Seeds)] {
		doc := c.match.Doc
		weight := math.Pow(u.score(c.match, 0), u.weights.Walk.SeedPower)
		out = append(out, seed{doc, textKey{c.ID, u.reader.Details(doc).Text}, weight})
	}
	return out
}

// normalise finds the ranges of the union.
func (u *union) normalise() {
	u.bm25 = bounds{math.Inf(1), math.Inf(-1)}
	u.cosine = u.bm25
	for _, x := range u.members {
		u.bm25.include(x.match.Score)
		u.cosine.include(x.match.Cosine)
	}
}

// addGraph adds what the walk reached to the union, with its probabilities normalised.
func (u *union) addGraph(walk []reached) {
	for rank, r := range walk {
		x := u.members[r.doc]
		if x == nil {
			m, matched := u.found.Match(r.doc)
			if !matched {
				m, _ = u.reader.Admit(r.doc) // the walk stays within the filters
				m.Cosine = 0
			}
			x = &member{match: m}
			u.members[r.doc] = x
		}
		x.graph, x.graphRank = r.probability, rank+1
		if rank > 0 && r.probability == walk[rank-1].probability {
			x.graphRank = u.members[walk[rank-1].doc].graphRank
		}
	}
	if len(walk) == 0 {
		return
	}
	scale := bounds{0, walk[0].probability}
	for _, x := range u.members {
		x.graph = scale.share(x.graph)
	}
}

// rank scores the union by all three, with exact cosines, and the other matches by their lexical score and
// cosine on the same scales.
func (u *union) rank(near func(float64) bool, semantic bool) []recall.GraphHit {
	if semantic {
		for doc, x := range u.members {
			x.match.Cosine = u.reader.Cosine(doc)
		}
	}
	u.normalise()
	out := make([]recall.GraphHit, 0, len(u.members)+len(u.found.Matches))
	for _, x := range u.members {
		out = append(out, u.hit(x))
	}
	for _, m := range u.found.Matches {
		if u.members[m.Doc] != nil {
			continue
		}
		if semantic && near(u.score(&m, 0)) {
			m.Cosine = u.reader.Cosine(m.Doc)
		}
		out = append(out, u.hit(&member{match: m}))
	}
	return out
}

func (u *union) score(m *retrieve.Match, graph float64) float64 {
	return u.weights.fuse(u.cosine.share(m.Cosine), u.bm25.share(m.Score), graph)
}

func (u *union) hit(x *member) recall.GraphHit {
	return recall.GraphHit{Match: x.match, Relevance: u.score(&x.match, x.graph), GraphRank: x.graphRank, Terms: []hippo.Contribution{
		{Feature: "cosine", Value: u.cosine.share(x.match.Cosine), Weight: u.weights.Cosine},
		{Feature: "bm25", Value: u.bm25.share(x.match.Score), Weight: u.weights.BM25},
		{Feature: "graph", Value: x.graph, Weight: u.weights.Graph},
	}}
}

// bounds is a range that numbers are normalised to.
type bounds struct{ min, max float64 }

func (b *bounds) include(x float64) { b.min, b.max = min(b.min, x), max(b.max, x) }

// share returns where x lies in the range, in [0, 1]; in an empty range, all that is above 0
// is 1.
func (b *bounds) share(x float64) float64 {
	switch {
	case x <= 0 || x < b.min:
		return 0
	case x >= b.max:
		return 1
	default:
		return (x - b.min) / (b.max - b.min)
	}
}
