package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
)

type reinforceInput struct {
	up, down, undo references
	query          *string
}

func (in *reinforceInput) fields() []field {
	return []field{
		{name: "upvotes", to: &in.up, about: "those that helped"},
		{name: "downvotes", to: &in.down, about: "those that were wrong or misled"},
		{name: "undo", to: &in.undo, about: "those whose newest vote is taken back"},
		{name: "query", to: &in.query, about: "the question that they answer, or do not: the votes count for questions like it"},
	}
}

func (in *reinforceInput) call(ctx context.Context, r *request) (reply, error) {
	up, err := r.resolveAll(ctx, in.up, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	down, err := r.resolveAll(ctx, in.down, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	undo, err := r.resolveAll(ctx, in.undo, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	query, err := engine.Question(in.query)
	if err != nil {
		return reply{}, err
	}
	list, err := engine.Cast(ctx, r.Memories, api.Reinforce{Up: up, Down: down, Undo: undo, Query: query})
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.ReinforcedOf(list), count: len(list)}, nil
}

// votesInput asks for the votes on a memory.
type votesInput struct{ id reference }

func (in *votesInput) fields() []field { return []field{idField(&in.id)} }

func (in *votesInput) call(ctx context.Context, r *request) (reply, error) {
	id, err := r.resolve(ctx, in.id, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	ms, err := r.Get(ctx, []hippo.ID{id})
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.VotesOf(ms[0]), count: 1}, nil
}

// forgetInput forgets memories, restores them or removes them for good.
type forgetInput struct {
	uuids  references
	action string // see [forgot]
}

func (in *forgetInput) fields() []field {
	return []field{{name: "uuids", to: &in.uuids, required: true, rules: schema{"minItems": 1}}}
}

// The actions of [forgot].
const (
	forgotten = "forgotten"
	restored  = "restored"
	purged    = "purged"
)

// forgot is the answer to forgetting.
type forgot struct {
	// Action is forgotten, restored or purged.
	Action string     `json:"action"`
	UUIDs  []hippo.ID `json:"uuids"`
}

func (in *forgetInput) call(ctx context.Context, r *request) (reply, error) {
	prefer := map[string]api.Preference{forgotten: api.PreferLive, restored: api.PreferForgotten, purged: api.PreferNone}[in.action]
	ids, err := r.resolveAll(ctx, in.uuids, prefer)
	if err != nil {
		return reply{}, err
	}
	switch in.action {
	case purged:
		err = r.Purge(ctx, ids)
	case restored:
		_, err = r.Restore(ctx, ids)
	default:
		_, err = r.Forget(ctx, ids)
	}
	return reply{status: http.StatusOK, data: forgot{in.action, ids}, count: len(ids)}, err
}
