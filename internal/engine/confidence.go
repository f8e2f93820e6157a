package engine

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

const (
	// judgedHits is how many hits an answer is judged by, metHits how many its words
	// are looked for in.
	judgedHits = 10
	metHits    = 5
	// mostSlips is the share of slips of the pen among the terms of a query from which on
	// it is answered whatever comes of it: there is little else to judge it by.
	mostSlips = .5
	// unknownNamed is how many words that no memory has are named.
	unknownNamed = 3
)

// verdict is what an answer as a whole is worth.
type verdict struct {
	support    hippo.Support
	confidence float64
	// abstained says why there are no hits; empty: there may be.
	abstained string
}

// supportOf begins the support of an answer with what the index knows of the query.
func supportOf(v *index.View, words []word) hippo.Support {
	s := hippo.Support{Terms: v.Asked(), Memories: v.Memories()}
	names, later := 0, 0
	var all, strange float64
	for i, w := range words {
		all += w.rarity
		if i == 0 { // the first word of a sentence is written like a name
			continue
		}
		later++
		if c, _ := utf8.DecodeRuneInString(w.text); !unicode.IsUpper(c) {
			continue
		}
		names++
		if v.Unknown(w.text) {
			strange += w.rarity
		}
	}
	// Where most words have capitals, they tell no names.
	if all > 0 && 2*names <= later {
		s.Strange = strange / all
	}
	return s
}

// covered says how well the pieces of the query are met in the first hits, in [0, 1].
func (c *closer) covered(hits []ranked) float64 {
	met := make([]float32, len(c.query.pieces))
	for _, h := range hits[:min(metHits, len(hits))] {
		if i := slices.IndexFunc(c.passages, func(p passage) bool { return p.id == h.id }); i >= 0 {
			raise(met, c.passages[i].met)
		}
	}
	return min(1, sum(c.query.weights, met))
}

// judge sets the confidence of an order, and empties it if that is too low for a
// query that leaves the bound to us.
func (e *Engine) judge(o *order, q *hippo.Query) {
	w := &e.weights
	if q.Ranker != hippo.RankerHippo || q.Text == "" || len(o.hits) == 0 {
		o.verdict = verdict{}
		return
	}
	s := &o.support
	for i := range o.hits[:min(judgedHits, len(o.hits))] {
		g := o.hits[i].signals
		s.Text, s.Coverage = max(s.Text, e.look.Of(&g.Evidence)), max(s.Coverage, g.Coverage)
	}
	o.confidence = rank.ConfidenceOf(w, s)
	if q.Relevance != nil || !rank.Abstains(w, s) {
		return
	}
	unknown, slips := e.unknown(q.Text)
	if slips.n > 0 && float64(slips.n) >= mostSlips*float64(s.Terms) {
		return
	}
	if rest := slips.forgiven(*s); !rank.Abstains(w, &rest) {
		return
	}
	o.abstained = o.reason(unknown)
	o.hits, o.total = nil, 0
}

// slips are the words of a query that are slips of the pen, which no memory has but
// nearly: how many, their share of its rarity, and that of those written like names.
type slips struct {
	n            int
	share, names float64
}

// unknown returns the words of a query that no memory has, but for slips.
func (e *Engine) unknown(text string) (words []string, x slips) {
	e.index.View(func(v *index.View) {
		v.Aim(index.Query{})
		all := 0.0
		for i, w := range weighed(v, text) {
			all += w.rarity
			switch {
			case !v.Unknown(w.text):
			case v.Nearly(w.text):
				x.n++
				x.share += w.rarity
				if c, _ := utf8.DecodeRuneInString(w.text); i > 0 && unicode.IsUpper(c) {
					x.names += w.rarity
				}
			case !slices.Contains(words, w.text):
				words = append(words, w.text)
			}
		}
		if x.share > 0 {
			x.share, x.names = x.share/all, x.names/all
		}
	})
	return words, x
}

// forgiven is what an answer is judged by without the slips: the rest of the query
// decides.
func (x slips) forgiven(s hippo.Support) hippo.Support {
	rest := 1 - x.share
	if rest <= 0 {
		return s
	}
	s.Coverage = min(1, s.Coverage/rest)
	if s.Strange > 0 {
		s.Strange = max(0, s.Strange-x.names) / rest
	}
	return s
}

// reason says in plain words why nothing is returned.
func (o *order) reason(unknown []string) string {
	text := fmt.Sprintf("nothing seems to answer this: the best of %s has relevance %.2f and little of the query", matches(o.total), o.hits[0].relevance)
	if n := min(len(unknown), unknownNamed); n > 0 {
		text += "; no memory mentions " + strings.Join(unknown[:n], ", ")
	}
	return text
}

func matches(n int) string {
	if n == 1 {
		return "1 match"
	}
	return fmt.Sprintf("%d matches", n)
}
