package knowledge

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo/internal/store"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/entities"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/entity"
)

// The most elements of the parts of a page, and the characters of a text of which it counts the tokens.
const (
	maxFacts, maxFormer, maxMentions, maxLinks, maxEvents = 12, 6, 6, 20, 12

	pageTokens, pageText, eventText = 1200, 200, 60
)

// ShowEntity returns what is known of an entity. Errors: those of [FindEntity].
//
// Cost: a read of at most 500 memories that name it, and of its relations.
func ShowEntity(ctx context.Context, m *engine.Memories, q api.ShowEntity) (*api.EntityPage, error) {
	return engine.Perform(ctx, m, q, "show_entity", showEntity)
}

func showEntity(ctx context.Context, m *engine.Memories, q api.ShowEntity) (*api.EntityPage, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	if known := q.At.KnownAt; engine.IsPast(m, q.At) {
		q.At.KnownAt = time.Time{}
		out, note, err := engine.InPast(ctx, m, known, func(p *engine.Memories) (*api.EntityPage, error) { return showEntity(ctx, p, q) })
		if err == nil {
			out.Degraded = engine.Noted(out.Degraded, note)
		}
		return out, err
	}
	q.MaxTokens = cmp.Or(q.MaxTokens, pageTokens)
	if q.MaxTokens < api.MinTokens || q.MaxTokens > api.MaxTokens {
		return nil, hippo.Fieldf("max_tokens", "must be between %d and %d, got %d", api.MinTokens, api.MaxTokens, q.MaxTokens)
	}
	names, err := entitiesOf(ctx, m)
	if err != nil {
		return nil, err
	}
	e, err := meant(ctx, m, names, q.Entity)
	if err != nil {
		return nil, err
	}
	p := &pageMaker{EntityPage: api.EntityPage{Entity: e}, left: q.MaxTokens, at: cmp.Or(q.At.ValidAt, m.Clock())}
	if err := p.read(ctx, m, names.Searched(e)); err != nil {
		return nil, err
	}
	if q.Facts {
		p.Mentions, p.Timeline = nil, nil
	} else {
		p.fit()
	}
	return &p.EntityPage, nil
}

// pageMaker fills a page within its tokens.
type pageMaker struct {
	api.EntityPage
	at   time.Time
	left int // tokens
}

// read fills the page with all that there is.
func (p *pageMaker) read(ctx context.Context, m *engine.Memories, keys []string) error {
	named, err := namingAny(ctx, m, keys)
	if err != nil {
		return err
	}
	day, err := store.DayOf(ctx, m.Store)
	if err != nil {
		return err
	}
	p.Memories, p.About = named.count, named.about
	for _, x := range named.memories {
		switch {
		case !p.holds(x):
			p.Former = append(p.Former, x)
		case statesOf(x, keys):
			p.Facts = append(p.Facts, x)
		default:
			p.Mentions = append(p.Mentions, x)
		}
		p.happened(x)
	}
	slices.SortStableFunc(p.Mentions, func(a, b *hippo.Memory) int {
		return cmp.Compare(m.Importance(b, day), m.Importance(a, day))
	})
	return p.relate(ctx, m)
}

// holds reports whether what a memory says holds at the time of the page.
func (p *pageMaker) holds(x *hippo.Memory) bool {
	return x.ValidAt(p.at) && (x.SupersededBy.IsZero() || !x.ValidUntil.IsZero())
}

// statesOf reports whether a memory has a sentence such as "Ana prefers tea" about a name.
func statesOf(x *hippo.Memory, keys []string) bool {
	text := foldedText(x)
	return slices.ContainsFunc(keys, func(key string) bool { return slices.ContainsFunc(entities.AfterName(text, key), entity.States) })
}

// happened adds the events of a memory.
func (p *pageMaker) happened(x *hippo.Memory) {
	text := memory.Excerpt(x.Content, eventText)
	p.Timeline = append(p.Timeline, api.EntityEvent{At: x.When(), What: "said", Memory: x.ID, Text: text})
	for _, e := range bounds(x.ValidFrom, x.ValidUntil) {
		if !e.At.Equal(x.When()) {
			e.Memory, e.Text = x.ID, text
			p.Timeline = append(p.Timeline, e)
		}
	}
}

