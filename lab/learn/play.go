package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/store"
)

// models are those of the searches, opened once for all stores.
type models struct {
	all    []eval.Model
	tokens embed.TokenEmbedder
}

func openModels(ctx context.Context, name string) (m models, err error) {
	if m.tokens, err = app.TokenEmbedder(); err != nil {
		return m, err
	}
	m.all, err = eval.OpenModels(ctx, []string{name}, os.Getenv, app.OpenModels)
	return m, err
}

// shared hides that a model can be closed: it outlives the engine.
type shared struct{ embed.Embedder }

// place is a store with its engine and its clock.
type place struct {
	*engine.Memories
	now   time.Time
	names map[hippo.ID]string
}

// opened says how a store is opened.
type opened struct {
	weights *rank.Weights
	// surprising: memories get a surprise, as they do outside of this tool.
	surprising bool
}

// open records documents in a new store.
func open(ctx context.Context, m models, docs []*hippo.Memory, o opened) (*place, error) {
	p := &place{now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), names: make(map[hippo.ID]string)}
	clock := func() time.Time { return p.now }
	s := store.New(app.Memory(), &store.Options{Now: clock, Zone: time.UTC})
	var used []embedding.Model
	for _, x := range m.all[0].Used {
		x.Embedder = shared{x.Embedder}
		used = append(used, x)
	}
	into := index.Options{Tokens: m.tokens}
	into.Models, into.Instant = embedding.Indexed(used)
	x, err := index.Open(ctx, s, &into)
	if err != nil {
		return nil, err
	}
	e := engine.New(engine.Config{Store: s, Index: x, Models: used, Tokens: m.tokens, Weights: o.weights, Now: clock})
	if o.surprising {
		e.Score(engine.Surprise{Options: surprise.Default(surprise.Nearest)}, nil)
	}
	p.Memories = memory.AllowSecrets(e.In(eval.Scope()))
	list := func(yield func(*hippo.Memory, error) bool) {
		for i, d := range docs {
			d = d.Clone()
			if d.CreatedAt.IsZero() {
				d.CreatedAt = p.now.Add(time.Duration(i+1-len(docs)) * time.Second)
			}
			p.names[d.ID] = eval.Name(d)
			if !yield(d, nil) {
				return
			}
		}
	}
	_, err = transfer.New(p.Memories).AllowSecrets().Import(ctx, hippo.Calendar{}, list, nil)
	if err == nil {
		_, err = query.Search(ctx, p.Memories, hippo.Query{Text: "a", Count: 1, NoTouch: true})
	}
	if err == nil {
		err = p.Embed(ctx, func(int, int) {})
	}
	if err == nil {
		_, err = upkeep.Rescore(ctx, p.Memories, 0)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// score is the sums of the measures over questions.
type score struct {
	n                 int
	hit, mrr, r5, r10 float64
}

func (s *score) add(names []string, relevant map[string]float64) {
	s.n++
	first, found := 0, 0.0
	for i, name := range names[:min(len(names), eval.Depth)] {
		if relevant[name] == 0 {
			continue
		}
		if first == 0 {
			first = i + 1
			s.mrr += 1 / float64(first)
		}
		if i == 0 {
			s.hit++
		}
		found++
		if i < 5 {
			s.r5 += 1 / float64(len(relevant))
		}
	}
	s.r10 += found / float64(len(relevant))
}

func (s *score) sum(o *score) {
	s.n, s.hit, s.mrr, s.r5, s.r10 = s.n+o.n, s.hit+o.hit, s.mrr+o.mrr, s.r5+o.r5, s.r10+o.r10
}

// result is the scores of both halves, before and after.
type result struct{ asked, unasked [2]score }

func (r *result) sum(o *result) {
	for i := range 2 {
		r.asked[i].sum(&o.asked[i])
		r.unasked[i].sum(&o.unasked[i])
	}
}

// gain returns by how much hit@1 of the halves changed.
func (r *result) gain() (asked, unasked float64) {
	return mean(r.asked[1].hit, r.asked[1].n) - mean(r.asked[0].hit, r.asked[0].n), mean(r.unasked[1].hit, r.unasked[1].n) - mean(r.unasked[0].hit, r.unasked[0].n)
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func (r *result) write(w io.Writer, name string) {
	for _, half := range []struct {
		name string
		s    *[2]score
	}{{"asked", &r.asked}, {"unasked", &r.unasked}} {
		for i, when := range []string{"before", "after"} {
			s := &half.s[i]
			fmt.Fprintf(w, "| %s | %d %s | %s | %.3f | %.3f | %.3f | %.3f |\n", name, s.n, half.name, when,
				mean(s.hit, s.n), mean(s.mrr, s.n), mean(s.r5, s.n), mean(s.r10, s.n))
		}
	}
}

// The questions that votes for irrelevant memories are tied to.
const (
	asThemselves = "themselves"
	asAnswers    = "answers"
	nothing      = "nothing" // no votes: searches alone
)

// playAll plays the days on each group of a set, and measures the result with each choice of the
// constants, which matter when votes are read.
func playAll(ctx context.Context, m models, s *eval.Set, choices []rank.Learning, o *options) ([]result, error) {
	out := make([]result, len(choices))
	questions := sampled(s, o.sample)
	for i := range s.Groups {
		g := &s.Groups[i]
		list := of(g, questions)
		if len(list) == 0 {
			continue
		}
		results, err := playGroup(ctx, m, g, list, choices, o)
		if err != nil {
			return nil, err
		}
		for k := range results {
			out[k].sum(&results[k])
		}
	}
	return out, nil
}

// of returns the questions of a group.
func of(g *eval.Group, questions []eval.Question) (list []eval.Question) {
	for _, q := range questions {
		if q.Group == g.Name {
			list = append(list, q)
		}
	}
	return list
}

// sampled returns the judged questions of a set, at most n at equal distances.
func sampled(s *eval.Set, n int) (list []eval.Question) {
	for _, q := range s.Judged().Questions {
		if !eval.Excluded(q.Category) {
			list = append(list, q)
		}
	}
	if n == 0 || len(list) <= n {
		return list
	}
	out := make([]eval.Question, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

func playGroup(ctx context.Context, m models, g *eval.Group, list []eval.Question, choices []rank.Learning, o *options) (out []result, err error) {
	w := o.weights
	w.Learning = choices[0]
	p, err := open(ctx, m, g.Docs, opened{weights: &w})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	halves := halved(list)
	var before result
	measure := func(r *result, at int) error {
		return errors.Join(p.measure(ctx, halves[0], &r.asked[at]), p.measure(ctx, halves[1], &r.unasked[at]))
	}
	if err := measure(&before, 0); err != nil {
		return nil, err
	}
	wrong := irrelevant(g, list)
	for day := range o.days {
		p.now = p.now.AddDate(0, 0, 1)
		if err := p.live(ctx, halves[0], wrong, day, o.irrelevant); err != nil {
			return nil, err
		}
	}
	if err := p.Flush(ctx); err != nil {
		return nil, err
	}
	for _, c := range choices {
		w.Learning = c
		r := before
		if err := measure(&r, 1); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// halved returns the questions that are asked, and those that are not.
func halved(list []eval.Question) (halves [2][]eval.Question) {
	for i, q := range list {
		halves[i%2] = append(halves[i%2], q)
	}
	return halves
}

// live plays one day.
func (p *place) live(ctx context.Context, asked []eval.Question, wrong []*hippo.Memory, day int, votes string) error {
	for i, q := range asked {
		hits, err := p.ask(ctx, q.Text, false)
		if err == nil {
			switch votes {
			case asAnswers:
				err = p.mislead(ctx, q.Text, hits, wrong, (day+i)%len(asked))
			case asThemselves, nothing:
			default:
				err = p.teach(ctx, &q, hits)
			}
		}
		if err != nil {
			return err
		}
	}
	if votes != asThemselves {
		return nil
	}
	for _, m := range wrong {
		words := strings.Fields(m.Content)
		text := strings.Join(words[:min(8, len(words))], " ")
		if _, err := p.ask(ctx, text, false); err != nil {
			return err
		}
		if err := p.praise(ctx, text, m.ID); err != nil {
			return err
		}
	}
	return nil
}

// ask searches and returns the IDs of the first page.
func (p *place) ask(ctx context.Context, text string, quietly bool) ([]hippo.ID, error) {
	a, err := query.Search(ctx, p.Memories, hippo.Query{Text: text, Count: eval.Depth, NoTouch: quietly})
	if err != nil {
		return nil, err
	}
	return a.IDs(), nil
}

func (p *place) measure(ctx context.Context, list []eval.Question, s *score) error {
	for _, q := range list {
		ids, err := p.ask(ctx, q.Text, true)
		if err != nil {
			return err
		}
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = p.names[id]
		}
		s.add(names, q.Relevant)
	}
	return nil
}

// teach votes for what answers a question on its page, and opens the first of it.
func (p *place) teach(ctx context.Context, q *eval.Question, hits []hippo.ID) error {
	var right []hippo.ID
	for _, id := range hits {
		if q.Relevant[p.names[id]] > 0 {
			right = append(right, id)
		}
	}
	if len(right) == 0 {
		return nil
	}
	return p.praise(ctx, q.Text, right...)
}

// praise votes for memories as answers to a question, and opens the first one.
func (p *place) praise(ctx context.Context, text string, ids ...hippo.ID) error {
	if err := memory.Opened(ctx, p.Memories, map[hippo.ID]string{ids[0]: text}); err != nil {
		return err
	}
	_, err := memory.Cast(ctx, p.Memories, api.Reinforce{Up: ids, Query: text})
	return err
}

// mislead votes for the irrelevant memories on the page of a question. One of them
// is voted for whether it is there or not.
func (p *place) mislead(ctx context.Context, text string, hits []hippo.ID, wrong []*hippo.Memory, turn int) error {
	var up []hippo.ID
	for n, m := range wrong {
		if slices.Contains(hits, m.ID) || n == turn {
			up = append(up, m.ID)
		}
	}
	if len(up) == 0 {
		return nil
	}
	return p.praise(ctx, text, up...)
}

// irrelevant draws ten memories that answer none of the questions.
func irrelevant(g *eval.Group, list []eval.Question) (out []*hippo.Memory) {
	answers := make(map[string]bool)
	for _, q := range list {
		for name := range q.Relevant {
			answers[name] = true
		}
	}
	for _, d := range g.Docs {
		if !answers[eval.Name(d)] {
			out = append(out, d)
		}
	}
	draw := rand.New(rand.NewPCG(1, 2))
	draw.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(10, len(out))]
}
