// Package excerpt finds the sentences of a long text that answer a question, so that they can be shown in the place of its beginning.
// It is pure.
package excerpt

import (
	"sync"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
)

// Word is a word of a question and its inverse document frequency, 0 or more.
type Word struct {
	Text string
	IDF  float64
}

// Asked is what a question says.
type Asked struct {
	Text  string
	Words []Word
	// Meaning is a vector of the text, and Space its space. It counts if that is the space of [embed.TextEmbedder.Texts], else that model
	// embeds the text.
	Meaning []float32
	Space   string
}

// Question is what the sentences of a text are compared with. It is safe for concurrent use. The first call of [Question.Best] analyses it.
type Question struct {
	analyzer bm25.Analyzer
	model    embed.TokenEmbedder // nil: words alone count
	asked    Asked

	once    sync.Once
	words   []Word               // those that count
	terms   map[string]int       // the number of each term
	owners  [][]int              // by term, the numbers of the words that have it
	count   []int                // of the terms of a word
	tokens  []int32              // none: the model does not read the question
	owner   []int                // by token, the number of its word
	texts   embed.StaticEmbedder // nil: meaning does not count
	meaning []float32
}

// NewQuestion returns a question. model may be nil.
func NewQuestion(a bm25.Analyzer, model embed.TokenEmbedder, asked Asked) *Question {
	return &Question{analyzer: a, model: model, asked: asked}
}

// analyse cuts the words into terms and word pieces, and finds the meaning of the text.
func (q *Question) analyse() {
	q.terms = make(map[string]int)
	for _, w := range q.asked.Words {
		if w.IDF > 0 && len(q.words) < maxWords {
			q.add(w)
		}
	}
	if !latin(q.asked.Text) {
		q.tokens = nil
	}
	table, ok := q.model.(embed.TextEmbedder)
	if !ok || q.asked.Text == "" || len(q.tokens) == 0 || cue.IsForeign(q.asked.Text) {
		return
	}
	q.texts = table.Texts()
	m := q.texts.Model()
	if q.meaning = q.asked.Meaning; q.asked.Space != m.Space || len(q.meaning) != m.Dimension {
		q.meaning = make([]float32, m.Dimension)
		q.texts.EmbedTokens(q.meaning, embed.Query, q.texts.Tokenize(nil, q.asked.Text))
	}
}

func (q *Question) add(w Word) {
	n := len(q.words)
	q.words, q.count = append(q.words, w), append(q.count, 0)
	q.analyzer.Terms(w.Text, func(term []byte) {
		t, ok := q.terms[string(term)]
		if !ok {
			t = len(q.owners)
			q.terms[string(term)], q.owners = t, append(q.owners, nil)
		}
		if list := q.owners[t]; len(list) == 0 || list[len(list)-1] != n {
			q.owners[t] = append(list, n)
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
	enough = .4
	// again is the worth of a word that an earlier part contains, as a share of its full worth.
	again = .25
	// least is how much the first part must contain, as a share of the worth of all words. With less the question is in other words or
	// another language, and the passage that was found is the better excerpt.
	least = .08
	// favour is what a part gains if it lies in the passage that was found, as a share of the worth of all words. It decides between parts
	// that are nearly equal.
	favour = .04
	// sense is what a part gains whose meaning is that of the question, as a share of the worth of all words.
	sense = .5
)

// Best returns the parts of a text that contain most of the question, the best first. Each adds something that the parts before it lack. The second
// one lies in the passage that was found, if the first one does not and some part of it adds anything. The part before the best one comes last,
// because it says what that speaks of. The result is nil if the text has only one part, or no part contains enough of the question and no passage was found. found is the passage by which the text was found, or zero. Cost: some 30 µs a kilobyte, of
// the first 64 KB or those around found.
func (q *Question) Best(text string, found hippo.Span) []hippo.Span {
	q.once.Do(q.analyse)
	window := around(text, found)
	parts := Split(text[window.From:window.To])
	if len(parts) < 2 {
		return nil
	}
	for i := range parts {
		parts[i].From, parts[i].To = parts[i].From+window.From, parts[i].To+window.From
	}
	chosen := q.choose(text, parts, found)
	if len(chosen) == 0 {
		return begins(parts, found)
	}
	if before := chosen[0] - 1; before >= 0 {
		chosen = append(chosen, before)
	}
	out := make([]hippo.Span, len(chosen))
	for i, n := range chosen {
		out[i] = parts[n]
	}
	return out
}

// begins returns the first part that begins in the passage that was found; nil if none was found behind the beginning of the text.
func begins(parts []hippo.Span, found hippo.Span) []hippo.Span {
	for _, p := range parts {
		if found.From > 0 && p.From >= found.From && p.From < found.To {
			return []hippo.Span{p}
		}
	}
	return nil
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

// choose returns the numbers of the parts that contain most of the question, the best first.
func (q *Question) choose(text string, parts []hippo.Span, found hippo.Span) []int {
	if len(q.words) == 0 {
		return nil
	}
	s := selection{reading: q.read(text, parts, found), text: text, parts: parts, have: make([]float64, len(q.words)), bonus: make([]float64, len(parts))}
	for i, p := range parts {
		if overlap(p, found) {
			s.bonus[i] = favour * s.total
		}
	}
	var out []int
	for first := 0.0; len(out) < maxBest; {
		i, gain := s.next()
		if first = max(first, gain); i < 0 || gain < max(enough*first, least*s.total) {
			break
		}
		if out = append(out, s.take(i)); len(out) > 1 || overlap(parts[i], found) {
			continue
		}
		if i := s.within(found); i >= 0 {
			out = append(out, s.take(i))
		}
	}
	return out
}

// selection chooses the parts of a text one after the other.
type selection struct {
	reading
	text  string
	parts []hippo.Span
	have  []float64 // how much of each word the parts that were taken have
	bonus []float64 // of each part, if it adds anything
}

// next returns the part that adds most to those that were taken, -1 if no part adds anything, and how much it adds.
func (s *selection) next() (part int, gain float64) {
	part = -1
	best := 0.0
	for i := range s.shares {
		if x := s.gain(i); x > 0 && x+s.bonus[i] > best {
			part, gain, best = i, x, x+s.bonus[i]
		}
	}
	return part, gain
}

// gain returns what a part adds to those that were taken, 0 for one of them.
func (s *selection) gain(part int) (x float64) {
	e := s.shares[part]
	if e == nil {
		return 0
	}
	x = sense * s.total * s.meant[part]
	for n, has := range e {
		x += s.worth[n] * max(again*has, has-s.have[n])
	}
	return x
}

// within returns the part of the passage that was found that adds most, -1 if none adds anything. An encoder found the passage, which reads more
// in it than the words do: its best part comes second if it is not the first.
func (s *selection) within(found hippo.Span) (part int) {
	part = -1
	best := 0.0
	for i, p := range s.parts {
		if x := s.gain(i); x > best && overlap(p, found) {
			part, best = i, x
		}
	}
	return part
}

// take takes a part, and leaves out the others that say the same. It returns its number.
func (s *selection) take(i int) int {
	for n, has := range s.shares[i] {
		s.have[n] = max(s.have[n], has)
	}
	said := s.text[s.parts[i].From:s.parts[i].To]
	for k, p := range s.parts {
		if s.text[p.From:p.To] == said {
			s.shares[k] = nil
		}
	}
	return i
}
