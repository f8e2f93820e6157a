package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// taken is the set with stores of n documents: at most half of a store answers its questions,
// the others are drawn from the rest. Every question is asked of one store, but those with more
// than n answers. What is drawn depends on the questions alone; the order of the documents
// stays.
func taken(s *eval.Set, n int) *eval.Set {
	out := &eval.Set{Name: fmt.Sprintf("%s, %d", s.Name, n), Setting: s.Setting, Rejected: s.Rejected}
	for i := range s.Groups {
		g := &s.Groups[i]
		var asked []eval.Question
		for _, q := range s.Questions {
			if q.Group == g.Name {
				asked = append(asked, q)
			}
		}
		if len(g.Docs) <= n {
			out.Groups, out.Questions = append(out.Groups, *g), append(out.Questions, asked...)
			continue
		}
		t := taking{set: s, group: g, size: n}
		t.questions(asked)
		out.Groups, out.Questions = append(out.Groups, t.stores...), append(out.Questions, t.asked...)
	}
	return out
}

// taking is a [taken] of one group in progress.
type taking struct {
	set    *eval.Set
	group  *eval.Group
	size   int
	stores []eval.Group
	asked  []eval.Question
	// answers are the names of the documents that answer the questions of the last store.
	answers map[string]bool
}

// questions spreads the questions over stores. Unanswerable ones go to stores in turn.
func (t *taking) questions(list []eval.Question) {
	list = slices.Clone(list)
	rand.New(rand.NewPCG(randOf(t.set.Name, &eval.Question{ID: t.group.Name}).Uint64(), 1)).
		Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var unanswerable []eval.Question
	for _, q := range list {
		switch {
		case eval.Unanswerable(q.Category):
			unanswerable = append(unanswerable, q)
		case len(q.Relevant) > 0 && len(q.Relevant) <= t.size:
			t.add(q)
		}
	}
	if len(t.stores) == 0 {
		t.open()
	}
	t.fill()
	for i, q := range unanswerable {
		q.Group = t.stores[i%len(t.stores)].Name
		t.asked = append(t.asked, q)
	}
}

// add asks a question of the last store, or of a new one if its answers do not fit.
func (t *taking) add(q eval.Question) {
	n := len(t.answers)
	for name := range q.Relevant {
		if !t.answers[name] {
			n++
		}
	}
	if len(t.stores) == 0 || n > t.size/2 && len(t.answers) > 0 {
		t.fill()
		t.open()
	}
	for name := range q.Relevant {
		t.answers[name] = true
	}
	q.Group = t.stores[len(t.stores)-1].Name
	t.asked = append(t.asked, q)
}

func (t *taking) open() {
	t.stores = append(t.stores, eval.Group{Name: fmt.Sprintf("%s#%d", t.group.Name, len(t.stores)+1)})
	t.answers = make(map[string]bool)
}

// fill completes the last store.
func (t *taking) fill() {
	if len(t.stores) == 0 {
		return
	}
	g := &t.stores[len(t.stores)-1]
	r := randOf(t.set.Name, &eval.Question{ID: g.Name})
	relevant := make(map[string]float64, len(t.answers))
	for name := range t.answers {
		relevant[name] = 1
	}
	in := make(map[*hippo.Memory]bool)
	for _, m := range sample(r, t.group.Docs, relevant, t.size) {
		in[m] = true
	}
	for _, m := range t.group.Docs {
		if in[m] {
			g.Docs = append(g.Docs, m)
		}
	}
}
