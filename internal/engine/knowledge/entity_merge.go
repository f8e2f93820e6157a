package knowledge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/entities"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// maxMoved is the most relations that move in an operation.
const maxMoved = 10_000

// MergeEntities merges an entity into another one, as one operation, which [memory.Undo] undoes whole: the names of the first become
// aliases of the other, its description is added, its relations move, and it is forgotten. An entity and itself, and two of
// different projects, are [hippo.ErrInvalid]; an unknown one is [hippo.ErrNotFound].
func MergeEntities(ctx context.Context, m *engine.Memories, q api.MergeEntities) (*api.EntityMoved, error) {
	var err error
	if q.ID, err = identity(q.ID); err != nil {
		return nil, err
	}
	return engine.Perform(ctx, m, q, "merge_entities", mergeEntities)
}

func mergeEntities(ctx context.Context, m *engine.Memories, q api.MergeEntities) (*api.EntityMoved, error) {
	names, err := changeable(ctx, m)
	if err != nil {
		return nil, err
	}
	into, err := meant(ctx, m, names, q.Into)
	if err != nil {
		return nil, renamed(err, "into")
	}
	from, err := meant(ctx, m, names, q.From)
	if err != nil {
		return nil, renamed(err, "from")
	}
	if from.ID == into.ID && entities.NameKey(from.Name) == entities.NameKey(into.Name) {
		if m.Retried { // the first attempt merged them
			return &api.EntityMoved{Entity: into, Other: from}, nil
		}
		return nil, hippo.Fieldf("into", "must be another entity than from: %q and %q are both %s", q.From, q.Into, entities.DescribeEntity(into))
	}
	if !from.Found() && !into.Found() && from.Project != into.Project {
		return nil, hippo.Fieldf("into", "must be of the same project as from: %s, and %s", entities.DescribeEntity(into), entities.DescribeEntity(from))
	}
	return merge(ctx, guarded(names, m, func(n *entities.Names) error {
		return errors.Join(unrecorded(n, into, from), unrecorded(n, from, into))
	}), &q, from, into)
}

// unrecorded returns an error if an entity that was found has a record by now, beside that of the one that it is merged with.
func unrecorded(n *entities.Names, e, with *api.Entity) error {
	if !e.Found() {
		return nil
	}
	return n.Taken(&hippo.Entity{Name: e.Name}, with.ID)
}

