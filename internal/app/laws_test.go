package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

const (
	// inStore is how many notes a store of [TestLaws] has, and unrelated how many it gets that have no bearing on its question.
	inStore, unrelated = 12, 30
	// nearTie is the difference of relevance up to which two hits may change places.
	nearTie = .1
	// places is how many places a note may lose by sentences on other subjects.
	places = 2
)

// lawful is a question and a store of notes, the first of which answers it.
type lawful struct {
	question string
	notes    []string
	others   []string // notes of other subjects
	other    int      // the number of a note that does not answer
	word     string   // one of the question
}

// drawLawful draws from the thirty notes of internal/retrieval/eval, each asked in words that it does not have.
func drawLawful(t *testing.T, seed int) lawful {
	t.Helper()
	const dir = "../retrieval/eval/testdata/thirty/"
	notes, questions, others := textsOf(t, dir+"corpus.jsonl"), textsOf(t, dir+"queries.jsonl"), linesOf(t, "others.txt")
	return rapid.Custom(func(r *rapid.T) lawful {
		drawn := rapid.Permutation(numbers(len(notes))).Draw(r, "notes")[:inStore]
		l := lawful{question: questions[drawn[0]], other: rapid.IntRange(1, inStore-1).Draw(r, "other")}
		for _, i := range drawn {
			l.notes = append(l.notes, notes[i])
		}
		l.others = rapid.Permutation(others).Draw(r, "others")[:unrelated]
		l.word = rapid.SampledFrom(strings.Fields(l.question)).Draw(r, "word")
		return l
	}).Example(seed)
}

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// textsOf returns the texts of a file of JSON lines.
func textsOf(t *testing.T, file string) (out []string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
		var line struct {
			Text string `json:"text"`
		}
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line.Text)
	}
	return out
}

// recorded returns a store of notes with all vectors.
func recorded(t *testing.T, notes []string) *changing {
	t.Helper()
	c := openChanging(t)
	c.add(notes...)
	return c
}

// add records notes and makes their vectors.
func (c *changing) add(notes ...string) {
	c.t.Helper()
	for _, n := range notes {
		c.record(n)
	}
	c.embed()
}

// hits returns all hits for a question.
func (c *changing) hits(question string) order {
	c.t.Helper()
	a, err := query.Search(c.t.Context(), c.Memories, hippo.Query{Text: question, NoTouch: true, Count: hippo.MaxCount})
	if err != nil {
		c.t.Fatal(err)
	}
	return a.Hits
}

// order is hits, the best first.
type order []hippo.Hit

// at returns the place of a text, from 0; the number of hits if it is none.
func (o order) at(text string) int {
	if i := slices.IndexFunc(o, func(h hippo.Hit) bool { return h.Memory.Content == text }); i >= 0 {
		return i
	}
	return len(o)
}

// keeps checks that another order has the hits in the same order, near ties aside. Hits may be missing from it if those behind them are.
func (o order) keeps(t *testing.T, law, question string, other order) {
	t.Helper()
	for i := range o {
		for _, worse := range o[i+1:] {
			first, second := o[i].Memory.Content, worse.Memory.Content
			if x, y := other.at(first), other.at(second); o[i].Relevance-worse.Relevance > nearTie && x > y {
				t.Errorf("%s, %q: %q (%.3f) was before %q (%.3f), and is at %d, behind it", law, question, first, o[i].Relevance, second, worse.Relevance, x)
			}
		}
	}
}

// TestLaws checks, with the models of the program and the default ranker, what must be true of every store and question: the form of a
// question, copies and notes on other subjects change no order, and more words of the question never cost a place.
func TestLaws(t *testing.T) {
	t.Parallel()
	stores := 8
	if testing.Short() {
		stores = 2
	}
	far := 0
	for seed := range stores {
		l := drawLawful(t, seed)
		c := recorded(t, l.notes)
		before := c.hits(l.question)
		for law, asked := range map[string]string{
			"a question twice": l.question + " " + l.question, "in capitals": strings.ToUpper(l.question), "after a polite phrase": "Can you remember " + l.question,
		} {
			before.keeps(t, law, asked, c.hits(asked))
		}
		other := l.notes[l.other]
		more := slices.Clone(l.notes)
		more[l.other] += " (" + l.word + ")"
		if was, is := before.at(other), recorded(t, more).hits(l.question).at(more[l.other]); is > was {
			t.Errorf("%q: with the word %q of the question, %q fell from %d to %d", l.question, l.word, other, was, is)
		}
		padded := slices.Clone(l.notes)
		padded[0] += " " + strings.Join(l.others[:2], " ")
		if recorded(t, padded).hits(l.question).at(padded[0]) > before.at(l.notes[0])+places {
			far++
		}
		c.add(l.others...)
		among := c.hits(l.question)
		before.keeps(t, "beside notes on other subjects", l.question, among)
		c.add(other, other, other, other)
		if was, is := among.at(other), c.hits(l.question).at(other); is < was {
			t.Errorf("%q: copies lifted %q from %d to %d", l.question, other, was, is)
		}
	}
	t.Logf("of %d notes with sentences on other subjects, %d lost more than %d places", stores, far, places)
	if far*4 > stores {
		t.Errorf("of %d notes with sentences on other subjects, %d lost more than %d places", stores, far, places)
	}
}
