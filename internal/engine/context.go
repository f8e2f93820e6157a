package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// Of the memories of each type, tag and text at most maxTyped and maxFound are candidates,
	// of all the maxNewest newest.
	maxTyped, maxFound, maxNewest = 20, 16, 40
)

// Context returns what to know now in the current project of the scope: what belongs to other
// projects takes no part, even if there is no current one. It is not an access and does not
// advance the active day.
//
// In the process of another, a call is repeated without what the reader has already, until nothing of
// that is left: [briefing.Query.Known] stays here.
func Context(ctx context.Context, m *Memories, q briefing.Query) (*briefing.Briefing, error) {
	if m.remote == nil {
		return brief(ctx, m, q)
	}
	a := contextArgs{Prompt: q.Prompt, Work: q.Work, PromptOnly: q.PromptOnly, Names: q.Names, MaxTokens: q.MaxTokens, At: q.At}
	for {
		b, err := perform(ctx, m, a, "context", briefWithout)
		if err != nil || q.Known == nil {
			return b, err
		}
		n := len(a.Known)
		for _, i := range b.Items {
			if q.Known(i.Memory) {
				a.Known = append(a.Known, i.Memory.ID)
			}
		}
		if len(a.Known) == n {
			return b, nil
		}
	}
}

// contextArgs are a [briefing.Query] in a form that can travel.
type contextArgs struct {
	Prompt     string
	Work       briefing.Work
	PromptOnly bool
	Names      []string
	MaxTokens  int
	At         hippo.Moment
	Known      []hippo.ID
}

func briefWithout(ctx context.Context, m *Memories, a contextArgs) (*briefing.Briefing, error) {
	return brief(ctx, m, briefing.Query{
		Prompt: a.Prompt, Work: a.Work, PromptOnly: a.PromptOnly, Names: a.Names, MaxTokens: a.MaxTokens, At: a.At,
		Known: func(x *hippo.Memory) bool { return slices.Contains(a.Known, x.ID) },
	})
}

func brief(ctx context.Context, m *Memories, q briefing.Query) (*briefing.Briefing, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if known := q.At.KnownAt; isPast(m, q.At) {
		q.At.KnownAt = time.Time{}
		out, _, err := inPast(ctx, m, known, func(p *Memories) (*briefing.Briefing, error) { return brief(ctx, p, q) })
		return out, err
	}
	g := gatherer{memories: m, known: make(map[hippo.ID]int)}
	g.filter = hippo.Filter{Projects: m.scope.Current(), Moment: q.At}
	if q.At.ValidAt.IsZero() {
		g.filter.ValidAt = m.now()
	}
	if err := g.gather(ctx, &q); err != nil {
		return nil, err
	}
	ids := make([]hippo.ID, len(g.found))
	for i := range g.found {
		ids[i] = g.found[i].Memory.ID
	}
	notes, err := g.contradict(ctx)
	if err != nil {
		return nil, err
	}
	in := &briefing.Input{
		Query: q, Candidates: g.found, Facts: g.facts, Notes: notes, IDs: ShortIDs(m, ids), Projects: m.scope.Current(), Now: m.now(), Instructs: instructs, Terms: tellingTerms,
	}
	b, err := selected(ctx, m, in)
	if err != nil || q.PromptOnly || m.scope.Project == hippo.Unassigned {
		return b, err
	}
	return b, m.indexed(ctx, func() error {
		b.Unassigned = unassigned(m)
		return nil
	})
}

// changed returns [contradict.Statement.ChangedBy] of memories, each of which it parses once; similar is the cosine of two.
func changed(similar func(a, b hippo.ID) float64) func(older, newer *hippo.Memory) bool {
	known := make(map[hippo.ID]contradict.Statement)
	of := func(m *hippo.Memory) contradict.Statement {
		s, ok := known[m.ID]
		if !ok {
			s = contradict.StatementOf(m.Content)
			known[m.ID] = s
		}
		return s
	}
	return func(older, newer *hippo.Memory) bool {
		a := of(older)
		cosine := 0.0
		b := of(newer)
		if b.Changes() {
			cosine = similar(older.ID, newer.ID)
		}
		return a.ChangedBy(b, contradict.Likeness{Cosine: cosine})
	}
}

