package recall

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// similarBytes bounds the part of a text that is the query for similar ones: its
	// similarWords words of the highest idf, which are the fastest to look up.
	similarBytes, similarWords = 1000, 12
	// maxSimilar is how many are returned.
	maxSimilar = 16
	// Those after the first minSimilar must have minSimilarShare of the maximum score, some
	// 15 % of the score of the text itself, which need not be stored. It is low, because the
	// value in which two texts differ has a high idf.
	minSimilar, minSimilarShare = 10, .07
)

// Similar is a memory that is similar to another one.
type Similar struct {
	ID hippo.ID
	// Cosine is that of their vectors, if the memory is one of the nearest; else 0.
	Cosine float64
}

const (
	// maxNearest is how many of the similar ones are found by their vectors.
	maxNearest = 1
	// minNearest is the cosine that they must have.
	minNearest = .3
)

// Similar returns the live memories of the project of a claim that have most words in common with
// it and no successor, the best first; if a word of it speaks of a change, also those whose vectors are the nearest. If it has no
// sentence that [Searcher.Revised] could compare, they are only those with its content.
func (s *Searcher) Similar(ctx context.Context, scope hippo.Scope, c Claim) ([]Similar, error) {
	m := c.Memory
	q := retrieve.Query{Scope: scope, Filter: hippo.Filter{Projects: scope.Names(m.Project)}, Insights: true}
	everything, err := s.index.Search(ctx, &retrieve.Query{Scope: scope, Filter: hippo.Filter{Projects: []string{}}})
	if err != nil {
		return nil, err
	}
	q.Text = rarestWords(everything.Vocabulary, m.Content[:min(len(m.Content), similarBytes)])
	everything.Close()
	if q.Text == "" {
		return nil, nil
	}
	if !c.Empty() && c.statement.Changes() && s.instant != nil {
		if v := s.instant(ctx, m.Content); v.Values != nil {
			q.Vectors[retrieve.Semantic] = retrieve.Vector{Values: v.Values, Model: v.Model, TopK: similarNearest, MinCosine: minNearest}
		}
	}
	found, err := s.index.Search(ctx, &q)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	return similarOf(found, m, !c.Empty()), nil
}

// similarNearest is how many are looked at for the nearest: some are superseded.
const similarNearest = 8

// similarOf picks those of the matches that [Searcher.Similar] returns.
func similarOf(found *retrieve.Result, m *hippo.Memory, revises bool) []Similar {
	best := top.New(maxSimilar+1, better) // it may match itself, too
	nearest := top.New(maxNearest, better)
	hash := binary.BigEndian.Uint64(m.ContentHash[:])
	for _, match := range found.Matches {
		bound := best.Bound()
		low := bound != nil && match.Score < bound.relevance
		if low && match.Cosine < minNearest || !revises && found.Reader.Details(match.Doc).ContentHash != hash || found.Reader.Row(match.Doc).Superseded {
			continue
		}
		key := found.Reader.Key(match.Doc)
		if key.ID == m.ID {
			continue
		}
		if !low && match.Score > 0 {
			best.Add(candidate{key, match, match.Score})
		}
		if match.Cosine >= minNearest {
			nearest.Add(candidate{key, match, match.Cosine})
		}
	}
	var out []Similar
	for _, c := range best.Sorted() {
		if len(out) < minSimilar || c.relevance >= minSimilarShare*found.MaxScore {
			out = append(out, Similar{ID: c.ID})
		}
	}
	for _, c := range nearest.Sorted() {
		i := slices.IndexFunc(out, func(x Similar) bool { return x.ID == c.ID })
		if i < 0 {
			i, out = len(out), append(out, Similar{ID: c.ID})
		}
		out[i].Cosine = c.relevance
	}
	return out
}

// rarestWords returns the words of a text that the fewest memories have.
func rarestWords(v retrieve.Vocabulary, text string) string {
	idf := make(map[string]float64)
	var words []string
	for w := range wordsIn(text) {
		if _, ok := idf[w]; !ok {
			idf[w] = v.IDF(w)
			words = append(words, w)
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(idf[b], idf[a]) })
	return strings.Join(firstOf(words, similarWords), " ")
}

