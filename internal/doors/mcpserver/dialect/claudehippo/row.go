package claudehippo

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// row is a memory as this system shows it.
type row struct {
	ID           int64                      `json:"id"`
	ContentHash  string                     `json:"content_hash"`
	Content      string                     `json:"content"`
	Tags         []string                   `json:"tags"`
	MemoryType   *string                    `json:"memory_type"`
	Metadata     map[string]json.RawMessage `json:"metadata"`
	CreatedAt    float64                    `json:"created_at"`
	UpdatedAt    float64                    `json:"updated_at"`
	CreatedAtISO string                     `json:"created_at_iso"`
	UpdatedAtISO string                     `json:"updated_at_iso"`
	// Flags say why the text could be taken for instructions.
	Flags []string `json:"flags,omitempty"`
	// State is absent for a memory that holds.
	State hippo.State `json:"state,omitempty"`
}

// reserved is the key of the metadata that this system keeps for itself.
const reserved = "_hippo"

// rows returns memories as rows, in their order.
func rows(ctx context.Context, c *d.Call, ms []*hippo.Memory) ([]row, error) {
	out := make([]row, len(ms))
	numbers, err := numbersOf(ctx, c, ms)
	for i, m := range ms {
		out[i] = rowOf(m, numbers[m.ID], c.Now)
	}
	return out, err
}

// numbersOf returns the numbers of memories.
func numbersOf(ctx context.Context, c *d.Call, ms []*hippo.Memory) (map[hippo.ID]int64, error) {
	return memory.Numbers(ctx, c.Memories, idsOf(ms))
}

func rowOf(m *hippo.Memory, number int64, now time.Time) row {
	r := row{
		ID: number, ContentHash: d.HashOf(m), Content: m.Content, Tags: m.Tags, Metadata: metadataOf(m), Flags: wire.Flags(m), State: wire.StateOf(m, now),
		CreatedAt: seconds(m.CreatedAt), UpdatedAt: seconds(m.UpdatedAt), CreatedAtISO: iso(m.CreatedAt), UpdatedAtISO: iso(m.UpdatedAt),
	}
	if r.Tags == nil {
		r.Tags = []string{}
	}
	if m.Type != "" {
		r.MemoryType = &m.Type
	}
	return r
}

// metadataOf returns the metadata of a memory with its surprise, where this system has it.
func metadataOf(m *hippo.Memory) map[string]json.RawMessage {
	if m.Surprise.Score == 0 {
		return m.Metadata
	}
	own := ownOf(m)
	if shown := (struct{ Score float64 }{}); json.Unmarshal(own["surprise"], &shown) == nil && shown.Score == m.Surprise.Score { // as another program wrote it
		return m.Metadata
	}
	own["surprise"], _ = json.Marshal(map[string]any{"score": float32(m.Surprise.Score), "components": componentsOf(&m.Surprise)}) // numbers marshal
	out := make(map[string]json.RawMessage, len(m.Metadata)+1)
	maps.Copy(out, m.Metadata)
	out[reserved], _ = json.Marshal(own) // what was read as JSON marshals
	return out
}

// ownOf returns what this system keeps for itself in the metadata.
func ownOf(m *hippo.Memory) map[string]json.RawMessage {
	own := make(map[string]json.RawMessage)
	if json.Unmarshal(m.Metadata[reserved], &own) != nil || own == nil {
		return make(map[string]json.RawMessage)
	}
	return own
}

// components are the parts of a surprise.
type components struct {
	Outlier    float32  `json:"embedding_outlier"`
	Engagement float32  `json:"engagement"`
	Explicit   float32  `json:"explicit"`
	Loss       *float32 `json:"prediction_loss"`
}

func componentsOf(s *hippo.Surprise) components {
	c := components{Outlier: float32(s.Outlier), Engagement: float32(s.Engagement), Explicit: float32(s.Explicit)}
	if s.Loss > 0 {
		c.Loss = new(float32(s.Loss))
	}
	return c
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
