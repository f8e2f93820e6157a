package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
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

// aboutEntity is how an entity is named.
const aboutEntity = "a name, an alias, a short form of a name that no other has, or an ID"

func nameField(to *string) verb.Arg {
	return verb.Arg{Name: "name", To: to, Is: verb.Required, About: aboutEntity, Rules: verb.Schema{"minLength": 1, "maxLength": hippo.MaxEntityName}}
}

func entityReply(status int, e *api.Entity, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{status: status, data: wire.EntityOf(e), count: 1}, nil
}

type entitiesInput struct {
	kind  string
	found bool
	verb.Page
}

func (in *entitiesInput) Args() []verb.Arg {
	return append(in.Page.Args(),
		verb.Arg{Name: "kind", To: &in.kind, About: "only those of this kind"},
		verb.Arg{Name: "found", To: &in.found, About: "list names found in two or more of the newest 2,000 memories that are not recorded as entities"})
}

func (in *entitiesInput) call(ctx context.Context, r *request) (reply, error) {
	count, err := in.Count()
	if err != nil {
		return reply{}, err
	}
	l, err := engine.ListEntities(ctx, r.Memories, api.ListEntities{Kind: in.kind, Found: in.found, Offset: in.Offset, Count: count})
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

func (in *describedInput) Args() []verb.Arg {
	return []verb.Arg{
		{Name: "kind", To: &in.kind, About: "person, project, file, ...", Rules: verb.Schema{"maxLength": hippo.MaxEntityKind}},
		{Name: "aliases", To: &in.aliases, About: "other names", Rules: verb.Schema{"maxItems": hippo.MaxAliases}},
		{Name: "description", To: &in.description, Rules: verb.Schema{"maxLength": hippo.MaxContent}},
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

func (in *addEntityInput) Args() []verb.Arg {
	return append([]verb.Arg{nameField(&in.name)}, in.describedInput.Args()...)
}

func (in *addEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := engine.AddEntity(ctx, r.Memories, engine.EntityDraft{Entity: in.entity(in.name)})
	return entityReply(http.StatusCreated, e, err)
}

type entityInput struct {
	name   string
	tokens int
	at     verb.Moment
}

func (in *entityInput) Args() []verb.Arg {
	tokens := verb.Schema{"minimum": briefing.MinTokens, "maximum": briefing.MaxTokens}
	return append([]verb.Arg{nameField(&in.name), {Name: "max_tokens", To: &in.tokens, About: "of the texts; default: 1200", Rules: tokens}}, in.at.Args()...)
}

func (in *entityInput) call(ctx context.Context, r *request) (reply, error) {
	at, err := in.at.Moment(r.now())
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

func (in *modifyEntityInput) Args() []verb.Arg {
	return []verb.Arg{
		nameField(&in.change.Entity),
		{Name: "rename", To: &in.change.Name, About: "the new name", Rules: verb.Schema{"minLength": 1, "maxLength": hippo.MaxEntityName}},
		{Name: "kind", To: &in.change.Kind, Rules: verb.Schema{"maxLength": hippo.MaxEntityKind}},
		{Name: "description", To: &in.change.Description, Rules: verb.Schema{"maxLength": hippo.MaxContent}},
		{Name: "aliases", To: &in.change.Aliases, About: "names to add"},
		{Name: "without", To: &in.change.Without, About: "aliases to take away"},
		verb.ReasonArg(&in.reason),
	}
}

func (in *modifyEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := engine.ModifyEntity(ctx, changing(r.Memories, r.caller, in.reason), in.change)
	return entityReply(http.StatusOK, e, err)
}

type removeEntityInput struct{ name string }

func (in *removeEntityInput) Args() []verb.Arg { return []verb.Arg{nameField(&in.name)} }

func (in *removeEntityInput) call(ctx context.Context, r *request) (reply, error) {
	e, err := engine.RemoveEntity(ctx, r.Memories, engine.EntityRemoval{Entity: in.name})
	return entityReply(http.StatusOK, e, err)
}

type mergeInput struct{ from, into, reason string }

func (in *mergeInput) Args() []verb.Arg {
	return []verb.Arg{
		{Name: "from", To: &in.from, Is: verb.Required, About: "the entity that is forgotten: " + aboutEntity},
		{Name: "into", To: &in.into, Is: verb.Required, About: "the entity that gets its names and its relations"},
		verb.ReasonArg(&in.reason),
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
	related verb.Refs
	reason  string
}

func (in *splitInput) Args() []verb.Arg {
	return append(in.describedInput.Args(),
		verb.Arg{Name: "entity", To: &in.entity, Is: verb.Required, About: "the one to split: " + aboutEntity},
		verb.Arg{Name: "name", To: &in.name, Is: verb.Required, About: "that of the new one", Rules: verb.Schema{"minLength": 1, "maxLength": hippo.MaxEntityName}},
		verb.Arg{Name: "related", To: &in.related, About: "memories: the relations with them move to the new one"},
		verb.ReasonArg(&in.reason),
	)
}

func (in *splitInput) call(ctx context.Context, r *request) (reply, error) {
	related, err := in.related.Resolve(ctx, r.Memories, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	q := api.SplitEntity{Entity: in.entity, New: in.describedInput.entity(in.name), Related: related}
	done, err := engine.SplitEntity(ctx, changing(r.Memories, r.caller, in.reason), q)
	return movedReply(done, err)
}
