package briefing

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
)

// plan is how a section is filled.
type plan struct {
	section string
	// share is the part of the budget that the section gets before others get the rest.
	share float64
	// halfLife is the age at which the recency of a memory is one half.
	halfLife time.Duration
	// importance, recency, prompt and state weigh the parts of a score.
	importance, recency, prompt, state float64
	// min is the score from which on a memory is worth knowing.
	min float64
}

// minPrompt is the relevance to a prompt from which on a memory is related to it.
const minPrompt = .2

const day = 24 * time.Hour

// plans are the sections in the order in which they are filled. The weights were set by hand;
// lab/replay measures what they give.
func plans() []plan {
	return []plan{
		{section: Rules, share: .3, halfLife: 180 * day, importance: .7, recency: .1, prompt: .5, state: .2, min: .2},
		{section: Related, share: .35, halfLife: 90 * day, importance: .1, recency: .1, prompt: 1, min: minPrompt},
		{section: Tasks, share: .2, halfLife: 14 * day, importance: .5, recency: .4, prompt: .5, state: .3, min: .25},
		{section: Decisions, share: .25, halfLife: 60 * day, importance: .5, recency: .3, prompt: .7, state: .4, min: .25},
		{section: Recent, share: .25, halfLife: 5 * day, importance: .3, recency: .6, state: .6, min: .3},
	}
}

// scored is a candidate that is worth knowing.
type scored struct {
	*Candidate
	score float64
}

// Select selects what to know now. The text of the result has at most in.MaxTokens tokens.
func Select(in *Input) *api.Briefing {
	b := &api.Briefing{Unassigned: in.Unassigned}
	lists := make(map[string][]scored)
	for i := range in.Candidates {
		c := &in.Candidates[i]
		p, ok := planOf(in, c)
		if !ok {
			continue
		}
		score := p.score(c, in.Now)
		switch {
		case score < p.min && c.Prompt < minPrompt:
		case !Trusted(c.Memory):
			b.LowTrust++
		default:
			lists[p.section] = append(lists[p.section], scored{c, score})
		}
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), b.Memory.CreatedAt.Compare(a.Memory.CreatedAt), a.Memory.ID.Compare(b.Memory.ID))
		})
	}
	if in.PromptOnly {
		lists[Related] = in.leading(lists[Related])
	}
	f := &filler{in: in, briefing: b, unique: duplicates{in: in}, seen: make(map[hippo.ID]bool), left: budget(in, b)}
	f.fillFacts()
	f.fillPrompt(lists)
	f.fill(lists, true)
	f.fill(lists, false)
	order := []string{Rules, Tasks, Decisions, Recent, Related}
	slices.SortStableFunc(b.Items, func(x, y api.BriefingItem) int {
		return cmp.Compare(slices.Index(order, x.Section), slices.Index(order, y.Section))
	})
	b.Text = textOf(b, in.PromptOnly)
	return b
}

// planOf returns the plan of the section of a candidate; false if it is never selected.
func planOf(in *Input, c *Candidate) (plan, bool) {
	m := c.Memory
	if m.Forgotten() || !in.holds(m) || done(m) || !slices.Contains(in.Projects, m.Project) {
		return plan{}, false
	}
	s := sectionOf(c)
	if in.PromptOnly {
		if c.Prompt <= 0 || !in.named(m.Content) {
			return plan{}, false
		}
		s = Related
	}
	all := plans()
	return all[slices.IndexFunc(all, func(p plan) bool { return p.section == s })], true
}

// holds reports whether a memory holds at the time of the query.
func (in *Input) holds(m *hippo.Memory) bool {
	if t := in.At.ValidAt; !t.IsZero() {
		return m.ValidAt(t)
	}
	return m.SupersededBy.IsZero() && m.ValidAt(in.Now)
}

// score is how much a candidate is worth knowing. What is pinned always is.
func (p *plan) score(c *Candidate, now time.Time) float64 {
	age := max(0, now.Sub(c.Memory.When()))
	recency := math.Exp2(-float64(age) / float64(p.halfLife))
	s := p.importance*c.Importance + p.recency*recency + p.prompt*c.Prompt + p.state*c.State
	if c.Memory.Pinned && p.section == Rules {
		s++
	}
	return s
}

