package claudehippo

import (
	"context"
	"strings"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
)

// Four names are also those of mcp-memory-service. What follows is this system's part of them where the other one answers.

// Scored are the fields of a result of storing that only this system has.
type Scored struct {
	ID         int64      `json:"id"`
	Duplicate  bool       `json:"duplicate"`
	Score      float32    `json:"surprise_score"`
	Components components `json:"surprise_components"`
}

// ScoreOf returns them for a memory that is stored, or was before. Cost: the computation of the surprise.
func ScoreOf(ctx context.Context, c *d.Call, m *hippo.Memory, duplicate bool) (Scored, error) {
	m = scored(ctx, c, m)
	numbers, err := numbersOf(ctx, c, []*hippo.Memory{m})
	return Scored{ID: numbers[m.ID], Duplicate: duplicate, Score: float32(m.Surprise.Score), Components: componentsOf(&m.Surprise)}, err
}

// scored returns a memory that is stored with its surprise. Without it, which comes later then, no call has failed.
func scored(ctx context.Context, c *d.Call, m *hippo.Memory) *hippo.Memory {
	if upkeep.Scored(ctx, c.Memories) == nil {
		if ms, err := memory.Get(ctx, c.Memories, []hippo.ID{m.ID}); err == nil {
			return ms[0]
		}
	}
	return m
}

// SetImportance sets the importance that was given, also one that happens to be the default: it is a part of the surprise.
func SetImportance(m *hippo.Memory, importance float64) {
	m.Importance.Base, m.Surprise.Explicit = importance, importance
}

// Numbered are the fields of a memory in a list that only this system has.
type Numbered struct {
	ID       int64    `json:"id"`
	Surprise *float32 `json:"surprise_score"`
}

// NumberedOf returns them for memories, in their order.
func NumberedOf(ctx context.Context, c *d.Call, ms []*hippo.Memory) ([]Numbered, error) {
	numbers, err := numbersOf(ctx, c, ms)
	out := make([]Numbered, len(ms))
	for i, m := range ms {
		out[i].ID = numbers[m.ID]
		if m.Surprise.Score > 0 {
			out[i].Surprise = new(float32(m.Surprise.Score))
		}
	}
	return out, err
}

// Found is a memory that was found, with its score and its similarity, 0 to 1.
type Found struct {
	*hippo.Memory
	Score, Similarity float64
	// ContradictedBy says which fact the text contradicts.
	ContradictedBy string
}

// Recall returns what the arguments of [RecallParams] ask for, the best first, in the ranking of this system.
func Recall(ctx context.Context, c *d.Call, limit int) ([]Found, error) {
	list, err := recall(ctx, c, limit)
	out := make([]Found, len(list))
	for i, f := range list {
		out[i] = Found{f.Memory, f.score, f.similarity, f.contradicts}
	}
	return out, err
}

// Recalls reports whether the arguments ask for the ranking of this system.
func Recalls(c *d.Call) bool {
	return strings.TrimSpace(c.Text("mode")) != "" || c.Has("seed_id") || c.Flag("no_surprise_boost")
}

// Named returns the memories that content_hash, or else id or uuids mean; none of those that are not there.
func Named(ctx context.Context, c *d.Call) ([]*hippo.Memory, error) { return named(ctx, c) }

// Restore restores the memories that the same arguments mean.
func Restore(ctx context.Context, c *d.Call) (d.Result, error) { return restore(ctx, c) }
