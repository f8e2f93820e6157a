package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/store"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// gatherer collects candidates, each once.
type gatherer struct {
	memories *engine.Memories
	filter   hippo.Filter
	found    []briefing.Candidate
	known    map[hippo.ID]int // where in found
	facts    []briefing.Fact
}

func (g *gatherer) gather(ctx context.Context, q *briefing.Query) error {
	facts, err := g.search(ctx, q.Prompt, func(c *briefing.Candidate, a *hippo.Answer, h *hippo.Hit) {
		c.Prompt, c.Words, c.Cosine, c.Confidence = h.Relevance, h.Signals.Coverage, h.Signals.Cosine, a.Confidence
	})
	for i := range facts {
		g.facts = append(g.facts, briefing.Fact{Fact: facts[i], Text: knowledge.FactText(&facts[i], g.memories.Clock())})
	}
	if err != nil || q.PromptOnly {
		return err
	}
	if _, err := g.search(ctx, q.State, func(c *briefing.Candidate, _ *hippo.Answer, h *hippo.Hit) { c.State = h.Relevance }); err != nil {
		return err
	}
	var ids []hippo.ID
	day, err := store.DayOf(ctx, g.memories.Store)
	if err != nil {
		return err
	}
	err = g.memories.Indexed(ctx, func() error {
		ids, err = g.list(ctx, g.memories.Searcher.Clock(day))
		return err
	})
	if err != nil {
		return err
	}
	ms, err := g.memories.Scoped.Get(ctx, ids)
	if err != nil {
		return err
	}
	for _, m := range ms {
		g.add(m, day)
	}
	return g.touched(ctx, &q.Work)
}

// minConfidence is the confidence below which a briefing leaves out a weak answer. It is below that
// of a mark, because a search still shows what it marks: on the development sets, three of four right
// answers that are marked are above it.
const minConfidence = 0.25

// search adds what a text finds, with its relevance, and returns the facts of the answer.
func (g *gatherer) search(ctx context.Context, text string, set func(*briefing.Candidate, *hippo.Answer, *hippo.Hit)) ([]hippo.Fact, error) {
	if text = searchable(text); text == "" {
		return nil, nil
	}
	a, err := Search(ctx, g.memories, hippo.Query{Text: text, Filter: g.filter, Count: maxFound, Ranker: hippo.RankerHippo, NoTouch: true, Detail: hippo.Detail{NoDistribution: true}})
	if err != nil {
		return nil, err
	}
	if a.Weak != "" && a.Confidence < minConfidence {
		return a.Facts, nil
	}
	for i := range a.Hits {
		if h := &a.Hits[i]; !h.Memory.Archived() {
			c := g.add(h.Memory, a.Day)
			if set(c, a, h); c.Excerpt == nil {
				c.Excerpt = h.Excerpt
			}
		}
	}
	return a.Facts, nil
}

const (
	// maxTouched is how many memories that share words with the names of changed code are looked at.
	maxTouched = 64
	// maxTouchedWords is how many of these names are searched for: a search takes longer with every word.
	maxTouchedWords = 32
)

// touched adds memories that speak of code that is worked on, and says of all candidates that do that they fit the state
// of the work wholly. The search is lexical; what it finds counts only if it names the code.
//
// Cost: a lexical search, and a pass over the texts of the candidates.
func (g *gatherer) touched(ctx context.Context, w *api.Work) error {
	if len(w.Files) == 0 {
		return nil
	}
	code := codeindex.NewTouched(w.Files, w.Names)
	a, err := Search(ctx, g.memories, hippo.Query{
		Text: wordsOfCode(w), Filter: g.filter, Count: maxTouched, Ranker: hippo.RankerBM25, NoTouch: true, Detail: hippo.Detail{NoDistribution: true},
	})
	if err != nil {
		return err
	}
	for _, h := range a.Hits {
		if !h.Memory.Archived() && code.In(h.Memory.Content) {
			g.add(h.Memory, a.Day)
		}
	}
	for i := range g.found {
		if c := &g.found[i]; code.In(c.Memory.Content) {
			c.State = 1
		}
	}
	return nil
}

