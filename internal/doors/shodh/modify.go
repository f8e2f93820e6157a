package shodh

import (
	"context"
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// updateMemory changes what a request names and keeps the rest; clear, which the document does not have, empties fields. Metadata
// is merged. A request without any field changes nothing.
func updateMemory(ctx context.Context, c *call) (reply, error) {
	if err := liftMetadata(c.Input); err != nil {
		return reply{}, err
	}
	m, err := find(ctx, c)
	if err != nil {
		return reply{}, err
	}
	change := api.Change{Vote: api.VoteNone}
	changeMetadata(&change, c.Input, m)
	if c.Has("tags") {
		change.Tags = new(append([]string{}, verb.Of[[]string](c.Input, "tags", nil)...))
	}
	if c.Has("type") {
		change.Type = new(c.Text("type"))
	}
	if c.Has("quality_score") {
		change.Importance = new(verb.Of(c.Input, "quality_score", 0.0))
	}
	if err := change.Clear(verb.Of[[]string](c.Input, "clear", nil)); err != nil {
		return reply{}, err
	}
	if change.Tags != nil || change.ValidFrom != nil || change.ValidUntil != nil || change.Type != nil || change.Importance != nil || change.Metadata != nil {
		if m, err = memory.Modify(ctx, c.Memories, m.ID, change); err != nil {
			return reply{}, err
		}
	}
	return showOne(ctx, c, m)
}

// changeMetadata sets the keys of the metadata that a request gives, those of [keptFields] among them.
func changeMetadata(change *api.Change, a verb.Input, m *hippo.Memory) {
	change.SetMetadata(a.Object("metadata"))
	for _, f := range keptFields() {
		if v, ok := a[f.Name]; ok {
			if change.Metadata == nil {
				change.Metadata = &map[string]json.RawMessage{}
			}
			(*change.Metadata)[f.Name] = f.metadata(m, v)
		}
	}
}
