package recall

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/retrieve"
)

const (
	// judgedHits is the number of hits that the confidence depends on, coveringHits that of
	// the hits whose tokens are compared with the query.
	judgedHits   = 10
	coveringHits = 5
	// maxTypos is the share of misspelt words among the terms of a query from which on the
	// answer is not withheld, because the other words say too little.
	maxTypos = .5
	// namedUnknown is the number of unknown words that a reason lists.
	namedUnknown = 3
)

// judge computes the confidence of the answer, and decides whether it is withheld.
func judge(p *Plan, found *retrieve.Result, r reranked, in ranking) *Ranking {
	out := newRanking(p, in)
	if p.ranker != hippo.RankerHippo || p.search.Text == "" || len(in.hits) == 0 {
		return out
	}
	s := support(p, found, r, in.hits)
	out.Confidence = rank.ConfidenceOf(p.weights, &s)
	if p.explain {
		out.Support = s.Map()
	}
	if !p.withhold || !rank.Abstains(p.weights, &s) {
		return out
	}
	unknown, typos := unknownWords(found.Vocabulary, r.words)
	if typos.count > 0 && float64(typos.count) >= maxTypos*float64(s.Terms) {
		return out
	}
	if rest := typos.without(s); !rank.Abstains(p.weights, &rest) {
		return out
	}
	out.Abstained = reason(in, unknown)
	out.Hits, out.Total = nil, 0
	return out
}

// support computes the features of the confidence.
func support(p *Plan, found *retrieve.Result, r reranked, hits []hit) rank.Support {
	s := rank.Support{Terms: found.Terms, Memories: found.Memories, UnknownNames: unknownNames(found.Vocabulary, r.words)}
	if r.passages != nil {
		s.Covered, s.Semantic = r.covered(hits), p.semantic()
	}
	for i := range firstOf(hits, judgedHits) {
		h := &hits[i]
		s.Text, s.Coverage = max(s.Text, h.text.text), max(s.Coverage, h.signals.Coverage)
	}
	return s
}

// covered is how well the first hits together cover the tokens of the query, in [0, 1].
func (r *reranked) covered(hits []hit) float64 {
	best := make([]float32, len(r.tokens.tokens))
	for i := range firstOf(hits, coveringHits) {
		if p := r.byID(hits[i].ID); p != nil {
			maxInto(best, p.similarities)
		}
	}
	return min(1, weightedSum(r.tokens.weights, best))
}

// unknownNames is the share, weighted by idf, of the words of a query that are written like
// names and occur in no memory.
func unknownNames(v retrieve.Vocabulary, words []word) float64 {
	names, later := 0, 0
	var all, unknown float64
	for i, w := range words {
		all += w.idf
		if i == 0 { // the first word of a sentence is written like a name
			continue
		}
		later++
		if !capitalised(w.text) {
			continue
		}
		names++
		if v.Unknown(w.text) {
			unknown += w.idf
		}
	}
	// Where most words have capitals, they mark no names.
	if all == 0 || 2*names > later {
		return 0
	}
	return unknown / all
}

func capitalised(word string) bool {
	c, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(c)
}

// typos are the out-of-vocabulary words of a query within edit distance of a known word: their
// number, their share of its idf, and the share of those written like names.
type typos struct {
	count        int
	share, names float64
}

// unknownWords returns the words of a query that no memory has, typos apart.
func unknownWords(v retrieve.Vocabulary, query []word) (words []string, x typos) {
	all := 0.0
	for i, w := range query {
		all += w.idf
		switch {
		case !v.Unknown(w.text):
		case v.Misspelt(w.text):
			x.count++
			x.share += w.idf
			if i > 0 && capitalised(w.text) {
				x.names += w.idf
			}
		case !slices.Contains(words, w.text):
			words = append(words, w.text)
		}
	}
	if x.share > 0 {
		x.share, x.names = x.share/all, x.names/all
	}
	return words, x
}

// without removes the typos from the features: the rest of the query decides.
func (x typos) without(s rank.Support) rank.Support {
	rest := 1 - x.share
	if rest <= 0 {
		return s
	}
	s.Coverage = min(1, s.Coverage/rest)
	if s.UnknownNames > 0 {
		s.UnknownNames = max(0, s.UnknownNames-x.names) / rest
	}
	return s
}

// reason explains why nothing is returned.
func reason(in ranking, unknown []string) string {
	matches := fmt.Sprintf("%d matches", in.tally.total)
	if in.tally.total == 1 {
		matches = "1 match"
	}
	text := fmt.Sprintf("nothing seems to answer this: the best of %s has relevance %.2f and little of the query", matches, in.hits[0].relevance)
	if len(unknown) > 0 {
		text += "; no memory mentions " + strings.Join(firstOf(unknown, namedUnknown), ", ")
	}
	return text
}

func newRanking(p *Plan, in ranking) *Ranking {
	out := &Ranking{
		Hits: make([]Hit, len(in.hits)), Total: in.tally.total, Distribution: in.tally.distribution,
		Day: p.search.Day, Degraded: p.degraded,
	}
	for i := range in.hits {
		h := &in.hits[i]
		out.Hits[i] = Hit{h.ID, h.relevance, h.signals, h.via, h.explanation}
	}
	return out
}
