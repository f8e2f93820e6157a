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

// applyFeedback returns the passages with what votes and openings, on questions near this one, say about
// them. Only what matches about as well as the best is raised, so that votes order what is
// comparably relevant, but for what several votes on this very question praise. Without any feedback nothing is computed.
func applyFeedback(p *Plan, r reranked) reranked {
	if r.passages == nil || !r.voted() {
		return r
	}
	after := *r.passages
	after.list = slices.Clone(r.list)
	r.passages = &after
	learning, question := &p.weights.Learning, p.question(p.search.Text)
	best, highest := 0.0, math.Inf(-1)
	text := func(x *passage) float64 { return r.linear.Text(p.weights, x.sum(), 0) }
	for i := range r.list {
		x := &r.list[i]
		x.votes.lesson, x.votes.proven = learning.Lesson(x.votes.list, question, p.search.Day)
		if x.votes.proven = x.votes.proven && x.admitted; x.admitted {
			best = max(best, text(x))
		}
	}
	for i := range r.list {
		if x := &r.list[i]; !x.votes.proven {
			x.votes.lesson = learning.Effective(x.votes.lesson, text(x), best)
			if x.admitted {
				highest = max(highest, x.sum()+learning.Shift*x.votes.lesson)
			}
		}
	}
	for i := range r.list {
		switch x := &r.list[i]; {
		case !x.votes.proven:
		case math.IsInf(highest, -1): // there are no others
			x.votes.lesson = learning.Effective(x.votes.lesson, text(x), best)
		default:
			x.votes.lesson = learning.Proof(x.votes.lesson, x.sum(), highest)
		}
	}
	return r
}

// voted reports whether any passage has votes or openings.
func (g *passages) voted() bool {
	for i := range g.list {
		if len(g.list[i].votes.list) > 0 {
			return true
		}
	}
	return false
}