// wordsOfCode returns what to search for: the names of the files, and the last parts of the names of what they define.
func wordsOfCode(w *api.Work) string {
	var words []string
	add := func(name string) {
		if len(words) < maxTouchedWords && !slices.Contains(words, name) {
			words = append(words, name)
		}
	}
	for _, f := range w.Files {
		add(f[strings.LastIndexByte(f, '/')+1:])
	}
	for _, name := range w.Names {
		add(name[strings.LastIndexByte(name, '.')+1:])
	}
	return searchable(strings.Join(words, " "))
}

// searchable returns a text as a query takes it: prompts and subjects of commits are of any length, with characters of any kind.
func searchable(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text[:min(len(text), hippo.MaxQuery)])
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), hippo.MaxQuery)], ""))
}

// list returns the newest memories, and the most important ones that are pinned or belong to a
// section by their type or a tag; each once.
func (g *gatherer) list(ctx context.Context, clock rank.Clock) ([]hippo.ID, error) {
	newest := func(a, b listed) int { return a.Compare(b.Key) }
	ids, err := g.best(ctx, nil, g.filter, clock, maxNewest, newest)
	pinned := g.filter
	pinned.Pinned = true
	filters := []hippo.Filter{pinned}
	for _, s := range []string{briefing.Rules, briefing.Tasks, briefing.Decisions} {
		types := g.filter
		types.Types = briefing.Types(s)
		filters = append(filters, types)
		for _, t := range types.Types {
			tags := g.filter
			tags.Tags = []string{t}
			filters = append(filters, tags)
		}
	}
	important := func(a, b listed) int {
		return cmp.Or(cmp.Compare(b.importance, a.importance), newest(a, b))
	}
	for i := 0; i < len(filters) && err == nil; i++ {
		ids, err = g.best(ctx, ids, filters[i], clock, maxTyped, important)
	}
	return engine.Distinct(ids), err
}

// listed is a memory that passes a filter.
type listed struct {
	retrieve.Key
	importance float64
}

// best appends the first n memories that pass a filter, in an order.
func (g *gatherer) best(ctx context.Context, ids []hippo.ID, f hippo.Filter, clock rank.Clock, n int, order func(a, b listed) int) ([]hippo.ID, error) {
	r, err := g.memories.Index.Search(ctx, &retrieve.Query{Scope: g.memories.Scope, Filter: f, Insights: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	best := top.New(n, order)
	rows := r.Reader.Rows(nil, r.Matches)
	for i, x := range slices.Backward(r.Matches) { // those that were recorded last are at the end
		row := &rows[i]
		m := listed{r.Reader.Key(x.Doc), clock.Importance(row.Importance, row.SetDay, row.Pinned)}
		if bound := best.Bound(); bound == nil || order(m, *bound) < 0 {
			best.Add(m)
		}
	}
	for _, x := range best.Sorted() {
		ids = append(ids, x.ID)
	}
	return ids, nil
}

// add returns the candidate for a memory, which is valid until the next call.
func (g *gatherer) add(m *hippo.Memory, day hippo.Day) *briefing.Candidate {
	i, ok := g.known[m.ID]
	if !ok {
		i = len(g.found)
		g.known[m.ID] = i
		g.found = append(g.found, briefing.Candidate{Memory: m, Importance: g.memories.Importance(m, day)})
	}
	return &g.found[i]
}

// contradict says of those candidates that contradict a fact, which.
func (g *gatherer) contradict(ctx context.Context) (map[hippo.ID]string, error) {
	ms := make([]*hippo.Memory, len(g.found))
	for i := range g.found {
		ms[i] = g.found[i].Memory
	}
	facts, err := contradictedBy(ctx, g.memories, ms, &g.filter, g.filter.ValidAt)
	notes := make(map[hippo.ID]string, len(facts))
	for id, f := range facts {
		notes[id] = ContradictionNote(f, g.memories.Clock())
	}
	return notes, err
}

// beginningOf returns the beginning of a text, which is enough to choose a model.
func beginningOf(text string) string {
	const enough = 200
	for i := range text {
		if i >= enough {
			return text[:i]
		}
	}
	return text
}
