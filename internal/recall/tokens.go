package recall

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/lang/cue"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/retrieve"
)

const (
	// maxQueryTokens is the number of word pieces of a query that are compared.
	maxQueryTokens = 512
	// leadTokens is the number of word pieces of the lead of a text, see [rank.MaxSimLead].
	leadTokens = 24
)

// word is a word of a query and its inverse document frequency.
type word struct {
	text string
	idf  float64
}

// queryWords returns the words of a query, in their order.
func queryWords(v retrieve.Vocabulary, text string) []word {
	var out []word
	for w := range wordsIn(text) {
		out = append(out, word{w, v.IDF(w)})
	}
	return out
}

// queryTokens is a query as the reranker compares it.
type queryTokens struct {
	tokens []int32
	// weights of the tokens: idf times the weight in the model, and idf alone; each adds up
	// to 1.
	weights, idfs []float64
	// bigrams are the pairs of adjacent tokens, with their weights; total is the sum.
	bigrams map[bigram]float64
	total   float64
	filter  uint64 // a bit for each bigram: the map is asked for few others
	wants   cue.Cues
}

// bigram is two adjacent tokens.
type bigram struct{ a, b int32 }

// bit is a hash of the bigram, as a bit of a filter.
func (b bigram) bit() uint64 { return 1 << ((b.a ^ 5*b.b) & 63) }

// tokenize splits the words of a query into word pieces.
func tokenize(model embed.TokenEmbedder, text string, words []word) queryTokens {
	q := queryTokens{wants: cue.Expected(text), bigrams: make(map[bigram]float64)}
	for _, w := range words {
		from := len(q.tokens)
		if q.tokens = model.Tokenize(q.tokens, w.text); len(q.tokens) > maxQueryTokens {
			q.tokens = q.tokens[:from]
			break
		}
		for _, t := range q.tokens[from:] {
			q.weights = append(q.weights, w.idf*model.Weight(t))
			q.idfs = append(q.idfs, w.idf)
		}
	}
	for i := 1; i < len(q.tokens); i++ {
		b := bigram{q.tokens[i-1], q.tokens[i]}
		if _, ok := q.bigrams[b]; !ok {
			q.bigrams[b] = q.weights[i-1] + q.weights[i]
			q.total += q.bigrams[b]
			q.filter |= b.bit()
		}
	}
	normalise(q.weights)
	normalise(q.idfs)
	return q
}

// normalise makes numbers add up to 1, unless all are 0.
func normalise(list []float64) {
	total := 0.0
	for _, x := range list {
		total += x
	}
	for i := range list {
		if total > 0 {
			list[i] /= total
		}
	}
}

// weightedSum adds up similarities.
func weightedSum(weights []float64, similarities []float32) float64 {
	total := 0.0
	for i, x := range similarities {
		total += float64(weights[i] * float64(x))
	}
	return total
}

// read compares the query with each passage, token by token.
func (q *queryTokens) read(model embed.TokenEmbedder, r retrieve.Reader, list []passage) {
	n := len(q.tokens)
	if n == 0 {
		return
	}
	maxsim := model.NewMaxSim(q.tokens)
	defer maxsim.Close()
	code := newCodeQuery(model, q.tokens)
	all := make([]float32, n*len(list))
	var text []int32
	for i := range list {
		p := &list[i]
		p.similarities, all = all[:n:n], all[n:]
		text = r.Tokens(text[:0], p.match.Doc)
		q.compare(maxsim, p, text)
		code.compare(&p.features, text) // the last: it reorders them
	}
}

// compare sets the features of a passage's own text.
func (q *queryTokens) compare(maxsim embed.MaxSim, p *passage, text []int32) {
	f := &p.features
	lead := text[:min(leadTokens, len(text))]
	maxsim.Update(p.similarities, lead)
	f[rank.MaxSimLead] = weightedSum(q.weights, p.similarities)
	maxsim.Update(p.similarities, text[len(lead):])
	f[rank.MaxSim] = weightedSum(q.weights, p.similarities)
	f[rank.MaxSimIDF] = weightedSum(q.idfs, p.similarities)
	f[rank.Bigram] = q.bigramShare(text)
}

// bigramShare is the share of the query's bigrams that a text has.
func (q *queryTokens) bigramShare(text []int32) float64 {
	if q.total == 0 {
		return 0
	}
	var seen []bigram
	sum := 0.0
	for i := 1; i < len(text); i++ {
		b := bigram{text[i-1], text[i]}
		if q.filter&b.bit() == 0 {
			continue
		}
		if w := q.bigrams[b]; w > 0 && !slices.Contains(seen, b) {
			seen = append(seen, b)
			sum += w
		}
	}
	return min(1, sum/q.total)
}

// maxInto is the elementwise maximum, in place.
func maxInto(dst, by []float32) {
	for i, x := range by {
		dst[i] = max(dst[i], x)
	}
}
