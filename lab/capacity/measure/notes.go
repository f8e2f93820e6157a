package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/lab/corpus"
)

// A note has about as many bytes as a memory that an agent keeps.
const (
	shortNote = 80
	longNote  = 500
)

// notes are texts to remember, and questions.
type notes struct {
	texts, questions []string
}

// loadNotes reads notes and questions from the evaluation sets in a folder; without one they are made of the words of comments.
func loadNotes(dir string) (*notes, error) {
	if dir == "" {
		return makeNotes()
	}
	sets, err := eval.Load(dir)
	if err != nil {
		return nil, err
	}
	n := &notes{}
	for _, s := range sets {
		for _, g := range s.Groups {
			for _, d := range g.Docs {
				n.texts = append(n.texts, pieces(d.Content)...)
			}
		}
		for _, q := range s.Questions {
			n.questions = append(n.questions, q.Text)
		}
	}
	slices.Sort(n.texts) // sets share some
	n.texts = slices.Compact(n.texts)
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(n.texts), func(i, k int) { n.texts[i], n.texts[k] = n.texts[k], n.texts[i] })
	r.Shuffle(len(n.questions), func(i, k int) { n.questions[i], n.questions[k] = n.questions[k], n.questions[i] })
	if len(n.texts) < 1000 || len(n.questions) < 100 {
		return nil, fmt.Errorf("%s has too few notes, %d, or questions, %d", dir, len(n.texts), len(n.questions))
	}
	return n, nil
}

func makeNotes() (*notes, error) {
	words, err := corpus.Words()
	if err != nil {
		return nil, err
	}
	w, n := corpus.New(1, words), &notes{}
	for range 20000 {
		n.texts = append(n.texts, w.Text(30+w.IntN(60)))
	}
	for range 1000 {
		n.questions = append(n.questions, w.Query())
	}
	return n, nil
}

// pieces cuts a text into notes, at the ends of sentences. Those that are too short are left out.
func pieces(text string) (out []string) {
	var b strings.Builder
	flush := func() {
		if s := strings.TrimSpace(b.String()); len(s) >= shortNote {
			out = append(out, s)
		}
		b.Reset()
	}
	for s := range strings.SplitAfterSeq(strings.Join(strings.Fields(text), " "), ". ") {
		if b.Len()+len(s) > longNote {
			flush()
		}
		if len(s) <= longNote {
			b.WriteString(s)
		}
	}
	flush()
	return out
}

// text returns the i-th note. Those beyond the ones that were read are of one half of one and one half of another; a and b are their numbers.
func (n *notes) text(i int) (text string, a, b int) {
	size := len(n.texts)
	a = i % size
	if i < size {
		return n.texts[a], a, a
	}
	b = (a*7919 + i/size*104729 + 1) % size
	first, second := n.texts[a], n.texts[b]
	return half(first, true) + " " + half(second, false), a, b
}

// half returns about one half of a text, which ends or begins with a word.
func half(text string, first bool) string {
	words := strings.Fields(text)
	if first {
		return strings.Join(words[:(len(words)+1)/2], " ")
	}
	return strings.Join(words[len(words)/2:], " ")
}

func (n *notes) question(i int) string { return n.questions[i%len(n.questions)] }
