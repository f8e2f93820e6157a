package recall

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// maxQueryTokens is the number of word pieces of a query that are compared.
const maxQueryTokens = 512

// details are the kinds of details that a query may ask for.
const details = cue.HasTime | cue.HasNumber | cue.HasName

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
	wants         cue.Cues
	unread        float64 // see [rank.Unread]
	verbatim      bool    // see [rank.Verbatim]
}

// tokenize splits the words of a query into word pieces.
func tokenize(model embed.TokenEmbedder, text string, words []word) queryTokens {
	q := queryTokens{wants: cue.Expected(text), verbatim: isVerbatim(text)}
	all := 0.0
	for _, w := range words {
		from := len(q.tokens)
		if q.tokens = model.Tokenize(q.tokens, w.text); len(q.tokens) > maxQueryTokens {
			q.tokens = q.tokens[:from]
			break
		}
		all += w.idf
		if !reads(w.text, len(q.tokens)-from) {
			q.unread += w.idf
		}
		for _, t := range q.tokens[from:] {
			q.weights = append(q.weights, w.idf*model.Weight(t))
			q.idfs = append(q.idfs, w.idf)
		}
	}
	if all > 0 {
		q.unread /= all
	}
	normalise(q.weights)
	normalise(q.idfs)
	return q
}

// isVerbatim reports whether a text has no other words than identifiers.
func isVerbatim(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !isIdentifier(w) })
}

// marks are the characters that identifiers have inside, beside digits.
const marks = "_/\\:@#=~$"

// isIdentifier reports whether what stands between two spaces is a ticket, a symbol, a path, a version or the like: it has a digit, a mark, a
// dot before a letter, or a capital after a small letter. Names of products such as "GitHub" look the same.
func isIdentifier(word string) bool {
	word = strings.Trim(word, ".,;:!?\"'`()[]{}<>“”‘’«»")
	if strings.ContainsAny(word, "0123456789"+marks) {
		return strings.ContainsFunc(word, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) }) || strings.ContainsAny(word, marks)
	}
	last := rune(0)
	for _, r := range word {
		if last == '.' && unicode.IsLetter(r) || unicode.IsLower(last) && unicode.IsUpper(r) {
			return true
		}
		last = r
	}
	return false
}

// reads reports whether a word of a number of word pieces means something to a model: it has no digits, and does not fall into many
// pieces for its length, as a misspelled word does.
func reads(word string, pieces int) bool {
	const pieceBytes = 4 // of a known word in several pieces, at least
	return !strings.ContainsAny(word, "0123456789") && (pieces < 2 || pieces == 2 && len(word) >= 2*pieceBytes)
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
		maxsim.Update(p.similarities, text)
		p.features[rank.MaxSim], p.features[rank.MaxSimIDF] = weightedSum(q.weights, p.similarities), weightedSum(q.idfs, p.similarities)
		code.compare(&p.features, text) // the last: it reorders them
	}
}

// maxInto raises similarities to those of a passage, if there is one.
func maxInto(dst []float32, p *passage) {
	if p == nil {
		return
	}
	for i, x := range p.similarities {
		dst[i] = max(dst[i], x)
	}
}
