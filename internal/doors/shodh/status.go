package shodh

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
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
	all, err := memory.Labels(ctx, c.Memories, hippo.Filter{})
	if err != nil {
		return reply{}, err
	}
	recent, err := memory.Labels(ctx, c.Memories, hippo.Filter{CreatedAfter: c.Now().AddDate(0, 0, -7)})
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

// health is the answer of healthCheck. Version and Uptime are for callers with a token: others learn the
// status alone.
type health struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
	// Uptime is in seconds.
	Uptime *int `json:"uptime_seconds,omitempty"`
}

// The values of [health.Status].
const (
	healthy   = "healthy"
	degraded  = "degraded"
	unhealthy = "unhealthy"
)

// healthPatience is how long a check of health waits for a store that is being opened.
const healthPatience = time.Second

func healthCheck(ctx context.Context, c *call) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	out := health{Status: healthOf(ctx, c)}
	if c.scope.Allows(hippo.RightRead) {
		out.Version, out.Uptime = c.Version, new(int(c.Now().Sub(c.started).Seconds()))
	}
	return reply{body: out}, nil
}

// healthOf is degraded while the store is being opened, and, for callers who may know, while a part of searches is
// not available.
func healthOf(ctx context.Context, c *call) string {
	e, err := c.open(ctx)
	if err == nil && c.scope.Allows(hippo.RightRead) {
		var s api.Status
		if s, err = memory.Status(ctx, e.In(c.scope)); err == nil && len(s.Degraded) > 0 {
			return degraded
		}
	}
	switch {
	case err == nil:
		return healthy
	case errors.Is(err, context.DeadlineExceeded):
		return degraded
	default:
		c.Log.Error("the store is not healthy", "error", err)
		return unhealthy
	}
}
