// Package excerpt finds the sentences of a long text that answer a question, so that they can be shown in the place of its beginning.
// It is pure.
package excerpt

import (
	"sync"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// Word is a word of a question and its inverse document frequency, 0 or more.
type Word struct {
	Text string
	IDF  float64
}

// Question holds the words that the sentences of a text are compared with. It is safe for concurrent use. The first call of
// [Question.Best] analyses the words.
type Question struct {
	analyzer bm25.Analyzer
	model    embed.TokenEmbedder // nil: words alone count
	given    []Word

	once   sync.Once
	words  []Word           // those that count
	terms  map[string][]int // by term, the numbers of the words that have it
	count  []int            // of the terms of a word
	tokens []int32
	owner  []int // by token, the number of its word
	total  float64
}

// NewQuestion returns a question of some words. model may be nil.
func NewQuestion(a bm25.Analyzer, model embed.TokenEmbedder, words []Word) *Question {
	return &Question{analyzer: a, model: model, given: words}
}

// analyse cuts the words into terms and word pieces.
func (q *Question) analyse() {
	q.terms = make(map[string][]int)
	for _, w := range q.given {
		if w.IDF > 0 && len(q.words) < maxWords {
			q.add(w)
		}
	}
}

func (q *Question) add(w Word) {
	n := len(q.words)
	q.words, q.count, q.total = append(q.words, w), append(q.count, 0), q.total+w.IDF
	q.analyzer.Terms(w.Text, func(term []byte) {
		if list := q.terms[string(term)]; len(list) == 0 || list[len(list)-1] != n {
			q.terms[string(term)] = append(list, n)
			q.count[n]++
		}
	})
	if q.model == nil {
		return
	}
	q.tokens = q.model.Tokenize(q.tokens, w.Text)
	for len(q.owner) < len(q.tokens) {
		q.owner = append(q.owner, n)
	}
}

const (
	// maxWords bounds the words of a question that are compared.
	maxWords = 64
	// maxText bounds the bytes of a text that are read, at some 30 µs a kilobyte.
	maxText = 64 << 10
	// maxBest bounds the parts that [Question.Best] returns.
	maxBest = 8
	// enough is how much a later part must add, as a share of what the first part adds.
	enough = .2
	// again is the worth of a word that an earlier part contains, as a share of its full worth.
	again = .25
	// unlike is the cosine of two unrelated word pieces.
	unlike = .35
	// meant is the worth of a word for which the text has a similar one, as a share of the worth of the word itself.
	meant = .8
	// least is how much the first part must contain, as a share of the worth of all words. With less the question is in other words or
	// another language, and the passage that was found is the better excerpt.
	least = .08
	// favour is what a part gains if it lies in the passage that was found, as a share of the worth of all words. It decides between parts
	// that are nearly equal.
	favour = .04
)

// Best returns the parts of a text that contain most of the question, the best first. Each adds words that the parts before it lack.
// The result is nil if no part contains enough of the question, or the text has only one part. found is the passage by which the text was
// found, or zero. Cost: some 30 µs a kilobyte, of the first 64 KB or those around found.
func (q *Question) Best(text string, found hippo.Span) []hippo.Span {
	q.once.Do(q.analyse)
	window := around(text, found)
	parts := Split(text[window.From:window.To])
	if len(parts) < 2 || len(q.words) == 0 {
		return nil
	}
	for i := range parts {
		parts[i].From, parts[i].To = parts[i].From+window.From, parts[i].To+window.From
	}
	s := selection{question: q, parts: parts, shares: q.read(text, parts), have: make([]float64, len(q.words)), found: found}
	var out []hippo.Span
	for first := 0.0; len(out) < maxBest; {
		i, gain := s.next()
		if first = max(first, gain); gain < max(enough*first, least*q.total) {
			break
		}
		out = append(out, s.take(i))
	}
	return out
}

// around returns the range of a text that is read: its beginning, or the surroundings of a passage.
func around(text string, found hippo.Span) hippo.Span {
	if len(text) <= maxText {
		return hippo.Span{To: len(text)}
	}
	from := max(0, min(found.From-maxText/2, len(text)-maxText))
	to := from + maxText
	for ; from > 0 && !utf8.RuneStart(text[from]); from++ {
	}
	for ; to < len(text) && !utf8.RuneStart(text[to]); to-- {
	}
	return hippo.Span{From: from, To: to}
}

// read returns how much of each word each part contains, in [0, 1].
func (q *Question) read(text string, parts []hippo.Span) [][]float64 {
	var compare embed.MaxSim
	if len(q.tokens) > 0 {
		compare = q.model.NewMaxSim(q.tokens)
		defer compare.Close()
	}
	similar := make([]float32, len(q.tokens))
	out := make([][]float64, len(parts))
	var tokens []int32
	for i, p := range parts {
		part := text[p.From:p.To]
		out[i] = q.said(part)
		if compare == nil {
			continue
		}
		clear(similar)
		tokens = q.model.Tokenize(tokens[:0], part)
		compare.Update(similar, tokens)
		q.mean(similar, out[i])
	}
	return out
}

// said returns the share of the terms of each word that a text contains.
func (q *Question) said(text string) []float64 {
	out := make([]float64, len(q.words))
	seen := make(map[string]bool)
	q.analyzer.Terms(text, func(term []byte) {
		list := q.terms[string(term)]
		if len(list) == 0 || seen[string(term)] {
			return
		}
		seen[string(term)] = true
		for _, n := range list {
			out[n] += 1 / float64(q.count[n])
		}
	})
	return out
}

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

// selection chooses the parts of a text one after the other.
type selection struct {
	question *Question
	parts    []hippo.Span
	shares   [][]float64 // by part and word; nil: taken
	have     []float64   // what the parts that were taken have
	found    hippo.Span
}

// next returns the part that adds most to those that were taken, and how much it adds; 0: no part adds anything.
func (s *selection) next() (part int, gain float64) {
	for i, e := range s.shares {
		x := 0.0
		for n, has := range e {
			x += s.question.words[n].IDF * max(again*has, has-s.have[n])
		}
		if p := s.parts[i]; x > 0 && p.From < s.found.To && p.To > s.found.From {
			x += favour * s.question.total
		}
		if x > gain {
			part, gain = i, x
		}
	}
	return part, gain
}

// take takes a part.
func (s *selection) take(i int) hippo.Span {
	for n, has := range s.shares[i] {
		s.have[n] = max(s.have[n], has)
	}
	s.shares[i] = nil
	return s.parts[i]
}
