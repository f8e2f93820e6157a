package recall

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

const (
	// codeSigns are characters that source code has many of. Each is a token.
	codeSigns = "(){}[]=_;<>"
	// minSigns is the share of them among the tokens of a text that looks like source code. On the
	// development sets 98 of 100 functions have more, and of English sentences 4 in 100.
	minSigns = .1
	// minCodeTokens is the number of tokens below which a text has too few to tell.
	minCodeTokens = 8
)

// codeQuery compares a query with source code by the table for that. A nil one compares nothing.
type codeQuery struct {
	model  embed.CodeEmbedder
	tokens []int32 // of the query
	signs  []int32 // sorted
	// query is the vector of the query, nil until a text looks like source code; text is a buffer.
	query, text []float32
}

// newCodeQuery returns nil if the model has no table for source code.
func newCodeQuery(m embed.TokenEmbedder, query []int32) *codeQuery {
	model, ok := m.(embed.CodeEmbedder)
	if !ok {
		return nil
	}
	signs := model.Tokenize(nil, codeSigns)
	slices.Sort(signs)
	return &codeQuery{model: model, tokens: query, signs: signs}
}

// compare sets the features of a text that looks like source code. It reorders the tokens.
func (q *codeQuery) compare(f *rank.Features, tokens []int32) {
	if q == nil || !q.isCode(tokens) {
		return
	}
	if q.query == nil {
		q.query, q.text = make([]float32, q.model.CodeDimension()), make([]float32, q.model.CodeDimension())
		q.model.EmbedCode(q.query, slices.Clone(q.tokens))
	}
	clear(q.text)
	q.model.EmbedCode(q.text, tokens)
	sum := 0.0
	for i, x := range q.query {
		sum += float64(float64(x) * float64(q.text[i]))
	}
	f[rank.IsCode], f[rank.Code] = 1, max(0, sum)
}

// isCode reports whether the text of these tokens looks like source code.
func (q *codeQuery) isCode(tokens []int32) bool {
	if len(tokens) < minCodeTokens {
		return false
	}
	first, last := q.signs[0], q.signs[len(q.signs)-1]
	n := 0
	for _, t := range tokens {
		if t >= first && t <= last && slices.Contains(q.signs, t) {
			n++
		}
	}
	return float64(n) >= minSigns*float64(len(tokens))
}
