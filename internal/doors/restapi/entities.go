package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

// ofEntities lists the operations about entities.
func ofEntities() []operation {
	return []operation{
		{
			method: get, path: "/entities", id: "entities", summary: "List entities by name, or those that texts name", rights: read,
			input: newEntitiesInput, answer: wire.EntityList{},
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

// aboutEntity is how an entity is named.
const aboutEntity = "a name, an alias, a short form of a name that no other has, or an ID"

func nameField(to *string, where place) field {
	return field{name: "name", in: where, to: to, required: true, about: aboutEntity, rules: schema{"minLength": 1, "maxLength": hippo.MaxEntityName}}
}

func entityReply(status int, e *api.Entity, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{status: status, data: wire.EntityOf(e), count: 1}, nil
}

type entitiesInput struct {
	kind          string
	found         bool
	offset, limit int
}

func newEntitiesInput() input { return &entitiesInput{limit: hippo.DefaultCount} }

func (in *entitiesInput) fields() []field {
	return []field{
		{name: "kind", in: inQuery, to: &in.kind, about: "only those of this kind"},
		{name: "found", in: inQuery, to: &in.found, about: "list names found in two or more of the newest 2,000 memories that are not recorded as entities"},
		{name: "offset", in: inQuery, to: &in.offset, about: "where the page begins", rules: schema{"minimum": 0, "default": 0}},
		{name: "limit", in: inQuery, to: &in.limit, rules: schema{"minimum": 1, "maximum": hippo.MaxCount, "default": hippo.DefaultCount}},
	}
}

func (in *entitiesInput) call(ctx context.Context, r *request) (reply, error) {
	if in.limit < 1 {
		return reply{}, hippo.Fieldf("limit", "must be between 1 and %d, got %d", hippo.MaxCount, in.limit)
	}
	l, err := engine.ListEntities(ctx, r.Memories, api.ListEntities{Kind: in.kind, Found: in.found, Offset: in.offset, Count: in.limit})
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.EntitiesOf(l), count: len(l.Entities)}, nil
}

// describedInput is what describes an entity beside its name.
type describedInput struct {
	kind, description string
	aliases           []string
}

func (in *describedInput) fields() []field {
	return []field{
		{name: "kind", to: &in.kind, about: "person, project, file, ...", rules: schema{"maxLength": hippo.MaxEntityKind}},
		{name: "aliases", to: &in.aliases, about: "other names", rules: schema{"maxItems": hippo.MaxAliases}},
		{name: "description", to: &in.description, rules: schema{"maxLength": hippo.MaxContent}},
	}
}

// entity returns the entity with a name.
func (in *describedInput) entity(name string) hippo.Entity {
	return hippo.Entity{Name: name, Kind: in.kind, Aliases: in.aliases, Description: in.description}
}

type addEntityInput struct {
	name string
	describedInput
}

func (in *addEntityInput) fields() []field {
	return append([]field{nameField(&in.name, inBody)}, in.describedInput.fields()...)
}

func (in *addEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := engine.AddEntity(ctx, r.Memories, engine.EntityDraft{Entity: in.entity(in.name)})
	return entityReply(http.StatusCreated, e, err)
}

type entityInput struct {
	name   string
	tokens int
	at     momentInput
}

func (in *entityInput) fields() []field {
	tokens := schema{"minimum": briefing.MinTokens, "maximum": briefing.MaxTokens}
	return append([]field{nameField(&in.name, inPath), {name: "max_tokens", in: inQuery, to: &in.tokens, about: "of the texts; default: 1200", rules: tokens}}, in.at.fields(inQuery)...)
}

func (in *entityInput) call(ctx context.Context, r *request) (reply, error) {
	at, err := in.at.value(r)
	if err != nil {
		return reply{}, err
	}
	p, err := engine.ShowEntity(ctx, r.Memories, api.ShowEntity{Entity: in.name, MaxTokens: in.tokens, At: at})
	if err != nil {
		return reply{}, err
	}
	out, err := wire.EntityPageOf(p, r.server.Now())
	return reply{status: http.StatusOK, data: out, count: p.Memories}, err
}

type modifyEntityInput struct {
	change api.ModifyEntity
	reason string
}

func (in *modifyEntityInput) fields() []field {
	return []field{
		nameField(&in.change.Entity, inPath),
		{name: "rename", to: &in.change.Name, about: "the new name", rules: schema{"minLength": 1, "maxLength": hippo.MaxEntityName}},
		{name: "kind", to: &in.change.Kind, rules: schema{"maxLength": hippo.MaxEntityKind}},
		{name: "description", to: &in.change.Description, rules: schema{"maxLength": hippo.MaxContent}},
		{name: "aliases", to: &in.change.Aliases, about: "names to add"},
		{name: "without", to: &in.change.Without, about: "aliases to take away"},
		reasonField(&in.reason),
	}
}

func (in *modifyEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := engine.ModifyEntity(ctx, changing(r.Memories, r.caller, in.reason), in.change)
	return entityReply(http.StatusOK, e, err)
}

type removeEntityInput struct{ name string }

func (in *removeEntityInput) fields() []field { return []field{nameField(&in.name, inPath)} }

func (in *removeEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := engine.RemoveEntity(ctx, r.Memories, engine.EntityRemoval{Entity: in.name})
	return entityReply(http.StatusOK, e, err)
}

type mergeInput struct{ from, into, reason string }

func (in *mergeInput) fields() []field {
	return []field{
		{name: "from", to: &in.from, required: true, about: "the entity that is forgotten: " + aboutEntity},
		{name: "into", to: &in.into, required: true, about: "the entity that gets its names and its relations"},
		reasonField(&in.reason),
	}
}

func (in *mergeInput) call(ctx context.Context, r *request) (reply, error) {
	done, err := engine.MergeEntities(ctx, changing(r.Memories, r.caller, in.reason), api.MergeEntities{From: in.from, Into: in.into})
	return movedReply(done, err)
}

func movedReply(done *api.EntityMoved, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.EntityMovedOf(done), count: 2}, nil
}

type splitInput struct {
	entity, name string
	describedInput
	related references
	reason  string
}

func (in *splitInput) fields() []field {
	return append(in.describedInput.fields(),
		field{name: "entity", to: &in.entity, required: true, about: "the one to split: " + aboutEntity},
		field{name: "name", to: &in.name, required: true, about: "that of the new one", rules: schema{"minLength": 1, "maxLength": hippo.MaxEntityName}},
		field{name: "related", to: &in.related, about: "memories: the relations with them move to the new one"},
		reasonField(&in.reason),
	)
}

func (in *splitInput) call(ctx context.Context, r *request) (reply, error) {
	related, err := r.resolveAll(ctx, in.related, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	q := api.SplitEntity{Entity: in.entity, New: in.describedInput.entity(in.name), Related: related}
	done, err := engine.SplitEntity(ctx, changing(r.Memories, r.caller, in.reason), q)
	return movedReply(done, err)
}
