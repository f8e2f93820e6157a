package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

type resolveInput struct{ verb.Resolve }

// resolved is the answer, in the order of the request.
type resolved struct {
	IDs []identity `json:"ids"`
}

// identity is a memory by its UUID, and the short form that distinguishes it from all others of the scope.
type identity struct {
	UUID  hippo.ID `json:"uuid"`
	Short string   `json:"short"`
}

func (in *resolveInput) call(ctx context.Context, r *request) (reply, error) {
	ids, err := in.Request(ctx, r.Memories)
	if err != nil {
		return reply{}, err
	}
	if _, err := memory.Get(ctx, r.Memories, ids); err != nil { // a whole UUID may be unknown
		return reply{}, err
	}
	short := memory.ShortIDs(r.Memories, ids)
	out := resolved{make([]identity, len(ids))}
	for i, id := range ids {
		out.IDs[i] = identity{id, short.Of(id)}
	}
	return reply{status: http.StatusOK, data: out, count: len(ids)}, nil
}
