package web

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// hitsShown is the number of hits on a page.
const hitsShown = 10

// searchBody is the first page: a search and its hits, or what the memory holds.
type searchBody struct {
	Query, Situation string
	Ranker           hippo.Ranker
	Rankers          []hippo.Ranker
	Form             filterForm
	// Overview is nil if something was searched.
	Overview *overview
	Hits     []hitView
	Answer   *hippo.Answer
	// Period is [wire.PeriodText] of the answer.
	Period string
	// Facts are of the entities that the query names.
	Facts   []string
	Clashes []clash
	Pager   pager
}

// narrowed reports whether the search has more than words.
func (b *searchBody) narrowed() bool {
	f := b.Form
	f.states = states{Pinned: f.Pinned}
	return f.set() || b.Situation != "" || b.Ranker != ""
}

// found says how much was found, or what there is.
func (b *searchBody) found() string {
	switch a := b.Answer; {
	case b.Overview != nil:
		return b.Overview.text()
	case a == nil:
		return ""
	case a.Total == 0:
		return "Nothing found. Try fewer or other words, or no filter."
	case a.Confidence == 0:
		return count(a.Total, "memory", "memories")
	default:
		return count(a.Total, "memory", "memories") + ", confidence " + number(a.Confidence)
	}
}

// overview says what the memory holds.
type overview struct {
	Status   api.Status
	Projects []projectCount
	// MoreProjects are those that are not in Projects.
	MoreProjects int
	Newest       []item
}

func (o *overview) text() string {
	out := count(o.Status.Memories, "memory", "memories")
	if n := len(o.Projects); n > 0 {
		out += " in " + count(n, "project", "projects")
		if o.MoreProjects > 0 {
			out += fmt.Sprintf(" and %d more", o.MoreProjects)
		}
	}
	if o.Status.Forgotten > 0 {
		out += ", " + count(o.Status.Forgotten, "forgotten one", "forgotten ones")
	}
	return out
}

type projectCount struct {
	Name  string
	Count int
	Link  string
}

// clash is two hits that seem to contradict each other.
type clash struct {
	A, B   hippo.ID
	Reason string
}

// end ends the sentence about a clash.
func (c *clash) end() string {
	if c.Reason == "" {
		return "."
	}
	return ", " + c.Reason + "."
}

// maxProjects is how many projects the overview counts.
const maxProjects = 12

// showSearch shows the first page. Looking is no use of a memory: it is not counted as an access.
func showSearch(v *visit) (page, error) {
	ctx := v.r.Context()
	q := v.r.URL.Query()
	form, filter, err := v.filter(ctx, v.r.URL.Query())
	b := searchBody{
		Query: strings.TrimSpace(q.Get("q")), Situation: strings.TrimSpace(q.Get("situation")), Form: form,
		Ranker: hippo.Ranker(q.Get("ranker")), Rankers: hippo.Rankers(),
	}
	p := page{Title: "Search"}
	switch {
	case err != nil:
	case b.Query == "" && b.Situation == "" && !form.set():
		b.Overview, err = overviewOf(ctx, v)
	default:
		err = b.search(ctx, v, filter)
	}
	err = b.Form.kept(&p, err)
	if b.Query != "" {
		p.Title = "Search: " + wire.Clip(b.Query, 60)
	}
	p.Content = searchContent(formsOf(v), b)
	return p, err
}

// search fills in the hits.
func (b *searchBody) search(ctx context.Context, v *visit, filter hippo.Filter) error {
	offset, err := v.offset()
	if err != nil {
		return err
	}
	b.Answer, err = query.Search(ctx, v.memories, hippo.Query{
		Text: b.Query, Situation: splitList(b.Situation), Filter: filter, When: b.Form.When, Ranker: b.Ranker,
		Offset: offset, Count: hitsShown, NoTouch: true, Detail: hippo.Detail{Explain: true, NoDistribution: true},
	})
	if err != nil {
		return err
	}
	b.Period = wire.PeriodText(b.Answer, v.now.In(v.memories.Zone()))
	words := newMarker(b.Query)
	for i := range b.Answer.Hits {
		h := &b.Answer.Hits[i]
		x := newHit(v, h, offset+i+1, words, b.Answer.Day)
		x.Weak = b.Answer.Weak != ""
		x.Signals = signalsOf(&h.Signals, b.Situation != "")
		x.Link = link("/ui/memory/"+h.Memory.ID.String(), "q", b.Query)
		b.Hits = append(b.Hits, x)
	}
	for i := range b.Answer.Facts {
		b.Facts = append(b.Facts, knowledge.FactText(&b.Answer.Facts[i], v.now.In(v.memories.Zone())))
	}
	for _, c := range b.Answer.Conflicts {
		b.Clashes = append(b.Clashes, clash(c))
	}
	b.Pager = v.pager(offset, len(b.Hits), b.Answer.Total, hitsShown)
	return nil
}