// changed is the reason where the texts do not differ in one place.
const changed = "the newer one says it otherwise"

// renews reports whether [renewed] may change the order of hits.
func renews(p *Plan) bool {
	return p.ranker == hippo.RankerHippo && p.search.Text != "" && !pastOf(p).former() && !p.temporal.named
}

// conflictHits is how many hits of a page are compared with each other.
const conflictHits = 20

// Compare compares the first hits of a page with each other, as of a time. It returns the hits with those that change a value of an older
// one right before that, and the pairs of them that seem to contradict each other, at most five. project returns the name to use of a
// project, which a memory may have by a former one. Cost: some 20 us a hit, next to nothing for one that an earlier search found.
func (s *Searcher) Compare(p *Plan, r *Ranking, hits []hippo.Hit, project func(name string) string, at time.Time) ([]hippo.Hit, []hippo.Conflict) {
	claims := make([]Claim, 0, conflictHits)
	for _, h := range firstOf(hits, conflictHits) {
		c := s.claims.of(h.Memory)
		c.project = project(c.project)
		claims = append(claims, c)
	}
	pairs := conflicts(claims, at)
	return renewed(p, r, claims, pairs, hits, at), firstOf(pairs, maxConflicts)
}

// similarities are the cosines of hits with each other, 0 of each with itself. Cost: 10 us for 20.
func similarities(r retrieve.Reader, hits []Hit) [][]float32 {
	docs, out := make([]retrieve.Doc, len(hits)), make([][]float32, len(hits))
	for i, h := range hits {
		out[i], docs[i] = make([]float32, len(hits)), retrieve.None
		if doc, ok := r.Find(h.ID); ok {
			docs[i] = doc
		}
		for k := range i {
			if docs[i] != retrieve.None && docs[k] != retrieve.None {
				out[i][k] = float32(r.Similarity(docs[i], docs[k]))
				out[k][i] = out[i][k]
			}
		}
	}
	return out
}

// renewed returns the hits with those that change a value of an older one right before that, with its relevance. Hits that do not
// hold at the time, those that are less than half as relevant as the first, and older ones that speak of a change themselves stay where
// they are. all are the claims of the first hits, and pairs their [conflicts].
func renewed(p *Plan, r *Ranking, all []Claim, pairs []hippo.Conflict, hits []hippo.Hit, at time.Time) []hippo.Hit {
	if !renews(p) || len(hits) < 2 {
		return hits
	}
	out, claims := slices.Clone(hits), slices.Clone(all)
	if n := slices.IndexFunc(hits[:len(claims)], func(h hippo.Hit) bool {
		return h.Relevance < hits[0].Relevance*renewing || h.Memory.StateAt(at) != hippo.Holds
	}); n >= 0 {
		claims = claims[:n]
	}
	for k := 1; k < len(claims); k++ {
		for i := range k {
			older, newer := &out[i], &out[k]
			if !older.Memory.When().Before(newer.Memory.When()) ||
				!conflicting(pairs, older.Memory.ID, newer.Memory.ID) && !claims[i].changedBy(claims[k], likenessOf(r, older, newer)) {
				continue
			}
			moved, c := *newer, claims[k]
			moved.Relevance = older.Relevance
			out, claims = slices.Insert(slices.Delete(out, k, k+1), i, moved), slices.Insert(slices.Delete(claims, k, k+1), i, c)
			break
		}
	}
	return out
}

const (
	// renewedFrom is the cosine of two hits from which it is a sign that they speak of one thing, and nearestFrom the same for hits
	// of which each is the most similar to the other. Right answers lost their place to notes on other things that speak of a
	// change where the former was lower: hit@1 of team fell from .82 to .75 at .35.
	renewedFrom, nearestFrom = .5, .3
	// answering is the share of the relevance of an older hit from which on a newer one answers the question about as well.
	answering = .65
)