// renamed adds the name of an argument to an error.
func renamed(err error, name string) error {
	if _, ok := errors.AsType[*hippo.AmbiguousError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

func merge(ctx context.Context, m *engine.Memories, q *api.MergeEntities, from, into *api.Entity) (*api.EntityMoved, error) {
	out := &api.EntityMoved{Other: from}
	r := &store.Revision{}
	moving := &relationMove{from: from.ID, to: into.ID}
	if !from.Found() {
		seen := from.Content()
		r.Change = append(r.Change, store.Changed{ID: from.ID, Do: func(x *hippo.Memory, _ hippo.Day) error {
			if x.Content != seen || x.Project != from.Project || x.Forgotten() {
				return changedMeanwhile(from)
			}
			x.ForgottenAt = m.Clock()
			return nil
		}})
	}
	if into.Found() {
		d := EntityDraft{Entity: joinedEntities(into.Entity, from.Entity), ID: q.ID}
		if err := d.prepare(); err != nil {
			return nil, err
		}
		x := d.memory(m)
		if !from.Found() {
			x.Project = from.Project
		}
		if err := memory.PrepareRecord(m, x); err != nil {
			return nil, err
		}
		r.Record, moving.to = []*hippo.Memory{x}, x.ID
		out.Entity = entities.EntityIn(x)
	} else {
		r.Change = append(r.Change, store.Changed{ID: into.ID, Do: func(x *hippo.Memory, _ hippo.Day) error {
			return rewrite(m, x, func(e *hippo.Entity) error {
				*e = joinedEntities(*e, from.Entity)
				return e.Validate()
			})
		}})
	}
	if !from.Found() {
		if err := moving.plan(ctx, m, from.Project); err != nil {
			return nil, err
		}
		if err := memory.GiveBack(ctx, m, r, from.ID); err != nil {
			return nil, err
		}
	}
	return out, reviseMoved(ctx, m, out, hippo.VerbMerge, r, moving)
}

func changedMeanwhile(e *api.Entity) error {
	return fmt.Errorf("%w: the entity %s was changed meanwhile", hippo.ErrConflict, entities.DescribeEntity(e))
}

// joinedEntities returns an entity with the names and the description of another one.
func joinedEntities(e, other hippo.Entity) hippo.Entity {
	e.Aliases = slices.Concat(e.Aliases, other.Names())
	if e.Kind == "" {
		e.Kind = other.Kind
	}
	if other.Description != "" && !strings.Contains(e.Description, other.Description) {
		e.Description = strings.TrimSpace(e.Description + "\n" + other.Description)
	}
	e.Normalise()
	return e
}

// reviseMoved carries out a merge or a split.
func reviseMoved(ctx context.Context, m *engine.Memories, o *api.EntityMoved, verb hippo.Verb, r *store.Revision, moving *relationMove) error {
	r.Drop, r.Link, r.Known = moving.drop, moving.link, moving.known
	if err := m.Flush(ctx); err != nil {
		return err
	}
	ms, err := store.Revise(ctx, store.As(m.Scoped, engine.Operation(m, verb)), r)
	if err != nil {
		return err
	}
	m.Surprise.Add(r.Record...)
	for _, x := range ms {
		switch x.ID { // others are what holds again
		case moving.from:
			o.Other = entities.EntityIn(x)
		case moving.to:
			o.Entity = entities.EntityIn(x)
		}
	}
	o.Moved, o.Stayed = len(moving.drop), moving.stayed
	return nil
}

// relationMove is which relations of an entity move to another one.
type relationMove struct {
	from, to   hippo.ID
	only       []hippo.ID // those with these memories; nil: all
	drop, link []hippo.Relation
	known      *store.KnownRelations // what it was decided on
	stayed     int
}

// plan decides what moves. Relations between the two go away.
func (v *relationMove) plan(ctx context.Context, m *engine.Memories, project string) error {
	list, err := m.Scoped.Relations(ctx, []hippo.ID{v.from}, time.Time{}, math.MaxInt32)
	if err != nil {
		return err
	}
	v.known = &store.KnownRelations{ID: v.from, Relations: list}
	if len(list) > maxMoved {
		return hippo.Fieldf("from", "must have at most %d relations, got %d", maxMoved, len(list))
	}
	same, err := inProject(ctx, m, v.from, list, project)
	if err != nil {
		return err
	}
	there := make(map[driver.RelationKey][]hippo.Relation)
	known, err := m.Scoped.Relations(ctx, []hippo.ID{v.to}, time.Time{}, math.MaxInt32)
	for i := range known {
		key := driver.EndsOf(&known[i])
		there[key] = append(there[key], known[i])
	}
	for _, r := range list {
		other := r.Other(v.from)
		if v.only != nil && !slices.Contains(v.only, other) {
			continue
		}
		if r.Kind == hippo.CoRecalled || !same[other] {
			v.stayed++
			continue
		}
		v.drop = append(v.drop, r)
		moved := r
		if moved.From == v.from {
			moved.From = v.to
		} else {
			moved.To = v.to
		}
		overlaps := func(r hippo.Relation) bool { return r.Overlaps(&moved) }
		if other != v.to && !slices.ContainsFunc(there[driver.EndsOf(&moved)], overlaps) {
			v.link = append(v.link, moved)
		}
	}
	return err
}

// inProject returns which of the memories that relations lead to are of a project.
func inProject(ctx context.Context, m *engine.Memories, id hippo.ID, list []hippo.Relation, project string) (map[hippo.ID]bool, error) {
	ids := make([]hippo.ID, len(list))
	for i := range list {
		ids[i] = list[i].Other(id)
	}
	same := make(map[hippo.ID]bool)
	ms, err := m.Scoped.Get(ctx, engine.Distinct(ids))
	for _, x := range ms {
		same[x.ID] = x.Project == project
	}
	return same, err
}

// SplitEntity takes a new entity out of another one, as one operation, which [memory.Undo] undoes whole. An unknown entity is
// [hippo.ErrNotFound], a name that a third one has [hippo.ErrConflict].
func SplitEntity(ctx context.Context, m *engine.Memories, q api.SplitEntity) (*api.EntityMoved, error) {
	d := EntityDraft{Entity: q.New, ID: q.ID}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	q.New, q.ID = d.Entity, d.ID
	return engine.Perform(ctx, m, q, "split_entity", splitEntity)
}

func splitEntity(ctx context.Context, m *engine.Memories, q api.SplitEntity) (*api.EntityMoved, error) {
	names, err := changeable(ctx, m)
	if err != nil {
		return nil, err
	}
	old, err := meant(ctx, m, names, q.Entity)
	if err != nil {
		return nil, err
	}
	if done, err := memory.Recorded(ctx, m, &hippo.Memory{ID: q.ID}); err != nil || done != nil {
		return &api.EntityMoved{Entity: entityOrNil(done), Other: old}, err
	}
	if old.Found() {
		return nil, hippo.Fieldf("entity", "must be a recorded one, and %s was found in texts: record the other one by itself", entities.DescribeEntity(old))
	}
	if entities.NameKey(q.New.Name) == entities.NameKey(old.Name) {
		return nil, hippo.Fieldf("name", "must be another one than that of the entity, got %q twice", q.New.Name)
	}
	free := func(n *entities.Names) error { return n.Taken(&q.New, old.ID) }
	if err := free(names); err != nil {
		return nil, err
	}
	return split(ctx, guarded(names, m, free), &q, old)
}

func split(ctx context.Context, m *engine.Memories, q *api.SplitEntity, old *api.Entity) (*api.EntityMoved, error) {
	x := (&EntityDraft{Entity: q.New, ID: q.ID}).memory(m)
	x.Project = old.Project
	if err := memory.PrepareRecord(m, x); err != nil {
		return nil, err
	}
	moving := &relationMove{from: old.ID, to: q.ID, only: append([]hippo.ID{}, q.Related...)}
	if err := moving.plan(ctx, m, old.Project); err != nil {
		return nil, err
	}
	leave := make(map[string]bool)
	for _, name := range q.New.Names() {
		leave[entities.NameKey(name)] = true
	}
	r := &store.Revision{Record: []*hippo.Memory{x}, Change: []store.Changed{{ID: old.ID, Do: func(x *hippo.Memory, _ hippo.Day) error {
		return rewrite(m, x, func(e *hippo.Entity) error {
			e.Aliases = slices.DeleteFunc(e.Aliases, func(a string) bool { return leave[entities.NameKey(a)] })
			return nil
		})
	}}}}
	out := &api.EntityMoved{Entity: entities.EntityIn(x)}
	return out, reviseMoved(ctx, m, out, hippo.VerbSplit, r, moving)
}
