package knowledge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/entities"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store"
)

// EntityDraft is an entity to record, in the current project of the scope. Its source is who [engine.As] says.
type EntityDraft struct {
	hippo.Entity
	// ID is that of the new memory; zero: a new one.
	ID hippo.ID
}

// memory returns the memory that an entity becomes.
func (d *EntityDraft) memory(m *engine.Memories) *hippo.Memory {
	return &hippo.Memory{
		ID: d.ID, Content: d.Content(), Type: hippo.EntityType, Project: m.Scope.Project, Source: m.Op.By,
		Importance: hippo.Importance{Base: hippo.DefaultImportance}, Trust: hippo.TrustDefault,
	}
}

// prepare normalises and checks the entity, and gives it an ID.
func (d *EntityDraft) prepare() error {
	d.Normalise()
	if err := d.Validate(); err != nil {
		return err
	}
	if entities.NameKey(d.Name) == "" {
		return hippo.Fieldf("name", "must have a letter or a digit, got %q", d.Name)
	}
	x := hippo.Memory{ID: d.ID}
	err := store.Identify(&x)
	d.ID = x.ID
	return err
}

// AddEntity records an entity. A name that another entity of the default projects has is [hippo.ErrConflict]. Screening is that of
// [memory.Record].
func AddEntity(ctx context.Context, m *engine.Memories, d EntityDraft) (*api.Entity, error) {
	if err := d.prepare(); err != nil {
		return nil, err
	}
	return engine.Perform(ctx, m, d, "add_entity", addEntity)
}

func addEntity(ctx context.Context, m *engine.Memories, d EntityDraft) (*api.Entity, error) {
	if err := m.Scoped.Allow(hippo.RightRead | hippo.RightWrite); err != nil {
		return nil, err
	}
	x := d.memory(m)
	if done, err := memory.Recorded(ctx, m, x); err != nil || done != nil {
		return entityOrNil(done), err
	}
	names, err := entitiesOf(ctx, m)
	if err != nil {
		return nil, err
	}
	free := func(n *entities.Names) error { return n.Taken(&d.Entity, hippo.ID{}) }
	if err := free(names); err != nil {
		return nil, err
	}
	m = guarded(names, m, free)
	if err := memory.PrepareRecord(m, x); err != nil {
		return nil, err
	}
	if none := names.None[entities.NameKey(d.Name)]; none != nil { // it was no entity
		return changeEntity(ctx, m, none.ID, func(e *hippo.Entity) error {
			*e = d.Entity
			return nil
		})
	}
	x, err = memory.RecordHere(ctx, m, x, nil)
	return entityOrNil(x), err
}

// identity returns the ID of a new record: the one that is given, or a new one.
func identity(given hippo.ID) (hippo.ID, error) {
	x := hippo.Memory{ID: given}
	err := store.Identify(&x)
	return x.ID, err
}

// changeable returns the names of the entities for a caller who may change them.
func changeable(ctx context.Context, m *engine.Memories) (*entities.Names, error) {
	if err := m.Scoped.Allow(hippo.RightRead | hippo.RightWrite); err != nil {
		return nil, err
	}
	return entitiesOf(ctx, m)
}

func entityOrNil(x *hippo.Memory) *api.Entity {
	if x == nil {
		return nil
	}
	return entities.EntityIn(x)
}

// ModifyEntity changes an entity, and returns it as stored. It is an operation, unless the entity had no record before. An unknown
// entity or alias is [hippo.ErrNotFound], a name that another entity has [hippo.ErrConflict].
func ModifyEntity(ctx context.Context, m *engine.Memories, c api.ModifyEntity) (*api.Entity, error) {
	var err error
	if c.ID, err = identity(c.ID); err != nil {
		return nil, err
	}
	return engine.Perform(ctx, m, c, "modify_entity", modifyEntity)
}