// likenessOf returns what the ranking knows of whether two hits speak of one thing.
func likenessOf(r *Ranking, older, newer *hippo.Hit) contradict.Likeness {
	i, k := r.first(older.Memory.ID), r.first(newer.Memory.ID)
	if i < 0 || k < 0 {
		return contradict.Likeness{}
	}
	nearest := func(of int) int { return slices.Index(r.Cosines[of], slices.Max(r.Cosines[of])) }
	cosine := float64(r.Cosines[i][k])
	if cosine < nearestFrom || cosine < renewedFrom && (nearest(i) != k || nearest(k) != i) {
		return contradict.Likeness{}
	}
	return contradict.Likeness{Cosine: max(cosine, renewedFrom), Answer: newer.Relevance >= answering*older.Relevance}
}

// conflicting reports whether two memories are one of the pairs.
func conflicting(pairs []hippo.Conflict, a, b hippo.ID) bool {
	return slices.ContainsFunc(pairs, func(c hippo.Conflict) bool { return c.A == a && c.B == b || c.A == b && c.B == a })
}

// changedBy reports whether a newer claim of the same topic, as alike as that, probably changes a value of c in other words.
func (c Claim) changedBy(newer Claim, l contradict.Likeness) bool {
	return sameTopic(c, newer) && c.short() && newer.short() && newer.saysAsMuch(c) && !c.statement.Changes() && c.statement.ChangedBy(newer.statement, l)
}

// shortStatement is the number of characters from which on a text is no single statement that another one may change. Turns of
// conversations and decisions with their reasons lost their place to remarks on them: with 160 instead of any length, hit@1 of BEAM
// is .615 and not .552, and that of LoCoMo .512 and not .476.
const shortStatement = 160

// short reports whether a claim is a single statement.
func (c Claim) short() bool { return utf8.RuneCountInString(c.Memory.Content) < shortStatement }

// saysAsMuch reports whether a claim is at least half as long as an older one: a remark on a decision is no new decision.
func (c Claim) saysAsMuch(older Claim) bool {
	return 2*len(c.Memory.Content) >= len(older.Memory.Content)
}

// renewing is the share of the relevance of the first hit from which on a hit may be put before an older one.
const renewing = .5

// maxReworded is how many of the most similar memories are compared as statements, beside the nearest: what is changed has half of the
// words.
const maxReworded = 8

// Revised returns the memories that one with a claim probably supersedes: they are valid when it begins, and
// give the same fact another value. others are the most similar first; cosine is [Similar].Cosine of each.
func (s *Searcher) Revised(c Claim, others []*hippo.Memory, cosine func(hippo.ID) float64) []api.Contradiction {
	var out []api.Contradiction
	for i, o := range others {
		if o.ContentHash == c.Memory.ContentHash || !o.ValidAt(beginOf(c.Memory)) {
			continue
		}
		older := s.claims.of(o)
		if reason, ok := older.text.Revised(c.text); ok {
			out = append(out, api.Contradiction{Memory: o, Reason: string(reason)})
		} else if similarity := cosine(o.ID); (i < maxReworded || similarity > 0) && older.statement.ChangedBy(c.statement, contradict.Likeness{Cosine: similarity}) {
			out = append(out, api.Contradiction{Memory: o, Reason: changed})
		}
	}
	return out
}

// maxConflicts is how many pairs an answer names.
const maxConflicts = 5

// conflicts returns the pairs of claims that hold at a time, for the same project,
// and seem to contradict each other. Statements of different authors are not compared.
func conflicts(claims []Claim, at time.Time) (pairs []hippo.Conflict) {
	sides := slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return !c.Memory.SupersededBy.IsZero() || !c.Memory.ValidAt(at) })
	slices.SortStableFunc(sides, Claim.Compare)
	for i, a := range sides {
		for _, b := range sides[i+1:] {
			if reason, ok := a.Contradicts(b); ok {
				pairs = append(pairs, hippo.Conflict{A: a.Memory.ID, B: b.Memory.ID, Reason: reason})
			}
		}
	}
	return pairs
}
