package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/entities"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// ContradictionNote says which fact a text contradicts: "a fact says otherwise since 2026-01-01: Ana works at Globex"; empty for none.
// The day is that of the zone of now.
func ContradictionNote(f *hippo.Fact, now time.Time) string {
	if f == nil {
		return ""
	}
	since := ""
	if !f.ValidFrom.IsZero() {
		since = " since " + when.Date(f.ValidFrom, now.Location())
	}
	return termtext.Disarm(termtext.Line("a fact says otherwise" + since + ": " + knowledge.SentenceOf(f)))
}

// contradictedBy returns, for each of some memories that contradicts one, a fact that holds at a time. A fact counts that is trusted as
// much as the memory, or normally, of which its subject has one at a time, and of which the text states another object in plain words.
//
// Cost: a pass over the texts. If one may state such a fact, also that of [knowledge.FactsFor].
func contradictedBy(ctx context.Context, m *engine.Memories, ms []*hippo.Memory, f *hippo.Filter, at time.Time) (map[hippo.ID]*hippo.Fact, error) {
	if !m.Store.HasRelations() {
		return nil, nil
	}
	stating := make(map[*hippo.Memory]string)
	for _, x := range ms {
		if x.IsEntity() || x.StateAt(at) != hippo.Holds {
			continue
		}
		if text := bm25.Fold(x.Content); contradict.Stated(strings.ToLower(text)) {
			stating[x] = text
		}
	}
	if len(stating) == 0 {
		return nil, nil
	}
	list, err := knowledge.CardsOf(ctx, m, f.Projects)
	if err != nil {
		return nil, err
	}
	var ids []hippo.ID
	for _, text := range stating {
		for _, c := range knowledge.NamedIn(list, strings.ToLower(text)) {
			ids = append(ids, c.ID)
		}
	}
	if ids = engine.Distinct(ids); len(ids) == 0 {
		return nil, nil
	}
	relations, err := m.Scoped.Relations(ctx, ids, at, knowledge.MaxRelations)
	if err != nil {
		return nil, err
	}
	single := hippo.SingleKinds()
	relations = slices.DeleteFunc(relations, func(r hippo.Relation) bool { return !slices.Contains(single, r.Kind) })
	facts, err := knowledge.WithNames(ctx, m, relations, f, at)
	if err != nil {
		return nil, err
	}
	return denied(stating, facts, list), nil
}

// denied returns the first fact that each text denies; list are the entities that may be named.
func denied(texts map[*hippo.Memory]string, facts []hippo.Fact, list []*entities.Card) map[hippo.ID]*hippo.Fact {
	byID, named := make(map[hippo.ID]*entities.Card, len(list)), make(map[string]bool)
	for _, c := range list {
		byID[c.ID] = c
		for _, name := range c.Keys {
			named[name] = true
		}
	}
	out := make(map[hippo.ID]*hippo.Fact)
	for i := range facts {
		from, to := byID[facts[i].From], byID[facts[i].To]
		if from == nil || to == nil {
			continue
		}
		fact := contradict.Fact{Subject: spoken(from, list), Kind: facts[i].Kind, Object: spoken(to, nil)}
		for x, text := range texts {
			within := from.Project == "" || from.Project == x.Project
			if within && out[x.ID] == nil && facts[i].Trust >= min(x.Trust, hippo.TrustNormal) && fact.DeniedBy(text, func(name string) bool { return named[name] }) {
				out[x.ID] = &facts[i]
			}
		}
	}
	return out
}

// spoken returns the names of an entity and, of a person, the first name, unless another one of a list begins with it.
func spoken(c *entities.Card, list []*entities.Card) []string {
	if c.Kind != "person" || len(c.Keys) == 0 {
		return c.Keys
	}
	first, _, _ := strings.Cut(c.Keys[0], " ")
	other := func(o *entities.Card) bool {
		return o != c && slices.ContainsFunc(o.Keys, func(name string) bool { return name == first || strings.HasPrefix(name, first+" ") })
	}
	if slices.ContainsFunc(list, other) {
		return c.Keys
	}
	return append(slices.Clone(c.Keys), first)
}

// contradictHits sets [hippo.Hit.ContradictedBy].
func contradictHits(ctx context.Context, m *engine.Memories, hits []hippo.Hit, f *hippo.Filter, at time.Time) error {
	ms := make([]*hippo.Memory, len(hits))
	for i := range hits {
		ms[i] = hits[i].Memory
	}
	facts, err := contradictedBy(ctx, m, ms, f, at)
	for i := range hits {
		hits[i].ContradictedBy = facts[ms[i].ID]
	}
	return err
}
