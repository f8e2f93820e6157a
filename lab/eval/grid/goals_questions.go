package grid

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// besideOthers compares forms of the questions of team with the plain ones.
func besideOthers(ctx context.Context, o *Options) ([]Goal, error) {
	team := o.Library.set("team")
	if team == nil {
		return nil, nil
	}
	plain, err := o.byDefault(ctx, team)
	if err != nil {
		return nil, err
	}
	const within = .02
	var out []Goal
	for _, name := range []string{"prompt", "trace"} {
		list, err := two(ctx, o, "team, "+name, asked(team, Cell{Set: team.Name, Form: name}), plain.Recall10-within, plain.Hit1-within)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// misspelt compares the default with lexical search where letters or digits are wrong.
func misspelt(ctx context.Context, o *Options) ([]Goal, error) {
	var sets []*eval.Set
	var names []string
	if s := o.Library.set("exact"); s != nil {
		sets = append(sets, only(s, "ticket, wrong digit"), only(s, "error string, 2 words with typos", "symbol, 1 edit", "symbol, 2 edits"))
		names = append(names, "exact, wrong digit in a ticket", "exact, typos in errors and symbols")
	}
	if s := o.Library.set("team"); s != nil {
		sets, names = append(sets, asked(s, Cell{Set: s.Name, Form: "typos"})), append(names, "team, typos")
	}
	var out []Goal
	for i, s := range sets {
		lexical, err := o.ranked(ctx, s, hippo.RankerBM25)
		if err != nil {
			return nil, err
		}
		list, err := two(ctx, o, names[i], s, lexical.Recall10, lexical.Hit1)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// flagged counts marks on answers: where nothing answers, where something does, and where the subject is known and the detail is not.
func flagged(ctx context.Context, o *Options) ([]Goal, error) {
	var nothing, answered, near share
	ask := func(docs []*hippo.Memory, questions []string, s *share) error {
		return o.with(ctx, docs, func(e *engine.Engine) error {
			for _, q := range questions {
				a, err := searchFor(ctx, e, q, "")
				if err != nil {
					return err
				}
				s.add(eval.Weak(len(a.Hits), a.Weak))
			}
			return nil
		})
	}
	for _, name := range []string{"team", "life"} {
		s := o.Library.set(name)
		if s == nil {
			continue
		}
		if err := ask(docsOf(s), textsOf(s.Questions), &answered); err != nil {
			return nil, err
		}
		if err := ask(docsOf(s), o.Library.unanswered[name], &nothing); err != nil {
			return nil, err
		}
	}
	own := Synthetic()
	var missing []string
	for _, f := range facts() {
		missing = append(missing, f.missing)
	}
	docs := mixed(docsOf(own), o.Library.notes.beside(nil, 100))
	if err := ask(docs, missing, &near); err != nil {
		return nil, err
	}
	if err := ask(docs, textsOf(own.Questions), &answered); err != nil {
		return nil, err
	}
	return []Goal{
		nothing.goal("nothing answers: flagged", .90, false),
		answered.goal("something answers: flagged", .15, true),
		near.goal("the subject is known, the detail is not: flagged", .60, false),
	}, nil
}

// share counts.
type share struct{ n, all int }

func (s *share) add(is bool) {
	s.all++
	if is {
		s.n++
	}
}

func (s *share) goal(what string, must float64, most bool) Goal {
	return Goal{What: what, Questions: s.all, Now: float64(s.n) / float64(max(1, s.all)), Must: must, Most: most}
}

func textsOf(questions []eval.Question) (out []string) {
	for _, q := range questions {
		out = append(out, q.Text)
	}
	return out
}

// votedUp votes the right memory up twice for questions that find another one first, and asks again.
func votedUp(ctx context.Context, o *Options) ([]Goal, error) {
	team := o.Library.set("team")
	if team == nil {
		return nil, nil
	}
	const enough = 8
	var first share
	err := o.with(ctx, docsOf(team), func(e *engine.Engine) error {
		m := e.In(eval.Scope())
		var voted []eval.Question
		for _, q := range sampled(team, len(team.Questions)).Questions {
			a, err := searchFor(ctx, e, q.Text, "")
			if err != nil {
				return err
			}
			at := slices.IndexFunc(a.Hits, func(h hippo.Hit) bool { return q.Relevant[eval.Name(h.Memory)] > 0 })
			if at < 1 || len(voted) == enough {
				continue
			}
			for range 2 {
				if _, err := memory.Cast(ctx, m, api.Reinforce{Up: []hippo.ID{a.Hits[at].Memory.ID}, Query: q.Text}); err != nil {
					return err
				}
			}
			q.Relevant = map[string]float64{eval.Name(a.Hits[at].Memory): 1}
			voted = append(voted, q)
		}
		for _, q := range voted {
			a, err := searchFor(ctx, e, q.Text, "")
			if err != nil {
				return err
			}
			first.add(eval.ScoreOf(namesOf(a), q.Relevant).Hit1 > 0)
		}
		return nil
	})
	return []Goal{{What: "voted up twice for a question: first", Questions: first.all, Now: float64(first.n), Must: float64(first.all)}}, err
}

// insideNotes measures how often the text shown of a long memory has part of the note that answers, which is hidden in it.
func insideNotes(ctx context.Context, o *Options) ([]Goal, error) {
	team := o.Library.set("team")
	if team == nil {
		return nil, nil
	}
	s := sampled(team, 80)
	var out []Goal
	for _, x := range []struct {
		words int
		must  float64
	}{{100, .94}, {500, .88}, {2000, .80}} {
		var seen share
		docs, inner := o.Library.inside(s, x.words)
		err := o.with(ctx, docs, func(e *engine.Engine) error {
			for _, q := range s.Questions {
				a, err := searchFor(ctx, e, q.Text, "")
				if err != nil {
					return err
				}
				seen.add(inSight(a, q.Relevant, inner))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		out = append(out, seen.goal(fmt.Sprintf("notes inside notes of %d words: some of the answer in sight", x.words), x.must, false))
	}
	return out, nil
}

// inside puts each memory that answers a question at a place among sentences of other sets, so that both together have words in that number. It returns what to
// store, and the memories that lie inside, by name.
func (l *Library) inside(s *eval.Set, words int) (docs []*hippo.Memory, inner map[string]string) {
	var sentences []string
	for _, name := range []string{"life", "lessons"} {
		if other := l.set(name); other != nil {
			for text := range sentencesOf(docsOf(other)) {
				sentences = append(sentences, text)
			}
		}
	}
	slices.Sort(sentences)
	r := seeded("inside")
	answers := make(map[string]bool)
	for _, q := range s.Questions {
		for name := range q.Relevant {
			answers[name] = true
		}
	}
	inner = make(map[string]string)
	for _, m := range docsOf(s) {
		if !answers[eval.Name(m)] {
			continue
		}
		var parts []string
		for n := len(strings.Fields(m.Content)); n < words; {
			text := pick(r, sentences...)
			parts, n = append(parts, text), n+len(strings.Fields(text))
		}
		parts = slices.Insert(parts, r.IntN(len(parts)+1), m.Content)
		c := m.Clone()
		c.Content = strings.Join(parts, " ")
		c.ContentHash = hippo.HashContent(c.Content)
		docs, inner[eval.Name(m)] = append(docs, c), m.Content
	}
	return docs, inner
}

const (
	// shownOfHit is how many characters of a hit the tool of MCP shows.
	shownOfHit = 300
	// some of an answer is that number of its words in a row.
	some = 5
)

// inSight reports whether a page shows some of a memory that answers.
func inSight(a *hippo.Answer, relevant map[string]float64, inner map[string]string) bool {
	v := wire.View{Preview: shownOfHit}
	for i := range a.Hits {
		name := eval.Name(a.Hits[i].Memory)
		if relevant[name] == 0 {
			continue
		}
		shown := " " + strings.Join(strings.Fields(v.Shown(a, i).Text), " ") + " "
		words := strings.Fields(inner[name])
		for k := 0; k+min(some, len(words)) <= len(words); k++ {
			if strings.Contains(shown, " "+strings.Join(words[k:k+min(some, len(words))], " ")+" ") {
				return true
			}
		}
	}
	return false
}
