package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

type reinforceInput struct{ verb.Ballot }

func (in *reinforceInput) call(ctx context.Context, r *request) (reply, error) {
	ballot, err := in.Resolve(ctx, r.Memories)
	if err != nil {
		return reply{}, err
	}
	list, err := memory.Cast(ctx, r.Memories, ballot)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.ReinforcedOf(list), count: len(list)}, nil
}

// votesInput asks for the votes on a memory.
type votesInput struct{ id verb.Ref }

func (in *votesInput) Args() []verb.Arg { return []verb.Arg{verb.IDArg(&in.id)} }

func (in *votesInput) call(ctx context.Context, r *request) (reply, error) {
	id, err := in.id.Resolve(ctx, r.Memories, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	ms, err := memory.Get(ctx, r.Memories, []hippo.ID{id})
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.VotesOf(ms[0]), count: 1}, nil
}

// forgetInput forgets memories, restores them or removes them for good.
type forgetInput struct {
	verb.Forget
	action string // see [forgot]
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
	ids, err := in.IDs.Resolve(ctx, r.Memories, prefer)
	if err != nil {
		return reply{}, err
	}
	switch in.action {
	case purged:
		err = memory.Purge(ctx, r.Memories, ids)
	case restored:
		_, err = memory.Restore(ctx, r.Memories, ids)
	default:
		_, err = memory.Forget(ctx, r.Memories, ids)
	}
	return reply{status: http.StatusOK, data: forgot{in.action, ids}, count: len(ids)}, err
}
