package app_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// searcher draws searches of a store of notes.
type searcher struct {
	*rand.Rand
	notes     []*hippo.Memory
	questions []string
	from, to  time.Time // the time in which the store changed
}

// words draws some words that a note has.
func (s *searcher) words(n int) string {
	words := strings.Fields(s.note().Content)
	at := s.IntN(max(1, len(words)-n))
	return strings.Join(words[at:min(len(words), at+n)], " ")
}

func (s *searcher) note() *hippo.Memory { return s.notes[s.IntN(len(s.notes))] }

// text draws a question or some words.
func (s *searcher) text() string {
	if s.IntN(2) == 0 {
		return s.words(4)
	}
	return s.questions[s.IntN(len(s.questions))]
}

func (s *searcher) time() time.Time {
	return s.from.Add(time.Duration(s.Int64N(int64(s.to.Sub(s.from)))))
}

// shapes are the searches by what they ask for.
func (s *searcher) shapes() map[string]func() hippo.Query {
	return map[string]func() hippo.Query{
		"words":     func() hippo.Query { return hippo.Query{Text: s.words(1 + s.IntN(4))} },
		"question":  func() hippo.Query { return hippo.Query{Text: s.questions[s.IntN(len(s.questions))]} },
		"filter":    s.filtered,
		"meaning":   s.meaning,
		"relations": s.related,
		"moment":    s.moment,
		"page": func() hippo.Query {
			return hippo.Query{Text: s.questions[s.IntN(9)], Offset: 3 * s.IntN(5), Count: 3, Detail: hippo.Detail{Explain: s.IntN(2) == 0, Each: s.IntN(2) == 0}}
		},
	}
}

func (s *searcher) filtered() hippo.Query {
	q, m := hippo.Query{Text: s.text()}, s.note()
	for range 1 + s.IntN(2) {
		switch s.IntN(8) {
		case 0:
			q.Filter.Tags = m.Tags[:min(1, len(m.Tags))]
		case 1:
			q.Filter.Types = []string{m.Type}
		case 2:
			q.Filter.Projects = []string{m.Project}
		case 3:
			q.Filter.CreatedAfter = m.CreatedAt
		case 4:
			q.Filter.CreatedBefore = m.CreatedAt
		case 5:
			q.When = []string{"last year", "in May 2025", "before 2026"}[s.IntN(3)]
		case 6:
			q.Situation, q.Strict = m.Situation, s.IntN(2) == 0
		case 7:
			q.Text = ""
		}
	}
	return q
}

func (s *searcher) meaning() hippo.Query {
	q := hippo.Query{Text: s.text(), Ranker: hippo.RankerCosine}
	if s.IntN(2) == 0 {
		q.Ranker, q.Mode = hippo.RankerSurprise, hippo.Modes()[s.IntN(len(hippo.Modes()))]
	}
	return q
}

func (s *searcher) related() hippo.Query {
	q := hippo.Query{Text: s.text(), Ranker: hippo.RankerHybrid}
	if s.IntN(3) == 0 {
		q.Ranker, q.Relevance = "", &hippo.Range{Max: 9}
	}
	return q
}

func (s *searcher) moment() hippo.Query {
	q := hippo.Query{Text: s.text()}
	if s.IntN(2) == 0 {
		q.Filter.KnownAt = s.time()
	}
	if q.Filter.KnownAt.IsZero() || s.IntN(2) == 0 {
		q.Filter.ValidAt = s.time()
	}
	return q
}

// The same 400 searches of seven shapes have the same answers in SQLite and in Postgres: hits, their order, relevance to 1e-9, and all
// else that an answer says.
func TestTwins_Search(t *testing.T) {
	t.Parallel()
	searches, notes := 400, 90
	if testing.Short() {
		searches = 70
	}
	url := twinsURL(t)
	sets, err := eval.Load("../retrieval/eval/testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	w := openTwins(t, url, "x", config.Builtin)
	s := &searcher{Rand: rand.New(rand.NewPCG(1, 2)), from: w.now()}
	for _, q := range sets[0].Questions {
		s.questions = append(s.questions, q.Text)
	}
	docs := sets[0].Groups[0].Docs
	s.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	s.notes = docs[:notes]
	w.populate(t, s)
	s.to = w.now()
	shapes := s.shapes()
	names := []string{"words", "question", "filter", "meaning", "relations", "moment", "page"}
	found := make(map[string]int)
	for i := range searches {
		name := names[i%len(names)]
		q := shapes[name]()
		q.NoTouch = s.IntN(2) == 0
		for _, e := range w.engines { // a search waits for the day a quarter of a second, which a busy machine may exceed
			if _, err := local(e).Store.Today(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var a hippo.Answer
		if err := w.call(t, "search", q, &a); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
		found[name] += len(a.Hits)
		w.settle(t)
		w.pass(time.Duration(s.IntN(int(8 * time.Hour))))
	}
	t.Logf("hits by shape: %v", found)
	for _, name := range names {
		if found[name] < searches/len(names) {
			t.Errorf("%s: %d hits, too few to tell anything", name, found[name])
		}
	}
}

// populate fills both stores with notes, changes, relates, votes on and forgets some in the course of weeks, and embeds them.
func (w *twins) populate(t *testing.T, s *searcher) {
	t.Helper()
	for _, e := range w.engines {
		scope := hippo.LocalScope("")
		scope.Namespace = "x"
		entries := func(yield func(*hippo.Memory, error) bool) {
			for i, m := range s.notes {
				m = m.Clone()
				m.ID, m.Namespace, m.Source.Author = idOf(i, 1), "x", []string{"", "Ann", "Bo"}[i%3]
				if i%5 == 0 {
					m.ValidFrom, m.ValidUntil = w.now().AddDate(0, 0, i%20), w.now().AddDate(0, 0, 20+i%20)
				}
				if !yield(m, nil) {
					return
				}
			}
		}
		if r, err := transfer.New(e.In(scope)).Import(t.Context(), hippo.Calendar{}, entries, nil); err != nil || r.Added != len(s.notes) {
			t.Fatalf("imported %+v: %v", r, err)
		}
	}
	id := func() hippo.ID { return idOf(s.IntN(len(s.notes)), 1) }
	for range 80 {
		w.pass(8 * time.Hour)
		var err error
		switch s.IntN(4) {
		case 0:
			text := s.note().Content + " " + s.words(3)
			err = w.call(t, "modify", api.Modify{ID: id(), Change: api.Change{Content: &text}}, nil)
		case 1:
			err = w.call(t, "relate", []hippo.Relation{{From: id(), To: id(), Kind: "explains", Weight: .5}, {From: id(), To: id(), Kind: "depends on", Weight: 1}}, nil)
		case 2:
			err = w.call(t, "reinforce", api.Reinforce{Up: []hippo.ID{id()}, Query: s.questions[s.IntN(9)]}, nil)
		case 3:
			err = w.call(t, "forget", []hippo.ID{id()}, nil)
		}
		_ = err // that of a note that was forgotten is the same in both
	}
	for _, e := range w.engines {
		if err := local(e).Embed(context.WithoutCancel(t.Context()), func(int, int) {}); err != nil {
			t.Fatal(err)
		}
	}
	w.settle(t)
	if all := w.memories(t); len(all) != len(s.notes) || !slices.ContainsFunc(all, (*hippo.Memory).Forgotten) {
		t.Fatalf("%d memories", len(all))
	}
}
