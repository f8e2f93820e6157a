package shodh

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// statistics is the answer of getStats.
type statistics struct {
	Total  int         `json:"total_memories"`
	Recent int         `json:"memories_last_7_days"`
	ByType []typeCount `json:"by_type"`
	// Database and VectorStore name what memories and vectors are in.
	Database    string `json:"database"`
	VectorStore string `json:"vector_store"`
}

// typeCount counts the memories of a type of the document.
type typeCount struct {
	Type  string `json:"memory_type"`
	Count int    `json:"count"`
}

func getStats(ctx context.Context, c *call) (reply, error) {
	all, err := engine.Labels(ctx, c.Memories, hippo.Filter{})
	if err != nil {
		return reply{}, err
	}
	recent, err := engine.Labels(ctx, c.Memories, hippo.Filter{CreatedAfter: c.Now().AddDate(0, 0, -7)})
	if err != nil {
		return reply{}, err
	}
	counts := make(map[string]int)
	for t, n := range all.Types {
		counts[typeOf(t)] += n
	}
	out := statistics{Total: all.Memories, Recent: recent.Memories, ByType: []typeCount{}, Database: c.Database, VectorStore: "hippo"}
	for t, n := range counts {
		out.ByType = append(out.ByType, typeCount{t, n})
	}
	slices.SortFunc(out.ByType, func(a, b typeCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Type, b.Type)) })
	return reply{body: out}, nil
}

// health is the answer of healthCheck. Who has no token gets neither the version nor the uptime, which the
// document has as optional.
type health struct {
	Status string `json:"status"`
}

// healthPatience is how long a check of health waits for a store that is being opened.
const healthPatience = time.Second

func healthCheck(ctx context.Context, c *call) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	_, err := c.open(ctx)
	switch {
	case err == nil:
		return reply{body: health{"healthy"}}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return reply{body: health{"degraded"}}, nil
	default:
		c.Log.Error("the store cannot be opened", "error", err)
		return reply{body: health{"unhealthy"}}, nil
	}
}
