package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Row is what was measured of one system in one setting.
type Row struct {
	System  string  `json:"system"`
	Setting Setting `json:"setting"`
	// Score is the mean over the questions whose category is not [Excluded].
	Score
	Latency    Latency     `json:"latency,omitzero"`
	Categories []Category  `json:"categories,omitempty"`
	Confidence *Confidence `json:"confidence,omitempty"`
	// Answers are in the order of the questions of the set, without the [Unanswerable].
	Answers []Answer `json:"-"`
}

// Category is the score of the questions of one category.
type Category struct {
	Name string `json:"name"`
	// Excluded categories are not part of the row's score.
	Excluded bool `json:"excluded,omitempty"`
	Score
	Confidence *Confidence `json:"confidence,omitempty"`
}

// Answer is what a system found for one question.
type Answer struct {
	// Question must not be changed.
	*Question
	// Found are the names of the documents, best first, at most [Depth].
	Found []string
	// Score is of this question alone.
	Score Score
	// Taken is the latency of the search.
	Taken time.Duration
	// Weak: the reply says that it may not answer the question. Withheld: it lacks a right
	// document that was among the first [WithheldDepth] candidates.
	Weak, Withheld bool
	// Tokens is the size of the reply.
	Tokens float64
}

// Scored returns the scores that are part of the mean, in the order of the questions.
func (r *Row) Scored() []Score {
	var out []Score
	for i := range r.Answers {
		if !Excluded(r.Answers[i].Category) {
			out = append(out, r.Answers[i].Score)
		}
	}
	return out
}

// Measure asks one system all questions of a set, which must all be judged or unanswerable, see
// [Set.Asked]. Unanswerable ones are asked only of systems with a confidence. Now is the clock
// of the latencies; nil means the system's. Answered, if not nil, is called after each question.
// Errors: any of the system; a question whose group has no documents.
func Measure(ctx context.Context, s *Set, sys *System, now func() time.Time, answered func()) (Row, error) {
	if now == nil {
		now = time.Now //nolint:forbidigo // the system clock is the default
	}
	s = sys.Asked(s)
	m := measurement{set: s, system: sys, now: now, answered: answered, answers: make([]Answer, len(s.Questions))}
	for i := range s.Groups {
		if err := m.group(ctx, &s.Groups[i]); err != nil {
			return Row{}, fmt.Errorf("%s: %s: %w", s.Name, sys.Name, err)
		}
	}
	for i := range m.answers {
		if m.answers[i].Question == nil {
			return Row{}, fmt.Errorf("%s: question %s: no documents to search", s.Name, s.Questions[i].ID)
		}
	}
	return newRow(sys, s.Setting, m.answers), nil
}

// measurement is a [Measure] in progress.
type measurement struct {
	set      *Set
	system   *System
	now      func() time.Time
	answered func()
	answers  []Answer
}

// group asks the questions about one group of documents.
func (m *measurement) group(ctx context.Context, g *Group) (err error) {
	if !slices.ContainsFunc(m.set.Questions, func(q Question) bool { return q.Group == g.Name }) {
		return nil
	}
	searcher, err := m.system.Open(ctx, g.Docs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, searcher.Close()) }()
	for i := range m.set.Questions {
		q := &m.set.Questions[i]
		if q.Group != g.Name {
			continue
		}
		if m.answers[i], err = m.ask(ctx, searcher, q); err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		if m.answered != nil {
			m.answered()
		}
	}
	return nil
}

// ask asks one question, and once more for what the confidence may have withheld.
func (m *measurement) ask(ctx context.Context, s Searcher, q *Question) (Answer, error) {
	start := m.now()
	r, err := s.Search(ctx, Request{Text: q.Text, Count: Depth})
	a := Answer{Question: q, Found: r.Names, Taken: m.now().Sub(start), Weak: r.Weak, Tokens: r.Tokens}
	if err != nil || Unanswerable(q.Category) {
		return a, err
	}
	a.Score = ScoreOf(r.Names, q.Relevant)
	if m.system.Confident && !Excluded(q.Category) && len(r.Names) < WithheldDepth {
		all, err := s.Search(ctx, Request{Text: q.Text, Count: WithheldDepth, Unbounded: true})
		if err != nil {
			return a, err
		}
		a.Withheld = Withheld(r.Names, all.Names, q.Relevant)
	}
	return a, nil
}

func newRow(system *System, setting Setting, answers []Answer) Row {
	row := Row{System: system.Name, Setting: setting}
	var taken []time.Duration
	categories := make(map[string][]Answer)
	for i := range answers {
		a := &answers[i]
		if !Unanswerable(a.Category) {
			row.Answers = append(row.Answers, *a)
			taken = append(taken, a.Taken)
		}
		categories[a.Category] = append(categories[a.Category], *a)
	}
	row.Score, row.Latency = Mean(row.Scored()), LatencyOf(taken)
	if system.Confident {
		row.Confidence = confidenceOf(answers)
	}
	for name, list := range categories {
		if name == "" || Unanswerable(name) {
			continue
		}
		c := Category{Name: name, Excluded: Excluded(name), Score: Mean(scoresOf(list))}
		if system.Confident {
			c.Confidence = confidenceOf(list)
		}
		row.Categories = append(row.Categories, c)
	}
	slices.SortFunc(row.Categories, func(a, b Category) int { return cmp.Compare(a.Name, b.Name) })
	return row
}

func scoresOf(answers []Answer) []Score {
	out := make([]Score, len(answers))
	for i := range answers {
		out[i] = answers[i].Score
	}
	return out
}