// instructs reports whether a text looks as if it was meant to steer a model.
func instructs(text string) bool { return len(screen.Instructions(text)) > 0 }

// selected selects, and compares what it selects by the vectors in the index.
func selected(ctx context.Context, m *Memories, in *briefing.Input) (b *briefing.Briefing, err error) {
	if len(in.Candidates) == 0 {
		return briefing.Select(in), nil
	}
	text := in.Candidates[0].Memory.Content
	vectors, err := m.embedding.Query(ctx, &m.scope, beginningOf(text), nil)
	if err != nil {
		return nil, err
	}
	s := retrieve.Query{Scope: m.scope, Text: "x"} // any text: one without does not use vectors
	for _, c := range []retrieve.Channel{retrieve.Semantic, retrieve.Instant} {
		v := &vectors.Text[c]
		s.Vectors[c] = retrieve.Vector{Values: v.Values, Model: v.Model, Partial: v.Partial, TopK: 1}
	}
	err = m.indexed(ctx, func() error {
		r, err := m.index.Search(ctx, &s)
		if err != nil {
			return err
		}
		defer r.Close()
		in.Similar = func(a, b hippo.ID) float64 {
			x, ok := r.Reader.Find(a)
			y, too := r.Reader.Find(b)
			if !ok || !too {
				return 0
			}
			return r.Reader.Similarity(x, y)
		}
		in.Changed = changed(in.Similar)
		b = briefing.Select(in)
		return nil
	})
	return b, err
}

// gatherer collects candidates, each once.
type gatherer struct {
	memories *Memories
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
		g.facts = append(g.facts, briefing.Fact{Fact: facts[i], Text: FactText(&facts[i], g.memories.now())})
	}
	if err != nil || q.PromptOnly {
		return err
	}
	if _, err := g.search(ctx, q.State, func(c *briefing.Candidate, _ *hippo.Answer, h *hippo.Hit) { c.State = h.Relevance }); err != nil {
		return err
	}
	var ids []hippo.ID
	head, err := g.memories.store.Head(ctx)
	if err != nil {
		return err
	}
	day := head.Calendar.Day
	err = g.memories.indexed(ctx, func() error {
		ids, err = g.list(ctx, g.memories.searcher.Clock(day))
		return err
	})
	if err != nil {
		return err
	}
	ms, err := g.memories.scoped.Get(ctx, ids)
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
	a, err := g.memories.Search(ctx, hippo.Query{Text: text, Filter: g.filter, Count: maxFound, Ranker: hippo.RankerHippo, NoTouch: true, Detail: hippo.Detail{NoDistribution: true}})
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
func (g *gatherer) touched(ctx context.Context, w *briefing.Work) error {
	if len(w.Files) == 0 {
		return nil
	}
	code := codeindex.NewTouched(w.Files, w.Names)
	a, err := g.memories.Search(ctx, hippo.Query{
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
func wordsOfCode(w *briefing.Work) string {
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
	for _, s := range []briefing.Section{briefing.Rules, briefing.Tasks, briefing.Decisions} {
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
	return distinct(ids), err
}

// listed is a memory that passes a filter.
type listed struct {
	retrieve.Key
	importance float64
}

// best appends the first n memories that pass a filter, in an order.
func (g *gatherer) best(ctx context.Context, ids []hippo.ID, f hippo.Filter, clock rank.Clock, n int, order func(a, b listed) int) ([]hippo.ID, error) {
	r, err := g.memories.index.Search(ctx, &retrieve.Query{Scope: g.memories.scope, Filter: f, Insights: true})
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
		notes[id] = ContradictionNote(f, g.memories.now())
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