func overviewOf(ctx context.Context, v *visit) (*overview, error) {
	st, err := memory.Status(ctx, v.memories)
	if err != nil {
		return nil, err
	}
	o := &overview{Status: st}
	list, err := memory.List(ctx, v.memories, api.List{Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}, Count: hitsShown})
	if err != nil {
		return nil, err
	}
	o.Newest = v.newItems(list.Memories)
	names, err := memory.Projects(ctx, v.memories)
	if err != nil {
		return nil, err
	}
	title := memory.ProjectTitles(v.memories)
	o.MoreProjects = max(0, len(names)-maxProjects)
	for _, name := range append(names[:len(names)-o.MoreProjects:len(names)-o.MoreProjects], "") {
		one, err := memory.List(ctx, v.memories, api.List{Filter: hippo.Filter{Projects: []string{name}}, Count: 1})
		if err != nil {
			return nil, err
		}
		if one.Total == 0 {
			continue
		}
		o.Projects = append(o.Projects, projectCount{title(name), one.Total, link("/ui/browse", "project", cmp.Or(name, memory.NoProject))})
	}
	return o, nil
}

// hitView is a hit with what explains it.
type hitView struct {
	item
	// Link leads to the memory, and names the search: votes there are about it.
	Link      string
	Rank      int
	Relevance float64
	// Weak is set in a weak answer, which shows no relevance beside its low confidence.
	Weak bool
	// Why says in words how the memory was found.
	Why []string
	// Signals are the parts of the relevance as shares; Factors are multiplied.
	Signals, Factors []signal
	// Terms and Prior are the terms of the two sums.
	Terms, Prior []term
	Passage      string
}

// rest says how much of the memory is not shown.
func (h *hitView) rest() string {
	out := "+" + count(h.More, "character", "characters")
	if h.Passage != "" {
		out += ", " + h.Passage
	}
	return out
}

// signal is a named number of 0 to 1.
type signal struct {
	Name, Help string
	Value      float64
}

// term is one contribution, with the largest of its sum for the scale.
type term struct {
	hippo.Contribution
	Largest float64
}

func newHit(v *visit, h *hippo.Hit, rank int, words *marker, day hippo.Day) hitView {
	x := hitView{item: v.itemOf(h, words, day), Rank: rank, Relevance: h.Relevance, Passage: wire.PassageNote(h)}
	if n := h.Same.Count; n > 0 { // the page of the memory lists them as similar
		x.Badges = append(x.Badges, fmt.Sprintf("same text: %d more", n))
	}
	if e := h.Explanation; e != nil {
		x.Why, x.Terms, x.Prior = why(h), terms(e.Text), terms(e.Prior)
		if f := e.Factors; f != nil {
			x.Factors = []signal{
				{"Text", "relevance of the text and its relations", h.Signals.Text},
				{"Situation", "", f.Context},
				{"Time", "", f.Time},
				{"Prior", "importance, bounded", f.Prior},
			}
			if f.Archived > 0 {
				x.Factors = append(x.Factors, signal{"Archived", "ranks behind what is comparably relevant", f.Archived})
			}
			if e.Validity > 0 {
				x.Factors = append(x.Factors, signal{"Validity", "does not hold, and ranks behind what does", e.Validity})
			}
		}
	}
	return x
}

// signalsOf returns the signals of a hit that people know; that of the situation if one was given.
func signalsOf(s *hippo.Signals, situation bool) []signal {
	out := []signal{
		{"Lexical", "share of the best possible BM25 score", s.Lexical},
		{"Coverage", "share of the words of the query that the memory has, by their inverse document frequency", s.Coverage},
		{"Semantic", "cosine similarity of query and memory", s.Cosine},
		{"Related", "by a relation with one of the best hits", s.Related},
		{"Recency", "falls with the active days since the last use", s.Recency},
		{"Frequency", "uses within thirty active days", s.Frequency},
		{"Importance", "as of now, after votes and decay", s.Importance},
	}
	if situation {
		out = append(out, signal{"Situation", "match of the situation", s.Context})
	}
	return out
}

// why says in sentences how a memory became a hit.
func why(h *hippo.Hit) []string {
	e := h.Explanation
	var out, ranks []string
	for _, l := range []struct {
		name string
		rank int
	}{{"lexical", e.LexicalRank}, {"semantic", e.SemanticRank}, {"graph", e.GraphRank}} {
		if l.rank > 0 {
			ranks = append(ranks, fmt.Sprintf("%s rank %s", l.name, grouped(l.rank)))
		}
	}
	if len(ranks) > 0 {
		out = append(out, "Found by its own text: "+strings.Join(ranks, ", ")+".")
	}
	switch e.Via {
	case hippo.ViaText:
	case hippo.ViaRelation:
		out = append(out, "Here by a relation with a better hit.")
	case hippo.ViaSuccession:
		out = append(out, "Here in the place of a memory that it supersedes.")
	case hippo.ViaImportance:
		out = append(out, "Here as one of the most important of many that match.")
	}
	switch {
	case e.Reranked && len(ranks) == 0:
		out = append(out, "Found beside others of its session, and reranked.")
	case e.Reranked:
		out = append(out, "Compared with the query token by token, and reranked.")
	}
	return out
}

func terms(list []hippo.Contribution) []term {
	largest := 0.0
	for _, c := range list {
		largest = max(largest, math.Abs(c.Sum))
	}
	var out []term
	for _, c := range list {
		out = append(out, term{c, largest})
	}
	return out
}
