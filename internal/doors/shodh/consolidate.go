package shodh

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
)

// consolidated is the answer of consolidate: how many memories were looked at and archived, how many near-duplicates were
// linked, and the operation that an undo takes; it is absent if nothing was changed.
type consolidated struct {
	Success      bool     `json:"success"`
	Processed    int      `json:"processed"`
	Archived     int      `json:"archived"`
	Associations int      `json:"associations_created"`
	Summaries    int      `json:"summaries_created"`
	Operation    hippo.ID `json:"operation,omitzero"`
}

// consolidate consolidates the memories of the caller.
func consolidate(ctx context.Context, c *call) (reply, error) {
	o := upkeep.ConsolidateOptions{Horizon: api.Horizon(c.Text("time_horizon"))}
	done, err := upkeep.Consolidate(ctx, c.Memories, o)
	if err != nil {
		return reply{}, err
	}
	return reply{body: consolidated{
		Success: true, Processed: done.Memories, Archived: done.Archived, Associations: done.Linked, Summaries: done.Summarised, Operation: done.Operation,
	}}, nil
}

// clusters is the answer of GET /api/clusters.
type clusters struct {
	Clusters []cluster `json:"clusters"`
	Count    int       `json:"count"`
}

// cluster is a topic: a group of similar memories, which is computed for the request.
type cluster struct {
	ID             int        `json:"id"`
	Size           int        `json:"size"`
	LastRecomputed string     `json:"last_recomputed"`
	Label          []string   `json:"label"`
	Density        float64    `json:"density"`
	Members        []hippo.ID `json:"members"`
}

func listClusters(ctx context.Context, c *call) (reply, error) {
	found, err := upkeep.ClustersOf(ctx, c.Memories)
	if err != nil {
		return reply{}, err
	}
	out := clusters{Clusters: make([]cluster, len(found.Topics)), Count: len(found.Topics)}
	for i, x := range found.Topics {
		out.Clusters[i] = cluster{i + 1, len(x.Members), c.Now().UTC().Format(time.RFC3339Nano), append([]string{}, x.Label...), x.Density, x.Members}
	}
	return reply{body: out}, nil
}
