package shodh

import (
	"context"
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// updateMemory changes what a request names and keeps the rest; clear, which the document does not have, empties fields. Metadata
// is merged. A request without any field changes nothing.
func updateMemory(ctx context.Context, c *call) (reply, error) {
	if err := liftMetadata(c.args); err != nil {
		return reply{}, err
	}
	m, err := find(ctx, c)
	if err != nil {
		return reply{}, err
	}
	change := api.Change{Vote: api.VoteNone}
	changeMetadata(&change, c.args, m)
	if c.has("tags") {
		change.Tags = new(append([]string{}, value[[]string](c.args, "tags", nil)...))
	}
	if c.has("type") {
		change.Type = new(value(c.args, "type", ""))
	}
	if c.has("quality_score") {
		change.Importance = new(value(c.args, "quality_score", 0.0))
	}
	if err := change.Clear(value[[]string](c.args, "clear", nil)); err != nil {
		return reply{}, err
	}
	if change.Tags != nil || change.ValidFrom != nil || change.ValidUntil != nil || change.Type != nil || change.Importance != nil || change.Metadata != nil {
		if m, err = c.Modify(ctx, m.ID, change); err != nil {
			return reply{}, err
		}
	}
	return showOne(ctx, c, m)
}

// changeMetadata sets the keys of the metadata that a request gives, those of [keptFields] among them.
func changeMetadata(change *api.Change, a args, m *hippo.Memory) {
	change.SetMetadata(value[object](a, "metadata", nil))
	for _, f := range keptFields() {
		if v, ok := a[f.name]; ok {
			if change.Metadata == nil {
				change.Metadata = &map[string]json.RawMessage{}
			}
			(*change.Metadata)[f.name] = f.metadata(m, v)
		}
	}
}
