package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// memoryBody is one memory with what is around it.
type memoryBody struct {
	*hippo.Memory
	Content  markup
	Badges   []string
	Now      float64 // the importance
	Facts    []fact
	Events   []event
	Uses     usage
	Metadata []fact
	around
	Edit, Split draft
	// Query is the search that showed the memory, which votes on this page are about; empty: there was none.
	Query string
}

// around is what a memory is connected with.
type around struct {
	lineage
	Relations []relationView
	Similar   []item
}

// lineage is what supersedes a memory, nil for nothing, and what it supersedes.
type lineage struct {
	Successor    *item
	Predecessors []item
}

// fact is a named text.
type fact struct{ Name, Text string }

// event is something that happened to the memory.
type event struct {
	When moment
	Text string
}

// relationView is a relation as seen from a memory.
type relationView struct {
	Kind     string
	Outgoing bool
	Weight   float64
	Other    item
	Note     string // why it does not hold now, see [wire.RelationNote]
}

func showMemory(v *visit) (page, error) {
	m, err := v.get(v.r.Context())
	if err != nil {
		return page{}, err
	}
	return memoryPage(v, m, nil, nil)
}

// memoryPage returns the page of a memory, with the forms as they were sent if they were wrong; nil: as the memory is.
func memoryPage(v *visit, m *hippo.Memory, edited, split *draft) (page, error) {
	ctx := v.r.Context()
	list, err := memory.List(ctx, v.memories, api.List{Count: 1})
	if err != nil {
		return page{}, err
	}
	b := memoryBody{
		Memory: m, Content: visible(m.Content), Badges: badgesOf(v, m), Now: v.memories.Importance(m, list.Day), Facts: factsOf(v, m), Events: eventsOf(v, m),
		Uses: usageOf(m.Accesses, list.Day), Edit: draftOf(m, v.memories.Zone()), Split: draft{Content: m.Content}, Query: strings.TrimSpace(v.r.URL.Query().Get("q")),
	}
	for _, k := range slices.Sorted(maps.Keys(m.Metadata)) {
		b.Metadata = append(b.Metadata, fact{k, string(m.Metadata[k])})
	}
	if edited != nil {
		b.Edit = *edited
	}
	if split != nil {
		b.Split = *split
	}
	if err := b.Edit.choose(ctx, v); err != nil {
		return page{}, err
	}
	if b.lineage, err = lineageOf(ctx, v, m); err != nil {
		return page{}, err
	}
	if b.Relations, err = relationsOf(ctx, v, m.ID); err != nil {
		return page{}, err
	}
	if b.Similar, err = similarTo(ctx, v, m); err != nil {
		return page{}, err
	}
	return page{Title: wire.Clip(m.Content, 60), Content: memoryContent(formsOf(v), b)}, nil
}

func lineageOf(ctx context.Context, v *visit, m *hippo.Memory) (l lineage, err error) {
	if !m.SupersededBy.IsZero() {
		next, err := memory.Get(ctx, v.memories, []hippo.ID{m.SupersededBy})
		if err != nil {
			return l, err
		}
		x := v.newItem(next[0])
		l.Successor = &x
	}
	old, err := history.Predecessors(ctx, v.memories, m.ID)
	l.Predecessors = v.newItems(old)
	return l, err
}

// maxSimilar is the number of similar memories that are shown, similarText how much of the content they are searched by,
// in characters.
const (
	maxSimilar  = 5
	similarText = 300
)

// similarTo returns the memories of all projects that a search for the beginning of the content finds.
func similarTo(ctx context.Context, v *visit, m *hippo.Memory) ([]item, error) {
	text := []rune(strings.ToValidUTF8(m.Content, ""))
	a, err := query.Search(ctx, v.memories, hippo.Query{
		Text: string(text[:min(len(text), similarText)]), Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}, Count: maxSimilar + 1, NoTouch: true, Detail: hippo.Detail{Each: true},
	})
	if err != nil {
		return nil, err
	}
	var out []item
	for i := range a.Hits {
		if h := &a.Hits[i]; h.Memory.ID != m.ID && len(out) < maxSimilar {
			out = append(out, v.newItem(h.Memory))
		}
	}
	return out, nil
}

