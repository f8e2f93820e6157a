package recall

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// judgedHits is the number of hits that the confidence depends on.
	judgedHits = 10
	// namedUnknown is the number of unknown words that a reason lists.
	namedUnknown = 3
)

// judge computes the confidence of the answer, and says why it is weak if it is. Nothing is
// withheld: what a weak answer has may be right.
func judge(p *Plan, found *retrieve.Result, r reranked, in ranking) *Ranking {
	out := newRanking(p, found, r, in)
	if p.ranker != hippo.RankerHippo || p.search.Text == "" || len(in.hits) == 0 {
		return out
	}
	s := support(p, found, r, in.hits)
	out.Confidence = rank.ConfidenceOf(p.weights, &s)
	if p.explain {
		out.Support = s.Map()
	}
	if rank.Weak(p.weights, &s) {
		out.Weak = reason(p, out.Confidence, unknownWords(found.Vocabulary, r.words))
	}
	return out
}

// support computes the features of the confidence.
func support(p *Plan, found *retrieve.Result, r reranked, hits []hit) rank.Support {
	s := rank.Support{Terms: found.Terms, Memories: found.Memories, UnknownNames: unknownNames(found.Vocabulary, r.words)}
	if r.passages != nil {
		s.Margin, s.Semantic = rank.Margin(r.sums()), p.semantic()
	}
	for i := range firstOf(hits, judgedHits) {
		h := &hits[i]
		s.Coverage = max(s.Coverage, h.signals.Coverage)
		if x := r.of(h.match.Doc); x != nil {
			f := &x.features
			s.Cosine, s.Multilingual, s.Lead = max(s.Cosine, f[rank.Cosine]), max(s.Multilingual, f[rank.Multilingual]), max(s.Lead, f[rank.CosineStandard])
			s.Tokens = max(s.Tokens, f[rank.MaxSimIDF])
		}
	}
	return s
}

// sums are the weighted sums of the candidates.
func (r *reranked) sums() []float64 {
	out := make([]float64, r.top)
	for i := range out {
		out[i] = r.list[i].sum()
	}
	return out
}

// unknownNames is the share, weighted by idf, of the words of a query that are written like
// names and occur in no memory.
func unknownNames(v retrieve.Vocabulary, words []word) float64 {
	names := 0
	var all, unknown float64
	for i, w := range words {
		all += w.idf
		if i == 0 || !capitalised(w.text) { // the first word of a sentence is written like a name
			continue
		}
		names++
		if v.Unknown(w.text) {
			unknown += w.idf
		}
	}
	// Where most of the others have capitals, they mark no names.
	if all == 0 || 2*names > len(words)-1 {
		return 0
	}
	return unknown / all
}

func capitalised(word string) bool {
	c, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(c)
}

// unknownWords returns the words of a query that no memory has, typos apart.
func unknownWords(v retrieve.Vocabulary, query []word) (words []string) {
	for _, w := range query {
		if v.Unknown(w.text) && !v.Misspelt(w.text) && !slices.Contains(words, w.text) {
			words = append(words, w.text)
		}
	}
	return words
}

// reason explains why an answer is weak.
func reason(p *Plan, confidence float64, unknown []string) string {
	text := fmt.Sprintf("confidence %.2f", confidence)
	if len(unknown) > 0 {
		which := "no memory"
		if p.search.Filter.Projects != nil {
			which = "no memory of this project"
		}
		text += "; " + which + " mentions " + strings.Join(firstOf(unknown, namedUnknown), ", ")
	}
	return text
}

// newRanking returns the outcome of a search, with explanations if the query asks for them.
func newRanking(p *Plan, found *retrieve.Result, r reranked, in ranking) *Ranking {
	out := &Ranking{
		Hits: make([]Hit, len(in.hits)), Total: in.tally.total, Distribution: in.tally.distribution,
		Day: p.search.Day, Degraded: p.degraded,
	}
	if p.search.Text == "" {
		out.Span = p.span
	}
	for i := range in.hits {
		h := &in.hits[i]
		out.Hits[i] = Hit{ID: h.ID, Relevance: h.relevance, Signals: h.signals, Via: h.via, Passage: h.match.Passage, Same: sameAs(found, h.match.Doc)}
	}
	out.explain(p, found, r, in.hits)
	return out
}
