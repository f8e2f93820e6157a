package recall

import (
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Question returns the sketch of what a query asks, by which votes are tied to it; nil if no model is
// in use, or it has no vector. Cost: some microseconds.
func (s *Searcher) Question(query string) hippo.Question { return s.model.question(questionOf(query)) }

// question returns the sketch of a question.
func (m *model) question(text string) hippo.Question {
	table, ok := m.tokens.(embed.TextEmbedder)
	if !ok || text == "" {
		return nil
	}
	static := table.Texts()
	tokens := static.Tokenize(nil, text)
	v := make([]float32, static.Model().Dimension)
	static.EmbedTokens(v, embed.Query, tokens[:min(len(tokens), maxQueryTokens)])
	return rank.Sketch(static.Model().ID, v)
}

// taught is what votes say of a passage.
type taught struct {
	lesson float64
	proven bool
}

// applyFeedback returns the passages with what votes and openings, on questions near this one, say about
// them. Only what matches about as well as the best is raised, so that votes order what is
// comparably relevant, but for what several votes on this very question praise. Without any feedback nothing is computed.
func applyFeedback(p *Plan, r reranked) reranked {
	lessons := lessonsOf(p, &r)
	if lessons == nil {
		return r
	}
	best := 0.0
	text := func(x *passage) float64 { return r.linear.Text(p.weights, x.sum(), 0) }
	for i := range r.list {
		if r.list[i].admitted {
			best = max(best, text(&r.list[i]))
		}
	}
	out, after := r, *r.passages
	after.list = slices.Clone(r.list)
	learning := &p.weights.Learning
	highest := math.Inf(-1)
	for i := range after.list {
		x := &after.list[i]
		if l := lessons[i]; l.lesson != 0 {
			x.votes.lesson = learning.Effective(l.lesson, text(x), best)
		}
		if x.admitted && !lessons[i].proven {
			highest = max(highest, x.sum()+learning.Shift*x.votes.lesson)
		}
	}
	for i, l := range lessons {
		if x := &after.list[i]; l.proven && x.admitted && !math.IsInf(highest, -1) {
			x.votes.lesson = learning.Proof(l.lesson, x.sum(), highest)
		}
	}
	out.passages = &after
	return out
}

// lessonsOf returns what votes and openings say of each passage; nil if there are none.
func lessonsOf(p *Plan, r *reranked) (lessons []taught) {
	if r.passages == nil {
		return nil
	}
	var question hippo.Question
	for i := range r.list {
		list := r.list[i].votes.list
		if len(list) == 0 {
			continue
		}
		if lessons == nil {
			question, lessons = p.question(p.search.Text), make([]taught, len(r.list))
		}
		lessons[i].lesson, lessons[i].proven = p.weights.Learning.Lesson(list, question, p.search.Day)
	}
	return lessons
}