// relationsOf returns the relations of a memory, those that hold now first, the strongest first.
func relationsOf(ctx context.Context, v *visit, id hippo.ID) ([]relationView, error) {
	list, err := knowledge.RelationsOf(ctx, v.memories, []hippo.ID{id})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b hippo.Relation) int { return cmp.Compare(b.Weight, a.Weight) })
	engine.HoldingFirst(list, func(r hippo.Relation) bool { return r.ValidAt(v.now) })
	ids := make([]hippo.ID, len(list))
	for i := range list {
		ids[i] = list[i].Other(id)
	}
	ms, err := memory.Get(ctx, v.memories, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[hippo.ID]*hippo.Memory, len(ms))
	for _, m := range ms {
		byID[m.ID] = m
	}
	var out []relationView
	for i := range list {
		r := &list[i]
		out = append(out, relationView{kindName(r.Kind), r.From == id, r.Weight, v.newItem(byID[r.Other(id)]), wire.RelationNote(r, v.now)})
	}
	return out, nil
}

// text says how the other memory is related.
func (r *relationView) text() string {
	out := "← " + r.Kind
	if r.Outgoing {
		out = "→ " + r.Kind
	}
	if r.Note != "" {
		out += " (" + r.Note + ")"
	}
	return out
}

func kindName(kind string) string {
	if kind == hippo.CoRecalled {
		return "used together"
	}
	return kind
}

// factsOf returns what is known about a memory, without what is empty.
func factsOf(v *visit, m *hippo.Memory) []fact {
	return known([]fact{
		{"Situation", strings.Join(m.Situation, "; ")},
		{"Type", m.Type},
		{"Project", memory.ProjectTitles(v.memories)(m.Project)},
		{"Said by", m.Source.Author},
		{"Source", string(m.Source.Kind)},
		{"Recorded by", m.Source.Client},
		{"Session", m.Source.Session},
		{"Place", m.Source.URI},
		{"Trust", trustName(m.Trust)},
		{"Surprise", m.Surprise.String()},
		{"ID", m.ID.String()},
	})
}

// known returns the facts that have a text.
func known(list []fact) []fact {
	return slices.DeleteFunc(list, func(f fact) bool { return f.Text == "" })
}

// eventsOf returns what happened to a memory, as far as it is stored: former texts are not.
func eventsOf(v *visit, m *hippo.Memory) []event {
	var out []event
	add := func(at moment, text string) {
		if at.ISO != "" {
			out = append(out, event{at, text})
		}
	}
	add(v.moment(m.EventTime), "What it describes happened")
	add(v.moment(m.ValidFrom), "Holds from here on")
	add(v.moment(m.CreatedAt), "Recorded")
	if m.Importance.Value != m.Importance.Base {
		add(v.moment(m.Importance.SetAt), "Voted on: importance "+number(m.Importance.Base)+" became "+number(m.Importance.Value))
	} else if !m.Importance.SetAt.Equal(m.CreatedAt) {
		add(v.moment(m.Importance.SetAt), "Importance set to "+number(m.Importance.Base))
	}
	if m.UpdatedAt.After(m.CreatedAt) {
		text := "Changed last"
		if m.Version > 1 {
			text += ", version " + strconv.Itoa(m.Version)
		}
		add(v.moment(m.UpdatedAt), text)
	}
	until := "Holds until here"
	if m.StateAt(v.now) == hippo.Ended || m.StateAt(v.now) == hippo.Superseded {
		until = "Held until here"
	}
	add(v.moment(m.ValidUntil), until)
	add(v.moment(m.ForgottenAt), "Forgotten")
	add(v.moment(m.ArchivedAt), "Archived")
	slices.SortStableFunc(out, func(a, b event) int { return strings.Compare(a.When.ISO, b.When.ISO) })
	return out
}

// usage is the use of a memory by active day.
type usage struct {
	Total int
	Bars  []usageBar
	// Days is how many active days the bars cover.
	Days int
}

// usageBar is one active day in a drawing of 100 units in height and 10 in width a day.
type usageBar struct {
	X, Y, Height float64
	Day, Count   int
}

// usageDays is how many active days are drawn.
const usageDays = 30

func usageOf(accesses []hippo.Access, today hippo.Day) usage {
	u := usage{Days: usageDays}
	most := 1
	for _, a := range accesses {
		u.Total += a.Count
		most = max(most, a.Count)
	}
	for _, a := range accesses {
		back := int(today - a.Day)
		if back < 0 || back >= usageDays {
			continue
		}
		height := 100 * float64(a.Count) / float64(most)
		u.Bars = append(u.Bars, usageBar{X: float64(usageDays-1-back) * 10, Y: 100 - height, Height: height, Day: int(a.Day), Count: a.Count})
	}
	return u
}
