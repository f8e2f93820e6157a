package grid

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/lab/eval/decisions"
)

// with opens a store of memories for a function.
func (o *Options) with(ctx context.Context, docs []*hippo.Memory, do func(e *engine.Engine) error) error {
	e, err := eval.OpenEngine(ctx, dated(docs), &o.Engine)
	if err != nil {
		return err
	}
	return errors.Join(do(e), e.Close())
}

// ranked measures a ranker, empty for the default, on the questions of a set, all groups in one store.
func (o *Options) ranked(ctx context.Context, s *eval.Set, r hippo.Ranker) (m Measures, err error) {
	var scores []eval.Score
	err = o.with(ctx, docsOf(s), func(e *engine.Engine) error {
		for _, q := range s.Questions {
			a, err := searchFor(ctx, e, q.Text, r)
			if err != nil {
				return err
			}
			scores = append(scores, eval.ScoreOf(namesOf(a), q.Relevant))
		}
		return nil
	})
	mean := eval.Mean(scores)
	return Measures{mean.Recall10, mean.Hit1}, err
}

func searchFor(ctx context.Context, e *engine.Engine, text string, r hippo.Ranker) (*hippo.Answer, error) {
	return query.Search(ctx, e.In(eval.Scope()), hippo.Query{Text: text, Ranker: r, Count: eval.Depth, NoTouch: true})
}

func namesOf(a *hippo.Answer) []string {
	out := make([]string, len(a.Hits))
	for i := range a.Hits {
		out[i] = eval.Name(a.Hits[i].Memory)
	}
	return out
}

// beside is the set with more memories in its store, all groups in one.
func beside(s *eval.Set, more []*hippo.Memory) *eval.Set {
	out := pooled(s)
	out.Groups[0].Docs = mixed(out.Groups[0].Docs, more)
	return out
}

// subject has what was decided on it, and why.
type subject struct{ name, decided, because string }

func subjects() []subject {
	return []subject{
		{"caching", "keep the write-through cache in front of the catalogue", "stale prices cost us three refunds"},
		{"the billing migration", "move invoices to the new ledger service in two steps", "the nightly job cannot be paused longer than an hour"},
		{"feature flags", "let product managers own every flag after the rollout", "nobody removed the old ones"},
		{"the mobile release", "ship the app from a release branch every second Tuesday", "the store review takes up to four days"},
		{"log retention", "delete application logs after forty days", "storage grew by a third"},
		{"the search engine", "stay with Postgres full text search", "the cluster was never tuned by anybody"},
		{"code review", "ask two people for each change in the payment module", "two incidents came from single approvals"},
		{"on-call rotation", "hand the pager over on Wednesdays at noon", "Mondays are full of incidents from the weekend"},
	}
}

// decided is a set of a decision on each subject among 19 remarks on it, and three questions on each.
func decided() *eval.Set {
	s := &eval.Set{Name: "decided", Groups: []eval.Group{{}}}
	for i, x := range subjects() {
		m := note("decision", i, fmt.Sprintf("We decided on %s: we %s because %s, and everybody agreed that it stays like this until the architecture review in spring.", x.name, x.decided, x.because), 1)
		m.Situation = []string{"working on " + x.name}
		s.Groups[0].Docs = append(s.Groups[0].Docs, m)
		for k, r := range remarks() {
			s.Groups[0].Docs = append(s.Groups[0].Docs, note("remark", i*len(remarks())+k, about(r, x.name), hippo.DefaultImportance))
		}
		for _, ask := range []string{"what did we decide about %s", "what was decided on %s", "our decision on %s"} {
			text := fmt.Sprintf(ask, x.name)
			s.Questions = append(s.Questions, eval.Question{ID: text, Text: text, Relevant: map[string]float64{eval.Name(m): 1}})
		}
	}
	return s
}

// decisionAmongChatter asks for decisions in stores that were recorded in five orders. The worst one counts.
func decisionAmongChatter(ctx context.Context, o *Options) ([]Goal, error) {
	s := decided()
	r := seeded("orders")
	var first, five []int
	for order := range 5 {
		docs := slices.Clone(s.Groups[0].Docs)
		switch order {
		case 0:
		case 1:
			slices.Reverse(docs)
		default:
			r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		}
		firsts, fives := 0, 0
		err := o.with(ctx, docs, func(e *engine.Engine) error {
			for _, q := range s.Questions {
				a, err := searchFor(ctx, e, q.Text, "")
				if err != nil {
					return err
				}
				score := eval.ScoreOf(namesOf(a), q.Relevant)
				firsts, fives = firsts+int(score.Hit1), fives+int(score.Recall5)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		first, five = append(first, firsts), append(five, fives)
	}
	n := len(s.Questions)
	return []Goal{
		{What: fmt.Sprintf("decision among chatter, first, the worst of five orders %v", first), Questions: n, Now: float64(slices.Min(first)), Must: 22},
		{What: fmt.Sprintf("decision among chatter, in five, the worst of five orders %v", five), Questions: n, Now: float64(slices.Min(five)), Must: float64(n)},
	}, nil
}

// decisionBench runs bench A with the default ranker. The worst of three orders counts.
func decisionBench(ctx context.Context, o *Options) ([]Goal, error) {
	var out []Goal
	for _, size := range []int{20, 50} {
		b := decisions.A(size)
		worst := 1.0
		for _, order := range decisions.Orders() {
			f, err := decisions.Run(ctx, b, order, 1, &decisions.System{Engine: o.Engine})
			if err != nil {
				return nil, err
			}
			worst = min(worst, f.First)
		}
		out = append(out, Goal{What: "bench " + b.Name + ", first, the worst of three orders", Questions: len(b.Queries), Now: worst, Must: .9})
	}
	return out, nil
}

// foreignAmongOthers asks for the notes of other languages among English ones.
func foreignAmongOthers(ctx context.Context, o *Options) ([]Goal, error) {
	world := o.Library.set(foreignSet)
	if world == nil {
		return nil, nil
	}
	var english []*hippo.Memory
	for _, name := range []string{"team", "lessons", "exact"} {
		if s := o.Library.set(name); s != nil {
			english = append(english, docsOf(s)...)
		}
	}
	all := beside(world, english)
	out, err := two(ctx, o, "world among team, lessons and exact, English question", only(all, "cross-en"), .85, .60)
	if err != nil {
		return nil, err
	}
	other, err := two(ctx, o, "world among team, lessons and exact, other to other", only(all, "cross"), .80, .50)
	return append(out, other...), err
}

// besideChat asks team among 500 turns of chat and among 500 lines of logs.
func besideChat(ctx context.Context, o *Options) ([]Goal, error) {
	team := o.Library.set("team")
	if team == nil {
		return nil, nil
	}
	const n = 500
	out, err := two(ctx, o, "team with 500 turns of chat", beside(team, o.Library.chat.beside(docsOf(team), n)), .955, .80)
	if err != nil {
		return nil, err
	}
	more, err := two(ctx, o, "team with 500 lines of logs that hardly differ", beside(team, logs(o.Library, nil, n)), .955, .80)
	return append(out, more...), err
}
