package mcpserver

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/wire"
)

const forgetSchema = `{"type":"object","required":["uuids"],"properties":{
"uuids":{"type":"array","items":{"type":"string"},"description":"ids"},
"restore":{"type":"boolean"},
"purge":{"type":"boolean"}}}`

type forgetInput struct {
	refs           refs
	restore, purge bool
}

func (in *forgetInput) fields() []field {
	return []field{
		{name: "uuids", also: "uuid ids id refs ref content_hash", to: &in.refs, required: true},
		{name: "restore", to: &in.restore},
		{name: "purge", to: &in.purge},
	}
}

// forgot is the structured content of forgetting.
type forgot struct {
	Action string     `json:"action"`
	UUIDs  []hippo.ID `json:"uuids"`
}

func (in *forgetInput) call(ctx context.Context, s *session) (reply, error) {
	action, text := "forgotten", "Forgot %s; restore undoes it"
	if in.restore && in.purge {
		return reply{}, hippo.Fieldf("purge", "and restore exclude each other")
	}
	prefer := engine.PreferLive
	switch {
	case in.restore:
		prefer = engine.PreferForgotten
	case in.purge:
		prefer = engine.PreferNone
	}
	ids, err := s.resolve(ctx, in.refs, prefer)
	switch {
	case err != nil:
	case in.purge:
		action, text = "purged", "Purged %s for good"
		err = s.Purge(ctx, ids)
	case in.restore:
		action, text = "restored", "Restored %s"
		_, err = s.Restore(ctx, ids)
	default:
		_, err = s.Forget(ctx, ids)
	}
	if err != nil {
		return reply{}, err
	}
	return reply{text: fmt.Sprintf(text, insights(len(ids))), data: forgot{Action: action, UUIDs: ids}, meta: wire.Meta{IDs: ids}, count: len(ids)}, nil
}
