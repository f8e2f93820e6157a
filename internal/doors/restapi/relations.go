package restapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/verb"
)

// relation is a relation as JSON, see [wire.RelationOf].
type relation struct{ json.RawMessage }

// relations is a list of relations.
type relations struct {
	Relations []relation `json:"relations"`
}

func relationsOf(r *request, list []hippo.Relation) (reply, error) {
	out, err := encodeRelations(r, list)
	return reply{status: http.StatusOK, data: relations{out}, count: len(list)}, err
}

func encodeRelations(r *request, list []hippo.Relation) ([]relation, error) {
	out := make([]relation, len(list))
	for i := range list {
		b, err := wire.RelationOf(&list[i], r.server.Now())
		if err != nil {
			return nil, err
		}
		out[i] = relation{b}
	}
	return out, nil
}

type relateInput struct{ verb.Relate }

func (in *relateInput) call(ctx context.Context, r *request) (reply, error) {
	list, err := in.Resolve(ctx, r.Memories, r.now())
	if err != nil {
		return reply{}, err
	}
	done, err := knowledge.Relate(ctx, changing(r.Memories, r.caller, in.Reason), list)
	if err != nil {
		return reply{}, err
	}
	return relatedOf(r, done)
}

// related is the answer to a declaration: the relations, and what happened to others.
type related struct {
	Relations []relation `json:"relations"`
	Replaced  []relation `json:"replaced,omitempty"`
	Closed    []relation `json:"closed,omitempty"`
	Conflicts []relation `json:"conflicts,omitempty"`
}

func relatedOf(r *request, done *api.Related) (reply, error) {
	var out related
	for _, x := range []struct {
		to   *[]relation
		from []hippo.Relation
	}{{&out.Relations, done.Declared}, {&out.Replaced, done.Replaced}, {&out.Closed, done.Closed}, {&out.Conflicts, done.Conflicts}} {
		list, err := encodeRelations(r, x.from)
		if err != nil {
			return reply{}, err
		}
		*x.to = list
	}
	return reply{status: http.StatusOK, data: out, count: len(out.Relations)}, nil
}

type endInput struct{ verb.EndRelation }

func (in *endInput) call(ctx context.Context, r *request) (reply, error) {
	x, err := in.Resolve(ctx, r.Memories, r.now())
	if err != nil {
		return reply{}, err
	}
	e := api.EndRelations{Relations: []hippo.Relation{x}}
	if e.At, err = in.At(r.now()); err != nil {
		return reply{}, err
	}
	list, err := knowledge.EndRelations(ctx, changing(r.Memories, r.caller, in.Reason), e)
	if err != nil {
		return reply{}, err
	}
	return relationsOf(r, list)
}

type unrelateInput struct{ verb.Unrelate }

func (in *unrelateInput) call(ctx context.Context, r *request) (reply, error) {
	x, err := in.Resolve(ctx, r.Memories, r.now())
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent, count: 1}, knowledge.Unrelate(ctx, changing(r.Memories, r.caller, ""), []hippo.Relation{x})
}

type relationsInput struct{ verb.RelationsOf }

func (in *relationsInput) call(ctx context.Context, r *request) (reply, error) {
	id, err := in.ID.Resolve(ctx, r.Memories, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	at, err := in.At.Moment(r.now())
	if err != nil {
		return reply{}, err
	}
	list, err := knowledge.ListRelations(ctx, r.Memories, api.Relations{IDs: []hippo.ID{id}, At: at})
	if err != nil {
		return reply{}, err
	}
	return relationsOf(r, list)
}
