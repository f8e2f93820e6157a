package recall

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/rank"
)

// Question returns the sketch of what was asked, by which votes are tied to it; nil if no model is
// in use, or it has no vector. Cost: some microseconds.
func (s *Searcher) Question(text string) hippo.Question { return s.model.question(text) }

// question is [Searcher.Question].
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

// teach returns the passages with what votes and openings, on questions near this one, say about
// them. Only what matches about as well as the best is raised, so that votes order what is
// comparably relevant. Without any feedback nothing is computed.
func teach(p *Plan, r reranked) reranked {
	if r.passages == nil {
		return r
	}
	var question hippo.Question
	var lessons []float64
	for i := range r.list {
		list := r.list[i].votes.list
		if len(list) == 0 {
			continue
		}
		if lessons == nil {
			question, lessons = p.question(p.search.Text), make([]float64, len(r.list))
		}
		lessons[i] = p.weights.Learning.Lesson(list, question, p.search.Day)
	}
	if lessons == nil {
		return r
	}
	best := 0.0
	text := func(x *passage) float64 { return r.linear.Text(p.weights, &x.features, 0) }
	for i := range r.list {
		if r.list[i].admitted {
			best = max(best, text(&r.list[i]))
		}
	}
	out, taught := r, *r.passages
	taught.list = slices.Clone(r.list)
	for i, lesson := range lessons {
		if lesson != 0 {
			x := &taught.list[i]
			x.votes.lesson = p.weights.Learning.Effective(lesson, text(x), best)
		}
	}
	out.passages = &taught
	return out
}
