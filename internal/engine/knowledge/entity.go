package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/entities"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// entitiesOf returns the recorded entities of the default projects of the scope, by their names. Those that are forgotten or
// superseded are not there.
//
// Cost: a pass over the index, and a read of those that are not cached.
func entitiesOf(ctx context.Context, m *engine.Memories) (*entities.Names, error) {
	head, err := m.Store.Head(ctx)
	if err != nil {
		return nil, err
	}
	found, err := CardsOf(ctx, m, m.Scope.Narrow(hippo.Filter{}).Projects)
	if err != nil {
		return nil, err
	}
	list := make([]*api.Entity, len(found))
	for i, c := range found {
		list[i] = c.Entity
	}
	names := entities.NewNames(list)
	names.Since = head.Revision
	return names, nil
}

// CardsOf returns the cards of the recorded entities of projects; nil: of all.
func CardsOf(ctx context.Context, m *engine.Memories, projects []string) ([]*entities.Card, error) {
	var keys []entities.CardKey
	q := retrieve.Query{Scope: m.Scope, Filter: hippo.Filter{Projects: projects, Types: []string{hippo.EntityType}, Archived: true}}
	err := m.Indexed(ctx, func() error {
		r, err := m.Index.Search(ctx, &q)
		if err != nil {
			return err
		}
		defer r.Close()
		keys = keys[:0]
		for i := range r.Matches {
			if doc := r.Matches[i].Doc; !r.Reader.Row(doc).Superseded {
				keys = append(keys, entities.CardKey{ID: r.Reader.Key(doc).ID, Text: r.Reader.Details(doc).Text})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list, missing := m.Cards.Get(keys)
	ms, err := m.Scoped.Get(ctx, missing)
	for _, x := range ms {
		c := entities.CardOf(x)
		m.Cards.Put(entities.CardKey{ID: x.ID, Text: index.TextKey(x)}, c)
		list = append(list, c)
	}
	return list, err
}

// FindEntity returns the entity that a name, an alias, a short form of a name, or an ID means: a recorded one, or else one that
// texts of the scope name. One that fits several is a [*hippo.AmbiguousError], one that fits none [hippo.ErrNotFound].
func FindEntity(ctx context.Context, m *engine.Memories, name string) (*api.Entity, error) {
	return engine.Perform(ctx, m, name, "find_entity", findEntity)
}

func findEntity(ctx context.Context, m *engine.Memories, name string) (*api.Entity, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	names, err := entitiesOf(ctx, m)
	if err != nil {
		return nil, err
	}
	return meant(ctx, m, names, name)
}

// meant is [FindEntity] among known names.
func meant(ctx context.Context, m *engine.Memories, names *entities.Names, name string) (*api.Entity, error) {
	e, err := recordedAs(ctx, m, names, name)
	if e != nil || err != nil {
		return e, err
	}
	key := entities.NameKey(name)
	if key != "" && names.None[key] == nil && len(name) <= hippo.MaxEntityName {
		if e, err := foundEntity(ctx, m, key); e != nil || err != nil {
			return e, err
		}
	}
	if memory.IsPlace(name) {
		return nil, errPlace(name)
	}
	return nil, fmt.Errorf("%w: no entity %.60q, and no memory names it", hippo.ErrNotFound, name)
}

// errPlace is the error of a place in code where an insight or an entity is meant.
func errPlace(ref string) error {
	return hippo.Fieldf("ID", "must be that of a memory or the name of an entity, and %.60q is a place in code: relate a memory that names it. "+
		"For the relations of code, use hippo code related or hippo_code", ref)
}

// recordedAs returns the recorded entity that a name or an ID means; nil if there is none.
func recordedAs(ctx context.Context, m *engine.Memories, names *entities.Names, name string) (*api.Entity, error) {
	e, err := names.One(name)
	if e != nil || err != nil {
		return e, err
	}
	id, err := hippo.ParseID(name)
	if err != nil {
		if live, _, err := memory.Lookup(ctx, m, name); err == nil && len(live) == 1 {
			id = live[0]
		}
	}
	for _, e := range names.List {
		if e.ID == id {
			return e, nil
		}
	}
	return nil, nil
}

// ResolveNamed is [memory.Resolve] for references that may also be the name of a recorded entity.
func ResolveNamed(ctx context.Context, m *engine.Memories, ref string, prefer api.Preference) (hippo.ID, error) {
	if id, err := hippo.ParseID(ref); err == nil {
		return id, nil
	}
	return engine.Perform(ctx, m, memory.ResolveArgs{Ref: ref, Prefer: prefer}, "resolve_named", resolveNamed)
}

func resolveNamed(ctx context.Context, m *engine.Memories, a memory.ResolveArgs) (hippo.ID, error) {
	id, wrong := memory.ResolveHere(ctx, m, a)
	if wrong != nil && m.Scoped.Allow(hippo.RightRead) != nil {
		return id, wrong
	}
	names, err := entitiesOf(ctx, m)
	if err != nil {
		return hippo.ID{}, err
	}
	e, err := names.One(a.Ref)
	switch {
	case wrong == nil && err == nil && e != nil && e.ID != id:
		return hippo.ID{}, memory.Ambiguous(ctx, m, a.Ref, []hippo.ID{id, e.ID})
	case wrong == nil:
		return id, nil
	case err != nil:
		return hippo.ID{}, err
	case e != nil:
		return e.ID, nil
	case strings.HasPrefix(a.Ref, memory.NumberMark):
		return hippo.ID{}, wrong
	case memory.IsPlace(a.Ref):
		return hippo.ID{}, errPlace(a.Ref)
	}
	return hippo.ID{}, fmt.Errorf("%w: no memory with id %q, and no recorded entity with that name", hippo.ErrNotFound, a.Ref)
}

// ListEntities returns a page of the entities of the default projects of the scope. Cost: that of [FindEntity]; for found ones, a
// read of the newest 2,000 memories.
func ListEntities(ctx context.Context, m *engine.Memories, q api.ListEntities) (*api.EntityList, error) {
	return engine.Perform(ctx, m, q, "list_entities", listEntities)
}

func listEntities(ctx context.Context, m *engine.Memories, q api.ListEntities) (*api.EntityList, error) {
	const usual = 100
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	switch {
	case q.Offset < 0:
		return nil, hippo.Fieldf("offset", "must not be negative, got %d", q.Offset)
	case q.Count < 0 || q.Count > hippo.MaxCount:
		return nil, hippo.Fieldf("count", "must be between 1 and %d, got %d", hippo.MaxCount, q.Count)
	}
	if known := q.KnownAt; engine.IsPast(m, hippo.Moment{KnownAt: known}) {
		q.KnownAt = time.Time{}
		out, note, err := engine.InPast(ctx, m, known, func(p *engine.Memories) (*api.EntityList, error) { return listEntities(ctx, p, q) })
		if err == nil {
			out.Degraded = engine.Noted(out.Degraded, note)
		}
		return out, err
	}
	names, err := entitiesOf(ctx, m)
	if err != nil {
		return nil, err
	}
	out := &api.EntityList{}
	if q.Found {
		if err := findListed(ctx, m, out, names); err != nil {
			return nil, err
		}
	} else {
		for _, e := range names.List {
			out.Entities = append(out.Entities, api.ListedEntity{Entity: e})
		}
	}
	if q.Kind != "" {
		out.Entities = slices.DeleteFunc(out.Entities, func(e api.ListedEntity) bool { return !strings.EqualFold(e.Kind, q.Kind) })
	}
	out.Total = len(out.Entities)
	from := min(q.Offset, out.Total)
	out.Entities = out.Entities[from:min(from+cmp.Or(q.Count, usual), out.Total)]
	return out, nil
}
