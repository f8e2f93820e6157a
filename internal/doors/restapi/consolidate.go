package restapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/verb"
)

type consolidateInput struct{ verb.Consolidate }

func (in *consolidateInput) call(ctx context.Context, r *request) (reply, error) {
	o := upkeep.ConsolidateOptions{Horizon: cmp.Or(in.Horizon, api.Weekly), DryRun: in.DryRun}
	done, err := upkeep.Consolidate(ctx, r.Memories, o)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.ConsolidationOf(done), count: done.Linked + done.Summarised + done.Archived}, nil
}

type clustersInput struct{}

func (*clustersInput) Args() []verb.Arg { return nil }

func (*clustersInput) call(ctx context.Context, r *request) (reply, error) {
	found, err := upkeep.ClustersOf(ctx, r.Memories)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.ClustersOf(found), count: len(found.Topics)}, nil
}
