package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/verb"
)

// ofEntities lists the operations about entities.
func ofEntities() []operation {
	return []operation{
		{
			method: get, path: "/entities", id: "entities", summary: "List entities by name, or those that texts name", rights: read,
			input: func() input { return &entitiesInput{} }, answer: wire.EntityList{},
		},
		{
			method: post, path: "/entities", id: "addEntity", summary: "Add an entity", rights: read | write,
			input: func() input { return &addEntityInput{} }, status: http.StatusCreated, answer: wire.Entity{},
		},
		{
			method: get, path: "/entities/{name}", id: "entity", summary: "Get what is known of an entity", rights: read,
			input: func() input { return &entityInput{} }, answer: wire.EntityPage{},
		},
		{
			method: http.MethodPatch, path: "/entities/{name}", id: "modifyEntity", summary: "Change an entity; what is not given stays", rights: read | write,
			input: func() input { return &modifyEntityInput{} }, answer: wire.Entity{},
		},
		{
			method: http.MethodDelete, path: "/entities/{name}", id: "removeEntity", summary: "Forget an entity, or record that what texts name is none", rights: read | write,
			input: func() input { return &removeEntityInput{} }, answer: wire.Entity{},
		},
		{
			method: post, path: "/entities/merge", id: "mergeEntities", summary: "Make two entities one, as an operation", rights: read | write,
			input: func() input { return &mergeInput{} }, answer: wire.EntityMoved{},
		},
		{
			method: post, path: "/entities/split", id: "splitEntity", summary: "Take a new entity out of another one, as an operation", rights: read | write,
			input: func() input { return &splitInput{} }, answer: wire.EntityMoved{},
		},
	}
}

func entityReply(status int, e *api.Entity, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{status: status, data: wire.EntityOf(e), count: 1}, nil
}

type entitiesInput struct{ verb.ListEntities }

func (in *entitiesInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request()
	if err != nil {
		return reply{}, err
	}
	l, err := knowledge.ListEntities(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.EntitiesOf(l), count: len(l.Entities)}, nil
}

type addEntityInput struct{ verb.NewEntity }

func (in *addEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := knowledge.AddEntity(ctx, r.Memories, knowledge.EntityDraft{Entity: in.Entity})
	return entityReply(http.StatusCreated, e, err)
}

type entityInput struct{ verb.ShowEntity }

func (in *entityInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request(r.now())
	if err != nil {
		return reply{}, err
	}
	p, err := knowledge.ShowEntity(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	out, err := wire.EntityPageOf(p, r.server.Now())
	return reply{status: http.StatusOK, data: out, count: p.Memories}, err
}

type modifyEntityInput struct{ verb.ModifyEntity }

func (in *modifyEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := knowledge.ModifyEntity(ctx, changing(r.Memories, r.caller, in.Reason), in.ModifyEntity.ModifyEntity)
	return entityReply(http.StatusOK, e, err)
}

type removeEntityInput struct{ name string }

func (in *removeEntityInput) Args() []verb.Arg { return []verb.Arg{verb.EntityName(&in.name)} }

func (in *removeEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := knowledge.RemoveEntity(ctx, r.Memories, knowledge.EntityRemoval{Entity: in.name})
	return entityReply(http.StatusOK, e, err)
}

type mergeInput struct{ verb.MergeEntities }

func (in *mergeInput) call(ctx context.Context, r *request) (reply, error) {
	done, err := knowledge.MergeEntities(ctx, changing(r.Memories, r.caller, in.Reason), in.MergeEntities.MergeEntities)
	return movedReply(done, err)
}

func movedReply(done *api.EntityMoved, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.EntityMovedOf(done), count: 2}, nil
}

type splitInput struct{ verb.SplitEntity }

func (in *splitInput) call(ctx context.Context, r *request) (reply, error) {
	related, err := in.Related.Resolve(ctx, r.Memories, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	q := api.SplitEntity{Entity: in.Entity, New: in.New.Entity, Related: related}
	done, err := knowledge.SplitEntity(ctx, changing(r.Memories, r.caller, in.Reason), q)
	return movedReply(done, err)
}
