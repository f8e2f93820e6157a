package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/verb"
)

type consolidateInput struct {
	horizon string
	dryRun  bool
}

func (in *consolidateInput) Args() []verb.Arg {
	return []verb.Arg{
		{
			Name: "horizon", To: &in.horizon, Values: consolidate.HorizonNames(), Rules: verb.Schema{"default": api.Weekly},
			About: "what is done, and to memories of which age; daily and weekly archive nothing",
		},
		{Name: "dry_run", To: &in.dryRun, About: "propose and change nothing"},
	}
}

func (in *consolidateInput) call(ctx context.Context, r *request) (reply, error) {
	o := engine.ConsolidateOptions{Horizon: api.Weekly, DryRun: in.dryRun}
	if in.horizon != "" {
		o.Horizon = api.Horizon(in.horizon)
	}
	done, err := engine.Consolidate(ctx, r.Memories, o)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.ConsolidationOf(done), count: done.Linked + done.Summarised + done.Archived}, nil
}

type clustersInput struct{}

func (*clustersInput) Args() []verb.Arg { return nil }

func (*clustersInput) call(ctx context.Context, r *request) (reply, error) {
	found, err := engine.ClustersOf(ctx, r.Memories)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.ClustersOf(found), count: len(found.Topics)}, nil
}
