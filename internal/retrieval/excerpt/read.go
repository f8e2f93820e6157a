package excerpt

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

const (
	// unlike is the cosine of two unrelated word pieces.
	unlike = .3
	// meant is the worth of a word for which the text has a similar one, as a share of the worth of the word itself.
	meant = .8
)

// reading is how the parts of a text compare with a question.
type reading struct {
	shares [][]float64 // how much of each word each part contains, in [0, 1]; nil: the part was taken
	meant  []float64   // the cosine of each part with the question; 0 if it is negative or not known
	worth  []float64   // of each word
	total  float64     // of all words
}

// read compares the parts of a text with the question, word by word and, where the model reads both, as a whole and token by token.
func (q *Question) read(text string, parts []hippo.Span, found hippo.Span) reading {
	r := reading{shares: make([][]float64, len(parts)), meant: make([]float64, len(parts)), worth: make([]float64, len(q.words))}
	all := make([]float64, len(parts)*len(q.words))
	seen := make([]int, len(q.owners)) // the number of the last part with a term, from 1
	for i, p := range parts {
		r.shares[i], all = all[:len(q.words):len(q.words)], all[len(q.words):]
		q.said(text[p.From:p.To], r.shares[i], seen, i+1)
	}
	q.weigh(&r)
	if len(q.tokens) > 0 && latin(text) {
		q.compare(text, parts, &r)
		if q.texts != nil {
			q.understand(text, parts, found, &r)
		}
	}
	return r
}

// latin reports whether a text begins in Latin letters. The model has other ones by the character, which are like each other.
func latin(text string) bool {
	const looked = 400
	text = text[:min(len(text), looked)]
	other := 0
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			other++
		}
	}
	return other <= len(text)/4
}

// said adds the share of the terms of each word that a part contains.
func (q *Question) said(text string, have []float64, seen []int, part int) {
	q.analyzer.Terms(text, func(term []byte) {
		t, ok := q.terms[string(term)]
		if !ok || seen[t] == part {
			return
		}
		seen[t] = part
		for _, n := range q.owners[t] {
			have[n] += 1 / float64(q.count[n])
		}
	})
}

// weigh sets the worth of the words: the geometric mean of the inverse frequencies among the memories and among the parts of this text. A word
// that all memories have is worth nothing, and neither is one that every sentence has.
func (q *Question) weigh(r *reading) {
	for n, w := range q.words {
		with := 0
		for _, e := range r.shares {
			if e[n] >= .5 {
				with++
			}
		}
		r.worth[n] = math.Sqrt(w.IDF * math.Log(1+(float64(len(r.shares)-with)+.5)/(float64(with)+.5)))
		r.total += r.worth[n]
	}
}

// compare raises the shares of words that a part has similar ones for.
func (q *Question) compare(text string, parts []hippo.Span, r *reading) {
	compare := q.model.NewMaxSim(q.tokens)
	defer compare.Close()
	similar := make([]float32, len(q.tokens))
	var tokens []int32
	for i, p := range parts {
		clear(similar)
		tokens = q.model.Tokenize(tokens[:0], text[p.From:p.To])
		compare.Update(similar, tokens)
		q.mean(similar, r.shares[i])
	}
}

// likely is how many parts are compared as a whole, besides those of the passage that was found: the ones with most of the words. To compare all
// takes most of the time for a long text, and finds no more.
const likely = 16

// understand sets the cosines of the parts that may answer.
func (q *Question) understand(text string, parts []hippo.Span, found hippo.Span, r *reading) {
	words := make([]float64, len(parts))
	for i, share := range r.shares {
		for n, has := range share {
			words[i] += r.worth[n] * has
		}
	}
	sorted := slices.Clone(words)
	slices.Sort(sorted)
	least := sorted[max(0, len(sorted)-likely)]
	v := make([]float32, len(q.meaning))
	var tokens []int32
	for i, p := range parts {
		if words[i] < least && !overlap(p, found) {
			continue
		}
		clear(v)
		tokens = q.texts.Tokenize(tokens[:0], text[p.From:p.To])
		q.texts.EmbedTokens(v, embed.Passage, tokens)
		r.meant[i] = max(0, dot(q.meaning, v))
	}
}

func overlap(a, b hippo.Span) bool { return a.From < b.To && a.To > b.From }

// mean raises the share of each word to the mean similarity of its word pieces, where that is higher.
func (q *Question) mean(similar []float32, have []float64) {
	for from := 0; from < len(q.owner); {
		to, sum := from, 0.0
		for ; to < len(q.owner) && q.owner[to] == q.owner[from]; to++ {
			sum += float64(similar[to])
		}
		n := q.owner[from]
		have[n] = max(have[n], meant*(sum/float64(to-from)-unlike)/(1-unlike))
		from = to
	}
}

func dot(a, b []float32) float64 {
	sum := float32(0)
	for i, x := range a {
		sum += x * b[i]
	}
	return float64(sum)
}