func modifyEntity(ctx context.Context, m *engine.Memories, c api.ModifyEntity) (*api.Entity, error) {
	names, err := changeable(ctx, m)
	if err != nil {
		return nil, err
	}
	old, err := meant(ctx, m, names, c.Entity)
	if err != nil {
		return nil, err
	}
	check := func(e *hippo.Entity) error {
		if err := applyChange(&c, e, m.Retried); err != nil {
			return err
		}
		return names.Taken(e, old.ID)
	}
	if !old.Found() {
		return changeEntity(ctx, guarded(names, m, func(n *entities.Names) error {
			names = n
			return nil
		}), old.ID, check)
	}
	d := EntityDraft{Entity: old.Entity, ID: c.ID}
	if err := check(&d.Entity); err != nil {
		return nil, err
	}
	return addEntity(ctx, m, d)
}

// applyChange changes an entity. With again, an alias that is to be taken away may be missing.
func applyChange(c *api.ModifyEntity, e *hippo.Entity, again bool) error {
	if c.Name != nil {
		e.Name = *c.Name
	}
	if c.Kind != nil {
		e.Kind = *c.Kind
	}
	if c.Description != nil {
		e.Description = *c.Description
	}
	e.Aliases = append(slices.Clone(e.Aliases), c.Aliases...)
	for _, a := range c.Without {
		at := slices.IndexFunc(e.Aliases, func(x string) bool { return entities.NameKey(x) == entities.NameKey(a) })
		if at < 0 && !again {
			return fmt.Errorf("%w: %q is no alias of %s", hippo.ErrNotFound, a, e.Name)
		}
		if at >= 0 {
			e.Aliases = slices.Delete(e.Aliases, at, at+1)
		}
	}
	e.Normalise()
	return e.Validate()
}

// changeEntity changes a recorded entity as an operation.
func changeEntity(ctx context.Context, m *engine.Memories, id hippo.ID, fn func(*hippo.Entity) error) (*api.Entity, error) {
	ms, err := engine.Update(ctx, m, hippo.VerbModify, []hippo.ID{id}, func(x *hippo.Memory, _ hippo.Day) error { return rewrite(m, x, fn) })
	if err != nil {
		return nil, err
	}
	return entities.EntityIn(ms[0]), nil
}

// rewrite changes the entity that a memory is, and screens it.
func rewrite(m *engine.Memories, x *hippo.Memory, fn func(*hippo.Entity) error) error {
	e := hippo.ParseEntity(x.Content)
	if err := fn(&e); err != nil {
		return err
	}
	x.Content = e.Content()
	return memory.Screened(&hippo.Memory{Content: x.Content}, m.SecretsAllowed)
}

// EntityRemoval names an entity to remove: by a name, an alias or an ID. The ID is that of the record which says that it is none,
// if it was found by rule.
type EntityRemoval struct {
	Entity string
	ID     hippo.ID
}

// RemoveEntity removes an entity. A recorded one is forgotten, which is an operation; if texts name it, it is found by rule again.
// One that was found by rule gets a record of the kind [entities.NoEntity], and is not found any more until [AddEntity] adds it.
// It returns what was removed.
func RemoveEntity(ctx context.Context, m *engine.Memories, r EntityRemoval) (*api.Entity, error) {
	var err error
	if r.ID, err = identity(r.ID); err != nil {
		return nil, err
	}
	return engine.Perform(ctx, m, r, "remove_entity", removeEntity)
}

func removeEntity(ctx context.Context, m *engine.Memories, r EntityRemoval) (*api.Entity, error) {
	names, err := changeable(ctx, m)
	if err != nil {
		return nil, err
	}
	e, err := meant(ctx, m, names, r.Entity)
	if m.Retried && errors.Is(err, hippo.ErrNotFound) {
		return &api.Entity{Entity: hippo.Entity{Name: r.Entity}}, nil // removed by the first attempt
	}
	if err != nil {
		return nil, err
	}
	if !e.Found() {
		_, err := memory.ForgetHere(ctx, m, []hippo.ID{e.ID})
		return e, err
	}
	d := EntityDraft{Entity: hippo.Entity{Name: e.Name, Kind: entities.NoEntity}, ID: r.ID}
	if _, err := addEntity(ctx, m, d); err != nil {
		return nil, err
	}
	return e, nil
}