// bounds returns the events at the ends of a period; an end that is not known has none.
func bounds(from, until time.Time) (out []api.EntityEvent) {
	if !from.IsZero() {
		out = append(out, api.EntityEvent{At: from, What: "began"})
	}
	if !until.IsZero() {
		out = append(out, api.EntityEvent{At: until, What: "ended"})
	}
	return out
}

// relate adds the relations of a recorded entity that were declared.
func (p *pageMaker) relate(ctx context.Context, m *engine.Memories) error {
	if p.Entity.Found() {
		return nil
	}
	list, err := relationsOf(ctx, m, api.Relations{IDs: []hippo.ID{p.Entity.ID}})
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(r hippo.Relation) bool { return r.Kind == hippo.CoRecalled })
	slices.SortStableFunc(list, func(a, b hippo.Relation) int { return cmp.Compare(b.Weight, a.Weight) })
	ids := make([]hippo.ID, len(list))
	for i := range list {
		ids[i] = list[i].Other(p.Entity.ID)
		if list[i].ValidAt(p.at) {
			p.Relations = append(p.Relations, list[i])
		} else {
			p.FormerRelations = append(p.FormerRelations, list[i])
		}
	}
	if p.Others, err = m.Scoped.Get(ctx, engine.Distinct(ids)); err != nil {
		return err
	}
	for i := range list {
		for _, e := range bounds(list[i].ValidFrom, list[i].ValidUntil) {
			e.Memory, e.Kind, e.Text = ids[i], list[i].Kind, p.other(ids[i])
			p.Timeline = append(p.Timeline, e)
		}
	}
	return nil
}

// other returns the beginning of the memory at the other end of a relation.
func (p *pageMaker) other(id hippo.ID) string {
	for _, x := range p.Others {
		if x.ID == id {
			return memory.Excerpt(x.Content, eventText)
		}
	}
	return ""
}

// fit leaves out what is too much: facts count first, then relations, what was, mentions, and the timeline, of which the newest stay.
func (p *pageMaker) fit() {
	slices.SortFunc(p.Timeline, func(a, b api.EntityEvent) int {
		return cmp.Or(b.At.Compare(a.At), a.Memory.Compare(b.Memory), cmp.Compare(a.What, b.What), cmp.Compare(a.Kind, b.Kind))
	})
	text := func(x *hippo.Memory) string { return memory.Excerpt(x.Content, pageText) }
	link := func(r hippo.Relation) string { return r.Kind + p.other(r.Other(p.Entity.ID)) }
	p.Facts = fitting(p, p.Facts, maxFacts, text)
	p.Relations = fitting(p, p.Relations, maxLinks, link)
	p.Former = fitting(p, p.Former, maxFormer, text)
	p.FormerRelations = fitting(p, p.FormerRelations, maxLinks, link)
	p.Mentions = fitting(p, p.Mentions, maxMentions, text)
	omitted := p.Omitted // of the timeline nothing is omitted that is not there otherwise
	p.Timeline = fitting(p, p.Timeline, maxEvents, func(e api.EntityEvent) string { return e.Kind + e.Text })
	p.Omitted = omitted
	slices.Reverse(p.Timeline)
	p.Others = slices.DeleteFunc(p.Others, func(x *hippo.Memory) bool {
		return !slices.ContainsFunc(slices.Concat(p.Relations, p.FormerRelations), func(r hippo.Relation) bool { return r.Other(p.Entity.ID) == x.ID })
	})
}

// fitting returns the first elements of a list, within a number, for which tokens are left, and spends those.
func fitting[T any](p *pageMaker, list []T, most int, text func(T) string) []T {
	const line = 10 // tokens of an ID and a date
	n := 0
	for n < min(len(list), most) {
		cost := tokencount.Of(text(list[n])) + line
		if cost > p.left {
			break
		}
		p.left -= cost
		n++
	}
	p.Omitted += len(list) - n
	return slices.Clip(list[:n])
}