// budget is what the heading and the last line leave of the tokens.
func budget(in *Input, b *api.Briefing) float64 {
	h := heading
	if in.PromptOnly {
		h = promptHeading
	}
	n := cmp.Or(in.MaxTokens, api.DefaultTokens) - tokencount.Of(h+"\n"+frameEnd+"\n")
	if b.LowTrust > 0 {
		n -= tokencount.Of(lowTrust(b) + "\n")
	}
	return float64(n)
}

// filler adds items while the budget lasts.
type filler struct {
	in       *Input
	briefing *api.Briefing
	unique   duplicates
	left     float64
	opened   []string
	seen     map[hippo.ID]bool
}

// fill adds the best of each list; with shares, only until a section has its share of the budget.
func (f *filler) fill(lists map[string][]scored, shares bool) {
	whole := f.left
	for _, p := range plans() {
		limit := f.left
		if shares && !f.in.PromptOnly {
			limit = min(limit, p.share*whole)
		}
		for _, c := range lists[p.section] {
			if f.seen[c.Memory.ID] {
				continue
			}
			cost, fits := f.add(p.section, c.Memory, limit)
			if !fits {
				break // the next pass may add it
			}
			limit -= cost
		}
	}
}

// promptShare is the part of the budget that what the prompt reminds of gets before all else; the
// best of it gets more if it needs more.
const promptShare = .5

// fillPrompt adds what the prompt reminds of, in whatever section it is shown.
func (f *filler) fillPrompt(lists map[string][]scored) {
	var found []scored
	sections := make(map[hippo.ID]string)
	for s, list := range lists {
		for _, c := range list {
			if c.Prompt >= minPrompt {
				found = append(found, c)
				sections[c.Memory.ID] = s
			}
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.Prompt, a.Prompt), a.Memory.ID.Compare(b.Memory.ID))
	})
	limit := f.left
	if !f.in.PromptOnly {
		limit *= promptShare
	}
	for i, c := range found {
		within := limit
		if i == 0 {
			within = f.left
		}
		cost, fits := f.add(sections[c.Memory.ID], c.Memory, within)
		if !fits {
			return
		}
		limit -= cost
	}
}

// newest returns the newest of the memories that may be shown and change a value of m, or m.
func (f *filler) newest(m *hippo.Memory) *hippo.Memory {
	out := m
	if f.in.Changed == nil {
		return m
	}
	for i := range f.in.Candidates {
		o := f.in.Candidates[i].Memory
		if _, ok := planOf(f.in, &f.in.Candidates[i]); ok && Trusted(o) && out.When().Before(o.When()) && f.in.Changed(m, o) {
			out = o
		}
	}
	return out
}

// add adds a memory, unless the reader knows it or an item says the same. It returns what that
// costs, and whether it was within the limit.
func (f *filler) add(s string, m *hippo.Memory, limit float64) (cost float64, fits bool) {
	if newer := f.newest(m); newer != m { // what it says holds no more: the newer one stands for it
		f.seen[m.ID] = true
		if m = newer; f.seen[m.ID] {
			return 0, true
		}
	}
	terms := f.unique.termsOf(m.Content)
	known := f.in.Known != nil && f.in.Known(m)
	if known || f.unique.has(m, terms) {
		if known { // what says the same is known, too
			f.unique.add(m, terms)
		}
		f.seen[m.ID] = true
		return 0, true
	}
	item := api.BriefingItem{Memory: m, ID: f.in.IDs.Of(m.ID), Section: s, Preview: f.preview(m), Source: source(m), Age: age(m.When(), f.in.Now), Note: f.in.Notes[m.ID]}
	item.Instructs = f.in.Instructs != nil && f.in.Instructs(beginning(m.Content)+"\n"+item.Preview)
	text := line(&item) + "\n"
	if !f.in.PromptOnly && !slices.Contains(f.opened, s) {
		text += title(s) + "\n"
	}
	if cost = float64(tokencount.Of(text)); cost > limit {
		return 0, false
	}
	f.seen[m.ID] = true
	f.unique.add(m, terms)
	f.briefing.Items = append(f.briefing.Items, item)
	f.opened = append(f.opened, s)
	f.left -= cost
	return cost, true
}
